"""Where things are: the repository, the lake, the targets of the profile."""

import os
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path

from changelake.core.errors import UserError, os_reason
from changelake.core.files import absolute_path
from changelake.core.words import nearest

REPO = Path(__file__).resolve().parents[3]
JARS = REPO / ".jars"
PROFILES = REPO / "profiles" / "profiles.yml"
# its catalog belongs to a Thrift server
CLUSTER = "cluster"
TARGETS = ("sample", "local", CLUSTER)

HOME_VARIABLE = "CHANGELAKE_HOME"
FEEDS_VARIABLE = "CHANGELAKE_FEEDS"
PROFILES_VARIABLE = "DBT_PROFILES_DIR"
# The first would end the name of the catalog's database; Spark takes the others in a path for a
# pattern, which does not match the path itself, or matches other lakes too.
_REFUSED = re.compile(r"[][;{}*?\\]")
# All that are documented, whoever reads them; `CHANGELAKE_KAFKA_` also begins any of Kafka's own.
VARIABLES = tuple(
    f"CHANGELAKE_{name}"
    for name in (
        "CODEGEN", "FEEDS", "HOME", "IVY_SETTINGS", "JAVA_OPTIONS", "JDBC_PASSWORD",
        "KAFKA_BOOTSTRAP_SERVERS", "MASK_SALT", "PROJECT", "SCHEMA_REGISTRY",
        "SCHEMA_REGISTRY_AUTH", "SHUFFLE_PARTITIONS", "SPARK_MASTER", "SPARK_MEMORY",
        "SPARK_PACKAGES", "TASK_PER", "THREADS", "THRIFT_AUTH", "THRIFT_HOST", "THRIFT_PORT",
        "THRIFT_USER",
    )
)  # fmt: skip
# Two letters in the wrong order are still recognized; a variable of somebody's own is not taken
# for one of these only because it begins as they do.
_MISSPELT = 0.9


def local_path(text: str) -> Path | None:
    """Return the absolute path of a local directory or file, or None if it is in a store.

    Args:
        text: a path, or a URL: `file:/x`, `file:///x` and `/x` are one place. What follows `file:`
            is taken as it stands, as Hadoop does: `%20` is not a blank.
    """
    if url := re.fullmatch(r"file:(?://([^/]*))?(/.*)", text, re.IGNORECASE | re.DOTALL):
        host, text = url.groups()
        if (host or "localhost").lower() != "localhost":
            return None
    elif re.match(r"[A-Za-z][A-Za-z0-9+.-]*:/", text):
        return None
    # As Hadoop reads a path: `..` goes by the text, and slashes count once.
    path = os.path.normpath(absolute_path(text))
    return Path("/" + path.lstrip("/"))


def home() -> Path:
    """Return the lake's place as an absolute path: CHANGELAKE_HOME, or `lake` in the repository.

    Raises:
        UserError: CHANGELAKE_HOME is a URL (object store), where a local directory is needed.
    """
    text = location()
    path = local_path(text)
    if path is None:
        raise UserError(
            f"{HOME_VARIABLE}={text} is not a local directory, which this command needs: set it to"
            " one"
        )
    return path


def location(*parts: str, root: Path | str | None = None) -> str:
    """Return a location in the lake as Spark takes it: a path, or the URL of a store.

    Args:
        parts: the steps below the lake's root.
        root: another root than CHANGELAKE_HOME.
    """
    text = str(root) if root is not None else os.environ.get(HOME_VARIABLE, "").strip()
    path = local_path(text) if text else REPO / "lake"
    if path is None:
        return "/".join([text.rstrip("/"), *parts])
    return str(path.joinpath(*parts))


def bronze(format_id: str, root: Path | str | None = None) -> str:
    """Return where the bronze table of a format lies."""
    return location("bronze", format_id, root=root)


def checkpoint(feed: str, root: Path | str | None = None) -> str:
    """Return where the landing job keeps the offsets of a feed."""
    return location("checkpoints", feed, root=root)


def check_variables(environment: Mapping[str, str] = os.environ) -> None:
    """Check that no variable looks like a misspelt setting, which would be ignored.

    If it were that of the lake's directory, another lake would be written to.

    Raises:
        UserError: one does.
    """
    # the prefix can be misspelt too
    for name in (one for one in environment if one.upper().startswith("CHANG")):
        meant = nearest(name, VARIABLES, _MISSPELT)
        # Kubernetes derives names such as …_PORT from those of its services
        if meant and name != meant and not name.startswith(f"{meant}_"):
            raise UserError(f"{name} is no setting: did you mean {meant}? If not, unset it")


def check_home() -> None:
    """Check before a long operation that the lake's directory can be created and written.

    Raises:
        UserError: it cannot; names the variable that it comes from.
    """
    path = local_path(location())
    if path is None:
        return
    if found := _REFUSED.search(str(path)):
        raise UserError(
            f"the lake's directory {path} must not contain '{found.group()}': {_home_origin()}"
        )
    try:
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path, buffering=0) as file:
            file.write(bytes(4096))
    except OSError as error:
        raise UserError(
            f"the lake's directory {path} cannot be used: {os_reason(error)}: {_home_origin()}"
        ) from None


def _home_origin() -> str:
    text = os.environ.get(HOME_VARIABLE, "").strip()
    return f"it comes from {HOME_VARIABLE}" if text else f"set {HOME_VARIABLE} to another one"


def origin_of(path: str) -> str:
    """Return why a file is where it is, as the end of an error message; empty if unknown."""
    lake = local_path(location())
    if Path(path).is_relative_to(JARS) or Path(path).name.startswith(f"{JARS.name}."):
        return ": it holds the jars"
    if lake is not None and Path(path).is_relative_to(lake):
        return f": the lake's directory is {lake}, {_home_origin()}"
    return ""


def kafka_directory() -> Path:
    """Return where the local broker keeps its files."""
    return home() / "kafka"


def check_target(target: str, embedded: bool = False) -> str:
    """Return the target, or raise UserError if the profile has none of that name.

    Args:
        target: its name.
        embedded: it has to be one whose Spark this process starts.
    """
    if target not in TARGETS:
        raise UserError(f"there is no target {target!r}: use one of {', '.join(TARGETS)}")
    if embedded and target == CLUSTER:
        raise UserError(
            "this command does not support target cluster. Supported there: land.py, run.py,"
            " onboard.py, sql.py and dbt, see docs/guides/cluster.md"
        )
    return target


def export_home() -> None:
    """Make the paths in environment variables absolute, since dbt changes the directory."""
    os.environ[HOME_VARIABLE] = location()
    for name in (FEEDS_VARIABLE, PROFILES_VARIABLE):
        if text := os.environ.get(name, "").strip():
            os.environ[name] = str(absolute_path(text))
