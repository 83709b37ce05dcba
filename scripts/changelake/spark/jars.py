"""Fetches the jars for Spark and for the local broker."""

import hashlib
import importlib.util
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from xml.etree import ElementTree

from changelake.core import settings
from changelake.core.errors import UserError
from changelake.core.file_locks import locked
from changelake.core.files import write_whole
from changelake.spark import jar_lock
from changelake.spark.java import find_java

IVY_FILE = Path(__file__).with_name("ivy.xml")
# all of them: the producers of the tests have their own
IVY_FILES = (IVY_FILE, *sorted((settings.REPO / "tests").glob("*/ivy.xml")))
# Another Ivy configuration, for a mirror of Maven Central.
IVY_SETTINGS_VARIABLE = "CHANGELAKE_IVY_SETTINGS"
TIME_LIMIT_SECONDS = 1800


def lock_file(ivy_file: Path = IVY_FILE) -> Path:
    """Return the lock file of an ivy.xml, which says what its jars have to be."""
    return ivy_file.with_name("jars.lock")


def _stamp(ivy_file: Path) -> str:
    return hashlib.sha256(ivy_file.read_bytes() + lock_file(ivy_file).read_bytes()).hexdigest()


def _ivy_jar() -> Path:
    # Looked up without importing pyspark: that would take a second.
    spec = importlib.util.find_spec("pyspark")
    places = list(spec.submodule_search_locations or []) if spec else []
    for place in places:
        for jar in (Path(place) / "jars").glob("ivy-*.jar"):
            return jar
    raise UserError("pyspark is not installed here: run `make setup`")


def present(directory: Path = settings.JARS, ivy_file: Path = IVY_FILE) -> bool:
    """Say whether the jars that this version of the project needs are there."""
    stamp = directory / "stamp"
    return stamp.is_file() and stamp.read_text() == _stamp(ivy_file)


def fetch(directory: Path = settings.JARS, ivy_file: Path = IVY_FILE) -> bool:
    """Fetch the jars from Maven Central into a folder for each configuration, and check them.

    Args:
        directory: where to; what was in it is gone afterwards.
        ivy_file: what is needed, by configuration; what it has to be stands beside it.

    Returns:
        False when they were there already.

    Raises:
        UserError: a jar could not be fetched, or is not the one that it has to be.
    """
    # a second process waits, and then finds the jars
    with locked(f"{directory.name}.lock", root=directory.parent):
        if present(directory, ivy_file):
            return False
        partial = directory.with_name(directory.name + ".partial")
        cache = directory.with_name(directory.name + ".cache")
        _retrieve(ivy_file, partial, cache, "[conf]/[artifact]-[revision].[ext]")
        # the cache is kept for a retry only if the download itself failed
        shutil.rmtree(cache, ignore_errors=True)
        jar_lock.check(partial, lock_file(ivy_file))
        shutil.rmtree(directory, ignore_errors=True)
        partial.rename(directory)
        write_whole(directory / "stamp", _stamp(ivy_file))
        return True


def lock(ivy_file: Path = IVY_FILE) -> list[jar_lock.Jar]:
    """Write down what the jars of an ivy.xml are, as Maven Central has them now.

    Raises:
        UserError: a jar could not be fetched.
    """
    directory = Path(tempfile.mkdtemp(prefix="changelake-lock-"))
    fetched = directory / "jars"
    pattern = "[conf]/[organisation]/[artifact]/[revision].[ext]"
    _retrieve(ivy_file, fetched, directory / "cache", pattern)
    jars: list[jar_lock.Jar] = []
    for file in fetched.glob("*/*/*/*.jar"):
        configuration, group, name, version = file.relative_to(fetched).with_suffix("").parts
        jars.append(jar_lock.Jar(configuration, group, name, version, jar_lock.sha256(file)))
    jar_lock.write(lock_file(ivy_file), jars)
    shutil.rmtree(directory)
    return jars


def _retrieve(ivy_file: Path, directory: Path, cache: Path, pattern: str) -> None:
    java, ivy = find_java(), _ivy_jar()
    configurations = [str(conf.get("name")) for conf in ElementTree.parse(ivy_file).iter("conf")]
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    log = directory / "ivy.log"
    options = ["-types", "jar", "bundle", "-cache", str(cache)]
    if extra := os.environ.get(IVY_SETTINGS_VARIABLE):
        if not Path(extra).is_file():
            raise UserError(f"{IVY_SETTINGS_VARIABLE}={extra}: there is no such file")
        options += ["-settings", extra]
    command = [str(java), "-jar", str(ivy), "-ivy", str(ivy_file), *options]
    command += ["-confs", *configurations, "-retrieve", f"{directory}/{pattern}"]
    with log.open("w") as out:
        try:
            code = subprocess.run(
                command, stdout=out, stderr=subprocess.STDOUT, timeout=TIME_LIMIT_SECONDS
            ).returncode
        except subprocess.TimeoutExpired:
            raise UserError(
                "the jars could not be fetched from Maven Central within"
                f" {TIME_LIMIT_SECONDS // 60} minutes: run it again, it continues from there, or"
                f" set {IVY_SETTINGS_VARIABLE} for a mirror (all that it said: {log})"
            ) from None
    if code != 0 or not all(any((directory / conf).rglob("*.jar")) for conf in configurations):
        raise UserError(
            f"the jars could not be fetched from Maven Central: {_reason(log)} (all of it: {log})"
        )


def _reason(log: Path) -> str:
    marks = ("unresolved dependency", "download failed", "not found", "exception", "error")
    lines = [line.strip(" \t:-") for line in log.read_text(errors="replace").splitlines()]
    for mark in marks:
        for line in lines:
            if mark in line.lower():
                return line
    return lines[-1] if lines else "no reason given"
