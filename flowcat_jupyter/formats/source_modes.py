"""What becomes of records that do not fit: the option ``mode`` and the column for their text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from flowcat_jupyter.formats.options import Options, choice, text
from flowcat_jupyter.formats.types import polars_type
from flowcat_jupyter.shared.errors import Invalid
from flowcat_jupyter.shared.names import name_key
from flowcat_jupyter.shared.types import parse_type
from flowcat_jupyter.shared.wire import Column

MODE = choice("mode", ("PERMISSIVE", "DROPMALFORMED", "FAILFAST"), "PERMISSIVE")
CORRUPT = text("columnNameOfCorruptRecord", "_corrupt_record")
_SHOWN = 120


def check_corrupt(columns: Sequence[Column], options: Options) -> None:
    """Let pass columns of which the one for records that do not fit is STRING, if it is there.

    :raises Invalid: it is of another type.
    """
    name = options["columnNameOfCorruptRecord"]
    for column in columns:
        if name_key(column.name) == name_key(name) and parse_type(column.type).kind != "string":
            raise Invalid(
                f"The column {column.name} for records that do not fit must be STRING.",
                condition="INVALID_CORRUPT_RECORD_TYPE",
                sqlstate="42804",
                hint="Declare it as STRING, or name another column with columnNameOfCorruptRecord.",
            )


def judged(
    values: Mapping[str, pl.Series],
    columns: Sequence[Column],
    wrong: pl.Series,
    records: pl.Series,
    options: Options,
    label: str,
) -> pl.DataFrame:
    """Rows of ``columns`` out of the values read, ``wrong`` where a record did not fit.

    PERMISSIVE keeps such rows, with NULL for what did not fit and the record itself in the column
    for that, DROPMALFORMED leaves them out.

    :raises Invalid: FAILFAST, and a record did not fit.
    """
    corrupt = name_key(options["columnNameOfCorruptRecord"])
    mode = options["mode"]
    if mode == "FAILFAST" and wrong.any():
        raise refused_record(records.filter(wrong)[0], label)
    nothing = pl.Series([None], dtype=pl.String).new_from_index(0, len(records))
    series = []
    for column in columns:
        if name_key(column.name) == corrupt and column.name not in values:
            series.append(records.zip_with(wrong, nothing).alias(column.name))
        else:
            series.append(values[column.name].cast(polars_type(column.type)).alias(column.name))
    frame = pl.DataFrame(series)
    return frame.filter(~wrong) if mode == "DROPMALFORMED" else frame


def refused_record(record: str, label: str) -> Invalid:
    """The error of a record that does not fit, where such are not to be passed over."""
    shown = record if len(record) <= _SHOWN else record[:_SHOWN] + "…"
    return Invalid(
        f"A record of {label} does not fit the columns: {shown!r}.",
        condition="MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION",
        sqlstate="22023",
        hint="The mode is FAILFAST. PERMISSIVE reads NULL for what does not fit, DROPMALFORMED "
        "leaves such records out.",
    )
