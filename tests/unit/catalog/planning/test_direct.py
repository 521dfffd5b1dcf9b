"""Which changes go to a table's library as they are, and in which words."""

from __future__ import annotations

import pytest

from flowcat_jupyter.catalog.planning.direct import direct_change
from flowcat_jupyter.catalog.planning.row_changes import ChangeRows
from flowcat_jupyter.catalog.planning.statements import parse
from flowcat_jupyter.shared.wire import Column, TableFacts
from flowcat_jupyter.shared.wire_writes import DirectChange

KINDS = "a int, s string, d date, b boolean, t tinyint, x double, m timestamp, n decimal(5,2)"
COLUMNS = tuple(Column(name, kind) for name, kind in map(str.split, KINDS.split(", ")))
FACTS = TableFacts(
    "delta",
    (*COLUMNS, Column("k", "int", nullable=False), Column("p", "string")),
    ("p",),
    1,
    1,
    1,
    1,
)


def direct(text: str) -> DirectChange | None:
    (change,) = parse(text)
    assert isinstance(change, ChangeRows)
    return direct_change(change, FACTS)


@pytest.mark.parametrize(
    ("condition", "predicate"),
    [
        ("a = 1", "(`a` = CAST('1' AS INT))"),
        ("A <> -2", "(`a` <> CAST('-2' AS INT))"),
        ("5 > t.a", "(`a` < CAST('5' AS INT))"),
        ("s = 'it''s'", "(`s` = 'it''s')"),
        ("d < DATE '2020-01-31'", "(`d` < CAST('2020-01-31' AS DATE))"),
        ("d = '2020-01-31'", "(`d` = CAST('2020-01-31' AS DATE))"),
        ("b = true", "(`b` = true)"),
        ("a IS NULL", "(`a` IS NULL)"),
        ("x IS NOT NULL", "(`x` IS NOT NULL)"),
        ("a IN (1, 2)", "(`a` IN (CAST('1' AS INT), CAST('2' AS INT)))"),
        ("a BETWEEN 1 AND 3", "(`a` >= CAST('1' AS INT) AND `a` <= CAST('3' AS INT))"),
        ("(a = 1 OR s = 'x') AND t > 3", None),
        ("p = 'x'", "(`p` = 'x')"),
    ],
)
def test_plain_conditions_are_the_librarys(condition: str, predicate: str | None) -> None:
    found = direct(" ".join(("DELETE FROM t WHERE", condition)))
    assert found is not None
    assert found.updates is None
    assert predicate in (None, found.predicate)


@pytest.mark.parametrize(
    "condition",
    [
        "a = NULL",
        "a IN (1, NULL)",
        "a = 1.0",
        "a = '1'",
        "a = 99999999999",
        "t = 300",
        "s = 1",
        "x = 1",
        "m = TIMESTAMP '2020-01-01 00:00:00'",
        "n = 1",
        "d = '2020-1-1'",
        "d = '2020-02-30'",
        "b",
        "b > false",
        "NOT a = 1",
        "a = s",
        "a + 1 = 2",
        "a = :p",
        "1 = 1",
        "true",
        "NULL",
        "a = 1 OR NULL",
        "a <=> 1",
        "a IN (SELECT 1)",
        "s LIKE 'x%'",
        "upper(s) = 'X'",
        "nope = 1",
        "other.a = 1",
        "b IS TRUE",
        " OR ".join(["a = 1"] * 51),
    ],
)
def test_others_are_not(condition: str) -> None:
    assert direct(" ".join(("DELETE FROM t WHERE", condition))) is None


def test_an_update_gives_constants() -> None:
    found = direct("UPDATE t AS u SET a = 5, u.S = 'x', d = DATE '2020-01-01', x = 0 WHERE u.a = 1")
    assert found is not None
    assert found.updates == {
        "a": "CAST('5' AS INT)",
        "s": "'x'",
        "d": "CAST('2020-01-01' AS DATE)",
        "x": "CAST('0' AS DOUBLE)",
    }


@pytest.mark.parametrize(
    "given",
    [
        "a = a + 1",
        "a = NULL",
        "a = 1.5",
        "s = 1",
        "n = 1",
        "x = 1.5",
        "k = 1",
        "p = 'x'",
        "nope = 1",
    ],
)
def test_an_update_that_computes_or_may_be_refused_is_not(given: str) -> None:
    assert direct(" ".join(("UPDATE t SET", given, "WHERE a = 1"))) is None


@pytest.mark.parametrize(
    "text",
    [
        "DELETE FROM t",
        "TRUNCATE TABLE t",
        "UPDATE t SET a = 1",
        "WITH c AS (SELECT 1 AS x) DELETE FROM t WHERE a = 1",
        "MERGE INTO t USING u ON t.a = u.a WHEN MATCHED AND t.a = 1 THEN DELETE",
    ],
)
def test_a_statement_without_a_condition_of_its_own_is_not(text: str) -> None:
    assert direct(text) is None
