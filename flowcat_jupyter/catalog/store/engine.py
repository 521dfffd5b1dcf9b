"""Database engines: SQLite in WAL mode (on a local disk), or PostgreSQL through psycopg 3.

Transactions begin explicitly. A connection with the execution option ``flowcat_write`` begins one
that may write: ``BEGIN IMMEDIATE`` on SQLite, and on PostgreSQL behind one advisory lock. So
writers take turns on both databases, which is what makes change numbers appear in order. Any
other transaction is a read-only snapshot that never waits for a writer.
"""

from __future__ import annotations

import os
import secrets
import sqlite3
import time
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, OperationalError
from sqlalchemy.pool import ConnectionPoolEntry, QueuePool

from flowcat_jupyter.shared.errors import Invalid, NotInstalled, Unavailable
from flowcat_jupyter.shared.mounts import MOUNTS, network_kind

BUSY_SECONDS = 15
TURN_SECONDS = 60
WRITE = "flowcat_write"
WRITER_LOCK = 7_235_931_001
_POOL = 20


def open_engine(url: str, mounts: Path = MOUNTS) -> Engine:
    """An engine for a database URL; it opens no connection yet.

    Where SQLite's file lies on a network (``mounts`` tells), it keeps a rollback journal: the
    shared memory of a write-ahead log does not reach another machine.

    :raises Invalid: the URL cannot be read, or names another kind of database. The message never
        repeats the URL, which may hold a password.
    :raises NotInstalled: PostgreSQL's driver is missing.
    """
    parsed = _parse(url)
    if parsed.get_backend_name() == "sqlite":
        network = network_kind(Path(parsed.database or "").absolute().parent, mounts)
        return _sqlite(parsed, "WAL" if network is None else "DELETE")
    return _postgresql(parsed)


def _parse(url: str) -> URL:
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        # Not chained: the driver's text may quote the URL.
        raise _bad_url() from None
    backend = parsed.get_backend_name()
    if backend == "postgresql":
        return parsed.set(drivername="postgresql+psycopg")
    if backend == "sqlite" and parsed.database and parsed.database != ":memory:":
        return parsed.set(drivername="sqlite")
    raise _bad_url()


def _bad_url() -> Invalid:
    return Invalid(
        "The database URL in db_url cannot be used.",
        hint="Write sqlite:////absolute/path/catalog.db or postgresql://user:password@host/name, "
        "with special characters of the password percent-encoded.",
    )


def _sqlite(url: URL, journal: str) -> Engine:
    engine = create_engine(
        url,
        creator=partial(_open_sqlite, Path(url.database or "")),
        poolclass=QueuePool,
        pool_size=_POOL,
        max_overflow=_POOL,
    )
    event.listen(engine, "connect", partial(_prepare_sqlite, journal))
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _open_sqlite(path: Path) -> sqlite3.Connection:
    name = str(path)
    if path.exists() and not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)):
        log = path.with_name(f"{path.name}-wal")
        # The log's shared memory cannot be made there. Without a log nothing is missed; with one
        # SQLite must find the memory that is there already.
        whole = not (log.exists() and log.stat().st_size)
        name = f"file:{quote(str(path.absolute()))}?mode=ro{'&immutable=1' if whole else ''}"
    return sqlite3.connect(
        name, timeout=BUSY_SECONDS, check_same_thread=False, uri=name.startswith("file:")
    )


def _prepare_sqlite(journal: str, connection: Any, _entry: ConnectionPoolEntry) -> None:
    # The driver's own implicit BEGIN would come too late and would never be IMMEDIATE.
    connection.isolation_level = None
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000}")
    _set_journal(cursor, journal)
    # Whoever was told that something is kept finds it after a power cut, too.
    cursor.execute("PRAGMA synchronous = FULL")
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.close()


