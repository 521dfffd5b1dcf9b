"""Many files as one table: which of them, in what order, and where they differ."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from flowcat_jupyter.formats.files import read_files
from flowcat_jupyter.formats.files_reading import Reading, Request
from flowcat_jupyter.shared.errors import Invalid, NotFound


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "b.csv").write_text("id,extra\n3,x\n")
    (tmp_path / "a.csv").write_text("id,name\n1,u\n2,v\n")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "c.csv").write_text("ID,name\n1.5,w\n")
    (tmp_path / ".hidden.csv").write_text("x\n1\n")
    (tmp_path / "_SUCCESS").write_text("")
    (tmp_path / "empty.csv").write_text("")
    return tmp_path


def taken(reading: Reading) -> list[tuple[Any, ...]]:
    return [row for frame in reading.frames() for row in frame.iter_rows()]


def test_a_folder_is_one_table_in_the_order_of_names(folder: Path) -> None:
    with read_files([folder]) as reading:
        assert [file.name for file in reading.files] == ["a.csv", "b.csv", "c.csv"]
        assert {c.name: c.type for c in reading.columns} == {
            "id": "double",
            "name": "string",
            "extra": "string",
        }
        assert taken(reading) == [
            (1.0, "u", None),
            (2.0, "v", None),
            (3.0, None, "x"),
            (1.5, "w", None),
        ]
        assert reading.head(3).rows() == taken(reading)[:3]
        told = "\n".join(reading.all_warnings())
        reasons = {column.name: column.reason for column in reading.columns}
    assert "Left out: .hidden.csv, _SUCCESS, empty.csv (empty)" in told
    assert "Column name is missing in b.csv; it is NULL there." in told
    assert "Column extra first appears in b.csv" in told
    assert "int in a.csv, double in c.csv" in reasons["id"]
    assert "NULL where it is missing (b.csv)" in reasons["name"]


def test_a_pattern_chooses_among_files(folder: Path) -> None:
    with read_files([f"{folder}/[ab].csv"]) as reading:
        assert len(taken(reading)) == 3
    with read_files([folder / "b.csv", folder / "a.csv"]) as reading:
        assert [row[0] for row in taken(reading)] == [3, 1, 2]
    with pytest.raises(NotFound, match=r"no file z\*\.csv"), read_files([folder / "z*.csv"]):
        pass


def test_a_column_can_say_which_file_a_row_is_from(folder: Path) -> None:
    with read_files([folder], options={"file_column": "_file"}) as reading:
        assert [row[-1] for row in taken(reading)] == ["a.csv", "a.csv", "b.csv", "c.csv"]
        assert reading.options["file_column"] == "_file"
    with read_files([folder / "a.csv"], options={"file_column": "_file"}) as reading:
        assert taken(reading) == [(1, "u", "a.csv"), (2, "v", "a.csv")]
    own = {"file_column": "name"}
    with pytest.raises(Invalid, match="name of their own"), read_files([folder], options=own):
        pass


def test_codes_of_one_file_keep_all_files_as_text(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("zip,n\n10001,1\n")
    (tmp_path / "b.csv").write_text("zip,n\n02134,\n")
    with read_files([tmp_path]) as reading:
        assert taken(reading) == [("10001", 1), ("02134", None)]


def test_rejects_of_all_files_are_counted_and_named(folder: Path) -> None:
    (folder / "a.csv").write_text("id,name\n1,u,x\n2,v\n")
    with read_files([folder]) as reading, pytest.raises(Invalid, match=r"a\.csv line 2: 3 fields"):
        reading.refuse_bad_rows()
    with read_files([folder], options={"bad_rows": "skip"}) as reading:
        assert (reading.rows, reading.rejected) == (3, 1)
        assert reading.bad[0].first[0].file == "a.csv"


def test_types_asked_for_hold_for_every_file_that_has_the_column(folder: Path) -> None:
    with read_files(
        [folder], request=Request(types={"id": "string", "extra": "string"})
    ) as reading:
        assert [row[0] for row in taken(reading)] == ["1", "2", "3", "1.5"]
    nope = Request(types={"nope": "int"})
    with pytest.raises(NotFound, match="no column nope"), read_files([folder], request=nope):
        pass


def test_files_of_several_formats_are_refused(folder: Path) -> None:
    pl.DataFrame({"id": [1]}).write_parquet(folder / "d.parquet")
    told = r"d\.parquet is of format parquet, and a\.csv is read as csv"
    with pytest.raises(Invalid, match=told), read_files([folder]):
        pass


@pytest.mark.parametrize("order", [("one.csv", "two.ndjson"), ("two.ndjson", "one.csv")])
def test_text_files_of_several_formats_are_refused_by_name(tmp_path: Path, order: Any) -> None:
    (tmp_path / "one.csv").write_text("a,b\n1,2\n")
    (tmp_path / "two.ndjson").write_text('{"a": 1, "b": 2}\n{"a": 3, "b": 4}\n')
    kinds = {"one.csv": "csv", "two.ndjson": "ndjson"}
    first, second = order
    told = f"{second} is of format {kinds[second]}, and {first} is read as {kinds[first]}."
    with pytest.raises(Invalid, match=told), read_files([tmp_path / name for name in order]):
        pass


def test_a_file_of_one_object_goes_with_files_of_an_object_a_line(tmp_path: Path) -> None:
    (tmp_path / "1.ndjson").write_text('{"a": 1}\n')
    (tmp_path / "2.ndjson").write_text('{"a": 2}\n{"a": 3}\n')
    (tmp_path / "3.json").write_text('[{"a": 4}]')
    with read_files([tmp_path]) as reading:
        assert taken(reading) == [(1,), (2,), (3,), (4,)]


def test_a_fault_among_several_files_names_its_file(tmp_path: Path) -> None:
    (tmp_path / "1.json").write_text('[{"a": 1}]')
    (tmp_path / "2.json").write_text('[{"a": 1},{"a":')
    told = "^2.json: Line 1: not JSON"
    with pytest.raises(Invalid, match=told), read_files([tmp_path]):
        pass


def test_parquet_files_with_other_columns_are_one_table(tmp_path: Path) -> None:
    pl.DataFrame({"a": pl.Series([1], dtype=pl.Int32), "b": ["x"]}).write_parquet(tmp_path / "1")
    pl.DataFrame({"a": pl.Series([2**40]), "c": [True]}).write_parquet(tmp_path / "2")
    with read_files([tmp_path]) as reading:
        assert {c.name: c.type for c in reading.columns} == {
            "a": "bigint",
            "b": "string",
            "c": "boolean",
        }
        assert taken(reading) == [(1, "x", None), (2**40, None, True)]


def test_a_column_empty_in_one_file_has_the_type_of_the_others(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,n\n1,\n")
    (tmp_path / "b.csv").write_text("id,n\n2,5\n")
    with read_files([tmp_path]) as reading:
        assert [c.type for c in reading.columns] == ["int", "int"]
        assert taken(reading) == [(1, None), (2, 5)]
