"""Rows saved as files, together or not at all."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import polars as pl
import pytest

from flowcat_jupyter.formats import source_formats
from flowcat_jupyter.formats.protocol import SinkFormat
from flowcat_jupyter.formats.sink_none import CONSOLE, NOOP
from flowcat_jupyter.shared.errors import AlreadyExists, Invalid, NotFound
from flowcat_jupyter.shared.wire import OptionLayer

from .conftest import FORMATS, declared, layers, rows

DDL = (
    "a int, b string, f double, d date, t timestamp, n timestamp_ntz, k boolean, o decimal(5,2), "
    "p string"
)
FRAME = pl.DataFrame(
    {
        "a": [1, 2, None],
        "b": ["x,y", 'q"q\\', None],
        "f": [1.5, 1e20, float("inf")],
        "d": [date(2024, 1, 2), None, None],
        "t": [datetime(2024, 1, 2, 3, 4, 5, 678, UTC), None, None],
        "n": [datetime.fromisoformat("2024-01-02T03:04:05"), None, None],
        "k": [True, False, None],
        "o": [Decimal("1.50"), None, None],
        "p": ["l\nm", " s ", "a/b:c d%é"],
    },
    schema_overrides={"a": pl.Int32, "o": pl.Decimal(5, 2)},
)


def save(
    format: str,
    place: Path,
    frame: pl.DataFrame = FRAME,
    ddl: str = DDL,
    *,
    mode: str = "error",
    by: tuple[str, ...] = (),
    **options: str,
) -> int:
    rows: int = FORMATS[format].save(
        frame.lazy(),
        location=str(place),
        mode=mode,
        options=layers(options),
        partition_by=by,
        columns=declared(ddl) if ddl else (),
    )
    return rows


@pytest.mark.parametrize("format", ["parquet", "arrow", "avro", "csv", "json"])
@pytest.mark.parametrize("by", [(), ("p",), ("d", "a")])
def test_what_was_saved_reads_back(read, tmp_path, format, by):
    assert save(format, tmp_path / "t", by=by) == 3
    options = {"multiLine": "true"} if format == "csv" else {}
    found = read(format, tmp_path / "t", DDL, **options).declared().collect()
    assert found.select(FRAME.columns).sort("f").equals(FRAME.sort("f"))


def test_modes(tmp_path):
    place, frame = tmp_path / "t", pl.DataFrame({"a": [1]})
    assert save("csv", place, frame, "") == 1
    with pytest.raises(AlreadyExists) as caught:
        save("csv", place, frame, "")
    assert caught.value.condition == "PATH_ALREADY_EXISTS"
    assert save("csv", place, frame, "", mode="ignore") == 0
    save("csv", place, frame, "", mode="append")
    assert len(list(place.iterdir())) == 2
    save("csv", place, frame, "", mode="overwrite")
    assert len(list(place.iterdir())) == 1
    with pytest.raises(Invalid, match="no save mode"):
        save("csv", place, frame, "", mode="merge")


def test_rows_that_fail_leave_nothing_a_reader_would_read(read, tmp_path):
    place = tmp_path / "t"
    save("csv", place, pl.DataFrame({"a": ["1"]}), "a string")
    failing = pl.LazyFrame({"a": ["x"]}).select(pl.col("a").cast(pl.Int64))
    with pytest.raises(Invalid):
        source_formats.CSV.save(
            failing, location=str(place), mode="overwrite", options=(), columns=declared("a bigint")
        )
    assert rows(read("csv", place)) == [("1",)]
    assert len(list(place.iterdir())) == 1
    with pytest.raises(Invalid):
        source_formats.CSV.save(
            failing, location=str(tmp_path / "u"), mode="error", options=(), columns=()
        )
    assert not (tmp_path / "u").exists()


def test_what_is_no_data_is_never_overwritten(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "thesis.docx").write_text("mine")
    with pytest.raises(Invalid, match=r"thesis\.docx"):
        save("csv", tmp_path, mode="overwrite")
    pl.DataFrame({"a": [1]}).write_delta(tmp_path / "d")
    with pytest.raises(Invalid, match="Delta"):
        save("parquet", tmp_path / "d", mode="append")


@pytest.mark.parametrize("kind", ["delta", "iceberg", "catalog"])
def test_a_folder_with_tables_below_it_is_never_overwritten(tmp_path, kind):
    inner = tmp_path / "lake" / "sub" / "t"
    log, name = {
        "delta": (inner / "_delta_log", f"{0:020}.json"),
        "iceberg": (inner / "metadata", "v1.metadata.json"),
        "catalog": (inner, ".catalog"),
    }[kind]
    log.mkdir(parents=True)
    (log / name).write_text("{}")
    (inner / "part-0.parquet").write_text("rows")
    with pytest.raises(Invalid, match="sub/t, where a table lies"):
        save("csv", tmp_path / "lake", mode="overwrite")
    assert (inner / "part-0.parquet").read_text() == "rows"
    save("csv", tmp_path / "lake", mode="append")


@pytest.mark.parametrize("place", ["p=1", "_delta_log"])
@pytest.mark.parametrize("mode", ["append", "overwrite"])
def test_nothing_is_saved_within_a_delta_table(tmp_path, place, mode):
    frame = pl.DataFrame({"a": [1], "p": [1]})
    frame.write_delta(tmp_path / "d", delta_write_options={"partition_by": ["p"]})
    with pytest.raises(Invalid, match="lies within one"):
        save("json", tmp_path / "d" / place, mode=mode)
    assert pl.read_delta(str(tmp_path / "d")).rows() == [(1, 1)]


def test_csv_is_written_as_spark_writes_it(tmp_path):
    frame = pl.DataFrame(
        {"a": [1], "b": ["x,y"], "c": ['q"q'], "d": [""], "e": [None], "f": ["a\\b"]}
    )
    save(
        "csv",
        tmp_path / "t",
        frame,
        "a int,b string,c string,d string,e string,f string",
        header="true",
    )
    (file,) = (tmp_path / "t").iterdir()
    assert file.read_text() == 'a,b,c,d,e,f\n1,"x,y","q\\"q","",,a\\b\n'.replace(
        '"q\\"q"', '"q\\"q"'
    )


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ({"quoteAll": "true"}, '"1","x"'),
        ({"sep": "|"}, "1|x"),
        ({"compression": "gzip"}, None),
        ({"compression": "zstd"}, None),
    ],
)
def test_options_for_writing_csv(read, tmp_path, options, line):
    frame = pl.DataFrame({"a": [1], "b": ["x"]})
    save("csv", tmp_path / "t", frame, "a int, b string", **options)
    (file,) = (tmp_path / "t").iterdir()
    if line is not None:
        assert file.read_text() == f"{line}\n"
    else:
        assert rows(read("csv", tmp_path / "t")) == [("1", "x")]


def test_json_leaves_null_out_unless_told(tmp_path):
    frame = pl.DataFrame(
        {"a": [1], "n": [None], "m": [{"x": 1, "y": None}]}, schema_overrides={"n": pl.String}
    )
    save("json", tmp_path / "t", frame, "")
    save("json", tmp_path / "u", frame, "", ignoreNullFields="false")
    assert next((tmp_path / "t").iterdir()).read_text() == '{"a":1,"m":{"x":1}}\n'
    assert next((tmp_path / "u").iterdir()).read_text() == '{"a":1,"n":null,"m":{"x":1,"y":null}}\n'


@pytest.mark.parametrize(
    ("format", "ddl", "more", "error"),
    [
        ("csv", "a array<int>", {}, Invalid),
        ("text", "a int", {}, Invalid),
        ("csv", "a int", {"by": ("a",)}, Invalid),
        ("csv", "a int, b int", {"by": ("z",)}, NotFound),
        ("csv", "a int", {"inferSchema": "true"}, Invalid),
        ("parquet", "a int", {"compression": "rar"}, Invalid),
        ("avro", "`a b` int", {}, Invalid),
    ],
)
def test_what_a_format_cannot_hold_is_refused_before_anything_is_there(
    tmp_path, format, ddl, more, error
):
    columns = declared(ddl)
    frame = pl.DataFrame({column.name: [None] for column in columns})
    with pytest.raises(error):
        save(format, tmp_path / "t", frame, ddl, **more)
    assert not (tmp_path / "t").exists()


@pytest.mark.parametrize(
    ("format", "value", "options"),
    [("csv", "NA", {"nullValue": "NA"}), ("text", "a\nb", {}), ("text", "a;b", {"lineSep": ";"})],
)
def test_a_value_that_would_be_read_as_another_is_refused(tmp_path, format, value, options):
    with pytest.raises(Invalid, match="A value"):
        save(format, tmp_path / "t", pl.DataFrame({"a": [value]}), "a string", **options)
    assert not (tmp_path / "t").exists()


@pytest.mark.parametrize(
    ("value", "named"),
    [("", "the empty text"), ("__HIVE_DEFAULT_PARTITION__", "the text __HIVE_DEFAULT_PARTITION__")],
)
def test_what_stands_for_null_is_no_name_of_a_folder(tmp_path, value, named):
    rows = pl.DataFrame({"a": [1], "p": [value]})
    with pytest.raises(Invalid, match=named):
        save("csv", tmp_path / "t", rows, "a int, p string", by=("p",))


def test_sinks_that_keep_nothing_count(caplog):
    frame = pl.DataFrame({"a": [1, 2]}).lazy()
    assert isinstance(NOOP, SinkFormat)
    assert NOOP.save(frame, location=None, mode="append", options=()) == 2
    shown = (OptionLayer("options", {"numRows": "1"}),)
    assert CONSOLE.save(frame, location=None, mode="append", options=shown) == 2
    assert "i64" in caplog.text
    assert not isinstance(source_formats.BINARY, SinkFormat)
