"""The query that says which rows of a table change, and into what.

A change of rows is carried out in two steps, so that its conditions and values mean what they mean
in a query. This query gives, for each distinct combination of the target's columns that the
statement reads, what becomes of the rows that have it; the format then finds these rows by those
columns. That is right because a statement without random functions treats rows alike that are
equal in all it reads of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import cast

from sqlglot import exp

from flowcat_jupyter.catalog.planning.refusals import name_parts
from flowcat_jupyter.catalog.planning.row_changes import (
    MATCHED,
    ORPHAN,
    UNMATCHED,
    ChangeRows,
    Clause,
)
from flowcat_jupyter.shared.errors import SqlError
from flowcat_jupyter.shared.names import RESERVED_PREFIX, name_key
from flowcat_jupyter.shared.wire import Column
from flowcat_jupyter.shared.wire_writes import RowAction, RowShape
from flowcat_jupyter.sql.dialect import position

ACTION = f"{RESERVED_PREFIX}action"
_IN_TARGET = f"{RESERVED_PREFIX}target"
_IN_SOURCE = f"{RESERVED_PREFIX}source"
_NESTED = ("array<", "map<", "struct<")


@dataclass(frozen=True)
class RowQuery:
    """A query, and how its rows say what becomes of the target's."""

    tree: exp.Query
    shape: RowShape


def row_query(change: ChangeRows, columns: Sequence[Column]) -> RowQuery:
    """The query for a change of a table that has these ``columns``.

    :raises SqlError: it gives a value to a column that is not there, or reads one by which rows
        cannot be told apart.
    """
    keys = tuple(_keys(change, columns))
    values = [values_of(change, clause, columns) for clause in change.clauses]
    guards = [_guard(change, clause) for clause in change.clauses]
    numbers = exp.Case(
        ifs=[when_then(guard, numeral(n)) for n, guard in enumerate(guards, start=1)]
    )
    items = [named(_of(change.alias, key), f"{RESERVED_PREFIX}k{i}") for i, key in enumerate(keys)]
    items.append(named(numbers, ACTION))
    for index, given in enumerate(values):
        for place, (_, value) in enumerate(given):
            name = f"{RESERVED_PREFIX}v{index}_{place}"
            items.append(named(guarded(guards, index, value), name))
    query = _from(change, keys).select(*items)
    query = query.where(exp.or_(*(guard.copy() for guard in guards)))
    if change.source is None:
        query = query.distinct()
    shorten(query, change)
    if change.ctes is not None:
        query.set("with_", change.ctes.copy())
    return RowQuery(query, RowShape(keys, actions_of(change, values), says_once(change)))


def says_once(change: ChangeRows) -> bool:
    """Deleting whatever matches is the one change that may be said twice of a row."""
    matched = [clause for clause in change.clauses if clause.when == MATCHED]
    deletes = [c for c in matched if c.action == "delete" and c.condition is None]
    return change.source is not None and bool(matched) and len(deletes) < len(matched)


def _keys(change: ChangeRows, columns: Sequence[Column]) -> Iterator[str]:
    """The target's columns whose names the statement says anywhere outside its source."""
    named = set(named_parts_of(change, change.expressions, columns))
    for column in columns:
        if name_key(column.name) not in named:
            continue
        if column.type.startswith(_NESTED):
            raise SqlError(
                f"{change.kind} cannot read column {column.name}: rows are not told apart by "
                f"values of {column.type}; nothing was changed.",
                condition="UNSUPPORTED_FEATURE.TABLE_OPERATION",
                sqlstate="0A000",
                hint="Read other columns, or replace the table: CREATE OR REPLACE TABLE … AS.",
            )
        yield column.name


def named_parts_of(
    change: ChangeRows, trees: Iterable[exp.Expr], columns: Sequence[Column]
) -> Iterator[str]:
    """The parts of names in ``trees`` that may be the target's columns: rather one too many.

    A name of the source is none, and neither is a table's name before a column of it.
    """
    known = {name_key(column.name) for column in columns}
    source = name_key(change.source.alias_or_name) if change.source is not None else None
    for tree in trees:
        for column in tree.find_all(exp.Column):
            *prefix, name = [name_key(part.name) for part in column.parts]
            if is_target(change, prefix) and name in known:
                yield name
            elif not prefix or prefix[0] != source or is_target(change, prefix):
                yield from (*prefix, name)


def is_target(change: ChangeRows, prefix: Sequence[str]) -> bool:
    """Whether what stands before a name is how the statement calls the target.

    An alias hides the table's own name.
    """
    if change.target.alias:
        return list(prefix) == [name_key(change.alias)]
    own = [name_key(part) for part in change.name.parts]
    return bool(prefix) and own[-len(prefix) :] == list(prefix)


