"""A file that is replaced is the old one or the new, whatever happens meanwhile."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from flowcat_jupyter.documents.whole import can_replace, replace_whole


def test_a_file_is_made_and_replaced(tmp_path: Path) -> None:
    place = tmp_path / "n.yaml"
    replace_whole(place, b"one")
    replace_whole(place, b"two")
    assert place.read_bytes() == b"two"
    assert list(tmp_path.iterdir()) == [place]


def test_permissions_are_kept_and_links_followed(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_bytes(b"old")
    target.chmod(0o640)
    link.symlink_to(target)
    replace_whole(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


def test_a_new_file_takes_the_permissions_of_the_one_it_is_made_from(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    old.write_bytes(b"old")
    old.chmod(0o600)
    replace_whole(new, b"new", like=old)
    assert (stat.S_IMODE(new.stat().st_mode), old.read_bytes()) == (0o600, b"old")


def test_what_fails_leaves_the_old_file_and_nothing_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "n.yaml"
    place.write_bytes(b"old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        replace_whole(place, b"new")
    assert place.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [place]


def test_a_half_written_one_that_a_crash_left_is_written_over(tmp_path: Path) -> None:
    place = tmp_path / "n.yaml"
    (tmp_path / ".n.yaml.saving").write_bytes(b"half of")
    replace_whole(place, b"whole")
    assert list(tmp_path.iterdir()) == [place]


def test_a_file_with_two_names_is_not_parted_from_the_other(tmp_path: Path) -> None:
    place = tmp_path / "n.yaml"
    assert can_replace(place)
    place.write_bytes(b"x")
    assert can_replace(place)
    os.link(place, tmp_path / "other")
    assert not can_replace(place)
