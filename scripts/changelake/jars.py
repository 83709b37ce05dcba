"""Fetches the jars for Spark and for the local broker: `python -m changelake.jars`."""

import hashlib
import importlib.util
import os
import shutil
import subprocess
from pathlib import Path

from changelake import settings
from changelake.errors import UserError, one_line_errors
from changelake.java import find_java

IVY_FILE = Path(__file__).with_name("ivy.xml")
# Another Ivy configuration, for a mirror of Maven Central.
IVY_SETTINGS_VARIABLE = "CHANGELAKE_IVY_SETTINGS"
CONFIGURATIONS = ("spark", "kafka")
TIME_LIMIT_SECONDS = 1800


def _stamp(ivy_file: Path) -> str:
    return hashlib.sha256(ivy_file.read_bytes()).hexdigest()


def _ivy_jar() -> Path:
    # Looked up without importing pyspark: that would take a second.
    spec = importlib.util.find_spec("pyspark")
    places = list(spec.submodule_search_locations or []) if spec else []
    for place in places:
        for jar in (Path(place) / "jars").glob("ivy-*.jar"):
            return jar
    raise UserError("pyspark is not installed here: run `make setup`")


def present(directory: Path = settings.JARS, ivy_file: Path = IVY_FILE) -> bool:
    """Say whether the jars of this version of the project are there."""
    stamp = directory / "stamp"
    return stamp.is_file() and stamp.read_text() == _stamp(ivy_file)


def fetch(
    directory: Path = settings.JARS,
    ivy_file: Path = IVY_FILE,
    configurations: tuple[str, ...] = CONFIGURATIONS,
) -> bool:
    """Fetch the jars from Maven Central into a folder for each configuration.

    Args:
        directory: where to; what was in it is gone afterwards.
        ivy_file: what is needed, by configuration.
        configurations: which of them to fetch.

    Returns:
        False when they were there already.

    Raises:
        UserError: a jar could not be fetched.
    """
    # of two at once the second waits, and finds the jars
    with settings.locked(f"{directory.name}.lock", root=directory.parent):
        if present(directory, ivy_file):
            return False
        _fetch(directory, ivy_file, configurations)
        return True


def _fetch(directory: Path, ivy_file: Path, configurations: tuple[str, ...]) -> None:
    java, ivy = find_java(), _ivy_jar()
    partial = directory.with_name(directory.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    log = partial / "ivy.log"
    options = [
        "-types",
        "jar",
        "bundle",
        "-cache",
        str(directory.with_name(directory.name + ".cache")),
    ]
    if extra := os.environ.get(IVY_SETTINGS_VARIABLE):
        options += ["-settings", extra]
    command = [str(java), "-jar", str(ivy), "-ivy", str(ivy_file), *options]
    pattern = f"{partial}/[conf]/[artifact]-[revision].[ext]"
    command += ["-confs", *configurations, "-retrieve", pattern]
    with log.open("w") as out:
        try:
            code = subprocess.run(
                command, stdout=out, stderr=subprocess.STDOUT, timeout=TIME_LIMIT_SECONDS
            ).returncode
        except subprocess.TimeoutExpired:
            code = -1
    if code != 0 or not all(any((partial / conf).glob("*.jar")) for conf in configurations):
        raise UserError(
            f"the jars could not be fetched from Maven Central: {_reason(log)} (all of it: {log})"
        )
    shutil.rmtree(directory, ignore_errors=True)
    partial.rename(directory)
    shutil.rmtree(directory.with_name(directory.name + ".cache"), ignore_errors=True)
    (directory / "stamp").write_text(_stamp(ivy_file))


def _reason(log: Path) -> str:
    marks = ("unresolved dependency", "download failed", "not found", "exception", "error")
    lines = [line.strip(" \t:-") for line in log.read_text(errors="replace").splitlines()]
    for mark in marks:
        for line in lines:
            if mark in line.lower():
                return line
    return "no answer in time" if not lines else lines[-1]


@one_line_errors
def main() -> None:
    """Fetch the jars and say so in one line."""
    if not present():
        print("fetching jars from Maven Central…", flush=True)
    if fetch():
        count = sum(1 for _ in settings.JARS.glob("*/*.jar"))
        print(f"{count} jars in {settings.JARS.name}/")


if __name__ == "__main__":
    main()
