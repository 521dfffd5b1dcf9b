"""Which files a place means and what their folders say, as Spark 4.2.1 has it."""

from __future__ import annotations

import os
from datetime import UTC, date, datetime
from decimal import Decimal

import polars as pl
import pytest

from flowcat_jupyter.formats.source_listing import folder_name
from flowcat_jupyter.shared.errors import Forbidden, Invalid, NotFound

from .conftest import rows, shape


@pytest.fixture
def partitioned(tmp_path):
    def made(*values):
        for value in values:
            folder = tmp_path / "t" / f"p={value}"
            folder.mkdir(parents=True)
            (folder / "a.csv").write_text("1\n")
        return tmp_path / "t"

    return made


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (("1", "2"), "int"),
        (("01", "02"), "int"),
        (("1", "3000000000"), "bigint"),
        (("1", "92233720368547758080"), "decimal(20,0)"),
        (("1", "2.5"), "double"),
        (("3000000000", "2.5"), "string"),
        (("2024-01-01", "2024-02-03"), "date"),
        (("2024-02-30",), "string"),
        (("2024-01-01", "x"), "string"),
        (("2024-01-01", "5"), "string"),
        (("2024-01-01 10%3A00%3A00", "2024-01-02"), "timestamp"),
        (("1", "__HIVE_DEFAULT_PARTITION__"), "int"),
        (("true", "false"), "string"),
    ],
)
def test_the_type_of_a_partition_is_that_of_its_values(read, partitioned, values, kind):
    assert shape(read("csv", partitioned(*values))) == f"_c0:string,p:{kind}"


def test_values_of_partitions(read, partitioned):
    place = partitioned("__HIVE_DEFAULT_PARTITION__", "2024-01-01 10%3A00%3A00")
    assert sorted(rows(read("csv", place)), key=str) == [
        ("1", None),
        ("1", datetime(2024, 1, 1, 10, tzinfo=UTC)),
    ]


def test_types_may_be_declared_or_left_alone(read, partitioned):
    place = partitioned("1", "2")
    assert rows(read("csv", place, "x int, p decimal(5,1)"))[0] == (1, Decimal("1.0"))
    assert shape(read("csv", place, partitionColumnTypeInference="false")).endswith("p:string")
    with pytest.raises(Invalid, match="'1', which is not a value of type date"):
        read("csv", place, "x int, p date")


def test_only_folders_that_may_hold_a_row_are_read(read, partitioned):
    from flowcat_jupyter.shared.conditions import Condition

    place = partitioned("1", "2", "3")
    scan = read("csv", place)
    assert scan.frame.filter(pl.col("p") == 2).collect().height == 1
    from flowcat_jupyter.formats.source_formats import CSV
    from flowcat_jupyter.shared.wire import Source

    opened = CSV.open(Source("r1", "table", (), "csv", str(place)))
    found = opened.scan(((Condition("p", "=", (2,)),),))
    assert found.reading is not None
    assert (found.reading.files, found.reading.files_skipped) == (3, 2)
    assert found.frame.collect().height == 1


def test_the_folder_named_itself_is_no_column_unless_the_base_is_above(read, partitioned):
    place = partitioned("1")
    assert shape(read("csv", place / "p=1")) == "_c0:string"
    assert shape(read("csv", place / "p=1", basePath=str(place))) == "_c0:string,p:int"
    assert shape(read("csv", f"{place}/p=*")) == "_c0:string"


def test_a_base_that_is_not_above_the_files_is_refused_and_hides_no_rows(read, partitioned):
    place = partitioned("1")
    for base in (place / "p=1" / "deeper", place.parent / "elsewhere"):
        with pytest.raises(Invalid, match="does not lie within its basePath"):
            read("csv", place, "x int", basePath=str(base))


@pytest.mark.parametrize("name", ["..", ".h", "_h", "a/b", "a=b", "é %"])
def test_a_partition_column_of_any_name_is_read_as_it_was_written(read, tmp_path, name):
    folder = tmp_path / folder_name(name, "v")
    folder.mkdir()
    (folder / "a.csv").write_text("1\n")
    scan = read("csv", tmp_path, "x int")
    assert [column.name for column in scan.columns] == ["x", name]
    assert rows(scan) == [(1, "v")]


