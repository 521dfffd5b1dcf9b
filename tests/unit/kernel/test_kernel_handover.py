"""What a kernel believes of a file it is told of, and what it does not."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from flowcat_jupyter.kernel.handover import handed_over
from flowcat_jupyter.shared.handover import identity

ROWS = pl.DataFrame({"c0": [1, 2, None], "c1": ["a", None, "ü"]})


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "result"
    ROWS.write_ipc(path, compression="uncompressed")
    return path


def offer(path: Path, rows: int = 3) -> dict[str, Any]:
    return {
        "path": str(path),
        "identity": identity(path.stat()),
        "result": {"row_count": rows},
    }


def test_the_rows_are_read_where_they_lie_and_outlive_the_file(file: Path) -> None:
    frame = handed_over(offer(file))
    file.unlink()
    assert frame is not None
    assert frame.equals(ROWS)
    frame[0, "c0"] = 9
    assert frame["c0"].to_list() == [9, 2, None]


def test_the_file_is_left_as_it_was(file: Path) -> None:
    before, about = file.read_bytes(), file.stat()
    frame = handed_over(offer(file))
    assert frame is not None
    frame[0, "c0"] = 9
    assert file.read_bytes() == before
    assert identity(file.stat()) == identity(about)


def _other_content(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b" ")


def _other_time(path: Path) -> None:
    os.utime(path, ns=(1, 1))


def _other_file(path: Path) -> None:
    content, when = path.read_bytes(), path.stat().st_mtime_ns
    twin = path.with_name("twin")
    twin.write_bytes(content)
    os.utime(twin, ns=(when, when))
    twin.replace(path)


def _link(path: Path) -> None:
    path.rename(path.with_name("elsewhere"))
    path.symlink_to(path.with_name("elsewhere"))


def _nothing(path: Path) -> None:
    path.unlink()


def _pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


CHANGES = [_other_content, _other_time, _other_file, _link, _nothing, _pipe, _folder]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__.strip("_"))
def test_what_is_not_the_very_file_is_not_read(file: Path, change: Callable[[Path], None]) -> None:
    told = offer(file)
    change(file)
    assert handed_over(told) is None


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_file_of_another_user_is_not_read(file: Path) -> None:
    os.chown(file, 12345, 12345)
    assert handed_over(offer(file)) is None


def test_a_file_that_is_torn_or_holds_other_rows_is_not_believed(file: Path) -> None:
    assert handed_over(offer(file, rows=4)) is None
    file.write_bytes(file.read_bytes()[:-20])
    assert handed_over(offer(file)) is None
    file.write_bytes(b"")
    assert handed_over(offer(file)) is None


def test_no_file_stays_open(file: Path) -> None:
    before = len(list(Path("/dev/fd").iterdir()))
    for rows in (3, 4):
        handed_over(offer(file, rows))
    assert len(list(Path("/dev/fd").iterdir())) == before
