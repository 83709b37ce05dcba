"""Writes the current models of the tables that the events show."""

import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import jinja2
import yaml

from changelake import settings
from changelake.errors import UserError
from changelake.types import Declaration, Values, declare, dialects_of, holds

MODELS = settings.REPO / "models" / "current"
HISTORIES = settings.REPO / "models" / "history"
# The dialects that a table of Canal's messages can have.
WRITERS = {"canal": "Canal", "oceanbase_default_extended": "OMS"}
# What no source calls a type.
SHARD_TYPE = "<shard>"
# The names of state_metadata() and history_metadata(), and what stands beside these in a statement.
METADATA = (
    "_undecodable", "_committed_at", "_feed", "_kafka_topic", "_kafka_partition", "_kafka_offset",
    "_row_count", "_operation", "_valid_from", "_valid_to", "_is_current", "_key",
    "_source_position", "_is_deleted", "_batch", "_present", "_row_index", "_row_change",
    "_changed_at", "_content", "_last_position", "_is_spread", "_is_boundary", "_is_last",
    "_sequence", "_epoch", "_place",
)  # fmt: skip
# The lines of a model that say which table it is of.
_IDENTITY = re.compile(r"^ +'(?:feeds|database|schema|table|shards)': .*$", re.M)
_KEY = re.compile(r"^ +'key': (.*)$", re.M)
_CHECKSUM = re.compile(r"^(#|--) written by scripts/onboard\.py, checksum ([0-9a-f]{16})$", re.M)


@dataclass
class SourceColumn:
    """A column of a source table, with its newest type and what its values look like."""

    name: str
    type_text: str | None
    is_key: bool
    values: Values = field(default_factory=Values)


@dataclass
class SourceTable:
    """A source table as one feed shows it, or several that are declared as one.

    Attributes:
        key: None where the dialect names none.
        shards: a regular expression of the names of the tables that this one stands for.
        shard: the column that holds these names.
    """

    feed: str
    format: str
    source_type: str
    database: str | None
    schema: str | None
    table: str
    columns: list[SourceColumn]
    key: list[str] | None
    shards: str = ""
    shard: str = ""

    @property
    def name(self) -> str:
        """Return DATABASE.SCHEMA.TABLE, empty parts left out."""
        return ".".join(part for part in (self.database, self.schema, self.table) if part)

    @property
    def relation(self) -> str:
        """Return the name of its current table."""
        parts = [part for part in (self.database, self.schema, self.table) if part]
        if self.shards:
            parts = self.table.split(".")
        return "__".join(re.sub(r"[^a-z0-9_]", "_", part.lower()) for part in parts)

    @property
    def spellings(self) -> tuple[str, str, str]:
        """Return what `--key` can call it: its whole name, its relation, its bare name."""
        return self.name, self.relation, self.table

    def key_of(self, columns: list[str]) -> list[str]:
        """Return a key of these columns: shards number their rows each for itself."""
        if not columns or not self.shard or self.shard in columns:
            return columns
        return [self.shard, *columns]


@dataclass
class Written:
    """What became of a table: its relation, its files, and remarks.

    Attributes:
        files: by file, `written`, `kept`, `unchanged` or `updated`.
    """

    relation: str
    files: dict[Path, str]
    remarks: list[str]


