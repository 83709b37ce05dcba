"""Finds a Java that Spark 4 runs on."""

import os
import re
import shutil
import subprocess
from pathlib import Path

from changelake.core.errors import UserError

OLDEST, NEWEST = 17, 23  # Spark 4.1 supports 17 and 21; Hadoop's login fails from 24 on


def parse_version(text: str) -> int | None:
    """Return the major version in the output of `java -version`, None if there is none."""
    match = re.search(r'version "(?:1\.)?(\d+)', text)
    return int(match.group(1)) if match else None


def version_text(java: Path) -> str:
    """Return the output of `java -version`, empty if it does not run."""
    try:
        # from a directory that exists: Java does not start in one that is gone
        run = subprocess.run(
            [java, "-version"], capture_output=True, text=True, timeout=60, cwd="/"
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return run.stderr + run.stdout


def find_java() -> Path:
    """Return the `java` to use: JAVA_HOME's, else the one on PATH. Sets JAVA_HOME accordingly.

    Raises:
        UserError: JAVA_HOME is wrong, there is no Java, or none of a version that Spark 4 runs on.
    """
    wanted = "Java 17 or 21 is needed (Spark 4 runs on these)"
    if java_home := os.environ.get("JAVA_HOME", "").strip():
        java = Path(java_home) / "bin" / "java"
        if reason := _reason_against(java):
            raise UserError(
                f"{wanted}, and JAVA_HOME={java_home} is not one: {reason}: set it to"
                " one, or unset it to use the `java` on PATH"
            )
    elif on_path := shutil.which("java"):
        java = Path(on_path).resolve()
        if reason := _reason_against(java):
            raise UserError(f"{wanted}: {reason}: install one, or set JAVA_HOME to one")
    else:
        raise UserError(f"{wanted}, and none was found: install one, or set JAVA_HOME")
    # Spark's launcher prefers JAVA_HOME, so it has to be the one that was checked.
    os.environ["JAVA_HOME"] = str(java.parents[1])
    return java


def _reason_against(java: Path) -> str:
    """Return why Spark cannot run on a Java, empty if it can."""
    if not java.parents[1].is_dir():
        return "there is no such directory"
    if not java.is_file():
        return f"there is no {java}"
    version = parse_version(version_text(java))
    if version is None:
        return f"{java} does not run"
    return "" if OLDEST <= version <= NEWEST else f"{java} is of version {version}"
