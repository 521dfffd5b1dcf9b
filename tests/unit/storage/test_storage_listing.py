"""Which files a path means: folders and patterns stay where they may, whatever lies there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from flowcat_jupyter.shared.errors import FlowcatError, Forbidden, Invalid, LimitExceeded, NotFound
from flowcat_jupyter.storage import listing
from flowcat_jupyter.storage.listing import Listing
from flowcat_jupyter.storage.targets import LocalStorage


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A Jupyter root with files of every kind, a catalog's own folders inside it."""
    root = (tmp_path / "root").resolve()
    for name in (
        "in/a.csv",
        "in/b.csv",
        "in/deep/er/c.csv",
        "in/.secret.csv",
        "in/.hidden/d.csv",
        "in/_SUCCESS",
        "in/notes.txt",
        "home/catalog.db",
        "home/uploads/x/theirs.csv",
        "data/t_1/part.csv",
        ".private/e.csv",
        "[odd] name?.csv",
    ):
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("a\n1\n")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "f.csv").write_text("a\n1\n")
    return root


@pytest.fixture
def storage(tree: Path) -> LocalStorage:
    return LocalStorage(tree / "data", [tree], private=[tree / "home"])


def found(storage: LocalStorage, tree: Path, path: str) -> list[str]:
    return [str(Path(file).relative_to(tree)) for file in storage.files(str(tree / path))]


@pytest.mark.parametrize(
    ("path", "files"),
    [
        ("in/a.csv", ["in/a.csv"]),
        ("in/.secret.csv", ["in/.secret.csv"]),
        ("in", ["in/a.csv", "in/b.csv", "in/deep/er/c.csv", "in/notes.txt"]),
        ("in/", ["in/a.csv", "in/b.csv", "in/deep/er/c.csv", "in/notes.txt"]),
        ("in/*.csv", ["in/a.csv", "in/b.csv"]),
        ("in/[ab].csv", ["in/a.csv", "in/b.csv"]),
        ("i?/b*", ["in/b.csv"]),
        ("in/**/*.csv", ["in/a.csv", "in/b.csv", "in/deep/er/c.csv"]),
        ("in/" + "**/" * 900 + "c.csv", ["in/deep/er/c.csv"]),
        ("in/*/*/c.csv", ["in/deep/er/c.csv"]),
        ("in/_*", ["in/_SUCCESS"]),
        ("[odd] name?.csv", ["[odd] name?.csv"]),
        ("in/../in/a.csv", ["in/a.csv"]),
    ],
)
def test_a_path_means_files_in_the_order_of_their_names(
    storage: LocalStorage, tree: Path, path: str, files: list[str]
) -> None:
    assert found(storage, tree, path) == files


@pytest.mark.parametrize("path", ["**/*.csv", "*/*/*/*.csv", "**", "."])
def test_a_pattern_reaches_neither_hidden_files_nor_the_catalogs_own(
    storage: LocalStorage, tree: Path, path: str
) -> None:
    files = found(storage, tree, path)
    assert files
    assert not [f for f in files if f.startswith(("home", "data", ".private")) or "/." in f]


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("home/uploads/x/theirs.csv", Forbidden),
        ("home/*", Forbidden),
        ("data/t_1/part.csv", Forbidden),
        ("data", Forbidden),
        (".private", Forbidden),
        (".private/*.csv", Forbidden),
        ("in/.*/*.csv", Forbidden),
        ("in/.s*", Forbidden),
        ("../outside/f.csv", Forbidden),
        ("../outside/*.csv", Forbidden),
        ("in/*/../../../outside/*.csv", Forbidden),
        ("in/none.csv", NotFound),
        ("in/*.parquet", NotFound),
        ("none/**/*.csv", NotFound),
    ],
)
def test_what_may_not_be_imported_is_refused(
    storage: LocalStorage, tree: Path, path: str, kind: type[FlowcatError]
) -> None:
    with pytest.raises(kind):
        storage.files(str(tree / path))


