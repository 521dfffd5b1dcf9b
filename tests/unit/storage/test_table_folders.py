"""The folders that tables have, and those that have lost theirs."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from flowcat_jupyter.shared.errors import Forbidden
from flowcat_jupyter.storage import moving, settling
from flowcat_jupyter.storage.folders import TableFolders
from flowcat_jupyter.storage.targets import LocalStorage

NAME = "t_0123456789abcdef0123456789abcdef"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = tmp_path / "data"
    made.mkdir()
    return made


def test_only_folders_of_the_catalogs_own_names_are_listed(root: Path) -> None:
    for name in (NAME, "mine", ".rejects", "t_0123"):
        (root / name).mkdir()
    (root / "x_0123456789abcdef0123456789abcdef").symlink_to(root / "mine")
    (root / "f_0123456789abcdef0123456789abcdef").touch()
    assert [Path(found.location).name for found in TableFolders(root).all()] == [NAME]


def test_a_folder_is_as_old_as_its_youngest_file(root: Path) -> None:
    inner = root / NAME / "p=1"
    inner.mkdir(parents=True)
    (inner / "part.parquet").touch()
    for place in (root / NAME, inner):
        os.utime(place, (0, 0))
    (found,) = TableFolders(root).all()
    assert found.age_s < 60
    os.utime(inner / "part.parquet", (time.time() - 500, time.time() - 500))
    (found,) = TableFolders(root).all()
    assert 490 < found.age_s < 600


def test_rows_were_committed_if_the_log_has_a_version(root: Path) -> None:
    log = root / NAME / "_delta_log"
    log.mkdir(parents=True)
    (log / "00000000000000000000.json#1").touch()
    assert [found.committed for found in TableFolders(root).all()] == [False]
    (log / "00000000000000000000.json").touch()
    assert [found.committed for found in TableFolders(root).all()] == [True]


def test_rows_were_committed_if_there_is_a_metadata_file(root: Path) -> None:
    folder = root / NAME / "metadata"
    folder.mkdir(parents=True)
    (folder / "snap-1.avro").touch()
    assert [found.committed for found in TableFolders(root).all()] == [False]
    (folder / "00000-a.metadata.json").touch()
    assert [found.committed for found in TableFolders(root).all()] == [True]


def test_a_folder_set_aside_is_no_tables_any_more_and_nobodys_to_read(root: Path) -> None:
    (root / NAME).mkdir()
    storage = LocalStorage(root)
    where = storage.set_aside(str(root / NAME))
    assert Path(where).is_dir()
    assert storage.table_folders() == ()
    with pytest.raises(Forbidden):
        storage.check_external(where)


@pytest.mark.parametrize("name", ["mine", f"../{NAME}", f"{NAME}/_delta_log", ""])
def test_nothing_but_a_tables_folder_is_moved(root: Path, name: str) -> None:
    (root.parent / NAME).mkdir()
    (root / NAME / "_delta_log").mkdir(parents=True)
    (root / "mine").mkdir()
    with pytest.raises(Forbidden):
        TableFolders(root).set_aside(os.path.normpath(root / name))
    assert (root.parent / NAME).is_dir()


def test_storage_belongs_to_one_database(root: Path) -> None:
    folders = TableFolders(root)
    assert folders.claim("one", known=False)
    (root / NAME).mkdir()
    assert folders.claim("one", known=False)
    assert not folders.claim("two", known=True)


def test_storage_with_tables_that_a_database_does_not_know_is_not_taken(root: Path) -> None:
    (root / NAME).mkdir()
    assert not TableFolders(root).claim("new", known=False)
    assert TableFolders(root).claim("old", known=True)
    assert not TableFolders(root).claim("new", known=False)


def test_writes_that_a_crash_interrupted_are_finished(root: Path) -> None:
    table, other = root / NAME, root / "u_0123456789abcdef0123456789abcdef"
    for folder in (table, other):
        folder.mkdir()
    (table / "old.csv").write_text("old")
    stage = table / f"{moving.STAGED}{settling.machine()}-1"
    (stage / moving.NEW).mkdir(parents=True)
    (stage / moving.NEW / "new.csv").write_text("new")
    old, new = moving.pieces(table), moving.pieces(stage / moving.NEW)
    plan = moving.Plan(stage.name, settling.machine(), moving.paired(new, old), tuple(old))
    moving.write_plan(table, plan)
    assert TableFolders(root).mend() == 1
    assert [path.name for path in table.iterdir()] == ["new.csv"]
    assert TableFolders(root).mend() == 0


def test_who_is_writing_to_a_table_is_not_waited_for(root: Path) -> None:
    (root / NAME).mkdir()
    stage, held = settling.new_stage(root / NAME)
    assert held is not None
    try:
        assert TableFolders(root).mend() == 0
        assert stage.is_dir()
    finally:
        os.close(held)
    assert TableFolders(root).mend() == 1
    assert not stage.exists()
