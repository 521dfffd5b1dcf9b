"""What a query asks of a table's own columns: never more than is certain."""

from __future__ import annotations

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest

from flowcat_jupyter.shared.wire import Column
from flowcat_jupyter.sql.conditions import conditions_of
from flowcat_jupyter.sql.constant import Setting
from flowcat_jupyter.sql.dialect import parse_statement

SCHEMAS = {
    "r1": (
        Column("Id", "int"),
        Column("name", "string"),
        Column("d", "date"),
        Column("ts", "timestamp"),
        Column("wall", "timestamp_ntz"),
        Column("x", "double"),
        Column("dec", "decimal(10,2)"),
        Column("both", "int"),
        Column("k", "int"),
        Column("K", "int"),
    ),
    "r2": (Column("other", "bigint"), Column("both", "int")),
}
SETTING = Setting(
    ZoneInfo("Europe/Paris"), datetime(2026, 7, 1, 10, tzinfo=UTC), {"n": 7, "s": "x", "f": 1.5}
)


def asked(text: str, relation: str = "r1") -> list[tuple[tuple, ...]]:
    found = conditions_of(parse_statement(text), SCHEMAS, SETTING)[relation]
    return [tuple((c.column, c.op, *c.values) for c in place) for place in found]


ALL = "SELECT * FROM r1 WHERE"


def where(condition: str) -> tuple[tuple, ...]:
    (place,) = asked(f"{ALL} {condition}")
    return place


@pytest.mark.parametrize(
    ("condition", "wanted"),
    [
        ("id = 5", ("Id", "=", 5)),
        ("5 < r1.ID", ("Id", ">", 5)),
        ("(id) >= (-5)", ("Id", ">=", -5)),
        ("id = :n", ("Id", "=", 7)),
        ("id IN (1, 2, 3)", ("Id", "in", 1, 2, 3)),
        ("name = 'x'", ("name", "=", "x")),
        ("name <= :s", ("name", "<=", "x")),
        ("name IS NULL", ("name", "is_null")),
        ("name IS NOT NULL", ("name", "not_null")),
        ("NOT (name IS NULL)", ("name", "not_null")),
        ("d = '2024-01-31'", ("d", "=", date(2024, 1, 31))),
        ("d > DATE '2024-01-31'", ("d", ">", date(2024, 1, 31))),
        ("d < current_date() - INTERVAL 1 DAY", ("d", "<", date(2026, 6, 30))),
        ("ts >= '2024-01-31'", ("ts", ">=", datetime(2024, 1, 30, 23, tzinfo=UTC))),
        ("ts = TIMESTAMP '2024-07-01 12:00:00'", ("ts", "=", datetime(2024, 7, 1, 10, tzinfo=UTC))),
        ("ts < now()", ("ts", "<", datetime(2026, 7, 1, 10, tzinfo=UTC))),
        ("x < 2.5", ("x", "<", 2.5)),
        ("x < :f", ("x", "<", 1.5)),
        ("x = 3", ("x", "=", 3.0)),
    ],
)
def test_a_comparison_with_a_constant_is_a_condition(condition, wanted):
    assert where(condition) == (wanted,)
    assert where(f"{condition} AND length(name) > 3 AND (id = 1 OR k = 2)") == (wanted,)


def test_or_gives_alternatives_of_which_one_must_hold():
    text = f"{ALL} (id = 1 OR (id > 7 AND name = 'x')) AND d IS NOT NULL"
    some = ("d", "not_null")
    assert asked(text) == [
        (some, ("Id", "=", 1)),
        (some, ("Id", ">", 7), ("name", "=", "x")),
    ]
    assert asked(f"{ALL} id IS NULL OR name IS NULL") == [
        (("Id", "is_null"),),
        (("name", "is_null"),),
    ]
    assert len(asked(f"{ALL} {' AND '.join(['(id = 1 OR id = 2)'] * 20)}")) == 64


def test_between_is_two_conditions():
    assert where("id BETWEEN 2 AND 4") == (("Id", ">=", 2), ("Id", "<=", 4))


