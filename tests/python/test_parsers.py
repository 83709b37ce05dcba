"""The models' unit tests, with all tests of a model in one query: changelake/dev/unit_cases.py."""

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from rich.console import Console
from typer.testing import CliRunner

import check_format
from changelake.core import settings
from changelake.core.feeds import FORMATS
from changelake.dev.project import project_copy
from changelake.dev.unit_cases import UnitCases, table_of

# If another model has unit tests, test_no_unit_test_is_left_out() fails.
MODELS = [f"{format_id}_events" for format_id in FORMATS] + ["schema_changes"]


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A copy of the project as it is in the repository; tests may write to it."""
    with project_copy(tmp_path_factory.mktemp("parsers")) as copy:
        yield copy


@pytest.fixture(scope="module")
def cases(copy: Path) -> UnitCases:
    """The unit tests of the project."""
    return UnitCases()


@pytest.mark.parametrize("model", MODELS)
def test_every_case_holds_in_one_query(spark: Any, cases: UnitCases, model: str) -> None:
    checked = cases.check(spark, model)
    assert sorted(checked.cases) == sorted(cases.models()[model])
    assert checked.queries == 1
    if checked.differences:
        shown = io.StringIO()
        console = Console(file=shown, width=160, highlight=False)
        console.print(table_of(checked.differences))
        pytest.fail(f"{model} differs\n{shown.getvalue()}", pytrace=False)


def test_no_unit_test_is_left_out(cases: UnitCases) -> None:
    written = [
        test["name"]
        for file in (settings.REPO / "models").rglob("*.yml")
        for test in (yaml.safe_load(file.read_text()) or {}).get("unit_tests", [])
    ]
    models = cases.models()
    assert sorted(models) == sorted(MODELS)
    assert sorted(name for names in models.values() for name in names) == sorted(written)


def test_each_case_that_differs_is_shown_with_its_values(spark: Any, copy: Path) -> None:
    file = copy / "models" / "silver" / "canal" / "_canal__unit_tests.yml"
    before = file.read_text()
    tests = yaml.safe_load(before)
    by_name = {test["name"]: test for test in tests["unit_tests"]}
    expect = by_name["canal__insert"]["expect"]
    expect["rows"] = expect["rows"].replace("map('id', '1', 'a', 'x')", "map('id', '1', 'a', '')")
    expect = by_name["canal__delete"]["expect"]
    expect["rows"] += f"union all {expect['rows']}"
    by_name["canal__snapshot"]["expect"] = {"rows": [{"operation": "snapshot"}]}
    by_name["canal__ddl"]["expect"]["rows"] = "select 'schema' as no_column"
    by_name["canal__truncate"]["given"][0]["rows"] = "select no_column"
    by_name["canal__binary"]["expect"]["rows"] = "select '0' as kafka_offset"
    given = by_name["canal__key_change"]["given"][0]
    given["rows"] = (
        "select * except (value), cast(raise_error('broken') as binary) as value"
        " from ({% raw %}{{ bronze_messages() }}{% endraw %} values (0, ''))"
    )
    # Rows that are written without SQL are compared, too.
    rows = [{"kafka_offset": 0, "operation": "insert"}, {"kafka_offset": 1, "operation": "insert"}]
    by_name["canal__duplicate_delivery"]["expect"] = {"rows": rows}
    unchanged = yaml.safe_load(before)["unit_tests"]
    changed = [name for name, test in by_name.items() if test not in unchanged]
    try:
        file.write_text(yaml.safe_dump(tests, allow_unicode=True))
        cases = UnitCases()
        checked = cases.check(spark, "canal_events", changed)
        # When it is checked alone, nothing of its query remains.
        refused = cases.check(spark, "canal_events", ["canal__truncate"])
    finally:
        file.write_text(before)
    assert refused.differences == [d for d in checked.differences if d.case == "canal__truncate"]
    assert len(refused.differences) == 1
    found = {(one.case, one.row, one.column): one for one in checked.differences}
    insert = found.pop(("canal__insert", "0", "after"))
    assert (insert.expected, insert.got) == ('{"a": "", "id": "1"}', '{"a": "x", "id": "1"}')
    assert found.pop(("canal__delete", "0", "missing")).got == ""
    assert found.pop(("canal__snapshot", "1", "not expected")).got == '{"operation": "snapshot"}'
    assert "no_column" in found.pop(("canal__ddl", "expect", "error")).got
    assert "no_column" in found.pop(("canal__truncate", "source('bronze', 'canal')", "error")).got
    types = found.pop(("canal__binary", "types", "kafka_offset"))
    assert (types.expected, types.got) == ("string", "bigint")
    assert "broken" in found.pop(("canal__key_change", "query", "error")).got
    assert not found


def test_the_command_says_what_differs(
    spark: Any, copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(check_format, "_session", lambda: spark)
    monkeypatch.setattr(check_format, "SILVER", copy / "models" / "silver")

    def said(*arguments: str) -> tuple[int, str]:
        result = CliRunner().invoke(check_format.app, [*arguments, "--once"])
        return result.exit_code, result.output

    code, text = said("schema_changes")
    assert (code, "schema_changes: 1 of 1 cases pass" in text) == (0, True)
    code, text = said("canal", "--case", "no_case")
    assert (code, "canal_events has no case like no_case" in text) == (1, True)
    code, text = said("no_format")
    assert (code, "there is no format 'no_format'" in text) == (1, True)
    file = copy / "models" / "silver" / "schema_changes.yml"
    before = file.read_text()
    saves = check_format.saves("schema_changes")
    next(saves)
    try:
        file.write_text(before.replace("'a', 1, 0, 'drop'", "'a', 1, 0, 'other'"))
        next(saves)
        code, text = said("schema_changes")
    finally:
        file.write_text(before)
    assert (code, '"other"' in text, '"drop"' in text) == (1, True, True)
    assert "schema_changes: 0 of 1 cases pass" in text