def choose_tables(
    tables: list[SourceTable], names: list[str], feed: str | None, keys: dict[str, list[str]]
) -> list[SourceTable]:
    """Return the tables to write, each of one feed and with its key.

    Args:
        tables: all that the events show.
        names: DATABASE[.SCHEMA].TABLE of the wanted ones; empty: all.
        feed: the feed that decides where a table is seen in several.
        keys: by table's name, relation or bare name: the key's columns.

    Raises:
        UserError: a table that is not there, is seen in several feeds or has no known key, a key's
            column that it has not, or two tables of one relation name.
    """
    if feed:
        tables = [table for table in tables if table.feed == feed]
        if not tables:
            raise UserError(f"feed {feed!r} has shown no table yet: land and build first")
    if names:
        known = {spelled for table in tables for spelled in (table.name, table.relation)}
        if missing := [name for name in names if name not in known]:
            raise UserError(
                f"no events of table {missing[0]!r}: the tables seen are "
                + ", ".join(sorted({table.name for table in tables}) or ["none"])
            )
        exact = {table.name for table in tables}
        tables = [
            table for table in tables if table.name in names or table.relation in set(names) - exact
        ]
    if not tables:
        raise UserError("no table has been seen in the events yet: land and build first")
    for reason in clashes(tables).values():
        raise UserError(reason)
    used = set()
    for table in tables:
        for spelled in table.spellings:
            if spelled in keys:
                used.add(spelled)
                table.key = table.key_of(keys[spelled])
                break
        columns = [column.name for column in table.columns]
        if unknown := [column for column in table.key or [] if column not in columns]:
            raise UserError(
                f"{table.name} has no column {unknown[0]!r} for its key:"
                f" it has {', '.join(columns)}"
            )
    if unused := sorted(set(keys) - used):
        raise UserError(f"--key names {unused[0]!r}, which is none of the tables to write")
    return tables


def choose_shards(tables: list[SourceTable], pattern: str, feed: str | None) -> list[SourceTable]:
    """Return the tables that a pattern names.

    Args:
        tables: all that the events show.
        pattern: a regular expression that all of DATABASE[.SCHEMA].TABLE has to match.
        feed: the feed that decides where tables are seen in several.

    Raises:
        UserError: a broken pattern, one that no table matches, or tables of several feeds.
    """
    try:
        chosen = [
            table
            for table in tables
            if feed in (None, table.feed) and re.fullmatch(pattern, table.name)
        ]
    except re.error as error:
        raise UserError(f"--shards …={pattern}: no regular expression: {error}") from None
    if not chosen:
        raise UserError(f"--shards …={pattern}: no table seen in the events matches")
    if len(feeds := sorted({table.feed for table in chosen})) > 1:
        raise UserError(
            f"--shards …={pattern}: seen in the feeds {' and '.join(feeds)}: choose one with --feed"
        )
    return chosen


def join_shards(
    chosen: list[SourceTable], name: str, pattern: str, keys: Iterable[str] = ()
) -> SourceTable:
    """Return several tables as one, with a column more that says which one a row is of.

    That column is the first of the key.

    Args:
        chosen: the shards, their values looked at.
        name: the name of the whole, from which its relation is made.
        pattern: see choose_shards().
        keys: the tables whose key a person gives.

    Raises:
        UserError: the shards have different keys, and none is given.
    """
    columns: dict[str, SourceColumn] = {}
    for column in (column for table in chosen for column in table.columns):
        known = columns.setdefault(column.name, column)
        if known is not column:
            columns[column.name] = replace(known, values=known.values.with_those(column.values))
    shard = "shard"
    while shard.lower() in {column.lower() for column in columns}:
        shard = f"_{shard}"
    one = SourceTable(
        chosen[0].feed, chosen[0].format, chosen[0].source_type, None, None, name,
        [SourceColumn(shard, SHARD_TYPE, True), *columns.values()], None, pattern, shard,
    )  # fmt: skip
    if set(one.spellings).isdisjoint(keys):
        one.key = _key_of_all(chosen, name, pattern)
    if one.key is not None:
        one.key = one.key_of(one.key)
    return one


def _key_of_all(shards: list[SourceTable], name: str, pattern: str) -> list[str] | None:
    known = {frozenset(table.key): table for table in shards if table.key is not None}
    if len(known) > 1:
        one, other, *_ = known.values()
        raise UserError(
            f"--shards {name}={pattern}: {_with_key(one)}, but {_with_key(other)}:"
            f" narrow the pattern, or give the key of all with --key {name}=COLUMN,…"
        )
    return next((table.key for table in known.values()), None)


def _with_key(table: SourceTable) -> str:
    return f"{table.name} has " + (f"the key {', '.join(table.key)}" if table.key else "no key")