def test_folders_that_are_not_partitioned_alike_are_refused(read, partitioned):
    place = partitioned("1")
    (place / "b.csv").write_text("2\n")
    with pytest.raises(Invalid) as caught:
        read("csv", place)
    assert caught.value.condition == "CONFLICTING_PARTITION_COLUMN_NAMES"
    assert len(rows(read("csv", place, recursiveFileLookup="true"))) == 2


def test_folders_within_and_hidden_names_take_no_part(read, tmp_path):
    (tmp_path / "sub").mkdir()
    for name in ("a.csv", "sub/b.csv", "_x.csv", ".y.csv", "c.txt"):
        (tmp_path / name).write_text(f"{name}\n")
    assert rows(read("csv", tmp_path, pathGlobFilter="*.csv")) == [("a.csv",)]
    every = read("csv", tmp_path, recursiveFileLookup="true")
    assert sorted(rows(every)) == [("a.csv",), ("c.txt",), ("sub/b.csv",)]
    assert sorted(rows(read("csv", f"{tmp_path}/{{a,sub/b}}.csv"))) == [("a.csv",), ("sub/b.csv",)]
    both = read("csv", f"{tmp_path}/a.csv\n{tmp_path}/c.txt")
    assert rows(both) == [("a.csv",), ("c.txt",)]


def test_files_are_chosen_by_when_they_changed(read, tmp_path):
    for name, moment in (("old", 0), ("new", 1_700_000_000)):
        (tmp_path / name).write_text(f"{name}\n")
        os.utime(tmp_path / name, (moment, moment))
    assert rows(read("text", tmp_path, modifiedAfter="2020-01-01T00:00:00")) == [("new",)]
    assert rows(read("text", tmp_path, modifiedBefore="2020-01-01")) == [("old",)]
    with pytest.raises(Invalid, match="no time"):
        read("text", tmp_path, modifiedAfter="yesterday")


def test_a_place_with_nothing_is_an_error(read, tmp_path):
    with pytest.raises(NotFound):
        read("csv", tmp_path / "nope*")
    with pytest.raises(Invalid) as caught:
        read("csv", tmp_path)
    assert caught.value.condition == "UNABLE_TO_INFER_SCHEMA"
    assert rows(read("csv", tmp_path / "nope", "a int", ignoreMissingFiles="true")) == []


def test_a_link_that_leads_out_of_the_place_is_refused(read, tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "secret.csv").write_text("s\n")
    (tmp_path / "in" / "a.csv").symlink_to(tmp_path / "secret.csv")
    with pytest.raises(Forbidden):
        read("csv", tmp_path / "in")


def test_text_and_whole_files(read, tmp_path):
    (tmp_path / "a.txt").write_bytes(b"a\nb\r\nc")
    assert rows(read("text", tmp_path)) == [("a",), ("b",), ("c",)]
    assert rows(read("text", tmp_path, wholeText="true")) == [("a\nb\r\nc",)]
    assert shape(read("binary", tmp_path)) == (
        "path:string,modificationTime:timestamp,length:bigint,content:binary"
    )
    ((_, _, length, content),) = rows(read("binary", tmp_path))
    assert (length, content) == (6, b"a\nb\r\nc")


def test_parquet_takes_options_and_declared_columns(read, tmp_path):
    pl.DataFrame({"a": [1], "B": ["x"]}).write_parquet(tmp_path / "1.parquet")
    pl.DataFrame({"a": [2], "c": [date(2024, 1, 2)]}).write_parquet(tmp_path / "2.parquet")
    assert shape(read("parquet", tmp_path, mergeSchema="true")) == "a:bigint,B:string,c:date"
    assert shape(read("parquet", tmp_path, mergeSchema="false")) == "a:bigint,B:string"
    assert rows(read("parquet", tmp_path, "b string, a int, z double")) == [
        ("x", 1, None),
        (None, 2, None),
    ]
    with pytest.raises(Invalid, match="Column B is String"):
        rows(read("parquet", tmp_path, "b int"))


def test_links_that_lead_back_are_told_of(read, tmp_path):
    (tmp_path / "a.csv").write_text("1\n")
    (tmp_path / "round").symlink_to(".")
    with pytest.raises(Invalid, match="cannot be looked at") as caught:
        read("csv", tmp_path, recursiveFileLookup="true")
    assert "links" in (caught.value.hint or "")
