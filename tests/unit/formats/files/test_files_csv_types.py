"""Which type a column of text is given, and why."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest

from flowcat_jupyter.shared.errors import Invalid, NotFound

ReadText = Callable[..., Any]


def column(*values: str) -> str:
    return "\n".join(
        ["x,other", *(f'"{value}",o' if "," in value else f"{value},o" for value in values), ""]
    )


@pytest.mark.parametrize(
    ("values", "ddl"),
    [
        (("0", "-5", "2147483647"), "int"),
        (("-2147483648", "1"), "int"),
        (("2147483648",), "bigint"),
        (("-9223372036854775808", "9223372036854775807"), "bigint"),
        (("9223372036854775808",), "decimal(20,0)"),
        (("1" * 38,), "decimal(38,0)"),
        (("1" * 39,), "string"),
        (("1.5", "2"), "double"),
        (("1e5", "-.5", "3."), "double"),
        (("1e400",), "string"),
        (("02134", "10001"), "string"),
        (("007.5",), "string"),
        (("+31612345678",), "string"),
        (("1,234", "5,678"), "string"),
        (("$5", "$6.50"), "string"),
        (("12%",), "string"),
        (("true", "False", "TRUE"), "boolean"),
        (("yes", "no"), "string"),
        (("2024-01-31", "0001-01-01"), "date"),
        (("2024-02-30",), "string"),
        (("01/02/2024", "03/04/2024"), "string"),
        (("31.12.2024", "01.02.2024"), "date"),
        (("12/31/2024", "1/2/2024"), "date"),
        (("31/12/2024", "12/31/2024"), "string"),
        (("31.12.2024", "31/12/2024"), "string"),
        (("31/12/24",), "string"),
        (("2024-01-01T10:00:00Z", "2024-01-01 10:00:00.5+02:00"), "timestamp"),
        (("2024-01-01 10:00", "2024-01-01T10:00:00.123456"), "timestamp"),
        (("2024-01-01T10:00:00Z", "2024-01-01T10:00:00"), "string"),
        (("2024-01-01T10:00:00.123456789Z",), "string"),
        (("2024-01-01", "2024-01-01 10:00"), "string"),
        (("inf",), "string"),
        (("0x1F",), "string"),
        (("1_000",), "string"),
        (("NA", "NA"), "string"),
    ],
)
def test_a_column_gets_the_smallest_type_that_keeps_every_value(
    values: tuple[str, ...], ddl: str, read: ReadText
) -> None:
    assert read(column(*values)).types["x"] == ddl


@pytest.mark.parametrize(
    ("values", "told"),
    [
        (("02134", "10001"), "leading zeros"),
        (("1,234",), "thousands"),
        (("01/02/2024",), "order of day and month"),
        (("$5",), "currency"),
        (("9223372036854775808",), "beyond 64 bits"),
        (("2147483648",), "beyond 32 bits"),
        (("2024-01-01 10:00",), "read as UTC"),
        (("0.12345678901234567890",), "of 20 digits, more than a double keeps"),
        (("1.5e300", "1.2345678901234567890"), "20 digits, which no number type keeps"),
        (("31/12/2024",), "the day first: a number above 12 proves it"),
        (("1", "NA", "N/A", "NA"), "2 `NA`, 1 `N/A` read as NULL"),
        (("NA",), "only 1 `NA`"),
        (("Ada", "Bob"), "text"),
        (("1", "2", "n.d."), "text: `n.d.` is not an integer"),
        (("1", "2.5", "about 3"), "text: `about 3` is not a number"),
        (("1", "2", "3", "4", "5", "2.5", "x", "y"), "text: `x` is not a number"),
        (("2024-01-31", "2024-02-30"), "text: `2024-02-30` is not a date"),
        (("true", "false", "maybe"), "text: `maybe` is not true or false"),
    ],
)
def test_the_reason_says_what_was_seen(values: tuple[str, ...], told: str, read: ReadText) -> None:
    assert told in read(column(*values)).reasons["x"]


def test_codes_keep_their_leading_zeros(read: ReadText) -> None:
    found = read("zip,n\n02134,1\n10001,2\n")
    assert found.rows == [("02134", 1), ("10001", 2)]


@pytest.mark.parametrize("late", ["1.5", "N/A", "abc", ""])
def test_a_type_that_changes_late_is_seen(late: str, read: ReadText) -> None:
    found = read(column(*["7"] * 150, late))
    expected = {"1.5": "double", "N/A": "int", "abc": "string", "": "int"}[late]
    assert found.types["x"] == expected
    assert len(found.rows) == 151


@pytest.mark.parametrize("marker", ["NA", "N/A", "NULL", "null", "NaN", "\\N", "-"])
def test_a_marker_is_null_among_numbers_and_dates_and_text_among_texts(
    marker: str, read: ReadText
) -> None:
    found = read(f"n,d,t\n1,2024-01-01,a\n{marker},{marker},{marker}\n")
    assert found.types == {"n": "int", "d": "date", "t": "string"}
    assert found.rows[1] == (None, None, marker)


def test_dates_with_missing_values_are_dates(read: ReadText) -> None:
    assert read("d,x\n2024-01-01,1\n,2\n").column("d") == [date(2024, 1, 1), None]


def test_null_values_given_are_null_everywhere_and_the_only_ones(read: ReadText) -> None:
    found = read("n,t\n1,a\n?,?\nNA,NA\n", null_values="?")
    assert found.types == {"n": "string", "t": "string"}
    assert found.rows == [("1", "a"), (None, None), ("NA", "NA")]


def test_an_empty_field_is_null_and_a_quoted_one_is_empty_text(read: ReadText) -> None:
    assert read('a,b,c\n,"",x\n').rows == [(None, "", "x")]


def test_quoted_empty_fields_among_numbers_are_null(read: ReadText) -> None:
    assert read('"a","b"\n"1","x"\n"","y"\n').column("a") == [1, None]


def test_huge_integers_keep_every_digit(read: ReadText) -> None:
    assert read("id\n9223372036854775808\n").rows == [(Decimal("9223372036854775808"),)]


def test_a_decimal_comma_is_found_where_the_delimiter_allows_it(read: ReadText) -> None:
    found = read("a;b\n1;2,5\n2;1.234,5\n3;0,25\n")
    assert found.reading.options["delimiter"] == ";"
    assert found.types["b"] == "string"
    found = read("a;b\n1;2,5\n3;0,25\n")
    assert found.column("b") == [2.5, 0.25]
    assert found.reading.options["decimal"] == ","


def test_numbers_that_could_be_either_stay_text_until_asked(read: ReadText) -> None:
    text = "a;b\n1;2,500\n"
    assert read(text).types["b"] == "string"
    assert read(text, decimal=",").column("b") == [2.5]


def test_points_that_may_group_thousands_do_not_become_fractions(read: ReadText) -> None:
    assert read("a;b\n2,5;1.234\n").types == {"a": "double", "b": "string"}


def test_instants_become_utc(read: ReadText) -> None:
    found = read("t\n2024-01-01T10:00:00+02:00\n2024-01-01 10:00:00.5Z\n2024-01-01T10:00-0530\n")
    assert found.column("t") == [
        datetime(2024, 1, 1, 8, tzinfo=UTC),
        datetime(2024, 1, 1, 10, 0, 0, 500_000, tzinfo=UTC),
        datetime(2024, 1, 1, 15, 30, tzinfo=UTC),
    ]


@pytest.mark.parametrize("pattern", ["dd/MM/yyyy", "%d/%m/%Y", "d/M/yyyy"])
def test_ambiguous_dates_are_read_as_asked(pattern: str, read: ReadText) -> None:
    found = read("d,iso\n01/02/2024,2024-05-06\nNA,2024-05-06\n", date_format=pattern)
    assert found.rows[0] == (date(2024, 2, 1), date(2024, 5, 6))
    assert found.rows[1][0] is None


@pytest.mark.parametrize(("order", "day"), [("dmy", date(2024, 2, 1)), ("mdy", date(2024, 1, 2))])
def test_ambiguous_dates_follow_the_order_asked_for(order: str, day: date, read: ReadText) -> None:
    found = read("d,e\n01/02/2024,31.12.2024\n,\n", date_order=order)
    assert found.rows[0] == (day, date(2024, 12, 31))


@pytest.mark.parametrize("ddl", ["date", "timestamp"])
def test_dates_with_a_proved_order_can_be_asked_for(ddl: str, read: ReadText) -> None:
    assert str(read("d\n31/12/2024\n1/2/2024\n", types={"d": ddl}).rows[1][0])[:10] == "2024-02-01"


@pytest.mark.parametrize(
    ("values", "ddl"),
    [
        (("0.1", "0.30000000000000004"), "double"),
        (("1.25", "123456789012345678.5"), "decimal(20,2)"),
        (("123456789012345678", "0.5"), "decimal(19,1)"),
        (("0.1234567890123456789012345678901234567890",), "string"),
        (("1.000000000000000000",), "decimal(19,18)"),
    ],
)
def test_numbers_with_more_digits_than_a_double_keeps_are_exact(
    values: tuple[str, ...], ddl: str, read: ReadText
) -> None:
    found = read(column(*values))
    assert found.types["x"] == ddl
    if ddl.startswith("decimal"):
        assert [Decimal(value) for value in values] == found.column("x")


def test_a_date_format_may_give_the_time_too(read: ReadText) -> None:
    found = read("d\n01/02/2024 13:30\n", date_format="dd/MM/yyyy HH:mm")
    assert found.types == {"d": "timestamp"}
    assert found.rows == [(datetime(2024, 2, 1, 13, 30, tzinfo=UTC),)]


def test_a_date_format_that_means_nothing_is_refused(read: ReadText) -> None:
    with pytest.raises(Invalid, match="QQ means nothing"):
        read("d\n1\n", date_format="yyyy-QQ")


def test_the_options_found_take_the_same_reading_again(read: ReadText) -> None:
    text = "a;b;c\n01;2,5;NA\n2;3,5;7\n"
    found = read(text)
    again = read(text, **found.reading.options)
    assert (again.reading.columns, again.rows) == (found.reading.columns, found.rows)


def test_examples_are_at_most_three_distinct_values(read: ReadText) -> None:
    found = read("a\n1\n1\nNA\n2\n3\n4\n")
    assert found.reading.columns[0].examples == ("1", "2", "3")


class TestTypesAsked:
    def test_text_can_be_asked_for(self, read: ReadText) -> None:
        found = read("a,b\n1,NA\n,2\n", types={"a": "string", "b": "string"})
        assert found.rows == [("1", "NA"), (None, "2")]

    def test_what_becomes_null_is_told(self, read: ReadText) -> None:
        found = read("a\n1\nNA\n", types={"a": "bigint"})
        assert found.rows == [(1,), (None,)]
        assert found.reasons["a"] == "as asked; 1 `NA` read as NULL"

    def test_names_are_matched_whatever_their_case(self, read: ReadText) -> None:
        assert read("Amount\n1\n", types={"amount": "decimal(10,2)"}).rows == [(Decimal("1.00"),)]

    def test_leading_zeros_may_go_when_asked(self, read: ReadText) -> None:
        assert read("zip\n02134\n", types={"zip": "int"}).rows == [(2134,)]

    @pytest.mark.parametrize(
        ("ddl", "value"),
        [
            ("int", "x"),
            ("int", "2147483648"),
            ("int", "1.5"),
            ("tinyint", "128"),
            ("decimal(4,2)", "1.234"),
            ("decimal(4,2)", "123.4"),
            ("decimal(38,0)", "1e40"),
            ("double", "1e999"),
            ("float", "1e300"),
            ("date", "2024-02-30"),
            ("date", "2024-01-01 10:00"),
            ("timestamp", "noon"),
            ("timestamp_ntz", "2024-01-01T10:00:00Z"),
            ("boolean", "maybe"),
        ],
    )
    def test_a_value_that_does_not_fit_is_named_with_its_line(
        self, ddl: str, value: str, read: ReadText
    ) -> None:
        text = f"y,x\n1,\n2,NA\n3,{value}\n"
        with pytest.raises(Invalid, match=r"Line 4, column x: ") as caught:
            read(text, types={"x": ddl})
        assert value in caught.value.message
        assert ddl in caught.value.message
        skipped = read(text, types={"x": ddl}, bad_rows="skip")
        assert (skipped.column("y"), skipped.reading.rows, skipped.reading.rejected) == (
            [1, 2],
            2,
            1,
        )
        (reject,) = skipped.reading.bad[0].first
        assert (reject.line, reject.text) == (4, f"3,{value}")
        assert reject.reason == f"column x: {value!r} is not a value of type {ddl}"
        kept = read(text, types={"x": ddl}, bad_rows="text")
        assert kept.column("x") == [None, "NA", value]
        assert f"asked as {ddl}, which 1 value does not fit" in kept.reasons["x"]

    @pytest.mark.parametrize(
        ("ddl", "text", "value"),
        [
            ("smallint", " 7 ", 7),
            ("bigint", "+7", 7),
            ("float", "0.5", 0.5),
            ("decimal(38,18)", "1.5", Decimal("1.5")),
            ("decimal(4,2)", "1.2300", Decimal("1.23")),
            ("boolean", "Yes", True),
            ("boolean", "0", False),
            ("timestamp", "2024-01-01", datetime(2024, 1, 1, tzinfo=UTC)),
            ("timestamp_ntz", "2024-01-01 10:00", datetime(2024, 1, 1, 10)),  # noqa: DTZ001
            ("binary", "é", "é".encode()),
        ],
    )
    def test_a_value_that_fits_is_read(
        self, ddl: str, text: str, value: object, read: ReadText
    ) -> None:
        assert read(f"x,y\n{text},1\n", types={"x": ddl}).column("x") == [value]

    def test_the_line_is_counted_past_quoted_line_ends(self, read: ReadText) -> None:
        with pytest.raises(Invalid, match="Line 4, column b"):
            read('a,b\n"1\n2",3\nx,y\n', types={"b": "int"})

    @pytest.mark.parametrize("ddl", ["array<int>", "struct<a:int>", "void", "map<string,int>"])
    def test_what_text_cannot_be_is_refused(self, ddl: str, read: ReadText) -> None:
        with pytest.raises(Invalid, match="Column a cannot be read as"):
            read("a\n1\n", types={"a": ddl})

    def test_what_is_no_type_is_refused(self, read: ReadText) -> None:
        with pytest.raises(Invalid, match="is not a data type"):
            read("a\n1\n", types={"a": "banana"})

    def test_a_column_that_is_not_there_is_named(self, read: ReadText) -> None:
        with pytest.raises(NotFound, match="no column b") as caught:
            read("a\n1\n", types={"b": "int"})
        assert caught.value.hint == "The file has: a."
