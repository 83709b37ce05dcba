"""What each jar has to be: a line per jar in the file `jars.lock` beside an ivy.xml.

Maven Central's own checksums are beside the jars: whoever can replace a jar can replace both. These
are in the repository. `make lock` writes them, `jars.fetch` checks them.
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from changelake.core.errors import UserError

HEAD = """\
# Written by `make lock`: the configuration of ivy.xml, the Maven coordinates and the SHA-256 of
# every jar, those that others ask for included.
"""


@dataclass(frozen=True, order=True)
class Jar:
    """A jar as Maven Central has it.

    Attributes:
        configuration: of ivy.xml, for which it is fetched.
        group, name, version: its Maven coordinates.
        sha256: of its bytes, in hexadecimal digits.
    """

    configuration: str
    group: str
    name: str
    version: str
    sha256: str

    @property
    def file(self) -> str:
        """Return where it lies below the folder of the jars."""
        return f"{self.configuration}/{self.name}-{self.version}.jar"


def sha256(file: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal digits."""
    return hashlib.sha256(file.read_bytes()).hexdigest()


def read(lock: Path) -> list[Jar]:
    """Return the jars of a lock file.

    Raises:
        UserError: it cannot be read.
    """
    jars: list[Jar] = []
    for number, line in enumerate(lock.read_text(encoding="utf-8").splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        try:
            configuration, coordinates, digest = line.split()
            group, name, version = coordinates.split(":")
            jars.append(Jar(configuration, group, name, version, digest))
        except ValueError:
            raise UserError(f"{lock.name} line {number} is broken: run `make lock`") from None
    return jars


def write(lock: Path, jars: list[Jar]) -> None:
    """Write a lock with these jars."""
    lines = (f"{j.configuration} {j.group}:{j.name}:{j.version} {j.sha256}\n" for j in sorted(jars))
    lock.write_text(HEAD + "".join(lines), encoding="utf-8")


def check(directory: Path, lock: Path) -> None:
    """Check that the jars in a folder are those of a lock, all of them and no others.

    Args:
        directory: with a folder for each configuration.
        lock: the file that says what they have to be.

    Raises:
        UserError: a jar differs, is missing, or is not in the lock.
    """
    wanted = {jar.file: jar.sha256 for jar in read(lock)}
    found = {f"{file.parent.name}/{file.name}": sha256(file) for file in directory.glob("*/*.jar")}
    for file in sorted(wanted.keys() | found.keys()):
        if file not in wanted or file not in found:
            what = "stands in {} and was not" if file in wanted else "does not stand in {} and was"
            raise UserError(
                f"the jar {file} {what.format(lock.name)} fetched: after a change of ivy.xml run"
                " `make lock`, and look at what it changed"
            )
        if wanted[file] != found[file]:
            raise UserError(
                f"the jar {file} is not the one that {lock.name} names: its SHA-256 is"
                f" {found[file]} and not {wanted[file]}; fetch it again, and if it stays so,"
                " do not trust where it comes from"
            )
