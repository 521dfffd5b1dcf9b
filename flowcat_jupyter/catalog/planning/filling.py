"""Which columns of a table an ``INSERT`` fills with what: its query, PARTITION and DEFAULT."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NoReturn, cast

from sqlglot import exp

from flowcat_jupyter.catalog.planning.constraints import defaults_of
from flowcat_jupyter.catalog.planning.formats import LAKES
from flowcat_jupyter.catalog.planning.inserting import Insert
from flowcat_jupyter.shared.errors import SqlError
from flowcat_jupyter.shared.names import name_key
from flowcat_jupyter.shared.wire import Column, TableFacts
from flowcat_jupyter.sql.dialect import Piece, position


@dataclass(frozen=True)
class Filling:
    """``source`` are the rows, for ``columns`` if these are listed; ``fixed`` gives one row of the
    values of PARTITION under their columns' names. ``dynamic``: an overwrite is of the partitions
    that the rows are in.
    """

    source: exp.Query
    columns: tuple[str, ...] | None
    fixed: exp.Query | None
    dynamic: bool = False


def filling_of(change: Insert, facts: TableFacts | None, *, dynamic: bool) -> Filling:
    """What a statement fills a table with; ``dynamic`` is what the session wants of overwrites.

    :raises SqlError: PARTITION names another column, or DEFAULT stands where it has no meaning.
    """
    columns = facts.columns if facts else ()
    fixed = _fixed(change, facts)
    open_ones = [
        name for name in (facts.partition_columns if facts else ()) if name not in dict(fixed)
    ]
    if change.unless_there and open_ones:
        raise _fault(
            change.piece,
            None,
            f"IF NOT EXISTS needs a value for every partition column, {open_ones[0]} too.",
            "UNSUPPORTED_FEATURE.TABLE_OPERATION",
            "0A000",
        )
    parted = bool(fixed) or (dynamic and bool(open_ones))
    if change.overwrite and parted and facts and facts.format not in LAKES:
        raise _fault(
            change.piece,
            None,
            f"INSERT OVERWRITE of single partitions of a table USING {facts.format} is not "
            "supported.",
            "UNSUPPORTED_FEATURE.TABLE_OPERATION",
            "0A000",
            "Use DELETE and INSERT INTO, or overwrite the whole table.",
        )
    wanted = [column for column in columns if column.name not in dict(fixed)]
    defaults = defaults_of(facts)
    listed = change.columns
    if listed is not None:
        _check_apart(change, fixed)
        known = {name_key(column.name): column for column in wanted}
        wanted = [known[name_key(name)] for name in listed if name_key(name) in known]
    source = _with_defaults(change, () if change.by_name else wanted, defaults)
    return Filling(source, listed, _row(fixed), dynamic and change.overwrite and bool(open_ones))


def _fixed(change: Insert, facts: TableFacts | None) -> list[tuple[str, exp.Expression]]:
    """The partition columns with values of their own, as the table spells them."""
    known = {name_key(name): name for name in (facts.partition_columns if facts else ())}
    kinds = {column.name: column.type for column in (facts.columns if facts else ())}
    found = []
    for name, value in change.partition:
        own = known.get(name_key(name))
        if own is None:
            told = f"PARTITION names {name}, which the table is not partitioned by."
            hint = f"It is by: {', '.join(known.values())}." if known else "It is by no column."
            raise _fault(change.piece, value, told, "NON_PARTITION_COLUMN", "42000", hint)
        if value is not None:
            found.append((own, _typed(value, kinds.get(own, "string"))))
    return found


def _typed(value: exp.Expression, kind: str) -> exp.Expression:
    """A constant; text is read as the column's type."""
    text = isinstance(value, exp.Literal) and value.is_string
    if not text or kind == "string":
        return value.copy()
    return cast(exp.Expression, exp.cast(value.copy(), kind, dialect="spark"))


def _check_apart(change: Insert, fixed: Sequence[tuple[str, exp.Expression]]) -> None:
    known = {name_key(name) for name, _ in fixed}
    twice = [name for name in change.columns or () if name_key(name) in known]
    if twice:
        raise _fault(
            change.piece,
            None,
            f"Column {twice[0]} has its value in PARTITION already.",
            "INCOMPATIBLE_DATA_FOR_TABLE.EXTRA_COLUMNS",
            "KD000",
            "Leave it out of the list of columns.",
        )


def _row(values: Sequence[tuple[str, exp.Expression]]) -> exp.Query | None:
    if not values:
        return None
    items = [
        exp.Alias(this=value, alias=exp.to_identifier(name, quoted=True)) for name, value in values
    ]
    return exp.Select().select(*items)


def _with_defaults(
    change: Insert, wanted: Sequence[Column], defaults: Mapping[str, exp.Expression]
) -> exp.Query:
    """The query, DEFAULT being what its column gets by default."""
    source = change.source.copy()
    for row in _rows(source):
        for place, value in enumerate(row):
            if not is_default(value):
                continue
            if place >= len(wanted):
                _misplaced(change.piece, value)
            value.replace(default_of(wanted[place].name, defaults))
    for node in source.find_all(exp.Var, exp.Column):
        if is_default(node) and not _may_be_column(node, source):
            _misplaced(change.piece, node)
    return source


def _rows(source: exp.Query) -> list[list[exp.Expression]]:
    """The values that go to columns one by one: of VALUES, or of a SELECT without a table."""
    if not isinstance(source, exp.Select) or source.args.get("with_"):
        return []
    start = source.args.get("from_")
    if start is None:
        return [list(source.expressions)]
    if isinstance(start.this, exp.Values) and source.is_star:
        rows = start.this.expressions
        return [list(row.expressions) if isinstance(row, exp.Tuple) else [row] for row in rows]
    return []


def _may_be_column(node: exp.Expr, source: exp.Query) -> bool:
    """Whether a name may be that of a column called so."""
    select = node.find_ancestor(exp.Select)
    start = select.args.get("from_") if select is not None else None
    inside = node.find_ancestor(exp.Values) is not None
    return isinstance(node, exp.Column) and not inside and start is not None


def is_default(value: exp.Expr) -> bool:
    """Whether a value is the bare word DEFAULT."""
    if isinstance(value, exp.Var):
        return value.name.upper() == "DEFAULT"
    if not isinstance(value, exp.Column) or not isinstance(value.this, exp.Identifier):
        return False
    return value.name.upper() == "DEFAULT" and not (value.table or value.this.quoted)


def default_of(column: str, defaults: Mapping[str, exp.Expression]) -> exp.Expression:
    """What a column gets by default."""
    found = defaults.get(column)
    return exp.null() if found is None else found.copy()


def _misplaced(piece: Piece, node: exp.Expr) -> NoReturn:
    raise _fault(
        piece,
        node,
        "DEFAULT can only stand alone, as the value of a column.",
        "DEFAULT_PLACEMENT_INVALID",
        "42608",
    )


def _fault(
    piece: Piece,
    node: exp.Expr | None,
    message: str,
    condition: str,
    sqlstate: str,
    hint: str | None = None,
) -> SqlError:
    line, column = None, None
    if node is not None:
        line, column = position(piece, cast(exp.Expression, node))
    return SqlError(
        f"{message[:-1]}; nothing was changed.",
        condition=condition,
        sqlstate=sqlstate,
        line=line,
        column=column,
        hint=hint,
    )
