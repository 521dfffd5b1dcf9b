"""CSV as Spark reads it. What is expected was recorded from Spark 4.2.1."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from flowcat_jupyter.formats import source_texts
from flowcat_jupyter.shared.errors import Invalid

from .conftest import rows, shape

FOUR = "1,2\nx,3\n4\n5,6,7\n"


@pytest.fixture
def csv(read, tmp_path):
    def reading(text, ddl="", **options):
        file = tmp_path / "a.csv"
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read("csv", file, ddl, **options)

    return reading


def test_without_options_every_column_is_text_and_numbered(csv):
    scan = csv("a,b\n1,\n")
    assert shape(scan) == "_c0:string,_c1:string"
    assert rows(scan) == [("a", "b"), ("1", None)]


def test_the_header_names_columns_and_doubles_get_their_numbers(csv):
    assert shape(csv("a,b,b,\n1,2,3,4\n", header="true")) == (
        "a:string,b1:string,b2:string,_c3:string"
    )


def test_columns_that_differ_by_case_alone_stay_apart(csv):
    assert rows(csv("a,A\n1,2\n", header="true")) == [("1", "2")]


def test_permissive_reads_null_for_what_does_not_fit(csv):
    assert rows(csv(FOUR, "a int, b int")) == [(1, 2), (None, 3), (4, None), (5, 6)]


def test_the_record_itself_goes_into_the_column_for_it(csv):
    scan = csv(FOUR, "a int, b int, bad string", columnNameOfCorruptRecord="bad")
    assert [row[2] for row in rows(scan)] == [None, "x,3", "4", "5,6,7"]
    with pytest.raises(Invalid, match="STRING"):
        csv(FOUR, "a int, _corrupt_record int")


def test_dropmalformed_leaves_such_records_out(csv):
    assert rows(csv(FOUR, "a int, b int", mode="dropmalformed")) == [(1, 2)]


def test_failfast_refuses_the_first_and_shows_it(csv):
    with pytest.raises(Invalid, match="'x,3'") as caught:
        rows(csv(FOUR, "a int, b int", mode="FAILFAST"))
    assert caught.value.condition == "MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ('"x|y"', "x|y"),
        ('"a""b"', '"a""b"'),
        ('"a\\"b"', 'a"b'),
        ('ab"c', 'ab"c'),
        ('"abc"d', '"abc"d'),
        ('"\\\\x"', "\\x"),
        ("'q'", "'q'"),
        ("a\\b", "a\\b"),
    ],
)
def test_quotes_are_read_by_sparks_rules(csv, field, value):
    assert rows(csv(f"{field}|1\n", sep="|")) == [(value, "1")]


def test_a_quote_may_escape_itself(csv):
    assert rows(csv('"a""b"|1\n', sep="|", escape='"')) == [('a"b', "1")]


def test_an_empty_field_is_null_and_a_quoted_one_the_text_for_it(csv):
    assert rows(csv('1,""\n2,\n', emptyValue="EMPTY")) == [("1", "EMPTY"), ("2", None)]
    assert rows(csv('NA,""\n', nullValue="NA")) == [(None, "")]
    assert rows(csv('"",x\n')) == [(None, "x")]


def test_records_of_several_lines_and_comments(csv):
    assert rows(csv('#x\na,"p\nq"\n', multiLine="true", comment="#")) == [("a", "p\nq")]
    assert rows(csv('a,"p\nq"\n')) == [("a", "p"), ('q"', None)]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("inside", ["\n", "\r\n", "\r", "\r\r\n", "\n\r"])
@pytest.mark.parametrize("block", [1, 2, 5, 4096])
def test_line_breaks_within_quotes_are_kept(csv, monkeypatch, end, inside, block):
    monkeypatch.setattr(source_texts, "BLOCK", block)
    said = f'"p{inside}q","{inside}"{end}{end}r,s'
    expected = [(f"p{inside}q", inside), ("r", "s")]
    assert rows(csv(said, multiLine="true")) == expected
    assert rows(csv(said + end, multiLine="true")) == expected


def test_line_breaks_within_quotes_are_kept_where_lines_end_otherwise(csv):
    assert rows(csv('"p\r|q",\r|r,s\n|', multiLine="true", lineSep="|")) == [
        ("p\r|q", "\r"),
        ("r", "s\n"),
    ]


def test_types_are_found_from_all_values(csv):
    text = (
        "1,1.5,x,2024-01-02,2024-01-02 03:04:05,true,3000000000,007\n2,2,y,2024-02-03,,FALSE,4,\n"
    )
    assert shape(csv(text, inferSchema="true")) == (
        "_c0:int,_c1:double,_c2:string,_c3:date,_c4:timestamp,_c5:boolean,_c6:bigint,_c7:int"
    )
    assert shape(csv("1,2024-01-01\n2.5,2024-01-01 10:00:00\n", inferSchema="true")) == (
        "_c0:double,_c1:timestamp"
    )
    assert shape(csv("99999999999999999999\n", inferSchema="true")) == "_c0:decimal(20,0)"


def test_values_of_every_type(csv):
    scan = csv(
        "1.239,TRUE,5,1.,N,abc\n 2 ,yes,300,x,-I,\n",
        "a decimal(5,2), b boolean, c tinyint, d float, e double, f binary",
        nanValue="N",
        negativeInf="-I",
    )
    first, second = rows(scan)
    assert first[:4] == (Decimal("1.24"), True, 5, 1.0)
    assert first[4] != first[4]
    assert first[5] == b"abc"
    assert second == (None, None, None, None, float("-inf"), None)


def test_days_and_times_by_their_patterns(csv):
    scan = csv(
        "05/02/2024;2024.03.04 5:06\nx;y\n",
        "a date, b timestamp",
        sep=";",
        dateFormat="dd/MM/yyyy",
        timestampFormat="yyyy.MM.dd H:mm",
    )
    assert rows(scan) == [(date(2024, 2, 5), datetime(2024, 3, 4, 5, 6, tzinfo=UTC)), (None, None)]
    optional = csv("2024-01-02 03:04\n", "a timestamp", timestampFormat="yyyy-MM-dd[ HH:mm[:ss]]")
    assert rows(optional) == [(datetime(2024, 1, 2, 3, 4, tzinfo=UTC),)]
    with pytest.raises(Invalid, match="letters Q"):
        csv("1\n", "a date", dateFormat="yyyy-Q")


def test_times_without_a_pattern_are_iso_in_its_variations(csv):
    text = "2024-01-02 03:04:05.123\n2024-01-02T03:04:05+02:00\n2024-01-02\n2024-1-2T3:04\nx\n"
    assert [row[0] for row in rows(csv(text, "a timestamp"))] == [
        datetime(2024, 1, 2, 3, 4, 5, 123000, UTC),
        datetime(2024, 1, 2, 1, 4, 5, tzinfo=UTC),
        datetime(2024, 1, 2, tzinfo=UTC),
        datetime(2024, 1, 2, 3, 4, tzinfo=UTC),
        None,
    ]
    paris = csv("2024-07-01 12:00:00\n", "a timestamp", timeZone="Europe/Paris")
    assert rows(paris) == [(datetime(2024, 7, 1, 10, tzinfo=UTC),)]


def test_encodings_and_the_ends_of_lines(csv):
    assert rows(csv("é,1\n".encode("latin-1"), encoding="ISO-8859-1")) == [("é", "1")]
    assert rows(csv("a,b\r\n1,2\r3,4")) == [("a", "b"), ("1", "2"), ("3", "4")]
    assert rows(csv("a,b;1,2;", lineSep=";")) == [("a", "b"), ("1", "2")]
    with pytest.raises(Invalid, match="not utf-8 text"):
        rows(csv(b"\xe9,1\n"))


def test_a_header_that_is_another_in_a_later_file_is_refused(read, tmp_path):
    (tmp_path / "a.csv").write_text("a,b\n1,2\n")
    (tmp_path / "b.csv").write_text("b,a\n1,2\n")
    with pytest.raises(Invalid, match=r"header of b\.csv"):
        read("csv", tmp_path, header="true")
    both = read("csv", tmp_path, header="true", enforceSchema="true")
    assert rows(both) == [("1", "2"), ("1", "2")]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"haeder": "true"}, "no option haeder"),
        ({"header": "maybe"}, "true or false"),
        ({"mode": "XX"}, "PERMISSIVE, DROPMALFORMED, FAILFAST"),
        ({"samplingRatio": "0.5"}, "samplingRatio"),
        ({"maxColumns": "0"}, "less than 1"),
        ({"locale": "de-DE"}, "locale"),
        ({"quoteAll": "true"}, "no option quoteAll to read"),
        ({"encoding": "klingon"}, "no encoding"),
        ({"quote": "ab"}, "more than one character"),
    ],
)
def test_options_that_are_unknown_or_wrong_are_named(csv, options, says):
    with pytest.raises(Invalid, match=says):
        csv("1\n", **options)


def test_names_of_options_are_compared_without_case_and_underscores(csv):
    assert rows(csv("#c\n1\n", COMMENT="#")) == [("1",)]
    assert shape(csv("1\n", infer_schema="true")) == "_c0:int"
