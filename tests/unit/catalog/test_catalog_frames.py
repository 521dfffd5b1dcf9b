"""Frames on their way, and the directory of those that have come."""

from __future__ import annotations

from pathlib import Path

import pytest

from flowcat_jupyter.catalog import frames as directory
from flowcat_jupyter.catalog.frames import Frame, Frames
from flowcat_jupyter.catalog.services.frames import Arriving
from flowcat_jupyter.shared.errors import LimitExceeded, NotFound, Unavailable
from flowcat_jupyter.worker.spool import Spool

FULL = Path("/dev/full")
TTL_S = 60.0
MOST_BYTES = 100


class Elapsed:
    """Seconds that pass when the test says so."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def elapsed() -> Elapsed:
    return Elapsed()


@pytest.fixture
def frames(tmp_path: Path, elapsed: Elapsed) -> Frames:
    spool = Spool(tmp_path, TTL_S)
    return Frames(spool, ttl_s=TTL_S, most_bytes=MOST_BYTES, clock=elapsed)


def come(frames: Frames, actor: str = "ann", size: int = 10) -> Frame:
    path = frames.files.new_path()
    path.write_bytes(b"x" * size)
    return frames.add(actor, path, (), 1)


def test_what_has_come_lies_in_order_and_is_bounded(tmp_path: Path) -> None:
    path = tmp_path / "frame"
    with path.open("xb") as file:
        arriving = Arriving(path, file, most_bytes=6)
        arriving.write(b"abc")
        arriving.write(b"def")
        with pytest.raises(LimitExceeded):
            arriving.write(b"g")
    assert path.read_bytes() == b"abcdef"


@pytest.mark.skipif(not FULL.exists(), reason="has no disk that is always full")
def test_a_disk_that_fills_meanwhile_is_named() -> None:
    with FULL.open("wb", buffering=0) as file:
        arriving = Arriving(FULL, file, most_bytes=1_000)
        with pytest.raises(Unavailable, match="no space left"):
            arriving.write(b"abc")


def test_a_frame_is_its_senders_alone(frames: Frames) -> None:
    frame = come(frames)
    assert frames.get("ann", frame.frame_id) == frame
    for ask in (frames.get, frames.remove):
        with pytest.raises(NotFound):
            ask("bob", frame.frame_id)
    frames.remove("ann", frame.frame_id)
    assert not frame.path.exists()
    with pytest.raises(NotFound):
        frames.get("ann", frame.frame_id)


def test_a_frame_and_its_file_go_when_their_time_is_over(frames: Frames, elapsed: Elapsed) -> None:
    first = come(frames)
    elapsed.seconds = TTL_S - 1
    second = come(frames)
    assert frames.get("ann", first.frame_id) == first
    elapsed.seconds = TTL_S
    with pytest.raises(NotFound, match=first.frame_id):
        frames.get("ann", first.frame_id)
    assert not first.path.exists()
    assert frames.get("ann", second.frame_id).path.exists()


def test_all_frames_together_have_bounded_room(frames: Frames, elapsed: Elapsed) -> None:
    come(frames, "bob", size=MOST_BYTES - 10)
    place = frames.files.new_path()
    frames.check_room("ann", place, 10)
    with pytest.raises(LimitExceeded, match="no room"):
        frames.check_room("ann", place, 11)
    elapsed.seconds = TTL_S
    frames.check_room("ann", place, MOST_BYTES)


def test_nobody_leaves_frames_without_end(frames: Frames, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(directory, "MOST", 2)
    for _ in range(2):
        come(frames)
    place = frames.files.new_path()
    with pytest.raises(LimitExceeded, match="2 frames"):
        frames.check_room("ann", place, 1)
    frames.check_room("bob", place, 1)
