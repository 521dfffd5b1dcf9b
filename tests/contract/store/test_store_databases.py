"""What both databases must give alike: migrations, transactions, time, secrecy."""

from __future__ import annotations

import subprocess
import sys
import threading
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Engine, inspect, select
from sqlalchemy.exc import IntegrityError, StatementError

from flowcat_jupyter.catalog.access import LOCAL
from flowcat_jupyter.catalog.store.engine import connect, open_engine
from flowcat_jupyter.catalog.store.migrate import check, upgrade
from flowcat_jupyter.shared.errors import AlreadyExists, Conflict, Internal, Invalid, Unavailable
from flowcat_jupyter.shared.events import NamespaceRenamed
from flowcat_jupyter.shared.schema import groups, metadata, securables
from flowcat_jupyter.shared.settings import load
from tests.support.catalog import World

ROOT = Path(__file__).parents[3]
WHEN = datetime(2026, 3, 29, 1, 30, tzinfo=UTC)

START = """
import sys
from flowcat_jupyter.catalog.store.engine import open_engine
from flowcat_jupyter.catalog.store.migrate import upgrade
engine = open_engine(sys.argv[1])
assert upgrade(engine).ready
engine.dispose()
"""
WRITE = """
import sys
from datetime import UTC, datetime
from flowcat_jupyter.catalog.access import LOCAL
from flowcat_jupyter.catalog.reactions import Reactions
from flowcat_jupyter.catalog.store.engine import open_engine
from flowcat_jupyter.catalog.unit import UnitFactory
from flowcat_jupyter.shared.events import NamespaceCreated
class Now:
    def now(self):
        return datetime.now(UTC)
engine = open_engine(sys.argv[1])
begin = UnitFactory(engine, Now(), Reactions())
for number in range(40):
    with begin(LOCAL, write=True) as unit:
        node = unit.securables.insert("catalog", 1, f"{sys.argv[2]}_{number}", by="x", at=unit.now)
        unit.record(NamespaceCreated(node, "u", "catalog", 1, f"{sys.argv[2]}_{number}"))
engine.dispose()
"""