def clashes(tables: Iterable[SourceTable]) -> dict[str, str]:
    """Return by relation why it can be none: more than one of the tables would be it."""
    by_relation: dict[str, list[SourceTable]] = {}
    for table in tables:
        by_relation.setdefault(table.relation, []).append(table)
    return {
        relation: (
            f"{min(names)} is seen in the feeds {' and '.join(sorted(t.feed for t in those))}:"
            " choose one with --table and --feed"
            if len(names) == 1
            else f"{' and '.join(sorted(names))} would both be current.{relation}: write one of"
            f" them with --table, rename its model (the files, and `name` in {relation}.yml), then"
            " write the other"
        )
        for relation, those in by_relation.items()
        if len(those) > 1 and (names := {_full_name(table) for table in those})
    }


def _full_name(table: SourceTable) -> str:
    # A table without a database is told of another one by that.
    return table.name if table.database or table.schema else f"{table.name} (without a database)"


def column_names(columns: Iterable[str]) -> dict[str, str]:
    """Return, by the source's name, a name that the current table can have.

    Names of the metadata get `_src` put before them; of two that differ only in case the later gets
    `__2` behind it, since Delta knows no case.
    """
    names: dict[str, str] = {}
    taken: set[str] = set()
    for source in columns:
        name = f"_src{source}" if source.lower() in METADATA else source
        number = 2
        while name.lower() in taken:
            name = f"{source}__{number}"
            number += 1
        taken.add(name.lower())
        names[source] = name
    return names


def write_table(table: SourceTable, directory: Path = MODELS) -> Written:
    """Write a table's model and its yml, unless a person has changed them since.

    Args:
        table: with its key known.
        directory: the folder of current models.
    """
    names = column_names(column.name for column in table.columns)
    declarations = {column.name: _declaration(table, column) for column in table.columns}
    remarks = [f"{old} is named {new}" for old, new in names.items() if old != new]
    inferred = [names[name] for name, found in declarations.items() if found.inferred]
    if inferred:
        remarks.append(f"types inferred from the values seen: {', '.join(inferred)}")
    remarks += _other_reading(table, names, declarations)
    if not table.key:
        remarks.append("has no key: rows are counted")
    model = _model_file(directory, table.relation)
    before = model.read_text(encoding="utf-8") if model.exists() else None
    text = model_text(table, names, declarations)
    files = _write_model(model, text, yml_text(table, names))
    if before is not None and files[model] == "written":
        remarks += _changes(table, model, before, text)
    return Written(table.relation, files, remarks)


def _other_reading(
    table: SourceTable, names: dict[str, str], declarations: dict[str, Declaration]
) -> list[str]:
    # What to declare where a table's types can also be those of another dialect.
    read, *others = _dialects(table)
    return [
        f"its types can be {WRITERS[read]}'s or {WRITERS[other]}'s, and are read as"
        f" {WRITERS[read]}'s; if {WRITERS[other]} writes them, declare {', '.join(different)}"
        for other in others
        if (
            different := [
                f"{names[column.name]} {declaration.text}"
                for column in table.columns
                if (declaration := _declaration(table, column, other)) != declarations[column.name]
            ]
        )
    ]


def _changes(table: SourceTable, path: Path, before: str, after: str) -> list[str]:
    # What a model that was written anew declares in another way than the one before.
    (old, _), (new, _) = _columns(path, before), _columns(path, after)
    changed = [name for name in old if name in new and old[name] != new[name]]
    if _KEY.findall(before) != _KEY.findall(after):
        changed.append("the key")
    remarks = []
    if changed:
        remarks.append(
            f"changed {', '.join(changed)}: if it is built already, run {_rebuild(table)}"
        )
    if added := [name for name in new if name not in old]:
        remarks.append(_added(table, added))
    return remarks


def _added(table: SourceTable, names: list[str]) -> str:
    return f"added {', '.join(names)}: null in older rows; to fill them in: {_rebuild(table)}"


def _rebuild(table: SourceTable) -> str:
    models = [table.relation]
    models += [file.stem for file in HISTORIES.rglob(f"{table.relation}__history.sql")]
    return f"dbt build --target local --full-refresh --select {' '.join(models)}"


