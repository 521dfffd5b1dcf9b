"""Rows as files: nothing is rounded, lost, or computed by the program that opens the file."""

from __future__ import annotations

import csv
import json
import math
import zipfile
from datetime import UTC, date, datetime
from decimal import Decimal

import fastexcel
import polars as pl
import pytest

from flowcat_jupyter.shared.errors import Invalid, LimitExceeded, NotFound
from flowcat_jupyter.shared.wire import Column
from flowcat_jupyter.shared.wire_rows import ExportJob, FilterTerm
from flowcat_jupyter.worker.jobs import export_excel, export_texts
from flowcat_jupyter.worker.jobs.cells import write_arrow
from flowcat_jupyter.worker.jobs.export import WRITERS, run_export
from flowcat_jupyter.worker.jobs.views import open_view

BIG = 9_007_199_254_740_993
HEADINGS = ("x", "x", "d", "t", "=1+1", "b", "f", "day", "moment")
FRAME = pl.DataFrame(
    {
        "c0": [BIG, -5, None],
        "c1": ["", None, 'a|b\n<i>,"q"'],
        "c2": [Decimal("0.10"), Decimal("-17.00"), None],
        "c3": ["=HYPERLINK(1)", "@x", "-1"],
        "c4": ["\tx", "+1", "plain"],
        "c5": [True, False, None],
        "c6": [math.nan, -math.inf, 0.1],
        "c7": [date(1800, 1, 1), date(2013, 1, 31), None],
        "c8": [
            datetime(2024, 3, 31, 0, 30, tzinfo=UTC),
            datetime(2024, 3, 31, 1, 30, tzinfo=UTC),
            None,
        ],
    }
)
TYPES = (
    "bigint",
    "string",
    "decimal(38,2)",
    "string",
    "string",
    "boolean",
    "double",
    "date",
    "timestamp",
)
COLUMNS = tuple(Column(name, type) for name, type in zip(HEADINGS, TYPES, strict=True))


@pytest.fixture
def export(tmp_path, context):
    """Writes `FRAME`, or another, as a file and gives its path and what was said."""

    def make(format, frame=FRAME, columns=COLUMNS, **options):
        spool = tmp_path / "spool"
        write_arrow(frame, spool)
        out = tmp_path / "out"
        job = ExportJob(
            spool=str(spool),
            columns=columns,
            out=str(out),
            format=format,
            time_zone="Europe/Paris",
            **options,
        )
        return out, run_export(job, context)

    return make


def read_csv(path, delimiter=","):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file, delimiter=delimiter))


@pytest.mark.parametrize(("format", "delimiter"), [("csv", ","), ("tsv", "\t")])
def test_delimited_text_is_exact_and_keeps_headings_that_repeat(export, format, delimiter):
    path, info = export(format)
    head, first, second, third = read_csv(path, delimiter)
    assert head == list(HEADINGS)
    assert first == [
        str(BIG), "", "0.10", "=HYPERLINK(1)", "\tx", "true", "NaN", "1800-01-01",
        "2024-03-31T01:30:00+01:00",
    ]  # fmt: skip
    assert second[2:] == [
        "-17.00", "@x", "+1", "false", "-Infinity", "2013-01-31", "2024-03-31T03:30:00+02:00",
    ]  # fmt: skip
    assert third[1] == 'a|b\n<i>,"q"'
    assert (info.rows, info.total) == (3, 3)


def test_null_and_the_empty_text_differ(export):
    path, _ = export("csv")
    lines = path.read_text(encoding="utf-8").splitlines()
    assert lines[1].startswith(f'{BIG},"",')
    assert lines[2].startswith("-5,,")


def test_a_column_alone_loses_no_row_to_an_empty_line(export):
    path, _ = export("csv", chosen=(1,))
    assert len(read_csv(path)) == 4
    assert "\n\n" not in path.read_text(encoding="utf-8")


@pytest.mark.parametrize(("format", "delimiter"), [("csv", ","), ("tsv", "\t")])
def test_formulas_are_disarmed_when_asked_and_numbers_stay_numbers(export, format, delimiter):
    path, _ = export(format, formula_safe=True)
    head, first, second, third = read_csv(path, delimiter)
    assert head[4] == "'=1+1"
    assert (first[3], first[4]) == ("'=HYPERLINK(1)", "'\tx")
    assert (second[0], second[2], second[3], second[4]) == ("-5", "-17.00", "'@x", "'+1")
    assert (second[6], third[3], third[4]) == ("-Infinity", "'-1", "plain")


def test_json_is_strict_and_headings_that_repeat_get_numbers(export):
    def refuse(word):
        raise AssertionError(word)

    whole = json.loads(export("json")[0].read_text(encoding="utf-8"), parse_constant=refuse)
    lines = export("ndjson")[0].read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in lines] == whole
    assert list(whole[0])[:2] == ["x", "x_2"]
    assert whole[0]["x"] == str(BIG)
    assert (whole[0]["d"], whole[0]["f"], whole[1]["x_2"]) == ("0.10", "NaN", None)
    assert whole[0]["moment"] == "2024-03-31T00:30:00Z"


@pytest.mark.parametrize("format", WRITERS)
def test_no_rows_are_a_file_too(export, format):
    path, info = export(format, frame=FRAME.head(0))
    assert info.rows == 0
    if format == "json":
        assert json.loads(path.read_text()) == []
    assert path.exists()


