"""Leaves out the defaults of MapReduce and YARN, which a local Spark does not use.

They are 714 of Hadoop's 1,079 settings, and Spark copies all of them into the tasks of each write
and scan: a table of a few rows takes 7 % less CPU without (docs/decisions/0002-speed.md). Java
finds the empty files of this jar before Hadoop's. The profile names its folder for local masters
only: YARN needs the defaults.
"""

import zipfile

from changelake.core import settings

FOLDER = settings.JARS / "local"
EMPTY = ("mapred-default.xml", "yarn-default.xml")


def write_jar() -> None:
    """Write the jar, unless it is there."""
    jar = FOLDER / "hadoop-defaults.jar"
    if jar.is_file():
        return
    FOLDER.mkdir(exist_ok=True)
    partial = jar.with_suffix(".partial")
    with zipfile.ZipFile(partial, "w") as archive:
        for name in EMPTY:
            archive.writestr(name, "<configuration/>\n")
    partial.replace(jar)
