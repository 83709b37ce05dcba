"""The deliberate faults of `make test-mutations` match the project as it is now."""

from collections import Counter
from pathlib import Path

import pytest

from changelake.core.feeds import FORMATS
from mutations.check import TIERS, Fault, has_passed, read_faults, without_faults

REPO = Path(__file__).resolve().parents[2]
AREAS = {"parsers", "values", "state", "landing", "onboarding"}
LIST = read_faults()


def test_the_list_is_long_and_spread() -> None:
    assert len(LIST) >= 30
    assert [name for name, times in Counter(one.name for one in LIST).items() if times > 1] == []
    assert {one.area for one in LIST} == AREAS
    assert {one.tier for one in LIST} <= set(TIERS)


@pytest.mark.parametrize("fault", LIST, ids=[one.name for one in LIST])
def test_what_a_fault_names_is_there(fault: Fault) -> None:
    assert (REPO / fault.file).read_text().count(fault.old) == 1
    assert fault.new != fault.old
    program, *_, last = fault.command
    if program == "pytest":
        file, _, name = last.partition("::")
        name, _, case = name.partition("[")
        text = (REPO / file).read_text()
        assert f"def {name}(" in text
        # A case is named in the test file itself or in state_cases.py.
        cases = text + (REPO / "tests" / "python" / "state_cases.py").read_text()
        assert f'"{case.rstrip("]")}"' in cases or not case
    elif program == "python":
        script, format_id, once, *cases = fault.command[1:]
        assert (script, once) == ("scripts/check_format.py", "--once")
        assert format_id in FORMATS
        silver = REPO / "models" / "silver" / format_id / f"_{format_id}__unit_tests.yml"
        assert f"_{last}" in silver.read_text() or not cases
    else:
        assert fault.command == ["dbt", "test", "--select", last]
        assert (REPO / "tests" / "singular" / f"{last}.sql").is_file()


def test_each_test_runs_without_a_fault_too() -> None:
    commands = without_faults(LIST)
    words = {word for command in commands for word in command}
    assert {word for one in LIST for word in one.command} == words
    assert all(len(command) == len(set(command)) for command in commands)


def test_tests_that_cannot_run_together_do_not() -> None:
    def fault(test: str, tier: str) -> Fault:
        return Fault("", "", "", "", "", test, f"make {tier}")

    state, order = "tests/python/test_state.py", "tests/python/test_order.py"
    marked = ["-m", "not damage and not thorough"]
    assert without_faults(
        [
            fault(f"pytest {order}::b", "test"),
            fault(f"pytest {state}::b", "test"),
            fault(f"pytest {state}::c", "test"),
            fault(f"pytest {state}::d", "test-all"),
            fault(f"pytest {order}::a", "test"),
            fault("dbt test --select e", "test"),
            fault("dbt test --select e", "test"),
        ]
    ) == [
        ["dbt", "test", "--select", "e"],
        ["pytest", *marked, f"{order}::a", f"{order}::b"],
        ["pytest", *marked, f"{state}::b", f"{state}::c"],
        ["pytest", f"{state}::d"],
    ]


@pytest.mark.parametrize(
    ("program", "code", "output", "passed"),
    [
        ("pytest", 0, "..\n2 passed, 1 warning in 3.10s\n", True),
        ("pytest", 0, "1 passed, 1 skipped in 3.10s", None),
        ("pytest", 0, "1 passed, 1 deselected in 3.10s", None),
        ("pytest", 5, "1 deselected in 3.10s", None),
        ("pytest", 1, "1 failed, 2 passed, 3 warnings in 3.10s", False),
        ("pytest", 1, "1 failed, 1 error in 3.10s", None),
        ("pytest", 1, "2 errors in 3.10s", None),
        ("pytest", 2, "1 error in 3.10s", None),
        ("pytest", None, "", None),
        ("python", 0, "canal_events: 12 of 12 cases pass, 1.0 s", True),
        ("python", 1, "│ a │ 0 │ after │ 1 │ 2 │\ncanal_events: 1 of 12 cases pass, 1.0 s", False),
        ("python", 1, "│ a │ query │ error │  │ … │\ncanal_events: 1 of 12 cases pass", None),
        ("python", 1, "error: canal_events: a column is not there", None),
        ("dbt", 0, "1 of 1 PASS every_value_is_exact  [PASS in 3.10s]", True),
        ("dbt", 0, "Nothing to do.\nDone. PASS=1 WARN=0 ERROR=0 SKIP=0", None),
        ("dbt", 1, "1 of 1 FAIL 2 every_value_is_exact  [FAIL 2 in 3.10s]", False),
        ("dbt", 1, "1 of 1 ERROR every_value_is_exact  [ERROR in 3.10s]", None),
        ("dbt", 2, "Compilation Error", None),
    ],
)
def test_a_test_that_is_broken_catches_nothing(
    program: str, code: int | None, output: str, passed: bool | None
) -> None:
    assert has_passed(program, code, output) is passed
