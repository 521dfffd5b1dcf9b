"""Statements that change something, as they are read before anything is looked up."""

from __future__ import annotations

import pytest

from flowcat_jupyter.catalog.planning.statements import Select, parse, query_of
from flowcat_jupyter.catalog.planning.writes import CreateSchema, CreateTable, Drop, Insert
from flowcat_jupyter.shared.errors import SqlError


def test_an_insert_says_where_what_and_how() -> None:
    (found,) = parse("INSERT OVERWRITE TABLE a.b.t (x, `y z`) SELECT 1, 2")
    assert isinstance(found, Insert)
    assert (found.name.parts, found.columns) == (("a", "b", "t"), ("x", "y z"))
    assert (found.overwrite, found.by_name) == (True, False)
    (by_name,) = parse("INSERT INTO t BY NAME SELECT 1 AS x")
    assert isinstance(by_name, Insert)
    assert (by_name.columns, by_name.by_name, by_name.overwrite) == (None, True, False)


def test_a_table_is_made_of_a_query() -> None:
    (found,) = parse(
        "CREATE OR REPLACE TABLE s.t PARTITIONED BY (p) COMMENT 'it''s' AS SELECT 1 AS p"
    )
    assert isinstance(found, CreateTable)
    assert (found.name.parts, found.replace, found.if_not_exists) == (("s", "t"), True, False)
    assert (found.partition_by, found.comment) == (("p",), "it's")


@pytest.mark.parametrize("word", ["SCHEMA", "DATABASE", "NAMESPACE"])
def test_a_schema_goes_by_three_names(word: str) -> None:
    made, dropped = parse(f"CREATE {word} IF NOT EXISTS c.s COMMENT 'x'; DROP {word} s CASCADE")
    assert isinstance(made, CreateSchema)
    assert (made.name, made.if_not_exists, made.comment) == (("c", "s"), True, "x")
    assert isinstance(dropped, Drop)
    assert (dropped.what, dropped.name, dropped.cascade) == ("SCHEMA", ("s",), True)


def test_the_query_in_a_statement_is_planned_as_any() -> None:
    inserted, selected, dropped = parse("INSERT INTO t SELECT :x; SELECT 1; DROP TABLE t")
    assert isinstance(query_of(inserted), Select)
    assert query_of(selected) is selected
    assert query_of(dropped) is None


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("CREATE TABLE t (a INT)", "a list of columns"),
        ("CREATE TABLE t LIKE u", "without a query"),
        ("CREATE TABLE t USING iceberg AS SELECT 1", "USING iceberg"),
        ("CREATE TABLE t LOCATION '/x' AS SELECT 1", "LOCATION"),
        ("CREATE TABLE t TBLPROPERTIES ('a' = 'b') AS SELECT 1", "TBLPROPERTIES"),
        ("CREATE EXTERNAL TABLE t AS SELECT 1", "EXTERNAL"),
        ("CREATE VIEW v AS SELECT 1", "CREATE VIEW"),
        ("CREATE FUNCTION f() RETURNS INT RETURN 1", "CREATE"),
        ("INSERT INTO t PARTITION (p = 1) SELECT 1", "PARTITION"),
        ("INSERT INTO t REPLACE WHERE a = 1 SELECT 1", "REPLACE WHERE"),
        ("DROP TABLE t PURGE", "PURGE"),
        ("DROP VIEW v", "DROP VIEW"),
    ],
)
def test_what_is_not_understood_is_named_and_nothing_runs(text: str, named: str) -> None:
    with pytest.raises(SqlError) as failed:
        parse(text)
    assert named in failed.value.message
    assert failed.value.condition in ("UNSUPPORTED_FEATURE.TABLE_OPERATION", "UNSUPPORTED_FEATURE")
    assert failed.value.line == 1
