"""Names are found as people write them; text and parameters are only ever values."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import polars as pl
import pytest

from flowcat_jupyter.shared.wire import Column
from tests.support.engines import Tables, failure, numbers, select, table


def test_columns_are_found_whatever_their_case_and_headed_by_their_own(ask: Any) -> None:
    tables = {"t": table({"OrderID": ("int", [1], pl.Int64)})}
    for text in (
        "orderid",
        "ORDERID",
        "`OrderId`",
        '"orderID"',
        "T.orderid",
        "main.default.t.ORDERID",
    ):
        answer = ask(select(text, "FROM t WHERE orderId = 1"), tables)
        assert (answer.headings, answer.rows) == (["OrderID"], [(1,)])


def test_two_columns_that_differ_by_case_are_ambiguous(ask: Any) -> None:
    tables = {"t": table({"a": ("int", [1], pl.Int64), "A": ("int", [2], pl.Int64)})}
    assert failure(ask, "SELECT a FROM t", tables).condition == "AMBIGUOUS_REFERENCE"
    assert ask("SELECT * FROM t", tables).rows == [(1, 2)]


PAIR: Tables = {
    "a": table({"id": ("int", [1, 2], pl.Int64), "v": ("int", [10, 20], pl.Int64)}),
    "b": table({"id": ("int", [1, 2], pl.Int64), "v": ("int", [10, 99], pl.Int64)}),
}


def test_a_bare_name_of_two_sources_is_ambiguous_and_says_between_what(ask: Any) -> None:
    error = failure(ask, "SELECT\n  v FROM a JOIN b ON a.id = b.id", PAIR)
    assert error.condition == "AMBIGUOUS_REFERENCE"
    assert "a.v or b.v" in error.message
    assert (error.line, error.column) == (2, 3)


def test_both_columns_of_a_name_are_compared_and_shown(ask: Any) -> None:
    answer = ask("SELECT * FROM a JOIN b ON a.id = b.id WHERE a.v <> b.v", PAIR)
    assert answer.headings == ["id", "v", "id", "v"]
    assert answer.rows == [(2, 20, 2, 99)]
    assert answer.frame.columns == ["c0", "c1", "c2", "c3"]


def test_correlated_exists_under_a_star(ask: Any) -> None:
    sql = "SELECT * FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.id = a.id AND b.v = a.v)"
    assert ask(sql, PAIR).rows == [(1, 10)]


def test_an_unknown_column_names_the_nearest_and_its_place(ask: Any) -> None:
    tables = {"t": table({"carrier": ("string", ["UA"], pl.String)})}
    error = failure(ask, "SELECT 1,\n       carier FROM t", tables)
    assert (error.condition, error.sqlstate) == ("UNRESOLVED_COLUMN.WITH_SUGGESTION", "42703")
    assert (error.line, error.column) == (2, 8)
    assert "carrier" in error.message


def test_double_quotes_around_text_get_a_hint(ask: Any) -> None:
    assert "single quotes" in str(failure(ask, 'SELECT "hello"').hint)
    assert "curly" in str(failure(ask, "SELECT “hello”").hint)


@pytest.mark.parametrize(
    "name",
    [
        "order date",
        "a.b",
        "y--1",
        "x%20x",
        "select",
        "数量",
        "🙂",
        'a"b',
        "a`b",
        "a'b",
        "{x}",
        "a\\b",
    ],
)
def test_any_name_works_in_quotes(ask: Any, name: str) -> None:
    tables = {"t": table({name: ("int", [3, None, 1], pl.Int64)})}
    quoted = "`" + name.replace("`", "``") + "`"
    columns = f"{quoted}, sum({quoted}) AS {quoted}"
    rest = f"FROM t WHERE {quoted} > 0 GROUP BY {quoted} ORDER BY 1"
    answer = ask(select(columns, rest), tables)
    assert answer.headings == [name, name]
    assert answer.rows == [(1, 1), (3, 3)]


@pytest.mark.parametrize(
    "text",
    [
        "it's",
        "a\\b",
        "--no",
        "/* no */",
        "a;b",
        "🙂",
        "line\nbreak",
        "'; DROP TABLE t; --",
        '"q"',
        "%",
        "",
    ],
)
def test_text_comes_back_as_it_was_typed_and_as_it_was_bound(ask: Any, text: str) -> None:
    typed = "'" + text.replace("\\", "\\\\").replace("'", "''") + "'"
    tables = {"t": table({"s": ("string", [text, "other"], pl.String)})}
    rest = f"FROM t WHERE s = {typed} AND s = :p AND s IN ({typed}, :p)"
    assert ask(select(f"s, {typed}, :p", rest), tables, params={"p": text}).rows == [
        (text, text, text)
    ]


@pytest.mark.parametrize(
    ("given", "kind", "wanted"),
    [
        (1, "int", 1),
        (2**40, "bigint", 2**40),
        (1.5, "double", 1.5),
        (True, "boolean", True),
        (None, "void", None),
        ({"date": "2024-02-09"}, "date", date(2024, 2, 9)),
        ({"decimal": "1.50"}, "decimal(3,2)", Decimal("1.50")),
        ({"timestamp": "2024-02-09 10:00:00"}, "timestamp", datetime(2024, 2, 9, 10, tzinfo=UTC)),
    ],
)
def test_a_parameter_is_a_typed_literal(ask: Any, given: Any, kind: str, wanted: Any) -> None:
    answer = ask("SELECT :p AS p", params={"p": given})
    assert (answer.types, answer.rows) == ([kind], [(wanted,)])


def test_a_list_is_bound_to_in(ask: Any) -> None:
    answer = ask("SELECT x FROM t WHERE x IN (:ids)", numbers([1, 2, 3]), params={"ids": [1, 3]})
    assert answer.rows == [(1,), (3,)]


def test_a_missing_parameter_is_named(ask: Any) -> None:
    error = failure(ask, "SELECT :day")
    assert error.condition == "UNBOUND_SQL_PARAMETER"
    assert ":day" in error.message


@pytest.mark.parametrize("name", ["*", "^a.*$", "^$"])
def test_a_column_called_like_a_pattern_is_that_column_alone(ask: Any, name: str) -> None:
    when = [datetime.fromisoformat(day) for day in ("2024-01-01", "2024-01-02")]
    tables = {
        "t": table(
            {
                "ab": ("int", [1, 2], pl.Int64),
                name: ("int", [30, 20], pl.Int64),
                "at": ("timestamp_ntz", when, pl.Datetime("ms")),
            }
        )
    }
    assert ask("SELECT * FROM t", tables).rows == [(1, 30, when[0]), (2, 20, when[1])]
    answer = ask(select(f"`{name}`", f"FROM t ORDER BY `{name}`"), tables)
    assert (answer.headings, answer.rows) == ([name], [(20,), (30,)])
    joined = f"FROM t a JOIN t b ON a.`{name}` = b.`{name}` GROUP BY a.`{name}`"
    assert sorted(ask(select(f"a.`{name}`, count(*)", joined), tables).rows) == [(20, 1), (30, 1)]
    within = f"FROM ({select(f'`{name}`, ab')}) q WHERE `{name}` > 25"
    assert ask(select(f"max(`{name}`) AS `{name}`", within), tables).rows == [(30,)]


@pytest.mark.parametrize("name", ["*", "^a.*$"])
def test_a_field_called_like_a_pattern_is_refused(ask: Any, name: str) -> None:
    value = pl.DataFrame({"s": [{"ab": 1, name: 2}]}).lazy()
    tables: Tables = {"t": (value, (Column("s", f"struct<ab:bigint,`{name}`:bigint>"),))}
    assert failure(ask, select(f"s.`{name}`"), tables).condition == "UNSUPPORTED_FEATURE"
    assert ask(select("s.ab"), tables).rows == [(1,)]
