"""Reading ``INSERT``: all that is said, or a refusal; and the query that a statement is given."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NoReturn, cast

from sqlglot import exp

from flowcat_jupyter.catalog.planning.asides import evolves, unless_there
from flowcat_jupyter.catalog.planning.refusals import column_names, only, refuse, target_name
from flowcat_jupyter.catalog.planning.words import says
from flowcat_jupyter.shared.errors import SqlError
from flowcat_jupyter.shared.names import TableName, name_key
from flowcat_jupyter.sql.dialect import Piece, position

Given = tuple[tuple[str, exp.Expression | None], ...]
"""The columns of ``PARTITION`` as written, each with its value; None where the query has it."""


@dataclass(frozen=True)
class Insert:
    """``INSERT INTO`` or ``INSERT OVERWRITE`` a table, its ``columns`` as listed if they are.

    ``unless_there``: nothing is written where the ``partition`` has rows. ``replaced`` is the
    condition of ``REPLACE WHERE``. With ``evolves`` the table gets columns that it lacks.
    """

    piece: Piece
    name: TableName
    source: exp.Query
    columns: tuple[str, ...] | None = None
    by_name: bool = False
    overwrite: bool = False
    partition: Given = ()
    unless_there: bool = False
    replaced: exp.Expression | None = None
    evolves: bool = False

    @property
    def trees(self) -> Iterator[exp.Expression]:
        """Everything that may name a parameter, a frame or another table."""
        yield cast(exp.Expression, self.source)
        yield from (value for _, value in self.partition if value is not None)
        if self.replaced is not None:
            yield self.replaced


def read_insert(piece: Piece, tree: exp.Insert) -> Insert:
    """The rows that a statement adds, and where.

    :raises SqlError: a part of it is not supported.
    """
    known = ("this", "expression", "by_name", "overwrite", "with_", "where", "source")
    called = {"exists": "IF NOT EXISTS", "default": "DEFAULT VALUES", "using": "REPLACE USING"}
    only(piece, tree, known, called, "INSERT")
    for extra in (("OVERWRITE", "LOCAL"), ("FORMAT", "VALUES")):
        if isinstance(tree.this, (exp.Table, exp.Schema)) and says(piece, *extra):
            refuse(piece, f"INSERT with {' '.join(extra)}")
    target, columns = tree.this, None
    by_name = bool(tree.args.get("by_name"))
    if isinstance(target, exp.Schema):
        only(piece, target, ("this", "expressions"), {}, "INSERT")
        columns = column_names(piece, target.expressions, "INSERT into a list")
        target = target.this
        if by_name:
            refuse(piece, "INSERT with a list of columns and BY NAME", hint="Use one of them.")
    source = query_in(piece, tree, "INSERT")
    partition = _partition(piece, target)
    return _checked(
        Insert(
            piece,
            target_name(piece, target, "INSERT", ("partition",)),
            source,
            columns,
            by_name,
            bool(tree.args.get("overwrite")),
            partition,
            unless_there(piece),
            _replaced(piece, tree),
            evolves(piece),
        )
    )


def _checked(change: Insert) -> Insert:
    """The statement, none of whose parts go ill with each other."""
    piece = change.piece
    if change.unless_there:
        if not change.overwrite:
            told = "IF NOT EXISTS is for INSERT OVERWRITE and not for INSERT INTO"
            _fault(piece, None, told, "INVALID_STATEMENT_OR_CLAUSE")
        open_ones = [name for name, value in change.partition if value is None]
        if open_ones:
            told = f"IF NOT EXISTS with a partition that the rows decide ({', '.join(open_ones)})"
            refuse(piece, told, hint="Give every partition column a value.")
    if change.replaced is not None and (change.overwrite or change.partition):
        refuse(piece, "REPLACE WHERE with OVERWRITE or PARTITION", hint="Use one of them.")
    if change.evolves and (change.replaced is not None or change.overwrite):
        refuse(piece, "INSERT WITH SCHEMA EVOLUTION that takes rows away", hint="Add rows alone.")
    if change.evolves and not change.by_name:
        hint = "Write BY NAME after the table: new columns go by the query's headings."
        refuse(piece, "INSERT WITH SCHEMA EVOLUTION by position", hint=hint)
    return change


def _partition(piece: Piece, target: Any) -> Given:
    """What ``PARTITION (a = 1, b)`` says."""
    clause = target.args.get("partition") if isinstance(target, exp.Table) else None
    if clause is None:
        return ()
    only(piece, clause, ("expressions",), {"subpartition": "SUBPARTITION"}, "INSERT")
    found: list[tuple[str, exp.Expression | None]] = []
    for item in clause.expressions:
        column, value = (item.this, item.expression) if isinstance(item, exp.EQ) else (item, None)
        (name,) = column_names(piece, [column], "PARTITION")
        if name_key(name) in {name_key(other) for other, _ in found}:
            told = f"PARTITION says column {name} twice"
            _fault(piece, column, told, "DUPLICATE_KEY", "23505")
        if value is not None and not _is_constant(value):
            if isinstance(value, exp.Column) and value.sql().upper() == "DEFAULT":
                condition = "REF_DEFAULT_VALUE_IS_NOT_ALLOWED_IN_PARTITION"
                _fault(piece, column, "PARTITION has DEFAULT as a value", condition)
            _fault(piece, column, f"The value of {name} in PARTITION is no constant")
        found.append((name, value))
    return tuple(found)


def _is_constant(value: exp.Expression) -> bool:
    inner = value.this if isinstance(value, (exp.Neg, exp.Cast)) else value
    return isinstance(inner, (exp.Literal, exp.Null, exp.Boolean, exp.Placeholder))


def _replaced(piece: Piece, tree: exp.Insert) -> exp.Expression | None:
    condition = tree.args.get("where")
    if condition is None and not says(piece, "REPLACE", "WHERE"):
        return None
    if not isinstance(condition, exp.Expression):
        _fault(piece, None, "REPLACE WHERE needs a condition")
    query = condition.find(exp.Query)
    if query is not None:
        condition_of = "UNSUPPORTED_FEATURE.OVERWRITE_BY_SUBQUERY"
        _fault(piece, query, "REPLACE WHERE has a sub-query", condition_of, "0A000")
    return condition


def query_in(piece: Piece, tree: exp.Insert | exp.Create, what: str) -> exp.Query:
    """What a statement takes its rows from, with the CTEs that stand before the statement.

    :raises SqlError: it is no query, or there are CTEs in two places.
    """
    query = tree.expression
    while isinstance(query, exp.Subquery) and not _said(query):
        query = query.this
    if query is None and isinstance(tree.args.get("source"), exp.Table):
        query = exp.select("*").from_(tree.args["source"])
    if isinstance(query, exp.Values):
        query = _values(piece, query, what)
    if not isinstance(query, exp.Query):
        refuse(piece, f"{what} of something that is no query")
    return _with(piece, tree, query, what)


def _said(query: exp.Subquery) -> bool:
    """Whether a query in parentheses has more to it than these."""
    return any(value for key, value in query.args.items() if key != "this")


def _values(piece: Piece, values: exp.Values, what: str) -> exp.Query:
    only(piece, values, ("expressions", "alias"), {}, f"{what} of VALUES")
    for row in values.expressions:
        for value in getattr(row, "expressions", ()):
            if isinstance(value, exp.Var) and (what != "INSERT" or value.name.upper() != "DEFAULT"):
                refuse(piece, f"{what} with {value.name.upper()} as a value")
    alias = values.args.get("alias") or exp.TableAlias(this=exp.to_identifier("rows"))
    return exp.select("*").from_(exp.Values(expressions=values.expressions, alias=alias))


def _with(piece: Piece, tree: exp.Insert | exp.Create, query: exp.Query, what: str) -> exp.Query:
    outer = tree.args.get("with_")
    if outer is None:
        return query
    if query.args.get("with_"):
        refuse(piece, f"{what} with two WITH clauses", hint="Put all into one of them.")
    query.set("with_", outer.pop())
    return query


def _fault(
    piece: Piece,
    node: exp.Expr | None,
    message: str,
    condition: str = "PARSE_SYNTAX_ERROR",
    sqlstate: str = "42601",
) -> NoReturn:
    place = position(piece, cast(exp.Expression, node)) if node is not None else (None, None)
    raise SqlError(
        f"{message}; nothing was changed.",
        condition=condition,
        sqlstate=sqlstate,
        line=place[0],
        column=place[1],
    )
