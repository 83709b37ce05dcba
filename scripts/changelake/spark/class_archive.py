"""Makes the archive of Spark's classes that Java maps into memory instead of reading jars.

A session loads some twenty thousand classes and verifies each: six of the seconds that it takes to
start (docs/decisions/0002-speed.md). The profile names the file; Java goes without where the
archive is missing, or is one of other jars or of another Java.
"""

import hashlib
import os
import tempfile
from importlib.util import find_spec
from pathlib import Path

from changelake.core import settings, tuning
from changelake.core.errors import UserError, sql_error
from changelake.core.files import write_whole
from changelake.spark.hadoop_defaults import FOLDER
from changelake.spark.java import find_java, version_text
from changelake.spark.jvm import end_jvm
from changelake.spark.session import spark_session

ARCHIVE = settings.JARS / "spark.jsa"
# which Java made it, and of which jars
MADE_BY = settings.JARS / "spark.jsa.java"
WRITING_SECONDS = 300.0
# What any session does, on a small scale: the archive holds the classes that these load.
STATEMENTS = (
    "create table archived (k string, v int, d date) using delta partitioned by (d)",
    """insert into archived
       select json.k, json.v, current_date()
       from (select from_json('{"k": "a", "v": 1}', 'k string, v int') as json from range(2))""",
    """merge into archived as old
       using (select k, max(v) as v, max(d) as d from archived group by k) as new on old.k = new.k
       when matched and new.v = 2 then delete
       when matched then update set *
       when not matched then insert *""",
    "select *, row_number() over (partition by k order by v) from archived join range(3) on id = v",
)


def present() -> bool:
    """Say whether there is an archive, made by the Java and of the jars that are used."""
    return ARCHIVE.is_file() and MADE_BY.is_file() and MADE_BY.read_text() == made_by()


def made_by() -> str:
    """Return what an archive would be made by: Java, and the jars as Java compares them.

    Java silently ignores an archive of jars with another size or time, as a new `.venv` has them.
    """
    pyspark = find_spec("pyspark")
    assert pyspark and pyspark.origin
    folders = (FOLDER, settings.JARS / "spark", Path(pyspark.origin).parent / "jars")
    jars = sorted(jar for folder in folders for jar in folder.glob("*.jar"))
    stats = [(str(jar), stat.st_size, int(stat.st_mtime)) for jar in jars for stat in [jar.stat()]]
    return f"{version_text(find_java())}\njars {hashlib.sha256(repr(stats).encode()).hexdigest()}"


def make() -> None:
    """Make the archive: start Spark in this process, run a few statements, end it.

    Raises:
        UserError: it could not be made. Everything works without it.
    """
    partial = ARCHIVE.with_suffix(".partial")
    partial.unlink(missing_ok=True)
    tuning.expect_little_data()
    # on top of Java's own classes, and not of the archive that the profile names
    own = find_java().parents[1] / "lib" / "server" / "classes.jsa"
    os.environ[tuning.JAVA_VARIABLE] += (
        f' -Xlog:disable "-XX:SharedArchiveFile={own}" "-XX:ArchiveClassesAtExit={partial}"'
    )
    with tempfile.TemporaryDirectory(prefix="changelake-setup-") as directory:
        os.environ[settings.HOME_VARIABLE] = directory
        try:
            spark = spark_session("changelake setup", "sample", hive=True)
            for statement in STATEMENTS:
                spark.sql(statement).collect()
            end_jvm(WRITING_SECONDS)
        except Exception as error:
            raise sql_error(error) from error
    if not partial.is_file():
        raise UserError(f"Java has not written {partial}")
    partial.replace(ARCHIVE)
    write_whole(MADE_BY, made_by())
