"""What one text of SQL reads of catalogs that are not in the database.

Planning does not wait: where it meets a table of such a catalog that is not open yet, it stops
and says which, and is done again once the table is.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TypeVar

from flowcat_jupyter.catalog.commanding.rows import Read, Rows
from flowcat_jupyter.catalog.deps import Deps
from flowcat_jupyter.catalog.planning import describing
from flowcat_jupyter.catalog.planning.current import CATALOG, Use
from flowcat_jupyter.catalog.planning.describing import Describe
from flowcat_jupyter.catalog.planning.places import place
from flowcat_jupyter.catalog.planning.resolver import Entry
from flowcat_jupyter.catalog.planning.showing import Show
from flowcat_jupyter.catalog.planning.views import SessionViews
from flowcat_jupyter.catalog.providers.memory import MemoryProvider
from flowcat_jupyter.catalog.providers.protocol import Asker, OpenedTable, Provider
from flowcat_jupyter.catalog.providers.shown import shown
from flowcat_jupyter.catalog.providers.system import SystemProvider
from flowcat_jupyter.shared.errors import FlowcatError, NotFound, SqlError
from flowcat_jupyter.shared.names import TableName, name_key
from flowcat_jupyter.shared.schema import ROOT_ID

T = TypeVar("T")
Path = tuple[str, ...]
MOST_TABLES = 200
_SCHEMA_WIDE = ("TABLES", "TABLE EXTENDED", "VIEWS")
_NOT_NAMED = ("CATALOGS", "FUNCTIONS", "CURRENT SCHEMA")


class Needed(Exception):
    """A table that has to be opened before planning can go on."""

    def __init__(self, path: Path) -> None:
        """Name it."""
        super().__init__(".".join(path))
        self.path = path


def built_in(deps: Deps) -> tuple[Provider, ...]:
    """The providers that every server has; they wait for nothing that has no bound of its own."""
    return MemoryProvider(deps.results.files), SystemProvider(deps)


class Provided:
    """The tables of providers, as one text of one actor's names them."""

    def __init__(self, asker: Asker, deps: Deps, providers: tuple[Provider, ...]) -> None:
        """Answer for ``asker``; nothing is open yet."""
        self.asker = asker
        self._deps = deps
        self._providers: Mapping[str, Provider] = {name_key(p.name): p for p in providers}
        self._hidden: dict[str, bool] = {}
        self._found: dict[Path, Entry | FlowcatError | None] = {}
        self._opened: list[OpenedTable] = []
        self.warnings: tuple[str, ...] = ()

    @property
    def catalogs(self) -> tuple[str, ...]:
        """What the providers' catalogs are called."""
        return tuple(provider.name for provider in self._providers.values())

    def find(self, path: Path) -> Entry | None:
        """The table of that full name; None if the providers have none.

        :raises Needed: it has to be opened first.
        :raises FlowcatError: why it cannot be read.
        """
        key = tuple(map(name_key, path))
        if key[0] not in self._providers:
            return None
        if key not in self._found:
            raise Needed(path)
        found = self._found[key]
        if isinstance(found, FlowcatError):
            raise found
        return found

    async def planned(self, work: Callable[[], Awaitable[T]]) -> T:
        """What ``work``, which plans, comes to once every table that it needs is open."""
        while True:
            try:
                return await work()
            except Needed as needed:
                if len(self._found) >= MOST_TABLES:
                    raise SqlError(
                        f"A statement reads at most {MOST_TABLES} tables.",
                        condition="STATEMENT_TOO_LARGE",
                        sqlstate="54001",
                    ) from needed
                await self._open(needed.path)

    def close(self) -> None:
        """Forget what was opened, and remove what was made for it."""
        for opened in self._opened:
            if opened.passing is not None:
                self._deps.results.files.remove(opened.passing)
        self._opened.clear()
        self._found.clear()

    async def provider(self, catalog: str) -> Provider | None:
        """The provider of a catalog, unless the database has one of that name."""
        key = name_key(catalog)
        found = self._providers.get(key)
        if found is None:
            return None
        if key not in self._hidden:
            self._hidden[key] = await self._deps.threads.run(lambda: self._is_hidden(catalog))
            if self._hidden[key]:
                self.warnings += (
                    f"The catalog {catalog} is one that somebody made: it hides the built-in "
                    "catalog of that name. Rename it to see both.",
                )
        return None if self._hidden[key] else found

    async def used(self, use: Use, now: tuple[str, str]) -> tuple[str, str] | None:
        """The place that a USE leads to among the providers' schemas; None for none.

        :raises SqlError: the catalog has no such schema.
        """
        *above, name = use.name
        catalog = above[0] if above else (name if use.what != "SCHEMA" else now[0])
        provider = await self.provider(catalog)
        if provider is None and use.what is None and not above:
            provider, above = await self.provider(now[0]), [now[0]]
        if provider is None:
            return None
        schemas = [schema.name for schema in await provider.schemas(self.asker)]
        if use.what == CATALOG or (not above and use.what is None):
            return provider.name, schemas[0] if schemas else "default"
        for schema in schemas:
            if name_key(schema) == name_key(name):
                return provider.name, schema
        missing = NotFound("schema", TableName((provider.name, name)).sql)
        raise SqlError.of(missing, place=place(use.piece, use.start))

    async def shown(self, statement: Show | Describe, now: tuple[str, str]) -> Rows | Read | None:
        """What a SHOW or DESCRIBE tells of a provider's catalog; None if it is about others."""
        wanted = _subject(statement, now, self.asker)
        if wanted is None:
            return None
        provider = await self.provider(wanted[0])
        if provider is None:
            return None
        try:
            return await shown(provider, self.asker, statement, wanted[1:])
        except FlowcatError as error:
            if isinstance(error, NotFound) and _may_be_elsewhere(statement):
                return None
            raise SqlError.of(error, place=place(statement.piece, 0)) from error

    async def _open(self, path: Path) -> None:
        key = tuple(map(name_key, path))
        provider = await self.provider(path[0])
        if provider is None:
            self._found[key] = None
            return
        try:
            opened = await provider.open(self.asker, path[1], path[2])
        except NotFound:
            self._found[key] = None
            return
        except FlowcatError as error:
            self._found[key] = error
            return
        self._opened.append(opened)
        facts, source = opened.facts, opened.source
        self._found[key] = Entry(
            None, facts.path, source.format, source.location, facts.columns, source=source
        )

    def _is_hidden(self, catalog: str) -> bool:
        with self._deps.begin(self.asker.actor) as unit:
            return unit.securables.child(ROOT_ID, "catalog", catalog) is not None


