"""Files of the lake, in a directory and at a URL."""

from pathlib import Path
from typing import Any

import pytest

from changelake.hadoop_files import HadoopFiles

pytestmark = pytest.mark.e2e


@pytest.mark.parametrize("scheme", ["", "file://"])
def test_files_are_read_and_written(spark: Any, tmp_path: Path, scheme: str) -> None:
    files = HadoopFiles(spark, f"{scheme}{tmp_path}/lake")
    assert (files.read_text("a", "b"), files.names("a")) == (None, [])
    for text in ("one, é\n", "two"):
        files.write_text(text, "a", "b")
        assert files.read_text("a", "b") == text
    files.write_new_text("first", "a", "c")
    files.write_new_text("second", "a", "c")
    assert files.read_text("a", "c") == "first"
    # nothing is left beside them, in which a later process could trip: no checksums either
    assert sorted(files.names("a")) == ["b", "c"]