def test_a_link_that_leads_outside_is_refused_and_a_linked_folder_is_not_entered(
    storage: LocalStorage, tree: Path
) -> None:
    (tree / "links").mkdir()
    (tree / "links" / "inside.csv").symlink_to(tree / "in" / "a.csv")
    (tree / "links" / "loop").symlink_to(tree / "links")
    (tree / "links" / "out").symlink_to(tree.parent / "outside")
    assert found(storage, tree, "links") == ["in/a.csv"]
    assert found(storage, tree, "links/**/*.csv") == ["in/a.csv"]
    with pytest.raises(NotFound):
        storage.files(str(tree / "links" / "*" / "f.csv"))

    (tree / "links" / "f.csv").symlink_to(tree.parent / "outside" / "f.csv")
    for path in ("links", "links/*.csv", "links/f.csv"):
        with pytest.raises(Forbidden):
            storage.files(str(tree / path))


def test_what_is_no_plain_file_is_not_opened(storage: LocalStorage, tree: Path) -> None:
    os.mkfifo(tree / "in" / "pipe")
    with pytest.raises(Invalid, match="not a file"):
        storage.files(str(tree / "in" / "pipe"))
    assert "in/pipe" not in found(storage, tree, "in")


def test_the_files_of_a_delta_table_are_not_its_rows(storage: LocalStorage, tree: Path) -> None:
    (tree / "in" / "deep" / "_delta_log").mkdir()
    for path in ("in", "in/deep/**", "in/deep/*"):
        with pytest.raises(Invalid, match="Delta table"):
            storage.files(str(tree / path))


def test_too_many_files_are_refused_before_all_are_found(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing, "MOST_FILES", 2)
    with pytest.raises(LimitExceeded, match="more than 2"):
        Listing().files(tree / "in")
    monkeypatch.setattr(listing, "MOST_LOOKED_AT", 3)
    with pytest.raises(LimitExceeded, match="look through"):
        Listing().files(tree / "in" / "deep" / ".." / "*.parquet")


def test_a_root_inside_a_private_folder_is_meant(tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / "work").mkdir(parents=True)
    (home / "work" / "a.csv").touch()
    (home / "catalog.db").touch()
    storage = LocalStorage(home / "data", [home / "work"], private=[home])
    assert len(storage.files(str(home / "work"))) == 1
    with pytest.raises(Forbidden):
        storage.files(str(home / "catalog.db"))


def test_a_path_table_cannot_read_the_rejected_lines_of_others(
    storage: LocalStorage, tree: Path
) -> None:
    (tree / "data" / ".rejects").mkdir()
    (tree / "data" / ".rejects" / "x.arrow").touch()
    with pytest.raises(Forbidden):
        storage.check_external(str(tree / "data" / ".rejects" / "x.arrow"))


@pytest.mark.parametrize("name", ["", "*", "**/*", "a.csv", "*/*"])
def test_a_link_to_itself_is_passed_over(tmp_path: Path, name: str) -> None:
    (tmp_path / "a.csv").write_text("a\n1\n")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.csv").write_text("a\n1\n")
    for folder in (tmp_path, tmp_path / "sub"):
        (folder / "loop").symlink_to(folder / "loop")
        (folder / "up").symlink_to("..")
    found = Listing().files(tmp_path / name)
    assert {path.name for path in found} == {"a.csv"}


@pytest.mark.parametrize("name", ["loop", "loop/x", "x" * 5_000, "a" * 300, "*" * 300, "**/" * 90])
def test_a_path_that_cannot_be_looked_at_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises((Invalid, NotFound)):
        Listing().files(tmp_path / name)


def test_a_pipe_is_no_file_to_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(Invalid, match="not a file"):
        Listing().files(tmp_path / "pipe.csv")
    with pytest.raises(NotFound):
        Listing().files(tmp_path)


def test_a_link_to_what_is_the_catalogs_own_is_passed_over(
    storage: LocalStorage, tree: Path
) -> None:
    (tree / "in" / "link.csv").symlink_to(tree / "home" / "uploads" / "x" / "theirs.csv")
    assert found(storage, tree, "in/*.csv") == ["in/a.csv", "in/b.csv"]
