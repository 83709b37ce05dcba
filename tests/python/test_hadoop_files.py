"""The lake's files, in a directory and at a URL."""

import time
from pathlib import Path
from typing import Any

import pytest

from changelake.core.errors import UserError
from changelake.landing.leases import LEASE, Lease
from changelake.spark.hadoop_files import HadoopFiles

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
    # No other files are left beside them that could disturb a later process, not even checksums.
    assert sorted(files.names("a")) == ["b", "c"]


def lease(files: HadoopFiles, watch_seconds: float = 1.0) -> Lease:
    """Return a lease with short times, as for the files of any store."""
    return Lease(files, beat_seconds=0.2, watch_seconds=watch_seconds, settle_seconds=0.1)


def test_a_lake_in_a_store_has_one_landing(
    spark: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = HadoopFiles(spark, f"file://{tmp_path}/lake")
    with lease(files) as held:
        with (
            pytest.raises(
                UserError, match=r"^another process lands into this lake, process \d+ on"
            ),
            lease(files, 5.0),
        ):
            pass
        assert "waiting up to 5 s for a sign of life" in capsys.readouterr().err
        held.check()
    assert files.read_text(LEASE) is None
    with lease(files):
        assert files.read_text(LEASE) is not None


def test_a_lease_whose_owner_is_dead_is_taken_over(spark: Any, tmp_path: Path) -> None:
    files = HadoopFiles(spark, f"file://{tmp_path}/lake")
    for left_behind in ('{"id": "x", "process": 1, "host": "h", "at": "then"}', "half {", ""):
        files.put_text(left_behind, LEASE)
        with lease(files) as held:
            held.check()
    # When a paused owner comes back, it notices, ends, and leaves the other's lease alone.
    with lease(files) as held:
        other = '{"id": "other"}'
        files.put_text(other, LEASE)
        time.sleep(0.5)
        with pytest.raises(UserError, match="this landing lost the lake's lease"):
            held.check()
    assert files.read_text(LEASE) == other


def test_a_store_that_does_not_answer_ends_a_landing(spark: Any, tmp_path: Path) -> None:
    class Silent(HadoopFiles):
        silent = False

        def read_text(self, *steps: str) -> str | None:
            if self.silent:
                raise OSError("the store does not answer")
            return super().read_text(*steps)

    files = Silent(spark, str(tmp_path / "lake"))
    with lease(files) as held:
        files.silent = True
        time.sleep(0.7)
        with pytest.raises(UserError, match="the store did not answer for"):
            held.check()
