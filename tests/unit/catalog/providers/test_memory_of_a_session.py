"""What a session holds in memory: whose it is, and that it ends with the session."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from flowcat_jupyter.catalog.providers.memory import Memory, MemoryTable, memory_of
from flowcat_jupyter.catalog.providers.protocol import SchemaFacts
from flowcat_jupyter.catalog.sql_sessions import IDLE_S, SqlSessions
from flowcat_jupyter.shared.errors import AlreadyExists, Conflict, Invalid, NotFound
from flowcat_jupyter.shared.wire import TableFacts
from flowcat_jupyter.worker.spool import Spool

FACTS = TableFacts("delta", (), (), 1, 10, 0, 0)


@pytest.fixture
def spool(tmp_path: Path) -> Spool:
    return Spool(tmp_path, ttl_s=0.0)


def filled(memory: Memory, name: str = "t") -> Path:
    """A table in memory; the folder it lies in."""
    folder = Path(memory.new_location())
    folder.mkdir(parents=True)
    (folder / "rows").touch()
    memory.put(MemoryTable(("memory", "default", name), str(folder), FACTS), made=True)
    return folder


def test_rows_stay_while_the_session_does_and_go_with_it(spool: Spool) -> None:
    seconds = [0.0]
    sessions = SqlSessions(lambda: seconds[0])
    with sessions.using("ann", "s") as session:
        folder = filled(memory_of(session, spool))
    spool.sweep()
    spool.sweep()
    assert folder.exists()
    seconds[0] = IDLE_S + 1
    with sessions.using("ann", "other"):
        pass
    assert not folder.exists()
    spool.sweep()
    assert [path.name for path in spool.folder.rglob("rows")] == []


def test_a_text_without_a_session_leaves_nothing(spool: Spool) -> None:
    with SqlSessions().using("ann", None) as session:
        folder = filled(memory_of(session, spool))
        assert memory_of(session, spool).table("default", "T").location == str(folder)
    assert not folder.exists()


def test_of_two_that_make_a_table_one_does(spool: Spool) -> None:
    memory = Memory(spool)
    filled(memory)
    with pytest.raises(AlreadyExists):
        filled(memory, "T")
    memory.drop("default", "t")
    table = MemoryTable(("memory", "default", "t"), "/x", FACTS)
    with pytest.raises(NotFound):
        memory.put(table, made=False)


def test_a_write_to_a_table_that_was_dropped_takes_no_other_s_place(spool: Spool) -> None:
    memory = Memory(spool)
    gone = str(filled(memory))
    memory.drop("default", "t")
    folder = filled(memory)
    with pytest.raises(NotFound):
        memory.put(MemoryTable(("memory", "default", "t"), gone, FACTS), made=False)
    assert memory.table("default", "t").location == str(folder)


def test_of_two_writes_the_newer_version_is_kept_whoever_tells_last(spool: Spool) -> None:
    memory = Memory(spool)
    folder = str(filled(memory))
    for version in (2, 1):
        facts = replace(FACTS, version=version)
        memory.put(MemoryTable(("memory", "default", "t"), folder, facts), made=False)
    assert memory.table("default", "t").facts.version == 2


def test_a_schema_with_tables_is_dropped_only_when_they_may_go(spool: Spool) -> None:
    memory = Memory(spool)
    folder = filled(memory)
    with pytest.raises(Conflict):
        memory.drop_schema("default", cascade=False)
    memory.drop_schema("default", cascade=True)
    assert not folder.exists()
    with pytest.raises(NotFound):
        memory.find("default", "t")
    with pytest.raises(Invalid):
        memory.add_schema(SchemaFacts("a/b"))