def write_history(table: SourceTable, directory: Path = HISTORIES) -> dict[Path, str]:
    """Write the model of a table's history and its yml, unless a person has changed them since.

    Args:
        table: with its key known; its current model declares the columns.
        directory: the folder of history models.

    Returns:
        By file, `written`, `kept` or `unchanged`.
    """
    model = _model_file(directory, f"{table.relation}__history")
    return _write_model(model, history_text(table), history_yml_text(table))


def _model_file(directory: Path, name: str) -> Path:
    # found wherever it was moved to
    return next(iter(sorted(directory.rglob(f"{name}.sql"))), directory / f"{name}.sql")


def _write_model(model: Path, sql: str, yml: str) -> dict[Path, str]:
    beside = model.with_suffix(".yml")
    return {model: _write(model, "--", sql), beside: _write(beside, "#", yml)}


def add_columns(table: SourceTable, directory: Path = MODELS) -> Written:
    """Add the columns that a table has come to have to its model, whoever wrote that.

    Only lines are added, at the end of the declared columns: names, types and order of what stands
    there stay as they are. The table's rows hold null in them until they change, or until the model
    is built with --full-refresh.

    Args:
        table: with all columns seen.
        directory: the folder of current models.

    Returns:
        The model's file as `updated` or `unchanged`, or `written` where there was none; remarks
        name the columns, and those whose declaration no longer holds what the source has.

    Raises:
        UserError: the model declares its columns in a way that is not found.
    """
    path = _model_file(directory, table.relation)
    if not path.exists():
        return write_table(table, directory)
    text = path.read_text(encoding="utf-8")
    declared, end = _columns(path, text)
    sources = {
        name: _list(one.get("source", name)) if isinstance(one, dict) else [name]
        for name, one in declared.items()
    }
    known = {source for names in sources.values() for source in names}
    newest = {sources[name][0]: (name, one) for name, one in declared.items()}
    unfit = [
        f"{remark}, then run {_rebuild(table)}"
        for column in table.columns
        if column.name in newest and (remark := _unfit(table, column, *newest[column.name]))
    ]
    added = [column for column in table.columns if column.name not in known]
    names = column_names([*declared, *(column.name for column in added)])
    lines = [
        _column_line(names[column.name], column.name, _declaration(table, column))
        for column in added
    ]
    if not added:
        return Written(table.relation, {path: "unchanged"}, unfit)
    path.write_text(text[:end] + "".join(lines) + text[end:], encoding="utf-8")
    new = [names[column.name] for column in added]
    return Written(table.relation, {path: "updated"}, [_added(table, new), *unfit])


def _columns(path: Path, text: str) -> tuple[dict[str, Any], int]:
    """Return what a model declares by column, and where the last one's line ends.

    Raises:
        UserError: the model declares its columns in a way that is not found.
    """
    begin = re.search(r"^( *)'columns': (?={)", text, re.M)
    end = begin and re.compile(rf"^{begin.group(1)}}},?$", re.M).search(text, begin.end())
    if not begin or not end:
        raise UserError(
            f"{path}: no 'columns': {{…}} with a line for each column: add them by hand"
        )
    declared = text[begin.end() : end.end()].rstrip(",")
    try:
        return jinja2.Environment().compile_expression(declared)(), end.start()
    except jinja2.TemplateError:
        raise UserError(f"{path}: its 'columns' cannot be read: add them by hand") from None


def _unfit(table: SourceTable, column: SourceColumn, name: str, declared: Any) -> str:
    # What to say of a declared column whose type at the source, or whose values where that does not
    # tell, need another declaration by now; empty if there is nothing to say.
    given = declared if isinstance(declared, dict) else {"type": declared}
    possible = [_declaration(table, column, dialect) for dialect in _dialects(table)]
    if "mask" in given or any(
        holds(str(given.get("type")), needed, column.values) for needed in possible
    ):
        return ""
    needed = possible[0]
    what = "the values seen" if needed.inferred else column.type_text
    return f"{name} is declared {given['type']}, which does not hold {what}: write {needed.text}"


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _dialects(table: SourceTable) -> list[str]:
    return dialects_of(table.format, (one.type_text for one in table.columns if one.type_text))


