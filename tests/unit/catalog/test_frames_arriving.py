"""A frame as it comes, piece by piece."""

from __future__ import annotations

from pathlib import Path

import pytest

from flowcat_jupyter.catalog.services.frames import Arriving
from flowcat_jupyter.shared.errors import LimitExceeded, Unavailable

FULL = Path("/dev/full")


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
