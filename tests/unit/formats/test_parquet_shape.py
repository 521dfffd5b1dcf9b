"""Files are read in the types that are asked for, and the engine knows how large they are."""

from __future__ import annotations

import sys
from pathlib import Path

import polars as pl
import pytest

from flowcat_jupyter.formats.parquet_scan import read_parquet
from flowcat_jupyter.formats.parquet_shape import shape_file

WIDE = pl.Schema({"a": pl.Int64(), "b": pl.String(), "new": pl.Date()})
linux = pytest.mark.skipif(sys.platform != "linux", reason="files in memory are Linux's")


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """A file with narrow numbers, one with wide ones and another column, neither with ``new``."""
    narrow = pl.DataFrame({"a": pl.Series([1, 2, 3], dtype=pl.Int32), "b": ["x", "y", "z"]})
    wide = pl.DataFrame({"b": ["u"], "a": pl.Series([1 << 40], dtype=pl.Int64), "more": [1.5]})
    paths = [tmp_path / "narrow.parquet", tmp_path / "wide.parquet"]
    narrow.write_parquet(paths[0])
    wide.write_parquet(paths[1])
    return [str(path) for path in paths]


def test_every_file_gives_the_columns_and_types_that_are_asked_for(files: list[str]) -> None:
    frame = read_parquet(files, WIDE).collect()
    assert frame.schema == WIDE
    assert frame["a"].to_list() == [1, 2, 3, 1 << 40]
    assert frame["new"].to_list() == [None] * 4


@linux
def test_the_plan_knows_how_many_rows_there_are_and_asks_the_files(files: list[str]) -> None:
    plan = read_parquet(files, WIDE).filter(pl.col("a") == 2).explain()
    assert "ESTIMATED ROWS: 4" in plan
    assert 'SELECTION: col("a") == 2' in plan


def test_rows_are_numbered_and_told_their_files_without_the_shape(files: list[str]) -> None:
    frame = read_parquet(files, WIDE, path_column="path", row_column="row").collect()
    assert frame["row"].to_list() == [0, 1, 2, 3]
    assert frame["path"].to_list() == [files[0]] * 3 + [files[1]]


@linux
def test_a_schema_has_one_file_however_often_it_is_asked_for() -> None:
    assert shape_file(WIDE) == shape_file(pl.Schema(dict(WIDE)))
    assert shape_file(WIDE) != shape_file(pl.Schema({"a": pl.Int64()}))


@pytest.mark.parametrize(
    "kind",
    [
        pl.Boolean(),
        pl.Float32(),
        pl.Float64(),
        pl.Binary(),
        pl.Decimal(38, 10),
        pl.Datetime("us", "UTC"),
        pl.Datetime("us"),
        pl.Null(),
        pl.List(pl.List(pl.Int64())),
        pl.Struct({"x": pl.Int64(), "y": pl.List(pl.String())}),
        pl.Struct({}),
    ],
    ids=str,
)
def test_a_column_of_any_type_is_read_as_it_is_declared(kind: pl.DataType, tmp_path: Path) -> None:
    path = tmp_path / "other.parquet"
    pl.DataFrame({"other": [1, 2]}).write_parquet(path)
    frame = read_parquet([str(path)], pl.Schema({"it": kind, "other": pl.Int64()})).collect()
    assert frame.schema == {"it": kind, "other": pl.Int64()}
    assert frame["it"].null_count() == frame.height
