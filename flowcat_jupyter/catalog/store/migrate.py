"""Bringing a database to the schema this version works with."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError

from flowcat_jupyter.catalog.store import search_index
from flowcat_jupyter.catalog.store.engine import connect, damaged, is_unwritable
from flowcat_jupyter.shared.errors import Conflict, Unavailable


@dataclass(frozen=True)
class Revision:
    """Where a database stands (None: empty) and where this version wants it."""

    current: str | None
    head: str

    @property
    def ready(self) -> bool:
        """Whether nothing is to be done."""
        return self.current == self.head


def check(engine: Engine) -> Revision:
    """Look, change nothing.

    :raises Unavailable: the database does not answer.
    """
    try:
        with connect(engine, write=False) as connection:
            current = MigrationContext.configure(connection).get_current_revision()
    except DBAPIError as error:
        raise damaged(error) or _unreachable() from error
    return Revision(current, _head())


def upgrade(engine: Engine) -> Revision:
    """Bring the database to this version's schema; all of it or nothing.

    Processes that start together take turns; the later ones find nothing left to do. A
    database that can only be read will do if there is nothing to do.

    :raises Unavailable: the database does not answer.
    :raises Conflict: a newer version made the database.
    """
    try:
        with connect(engine, write=True) as connection, connection.begin():
            before = MigrationContext.configure(connection).get_current_revision()
            _run(connection)
            if before != _head():
                # What was there before a migration is found by words too.
                search_index.rebuild(connection)
    except DBAPIError as error:
        found = check(engine) if is_unwritable(error) else None
        if found is None or not found.ready:
            raise damaged(error) or _unreachable() from error
        return found
    return check(engine)


def outgrown(engine: Engine) -> Unavailable | None:
    """What to say of a database that another version changed while this process runs.

    None if that is not so, or if the database does not tell.
    """
    try:
        found = check(engine)
    except Unavailable:
        return None
    if found.ready or found.current is None:
        return None
    return Unavailable(
        "Another version of flowcat-jupyter has upgraded the catalog's database meanwhile.",
        hint="Restart the server, with the version that is installed now.",
    )


def _run(connection: Connection) -> None:
    config = _config()
    config.attributes["connection"] = connection
    try:
        command.upgrade(config, "head")
    except CommandError as error:
        raise Conflict(
            "A newer version of flowcat-jupyter made this catalog's database.",
            hint="Install the newer version again, or point db_url elsewhere.",
        ) from error


def _config() -> Config:
    config = Config()
    folder = Path(__file__).parent / "migrations"
    config.set_main_option("script_location", str(folder).replace("%", "%%"))
    return config


@cache
def _head() -> str:
    # Read once: an installation over a running process replaces the migrations it came with.
    head = ScriptDirectory.from_config(_config()).get_current_head()
    if head is None:
        raise Unavailable("The package holds no migrations.", hint="Install it again.")
    return head


def _unreachable() -> Unavailable:
    return Unavailable(
        "The catalog's database does not answer, or refuses to be changed.",
        hint="Check db_url, that the server runs, and that its folder can be written.",
    )
