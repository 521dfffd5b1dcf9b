"""JSON as Spark reads it. What is expected was recorded from Spark 4.2.1."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from flowcat_jupyter.shared.errors import Invalid

from .conftest import rows, shape


@pytest.fixture
def json(read, tmp_path):
    def reading(text, ddl="", **options):
        (tmp_path / "a.json").write_text(text)
        return read("json", tmp_path / "a.json", ddl, **options)

    return reading


def test_columns_are_all_keys_in_order_with_types_that_take_all_values(json):
    scan = json(
        '{"a":1,"b":"x","c":1.5,"d":true,"e":null,"f":[1,2],"g":{"h":1}}\n{"a":3000000000,"z":1}\n'
    )
    assert shape(scan) == (
        "a:bigint,b:string,c:double,d:boolean,e:string,f:array<bigint>,g:struct<h:bigint>,z:bigint"
    )
    assert rows(scan)[1][0] == 3000000000


@pytest.mark.parametrize(
    ("text", "options", "kind"),
    [
        ('{"a":1}\n{"a":"x"}\n{"a":{"b":1}}\n', {}, "a:string"),
        ('{"a":1}\n{"a":1.5}\n', {}, "a:double"),
        ('{"a":99999999999999999999}\n', {}, "a:decimal(20,0)"),
        ('{"a":[1,"x"]}\n', {}, "a:array<string>"),
        ('{"a":1.5}\n', {"prefersDecimal": "true"}, "a:decimal(2,1)"),
        ('{"a":1,"c":{"d":2.0}}\n', {"primitivesAsString": "true"}, "a:string,c:struct<d:string>"),
        ('{"a":null,"b":1,"c":[],"d":{}}\n', {}, "a:string,b:bigint,c:array<string>"),
        ('{"a":null,"b":1,"c":[],"d":{}}\n', {"dropFieldIfAllNull": "true"}, "b:bigint"),
        ('{"t":"2024-01-02T03:04:05Z"}\n', {}, "t:string"),
        ('{"t":"2024-01-02T03:04:05Z"}\n', {"inferTimestamp": "true"}, "t:timestamp"),
        ('{"a":NaN,"b":+INF}\n', {}, "a:double,b:double"),
    ],
)
def test_types_are_found_by_sparks_rules(json, text, options, kind):
    assert shape(json(text, **options)) == kind


def test_records_that_are_no_objects_go_into_a_column_of_their_own(json):
    scan = json('{"a":1}\n{bad\n[{"a":2},{"a":3}]\n5\n\n{"a":4}\n')
    assert shape(scan) == "_corrupt_record:string,a:bigint"
    assert rows(scan) == [
        (None, 1),
        ("{bad", None),
        (None, 2),
        (None, 3),
        ("5", None),
        (None, 4),
    ]


def test_modes(json):
    text = '{"a":1,"b":2}\n{bad\n{"a":"x","b":3}\n'
    assert rows(json(text, "a int, b int")) == [(1, 2), (None, None), (None, 3)]
    assert rows(json(text, "a int, b int", mode="DROPMALFORMED")) == [(1, 2)]
    with pytest.raises(Invalid, match=r"\{bad"):
        rows(json(text, "a int, b int", mode="FAILFAST"))


def test_values_become_what_was_declared_or_null(json):
    assert rows(json('{"a":"5","b":5.0,"c":5,"d":"NaN"}\n', "a int, b int, c double, e int")) == [
        (None, None, 5.0, None)
    ]
    decimals = json(
        '{"a":1.239,"b":123456,"c":"1.5"}\n', "a decimal(5,2), b decimal(5,2), c decimal(5,2)"
    )
    assert rows(decimals) == [(Decimal("1.24"), None, Decimal("1.50"))]
    assert rows(json('{"a":1.50,"b":true,"c":[1]}\n', "a string, b string, c string")) == [
        ("1.50", "true", "[1]")
    ]
    times = json(
        '{"d":"02/01/2024","t":"2024-01-02T03:04:05Z"}\n',
        "d date, t timestamp",
        dateFormat="dd/MM/yyyy",
    )
    assert rows(times) == [(date(2024, 1, 2), datetime(2024, 1, 2, 3, 4, 5, tzinfo=UTC))]
    nested = json('{"m":{"k":1},"s":{"x":"1"}}\n', "m map<string,int>, s struct<x:int>")
    assert rows(nested) == [([{"key": "k", "value": 1}], {"x": None})]


def test_names_go_by_themselves_whatever_the_case(json):
    assert rows(json('{"A":2}\n', "a int")) == [(2,)]
    assert rows(json('{"a":1,"A":2}\n', "A int")) == [(2,)]


def test_objects_of_several_lines(json):
    assert rows(json('[\n{"a":1},\n{"a":2}\n]', multiLine="true")) == [(1,), (2,)]
    assert rows(json('{\n"a":1\n}', multiLine="true")) == [(1,)]


@pytest.mark.parametrize(
    ("text", "option"),
    [
        ('/*c*/{"a":1} //x\n', "allowComments"),
        ("{a:1}\n", "allowUnquotedFieldNames"),
        ('{"a":01}\n', "allowNumericLeadingZeros"),
        ('{"a":1,"b":"\\q"}\n', "allowBackslashEscapingAnyCharacter"),
        ('{"a":1,"b":"\t"}\n', "allowUnquotedControlChars"),
    ],
)
def test_what_is_no_json_is_read_where_an_option_allows_it(json, text, option):
    assert rows(json(text, "a int", **{option: "true"})) == [(1,)]
    assert rows(json(text, "a int")) == [(None,)]


def test_single_quotes_are_read_unless_an_option_forbids_it(json):
    assert rows(json("{'a':1}\n", "a int")) == [(1,)]
    assert rows(json("{'a':1}\n", "a int", allowSingleQuotes="false")) == [(None,)]
