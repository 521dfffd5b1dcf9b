"""Completion of SQL: columns in scope, then tables, then functions and keywords.

Children are fetched when they are asked for; nothing is scanned ahead, and only what the caller
sees is ever proposed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from flowcat_jupyter.catalog.access import Actor
from flowcat_jupyter.catalog.deps import Deps
from flowcat_jupyter.catalog.directory import UnitDirectory
from flowcat_jupyter.catalog.planning.cursor import Cursor, read_cursor
from flowcat_jupyter.catalog.planning.functions import FunctionText
from flowcat_jupyter.catalog.planning.resolver import Entry, Resolver
from flowcat_jupyter.catalog.planning.views import GLOBAL_TEMP, SessionViews
from flowcat_jupyter.catalog.providers.known import KnownTables
from flowcat_jupyter.catalog.sql_sessions import SqlSession
from flowcat_jupyter.catalog.store.rows import FunctionRow
from flowcat_jupyter.catalog.unit import Unit
from flowcat_jupyter.shared.counts import many
from flowcat_jupyter.shared.errors import FlowcatError
from flowcat_jupyter.shared.names import name_key, quote
from flowcat_jupyter.sql import functions

MOST = 100
MAX_TEXT = 100_000
KEYWORDS = re.findall(
    r"[A-Z ]+(?=,|$)",
    "SELECT,FROM,WHERE,GROUP BY,ORDER BY,HAVING,QUALIFY,LIMIT,OFFSET,JOIN,LEFT JOIN,INNER JOIN,"
    "FULL JOIN,CROSS JOIN,ON,USING,AS,AND,OR,NOT,IN,EXISTS,BETWEEN,LIKE,IS NULL,IS NOT NULL,CASE,"
    "WHEN,THEN,ELSE,END,DISTINCT,UNION,UNION ALL,EXCEPT,INTERSECT,WITH,VERSION AS OF,OVER,"
    "PARTITION BY,ASC,DESC,NULLS FIRST,NULLS LAST,VALUES",
)


@dataclass(frozen=True)
class Proposal:
    """``insert`` replaces the word under the cursor and is quoted where it must be."""

    label: str
    insert: str
    kind: str
    detail: str | None = None


@dataclass(frozen=True)
class Proposals:
    """What may stand between two places (UTF-16 units), best first."""

    start: int
    end: int
    items: tuple[Proposal, ...]


class CompletionService:
    """Completes for one actor."""

    def __init__(self, actor: Actor, deps: Deps) -> None:
        """Serve one actor."""
        self._actor = actor
        self._begin = deps.begin
        self._threads = deps.threads
        self._settings = deps.settings
        self._sessions = deps.sessions

    async def complete(
        self,
        text: str,
        position: int,
        *,
        catalog: str | None = None,
        schema: str | None = None,
        session: str | None = None,
    ) -> Proposals:
        """Proposals at ``position``, a count of UTF-16 units; at most a hundred. Those of a
        ``session`` are its temporary views and variables, too.

        None in a text so long that reading it would take longer than typing the word.
        """

        def work() -> Proposals:
            if len(text) > MAX_TEXT:
                return Proposals(position, position, ())
            cursor = read_cursor(text, position)
            if cursor.in_text:
                return Proposals(cursor.start, cursor.end, ())
            with (
                self._sessions.using(self._actor.name, session) as own,
                self._begin(self._actor) as unit,
            ):
                known = own.place if own.place and not catalog else (None, None)
                place = _Place(
                    unit,
                    UnitDirectory(unit),
                    catalog or known[0] or self._settings.default_catalog,
                    schema or known[1] or self._settings.default_schema,
                    own,
                )
                return Proposals(cursor.start, cursor.end, tuple(_best(place.all(cursor), cursor)))

        return await self._threads.run(work)


@dataclass(frozen=True)
class _Place:
    """The catalog as seen from one current schema."""

    unit: Unit
    directory: UnitDirectory
    catalog: str
    schema: str
    session: SqlSession

    def all(self, cursor: Cursor) -> Iterator[Proposal]:
        if cursor.before:
            yield from self._after_dot(cursor)
            return
        yield from self._things(cursor)
        yield from (Proposal(word, word, "keyword") for word in cursor.wants.keywords)
        if cursor.wants.kind == "any":
            yield from self._functions((self.catalog, self.schema))
            yield from (Proposal(name, f"{name}(", "function") for name in functions.names())
            yield from (Proposal(word, word, "keyword") for word in KEYWORDS)

    def _things(self, cursor: Cursor) -> Iterator[Proposal]:
        """What the catalog has of the kind that belongs here."""
        kind = cursor.wants.kind
        if kind == "target column":
            yield from self._columns(cursor.target)
        if kind in ("any", "column"):
            yield from self._columns_in_scope(cursor)
        if kind in ("any", "relation"):
            yield from self._relations(cursor.word)
        if kind == "schema":
            yield from self._children((self.catalog,), cursor.word)
        if kind in ("schema", "catalog"):
            yield from self._page(None, "catalog", cursor.word)

    def _after_dot(self, cursor: Cursor) -> Iterator[Proposal]:
        """``alias.``, ``catalog.``, ``schema.`` or a table's name and a dot."""
        for alias, parts in cursor.scope:
            if len(cursor.before) == 1 and name_key(alias) == name_key(cursor.before[0]):
                yield from self._columns(parts)
                return
        if [name_key(part) for part in cursor.before] == [GLOBAL_TEMP]:
            for view in list(self.session.global_views.values()):
                yield Proposal(view.path[-1], quote(view.path[-1]), "table", "temporary view")
            return
        found = self._children(cursor.before, cursor.word)
        if cursor.wants.kind in ("schema", "catalog"):
            yield from (item for item in found if item.kind == "schema")
            return
        yield from found
        if cursor.wants.kind != "relation":
            yield from self._columns(cursor.before)
            yield from self._functions((self.catalog, *cursor.before)[-2:])

    def _functions(self, schema: tuple[str, ...]) -> Iterator[Proposal]:
        """Functions that people made: the session's where no schema is named, and a schema's."""
        found: list[FunctionText | FunctionRow] = []
        if schema == (self.catalog, self.schema):
            found += list(self.session.functions.values())
        try:
            above = self.unit.securables.schema(*schema)
            found += self.unit.functions.beneath(above.id)
        except FlowcatError:
            # A catalog that is not in the database, or no schema at all.
            pass
        for function in found:
            name = function.path[-1]
            names = ", ".join(parameter.name for parameter in function.parameters)
            yield Proposal(name, f"{quote(name)}(", "function", f"({names})")

    def _columns_in_scope(self, cursor: Cursor) -> Iterator[Proposal]:
        several = len(cursor.scope) > 1
        for alias, parts in cursor.scope:
            yield from self._columns(parts, alias if several else None)
        for variable in list(self.session.variables.values()):
            detail = f"{variable.type} · variable"
            yield Proposal(variable.name, quote(variable.name), "column", detail)

    def _columns(self, parts: tuple[str, ...], alias: str | None = None) -> Iterator[Proposal]:
        entry = self._entry(parts)
        if entry is None:
            return
        for column in entry.columns:
            detail = f"{column.type} · {alias or entry.path[-1]}"
            yield Proposal(column.name, quote(column.name), "column", detail)

    def _entry(self, parts: tuple[str, ...]) -> Entry | None:
        try:
            views = SessionViews(self.session.views, self.session.global_views)
            resolver = Resolver(self.directory, self.catalog, self.schema, views, self.known)
            return resolver.table(parts)
        except FlowcatError:
            # Half-typed names are no error while they are typed.
            return None

    @property
    def known(self) -> KnownTables:
        """The catalogs that are not in the database."""
        return KnownTables(self.session)

    def _children(self, before: tuple[str, ...], word: str) -> Iterator[Proposal]:
        for name, kind in self.known.names(before):
            yield Proposal(name, quote(name), kind)
        securables = self.unit.securables
        try:
            if len(before) == 1:
                catalog = securables.catalog(before[0])
                yield from self._page(catalog.id, "schema", word)
                return
            schema = securables.schema(*before[-2:])
            yield from self._page(schema.id, "table", word)
        except FlowcatError:
            if len(before) == 1:
                yield from self._tables_of(before[0], word)

    def _tables_of(self, schema: str, word: str) -> Iterator[Proposal]:
        try:
            found = self.unit.securables.schema(self.catalog, schema)
        except FlowcatError:
            return
        yield from self._page(found.id, "table", word)

    def _relations(self, word: str) -> Iterator[Proposal]:
        """Temporary views, tables of the current schema, then any whose name matches, then
        catalogs.
        """
        for view in [*self.session.views.values(), *self.session.global_views.values()]:
            yield Proposal(view.path[-1], view.sql_name, "table", "temporary view")
        yield from self._tables_of(self.schema, word)
        here = (self.catalog, self.schema)
        if word:
            for hit in self.unit.search.find(word, limit=MOST, kinds=("table", "view")).items:
                node = hit.node
                if list(map(name_key, node.path[:-1])) == list(map(name_key, here)):
                    continue
                yield Proposal(node.name, node.sql_name, "table", ".".join(node.path[:-1]))
        yield from self._page(None, "catalog", word)

    def _page(self, parent_id: int | None, kind: str, word: str) -> Iterator[Proposal]:
        if parent_id is None:
            yield from (Proposal(name, quote(name), kind) for name, _ in self.known.names(()))
        page = self.unit.securables.children(parent_id, limit=MOST, q=word)
        for node in page.items:
            detail = many(node.row_count, "row") if node.row_count is not None else None
            yield Proposal(node.name, quote(node.name), kind, detail)


def _best(items: Iterator[Proposal], cursor: Cursor) -> list[Proposal]:
    """The first hundred that match what is typed, those that begin with it first."""
    key = name_key(cursor.word)
    begins: list[Proposal] = []
    holds: list[Proposal] = []
    seen: set[tuple[str, str]] = set()
    for item in items:
        label = name_key(item.label)
        mark = (item.kind, name_key(item.insert))
        if key not in label or mark in seen:
            continue
        seen.add(mark)
        (begins if label.startswith(key) else holds).append(item)
        if len(begins) >= MOST:
            break
    return (begins + holds)[:MOST]
