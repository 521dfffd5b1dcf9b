"""Views as planning knows them: those of the catalog, and those of a session.

A definition is kept as text, and what its names mean is settled whenever it is read: names of
fewer parts from the catalog and schema in which it was made, with the rights of whoever reads.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Protocol

from flowcat_jupyter.shared.errors import SqlError
from flowcat_jupyter.shared.names import TableName, name_key
from flowcat_jupyter.shared.wire import Column, OptionLayer

GLOBAL_TEMP = "global_temp"
"""The schema that an actor's global temporary views are named in."""
MOST_DEEP = 5
"""How many views may stand one within the other."""

Key = tuple[bool, str]
"""A temporary view: whether it is a global one, and the key of its name."""


@dataclass(frozen=True)
class FilesRead:
    """Files that a temporary view is: how a table's entry would have them."""

    format: str
    location: str
    options: tuple[OptionLayer, ...] = ()
    declared: tuple[Column, ...] = ()


@dataclass(frozen=True)
class ViewText:
    """A view's definition.

    ``names`` are those of its columns where they are listed; else its query's own are. ``id`` is
    None for a temporary view, which sees those temporary ones that it ``uses`` and the temporary
    functions that it ``calls``, and no others.
    Who is not ``told`` what stands in the definition learns nothing of it from errors. One of
    ``files`` has no text.
    """

    kind: ClassVar[str] = "view"
    path: tuple[str, ...]
    text: str
    dialect: str
    catalog: str
    schema: str
    names: tuple[str, ...] = ()
    columns: tuple[Column, ...] = ()
    id: int | None = None
    uses: frozenset[Key] = frozenset()
    calls: frozenset[str] = frozenset()
    told: bool = True
    comment: str | None = None
    files: FilesRead | None = None
    properties: Mapping[str, str] = field(default_factory=dict)

    @property
    def sql_name(self) -> str:
        """The full name as SQL text."""
        return TableName(self.path).sql

    @property
    def lasts(self) -> bool:
        """Whether it is the catalog's, and no session's."""
        return len(self.path) == 3

    @property
    def identity(self) -> int | tuple[str, ...]:
        """What tells it from every other view."""
        return self.id if self.id is not None else tuple(map(name_key, self.path))


class Definition(Protocol):
    """What is read by the text it stands for: a view or a function."""

    kind: ClassVar[str]

    @property
    def sql_name(self) -> str:
        """The full name as SQL text."""
        ...

    @property
    def lasts(self) -> bool:
        """Whether it is the catalog's, and no session's."""
        ...

    @property
    def identity(self) -> int | tuple[str, ...]:
        """What tells it from every other one."""
        ...

    @property
    def told(self) -> bool:
        """Whether who reads it may learn what stands in it."""
        ...

    @property
    def uses(self) -> frozenset[Key]:
        """The temporary views that one of a session may mean."""
        ...


@dataclass
class SessionViews:
    """The temporary views that names may mean, and which of them they meant (``used``).

    With ``only``, no others are there.
    """

    local: Mapping[str, ViewText] = field(default_factory=dict)
    shared: Mapping[str, ViewText] = field(default_factory=dict)
    only: frozenset[Key] | None = None
    used: set[Key] = field(default_factory=set)

    def find(self, parts: tuple[str, ...]) -> ViewText | None:
        """The temporary view of that name: of one part, or of two in the global schema."""
        if len(parts) == 1:
            key, found = (False, name_key(parts[0])), self.local
        elif len(parts) == 2 and name_key(parts[0]) == GLOBAL_TEMP:
            key, found = (True, name_key(parts[1])), self.shared
        else:
            return None
        view = found.get(key[1])
        if view is None or (self.only is not None and key not in self.only):
            return None
        self.used.add(key)
        return view

    def within(self, view: Definition) -> SessionViews:
        """Those that a definition may mean."""
        only = frozenset[Key]() if view.lasts else view.uses
        return SessionViews(self.local, self.shared, only)


def not_a_table(name: str) -> SqlError:
    """The error for a statement on tables that names a view."""
    return SqlError(
        f"{name} is a view, which holds no rows, and the statement is for tables.",
        condition="EXPECT_TABLE_NOT_VIEW.NO_ALTERNATIVE",
        sqlstate="42809",
        hint="Name the table that it reads; the view itself is changed with ALTER VIEW.",
    )


def not_a_view(name: str, what: str) -> SqlError:
    """The error for a statement on views that names a table."""
    return SqlError(
        f"{name} is a table, and {what} is for views.",
        condition="EXPECT_VIEW_NOT_TABLE.NO_ALTERNATIVE",
        sqlstate="42809",
        hint="Say TABLE instead of VIEW, or name a view.",
    )