@pytest.mark.parametrize(
    "condition",
    [
        "id = 1 OR length(name) = 2",
        "id = 1 OR id = 2 OR k = 3",
        "NOT (id = 1)",
        "id <> 1",
        "id + 1 = 2",
        "id = k",
        "id = 1.5",
        "id = '5'",
        "id = 99999999999999999999",
        "id = NULL",
        "id IN (1, NULL)",
        "id IN (SELECT other FROM r2)",
        "id NOT IN (1, 2)",
        "k = 1",
        "nobody = 1",
        "name = 5",
        "name LIKE 'x%'",
        "d = '2024-1-31'",
        "d = '2024-02-31'",
        "d = ts",
        "dec = 1.5",
        "wall = '2024-01-31'",
        "x > 1",
        "x <= CAST('NaN' AS DOUBLE)",
        "lower(name) = 'x'",
        "id = rand()",
        "id <=> 1",
    ],
)
def test_what_is_not_certain_is_no_condition(condition):
    assert where(condition) == ()


def test_a_name_that_several_tables_have_belongs_to_none():
    text = (
        "SELECT * FROM r1 JOIN r2 ON true WHERE both = 1 AND id = 2 AND other = 3 AND r2.both = 4"
    )
    assert asked(text) == [(("Id", "=", 2),)]
    assert asked(text, "r2") == [(("other", "=", 3), ("both", "=", 4))]


@pytest.mark.parametrize(
    "source",
    ["(SELECT 1 AS id) q", "(VALUES (1)) AS v(id)", "explode(array(1)) AS e(id)"],
)
def test_a_bare_name_beside_what_has_columns_of_its_own_belongs_to_none(source):
    beside = " ".join(("SELECT * FROM r1 CROSS JOIN", source, "WHERE id = 2 AND r1.id = 3"))
    assert asked(beside) == [(("Id", "=", 3),)]


def test_a_bare_name_of_a_shared_column_belongs_to_none():
    assert asked("SELECT * FROM r1 JOIN r2 USING (both) WHERE both = 1 AND id = 2") == [()]


def test_each_mention_of_a_table_asks_for_itself():
    text = "SELECT * FROM r1 WHERE id = 1 UNION ALL SELECT * FROM r1 a WHERE a.name = 'x'"
    assert asked(text) == [(("Id", "=", 1),), (("name", "=", "x"),)]
    assert asked("SELECT * FROM r1 WHERE id = (SELECT max(id) FROM r1) AND id = 3") == [
        (("Id", "=", 3),),
        (),
    ]


def test_rows_that_an_outer_join_makes_up_are_kept_in_mind():
    text = "SELECT * FROM r2 LEFT JOIN r1 ON r1.id = r2.other WHERE r1.id IS NULL AND r1.name = 'x'"
    assert asked(text) == [(("name", "=", "x"),)]


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * FROM r1 AS t(a, b, c, d, e, f, g, h, i, j) WHERE a = 1",
        "SELECT * FROM r1 TABLESAMPLE (10 PERCENT) WHERE id = 1",
        "SELECT * FROM r1",
        "SELECT * FROM (SELECT * FROM r1) q WHERE id = 1",
        "SELECT * FROM r1 JOIN r2 ON r1.id = 1",
        "SELECT id FROM r1 GROUP BY id HAVING id = 1",
        "SELECT id FROM r1 QUALIFY id = 1",
        "SELECT * FROM r2 WHERE EXISTS (SELECT 1 FROM r1) AND other = 1",
    ],
)
def test_a_condition_elsewhere_than_on_the_tables_rows_is_none(text):
    assert asked(text) == [()]


def test_what_is_asked_of_a_cte_is_asked_of_what_it_reads():
    text = "WITH q AS (SELECT * FROM r1 WHERE id > 3) SELECT * FROM q WHERE id = 5"
    assert asked(text) == [(("Id", ">", 3), ("Id", "=", 5))]
    assert asked(text, "r2") == []
