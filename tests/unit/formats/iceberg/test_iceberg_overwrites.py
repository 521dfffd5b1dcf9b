"""Overwrites of single partitions of Iceberg tables."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal

import polars as pl
import pytest

from flowcat_jupyter.formats.protocol import Parts
from tests.unit.formats.iceberg.conftest import Kept


def overwrite(kept: Kept, rows: pl.DataFrame, parts: Parts) -> None:
    job = kept.begin()
    job.write(
        rows,
        location=kept.location,
        mode="overwrite",
        base_version=None,
        keep_columns=True,
        parts=parts,
    )
    kept.record(job)


def test_an_overwrite_takes_away_just_the_partitions_it_has_rows_for(kept: Kept) -> None:
    kept.write(pl.DataFrame({"p": ["a", "b", None], "n": [1, 2, 3]}), "create", ("p",))
    overwrite(kept, pl.DataFrame({"p": [None], "n": [30]}, schema={"p": str, "n": int}), Parts())
    assert kept.rows().rows() == [("a", 1), ("b", 2), (None, 30)]
    overwrite(kept, pl.DataFrame({"p": ["a"], "n": [10]}).clear(), Parts())
    assert kept.rows().height == 3


def test_an_overwrite_takes_away_the_partition_that_it_names(kept: Kept) -> None:
    kept.write(pl.DataFrame({"p": ["a", "b"], "n": [1, 2]}), "create", ("p",))
    new = pl.DataFrame({"p": ["a"], "n": [10]})
    fixed = pl.DataFrame({"p": ["a"]})
    overwrite(kept, new, Parts(fixed, unless_there=True))
    assert kept.rows().rows() == [("a", 1), ("b", 2)]
    overwrite(kept, new, Parts(fixed))
    assert kept.rows().rows() == [("a", 10), ("b", 2)]
    overwrite(kept, new.clear(), Parts(fixed))
    assert kept.rows().rows() == [("b", 2)]


@pytest.mark.parametrize(
    "values",
    [
        [True, False, None],
        [Decimal("1.50"), Decimal("2.50"), None],
        [date(2024, 1, 1), date(2024, 1, 2), None],
        [datetime(2024, 1, 1, 1, tzinfo=UTC), datetime(2024, 1, 1, 2, tzinfo=UTC), None],
        ["a", "", None],
        [-1, 2**40, None],
    ],
)
def test_a_partition_is_named_by_a_value_of_any_type(kept: Kept, values: list[object]) -> None:
    given = pl.DataFrame({"p": values, "n": [1, 2, 3]})
    kept.write(given, "create", ("p",))
    for at, value in enumerate(values):
        fixed = pl.DataFrame({"p": [value]}, schema={"p": given.schema["p"]})
        new = fixed.with_columns(pl.lit(10 * at).alias("n"))
        overwrite(kept, new, Parts(fixed))
        left = dict(kept.rows().rows())
        assert (len(left), left[value]) == (3, 10 * at)