def values_of(
    change: ChangeRows, clause: Clause, columns: Sequence[Column]
) -> list[tuple[str, exp.Expression]]:
    """The target's columns as it spells them, with what they get."""
    known = {name_key(column.name): column.name for column in columns}
    if clause.values is None:
        source = change.source.alias_or_name if change.source is not None else ""
        return [(column.name, _of(source, column.name)) for column in columns]
    found = []
    for name, value in clause.values:
        own = known.get(name_key(name), name if change.evolves else None)
        if own is None:
            line, column = position(change.piece, value)
            raise SqlError(
                f"The table has no column {name}; nothing was changed.",
                condition="UNRESOLVED_COLUMN.WITH_SUGGESTION",
                sqlstate="42703",
                line=line,
                column=column,
                hint=f"It has: {', '.join(known.values())}.",
            )
        found.append((own, value))
    return found


def _guard(change: ChangeRows, clause: Clause) -> exp.Expression:
    """When a row is one for the clause, earlier clauses apart."""
    parts = []
    if change.source is not None:
        in_target = _is_there(change.alias, _IN_TARGET)
        in_source = _is_there(change.source.alias_or_name, _IN_SOURCE)
        parts = {
            MATCHED: [in_target, in_source],
            UNMATCHED: [in_source, exp.not_(in_target)],
            ORPHAN: [in_target, exp.not_(in_source)],
        }[clause.when]
    if clause.condition is not None:
        parts.append(exp.paren(clause.condition.copy(), copy=False))
    return cast(exp.Expression, exp.and_(*parts)) if parts else exp.true()


def guarded(guards: Sequence[exp.Expression], index: int, value: exp.Expression) -> exp.Expression:
    """A value that is computed only for rows that its clause decides."""
    earlier = [when_then(guard.copy(), exp.null()) for guard in guards[:index]]
    return exp.Case(ifs=[*earlier, when_then(guards[index].copy(), value.copy())])


def _from(change: ChangeRows, keys: Sequence[str]) -> exp.Select:
    target = change.target.copy()
    if change.source is None or change.on is None:
        return exp.Select().from_(target)
    target.set("alias", None)
    inner = exp.Select().select(*(exp.column(exp.to_identifier(key, quoted=True)) for key in keys))
    inner = inner.select(named(exp.true(), _IN_TARGET)).from_(target).distinct()
    rows = exp.Select().select("*", named(exp.true(), _IN_SOURCE)).from_(change.source.copy())
    joined = rows.subquery(exp.to_identifier(change.source.alias_or_name, quoted=True))
    return (
        exp.Select()
        .from_(joined)
        .join(
            inner.subquery(exp.to_identifier(change.alias, quoted=True)),
            on=change.on.copy(),
            join_type=_join(clause.when for clause in change.clauses),
        )
    )


def shorten(query: exp.Expression, change: ChangeRows) -> None:
    """Let ``catalog.schema.table.column`` be ``alias.column``: here the table is a sub-query."""
    called = {
        tuple(name_key(part) for part in name_parts(table)): table.alias_or_name
        for table in (change.target, change.source)
        if isinstance(table, exp.Table)
    }
    for column in query.find_all(exp.Column):
        prefix = tuple(name_key(part.name) for part in column.parts[:-1])
        alias = next((called[name] for name in called if name[-len(prefix) :] == prefix), None)
        if len(prefix) > 1 and alias is not None:
            column.set("table", exp.to_identifier(alias, quoted=True))
            column.set("db", None)
            column.set("catalog", None)


def _join(whens: Iterable[str]) -> str:
    wanted = set(whens)
    if ORPHAN in wanted:
        return "full" if UNMATCHED in wanted else "right"
    return "left" if UNMATCHED in wanted else "inner"


def _of(table: str, column: str) -> exp.Column:
    return exp.column(
        exp.to_identifier(column, quoted=True), table=exp.to_identifier(table, quoted=True)
    )


def _is_there(table: str, mark: str) -> exp.Expression:
    return exp.not_(exp.Is(this=_of(table, mark), expression=exp.null()))


def named(tree: exp.Expression, name: str) -> exp.Alias:
    """An item of a select list under a name."""
    return exp.Alias(this=tree, alias=exp.to_identifier(name, quoted=True))


def when_then(guard: exp.Expression, value: exp.Expression) -> exp.If:
    """One branch of a CASE."""
    return exp.If(this=guard.copy(), true=value)


def numeral(number: int) -> exp.Expression:
    """A whole number as a literal."""
    return exp.Literal.number(number)


def actions_of(
    change: ChangeRows, values: Sequence[Sequence[tuple[str, exp.Expression]]]
) -> tuple[RowAction, ...]:
    """What becomes of rows, by the statement's clauses and the columns they fill."""
    return tuple(
        RowAction(clause.action, clause.when == UNMATCHED, tuple(name for name, _ in given))
        for clause, given in zip(change.clauses, values, strict=True)
    )