def _subject(statement: Show | Describe, now: tuple[str, str], asker: Asker) -> Path | None:
    """The catalog, and what in it, that a statement is about; None where it names nothing."""
    if isinstance(statement, Describe):
        return _described(statement, now, asker)
    within = statement.within
    if statement.what in _NOT_NAMED:
        return None
    if statement.what == "SCHEMAS":
        return within or now[:1]
    if statement.what in _SCHEMA_WIDE:
        return (*now[: 2 - len(within)], *within) if len(within) <= 2 else None
    name = (*statement.schema, within[-1]) if statement.schema else within
    return _table(name, now, asker)


def _described(statement: Describe, now: tuple[str, str], asker: Asker) -> Path | None:
    if statement.what == describing.FUNCTION:
        return None
    if statement.what == describing.CATALOG:
        return statement.name if len(statement.name) == 1 else None
    if statement.what == describing.SCHEMA:
        return (*now[: max(2 - len(statement.name), 0)], *statement.name)
    return _table(statement.name, now, asker)


def _table(name: Path, now: tuple[str, str], asker: Asker) -> Path | None:
    views = SessionViews(asker.session.views, asker.session.global_views)
    if len(name) > 3 or views.find(name) is not None:
        return None
    return (*now[: 3 - len(name)], *name)


def _may_be_elsewhere(statement: Show | Describe) -> bool:
    """Whether a name has so few parts that it may mean something in another catalog."""
    if isinstance(statement, Describe):
        return statement.what == describing.TABLE and len(statement.name) < 3
    return (
        statement.what in ("COLUMNS", "TBLPROPERTIES", "PARTITIONS") and len(statement.within) < 3
    )
