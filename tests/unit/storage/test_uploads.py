"""Uploads: pieces in order, bounds on number and disk, and what goes by itself."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from flowcat_jupyter.shared.errors import Conflict, Invalid, LimitExceeded, NotFound
from flowcat_jupyter.storage.uploads import MAX_CHUNK, Uploads


@pytest.fixture
def uploads(tmp_path: Path) -> Uploads:
    return Uploads(tmp_path / "uploads", most=3)


def test_pieces_come_in_order_and_may_come_again(uploads: Uploads) -> None:
    upload = uploads.create("../../a.csv")
    assert uploads.append(upload, 0, b"ab") == 2
    assert uploads.append(upload, 0, b"ab") == 2
    assert uploads.append(upload, 2, b"cd") == 4
    assert uploads.path(upload).read_bytes() == b"abcd"
    assert uploads.path(upload).name == "a.csv"
    with pytest.raises(Conflict):
        uploads.append(upload, 9, b"x")
    with pytest.raises(Invalid):
        uploads.append(upload, 0, bytes(MAX_CHUNK + 1))


def test_only_the_owner_of_the_process_may_read_them(uploads: Uploads) -> None:
    path = uploads.path(uploads.create("a.csv"))
    assert (path.stat().st_mode & 0o077, path.parent.stat().st_mode & 0o077) == (0, 0)


def test_there_are_only_so_many_at_a_time(uploads: Uploads) -> None:
    first, *_ = [uploads.create("a.csv") for _ in range(3)]
    with pytest.raises(LimitExceeded):
        uploads.create("a.csv")
    uploads.discard(first)
    uploads.discard(first)
    uploads.create("a.csv")


def test_they_never_fill_the_disk(tmp_path: Path) -> None:
    full = Uploads(tmp_path, kept_free=1 << 62)
    upload = full.create("a.csv")
    with pytest.raises(LimitExceeded):
        full.append(upload, 0, b"x")
    assert full.path(upload).stat().st_size == 0


def test_what_nothing_was_added_to_for_long_goes_by_itself(tmp_path: Path) -> None:
    seconds = [0.0]
    uploads = Uploads(tmp_path / "uploads", clock=lambda: seconds[0])
    old, new = uploads.create("a.csv"), uploads.create("b.csv")
    os.utime(uploads.path(old), (0, 0))
    uploads.sweep(86_400)
    assert uploads.path(old).is_file(), "the clock may have been put forward"
    seconds[0] = 3600
    uploads.sweep(86_400)
    assert uploads.path(new).is_file()
    with pytest.raises(NotFound):
        uploads.path(old)


def test_sweeping_minds_neither_a_stray_file_nor_a_missing_folder(tmp_path: Path) -> None:
    Uploads(tmp_path / "none").sweep(0)
    (tmp_path / "stray").touch()
    Uploads(tmp_path).sweep(0)


@pytest.mark.parametrize("upload_id", ["", "..", "../x", "0f8fad5b-d9cb-469f-a165-70867728950e"])
def test_an_id_that_is_no_uploads_is_not_found(uploads: Uploads, upload_id: str) -> None:
    with pytest.raises(NotFound):
        uploads.path(upload_id)