def _declaration(table: SourceTable, column: SourceColumn, dialect: str = "") -> Declaration:
    if column.type_text == SHARD_TYPE:
        return Declaration("string")
    dialect = dialect or _dialects(table)[0]
    return declare(dialect, table.source_type, column.type_text, column.values)


def _column_line(name: str, source: str, declaration: Declaration) -> str:
    text = _literal(declaration.text)
    if name != source:
        text = f"{{'type': {text}, 'source': {_literal(source)}}}"
    return f"            {_literal(name)}: {text},\n"


def _literal(value: Any) -> str:
    # A Jinja literal: Python's, with the quotes that repr() chooses.
    return "none" if value is None else repr(value)


def model_text(
    table: SourceTable, names: dict[str, str], declarations: dict[str, Declaration]
) -> str:
    """Return the text of a table's model, without its first line."""
    lines = ["{{ config(", "    meta={", f"        'feeds': [{_literal(table.feed)}],"]
    if table.database:
        lines.append(f"        'database': {_literal(table.database)},")
    if table.schema:
        lines.append(f"        'schema': {_literal(table.schema)},")
    if table.shards:
        lines.append(f"        'shards': {_literal(table.shards)},")
        lines.append(f"        'shard': {_literal(table.shard)},")
    else:
        lines.append(f"        'table': {_literal(table.table)},")
    lines.append(f"        'key': [{', '.join(_literal(column) for column in table.key or [])}],")
    lines.append("        'columns': {")
    for column in table.columns:
        line = _column_line(names[column.name], column.name, declarations[column.name])
        lines.append(line.rstrip("\n"))
    lines += ["        },", "    },", ") }}", ""]
    lines.append(f"{{{{ table_events(ref('{table.format}_events'), ref('feeds')) }}}}")
    return "\n".join(lines) + "\n"


def history_text(table: SourceTable) -> str:
    """Return the text of the model of a table's history, without its first line."""
    name = _literal(table.relation)
    return (
        f"{{{{ config(alias={name}, meta={{'current': {name}}}) }}}}\n\n"
        f"{{{{ table_events(ref('{table.format}_events'), ref('feeds')) }}}}\n"
    )


def yml_text(table: SourceTable, names: dict[str, str]) -> str:
    """Return the text of the yml beside a table's model, without its first line."""
    description = f"{_plain(table.name)} as it is now, from feed {table.feed}."
    key = [_plain(names[column]) for column in table.key or []]
    test = {"is_key": {"arguments": {"columns": key}}}
    return _yml(table.relation, description, [test] if key else [])


def history_yml_text(table: SourceTable) -> str:
    """Return the text of the yml beside the model of a table's history, without its first line."""
    description = f"Every version of the rows of {_plain(table.name)}, from feed {table.feed}."
    names = column_names(column.name for column in table.columns)
    key = [_plain(names[column]) for column in table.key or []]
    test = {"is_key": {"arguments": {"columns": key}, "config": {"where": "_is_current"}}}
    return _yml(f"{table.relation}__history", description, [test] if key else [])


def _yml(name: str, description: str, tests: list[dict[str, Any]]) -> str:
    model: dict[str, Any] = {"name": name, "description": description}
    if tests:
        model["data_tests"] = tests
    return yaml.safe_dump(
        {"version": 2, "models": [model]}, sort_keys=False, allow_unicode=True, width=100
    )


def _plain(name: str) -> str:
    # dbt renders what stands in a yml file.
    return f"{{% raw %}}{name}{{% endraw %}}" if re.search(r"\{[{%#]", name) else name


def _write(path: Path, comment: str, text: str) -> str:
    checksum = hashlib.sha256(text.encode()).hexdigest()[:16]
    whole = f"{comment} written by scripts/onboard.py, checksum {checksum}\n{text}"
    if path.exists():
        present = path.read_text(encoding="utf-8")
        if present == whole:
            return "unchanged"
        header = _CHECKSUM.search(present.splitlines()[0] if present else "")
        body = present.split("\n", 1)[-1]
        if not header or hashlib.sha256(body.encode()).hexdigest()[:16] != header.group(2):
            return "kept"
        if _IDENTITY.findall(body) != _IDENTITY.findall(text):
            raise UserError(
                f"{path} is the model of another table or feed: rename it (the files, and `name` in"
                " its yml) to keep it, or delete it to have it written anew"
            )
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(whole, encoding="utf-8")
    return "written"


