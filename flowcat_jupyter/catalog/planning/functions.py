"""Functions that people make of SQL: what planning knows of one, and those of a session."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Protocol

from flowcat_jupyter.catalog.planning.views import Key
from flowcat_jupyter.shared.names import RESERVED_PREFIX, TableName, name_key
from flowcat_jupyter.shared.parameters import Parameter

BUILT_IN = (("builtin",), ("system", "builtin"))
SESSION = (("session",), ("system", "session"))
DEFINED = (f"{RESERVED_PREFIX}catalog", f"{RESERVED_PREFIX}schema", f"{RESERVED_PREFIX}function")
"""The name of a function that is being made."""
MOST_DEEP = 20
"""How many functions may stand one within the other."""
MOST_PARAMETERS = 100


@dataclass(frozen=True)
class FunctionText:
    """A function's definition: ``body`` is one expression or query, as it was typed.

    ``returns`` is None while nobody has found out. ``id`` is None for a temporary function, which
    sees those temporary views (``uses``) and functions (``calls``) that it names and no others.
    Who is not ``told`` what stands in the body learns nothing of it from errors; one that is not
    ``readable`` may be seen and not used.
    """

    kind: ClassVar[str] = "function"
    path: tuple[str, ...]
    parameters: tuple[Parameter, ...]
    returns: str | None
    body: str
    dialect: str
    catalog: str
    schema: str
    id: int | None = None
    uses: frozenset[Key] = frozenset()
    calls: frozenset[str] = frozenset()
    told: bool = True
    readable: bool = True
    comment: str | None = None
    deterministic: bool = True

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
        """What tells it from every other function and view."""
        return self.id if self.id is not None else ("()", *map(name_key, self.path))


class Routines(Protocol):
    """The catalog's functions that a caller sees."""

    def find(self, path: tuple[str, ...]) -> FunctionText | None:
        """The function of that full name, compared as names are; None if there is none."""
        ...


class NoRoutines:
    """There are none."""

    def find(self, _path: tuple[str, ...]) -> FunctionText | None:
        """Nothing."""
        return None


@dataclass(frozen=True)
class OneRoutine:
    """The catalog's functions, and one that is not made yet, which `DEFINED` names."""

    function: FunctionText
    others: Routines

    def find(self, path: tuple[str, ...]) -> FunctionText | None:
        """The function of that full name."""
        return self.function if path == DEFINED else self.others.find(path)


@dataclass
class SessionFunctions:
    """The temporary functions that names may mean, and which they meant (``used``).

    With ``only``, no others are there.
    """

    known: Mapping[str, FunctionText] = field(default_factory=dict)
    only: frozenset[str] | None = None
    used: set[str] = field(default_factory=set)

    def find(self, name: str) -> FunctionText | None:
        """The temporary function of that name."""
        key = name_key(name)
        found = self.known.get(key)
        if found is None or (self.only is not None and key not in self.only):
            return None
        self.used.add(key)
        return found

    def within(self, only: frozenset[str]) -> SessionFunctions:
        """Those that a definition may mean."""
        return SessionFunctions(self.known, only)
