"""What every table format promises, held against each of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from flowcat_jupyter.formats.protocol import LakeFormat, TableFormat
from flowcat_jupyter.formats.types import polars_type, widened
from flowcat_jupyter.shared import wire
from flowcat_jupyter.shared.errors import Gone, Invalid, NotFound
from flowcat_jupyter.shared.registry import Registry

FORMATS: Registry[TableFormat] = Registry("format")
FORMATS.register("delta", "flowcat_jupyter.formats.delta:FORMAT")
FORMATS.register("parquet", "flowcat_jupyter.formats.source_formats:PARQUET")

FRAME = pl.DataFrame(
    {
        "Id": [1, 2, None],
        "text": ["<b>", None, "ü"],
        "small": [1, 2, 3],
        "nested": [{"x": [1]}, None, {"x": []}],
        "part": ["a b", None, "c/d"],
    },
    schema={
        "Id": pl.Int64,
        "text": pl.String,
        "small": pl.Int16,
        "nested": pl.Struct({"x": pl.List(pl.Int32)}),
        "part": pl.String,
    },
)


def write_delta(folder: Path, frame: pl.DataFrame) -> None:
    lake: Any = FORMATS.get("delta")
    lake.write(frame, location=str(folder), mode="create", base_version=None, partition_by=["part"])


def write_parquet(folder: Path, frame: pl.DataFrame) -> None:
    folder.mkdir(parents=True)
    for index in range(frame.height):
        frame[index : index + 1].write_parquet(folder / f"{index}.parquet")


WRITERS = {"delta": write_delta, "parquet": write_parquet}


@pytest.fixture(params=list(FORMATS))
def kind(request) -> str:
    return request.param


@pytest.fixture
def source(kind, tmp_path) -> wire.Source:
    folder = tmp_path / "José #1 {x}" / "t"
    WRITERS[kind](folder, FRAME)
    return wire.Source("r1", "table", ("main", "default", "my t"), kind, str(folder))


def test_it_is_found_by_its_name(kind):
    assert FORMATS.get(kind).name == kind


def test_rows_come_back_equal_with_integers_widened(source, kind):
    scan = FORMATS.get(kind).scan(source)
    schema = scan.frame.collect_schema()
    assert schema.names() == [column.name for column in scan.columns] == FRAME.columns
    for column in scan.columns:
        assert schema[column.name] == widened(polars_type(column.type))
    assert scan.declared().sort("small").collect().equals(FRAME)


def test_projection_filter_and_limit_work_lazily(source, kind):
    frame = FORMATS.get(kind).scan(source).frame
    assert frame.select("text").filter(pl.col("text") == "ü").collect().rows() == [("ü",)]
    assert frame.filter(pl.col("part").is_null()).select("Id").collect().rows() == [(2,)]
    assert frame.head(2).collect().height == 2
    assert frame.select(pl.len()).collect().item() == 3


def test_facts_agree_with_the_scan_and_need_no_data(source, kind):
    table_format = FORMATS.get(kind)
    facts = table_format.facts(source)
    scan = table_format.scan(source)
    assert facts.columns == scan.columns
    assert (facts.format, facts.row_count, facts.version) == (kind, 3, scan.version)
    assert facts.size_bytes
    assert wire.decode(wire.encode(facts)) == facts


def test_history_keeps_to_its_limit(source, kind):
    table_format = FORMATS.get(kind)
    history = table_format.history(source, 1)
    assert len(history.entries) == min(1, history.total)
    assert table_format.history(source, 0).entries == ()


def test_reading_twice_changes_nothing(source, kind):
    before = sorted(str(path) for path in Path(source.location).rglob("*"))
    for _ in range(2):
        FORMATS.get(kind).scan(source).frame.collect()
        FORMATS.get(kind).facts(source)
    assert sorted(str(path) for path in Path(source.location).rglob("*")) == before


def test_nothing_there_is_not_found(kind, source, tmp_path):
    empty = tmp_path / "empty"
    empty.mkdir()
    for location in (empty, tmp_path / "nowhere"):
        nothing = replace(source, location=str(location))
        for ask in (FORMATS.get(kind).scan, FORMATS.get(kind).facts):
            with pytest.raises(NotFound):
                ask(nothing)


def test_a_version_it_does_not_have_is_refused(source, kind):
    with pytest.raises((Invalid, Gone)):
        FORMATS.get(kind).scan(replace(source, version=99))


def test_a_damaged_table_is_a_clear_error(source, kind):
    folder = Path(source.location)
    files = folder.rglob("*.json") if kind == "delta" else folder.rglob("*.parquet")
    for file in list(files):
        file.write_bytes(b"\x00garbage")
    with pytest.raises((Invalid, Gone, NotFound)):
        FORMATS.get(kind).scan(source).frame.collect()


def test_only_lakes_can_be_written():
    assert isinstance(FORMATS.get("delta"), LakeFormat)
    assert not isinstance(FORMATS.get("parquet"), LakeFormat)
