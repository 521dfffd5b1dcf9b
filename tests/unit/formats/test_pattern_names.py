"""Columns that are called what polars takes for a pattern of names."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from flowcat_jupyter.formats.delta import DeltaFormat
from flowcat_jupyter.formats.files import read_files
from flowcat_jupyter.formats.files_reading import Request
from flowcat_jupyter.formats.types import exactly, to_storable
from flowcat_jupyter.shared.wire import Source

PATTERNS = ["*", "^a.*$", "^$"]


@pytest.fixture(params=PATTERNS)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_exactly_names_one_column_and_keeps_an_order(name: str) -> None:
    frame = pl.DataFrame({"ab": [1], name: [2], "a": [3]})
    assert frame.select(exactly(name)).to_dict(as_series=False) == {name: [2]}
    assert frame.select(exactly("a", name)).columns == ["a", name]


def test_it_is_stored_and_read_like_any_other(name: str, tmp_path: Path) -> None:
    location, delta = str(tmp_path / "t"), DeltaFormat()
    frame = pl.DataFrame({name: pl.Series([1, 2], dtype=pl.Int8), "ab": ["x", "y"]})
    delta.write(frame.lazy(), location=location, mode="create", base_version=None)
    changed = pl.DataFrame({name: [2, 3], "ab": ["Y", "Z"]}).lazy()
    delta.write(changed, location=location, mode="upsert", base_version=None, merge_keys=(name,))
    scan = delta.scan(Source("r1", "table", ("main", "default", "t"), "delta", location))
    assert sorted(scan.declared().collect().rows()) == [(1, "x"), (2, "Y"), (3, "Z")]


def test_it_can_be_partitioned_by(tmp_path: Path) -> None:
    location, delta = str(tmp_path / "t"), DeltaFormat()
    frame = pl.DataFrame({"^a.*$": ["p", "q"], "ab": [1, 2]}).lazy()
    delta.write(frame, location=location, mode="create", base_version=None, partition_by=("^a.*$",))
    scan = delta.scan(Source("r1", "table", ("main", "default", "t"), "delta", location))
    assert sorted(scan.frame.collect().rows()) == [("p", 1), ("q", 2)]


def test_a_type_that_delta_lacks_is_changed_in_it_alone(name: str) -> None:
    frame = pl.DataFrame({name: pl.Series(["x"], dtype=pl.Categorical), "ab": [1]})
    assert to_storable(frame).schema == {name: pl.String(), "ab": pl.Int64()}


def test_a_file_with_it_is_read(name: str, tmp_path: Path) -> None:
    file = tmp_path / "f.csv"
    file.write_text(f"{name},ab\n1,2\n3,4\n")
    with read_files([file], format=None, options=None, request=Request(types={})) as reading:
        assert pl.concat(reading.frames()).rows() == [(1, 2), (3, 4)]
        assert [column.name for column in reading.columns] == [name, "ab"]
