"""The relations of one statement: its sources, and its steps, which are put in front of it."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field, replace
from itertools import count

from sqlglot import exp

from flowcat_jupyter.shared.errors import SqlError
from flowcat_jupyter.shared.names import name_key
from flowcat_jupyter.shared.wire import Source
from flowcat_jupyter.sql.dialect import BEYOND as BEYOND

MAX_SOURCES = 200
MAX_NODES = 200_000
Named = tuple[tuple[int, int], str]


class NameTaken(Exception):
    """Queries that are read later than others have names that were given already."""


@dataclass
class Relations:
    """What a statement reads, each under an identifier that no query in it has for itself.

    ``taken`` are the keys of names that may not be given. ``views`` are where views and functions
    are named and what they are called: what stands in the number ``n`` of them has the line
    `BEYOND` + ``n``. ``columns`` are those of each relation, by what it is called, where they are
    known. ``numbers`` are for names that nothing else has. ``hidden`` are the views and functions
    whose definitions are not for who reads them.
    """

    taken: set[str] = field(default_factory=set)
    steps: list[exp.CTE] = field(default_factory=list)
    views: list[Named] = field(default_factory=list)
    columns: dict[str, tuple[str, ...]] = field(default_factory=dict)
    numbers: count[int] = field(default_factory=count)
    hidden: list[str] = field(default_factory=list)
    _nodes: int = 0
    _given: set[str] = field(default_factory=set)
    _sources: dict[Hashable, tuple[Source, int | None]] = field(default_factory=dict)
    _steps: dict[Hashable, str] = field(default_factory=dict)

    @property
    def sources(self) -> tuple[Source, ...]:
        """What may be opened."""
        return tuple(source for source, _ in self._sources.values())

    @property
    def tables(self) -> tuple[int, ...]:
        """The ids of the catalog's tables among the sources."""
        return tuple(key for _, key in self._sources.values() if key is not None)

    def restart(self) -> None:
        """Forget all but the names that are taken."""
        self._nodes = 0
        self.steps.clear()
        self.views.clear()
        self.hidden.clear()
        self.columns.clear()
        self._given.clear()
        self._sources.clear()
        self._steps.clear()

    def reserve(self, tree: exp.Expression) -> None:
        """Give nothing a name that a CTE of ``tree``, one of the statement's queries, has.

        :raises SqlError: all its queries together are too large.
        :raises NameTaken: one was given already; begin again.
        """
        names = self.grow(tree)
        self.taken |= names
        if names & self._given:
            raise NameTaken

    def grow(self, tree: exp.Expr, times: int = 1) -> set[str]:
        """Count what is put into the statement; the keys of the CTEs' names in it.

        :raises SqlError: all its queries together are too large.
        """
        names: set[str] = set()
        for node in tree.walk():
            self._nodes += times
            if isinstance(node, exp.CTE):
                names.add(name_key(node.alias))
        if self._nodes > MAX_NODES:
            raise SqlError(
                "The statement is too large.", condition="STATEMENT_TOO_LARGE", sqlstate="54001"
            )
        return names

    def source(self, source: Source, table_id: int | None = None) -> Source:
        """``source`` with an identifier of its own; the same one for the same data.

        :raises SqlError: there are too many.
        """
        at = (source.version, source.timestamp, source.ref)
        key = (table_id, source.format, source.location, *at)
        if key not in self._sources:
            self._check_room()
            name = self._fresh(f"r{number}" for number in range(len(self._sources) + 1, 10**6))
            self._sources[key] = (replace(source, relation=name), table_id)
        return self._sources[key][0]

    def step(self, key: Hashable) -> str | None:
        """The name of a step that was added before."""
        return self._steps.get(key)

    def add_step(
        self, key: Hashable, query: exp.Expression, name: str, columns: Iterable[str]
    ) -> str:
        """Put a query in front of the statement, after those that are there; what it is called."""
        self._check_room()
        given = self._fresh([name, *(f"{name}_{number}" for number in range(2, 10**4))])
        alias = exp.TableAlias(
            this=exp.to_identifier(given, quoted=True),
            columns=[exp.to_identifier(column, quoted=True) for column in columns],
        )
        self.steps.append(exp.CTE(this=query, alias=alias))
        self._steps[key] = given
        return given

    def put_before(self, tree: exp.Expression) -> None:
        """Put the steps in front of the outermost query."""
        if not self.steps:
            return
        clause = tree.args.get("with_")
        if isinstance(clause, exp.With):
            clause.set("expressions", [*self.steps, *clause.expressions])
        else:
            tree.set("with_", exp.With(expressions=list(self.steps)))

    def _check_room(self) -> None:
        if len(self._sources) + len(self._steps) >= MAX_SOURCES:
            raise SqlError(
                f"A statement reads at most {MAX_SOURCES} tables.",
                condition="STATEMENT_TOO_LARGE",
                sqlstate="54001",
            )

    def _fresh(self, names: Iterable[str]) -> str:
        name = next(name for name in names if name_key(name) not in self.taken | self._given)
        self._given.add(name_key(name))
        return name
