"""Conditions of a step's reader, said of what the step reads."""

from __future__ import annotations

import pytest

from flowcat_jupyter.shared.wire import Column
from flowcat_jupyter.sql.dialect import House, parse_statement
from flowcat_jupyter.sql.steps_asked import narrowed

SCHEMAS = {"r1": (Column("a", "bigint"), Column("p", "bigint"))}


def steps(text: str) -> list[str]:
    """The conditions of each step."""
    tree = narrowed(parse_statement(text), SCHEMAS)
    wheres = [cte.this.args.get("where") for cte in tree.args["with_"].expressions]
    return [where.this.sql(dialect=House) if where is not None else "" for where in wheres]


@pytest.mark.parametrize(
    ("step", "reader", "told"),
    [
        ("SELECT a AS x, p AS q FROM r1", "SELECT * FROM v WHERE q = 3", ["(p = 3)"]),
        ("SELECT a AS x, p AS q FROM r1", "SELECT * FROM v AS w WHERE w.Q = 3", ["(p = 3)"]),
        (
            "SELECT * FROM r1",
            "SELECT * FROM v WHERE v.p = 3 AND a > 1",
            ["(`p` = 3) AND (`a` > 1)"],
        ),
        (
            "SELECT a, p FROM r1 WHERE a < 9 ORDER BY a",
            "SELECT * FROM v WHERE p = 3 OR a = 1",
            ["a < 9 AND (p = 3 OR a = 1)"],
        ),
        (
            "SELECT a, p FROM r1), w AS (SELECT p AS z FROM v",
            "SELECT z FROM w WHERE z IN (1, 2)",
            ["((p IN (1, 2)))", "(p IN (1, 2))"],
        ),
        (
            "SELECT a, p FROM r1",
            "SELECT * FROM v JOIN u ON v.a = u.a WHERE v.p = 3 AND b = 1",
            ["(p = 3)"],
        ),
    ],
)
def test_what_keeps_rows_out_anyway_goes_into_the_step(
    step: str, reader: str, told: list[str]
) -> None:
    assert steps(f"WITH v AS ({step}) {reader}") == told


@pytest.mark.parametrize(
    ("step", "reader"),
    [
        ("SELECT p, count(*) AS a FROM r1", "SELECT * FROM v WHERE p = 3"),
        ("SELECT p FROM r1 GROUP BY p", "SELECT * FROM v WHERE p = 3"),
        ("SELECT DISTINCT p FROM r1", "SELECT * FROM v WHERE p = 3"),
        ("SELECT p FROM r1 LIMIT 1", "SELECT * FROM v WHERE p = 3"),
        ("SELECT p, row_number() OVER (ORDER BY a) AS n FROM r1", "SELECT * FROM v WHERE p = 3"),
        ("SELECT p FROM r1 UNION ALL SELECT a FROM r1", "SELECT * FROM v WHERE p = 3"),
        ("SELECT p, explode(array(a)) AS e FROM r1", "SELECT * FROM v WHERE p = 3"),
        ("SELECT p FROM r1 TABLESAMPLE (10 PERCENT)", "SELECT * FROM v WHERE o.p = 3"),
        ("SELECT p FROM r1", "SELECT * FROM v TABLESAMPLE (10 PERCENT) WHERE p = 3"),
        ("SELECT p FROM r1", "SELECT * FROM v WHERE p = 3 UNION ALL SELECT * FROM v"),
        ("SELECT p FROM r1", "SELECT * FROM u LEFT JOIN v ON u.a = v.p WHERE v.p = 3"),
        ("SELECT p FROM r1", "SELECT * FROM u ANTI JOIN v ON u.a = v.p WHERE p = 3"),
        ("SELECT p FROM r1", "SELECT * FROM u JOIN v ON u.a = v.p WHERE p = 3"),
        ("SELECT p FROM r1", "SELECT * FROM v WHERE p = (SELECT max(a) FROM u)"),
        ("SELECT p FROM r1", "SELECT * FROM u WHERE EXISTS (SELECT 1 FROM v WHERE v.p = u.a)"),
        ("SELECT p FROM r1", "SELECT p, count(*) FROM v GROUP BY p HAVING p = 3"),
        ("SELECT a AS p, p FROM r1", "SELECT * FROM v WHERE p = 3"),
    ],
)
def test_what_may_change_the_answer_stays_where_it_is(step: str, reader: str) -> None:
    assert [text for text in steps(f"WITH v AS ({step}) {reader}") if "3" in text] == []
