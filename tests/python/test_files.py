"""Files are written whole or not at all: on full disks, through links and to devices."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from changelake.build.marks import Marks
from changelake.core import json_lines
from changelake.core.files import check_writable, write_lines, write_whole
from changelake.core.settings import HOME_VARIABLE
from processes import SCRIPTS, room_for


def test_a_full_disk_leaves_the_old_file(tmp_path: Path) -> None:
    file = tmp_path / "folder" / "file.json"
    write_whole(file, "old, é\n")
    file.chmod(0o640)
    with room_for(1000), pytest.raises(OSError, match=str(file)):
        write_whole(file, "new" * 1000)
    assert (file.read_text(), os.listdir(file.parent)) == ("old, é\n", ["file.json"])
    write_whole(file, "new")
    assert (file.read_text(), stat.S_IMODE(file.stat().st_mode)) == ("new", 0o640)
    assert os.listdir(file.parent) == ["file.json"]


def test_lines_are_written_one_by_one_and_whole(tmp_path: Path) -> None:
    file = tmp_path / "file.json"
    write_lines(file, (f"{number}\n" for number in range(2)))
    with pytest.raises(ZeroDivisionError):
        write_lines(file, (f"{1 // number}\n" for number in (1, 0)))
    assert (file.read_text(), os.listdir(tmp_path)) == ("0\n1\n", ["file.json"])


def test_what_a_kill_left_is_in_nobodys_way(tmp_path: Path) -> None:
    file = tmp_path / "file.json"
    (tmp_path / ".file.json.tmp").mkdir()
    check_writable(file)
    write_whole(file, "new")
    assert file.read_text() == "new"
    # Even with names of maximum length, the temporary file's name must fit.
    for name in ("x" * 255, "名" * 85):
        write_whole(tmp_path / name, "new")
        check_writable(tmp_path / name)
    assert sorted(os.listdir(tmp_path)) == sorted(
        [".file.json.tmp", "file.json", "x" * 255, "名" * 85]
    )


def test_links_and_devices_stay_what_they_are(tmp_path: Path) -> None:
    file, link, pipe = tmp_path / "file", tmp_path / "link", tmp_path / "pipe"
    file.write_text("old")
    link.symlink_to(file)
    write_whole(link, "new")
    assert (link.is_symlink(), file.read_text()) == (True, "new")
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_whole(pipe, "said")
    assert (os.read(reader, 10), pipe.is_fifo()) == (b"said", True)
    os.close(reader)


def test_standard_output_that_is_a_pipe_is_written(tmp_path: Path) -> None:
    code = (
        "from pathlib import Path; from changelake.core import files;"
        " file = files.writable(Path('/dev/stdout'), '--output'); files.write_whole(file, 'é')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=SCRIPTS, capture_output=True, encoding="utf-8"
    )
    assert (done.stdout, done.stderr) == ("é", "")


def test_no_line_is_written_behind_half_of_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path))
    json_lines.append_lines("runs", "local", [{"a": 1}])
    with room_for(200):
        json_lines.append_lines("runs", "local", [{"a": "x" * 1000}])
    json_lines.append_lines("runs", "local", [{"a": 2}])
    (file,) = tmp_path.rglob("*.jsonl")
    assert file.read_text() == '{"a": 1}\n{"a": 2}\n'


def test_what_can_be_written_is_known_before(tmp_path: Path) -> None:
    check_writable(tmp_path / "new" / "file")
    assert list(tmp_path.rglob("*")) == [tmp_path / "new"]
    for place in (tmp_path, tmp_path / ("x" * 300), Path("/proc/none/file")):
        with pytest.raises(OSError, match=".+"):
            check_writable(place)


def test_a_full_disk_costs_no_marks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path))
    Marks("local").write(batches={"canal_events": 7})
    with room_for(1000), pytest.raises(OSError, match=r"built-local\.json"):
        Marks("local").write(tables=[f"table_{number}" for number in range(1000)])
    assert Marks("local").batches() == {"canal_events": 7}
