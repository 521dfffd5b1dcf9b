"""Tables with column mapping, whose files name their columns otherwise than the table does.

polars has no public way to read them, so the Delta library's own query engine does, batch by
batch, for just the columns that are wanted, and without the files that the log rules out.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime

import polars as pl
from deltalake import QueryBuilder
from polars.io.plugins import register_io_source

from flowcat_jupyter.formats.delta_log import Snapshot, translated
from flowcat_jupyter.shared.conditions import Condition, Conditions, Plain

_TABLE = "t"


def scan_mapped(
    snapshot: Snapshot, schema: pl.Schema, label: str, conditions: Conditions = ()
) -> pl.LazyFrame:
    """The rows of a snapshot in the types of ``schema``, those that meet no condition left out.

    Files are opened as rows are asked for.
    """
    where = _where(conditions, schema)

    def batches(
        columns: list[str] | None,
        predicate: pl.Expr | None,
        rows: int | None,
        _size: int | None,
    ) -> Iterator[pl.DataFrame]:
        names = schema.names() if columns is None else columns
        # A count asks for no column, and rows without one would have no number.
        names = names or schema.names()[:1]
        wanted = pl.Schema({name: schema[name] for name in names})
        left = rows
        limit = rows if predicate is None else None
        for batch in _selected(snapshot, names, where, limit, label):
            frame = pl.DataFrame(
                [
                    batch.to_series(at).cast(dtype).alias(name)
                    for at, (name, dtype) in enumerate(wanted.items())
                ]
            )
            frame = frame if predicate is None else frame.filter(predicate)
            if left is not None:
                frame = frame.head(left)
                left -= frame.height
            yield frame
            if left is not None and left <= 0:
                return

    return register_io_source(batches, schema=schema, is_pure=True)


def _selected(
    snapshot: Snapshot, names: list[str], where: str, limit: int | None, label: str
) -> Iterator[pl.DataFrame]:
    listed = ", ".join(_quoted(name) for name in names)
    words = ["SELECT", listed, "FROM", _TABLE]
    if where:
        words += ["WHERE", where]
    if limit is not None:
        words += ["LIMIT", str(limit)]
    with translated(label):
        reader = QueryBuilder().register(_TABLE, snapshot.table).execute(" ".join(words))
        yield from map(pl.DataFrame, reader)


def _where(conditions: Conditions, schema: pl.Schema) -> str:
    """The conditions as the engine spells them; empty where rows of any kind are wanted.

    Those on floating-point numbers are left out: to the engine 0.0 and -0.0 differ.
    """
    places = [
        [_spelled(item) for item in place if not schema[item.column].is_float()]
        for place in conditions
    ]
    if not places or not all(places):
        return ""
    return " OR ".join(f"({' AND '.join(place)})" for place in places)


def _spelled(condition: Condition) -> str:
    column = _quoted(condition.column)
    if condition.op in ("is_null", "not_null"):
        return f"({column} IS {'NOT ' if condition.op == 'not_null' else ''}NULL)"
    values = [_literal(value) for value in condition.values]
    if condition.op == "in":
        return f"({column} IN ({', '.join(values)}))"
    return f"({column} {condition.op} {values[0]})"


def _literal(value: Plain) -> str:
    if isinstance(value, datetime):
        zone = 'Some("UTC")' if value.tzinfo else "None"
        wall = value.replace(tzinfo=None).isoformat()
        return f"arrow_cast('{wall}', 'Timestamp(Microsecond, {zone})')"
    if isinstance(value, date):
        return f"DATE '{value.isoformat()}'"
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else str(value)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