_VALUES = r"""
select
    feed, database_name, schema_name, table_name, column_name,
    count(value) as count,
    bool_and(value rlike '^-?(0|[1-9][0-9]*)$') as integers,
    bool_and(value rlike '^-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][+-]?[0-9]{1,2})?$') as numbers,
    bool_and(value in ('true', 'false')) as booleans,
    bool_and(value rlike '^[0-9]{4}-[0-9]{2}-[0-9]{2}Z?$') as dates,
    bool_and(value rlike '^[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,6})?$') as datetimes,
    bool_and(value rlike '^[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,6})? ?(Z|[+-][0-9]{2}:?[0-9]{2}|[A-Z][A-Za-z_]+(/[A-Z][A-Za-z_]+)?)$') as instants,
    bool_and(value rlike '^1[0-9]{9}[.][0-9]{3,9}$') as epochs,
    coalesce(max(length(regexp_extract(value, '^-?([0-9]+)', 1)) + greatest(exponent, 0)), 0) as whole_digits,
    coalesce(max(greatest(length(regexp_extract(value, '[.]([0-9]+)', 1)) - exponent, 0)), 0)
        as fraction_digits,
    array() as kinds
from (
    select
        *,
        coalesce(try_cast(regexp_extract(value, '[eE]([+-]?[0-9]+)$', 1) as int), 0) as exponent
    from (
        select feed, database_name, schema_name, table_name, explode(coalesce(`after`, `before`)) as (column_name, value)
        from silver.change_events
        where event_type = 'row' and ({tables})
    )
)
where value is not null
group by all
"""  # noqa: E501

# What a collection's documents hold: the values in them have the types that fields' texts have not.
_DOCUMENTS = r"""
select
    feed, database_name, schema_name, table_name, column_name,
    count(*) as count,
    false as integers, false as numbers, false as booleans, false as dates, false as datetimes,
    false as instants, false as epochs,
    coalesce(max(length(regexp_extract(number, '^-?([0-9]+)', 1)) + greatest(exponent, 0)), 0) as whole_digits,
    coalesce(max(greatest(length(regexp_extract(number, '[.]([0-9]+)', 1)) - exponent, 0)), 0)
        as fraction_digits,
    array_sort(collect_set(kind)) as kinds
from (
    select
        *,
        case
            when column_name = '_document' then 'document'
            when type = 'STRING' and column_name = '_id' then 'string id'
            when type like 'OBJECT<`$%' or type like 'OBJECT<$%' then coalesce(
                map(
                    'oid', 'objectId', 'numberLong', 'long', 'numberInt', 'int', 'numberDouble', 'double',
                    'numberDecimal', 'decimal', 'date', 'date', 'binary', 'binData', 'uuid', 'uuid', 'symbol', 'symbol',
                    'timestamp', 'timestamp', 'regularExpression', 'regex'
                )[regexp_extract(type, '[$]([A-Za-z]+)', 1)],
                'object'
            )
            else case split_part(split_part(type, '(', 1), '<', 1)
                when 'STRING' then 'string'
                when 'BOOLEAN' then 'bool'
                when 'BIGINT' then 'int'
                when 'ARRAY' then 'array'
                when 'OBJECT' then 'object'
                else 'double'
            end
        end as kind,
        regexp_extract(text, '"[$]numberDecimal":"([^"]*)"', 1) as number,
        coalesce(try_cast(regexp_extract(text, '[eE]([+-]?[0-9]+)"', 1) as int), 0) as exponent
    from (
        select *, schema_of_variant(value) as type, `after`[column_name] as text
        from (
            select
                feed, database_name, schema_name, table_name, `after`,
                explode(map_concat(
                    if(
                        is_partial,
                        from_json(`after`['_document'], 'map<string, map<string, variant>>')['$set'],
                        from_json(`after`['_document'], 'map<string, variant>')
                    ),
                    map('_document', parse_json('""'))
                )) as (column_name, value)
            from silver.change_events
            where event_type = 'row' and operation != 'delete' and ({tables})
        )
    )
    where type != 'VOID'
)
group by all
"""  # noqa: E501

