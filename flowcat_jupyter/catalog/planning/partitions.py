"""``PARTITIONED BY``: columns, and for Iceberg tables what is computed from them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlglot import exp

from flowcat_jupyter.catalog.planning.refusals import column_names, refuse, shown
from flowcat_jupyter.shared.partitioning import COMPUTED, Partition
from flowcat_jupyter.sql.dialect import Piece

_UNITS = {"year": "years", "month": "months", "day": "days", "hour": "hours", "date": "days"}
_COUNTED = (exp.PartitionedByBucket, exp.PartitionByTruncate)
_HINT = (
    "A table is partitioned by columns; one USING iceberg also by years(c), months(c), days(c), "
    "hours(c), bucket(n, c) and truncate(c, n)."
)


def read_partitions(piece: Piece, item: Any, what: str) -> tuple[Partition, ...]:
    """What a table is to be partitioned by.

    :raises SqlError: it is no list of columns and what Iceberg computes from them.
    """
    if not isinstance(item, exp.Schema):
        hint = "List the columns in parentheses: PARTITIONED BY (a, b)."
        refuse(piece, f"{what} with PARTITIONED BY {shown(item)}", hint=hint)
    if not item.expressions:
        refuse(piece, f"{what} … PARTITIONED BY without a column")
    return tuple(_partition(piece, part, what) for part in item.expressions)


def _partition(piece: Piece, part: Any, what: str) -> Partition:
    if not isinstance(part, (exp.Func, *_COUNTED)):
        (name,) = column_names(piece, [part], f"{what} … PARTITIONED BY")
        return Partition(name)
    if isinstance(part, _COUNTED):
        # Both ways round are read alike, with the number last.
        name = "bucket" if isinstance(part, exp.PartitionedByBucket) else "truncate"
        given = [part.this, part.args.get("expression")]
    else:
        name = part.name if isinstance(part, exp.Anonymous) else part.sql_name()
        given = [*part.iter_expressions()]
    made = _made(name.casefold(), given)
    if made is None:
        refuse(piece, f"{what} with PARTITIONED BY {part.sql('spark')}", hint=_HINT)
    return made


def _made(name: str, given: Sequence[Any]) -> Partition | None:
    name = _UNITS.get(name, name)
    plain = [item.this if isinstance(item, exp.TsOrDsToDate) else item for item in given]
    columns = [item.name for item in plain if _is_column(item)]
    numbers = [int(item.name) for item in plain if isinstance(item, exp.Literal) and item.is_int]
    counted = name in ("bucket", "truncate")
    fits = len(columns) == 1 and len(numbers) == int(counted) == len(plain) - 1
    if name not in COMPUTED or not fits:
        return None
    return Partition(columns[0], name, numbers[0] if counted else 0)


def _is_column(item: Any) -> bool:
    return isinstance(item, exp.Identifier) or (
        isinstance(item, exp.Column) and len(item.parts) == 1
    )
