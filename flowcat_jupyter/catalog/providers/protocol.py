"""What a provider of a catalog is.

A provider answers for one caller at a time, who sees what the provider lets that caller see:
anything else does not exist for it. Its methods are asked on the event loop; what they wait for
(a database, a network) they wait for elsewhere. Whoever asks puts a bound on how long, and may keep
the answers: see `guarded` and `caching`, which any provider can be wrapped in.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from flowcat_jupyter.catalog.access import Actor
from flowcat_jupyter.catalog.sql_sessions import SqlSession
from flowcat_jupyter.shared.errors import SqlError
from flowcat_jupyter.shared.wire import Column, Source

TABLE, VIEW = "table", "view"


@dataclass(frozen=True)
class Asker:
    """Who asks, and in which SQL session."""

    actor: Actor
    session: SqlSession


@dataclass(frozen=True)
class SchemaFacts:
    """A schema: its name as it is written, and what is said of it."""

    name: str
    comment: str | None = None


@dataclass(frozen=True)
class RelationFacts:
    """A table or view: its full name, its kind, and what it is made of.

    ``columns`` may be empty where only a list of relations was asked for.
    """

    path: tuple[str, str, str]
    kind: str = TABLE
    format: str = ""
    columns: tuple[Column, ...] = ()
    comment: str | None = None
    partition_columns: tuple[str, ...] = ()
    properties: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class OpenedTable:
    """A table whose rows may be read by one statement: ``source`` is how a worker opens it.

    ``passing`` is a file that was made for this statement and goes with it.
    """

    facts: RelationFacts
    source: Source
    passing: Path | None = None


class Provider(Protocol):
    """A catalog of schemas that hold tables and views.

    Names are compared by `shared.names.name_key`. What is not there, or not for the caller, is
    `NotFound`; what cannot be reached is `Unavailable`.
    """

    @property
    def name(self) -> str:
        """What the catalog is called."""
        ...

    @property
    def writable(self) -> bool:
        """Whether anything can be made or changed in it at all."""
        ...

    async def schemas(self, asker: Asker) -> tuple[SchemaFacts, ...]:
        """The schemas, by name."""
        ...

    async def relations(self, asker: Asker, schema: str) -> tuple[RelationFacts, ...]:
        """The tables and views of a schema, by name.

        :raises NotFound: there is no such schema.
        """
        ...

    async def relation(self, asker: Asker, schema: str, name: str) -> RelationFacts:
        """One table or view with its columns.

        :raises NotFound: there is none.
        """
        ...

    async def open(self, asker: Asker, schema: str, name: str) -> OpenedTable:
        """A table for one statement to read.

        :raises NotFound: there is none.
        :raises Forbidden: the caller may see it and not read it.
        """
        ...

    async def create_schema(self, asker: Asker, schema: SchemaFacts) -> None:
        """Make a schema.

        :raises AlreadyExists: there is one.
        :raises SqlError: none can be made.
        """
        ...

    async def drop_schema(self, asker: Asker, schema: str, *, cascade: bool) -> None:
        """Remove a schema.

        :raises NotFound: there is none.
        :raises Conflict: it is not empty, and ``cascade`` was not asked for.
        :raises SqlError: none can be removed.
        """
        ...

    async def drop_table(self, asker: Asker, schema: str, name: str) -> None:
        """Remove a table, and its rows where they are the catalog's own.

        :raises NotFound: there is none.
        :raises SqlError: none can be removed.
        """
        ...


def read_only(catalog: str, what: str) -> SqlError:
    """The error for a change to a catalog in which nothing can be changed."""
    return SqlError(
        f"The catalog {catalog} can only be read, and {what} would change it.",
        condition="UNSUPPORTED_FEATURE.TABLE_OPERATION",
        sqlstate="0A000",
        hint="Name a catalog of your own. SHOW CATALOGS lists them.",
    )
