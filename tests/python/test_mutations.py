"""The list of deliberate faults, see `make test-mutations`, fits the project as it is."""

from collections import Counter
from pathlib import Path

import pytest

from changelake.feeds import FORMATS
from mutations.check import TIERS, Fault, read_faults, without_faults

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
        # a case stands in the file itself, or is one of state_cases.py
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
            fault(f"pytest {order}::a", "test"),
            fault(f"pytest {state}::b", "test"),
            fault(f"pytest {state}::c", "test"),
            fault(f"pytest {state}::d", "test-all"),
            fault(f"pytest {order}::a", "test"),
            fault("dbt test --select e", "test"),
            fault("dbt test --select e", "test"),
        ]
    ) == [
        ["pytest", *marked, f"{order}::a"],
        ["pytest", *marked, f"{state}::b", f"{state}::c"],
        ["pytest", f"{state}::d"],
        ["dbt", "test", "--select", "e"],
    ]
