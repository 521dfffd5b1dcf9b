"""Paths are the storage's own, and nothing outside its folders is ever touched or told about."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from flowcat_jupyter.shared.errors import Forbidden, Invalid, NotFound
from flowcat_jupyter.storage.targets import LocalStorage


@pytest.fixture
def root(tmp_path) -> Path:
    place = tmp_path / "my José #1"
    place.mkdir()
    return place


@pytest.fixture
def storage(root) -> LocalStorage:
    return LocalStorage(root)


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("Flights 2013", "flights_2013"),
        ("../../etc/passwd", "etc_passwd"),
        ("日本", "table"),
        ("Crème brûlée", "creme_brulee"),
        ("a" * 300, "a" * 40),
        ("", "table"),
        ("x\0y", "x_y"),
    ],
)
def test_a_tables_folder_is_a_slug_and_something_unique(storage, root, name, slug):
    location = storage.new_table_location(None, name)
    other = storage.new_table_location(None, name)
    assert location != other
    assert Path(location).parent == root
    folder = Path(location).name
    assert re.fullmatch(r"[a-z0-9_]+_[0-9a-f]{32}", folder)
    assert folder.rpartition("_")[0] == slug


def test_removing_is_for_folders_of_ours(storage, root, tmp_path):
    location = Path(storage.new_table_location(None, "t"))
    location.mkdir()
    (location / "f").write_text("x")
    outside = tmp_path / "outside"
    outside.mkdir()
    (root / "link").symlink_to(outside)
    (root / "alias").symlink_to(location)
    refused = [outside, root, root / "link", root / "alias", root / ".." / "outside", Path("/")]
    for path in refused:
        with pytest.raises(Forbidden):
            storage.remove(str(path))
    storage.remove(str(location))
    storage.remove(str(location))
    assert not location.exists()
    assert outside.exists()


def test_a_link_inside_a_table_does_not_lead_out(storage, tmp_path):
    outside = tmp_path / "precious"
    outside.mkdir()
    (outside / "f").write_text("x")
    location = Path(storage.new_table_location(None, "t"))
    location.mkdir()
    (location / "link").symlink_to(outside)
    storage.remove(str(location))
    assert (outside / "f").read_text() == "x"


def test_external_paths_lie_under_allowed_roots_after_links_are_resolved(root, tmp_path):
    data = tmp_path / "data"
    for name in ("t", "real"):
        (data / name).mkdir(parents=True)
    storage = LocalStorage(root, [data])
    assert storage.check_external(str(data / "t")) == str(data / "t")
    assert storage.check_external(f"file://{data}/t") == str(data / "t")
    (data / "escape").symlink_to(tmp_path / "secret")
    (data / "inner").symlink_to(data / "real")
    assert storage.check_external(str(data / "inner")) == str(data / "real")
    assert storage.check_external(str(data / "*.parquet")) == str(data / "*.parquet")
    with pytest.raises(NotFound):
        storage.check_external(str(data / "nope"))
    for path in (data / "escape", data / ".." / "x", tmp_path / "data2", Path("/etc/passwd")):
        with pytest.raises(Forbidden, match="You may not use the path"):
            storage.check_external(str(path))


@pytest.mark.parametrize("path", ["", "  ", "/data/a\0b", "s3://bucket/t"])
def test_what_is_no_path_is_invalid(storage, path):
    with pytest.raises(Invalid):
        storage.check_external(path)
    assert not storage.owns(path)


def test_a_path_longer_than_the_system_takes_is_invalid(storage, root):
    with pytest.raises(Invalid, match="cannot be looked at"):
        storage.check_external(str(root / ("a" * 5000)))


def test_a_refusal_does_not_tell_whether_the_path_exists(storage, tmp_path):
    (tmp_path / "there").mkdir()
    texts = []
    for name in ("there", "nope1"):
        with pytest.raises(Forbidden) as caught:
            storage.check_external(str(tmp_path / name))
        texts.append(caught.value.message.replace(name, "X"))
    assert texts[0] == texts[1]


@pytest.mark.parametrize("folder", ["a%41", "[1]", "x\\"])
def test_a_root_that_can_hold_no_table_is_refused_at_once(tmp_path, folder):
    with pytest.raises(Invalid, match="No Delta table can lie under"):
        LocalStorage(tmp_path / folder)


def test_a_link_to_such_a_root_is_refused_too(tmp_path):
    (tmp_path / "[1]").mkdir()
    (tmp_path / "plain").symlink_to(tmp_path / "[1]")
    with pytest.raises(Invalid):
        LocalStorage(tmp_path / "plain")


def test_a_catalogs_own_folder_must_be_allowed(root, tmp_path):
    storage = LocalStorage(root, [tmp_path / "other"])
    own = storage.new_table_location(str(tmp_path / "other" / "cat"), "t")
    assert Path(own).parent == tmp_path / "other" / "cat"
    with pytest.raises(Forbidden):
        storage.new_table_location("/var/elsewhere", "t")
