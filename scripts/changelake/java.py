"""Finds a Java that Spark 4 runs on."""

import os
import re
import shutil
import subprocess
from pathlib import Path

from changelake.errors import UserError

OLDEST, NEWEST = 17, 23  # Spark 4.1 supports 17 and 21; Hadoop's login fails from 24 on


def parse_version(text: str) -> int | None:
    """Return the major version in the output of `java -version`, None if there is none."""
    match = re.search(r'version "(?:1\.)?(\d+)', text)
    return int(match.group(1)) if match else None


def version_text(java: Path) -> str:
    """Return what a Java says of itself, empty if it does not answer."""
    try:
        run = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return run.stderr + run.stdout


def find_java() -> Path:
    """Return the `java` to use: JAVA_HOME's, else the one on PATH. Sets JAVA_HOME accordingly.

    Raises:
        UserError: there is none, or none of a version that Spark 4 runs on.
    """
    candidates = []
    if java_home := os.environ.get("JAVA_HOME"):
        candidates.append(Path(java_home) / "bin" / "java")
    if on_path := shutil.which("java"):
        candidates.append(Path(on_path).resolve())
    found = {
        str(java): version
        for java in candidates
        if (version := parse_version(version_text(java))) is not None
    }
    for java, version in found.items():
        if OLDEST <= version <= NEWEST:
            # Spark's launcher prefers JAVA_HOME, so it has to be the one that was checked.
            os.environ["JAVA_HOME"] = str(Path(java).parents[1])
            return Path(java)
    wanted = "Java 17 or 21 is needed (Spark 4 runs on these)"
    if not found:
        raise UserError(f"{wanted}, and none was found: install one, or set JAVA_HOME")
    seen = ", ".join(f"{version} at {java}" for java, version in found.items())
    raise UserError(f"{wanted}; found {seen}: install one, or set JAVA_HOME to one")


if __name__ == "__main__":
    print(find_java())
