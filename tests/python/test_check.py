"""The areas of `make test-<area>`: every test file is in one of them, or says why not."""

import re
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from rich.console import Console

import check

PROJECT = Path(__file__).resolve().parents[2]
# not run by scripts/check.py
WITHOUT_CHECKS = ("test-pythons", "test-schedule", "test-cluster")


def test_every_file_of_tests_is_in_one_area_or_has_a_reason() -> None:
    files = {file.stem.removeprefix("test_") for file in Path(__file__).parent.glob("test_*.py")}
    named = Counter(one for area in check.AREAS.values() for lane in area for one in lane)
    named.update(list(check.NO_AREA))
    assert (files - named.keys(), named.keys() - files) == (set(), set())
    assert [name for name, times in named.items() if times > 1] == []


def test_every_file_of_tests_is_in_one_lane() -> None:
    lanes = [*check.ALL_LANES, *(lane for _, lane in check.LATER_LANES)]
    parts = [str(one) for lane in lanes for _, command in lane for one in command]
    named = Counter(one for one in parts if one.startswith("tests/"))
    left_to_the_others = {one.removeprefix("--ignore=") for one in parts if "--ignore=" in one}
    # Pytest would not collect these by itself.
    named -= Counter([check.SOURCES, check.KILLS[1]])
    assert named.keys() == left_to_the_others
    assert [name for name, times in named.items() if times > 1] == []


def test_what_may_not_end_in_time_is_left_out_and_said(
    capsys: pytest.CaptureFixture[str],
) -> None:
    checks = check.Checks(Console())
    checks.run([("too late", ["false"])], until=-1.0)
    checks.run([("in time", ["true"])])
    assert checks.failed == []
    said = capsys.readouterr().out
    assert re.search("^too late: left out, 0 minutes have passed$", said, re.MULTILINE)
    assert re.search("^in time: begun\\n", said, re.MULTILINE)
    checks.run([("broken", ["false"]), ("behind it", ["true"])])
    assert checks.failed == ["broken"]
    assert "behind it" not in capsys.readouterr().out


def test_make_and_the_docs_know_every_area() -> None:
    makefile, readme, contributing = (
        (PROJECT / name).read_text() for name in ("Makefile", "README.md", "CONTRIBUTING.md")
    )
    areas = re.search(r"^AREAS := (.*)$", makefile, re.MULTILINE)
    assert areas and areas[1].split() == list(check.AREAS)
    for area in check.AREAS:
        assert re.search(rf"`(make )?test-{area}`", readme)
        assert re.search(rf"`(make test)?-{area}`", contributing)


@pytest.mark.parametrize(
    "goal",
    [*(f"test-{area}" for area in check.AREAS), "test-sources", *WITHOUT_CHECKS],
)
def test_make_runs_what_it_says(goal: str) -> None:
    said = subprocess.run(
        ["make", "--dry-run", "--always-make", goal], cwd=PROJECT, capture_output=True, text=True
    ).stdout
    if goal == "test-sources":
        assert "CHANGELAKE_CODEGEN=true .venv/bin/pytest tests/sources -rs\n" in said
    elif goal in WITHOUT_CHECKS:
        assert f".venv/bin/pytest tests/{goal.removeprefix('test-')} -rs\n" in said
    else:
        assert f"scripts/check.py --area {goal.removeprefix('test-')}\n" in said


def test_the_files_of_an_area_are_there_and_one_process_has_those_that_need_one() -> None:
    for area in check.AREAS:
        for ((_, command),) in check.area_lanes(area):
            files = [str(one) for one in command if str(one).startswith("tests/")]
            assert all((PROJECT / one).is_file() for one in files)
            # It needs a copy of the project for itself.
            assert files == [check.STATE] or check.STATE not in files
    assert (PROJECT / "tests" / "singular" / f"{check.EXACT_VALUES_TEST}.sql").is_file()
