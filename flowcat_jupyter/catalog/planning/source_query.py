"""The query behind a merge that compares the source with columns of the target, and reads no more.

The format joins the two itself, so that no row of the target is read twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlglot import exp

from flowcat_jupyter.catalog.planning.row_changes import (
    MATCHED,
    ORPHAN,
    UNMATCHED,
    ChangeRows,
    Clause,
)
from flowcat_jupyter.catalog.planning.row_query import (
    ACTION,
    RowQuery,
    actions_of,
    guarded,
    is_target,
    named,
    named_parts_of,
    numeral,
    says_once,
    shorten,
    values_of,
    when_then,
)
from flowcat_jupyter.shared.names import RESERVED_PREFIX, name_key
from flowcat_jupyter.shared.wire import Column
from flowcat_jupyter.shared.wire_writes import RowShape

_UNSURE = ("array<", "map<", "struct<", "float", "double")
Pair = tuple[str, exp.Expression]


def source_query(change: ChangeRows, columns: Sequence[Column]) -> RowQuery | None:
    """The query of the source's rows: the values of the target's columns that ``ON`` compares, the
    number of the clause for a row that the target has and for one that it has not, and the
    values. None where the statement reads more of the target.

    :raises SqlError: it gives a value to a column that is not there.
    """
    pairs = _pairs(change, columns)
    if pairs is None or change.source is None or _reads_more(change, columns):
        return None
    values = [values_of(change, clause, columns) for clause in change.clauses]
    guards = [_condition(clause) for clause in change.clauses]
    items = [named(tree.copy(), f"{RESERVED_PREFIX}k{i}") for i, (_, tree) in enumerate(pairs)]
    items += [
        named(_number_of(change, guards, when), f"{ACTION}_{place}")
        for place, when in enumerate((MATCHED, UNMATCHED))
    ]
    for index, given in enumerate(values):
        known = [
            guard
            for clause, guard in zip(change.clauses[: index + 1], guards, strict=False)
            if clause.when == change.clauses[index].when
        ]
        for place, (_, value) in enumerate(given):
            name = f"{RESERVED_PREFIX}v{index}_{place}"
            items.append(named(guarded(known, len(known) - 1, value), name))
    query = exp.Select().from_(change.source.copy()).select(*items)
    query = query.where(exp.or_(*(guard.copy() for guard in guards)))
    shorten(query, change)
    if change.ctes is not None:
        query.set("with_", change.ctes.copy())
    keys = tuple(name for name, _ in pairs)
    actions = actions_of(change, values)
    return RowQuery(query, RowShape(keys, actions, says_once(change), by_source=True))


def _pairs(change: ChangeRows, columns: Sequence[Column]) -> list[Pair] | None:
    """The target's columns with what of the source they are compared with, if that is all."""
    parts = change.on.flatten() if isinstance(change.on, exp.And) else [change.on]
    pairs = [_pair(change, part, columns) for part in parts]
    found = [pair for pair in pairs if pair is not None]
    apart = len({name for name, _ in found}) == len(found) == len(pairs)
    return found if apart else None


def _reads_more(change: ChangeRows, columns: Sequence[Column]) -> bool:
    if any(clause.when == ORPHAN for clause in change.clauses):
        return True
    trees = [*(clause.condition for clause in change.clauses), *_all_values(change)]
    return any(_read(change, tree, columns) for tree in trees if tree is not None)


def _pair(change: ChangeRows, part: exp.Expr | None, columns: Sequence[Column]) -> Pair | None:
    """A column of the target and what of the source it is compared with; None if it is not so."""
    if not isinstance(part, exp.EQ):
        return None
    known = {name_key(column.name): column for column in columns}
    for own, other in ((part.this, part.expression), (part.expression, part.this)):
        if not isinstance(own, exp.Column):
            continue
        *prefix, name = [name_key(item.name) for item in own.parts]
        column = known.get(name)
        # A bare name may be the source's as well: the other query tells.
        if column is None or not is_target(change, prefix) or column.type.startswith(_UNSURE):
            continue
        if not _read(change, other, columns) and not other.find(exp.Query):
            return column.name, other
    return None


def _read(change: ChangeRows, tree: exp.Expr, columns: Sequence[Column]) -> set[str]:
    """The target's columns that an expression may read."""
    named = set(named_parts_of(change, [tree], columns))
    return {column.name for column in columns if name_key(column.name) in named}


def _all_values(change: ChangeRows) -> Iterator[exp.Expression]:
    for clause in change.clauses:
        yield from (value for _, value in clause.values or ())


def _condition(clause: Clause) -> exp.Expression:
    if clause.condition is None:
        return exp.true()
    return exp.paren(clause.condition.copy(), copy=False)


def _number_of(change: ChangeRows, guards: Sequence[exp.Expression], when: str) -> exp.Expression:
    """Which of the clauses of a kind takes a row of the source; NULL if none does."""
    taken = [
        when_then(guard, numeral(number))
        for number, (clause, guard) in enumerate(zip(change.clauses, guards, strict=True), start=1)
        if clause.when == when
    ]
    none = exp.Cast(this=exp.null(), to=exp.DataType.build("int"))
    return exp.Case(ifs=taken) if taken else none
