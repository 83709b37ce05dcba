"""The archive of Spark's classes that `make setup` creates."""

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from changelake.core import settings, tuning
from changelake.core.errors import UserError
from changelake.spark import class_archive
from changelake.spark.java import find_java, version_text


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lists what a process has mapped")
def test_a_session_maps_the_archive(spark: Any) -> None:
    assert class_archive.present()
    maps = Path(f"/proc/{spark.sparkContext._gateway.proc.pid}/maps")
    assert str(class_archive.ARCHIVE.resolve()) in maps.read_text()


def test_an_archive_of_another_java_or_of_other_jars_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ARCHIVE", "MADE_BY"):
        monkeypatch.setattr(class_archive, name, tmp_path / name)
    monkeypatch.setattr(settings, "JARS", tmp_path)
    jar = tmp_path / "spark" / "a.jar"
    jar.parent.mkdir()
    jar.touch()
    assert not class_archive.present()
    class_archive.ARCHIVE.touch()
    class_archive.MADE_BY.write_text(class_archive.made_by())
    assert class_archive.present()
    # A new .venv has jars with other times.
    os.utime(jar, (0, 0))
    assert not class_archive.present()
    java = version_text(find_java())
    class_archive.MADE_BY.write_text(class_archive.made_by().replace(java, "openjdk 17.0.0"))
    assert not class_archive.present()


def test_a_failed_archive_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise RuntimeError("Java did not start")

    for name in (settings.HOME_VARIABLE, tuning.JAVA_VARIABLE, tuning.CODEGEN_VARIABLE):
        monkeypatch.setenv(name, "")
    monkeypatch.setattr(class_archive, "ARCHIVE", tmp_path / "spark.jsa")
    monkeypatch.setattr(class_archive, "spark_session", refuse)
    with pytest.raises(UserError, match="Java did not start"):
        class_archive.make()
    assert list(tmp_path.iterdir()) == []
