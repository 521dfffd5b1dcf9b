"""From a written name to the one table it means for this caller (decision 3).

Only what the caller may see takes part, so a hidden table can neither answer nor make a name
ambiguous. Errors carry no position; the gate, which knows the place, adds it.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from flowcat_jupyter.catalog.planning.formats import FILES
from flowcat_jupyter.catalog.planning.functions import (
    SESSION,
    FunctionText,
    NoRoutines,
    Routines,
    SessionFunctions,
)
from flowcat_jupyter.catalog.planning.views import SessionViews, ViewText
from flowcat_jupyter.shared.errors import SqlError
from flowcat_jupyter.shared.names import TableName, name_key
from flowcat_jupyter.shared.wire import Column, OptionLayer, Source

PATH_FORMATS = ("delta", "iceberg", *FILES)


@dataclass(frozen=True)
class Entry:
    """A table as planning sees it.

    ``id`` is None for a table addressed by its path. One that may only be browsed is not
    ``readable``. ``pointer`` is the metadata file that is the table, where the catalog keeps one.
    ``view`` is the definition, where it is no table but a view. ``options`` and ``declared``
    columns say how files are read. ``source`` is how it is opened, where somebody else than the
    database says so.
    """

    id: int | None
    path: tuple[str, ...]
    format: str
    location: str
    columns: tuple[Column, ...] = ()
    readable: bool = True
    pointer: str | None = None
    view: ViewText | None = None
    options: tuple[OptionLayer, ...] = ()
    declared: tuple[Column, ...] = ()
    source: Source | None = None

    @property
    def sql_name(self) -> str:
        """The full name as SQL text."""
        return TableName(self.path).sql


class Directory(Protocol):
    """The caller's view of the catalog: visible objects only."""

    def tables_named(self, name: str) -> Sequence[Entry]:
        """Every visible table with this last part, compared as names are."""
        ...

    def table_paths(self, limit: int) -> Sequence[tuple[str, ...]]:
        """Full names of visible tables, to suggest from."""
        ...

    def path_table(self, format: str, path: str) -> Entry:
        """The table at a path the caller may read.

        :raises FlowcatError: the path is not allowed or holds no table.
        """
        ...


class Others(Protocol):
    """Catalogs that are not in the database."""

    def find(self, path: tuple[str, ...]) -> Entry | None:
        """The table of that full name; None if there is none.

        :raises FlowcatError: it is there and cannot be read.
        """
        ...


class NoOthers:
    """There are none."""

    def find(self, _path: tuple[str, ...]) -> Entry | None:
        """Nothing."""
        return None


@dataclass(frozen=True)
class Resolver:
    """Resolves names for one caller, with one current catalog and schema."""

    directory: Directory
    catalog: str
    schema: str
    views: SessionViews = field(default_factory=SessionViews)
    others: Others = field(default_factory=NoOthers)
    routines: Routines = field(default_factory=NoRoutines)
    functions: SessionFunctions = field(default_factory=SessionFunctions)
    defining: FunctionText | None = None

    def within(self, view: ViewText | FunctionText) -> Resolver:
        """How the definition of a view or function resolves names; the one that is being made
        may mean all that there is.
        """
        if view is self.defining:
            return self
        return replace(
            self,
            catalog=view.catalog,
            schema=view.schema,
            views=self.views.within(view),
            functions=self.functions.within(frozenset() if view.lasts else view.calls),
        )

    def function(self, parts: tuple[str, ...]) -> FunctionText | None:
        """The function that ``parts`` mean: one of the session's, else one of the catalog's in
        the schema that is named or else the current one. None if there is none.
        """
        above = tuple(map(name_key, parts[:-1]))
        if not above or above in SESSION:
            found = self.functions.find(parts[-1])
            if found is not None or above:
                return found
        if len(parts) > 3:
            return None
        return self.routines.find((*(self.catalog, self.schema)[: 3 - len(parts)], *parts))

    def table(self, parts: tuple[str, ...]) -> Entry:
        """The table ``parts`` mean.

        :raises SqlError: TABLE_OR_VIEW_NOT_FOUND with the nearest visible name, or
            AMBIGUOUS_TABLE_NAME listing what it could be.
        """
        if len(parts) > 3:
            raise SqlError(
                f"{TableName(parts).sql} has more than three parts.",
                condition="REQUIRES_SINGLE_PART_NAMESPACE",
                sqlstate="42K05",
                hint="A table's name is catalog.schema.table.",
            )
        temporary = self.views.find(parts)
        if temporary is not None:
            return _temporary(temporary)
        other = self.others.find((*(self.catalog, self.schema)[: 3 - len(parts)], *parts))
        if other is not None:
            return other
        named = self.directory.tables_named(parts[-1])
        found = _PARTS[len(parts)](self, parts, named)
        if found is not None:
            return found
        if len(parts) == 2 and parts[0].casefold() in PATH_FORMATS:
            return self.directory.path_table(parts[0].casefold(), parts[1])
        raise self._missing(parts)

    def _one(self, parts: tuple[str, ...], named: Sequence[Entry]) -> Entry | None:
        current = _in(named, self.catalog, self.schema)
        return current or _only(parts, named)

    def _two(self, parts: tuple[str, ...], named: Sequence[Entry]) -> Entry | None:
        current = _in(named, self.catalog, parts[0])
        if current:
            return current
        return _only(parts, [entry for entry in named if _same(entry.path[1], parts[0])])

    def _three(self, parts: tuple[str, ...], named: Sequence[Entry]) -> Entry | None:
        return _in(named, parts[0], parts[1])

    def _missing(self, parts: tuple[str, ...]) -> SqlError:
        wanted = TableName(parts).sql
        near = self._nearest(parts)
        hint = f"Did you mean {near}?" if near else "SHOW TABLES lists what there is."
        return SqlError(
            f"There is no table {wanted}.",
            condition="TABLE_OR_VIEW_NOT_FOUND",
            sqlstate="42P01",
            hint=hint,
        )

    def _nearest(self, parts: tuple[str, ...]) -> str | None:
        paths = self.directory.table_paths(2000)
        texts = {name_key(".".join(path[-len(parts) :])): path for path in reversed(paths)}
        close = difflib.get_close_matches(name_key(".".join(parts)), texts, n=1, cutoff=0.6)
        return TableName(texts[close[0]]).sql if close else None


_PARTS = {1: Resolver._one, 2: Resolver._two, 3: Resolver._three}


def _temporary(view: ViewText) -> Entry:
    files = view.files
    if files is None:
        return Entry(None, view.path, "view", "", view.columns, view=view)
    return Entry(
        None,
        view.path,
        files.format,
        files.location,
        view.columns,
        view=view,
        options=files.options,
        declared=files.declared,
    )


def _same(left: str, right: str) -> bool:
    return name_key(left) == name_key(right)


def _in(named: Sequence[Entry], catalog: str, schema: str) -> Entry | None:
    for entry in named:
        if _same(entry.path[0], catalog) and _same(entry.path[1], schema):
            return entry
    return None


def _only(parts: tuple[str, ...], named: Sequence[Entry]) -> Entry | None:
    if len(named) < 2:
        return named[0] if named else None
    candidates = ", ".join(sorted(entry.sql_name for entry in named)[:10])
    raise SqlError(
        f"{TableName(parts).sql} is ambiguous: {candidates}.",
        condition="AMBIGUOUS_TABLE_NAME",
        sqlstate="42704",
        hint="Write the full name, catalog.schema.table.",
    )
