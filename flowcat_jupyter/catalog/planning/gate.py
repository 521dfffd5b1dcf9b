"""The gate: a tree becomes one in which every relation is known and allowed.

Authorization is decided here, on the parsed tree. What may stand in FROM is a table the caller
sees, a CTE, a sub-query, VALUES, or a function that makes rows from its arguments alone; anything
else is refused with its place. Each table becomes an identifier (``r1``, ``r2`` …) that names a
source, so that nothing later can open what was not authorised.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import NoReturn, cast
from zoneinfo import ZoneInfo

from sqlglot import exp

from flowcat_jupyter.catalog.planning.resolver import Entry, Resolver
from flowcat_jupyter.catalog.planning.timetravel import asked, at_suffix
from flowcat_jupyter.shared.errors import FlowcatError, Forbidden, SqlError
from flowcat_jupyter.shared.names import name_key
from flowcat_jupyter.shared.wire import Source
from flowcat_jupyter.sql.constant import Setting
from flowcat_jupyter.sql.dialect import Piece, position

_ROW_FUNCTIONS = frozenset(
    re.findall(
        r"\w+",
        "range sequence generate_series explode explode_outer posexplode posexplode_outer inline "
        "inline_outer unnest stack",
    )
)
_RELATIONS = (exp.Table, exp.Subquery, exp.Values, exp.Unnest, exp.Lateral, exp.Explode)
_FORBIDDEN = (exp.DML, exp.DDL, exp.Command, exp.Into, exp.Lock, exp.Stream)
ASK = "Ask its owner for the level use."
MAX_SOURCES = 200
MAX_NODES = 200_000

Ctes = frozenset[str]


@dataclass(frozen=True)
class Authorised:
    """The rewritten tree, what it may open, and the ids of the catalog's tables among it."""

    tree: exp.Expression
    sources: tuple[Source, ...]
    tables: tuple[int, ...]


def _utc_now() -> Setting:
    return Setting(ZoneInfo("UTC"), datetime.now(UTC))


@dataclass
class _Relation:
    source: Source
    entry: Entry


