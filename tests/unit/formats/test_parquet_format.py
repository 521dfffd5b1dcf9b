"""Parquet files as read-only tables."""

from __future__ import annotations

from datetime import time, timedelta
from pathlib import Path
from urllib.parse import quote

import polars as pl
import pytest

from flowcat_jupyter.formats.parquet import ParquetFormat
from flowcat_jupyter.formats.parquet_scan import HIVE_NULL
from flowcat_jupyter.shared.conditions import Condition
from flowcat_jupyter.shared.errors import Forbidden, Invalid, NotFound
from flowcat_jupyter.shared.wire import Column, Source
from tests.support.scans import told

FORMAT = ParquetFormat()


def source(location: Path | str, **options) -> Source:
    return Source("r1", "table", ("main", "ext", "files"), "parquet", str(location), **options)


@pytest.fixture
def folder(tmp_path) -> Path:
    place = tmp_path / "a=1 José#" / "data"
    for part, value in (("p=x%20y/n=1", 1), ("p=b/n=__HIVE_DEFAULT_PARTITION__", 2)):
        inner = place / part
        inner.mkdir(parents=True)
        pl.DataFrame({"v": [value]}, schema={"v": pl.Int32}).write_parquet(inner / "f.parquet")
    (place / "_tmp").mkdir()
    (place / "_tmp" / "g.parquet").write_bytes(b"half written")
    (place / "notes.txt").write_text("x")
    return place


def test_one_file_is_a_table(tmp_path):
    path = tmp_path / "it's [1] 50%41.parquet"
    pl.DataFrame({"i": [1], "u": [200]}, schema={"i": pl.Int8, "u": pl.UInt8}).write_parquet(path)
    scan = FORMAT.scan(source(path))
    assert scan.columns == (Column("i", "tinyint"), Column("u", "smallint"))
    assert scan.version is None
    assert scan.frame.collect_schema() == {"i": pl.Int64, "u": pl.Int64}
    assert scan.frame.collect().rows() == [(1, 200)]
    assert scan.declared().collect_schema() == {"i": pl.Int8, "u": pl.Int16}


def test_a_folder_is_a_table_whose_folders_are_columns(folder):
    scan = FORMAT.scan(source(folder))
    assert [(column.name, column.type) for column in scan.columns] == [
        ("v", "int"),
        ("p", "string"),
        ("n", "int"),
    ]
    assert scan.frame.sort("v").collect().rows() == [(1, "x y", 1), (2, "b", None)]
    facts = FORMAT.facts(source(folder))
    assert (facts.row_count, facts.partition_columns) == (2, ("p", "n"))
    assert facts.columns == scan.columns
    assert facts.size_bytes == sum(path.stat().st_size for path in folder.rglob("f.parquet"))
    assert (facts.version, facts.data_files_version) == (None, None)


def test_a_pattern_is_a_table(tmp_path):
    for name in ("a1", "a2", "b1"):
        pl.DataFrame({"n": [name]}).write_parquet(tmp_path / f"{name}.parquet")
    rows = FORMAT.scan(source(tmp_path / "a*.parquet")).frame.collect().rows()
    assert rows == [("a1",), ("a2",)]


def test_files_with_other_columns_give_null_and_other_types_are_named(tmp_path):
    pl.DataFrame({"a": [1]}).write_parquet(tmp_path / "1.parquet")
    pl.DataFrame({"a": [2], "b": ["x"]}, schema_overrides={"a": pl.Int16}).write_parquet(
        tmp_path / "2.parquet"
    )
    scan = FORMAT.scan(source(tmp_path))
    assert scan.frame.collect().rows() == [(1, None), (2, "x")]
    told = ("Column b is in 1 of the 2 files only; it is NULL in the others.",)
    assert scan.warnings == told
    facts = FORMAT.facts(source(tmp_path))
    assert (facts.row_count, facts.warnings) == (2, told)
    pl.DataFrame({"a": ["text"]}).write_parquet(tmp_path / "3.parquet")
    with pytest.raises(Invalid, match=r"Column a is String in 3\.parquet"):
        FORMAT.scan(source(tmp_path))


def test_columns_that_differ_by_case_alone_are_both_read_and_told_of(tmp_path):
    path = tmp_path / "f.parquet"
    pl.DataFrame({"a": [1], "A": ["x"]}).write_parquet(path)
    scan = FORMAT.scan(source(path))
    assert scan.frame.collect().rows() == [(1, "x")]
    assert scan.warnings == (
        "Columns a and A differ by upper and lower case only, so that SQL cannot name one of them.",
    )


