"""Many processes on one database: nothing is lost, and nobody is told that it is locked.

``FLOWCAT_WRITES`` is how many read-modify-writes each process makes.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
from pathlib import Path

import pytest
from sqlalchemy import Engine

from flowcat_jupyter.catalog.access import LOCAL
from flowcat_jupyter.catalog.store.engine import connect, open_engine
from flowcat_jupyter.catalog.store.migrate import check, upgrade
from flowcat_jupyter.shared.errors import Unavailable
from tests.contract.store.test_store_databases import finish, start
from tests.support.catalog import World

PROCESSES, WRITES = 8, int(os.environ.get("FLOWCAT_WRITES", "60"))
COUNT = """
import sys
from datetime import UTC, datetime
from flowcat_jupyter.catalog.access import LOCAL
from flowcat_jupyter.catalog.reactions import Reactions
from flowcat_jupyter.catalog.store.engine import open_engine
from flowcat_jupyter.catalog.unit import UnitFactory
class Now:
    def now(self):
        return datetime.now(UTC)
engine = open_engine(sys.argv[1])
begin = UnitFactory(engine, Now(), Reactions())
for _ in range(int(sys.argv[2])):
    with begin(LOCAL) as unit:
        unit.settings.get("count")
    with begin(LOCAL, write=True) as unit:
        unit.settings.put("count", (unit.settings.get("count") or 0) + 1)
        node = unit.securables.get(int(sys.argv[3]))
        said = int(node.description or 0) + 1
        unit.securables.update(node, by="x", at=unit.now, description=str(said))
engine.dispose()
"""
NETWORK = "30 21 0:50 / / rw shared:1 - nfs4 server:/home rw,vers=4.2\n"


def test_eight_processes_read_and_write_the_same_rows_and_lose_nothing(
    world: World, database_url: str
) -> None:
    with world.begin(LOCAL, write=True) as unit:
        node = unit.securables.insert("catalog", 1, "main", by="x", at=unit.now)
    order = (COUNT, database_url, str(WRITES), str(node))
    finish([start(*order) for _ in range(PROCESSES)], timeout_s=120 + WRITES)
    with world.begin(LOCAL) as unit:
        assert unit.settings.get("count") == PROCESSES * WRITES
        assert unit.securables.get(node).description == str(PROCESSES * WRITES)


@pytest.fixture
def on_a_network(tmp_path: Path) -> Path:
    mounts = tmp_path / "mountinfo"
    mounts.write_text(NETWORK)
    return mounts


def journal(engine: Engine) -> str:
    with engine.connect() as connection:
        return str(connection.exec_driver_sql("PRAGMA journal_mode").scalar_one())


def test_on_a_network_there_is_no_write_ahead_log(
    sqlite_template: Path, tmp_path: Path, on_a_network: Path
) -> None:
    path = tmp_path / "catalog.db"
    shutil.copy(sqlite_template, path)
    local = open_engine(f"sqlite:///{path}")
    assert journal(local) == "wal"
    local.dispose()
    remote = open_engine(f"sqlite:///{path}", on_a_network)
    assert journal(remote) == "delete"
    assert upgrade(remote).ready
    remote.dispose()


def test_who_was_told_that_something_is_kept_finds_it_after_a_power_cut(tmp_path: Path) -> None:
    engine = open_engine(f"sqlite:///{tmp_path / 'catalog.db'}")
    with engine.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar_one() == 2, "FULL"
    engine.dispose()


@pytest.fixture
def read_only(sqlite_template: Path, tmp_path: Path) -> Path:
    """The folder of a database that nobody may write, whoever runs the test."""
    folder = tmp_path / "read-only"
    folder.mkdir()
    shutil.copy(sqlite_template, folder / "catalog.db")
    return folder


@pytest.mark.skipif(os.geteuid() != 0, reason="mounts a disk")
def test_a_database_on_a_disk_that_can_only_be_read_is_read(read_only: Path) -> None:
    subprocess.run(["/bin/mount", "--bind", read_only, read_only], check=True)  # noqa: S603
    try:
        remount = ["/bin/mount", "-o", "remount,ro,bind", str(read_only)]
        subprocess.run(remount, check=True)  # noqa: S603
        engine = open_engine(f"sqlite:///{read_only / 'catalog.db'}")
        assert check(engine).ready
        assert upgrade(engine).ready, "there is nothing to do"
        with connect(engine, write=False) as connection, connection.begin():
            connection.exec_driver_sql("SELECT count(*) FROM securables").scalar_one()
        world = World(engine, read_only.parent)
        with (
            pytest.raises(Unavailable, match="cannot be written"),
            world.begin(LOCAL, write=True) as unit,
        ):
            unit.settings.put("x", 1)
        engine.dispose()
    finally:
        subprocess.run(["/bin/umount", read_only], check=True)  # noqa: S603


@pytest.fixture
def sqlite_file(sqlite_template: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(sqlite_template, tmp_path / "catalog.db"))


def test_a_damaged_page_is_found(sqlite_file: Path, tmp_path: Path) -> None:
    with sqlite3.connect(sqlite_file) as raw:
        wanted = "SELECT rootpage FROM sqlite_master WHERE name = 'ix_runs_owner'"
        (page,) = raw.execute(wanted).fetchone()
        (size,) = raw.execute("PRAGMA page_size").fetchone()
    raw.close()
    engine = open_engine(f"sqlite:///{sqlite_file}")
    world = World(engine, tmp_path)
    with world.begin(LOCAL) as unit:
        assert unit.leftovers.damage() == ()
    engine.dispose()
    with sqlite_file.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xff" * size)
    with world.begin(LOCAL) as unit:
        assert unit.leftovers.damage()
    engine.dispose()


def test_a_file_that_is_no_database_any_more_is_told(sqlite_file: Path, tmp_path: Path) -> None:
    sqlite_file.write_bytes(b"\0nonsense" * 1000)
    engine = open_engine(f"sqlite:///{sqlite_file}")
    with pytest.raises(Unavailable, match="damaged"):
        upgrade(engine)
    with pytest.raises(Unavailable, match="damaged"), World(engine, tmp_path).begin(LOCAL):
        pass
    engine.dispose()
