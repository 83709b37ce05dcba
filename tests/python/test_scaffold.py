"""The generator of a new format's files, in a copy of the project."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from changelake.core import settings
from changelake.core.errors import UserError
from changelake.dev import scaffold
from changelake.dev.scaffold import CASES, new_format

FORMAT = "shop_json"


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project as it stands in the repository, without the scripts; one more format is known."""
    monkeypatch.setattr(scaffold, "FORMATS", (*scaffold.FORMATS, FORMAT))
    for name in ("macros", "models", "seeds", "docs", "profiles", "snapshots", "tests"):
        if (settings.REPO / name).is_dir():
            ignored = shutil.ignore_patterns("python", "__pycache__")
            shutil.copytree(settings.REPO / name, tmp_path / name, ignore=ignored)
    for name in ("dbt_project.yml", "profiles.yml"):
        shutil.copy(settings.REPO / name, tmp_path / name)
    return tmp_path


def _texts(root: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


def test_a_new_format_is_one_that_dbt_can_parse(copy: Path) -> None:
    made = new_format(FORMAT, copy)
    assert f"macros/formats/{FORMAT}/parse_{FORMAT}.sql" in made.written
    dbt = Path(sys.executable).parent / "dbt"
    done = subprocess.run(
        [dbt, "--quiet", "parse", "--no-partial-parse", "--target-path", copy / "target"],
        cwd=copy,
        env={"PATH": "/usr/bin:/bin", "HOME": str(copy), "CHANGELAKE_HOME": str(copy / "lake")},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_all_lists_have_the_new_format_once(copy: Path) -> None:
    made = new_format(FORMAT, copy)
    assert len(made.extended) == 4
    for path in made.extended:
        assert (copy / path).read_text().count(FORMAT) == 1
    sources = yaml.safe_load((copy / "models/bronze/_bronze__sources.yml").read_text())
    assert {"name": FORMAT} in sources["sources"][0]["tables"]
    seeds = yaml.safe_load((copy / "seeds/samples/_samples.yml").read_text())
    assert seeds["seeds"][-1]["name"] == f"{FORMAT}_messages"
    models = yaml.safe_load((copy / "models/silver/_events__models.yml").read_text())["models"]
    assert models[-1]["name"] == f"{FORMAT}_events"
    assert models[-1]["columns"] == models[0]["columns"]


def test_every_case_has_its_unit_test(copy: Path) -> None:
    new_format(FORMAT, copy)
    path = copy / f"models/silver/{FORMAT}/_{FORMAT}__unit_tests.yml"
    tests = yaml.safe_load(path.read_text())["unit_tests"]
    assert [test["name"] for test in tests] == [f"{FORMAT}__{case}" for case in CASES]


def test_nothing_is_overwritten(copy: Path) -> None:
    file = copy / "docs" / "formats" / f"{FORMAT}.md"
    file.write_text("mine")
    before = _texts(copy)
    with pytest.raises(UserError, match="is there already"):
        new_format(FORMAT, copy)
    assert _texts(copy) == before


def test_the_formats_that_are_there_are_refused(copy: Path) -> None:
    before = _texts(copy)
    with pytest.raises(UserError, match="is there already"):
        new_format("canal", copy)
    assert _texts(copy) == before


def test_an_unknown_name_is_refused(copy: Path) -> None:
    with pytest.raises(UserError, match="none of the formats"):
        new_format("no_json", copy)
