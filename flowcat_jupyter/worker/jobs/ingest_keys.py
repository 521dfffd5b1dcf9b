"""Whether the keys of an upsert tell the rows of its files apart."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl
from polars.exceptions import PolarsError

from flowcat_jupyter.formats.delta_commit import not_computed
from flowcat_jupyter.formats.types import exactly
from flowcat_jupyter.shared.counts import many
from flowcat_jupyter.shared.errors import Invalid
from flowcat_jupyter.shared.names import name_key

SHOWN = 10
_COUNT = "__flowcat_count"


def check_keys(frame: pl.LazyFrame, columns: Sequence[str], keys: Sequence[str]) -> None:
    """Check that ``keys`` are columns, that no row lacks one, and that no two rows share them.

    :raises Invalid: naming the columns, or the first `SHOWN` keys that are at fault.
    """
    known = {name_key(column): column for column in columns}
    unknown = [key for key in keys if name_key(key) not in known]
    if unknown:
        raise Invalid(
            f"The files have no column {', '.join(unknown)} to match rows by.",
            hint=f"They have: {', '.join(list(columns)[:20])}.",
        )
    names = list(dict.fromkeys(known[name_key(key)] for key in keys))
    doubtful = _doubtful(frame, names)
    missing = doubtful.filter(pl.any_horizontal(exactly(name).is_null() for name in names))
    if missing.height:
        raise Invalid(
            f"{many(int(missing[_COUNT].sum()), 'row has', 'rows have')} NULL in "
            f"{', '.join(names)}, by which rows are matched; nothing was imported.",
            condition="MERGE_CARDINALITY_VIOLATION",
            sqlstate="23K01",
            hint="Choose other keys, or give every row a value.",
        )
    if doubtful.height:
        shown = ", ".join(
            " ".join(str(value) for value in row[:-1]) for row in doubtful.head(SHOWN).rows()
        )
        more = f" and {doubtful.height - SHOWN:,} more" if doubtful.height > SHOWN else ""
        raise Invalid(
            f"Several rows have the same {', '.join(names)}: {shown}{more}; nothing was imported.",
            condition="MERGE_CARDINALITY_VIOLATION",
            sqlstate="23K01",
            hint="Each key may appear once in the files; remove the repeated rows or add a key.",
        )


def _doubtful(frame: pl.LazyFrame, names: list[str]) -> pl.DataFrame:
    """The keys that are NULL in part or not unique, in order, with how many rows have them."""
    lacking = pl.any_horizontal(exactly(name).is_null() for name in names)
    try:
        return (
            frame.select(exactly(*names))
            .group_by(exactly(*names))
            .len(_COUNT)
            .filter((pl.col(_COUNT) > 1) | lacking)
            .sort(exactly(*names))
            .collect(engine="streaming")
        )
    except PolarsError as error:
        raise not_computed(error) from error
