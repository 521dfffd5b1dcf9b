"""Rows that come in order are kept in order where they fit in one piece."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl
import pytest
from polars.io.plugins import register_io_source

from flowcat_jupyter.formats import delta_commit

ROWS, BATCHES = 10_000, 40


def numbered() -> pl.LazyFrame:
    """Rows 0, 1, 2 … in many batches, as a file's reader gives them."""

    def batches(
        _columns: list[str] | None,
        _predicate: pl.Expr | None,
        _rows: int | None,
        _size: int | None,
    ) -> Iterator[pl.DataFrame]:
        for start in range(0, ROWS * BATCHES, ROWS):
            yield pl.DataFrame({"n": range(start, start + ROWS)})

    return register_io_source(batches, schema={"n": pl.Int64})


def as_they_lie(table) -> list[int]:
    """The numbers from 0 in the order of the table's files."""
    return [n for n in table.scan().frame.collect()["n"] if n >= 0]


@pytest.mark.parametrize("mode", ["create", "overwrite", "append"])
def test_a_files_rows_keep_their_order(table, mode):
    if mode != "create":
        table.write(pl.DataFrame({"n": [-1]}))
    table.write(numbered(), mode)
    assert as_they_lie(table) == list(range(ROWS * BATCHES))


def test_more_than_fits_in_one_piece_is_written_whole_all_the_same(table, monkeypatch):
    monkeypatch.setattr(delta_commit, "ORDERED_BYTES", 1000)
    table.write(numbered())
    assert sorted(as_they_lie(table)) == list(range(ROWS * BATCHES))