def _set_journal(cursor: sqlite3.Cursor, journal: str) -> None:
    # Changing the journal of a new file asks for a lock that the busy handler does not wait for.
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            cursor.execute(f"PRAGMA journal_mode = {journal}")
        except sqlite3.OperationalError as error:
            if "readonly" in str(error):
                # A folder that can only be read: what journal there is will do for that.
                return
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.02)
        else:
            return


def _begin_sqlite(connection: Connection) -> None:
    writes = bool(connection.get_execution_options().get(WRITE))
    connection.exec_driver_sql(f"PRAGMA query_only = {'OFF' if writes else 'ON'}")
    if writes:
        _take_turn(connection)
    else:
        connection.exec_driver_sql("BEGIN")


def _take_turn(connection: Connection) -> None:
    """Begin a transaction that writes, when the others' are done.

    SQLite's own waiting sleeps longer each time, so that of many busy processes one may never get
    its turn. Asking again and again after a moment gives each the same chance.
    """
    deadline = time.monotonic() + TURN_SECONDS
    connection.exec_driver_sql("PRAGMA busy_timeout = 0")
    try:
        while True:
            try:
                connection.exec_driver_sql("BEGIN IMMEDIATE")
                return
            except OperationalError as error:
                if not is_busy(error) or time.monotonic() > deadline:
                    raise
            time.sleep(secrets.randbelow(6) / 1000 + 0.001)
    finally:
        # A rollback journal's commit waits for readers.
        connection.exec_driver_sql(f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000}")


def _postgresql(url: URL) -> Engine:
    try:
        engine = create_engine(
            url,
            pool_size=_POOL,
            max_overflow=_POOL,
            pool_pre_ping=True,
            hide_parameters=True,
            connect_args={
                "connect_timeout": 10,
                # Recursive queries look dear to the planner, and compiling them costs seconds.
                "options": f"-c lock_timeout={BUSY_SECONDS}s -c timezone=UTC -c jit=off",
            },
        )
    except (ModuleNotFoundError, NoSuchModuleError) as error:
        raise NotInstalled(
            "PostgreSQL support", "pip install 'flowcat-jupyter[postgresql]'"
        ) from error
    event.listen(engine, "begin", _begin_postgresql)
    return engine


def _begin_postgresql(connection: Connection) -> None:
    if connection.get_execution_options().get(WRITE):
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({WRITER_LOCK})")


def connect(engine: Engine, *, write: bool) -> Connection:
    """A connection whose next transaction may write, or is a read-only snapshot."""
    options: dict[str, Any] = {WRITE: write}
    if engine.dialect.name == "postgresql":
        options["postgresql_readonly"] = not write
        options["isolation_level"] = "READ COMMITTED" if write else "REPEATABLE READ"
    connection = engine.connect()
    return connection.execution_options(**options)


_UNWRITABLE = ("is full", "readonly", "unable to open", "disk I/O")


def is_unwritable(error: DBAPIError) -> bool:
    """Whether the disk or its permissions keep SQLite from writing."""
    cause: BaseException | None = error
    # SQLite drops the transaction, so what is heard last may be of a savepoint that went with it.
    while cause is not None:
        if isinstance(cause, sqlite3.Error) and any(word in str(cause) for word in _UNWRITABLE):
            return True
        cause = cause.__cause__ or cause.__context__
    return False


def damaged(error: DBAPIError) -> Unavailable | None:
    """What to say of SQLite's file being damaged; None if it is not that."""
    if not any(word in str(error.orig) for word in ("malformed", "not a database")):
        return None
    return Unavailable(
        "The catalog's database file is damaged.",
        hint="Stop every server, keep the damaged file, and restore the database from a copy.",
    )


def is_busy(error: DBAPIError) -> bool:
    """Whether the database said "not now" rather than "never"."""
    if error.connection_invalidated:
        return True
    state = getattr(error.orig, "sqlstate", None)
    if state is not None:
        return str(state)[:2] in ("08", "40", "53", "55", "57")
    words = str(error.orig)
    return "locked" in words or "busy" in words or "connection" in words.lower()
