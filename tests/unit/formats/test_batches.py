"""Frames one after the other, as one lazy frame."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl
import pytest
from polars.exceptions import PolarsError

from flowcat_jupyter.formats.batches import KeptError, lazily
from flowcat_jupyter.shared.errors import Invalid

SCHEMA = pl.Schema({"n": pl.Int64(), "*": pl.String()})


class Counted:
    """Ten frames of ten rows, and how many of them were taken."""

    def __init__(self) -> None:
        self.taken = 0

    def frames(self) -> Iterator[pl.DataFrame]:
        for start in range(0, 100, 10):
            self.taken += 1
            yield pl.DataFrame({"n": range(start, start + 10), "*": ["x"] * 10}, schema=SCHEMA)


@pytest.fixture
def counted() -> Counted:
    return Counted()


def test_the_frame_can_be_collected_again_and_again(counted: Counted) -> None:
    lazy = lazily(counted.frames, SCHEMA)
    assert lazy.collect()["n"].to_list() == list(range(100))
    assert lazy.collect().equals(lazy.collect())


def test_a_limit_counts_the_rows_of_all_frames_and_ends_the_reading(counted: Counted) -> None:
    assert lazily(counted.frames, SCHEMA).head(12).collect()["n"].to_list() == list(range(12))
    assert counted.taken == 2


def test_a_limit_comes_before_what_is_filtered_after_it(counted: Counted) -> None:
    lazy = lazily(counted.frames, SCHEMA)
    assert lazy.head(12).filter(pl.col("n") > 8).collect()["n"].to_list() == [9, 10, 11]
    assert lazy.filter(pl.col("n") > 8).head(2).collect()["n"].to_list() == [9, 10]


def test_a_column_whose_name_is_a_pattern_is_taken_by_its_name(counted: Counted) -> None:
    assert lazily(counted.frames, SCHEMA).select(pl.exclude("n")).collect().columns == ["*"]


def test_rows_are_counted_without_any_column(counted: Counted) -> None:
    assert lazily(counted.frames, SCHEMA).select(pl.len()).collect().item() == 100


def broken() -> Iterator[pl.DataFrame]:
    yield pl.DataFrame({"n": [1], "*": ["x"]}, schema=SCHEMA)
    raise Invalid("Line 2 does not fit.", hint="Mend it.")


def collect(lazy: pl.LazyFrame) -> pl.DataFrame:
    try:
        return lazy.collect()
    except PolarsError as error:
        raise Invalid("polars gave up") from error


def test_an_error_of_the_frames_arrives_whole() -> None:
    kept = KeptError()
    with pytest.raises(Invalid) as caught, kept.told():
        collect(lazily(lambda: kept.of(broken()), SCHEMA))
    assert (caught.value.message, caught.value.hint) == ("Line 2 does not fit.", "Mend it.")


def test_an_error_that_is_not_the_frames_own_stays_as_it_is(counted: Counted) -> None:
    kept = KeptError()
    with pytest.raises(Invalid, match="polars gave up"), kept.told():
        collect(
            lazily(lambda: kept.of(counted.frames()), SCHEMA).select(pl.col("n").str.len_chars())
        )