_COLUMNS = """
select
    * except (is_key, last_complete_batch),
    -- a column that the table no longer has is none of its key
    if(
        is_key and last_complete_batch < max(last_complete_batch) over (
            partition by feed, database_name, schema_name, table_name
        ), false, is_key
    ) as is_key
from (
    select
        feed, format, max(source_type) as source_type, database_name, schema_name, table_name, column_name,
        max_by(column_type, last_seen_at) filter (where column_type is not null) as column_type,
        max_by(position, last_seen_at) as position,
        max_by(is_key, key_seen_at) as is_key,
        max(last_complete_batch) as last_complete_batch
    from silver.source_columns
    group by all
)
order by feed, database_name, schema_name, table_name, column_name = '_document', position, column_name
"""  # noqa: E501


def seen_tables(spark: Any) -> list[SourceTable]:
    """Read from silver which tables the events show, with their columns in the source's order."""
    tables: dict[tuple[Any, ...], SourceTable] = {}
    for row in spark.sql(_COLUMNS).collect():
        place = (row.feed, row.database_name, row.schema_name, row.table_name)
        table = tables.setdefault(
            place,
            SourceTable(
                row.feed, row.format, row.source_type or "", *place[1:], columns=[],
                key=None if row.is_key is None else [],
            ),
        )  # fmt: skip
        table.columns.append(SourceColumn(row.column_name, row.column_type, bool(row.is_key)))
        if row.is_key:
            table.key = [*(table.key or []), row.column_name]
    return list(tables.values())


def check_rejects(spark: Any, feed: str | None) -> None:
    """Say so where nothing has been seen since every message is a reject.

    Args:
        spark: the session.
        feed: the feed that has shown no table; None: all.

    Raises:
        UserError: there are rejected messages.
    """
    found = spark.table("silver.rejected_messages")
    rejects = (found.where(found.feed == feed) if feed else found).count()
    if rejects:
        of = f" of feed {feed!r}" if feed else ""
        raise UserError(
            f"no table has been seen in the events{of}, and {rejects} message(s) were rejected:"
            " silver.rejected_messages has the reasons"
        )


def look_at_values(spark: Any, tables: list[SourceTable]) -> None:
    """Fill in what values look like, in one pass, where a type does not say all."""
    by_place = {
        (table.feed, table.database, table.schema, table.table): table
        for table in tables
        if any(needs_values(table, column) for column in table.columns)
    }
    if not by_place:
        return
    for query, places in (
        (_VALUES, [place for place, table in by_place.items() if not has_documents(table)]),
        (_DOCUMENTS, [place for place, table in by_place.items() if has_documents(table)]),
    ):
        if not places:
            continue
        conditions = " or ".join(
            "(" + " and ".join(
                f"{name} <=> {_sql(value)}"
                for name, value in zip(
                    ("feed", "database_name", "schema_name", "table_name"), place, strict=True
                )
            ) + ")"
            for place in places
        )  # fmt: skip
        for row in spark.sql(query.replace("{tables}", conditions)).collect():
            place = (row.feed, row.database_name, row.schema_name, row.table_name)
            for column in by_place[place].columns:
                if column.name == row.column_name:
                    found = {key: row[key] for key in Values.__dataclass_fields__}
                    column.values = Values(**found | {"kinds": tuple(row.kinds)})


def has_documents(table: SourceTable) -> bool:
    """Say whether a table is a collection, whose updates are patches of a document."""
    return table.source_type == "mongodb" and any(
        column.name == "_document" for column in table.columns
    )


def needs_values(table: SourceTable, column: SourceColumn) -> bool:
    """Say whether a column's type at the source does not tell how to declare it."""
    without = _declaration(table, replace(column, values=Values()))
    # a date whose values are whole numbers is a YEAR
    return without.inferred or without.text == "date"


def _sql(value: str | None) -> str:
    if value is None:
        return "null"
    return json.dumps(value, ensure_ascii=False)