@dataclass
class Gate:
    """Authorises one statement."""

    resolver: Resolver
    piece: Piece
    setting: Setting = field(default_factory=_utc_now)
    _relations: dict[object, _Relation] = field(default_factory=dict)
    _aliases: dict[int, list[tuple[tuple[str, ...], str]]] = field(default_factory=dict)
    _taken: set[str] = field(default_factory=set)

    def authorise(self, tree: exp.Expression) -> Authorised:
        """Check ``tree`` and replace its tables; the tree itself is not changed.

        :raises SqlError: a relation is unknown, hidden or of a kind that may not be read, with
            its place in the text.
        """
        tree = tree.copy()
        nodes = list(tree.walk())
        if len(nodes) > MAX_NODES:
            raise SqlError(
                "The statement is too large.", condition="STATEMENT_TOO_LARGE", sqlstate="54001"
            )
        self._taken = {name_key(cte.alias) for cte in nodes if isinstance(cte, exp.CTE)}
        self._walk(tree)
        for node in tree.find_all(exp.Column):
            if node.args.get("db"):
                self._strip(node)
        relations = list(self._relations.values())
        return Authorised(
            tree,
            tuple(relation.source for relation in relations),
            tuple(r.entry.id for r in relations if r.entry.id is not None),
        )

    def _walk(self, tree: exp.Expression) -> None:
        stack: list[tuple[exp.Expression, Ctes]] = [(tree, frozenset())]
        while stack:
            node, ctes = stack.pop()
            if isinstance(node, _FORBIDDEN):
                self._refuse(node, f"{node.key.upper()} is not supported in a query")
            if isinstance(node, (exp.From, exp.Join)):
                self._check_relation(node.this)
            if isinstance(node, exp.Table):
                self._table(node, ctes)
            stack.extend(reversed(self._children(node, ctes)))

    def _children(self, node: exp.Expression, ctes: Ctes) -> list[tuple[exp.Expression, Ctes]]:
        """The children, each with the CTEs it can see: those before it, and itself if recursive."""
        clause = node.args.get("with_")
        below: list[tuple[exp.Expression, Ctes]] = []
        if isinstance(clause, exp.With):
            for cte in clause.expressions:
                own = ctes | {name_key(cte.alias)}
                below.append((cte.this, own if clause.args.get("recursive") else ctes))
                ctes = own
        below.extend((child, ctes) for child in node.iter_expressions() if child is not clause)
        return below

    def _check_relation(self, node: exp.Expression) -> None:
        if not isinstance(node, _RELATIONS):
            self._refuse(node, f"{node.key.upper()} cannot stand in FROM")

    def _table(self, node: exp.Table, ctes: Ctes) -> None:
        what = node.this
        if what is None:
            self._refuse(node, "ROWS FROM cannot stand in FROM")
        if isinstance(what, exp.Placeholder):
            self._refuse(node, f"A kernel's frame cannot be queried here (:{what.name})")
        if isinstance(what, exp.Func):
            self._function(node, what)
            return
        parts = self._parts(node)
        if len(parts) == 1 and name_key(parts[0]) in ctes:
            if node.args.get("version"):
                self._refuse(node, "A CTE has no versions")
            return
        self._check_quotes(node)
        self._replace(node, parts)

    def _function(self, node: exp.Table, function: exp.Func) -> None:
        name = function.name if isinstance(function, exp.Anonymous) else function.sql_name()
        if name.casefold() not in _ROW_FUNCTIONS:
            shown = self.piece.text[_start(function) or 0 :].split("(")[0].strip() or name.lower()
            self._refuse(
                node,
                f"The function {shown} cannot be used in FROM",
                condition="UNRESOLVABLE_TABLE_VALUED_FUNCTION",
                sqlstate="42883",
                hint="Files are read after they are imported or registered in the catalog.",
            )

    def _parts(self, node: exp.Table) -> tuple[str, ...]:
        names = [part.name for part in node.parts]
        return tuple(names)

    def _check_quotes(self, node: exp.Table) -> None:
        start = _start(node)
        if start is not None and self.piece.text[start : start + 1] == "'":
            self._refuse(
                node,
                "Text in single quotes is not a table",
                condition="TABLE_OR_VIEW_NOT_FOUND",
                sqlstate="42P01",
                hint="Quote a name with back-ticks. Files are read after they are imported.",
            )

    def _replace(self, node: exp.Table, parts: tuple[str, ...]) -> None:
        try:
            entry = self.resolver.table(parts)
            if not entry.readable:
                raise Forbidden("read", "table", entry.sql_name, hint=ASK)
        except FlowcatError as error:
            old = None if isinstance(error, Forbidden) else at_suffix(parts)
            raise SqlError.of(old or error, place=position(self.piece, node)) from error
        version, timestamp = self._version(node)
        source = self._source(entry, version, timestamp)
        alias = node.alias or self._alias(node, entry, source.relation)
        if not node.alias:
            quoted = exp.to_identifier(alias, quoted=True)
            node.set("alias", exp.TableAlias(this=quoted))
            select = node.find_ancestor(exp.Select)
            self._aliases.setdefault(id(select), []).append((entry.path, alias))
        leaf = exp.Identifier(this=source.relation, quoted=True)
        start = _start(node)
        if start is not None:
            leaf.meta["start"] = start
        node.set("this", leaf)
        for key in ("db", "catalog", "version"):
            node.set(key, None)

    def _alias(self, node: exp.Table, entry: Entry, relation: str) -> str:
        """The table's own name, unless its select has another table of that name."""
        select = node.find_ancestor(exp.Select)
        used = {name_key(alias) for _, alias in self._aliases.get(id(select), [])}
        leaf = entry.path[-1]
        return relation if name_key(leaf) in used else leaf

    def _source(self, entry: Entry, version: int | None, timestamp: str | None) -> Source:
        key = (entry.id, entry.location, version, timestamp)
        if key not in self._relations:
            if len(self._relations) >= MAX_SOURCES:
                raise SqlError(
                    f"A statement reads at most {MAX_SOURCES} tables.",
                    condition="STATEMENT_TOO_LARGE",
                    sqlstate="54001",
                )
            source = Source(
                relation=self._fresh(),
                kind="table",
                name=entry.path,
                format=entry.format,
                location=entry.location,
                version=version,
                timestamp=timestamp,
            )
            self._relations[key] = _Relation(source, entry)
        return self._relations[key].source

    def _fresh(self) -> str:
        number = len(self._relations) + 1
        while f"r{number}" in self._taken:
            number += 1
        self._taken.add(f"r{number}")
        return f"r{number}"

    def _version(self, node: exp.Table) -> tuple[int | None, str | None]:
        clause = node.args.get("version")
        if clause is None:
            return None, None
        try:
            return asked(clause, self.setting)
        except SqlError as error:
            raise SqlError.of(error, place=position(self.piece, node)) from error

    def _strip(self, column: exp.Column) -> None:
        """Turn ``schema.table.column`` into ``alias.column`` where the prefix is a source."""
        prefix = tuple(name_key(part.name) for part in column.parts[:-1])
        select = column.find_ancestor(exp.Select)
        while select is not None:
            for path, alias in self._aliases.get(id(select), []):
                if tuple(name_key(part) for part in path)[-len(prefix) :] == prefix:
                    column.set("table", exp.to_identifier(alias, quoted=True))
                    column.set("db", None)
                    column.set("catalog", None)
                    return
            select = select.find_ancestor(exp.Select)

    def _refuse(
        self,
        node: exp.Expression,
        message: str,
        *,
        condition: str = "UNSUPPORTED_FEATURE",
        sqlstate: str = "0A000",
        hint: str | None = None,
    ) -> NoReturn:
        line, column = position(self.piece, node)
        raise SqlError(
            f"{message}.",
            condition=condition,
            sqlstate=sqlstate,
            line=line,
            column=column,
            hint=hint,
        )


def _start(node: exp.Expr) -> int | None:
    starts = [cast(int, item.meta["start"]) for item in node.walk() if "start" in item.meta]
    return min(starts, default=None)
