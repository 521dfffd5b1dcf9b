"""What an Iceberg table is to be partitioned by, as the library has it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pyiceberg.partitioning import PARTITION_FIELD_ID_START, PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import (
    BucketTransform,
    DayTransform,
    HourTransform,
    IdentityTransform,
    MonthTransform,
    Transform,
    TruncateTransform,
    YearTransform,
)
from pyiceberg.types import NestedField

from flowcat_jupyter.shared.errors import Invalid
from flowcat_jupyter.shared.names import name_key
from flowcat_jupyter.shared.partitioning import Partition, partition_of

_UNITS: dict[str, Transform[Any, Any]] = {
    "years": YearTransform(),
    "months": MonthTransform(),
    "days": DayTransform(),
    "hours": HourTransform(),
}
_MOST = 1_000_000


def partition_spec(schema: Schema, wanted: Sequence[str]) -> PartitionSpec:
    """The spec of what `Partition.text` says.

    :raises Invalid: a column is not there, is named twice, or cannot be partitioned by so.
    """
    fields = {name_key(field.name): field for field in schema.fields}
    names = [field.name for field in schema.fields]
    made: list[PartitionField] = []
    for number, text in enumerate(wanted, start=PARTITION_FIELD_ID_START):
        asked = partition_of(text, names)
        field = fields.get(name_key(asked.column))
        if field is None:
            raise Invalid(
                f"There is no column {asked.column} to partition by.",
                condition="COLUMN_NOT_DEFINED_IN_TABLE",
                sqlstate="42703",
                hint=f"There are: {', '.join(names)}.",
            )
        transform = _transform(asked, field)
        name = field.name if asked.transform is None else f"{field.name}_{_suffix(asked)}"
        if any(name_key(item.name) == name_key(name) for item in made) or (
            asked.transform is not None and name_key(name) in fields
        ):
            raise Invalid(
                f"{text} cannot be partitioned by: there is {name} already.",
                condition="COLUMN_ALREADY_EXISTS",
                sqlstate="42711",
                hint="Name each column once; case does not matter.",
            )
        made.append(PartitionField(field.field_id, number, transform, name))
    return PartitionSpec(*made)


def _suffix(asked: Partition) -> str:
    units = {
        "years": "year",
        "months": "month",
        "days": "day",
        "hours": "hour",
        "truncate": "trunc",
    }
    return units.get(asked.transform or "", asked.transform or "")


def _transform(asked: Partition, field: NestedField) -> Transform[Any, Any]:
    if asked.transform is None:
        transform: Transform[Any, Any] = IdentityTransform()
    elif asked.transform in _UNITS:
        transform = _UNITS[asked.transform]
    elif not 0 < asked.number <= _MOST:
        raise Invalid(
            f"{asked.text} takes a whole number from 1 to {_MOST:,}.",
            condition="INVALID_PARTITION_TRANSFORM",
            sqlstate="42000",
        )
    elif asked.transform == "bucket":
        transform = BucketTransform(asked.number)
    else:
        transform = TruncateTransform(asked.number)
    kind = field.field_type
    floating = str(kind) in ("float", "double", "binary")
    if not kind.is_primitive or not transform.can_transform(kind) or floating:
        raise Invalid(
            f"A table cannot be partitioned by {asked.text}: {field.name} is {kind}.",
            condition="INVALID_PARTITION_COLUMN_DATA_TYPE",
            sqlstate="0A000",
            hint="Parts of time are of dates and timestamps; TRUNCATE is of texts and numbers.",
        )
    return transform
