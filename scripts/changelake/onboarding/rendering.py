"""The texts of the files that onboarding writes, without the first line of each."""

import re
from typing import Any

import yaml

from changelake.core import settings
from changelake.core.macros import macro_names
from changelake.onboarding.declarations import Declaration
from changelake.onboarding.generated_files import literal, literals
from changelake.onboarding.tables import SourceTable

_MESSAGE = macro_names("state/storage", "shown_metadata")
_VERSION = ("_operation", "_valid_from", "_valid_to", "_is_current")


def _docs_blocks() -> dict[str, str]:
    text = (settings.REPO / "docs" / "metadata.md").read_text(encoding="utf-8")
    blocks = re.findall(r"{% docs (\w+) %}\n(.*?)\n{% enddocs %}", text, re.DOTALL)
    return {name: block.replace("\n", " ") for name, block in blocks}


# Their texts instead of doc(), which dbt compiles for each column: with 200 tables, parsing would
# take a quarter longer.
_DESCRIPTIONS = _docs_blocks()


def model_text(
    table: SourceTable,
    names: dict[str, str],
    declarations: dict[str, Declaration],
    sources: dict[str, list[str]],
) -> str:
    """Return the text of a table's model.

    Args:
        table: the table.
        names: by a column's name at the source, its name.
        declarations: by a column's name at the source.
        sources: by a column's name at the source, all names that it has had, the newest first.
    """
    lines = ["{{ config(", "    meta={", f"        'feeds': {literals([table.feed])},"]
    if table.database:
        lines.append(f"        'database': {literal(table.database)},")
    if table.schema:
        lines.append(f"        'schema': {literal(table.schema)},")
    if table.shards:
        lines.append(f"        'shards': {literal(table.shards)},")
        lines.append(f"        'shard': {literal(table.shard)},")
    else:
        lines.append(f"        'table': {literal(table.table)},")
    lines.append(f"        'key': {literals(table.key or [])},")
    lines.append("        'columns': {")
    for column in table.columns:
        name = names[column.name]
        line = column_line(name, sources[column.name], declarations[column.name].text)
        lines.append(line.rstrip("\n"))
    lines += ["        },", "    },", ") }}", ""]
    lines.append(f"{{{{ table_events(ref('{table.format}_events'), ref('feeds')) }}}}")
    return "\n".join(lines) + "\n"


def history_text(table: SourceTable) -> str:
    """Return the text of the model of a table's history."""
    name = literal(table.relation)
    return (
        f"{{{{ config(alias={name}, meta={{'current': {name}}}) }}}}\n\n"
        f"{{{{ table_events(ref('{table.format}_events'), ref('feeds')) }}}}\n"
    )


def yml_text(table: SourceTable, names: dict[str, str]) -> str:
    """Return the text of the yml beside a table's model.

    dbt renders everything in a yml, so it contains nothing from messages: the names of the table
    and its key at the source are in the model's meta, where is_key finds them. Comments of a schema
    file are written as literals.

    Args:
        table: the table.
        names: by a column's name at the source, its name in the model.
    """
    tests = ["is_key"] if table.key else []
    return _yml(table, names, "", "A source table's rows as they are now.", (), tests)


def history_yml_text(table: SourceTable, names: dict[str, str]) -> str:
    """Return the text of the yml beside the model of a table's history, see yml_text()."""
    tests = [{"is_key": {"config": {"where": "_is_current"}}}] if table.key else []
    description = "Every version of a source table's rows."
    return _yml(table, names, "__history", description, _VERSION, tests)


def column_line(name: str, sources: list[str], type_text: str) -> str:
    """Return the line of a column in a model's meta.

    Args:
        name: the column's.
        sources: its names at the source, the newest first.
        type_text: `<spark type>[ from <encoding>]`.
    """
    text = literal(type_text)
    if sources != [name]:
        source = literals(sources) if len(sources) > 1 else literal(sources[0])
        text = f"{{'type': {text}, 'source': {source}}}"
    return f"            {literal(name)}: {text},\n"


def _yml(
    table: SourceTable, names: dict[str, str], suffix: str, description: str,
    version: tuple[str, ...], tests: list[Any],
) -> str:  # fmt: skip
    model: dict[str, Any] = {"name": f"{table.relation}{suffix}", "description": description}
    if table.known and table.known.comment:
        model["description"] = f"{_rendered(table.known.comment)} {description}"
    if tests:
        model["data_tests"] = tests
    columns = [
        {"name": _rendered(names[column.name]), "description": _rendered(column.known.comment)}
        for column in table.columns
        if column.known and column.known.comment and column.name in names
    ]
    added = ("_undecodable", *version, *_MESSAGE, *(() if table.key else ("_row_count",)))
    columns += [{"name": name, "description": _DESCRIPTIONS[name]} for name in added]
    model["columns"] = columns
    return yaml.safe_dump({"version": 2, "models": [model]}, sort_keys=False, width=100)


def _rendered(text: str) -> str:
    # as an expression that dbt renders to this text
    return f"{{{{ {literal(text)} }}}}" if "{" in text else text
