"""What is read: seeds/feeds.csv, or the samples' feeds in target sample, checked."""

import contextlib
import csv
import io
import os
import re
import zoneinfo
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from changelake.core import settings
from changelake.core.errors import UserError
from changelake.core.files import absolute_path
from changelake.core.macros import macro_names
from changelake.core.words import nearest

FORMATS = macro_names("formats", "formats")
COLUMNS = ("feed", "topics", "topic_pattern", "format", "time_zone")
_NO_HEADER = f"no header: begin with {','.join(COLUMNS)}"

_FEED_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,199}")
_TOPIC_NAME = re.compile(r"[A-Za-z0-9._-]{1,249}")
_OFFSET_ZONE = re.compile(r"[+-](?:(?:0\d|1[0-7]):[0-5]\d|18:00)")
# Python lists these among the zones; Java does not know them.
_NO_ZONE_OF_JAVA = re.compile(r"(?:posix|right)/.*|posixrules|localtime|Factory|ROC")


@dataclass(frozen=True)
class Feed:
    """One line of feeds.csv: topics of one producer, in one format."""

    feed: str
    format: str
    topics: tuple[str, ...] = ()
    topic_pattern: str | None = None
    time_zone: str = "UTC"

    def reads(self, topic: str) -> bool:
        """Say whether a topic belongs to this feed: named by it, or wholly matched."""
        if self.topic_pattern is not None:
            return re.fullmatch(self.topic_pattern, topic) is not None
        return topic in self.topics


def seed_file(target: str = "local") -> Path:
    """Return the list of feeds that the models of a target see."""
    seeds = settings.REPO / "seeds"
    return seeds / "samples" / "feeds.csv" if target == "sample" else seeds / "feeds.csv"


def feeds_file(target: str = "local") -> Path:
    """Return the file that lists the feeds: CHANGELAKE_FEEDS, or the target's seed."""
    path = os.environ.get(settings.FEEDS_VARIABLE, "").strip()
    return absolute_path(path) if path else seed_file(target)


def read_feeds(path: Path | None = None, target: str = "local") -> list[Feed]:
    """Read and check the list of feeds.

    Args:
        path: the file; by default that of `feeds_file()`.
        target: the profile's target.

    Raises:
        UserError: names the file's line and says what to do; also if the file is not the target's
            seed, and the seed has a different time zone for a feed.
    """
    path, seed = path or feeds_file(target), seed_file(target)
    feeds = _read(path)
    if path != seed:
        zones = {feed.feed: feed.time_zone for feed in _read(seed)}
        for feed in feeds:
            if feed.time_zone != zones.get(feed.feed, "UTC"):
                raise UserError(
                    f"{shown_file(path)}: feed {feed.feed} is in {feed.time_zone}: write that into"
                    f" {shown_file(seed)} too, where the models read time zones"
                )
    return feeds


