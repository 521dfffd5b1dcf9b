"""The gate: a tree becomes one in which every relation is known and allowed.

Authorization is decided here, on the parsed tree. What may stand in FROM is a table the caller
sees, a CTE, a sub-query, VALUES, or a function that makes rows from its arguments alone; anything
else is refused with its place. Each table becomes an identifier (``r1``, ``r2`` …) that names a
source, so that nothing later can open what was not authorised.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import NoReturn, cast
from zoneinfo import ZoneInfo

from sqlglot import exp

from flowcat_jupyter.catalog.planning.ctes import check_cte_names
from flowcat_jupyter.catalog.planning.formats import LAKES
from flowcat_jupyter.catalog.planning.function_calls import expanded
from flowcat_jupyter.catalog.planning.functions import FunctionText
from flowcat_jupyter.catalog.planning.places import place
from flowcat_jupyter.catalog.planning.relations import BEYOND, Named, NameTaken, Relations
from flowcat_jupyter.catalog.planning.relations import MAX_SOURCES as MAX_SOURCES
from flowcat_jupyter.catalog.planning.resolver import Entry, Resolver
from flowcat_jupyter.catalog.planning.session_names import set_places
from flowcat_jupyter.catalog.planning.timetravel import asked, asked_ref, at_suffix
from flowcat_jupyter.catalog.planning.view_steps import (
    ViewFault,
    check_within,
    definition,
    fault,
    named,
    settled,
)
from flowcat_jupyter.catalog.planning.views import Definition, ViewText
from flowcat_jupyter.shared.errors import FlowcatError, Forbidden, SqlError
from flowcat_jupyter.shared.frame_names import named_frames
from flowcat_jupyter.shared.names import name_key
from flowcat_jupyter.shared.wire import OptionLayer, Source
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
_FILES = "A file is read as csv.`folder/file.csv`, or by its name once it is imported."

Ctes = frozenset[str]


@dataclass(frozen=True)
class Authorised:
    """The rewritten tree, what it may open, and the ids of the catalog's tables among it.

    ``views`` and ``hidden`` are as `Relations` has them.
    """

    tree: exp.Expression
    sources: tuple[Source, ...]
    tables: tuple[int, ...]
    views: Sequence[Named] = ()
    hidden: Sequence[str] = ()


def _utc_now() -> Setting:
    return Setting(ZoneInfo("UTC"), datetime.now(UTC))


@dataclass
class Gate:
    """Authorises one statement, or the definition of a view or function that it reads.

    ``frames`` are those sent with it, where they lie by name. ``within`` are those whose
    definitions lead here, the outermost first; ``at`` is where the first of them is named, and
    ``place`` the reader's current catalog and schema.
    """

    resolver: Resolver
    piece: Piece
    setting: Setting = field(default_factory=_utc_now)
    frames: Mapping[str, str] = field(default_factory=dict)
    within: tuple[Definition, ...] = ()
    relations: Relations = field(default_factory=Relations)
    at: tuple[int, int] | None = None
    place: tuple[str, str] | None = None
    _aliases: dict[int, list[tuple[tuple[str, ...], str]]] = field(default_factory=dict)

    def authorise(self, tree: exp.Expression) -> Authorised:
        """Check ``tree`` and replace its tables; the tree itself is not changed.

        :raises SqlError: a relation is unknown, hidden or of a kind that may not be read, with
            its place in the text.
        """
        relations = self.relations
        try:
            checked = self.checked(tree)
        except NameTaken:
            # Once may not be enough: what is taken grows with each query that is read.
            self._aliases.clear()
            relations.restart()
            return self.authorise(tree)
        relations.put_before(checked)
        return Authorised(
            checked, relations.sources, relations.tables, relations.views, relations.hidden
        )

    def checked(self, tree: exp.Expression) -> exp.Expression:
        """``tree`` with the identifiers of its relations, and what the functions it calls stand
        for; steps are not yet put before it.

        :raises SqlError: see `authorise`.
        :raises NameTaken: a step was given a name that a query in it has.
        """
        return expanded(self.walked(tree), self)

    def walked(self, tree: exp.Expression) -> exp.Expression:
        """``tree`` as `checked` has it, before functions are looked for."""
        tree = tree.copy()
        self.relations.reserve(tree)
        self._walk(tree)
        for node in tree.find_all(exp.Column):
            if node.args.get("db"):
                self._strip(node)
        return set_places(tree, self.place or (self.resolver.catalog, self.resolver.schema))

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
            check_cte_names(self.piece, clause)
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
        frame = next((part for part in node.parts if isinstance(part, exp.Placeholder)), None)
        if frame is not None:
            self._frame(node, frame.name)
            return
        if isinstance(what, exp.Func):
            self._function(node, what)
            return
        parts = tuple(part.name for part in node.parts)
        if len(parts) == 1 and name_key(parts[0]) in ctes:
            if node.args.get("version"):
                self._refuse(node, "A CTE has no versions")
            return
        self._check_quotes(node)
        self._replace(node, parts)

    def _frame(self, node: exp.Table, name: str) -> None:
        """Let ``:name`` be the frame of that name that was sent with the query."""
        if len(node.parts) > 1:
            self._refuse_frame(name, f"A frame's name has no parts: :{name}")
        if node.args.get("version"):
            self._refuse_frame(name, f"The frame :{name} has no versions")
        if name not in self.frames:
            sent = ", ".join(f":{known}" for known in self.frames)
            self._refuse_frame(
                name,
                f"No frame was sent as :{name}",
                condition="TABLE_OR_VIEW_NOT_FOUND",
                sqlstate="42P01",
                hint=f"Sent were {sent}." if sent else "Frames live in a kernel: run it there.",
            )
        found = self.relations.source(Source("", "inline", (name,), "frame", self.frames[name]))
        self._name(node, Entry(None, (name,), "", ""), found.relation)

    def _refuse_frame(self, name: str, message: str, **more: str) -> NoReturn:
        """Refuse what is done with a frame, at its place: trees have none for it."""
        at = next((f.offset for f in named_frames(self.piece.text) if f.name == name), 0)
        line, column = place(self.piece, at)
        more = {"condition": "UNSUPPORTED_FEATURE", "sqlstate": "0A000", **more}
        raise SqlError(f"{message}.", line=line, column=column, **more)

    def _function(self, node: exp.Table, function: exp.Func) -> None:
        name = function.name if isinstance(function, exp.Anonymous) else function.sql_name()
        if name.casefold() not in _ROW_FUNCTIONS:
            shown = self.piece.text[_start(function) or 0 :].split("(")[0].strip() or name.lower()
            self._refuse(
                node,
                f"The function {shown} cannot be used in FROM",
                condition="UNRESOLVABLE_TABLE_VALUED_FUNCTION",
                sqlstate="42883",
                hint=_FILES,
            )

    def _check_quotes(self, node: exp.Table) -> None:
        start = _start(node)
        if start is not None and self.piece.text[start : start + 1] == "'":
            self._refuse(
                node,
                "Text in single quotes is not a table",
                condition="TABLE_OR_VIEW_NOT_FOUND",
                sqlstate="42P01",
                hint=f"Quote a name with back-ticks. {_FILES}",
            )

    def _replace(self, node: exp.Table, parts: tuple[str, ...]) -> None:
        try:
            entry = self.resolver.table(parts)
            if not entry.readable:
                kind = "view" if entry.view else "table"
                raise Forbidden("read", kind, entry.sql_name, hint=ASK)
            if entry.view is not None and entry.view.files is None:
                self._name(node, entry, self._step(node, entry.view))
                return
        except FlowcatError as error:
            if isinstance(error, ViewFault):
                raise ViewFault.of(error, place=position(self.piece, node)) from error
            old = None if isinstance(error, Forbidden) else at_suffix(parts)
            raise SqlError.of(old or error, place=position(self.piece, node)) from error
        if entry.source is not None and entry.source.kind == "inline":
            if node.args.get("version"):
                self._refuse(node, f"{entry.sql_name} has no versions")
            self._name(node, entry, self.relations.source(entry.source).relation)
            return
        version, timestamp, ref = self._version(node, entry.format)
        source = Source(
            "",
            "table",
            entry.path,
            entry.format,
            entry.location,
            version,
            timestamp,
            options=self._options(entry),
            columns=entry.declared,
            pointer=entry.pointer,
            ref=ref,
        )
        self._name(node, entry, self.relations.source(source, entry.id).relation)

    def _options(self, entry: Entry) -> tuple[OptionLayer, ...]:
        if entry.format in LAKES:
            return ()
        zone = OptionLayer("session", {"timeZone": str(self.setting.zone)})
        return (zone, *entry.options)

    def _step(self, node: exp.Table, view: ViewText) -> str:
        """A view's query as a step, once however often the view is named."""
        if node.args.get("version"):
            raise SqlError(
                f"{view.sql_name} is a view, and views have no versions.",
                condition="UNSUPPORTED_FEATURE.TIME_TRAVEL",
                sqlstate="0A000",
                hint="Name the version of a table: SELECT … FROM table VERSION AS OF 3.",
            )
        known = self.relations.step(view.identity)
        if known is not None:
            return known
        at, line = self.entered(view, node)
        try:
            piece, tree = definition(view.text, view.dialect)
            query = named(self.inner(view, piece, at).checked(tree), view)
        except FlowcatError as error:
            raise fault(error, view) from error
        query = settled(query, line, persistent=view.lasts)
        return self.relations.add_step(view.identity, query, view.path[-1], view.names)

    def entered(self, inner: Definition, node: exp.Expression) -> tuple[tuple[int, int], int]:
        """Where errors of a definition are told, and the line that stands for it.

        :raises SqlError: it leads back to itself, or too deep.
        """
        check_within(inner, self.within)
        at = self.at or position(self.piece, node)
        hidden = next((other for other in self.within if not other.told), inner)
        called = f"{hidden.kind} {hidden.sql_name}"
        self.relations.views.append((at, called))
        if not hidden.told:
            self.relations.hidden.append(called)
        return at, BEYOND + len(self.relations.views) - 1

    def inner(self, definition: ViewText | FunctionText, piece: Piece, at: tuple[int, int]) -> Gate:
        """The gate for a definition that is read from ``piece``."""
        return Gate(
            self.resolver.within(definition),
            piece,
            self.setting,
            within=(*self.within, definition),
            relations=self.relations,
            at=at,
            place=self.place or (self.resolver.catalog, self.resolver.schema),
        )

    def _name(self, node: exp.Table, entry: Entry, relation: str) -> None:
        """Put a relation's identifier in the place of an entry's name."""
        path = entry.path
        self.relations.columns[relation] = tuple(column.name for column in entry.columns)
        alias = node.alias or self._alias(node, path[-1], relation)
        if not node.alias:
            quoted = exp.to_identifier(alias, quoted=True)
            node.set("alias", exp.TableAlias(this=quoted))
            select = node.find_ancestor(exp.Select)
            self._aliases.setdefault(id(select), []).append((path, alias))
        leaf = exp.Identifier(this=relation, quoted=True)
        start = _start(node)
        if start is not None:
            leaf.meta["start"] = start
        node.set("this", leaf)
        for key in ("db", "catalog", "version"):
            node.set(key, None)

    def _alias(self, node: exp.Table, leaf: str, relation: str) -> str:
        """The table's own name, unless its select has another table of that name."""
        select = node.find_ancestor(exp.Select)
        used = {name_key(alias) for _, alias in self._aliases.get(id(select), [])}
        return relation if name_key(leaf) in used else leaf

    def _version(self, node: exp.Table, format: str) -> tuple[int | None, str | None, str | None]:
        """The version, the instant, or the branch or tag that a table is read at."""
        clause = node.args.get("version")
        if clause is None:
            return None, None, None
        try:
            ref = asked_ref(clause, self.setting) if format == "iceberg" else None
            return (None, None, ref) if ref else (*asked(clause, self.setting), None)
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