def start(script: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(  # noqa: S603 - a script of our own
        [sys.executable, "-W", "error", "-c", script, *arguments],
        cwd=ROOT,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(processes: list[subprocess.Popen[str]], timeout_s: float = 120) -> None:
    for process in processes:
        _, errors = process.communicate(timeout=timeout_s)
        assert process.returncode == 0, errors


def test_first_starts_at_the_same_time_all_succeed(empty_url: str) -> None:
    finish([start(START, empty_url) for _ in range(3)])
    engine = open_engine(empty_url)
    assert check(engine).ready
    with engine.connect() as connection:
        assert connection.execute(select(securables.c.id)).scalars().all() == [1]
    engine.dispose()


def test_an_empty_database_is_seen_as_such_and_left_alone(empty_url: str) -> None:
    engine = open_engine(empty_url)
    state = check(engine)
    assert (state.current, state.ready) == (None, False)
    assert inspect(engine).get_table_names() == []
    assert upgrade(engine).ready
    assert upgrade(engine).ready
    engine.dispose()


def test_the_migrations_make_what_the_schema_says(engine: Engine) -> None:
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, metadata) == []


def test_a_database_of_a_newer_version_is_refused_and_left_alone(engine: Engine) -> None:
    with connect(engine, write=True) as connection, connection.begin():
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(Conflict, match="newer version"):
        upgrade(engine)
    assert check(engine).current == "9999"


@pytest.mark.parametrize("write", [False, True])
def test_a_running_server_says_that_a_newer_version_changed_the_database(
    world: World, write: bool
) -> None:
    def read() -> None:
        with world.begin(LOCAL, write=write) as unit:
            unit.securables.get(1)

    def run(statement: str) -> None:
        with connect(world.engine, write=True) as connection, connection.begin():
            connection.exec_driver_sql(statement)

    run("ALTER TABLE securables RENAME COLUMN name TO title")
    with pytest.raises(Internal, match="refused a statement"):
        read()
    run("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(Unavailable, match="upgraded") as caught:
        read()
    assert "Restart the server" in (caught.value.hint or "")


def test_two_processes_write_at_once_and_lose_nothing(database_url: str) -> None:
    finish([start(WRITE, database_url, name) for name in ("a", "b")])
    engine = open_engine(database_url)
    with engine.connect() as connection:
        names = connection.execute(select(securables.c.name)).scalars().all()
    engine.dispose()
    assert len(names) == 81


def test_change_numbers_appear_in_the_order_of_their_commits(world: World) -> None:
    """A reader that resumes after the newest number it saw must never have missed a lower one."""
    seen: list[int] = []
    stop = threading.Event()

    def write() -> None:
        for _ in range(25):
            with world.begin(LOCAL, write=True) as unit:
                node = unit.securables.get(main)
                unit.securables.update(node, by="x", at=unit.now)
                unit.record(_renamed(main))

    def read() -> None:
        newest = 0
        while not stop.is_set() or newest < world_latest(world):
            with world.begin(LOCAL) as unit:
                feed = unit.changes.since(newest, 1000)
            seen.extend(change.seq for change in feed.items)
            newest = feed.seq

    with world.begin(LOCAL, write=True) as unit:
        main = unit.securables.insert("catalog", 1, "main", by="x", at=unit.now)
    reader = threading.Thread(target=read)
    writers = [threading.Thread(target=write) for _ in range(3)]
    for thread in (reader, *writers):
        thread.start()
    for thread in writers:
        thread.join()
    stop.set()
    reader.join()
    assert seen == sorted(seen)
    assert len(seen) == 75


def _renamed(node_id: int) -> NamespaceRenamed:
    return NamespaceRenamed(node_id, "u", "catalog", 1, "main")


def world_latest(world: World) -> int:
    with world.begin(LOCAL) as unit:
        return unit.changes.latest()


def test_a_reader_waits_for_no_writer_and_sees_one_moment(world: World) -> None:
    with world.begin(LOCAL) as reader:
        before = reader.changes.latest()
        with world.begin(LOCAL, write=True) as writer:
            writer.securables.insert("catalog", 1, "new", by="x", at=writer.now)
            with world.begin(LOCAL) as other:
                assert other.securables.child(1, "catalog", "new") is None
        assert reader.changes.latest() == before
        assert reader.securables.child(1, "catalog", "new") is None
    with world.begin(LOCAL) as later:
        assert later.securables.child(1, "catalog", "new") is not None


def test_times_keep_their_instant_and_come_back_in_utc(world: World) -> None:
    elsewhere = WHEN.astimezone(timezone(timedelta(hours=9, minutes=30)))
    with world.begin(LOCAL, write=True) as unit:
        node_id = unit.securables.insert("catalog", 1, "c", by="x", at=elsewhere)
        found = unit.securables.get(node_id)
    assert found.created_at == WHEN
    assert found.created_at.tzinfo is UTC


def test_a_time_without_a_zone_is_refused(engine: Engine) -> None:
    naive = WHEN.replace(tzinfo=None)
    row = {"name": "g", "name_key": "g", "created_at": naive}
    with (
        pytest.raises(StatementError, match="without a zone"),
        connect(engine, write=True) as connection,
        connection.begin(),
    ):
        connection.execute(groups.insert().values(row))


@pytest.mark.parametrize(
    "wrong",
    [
        {"parent_id": None, "kind": "catalog"},
        {"parent_id": 1, "kind": "root"},
        {"parent_id": None, "kind": "root"},
        {"parent_id": 777, "kind": "schema"},
        {"parent_id": 1, "kind": "catalog", "state": "wrong"},
    ],
)
def test_the_database_itself_refuses_what_may_not_be(
    engine: Engine, wrong: dict[str, object]
) -> None:
    row = {
        "uuid": "u",
        "space": "catalog",
        "name": "n",
        "name_key": "n",
        "owner": "o",
        "created_at": WHEN,
        "created_by": "o",
        "updated_at": WHEN,
        "updated_by": "o",
        **wrong,
    }
    with (
        pytest.raises(IntegrityError),
        connect(engine, write=True) as connection,
        connection.begin(),
    ):
        connection.execute(securables.insert().values(row))


def test_a_unique_name_that_is_refused_leaves_the_unit_usable(world: World) -> None:
    with world.begin(LOCAL, write=True) as unit:
        unit.securables.insert("catalog", 1, "a", by="x", at=unit.now)
        with pytest.raises(AlreadyExists):
            unit.securables.insert("catalog", 1, "A", by="x", at=unit.now)
        unit.securables.insert("catalog", 1, "b", by="x", at=unit.now)
    with world.begin(LOCAL) as unit:
        assert unit.securables.children(None, limit=10).total == 2


SECRET = "hunter2"  # noqa: S105 - a made-up one


@pytest.mark.parametrize(
    "url",
    [
        f"postgresql://user:{SECRET}@host:not-a-port/name",
        f"postgresql://user:{SECRET}@ho:st:5432/x",
        f"mysql://user:{SECRET}@host/name",
        f"nonsense {SECRET}",
        f"user:{SECRET}",
        "sqlite://",
        "sqlite:///:memory:",
    ],
)
def test_a_url_that_cannot_be_used_is_refused_without_its_password(url: str) -> None:
    with pytest.raises(Invalid) as refused:
        open_engine(url).connect()
    text = f"{refused.value!r} {refused.value.hint} {refused.value.__cause__!r}"
    assert SECRET not in text
    assert refused.value.__context__ is None or refused.value.__suppress_context__


def test_a_server_that_does_not_answer_is_unavailable_and_tells_no_password() -> None:
    engine = open_engine(f"postgresql://user:{SECRET}@127.0.0.1:1/name")
    assert SECRET not in repr(engine)
    with pytest.raises(Unavailable) as refused:
        upgrade(engine)
    assert SECRET not in f"{refused.value} {refused.value.hint} {refused.value.__cause__}"
    engine.dispose()


def test_a_folder_that_is_not_there_is_unavailable(tmp_path: Path) -> None:
    engine = open_engine(f"sqlite:///{tmp_path / 'nowhere' / 'catalog.db'}")
    with pytest.raises(Unavailable):
        upgrade(engine)
    engine.dispose()


@pytest.mark.parametrize("folder", ["my José dir", "a#b", "a%20b", "{x}", "日本", "it's", "a?b"])
def test_a_database_lives_in_any_folder(tmp_path: Path, folder: str) -> None:
    home = tmp_path / folder
    settings = load({"FLOWCAT_HOME": str(home)}, file=None)
    settings.make_home()
    engine = open_engine(settings.db_url)
    assert upgrade(engine).ready
    engine.dispose()
    assert (home / "catalog.db").is_file()
    assert [path.name for path in tmp_path.iterdir()] == [folder]