@pytest.mark.parametrize(("format", "read"), [("parquet", pl.read_parquet), ("arrow", pl.read_ipc)])
def test_parquet_and_arrow_keep_the_types(export, format, read):
    frame = read(export(format)[0])
    assert frame.columns == ["x", "x_2", *HEADINGS[2:]]
    assert frame.dtypes == FRAME.dtypes
    assert frame.rows()[1:] == FRAME.rows()[1:]


def test_markdown_escapes_what_would_end_a_cell_or_be_markup(export):
    lines = export("markdown")[0].read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("| x | x | d |")
    assert lines[1] == "| " + " | ".join(["---"] * 9) + " |"
    assert r"a\|b<br>&lt;i&gt;" in lines[4]
    assert len(lines) == 5
    assert lines[3].split(" | ")[1] == "NULL"


def test_markdown_is_bounded_and_says_so(export):
    frame = pl.DataFrame({"c0": range(10_500)})
    path, info = export("markdown", frame, (Column("n", "bigint"),))
    assert (info.rows, info.total) == (export_texts.MOST_MARKDOWN, 10_500)
    assert path.read_text().endswith("\n10,000 of 10,500 rows.\n")


def sheet(path):
    return fastexcel.read_excel(path.read_bytes()).load_sheet(0, header_row=None, dtypes="string")


def test_excel_keeps_every_digit_and_computes_nothing(export):
    path, _ = export("xlsx")
    with zipfile.ZipFile(path) as archive:
        text = archive.read("xl/worksheets/sheet1.xml").decode()
    assert "<f>" not in text
    assert f"<is><t>{BIG}</t></is>" in text
    assert "<v>-5</v>" in text
    assert "=HYPERLINK(1)" in text
    assert "<t>NaN</t>" in text
    assert "<is><t>1800-01-01</t></is>" in text
    rows = sheet(path).to_polars().rows()
    assert rows[0] == HEADINGS
    assert rows[2][7][:10] == "2013-01-31"
    assert rows[1][8] == "2024-03-31 01:30:00"
    assert rows[2][8] == "2024-03-31 03:30:00"


def test_excel_keeps_decimals_as_numbers_only_while_a_double_holds_them(export):
    values = [Decimal("0.10"), Decimal("123456789012.345678")]
    frame = pl.DataFrame({"c0": pl.Series(values, dtype=pl.Decimal(30, 6))})
    path, _ = export("xlsx", frame, (Column("d", "decimal(30,6)"),))
    with zipfile.ZipFile(path) as archive:
        text = archive.read("xl/worksheets/sheet1.xml").decode()
    assert "<v>0.1</v>" in text
    assert "<t>123456789012.345678</t>" in text


def test_excel_gets_times_of_years_it_has_not_as_text(export):
    days = pl.Series([date(9999, 12, 31), date(1, 1, 1), date(2020, 1, 1), None])
    later = days.cast(pl.Datetime("us", "UTC")).dt.offset_by("366d")
    frame = pl.DataFrame({"c0": days, "c1": later})
    columns = (Column("d", "date"), Column("t", "timestamp"))
    path, _ = export("xlsx", frame, columns)
    with zipfile.ZipFile(path) as archive:
        text = archive.read("xl/worksheets/sheet1.xml").decode()
    assert "<t>0001-01-01</t>" in text
    assert "<t>+10000-12-31 01:00:00</t>" in text
    assert "<t>0002-01-02 00:09:21</t>" in text
    assert text.count("<v>") == 3


def test_excel_says_what_it_cannot_hold(export, monkeypatch):
    with pytest.raises(LimitExceeded, match="32,767 characters"):
        export("xlsx", pl.DataFrame({"c0": ["x" * 32_768]}), (Column("long", "string"),))
    monkeypatch.setattr(export_excel, "MOST_ROWS", 2)
    with pytest.raises(LimitExceeded, match="holds 2 rows; there are 3"):
        export("xlsx")
    monkeypatch.setattr(export_excel, "MOST_COLUMNS", 2)
    monkeypatch.setattr(export_excel, "MOST_ROWS", 9)
    with pytest.raises(LimitExceeded, match="columns"):
        export("xlsx")


def test_the_filter_the_order_and_the_chosen_columns_are_the_files(export):
    path, info = export(
        "csv", chosen=(2, 0), sort=0, descending=True, filters=(FilterTerm(0, "not_null"),)
    )
    assert read_csv(path) == [["d", "x"], ["0.10", str(BIG)], ["-17.00", "-5"]]
    assert info.total == 2


def test_a_format_or_a_column_that_is_not_there(export):
    with pytest.raises(Invalid, match="no format"):
        export("docx")
    with pytest.raises(NotFound):
        export("csv", chosen=(99,))


@pytest.mark.parametrize("format", WRITERS)
def test_every_format_takes_every_type(tmp_path, context, format):
    frame = pl.DataFrame(
        {
            "c0": [[1, None], None],
            "c1": [{"a": "x"}, {"a": None}],
            "c2": [b"\xff", None],
            "c3": [None, None],
            "c4": pl.Series([0.1, None], dtype=pl.Float32),
            "c5": pl.Series([1, None], dtype=pl.Int8),
            "c6": [datetime.fromisoformat("0001-01-01T00:00:00.000001"), None],
            "c7": ["\x00\x0b\u2028🙂", ""],
        }
    )
    write_arrow(frame, tmp_path / "spool")
    out = tmp_path / "out"
    job = ExportJob(spool=str(tmp_path / "spool"), out=str(out), format=format)
    assert open_view(job, context).columns
    assert run_export(job, context).rows == 2
    assert out.stat().st_size > 0