def test_folders_that_cannot_hold_a_wanted_row_are_left_out(tmp_path):
    for year in (2023, 2024):
        for kind in ("a b", None):
            folder = tmp_path / f"year={year}" / f"kind={quote(kind) if kind else HIVE_NULL}"
            folder.mkdir(parents=True)
            pl.DataFrame({"n": [year]}).write_parquet(folder / "f.parquet")
    opened = FORMAT.open(source(tmp_path))
    for conditions, left in (
        (Condition("year", ">", (2023,)), 2),
        (Condition("kind", "=", ("a b",)), 2),
        (Condition("kind", "is_null"), 2),
        (Condition("n", "=", (1,)), 0),
        (Condition("year", "=", (1,)), 4),
    ):
        scan = opened.scan(((conditions,),))
        assert (told(scan).files, told(scan).files_skipped) == (4, left)
        assert scan.frame.collect().height == 4 - left


@pytest.mark.parametrize("place", ["t", "t/*.parquet", "*/*.parquet", ".", "t/p=1", "**/*.parquet"])
def test_a_delta_tables_files_are_no_parquet_table(tmp_path, place):
    (tmp_path / "t" / "_delta_log").mkdir(parents=True)
    (tmp_path / "t" / "p=1").mkdir()
    for path in (tmp_path / "t" / "x.parquet", tmp_path / "t" / "p=1" / "y.parquet"):
        pl.DataFrame({"a": [1]}).write_parquet(path)
    for look in (FORMAT.scan, FORMAT.facts):
        with pytest.raises(Invalid, match="files of a Delta table"):
            look(source(tmp_path / place))


def test_what_spark_has_no_type_for_is_converted_with_a_warning(tmp_path):
    path = tmp_path / "f.parquet"
    frame = pl.DataFrame(
        {
            "t": [time(1, 2, 3, 999_999)],
            "d": [timedelta(seconds=2)],
            "c": ["x"],
            "u": [2**63],
        },
        schema_overrides={"c": pl.Categorical, "u": pl.UInt64},
    )
    frame.write_parquet(path)
    scan = FORMAT.scan(source(path))
    assert [column.type for column in scan.columns] == [
        "string",
        "bigint",
        "string",
        "decimal(20,0)",
    ]
    (row,) = scan.frame.collect().rows()
    assert row[:3] == ("01:02:03.999999", 2_000_000, "x")
    assert int(row[3]) == 2**63
    assert len(scan.warnings) == 2


def test_a_link_out_of_the_folder_or_the_pattern_is_not_followed(tmp_path):
    inside, outside = tmp_path / "in", tmp_path / "out"
    for place in (inside, outside):
        place.mkdir()
        pl.DataFrame({"a": [1]}).write_parquet(place / "x.parquet")
    assert FORMAT.facts(source(inside)).row_count == 1
    (inside / "y.parquet").symlink_to(outside / "x.parquet")
    (inside / "folder").symlink_to(outside)
    for location in (inside, inside / "*.parquet", inside / "*" / "x.parquet"):
        for look in (FORMAT.scan, FORMAT.facts):
            with pytest.raises(Forbidden, match="may not read"):
                look(source(location))
    (inside / "y.parquet").unlink()
    (inside / "z.parquet").symlink_to(inside / "x.parquet")
    assert FORMAT.facts(source(inside)).row_count == 2


def test_what_is_not_there_or_not_parquet_is_said(tmp_path):
    with pytest.raises(NotFound, match="table data"):
        FORMAT.scan(source(tmp_path))
    (tmp_path / "x.parquet").write_bytes(b"no")
    with pytest.raises(Invalid, match=r"x\.parquet is not a Parquet file"):
        FORMAT.facts(source(tmp_path))


def test_there_are_no_versions(folder):
    assert FORMAT.history(source(folder), 5).entries == ()
    for options in ({"version": 0}, {"timestamp": "2026-01-01"}):
        with pytest.raises(Invalid, match="have no versions"):
            FORMAT.scan(source(folder, **options))


def test_folders_partitioned_differently_are_refused(tmp_path):
    for part in ("p=1", "q=1"):
        (tmp_path / part).mkdir()
        pl.DataFrame({"v": [1]}).write_parquet(tmp_path / part / "f.parquet")
    with pytest.raises(Invalid, match="not all partitioned by the same"):
        FORMAT.scan(source(tmp_path))


def test_columns_of_nothing_but_null_are_text_or_what_other_files_say(tmp_path):
    nothing = pl.DataFrame({"a": [1], "n": [None], "l": [[None]], "s": [{"x": None}]})
    nothing.write_parquet(tmp_path / "1.parquet")
    found = FORMAT.scan(source(tmp_path / "1.parquet"))
    assert {column.name: column.type for column in found.columns} == {
        "a": "bigint",
        "n": "string",
        "l": "array<string>",
        "s": "struct<x:string>",
    }
    assert "Column n holds nothing but NULL" in found.warnings[0]
    assert found.frame.collect().rows() == [(1, None, [None], {"x": None})]
    nothing.select("a", n=pl.lit(5)).write_parquet(tmp_path / "2.parquet")
    nothing.select("a", "n").write_parquet(tmp_path / "1.parquet")
    both = FORMAT.scan(source(tmp_path))
    assert both.columns[1].type == "int"
    assert both.frame.sort("n").collect().rows() == [(1, None), (1, 5)]
