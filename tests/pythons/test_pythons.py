"""`make demo` with every Python that README promises and this machine has, other than its own."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from changelake.dev.demo_report import FOLLOWED, tables_to_show

PROJECT = Path(__file__).resolve().parents[2]
PROMISED = ("3.10", "3.11", "3.12")
OTHERS = [one for one in PROMISED if one != f"{sys.version_info[0]}.{sys.version_info[1]}"]


def candidates(version: str) -> Iterator[str | Path]:
    """Yield possible Pythons, also pyenv's: its shim on the PATH may not lead to a version."""
    if on_path := shutil.which(f"python{version}"):
        yield on_path
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    yield from pyenv.glob(f"versions/{version}.*/bin/python")


def test_make_and_readme_promise_these() -> None:
    readme, makefile = ((PROJECT / name).read_text() for name in ("README.md", "Makefile"))
    assert "Python {}, {} or {}".format(*PROMISED) in readme
    first, last = (one.replace(".", ", ") for one in (PROMISED[0], PROMISED[-1]))
    assert f"({first}) <= sys.version_info[:2] <= ({last})" in makefile


@pytest.mark.parametrize("version", OTHERS)
def test_the_demo_shows_a_table_of_each_dialect(version: str, tmp_path: Path) -> None:
    asked = {one: subprocess.run([one, "-V"], capture_output=True) for one in candidates(version)}
    python = next((one for one, said in asked.items() if said.returncode == 0), None)
    if not python:
        pytest.skip(f"Python {version} is not here")
    copy = tmp_path / "project"
    subprocess.run(["git", "clone", "--quiet", PROJECT, copy], check=True)
    (copy / ".jars").symlink_to(PROJECT / ".jars")
    made = subprocess.run(
        ["make", "demo", f"PYTHON={python}"],
        cwd=copy,
        env={**os.environ, "CHANGELAKE_HOME": str(tmp_path / "lake")},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert made.returncode == 0, made.stdout[-3000:]
    assert (copy / ".venv" / "lib" / f"python{version}").is_dir()
    for format_id, table in tables_to_show().items():
        assert f"\ncurrent.{table} ({format_id})\n" in made.stdout
    for format_id, _, table in FOLLOWED:
        assert f"\n{format_id}: message " in made.stdout and f"current.{table}\n" in made.stdout