def _read(path: Path) -> list[Feed]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise UserError(f"{_origin(path)} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UserError(f"{_origin(path)} is not UTF-8: save it as UTF-8") from None
    return parse_feeds(text, shown_file(path))


def _origin(path: Path) -> str:
    """Return a list of feeds with the setting that names it."""
    if Path(path).is_relative_to(settings.REPO / "seeds"):
        return f"the list of feeds {path}"
    by_variable = path == absolute_path(os.environ.get(settings.FEEDS_VARIABLE, "").strip())
    return f"the list of feeds {settings.FEEDS_VARIABLE if by_variable else '--feeds-file'}={path}"


def shown_file(path: Path) -> str:
    """Return a file's path as messages show it: relative to the repository if it is in there."""
    try:
        return str(path.absolute().relative_to(settings.REPO))
    except ValueError:
        return str(path)


def parse_feeds(text: str, name: str = "feeds.csv") -> list[Feed]:
    """Read and check the text of a list of feeds.

    Args:
        text: the CSV text.
        name: the file's name, for messages.

    Raises:
        UserError: names the file's line and says what to do.
    """
    rows = csv.reader(io.StringIO(text, newline=""), strict=True)
    feeds: list[Feed] = []
    line_of: dict[str, int] = {}
    topic_of: dict[str, tuple[str, int]] = {}
    header: list[str] | None = None
    line = 0
    try:
        for row in rows:
            first_line, line = line + 1, rows.line_num
            where = f"{name}, line {first_line}"
            if header is not None and row and row[0].startswith("#"):
                _check_comment(row, header, where)
                continue
            _check_blanks(row, where)
            if header is None:
                header = _check_header(row, where)
                continue
            _check_length(row, header, where)
            feed = _check_feed(dict(zip(header, row, strict=True)), where)
            # The catalog and some file systems ignore case.
            if (other := line_of.setdefault(feed.feed.lower(), first_line)) != first_line:
                raise UserError(
                    f"{where}: the feed {feed.feed!r} is in line {other} too: rename one"
                )
            for topic in feed.topics:
                owner = topic_of.setdefault(topic, (feed.feed, first_line))
                if owner != (feed.feed, first_line):
                    raise UserError(
                        f"{where}: the topic {topic!r} belongs to the feed {owner[0]!r} "
                        f"(line {owner[1]}) already: remove it from one of them"
                    )
            feeds.append(feed)
    except csv.Error as error:
        raise UserError(f"{name}, line {rows.line_num}: not a line of CSV: {error}") from None
    if header is None:
        raise UserError(f"{name}, line 1: {_NO_HEADER}")
    for feed in feeds:
        for topic, (owner_feed, owner_line) in topic_of.items():
            if owner_feed != feed.feed and feed.reads(topic):
                raise UserError(
                    f"{name}, line {line_of[feed.feed.lower()]}: the pattern of the feed "
                    f"{feed.feed!r} matches the topic {topic!r} of the feed {owner_feed!r} "
                    f"(line {owner_line}): narrow the pattern"
                )
    return feeds


def _check_comment(row: list[str], header: list[str], where: str) -> None:
    # dbt reads a comment as a row too (seed_rows() leaves it out), and fills up a short one.
    if len(row) > len(header):
        raise UserError(
            f"{where}: a comment with {len(row) - 1} commas, but dbt takes {len(header) - 1} at"
            " most: put the line in double quotes"
        )


def _check_blanks(row: list[str], where: str) -> None:
    # The models read the same file through dbt, which strips nothing and skips no line.
    if not any(field.strip() for field in row):
        raise UserError(f"{where}: blank line: remove it, since dbt would read it as a row")
    for field in row:
        if field != field.strip():
            raise UserError(f"{where}: {field!r} begins or ends with a blank: remove the blank")


def _check_separator(row: list[str], where: str) -> None:
    for sign, name in ((";", "semicolons"), ("\t", "tabs")):
        if len(row) == 1 and row[0].count(sign) >= len(COLUMNS) - 2:
            raise UserError(f"{where}: separated by {name}: save the file with commas")


def _check_length(row: list[str], header: list[str], where: str) -> None:
    if len(row) == len(header):
        return
    _check_separator(row, where)
    fields = "1 field" if len(row) == 1 else f"{len(row)} fields"
    wrong = f"{where}: {fields} where the header has {len(header)}"
    if len(row) > len(header):
        at = header.index("format")
        if row[at] in FORMATS and not any(row[len(header) :]):
            raise UserError(f"{wrong}: remove the commas at its end")
        if len(row) == 2 * len(header) - 1:
            # `>>` joins lines if the file does not end with a line break
            raise UserError(f"{wrong}: perhaps two lines in one: end each with a line break")
        raise UserError(
            f"{wrong}: separate topics by blanks, and put a pattern with commas in double quotes"
        )
    missing = _missing_columns(row, header)
    wrong += f": {' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing"
    if not {"feed", "format"}.isdisjoint(missing):
        raise UserError(f"{wrong}: write {','.join(header)}")
    # show the corrected line
    values = iter(row)
    whole = ["" if column in missing else next(values) for column in header]
    raise UserError(f"{wrong}: an empty field has a comma too: {','.join(map(_quoted, whole))}")


def _missing_columns(row: list[str], header: list[str]) -> list[str]:
    """Return the columns that a short row lacks: by where its format stands, else the last ones."""
    lacks = len(header) - len(row)
    at = header.index("format")
    found = next((index for index, field in enumerate(row) if field in FORMATS), at)
    pair = [column for column in ("topics", "topic_pattern") if header.index(column) < at]
    if lacks == 1 and found == at - 1 and len(pair) == 2 and pair == header[at - 2 : at]:
        topics = row[found - 1].split()
        is_names = all(_TOPIC_NAME.fullmatch(topic) for topic in topics)
        return ["topic_pattern" if is_names else "topics"]
    return header[len(row) :]


def _quoted(field: str) -> str:
    return '"' + field.replace('"', '""') + '"' if re.search(r'[,"\n]', field) else field


def _check_header(header: list[str], where: str) -> list[str]:
    _check_separator(header, where)
    missing = [column for column in COLUMNS if column not in header]
    if len(missing) == len(COLUMNS):
        raise UserError(f"{where}: {_NO_HEADER}")
    if missing:
        near = nearest(missing[0], header, 0.6)
        do = f"rename {near!r}" if near else "add it to the header"
        raise UserError(f"{where}: the column {missing[0]!r} is missing: {do}")
    repeated = [column for column in header if header.count(column) > 1]
    if repeated:
        raise UserError(f"{where}: the column {repeated[0]!r} appears twice: remove one")
    return header


def _check_feed(row: dict[str, str], where: str) -> Feed:
    name = row["feed"]
    if not _FEED_NAME.fullmatch(name):
        raise UserError(
            f"{where}: {name!r} is not a valid feed name: use letters, digits, '_', '-' and '.'"
        )
    format_id = row["format"]
    if format_id not in FORMATS:
        near = nearest(format_id, FORMATS)
        do = f"did you mean {near}?" if near else f"use one of {', '.join(FORMATS)}"
        raise UserError(f"{where}: unknown format {format_id!r} of the feed {name!r}: {do}")
    topics = tuple(dict.fromkeys(row["topics"].split()))
    pattern = row["topic_pattern"] or None
    if bool(topics) == bool(pattern):
        both = "both topics and a topic_pattern" if topics else "neither topics nor a topic_pattern"
        one = "exactly one, with spaces between topics" if topics else "exactly one"
        raise UserError(f"{where}: the feed {name!r} has {both}: give it {one}")
    for topic in topics:
        if not _TOPIC_NAME.fullmatch(topic) or topic in (".", ".."):
            raise UserError(
                f"{where}: {topic!r} is not a valid topic name: separate names by blanks, "
                "and put a regular expression into topic_pattern"
            )
    if pattern:
        try:
            re.compile(pattern)
        except re.error as error:
            raise UserError(
                f"{where}: the topic_pattern '{pattern}' is not a valid regular expression: {error}"
            ) from None
    return Feed(name, format_id, topics, pattern, _check_zone(row["time_zone"], where))


def _check_zone(zone: str, where: str) -> str:
    if not zone:
        return "UTC"
    if _OFFSET_ZONE.fullmatch(zone):
        return zone
    with contextlib.suppress(zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        zoneinfo.ZoneInfo(zone)
        if not _NO_ZONE_OF_JAVA.fullmatch(zone):
            return zone
    raise UserError(f"{where}: unknown time zone {zone!r}: write it like Asia/Shanghai or +08:00")


def choose_feeds(feeds: list[Feed], names: Iterable[str]) -> list[Feed]:
    """Return the feeds of these names, or all if no name is given.

    Raises:
        UserError: there is no feed of such a name, or none at all.
    """
    if not feeds:
        raise UserError(
            "no feed is named yet: write a line for each into seeds/feeds.csv, as its comments show"
        )
    wanted = list(dict.fromkeys(names))
    by_name = {feed.feed: feed for feed in feeds}
    for name in wanted:
        if name not in by_name:
            known = ", ".join(by_name) or "none"
            raise UserError(
                f"there is no feed {name!r} in the list of feeds (there are: {known}):"
                " name one of them, or add its line"
            )
    return [by_name[name] for name in wanted] if wanted else feeds
