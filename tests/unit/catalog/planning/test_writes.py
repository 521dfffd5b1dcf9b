"""Statements that change something, as they are read before anything is looked up."""

from __future__ import annotations

import pytest

from flowcat_jupyter.catalog.planning.inserting import Insert
from flowcat_jupyter.catalog.planning.statements import Select, parse, query_of
from flowcat_jupyter.catalog.planning.writes import CreateSchema, CreateTable, Drop
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
        ("CREATE TABLE t LOCATION '/x' AS SELECT 1", "LOCATION"),
        ("CREATE TABLE t CLUSTER BY (a) AS SELECT 1 AS a", "CLUSTER"),
        ("CREATE EXTERNAL TABLE t AS SELECT 1", "EXTERNAL"),
        ("CREATE VIEW v WITH SCHEMA EVOLUTION AS SELECT 1", "CREATE VIEW with WITH"),
        ("CREATE FUNCTION f() RETURNS TABLE (a INT) RETURN SELECT 1", "RETURNS TABLE"),
        ("DROP TABLE t PURGE", "PURGE"),
        ("CREATE MATERIALIZED VIEW v AS SELECT 1", "CREATE"),
        ("CREATE OR REPLACE TABLE IF NOT EXISTS t AS SELECT 1", "OR REPLACE TABLE with IF NOT EX"),
        ("CREATE OR ALTER TABLE t AS SELECT 1", "OR ALTER"),
        ("CREATE TABLE t CLONE u", "CLONE"),
        ("CREATE TABLE t AS SELECT 1 AS a WITH NO DATA", "WITH DATA"),
        ("CREATE TABLE t COPY GRANTS AS SELECT 1 AS a", "COPY GRANTS"),
        ("CREATE TABLE t STORED AS delta AS SELECT 1 AS a", "STORED AS"),
        ("CREATE TABLE t USING :f AS SELECT 1 AS a", "USING :f"),
        ("CREATE TABLE t USING delta() AS SELECT 1 AS a", "USING DELTA()"),
        ("CREATE TABLE t USING delta USING delta AS SELECT 1 AS a", "USING twice"),
        ("CREATE TABLE t PARTITIONED BY (upper(upper)) AS SELECT 1 AS upper", "UPPER(upper)"),
        ("CREATE TABLE t PARTITIONED BY (years(x)) AS SELECT 1 AS x", "years(`x`)"),
        ("CREATE TABLE t PARTITIONED BY (bucket(4, a)) AS SELECT 1 AS a", "bucket(4, `a`)"),
        ("CREATE TABLE t PARTITIONED BY (a INT) AS SELECT 1 AS a", "a INT"),
        ("CREATE TABLE t PARTITIONED BY (a COMMENT 'x') AS SELECT 1 AS a", "a COMMENT 'x'"),
        ("CREATE TABLE t PARTITIONED BY (a AS b) AS SELECT 1 AS a", "AS (b)"),
        ("CREATE TABLE t PARTITIONED BY (z.a) AS SELECT 1 AS a", "z.a"),
        ("CREATE TABLE t PARTITIONED BY ('a') AS SELECT 1 AS a", "'a'"),
        ("CREATE TABLE t PARTITIONED BY (:a) AS SELECT 1 AS a", ":a"),
        ("CREATE TABLE t PARTITIONED BY a AS SELECT 1 AS a", "PARTITIONED BY a"),
        ("CREATE TABLE t PARTITIONED BY () AS SELECT 1 AS a", "without a column"),
        ("CREATE TABLE t PARTITIONED BY (a) PARTITIONED BY (b) AS SELECT 1 AS a", "BY twice"),
        ("CREATE TABLE t COMMENT concat('a', 'b') AS SELECT 1 AS a", "CONCAT('a', 'b')"),
        ("CREATE TABLE t COMMENT 'a' 'b' AS SELECT 1 AS a", "COMMENT"),
        ("CREATE TABLE t COMMENT :c AS SELECT 1 AS a", "COMMENT :c"),
        ("CREATE TABLE t COMMENT c AS SELECT 1 AS a", "COMMENT c"),
        ("CREATE TABLE t COMMENT 5 AS SELECT 1 AS a", "COMMENT 5"),
        ("CREATE TABLE t COMMENT x'41' AS SELECT 1 AS a", "COMMENT X'41'"),
        ("CREATE TABLE t COMMENT NULL AS SELECT 1 AS a", "COMMENT NULL"),
        ("CREATE TABLE t COMMENT 'a' COMMENT 'b' AS SELECT 1 AS a", "COMMENT twice"),
        ("CREATE SCHEMA s COMMENT 'a' COMMENT 'b'", "COMMENT twice"),
        ("CREATE SCHEMA s COMMENT :c", "COMMENT :c"),
        ("CREATE OR REPLACE SCHEMA s", "REPLACE"),
        ("WITH a AS (SELECT 1) CREATE SCHEMA s", "WITH"),
        ("INSERT INTO t (b.a) SELECT 1", "b.a"),
        ("INSERT INTO t (a INT) SELECT 1", "a INT"),
        ("INSERT INTO t (a DEFAULT 3) SELECT 1", "a DEFAULT 3"),
        ("INSERT INTO t (upper(a)) SELECT 1", "UPPER(a)"),
        ("INSERT INTO t (a[0]) SELECT 1", "a[0]"),
        ("INSERT INTO t ('a') SELECT 1", "'a'"),
        ("INSERT INTO t (:a) SELECT 1", ":a"),
        ("INSERT INTO t (*) SELECT 1", "*"),
        ("INSERT INTO t () SELECT 1", "without a column"),
        ("INSERT INTO IDENTIFIER('t') SELECT 1", "'t'"),
        ("INSERT INTO FUNCTION f(x) SELECT 1", "FUNCTION"),
        ("INSERT INTO t (a, b) BY NAME SELECT 1", "a list of columns and BY NAME"),
        ("INSERT INTO t DEFAULT VALUES", "DEFAULT"),
        ("INSERT INTO t AS x SELECT 1", "ALIAS"),
        ("INSERT INTO t SELECT 1 RETURNING *", "RETURNING"),
        ("INSERT OR IGNORE INTO t SELECT 1", "ALTERNATIVE"),
        ("INSERT OVERWRITE DIRECTORY '/x' SELECT 1", "without USING"),
        ("INSERT ALL INTO t SELECT 1", "INSERT"),
        ("INSERT OVERWRITE LOCAL t SELECT 1", "OVERWRITE LOCAL"),
        ("INSERT INTO t FORMAT VALUES (1)", "FORMAT VALUES"),
        ("INSERT INTO :df SELECT 1", ":df"),
        ("INSERT INTO :df (a) SELECT 1", ":df"),
        ("INSERT INTO s.:df SELECT 1", ":df"),
        ("CREATE TABLE :df AS SELECT 1 AS a", ":df"),
        ("CREATE OR REPLACE TABLE :df AS SELECT 1 AS a", ":df"),
        ("DROP TABLE :df", ":df"),
        ("DROP TABLE IF EXISTS :df", ":df"),
        ("DROP TABLE ?", "?"),
        ("DROP TABLE t CASCADE", "CASCADE"),
        ("DROP TABLE t RESTRICT", "RESTRICT"),
        ("DROP TABLE t SYNC", "SYNC"),
        ("DROP TABLE t (INT)", "types"),
        ("DROP TEMPORARY TABLE t", "TEMPORARY"),
        ("DROP TABLE t, u", "several"),
        ("DROP SCHEMA s PURGE", "PURGE"),
        ("WITH a AS (SELECT 1) INSERT INTO t WITH b AS (SELECT 2) SELECT 3", "two WITH"),
        ("WITH a AS (SELECT 1) INSERT INTO t (WITH b AS (SELECT 2) SELECT 3)", "two WITH"),
        ("WITH a AS (SELECT 1) CREATE TABLE t AS WITH b AS (SELECT 2) SELECT 3", "two WITH"),
    ],
)
def test_what_is_not_understood_is_named_and_nothing_runs(text: str, named: str) -> None:
    with pytest.raises(SqlError) as failed:
        parse(text)
    assert named in failed.value.message
    assert failed.value.condition in ("UNSUPPORTED_FEATURE.TABLE_OPERATION", "UNSUPPORTED_FEATURE")
    assert failed.value.line == 1


@pytest.mark.parametrize(
    "name",
    [
        "a.b.c",
        "a.b.c.d",
        "`a`.b.c",
        "IDENTIFIER('x')",
        ":x",
        ".a",
        "f()",
        "'a'",
        "a.'b'",
        "1a",
        "``",
    ],
)
@pytest.mark.parametrize("what", ["CREATE SCHEMA", "DROP SCHEMA IF EXISTS", "DROP DATABASE"])
def test_a_schema_has_a_name_of_one_or_two_parts_and_nothing_is_cut_off(
    what: str, name: str
) -> None:
    with pytest.raises(SqlError) as failed:
        parse(f"{what} {name}")
    expected = ("REQUIRES_SINGLE_PART_NAMESPACE", "PARSE_SYNTAX_ERROR")
    assert failed.value.condition in expected
    if failed.value.condition == expected[0]:
        assert (failed.value.line, failed.value.column) == (1, len(what) + 2)


@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        ("postgres", "DROP SCHEMA a.b.c"),
        ("tsql", "DROP SCHEMA [a].[b].[c]"),
        ("bigquery", "DROP SCHEMA `a`.b.c"),
        ("snowflake", "CREATE SCHEMA a.b.c"),
    ],
)
def test_a_schemas_name_is_not_cut_in_other_dialects_either(dialect: str, text: str) -> None:
    with pytest.raises(SqlError) as failed:
        parse(text, dialect)
    assert failed.value.condition == "REQUIRES_SINGLE_PART_NAMESPACE"


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("a . b", ("a", "b")),
        ("a/* x */.b -- y", ("a", "b")),
        ("`a.b`", ("a.b",)),
        ("`a``b`", ("a`b",)),
        ('"a"."b"', ("a", "b")),
        ("if", ("if",)),
        ("cascade", ("cascade",)),
        ("größe", ("größe",)),
    ],
)
def test_a_schemas_name_is_read_as_it_is_written(name: str, parts: tuple[str, ...]) -> None:
    for text in (f"CREATE SCHEMA {name}", f"DROP SCHEMA {name}", f"DROP DATABASE {name}"):
        (found,) = parse(text)
        assert isinstance(found, (CreateSchema, Drop))
        assert found.name == parts
    (found,) = parse(f"DROP SCHEMA IF EXISTS {name}\nCASCADE")
    assert isinstance(found, Drop)
    assert (found.name, found.if_exists, found.cascade) == (parts, True, True)


@pytest.mark.parametrize("name", ["a.b.c.d", "a.b.c.`d e`", "a.b.c.d.e"])
@pytest.mark.parametrize(
    "text",
    [
        "INSERT INTO {} SELECT 1",
        "INSERT INTO {} (x) SELECT 1",
        "CREATE TABLE {} AS SELECT 1 AS a",
        "DROP TABLE {}",
        "DROP TABLE IF EXISTS {}",
    ],
)
def test_a_tables_name_has_three_parts_at_most(text: str, name: str) -> None:
    with pytest.raises(SqlError) as failed:
        parse(text.format(name))
    assert failed.value.condition == "REQUIRES_SINGLE_PART_NAMESPACE"
    assert failed.value.sqlstate == "42K05"
    assert (failed.value.line, failed.value.column) == (1, text.index("{") + 1)


@pytest.mark.parametrize("name", ["a..t", "'t'", "a.'t'", "`a`.``"])
@pytest.mark.parametrize(
    "text", ["INSERT INTO {} SELECT 1", "CREATE TABLE {} AS SELECT 1 AS a", "DROP TABLE {}"]
)
def test_what_is_no_tables_name_is_not_taken_for_one(text: str, name: str) -> None:
    with pytest.raises(SqlError) as failed:
        parse(text.format(name))
    assert failed.value.condition in ("PARSE_SYNTAX_ERROR", "TABLE_OR_VIEW_NOT_FOUND")
    assert failed.value.line == 1


def test_an_error_has_a_place_in_other_dialects_too() -> None:
    with pytest.raises(SqlError) as failed:
        parse("SELECT 1;\n  DROP TABLE a.b.c.d", "tsql")
    assert (failed.value.line, failed.value.column) == (2, 3)


@pytest.mark.parametrize(
    "text",
    [
        "WITH a AS (SELECT 7 AS x) CREATE TABLE t AS SELECT x FROM a",
        "WITH a AS (SELECT 7 AS x) CREATE TABLE t AS (SELECT x FROM a)",
        "WITH a AS (SELECT 7 AS x) INSERT INTO t SELECT x FROM a",
        "WITH a AS (SELECT 7 AS x) INSERT INTO t ((SELECT x FROM a))",
        "WITH a AS (SELECT 7 AS x) INSERT INTO t SELECT x FROM a UNION SELECT 1",
        "WITH a AS (SELECT 7 AS x) INSERT INTO t VALUES ((SELECT x FROM a))",
    ],
)
def test_a_with_clause_before_a_statement_belongs_to_its_query(text: str) -> None:
    (found,) = parse(text)
    query = query_of(found)
    assert query is not None
    assert [cte.alias for cte in query.tree.args["with_"].expressions] == ["a"]


def test_what_stands_around_a_query_in_parentheses_stays() -> None:
    (found,) = parse("INSERT INTO t (SELECT 1) LIMIT 0")
    query = query_of(found)
    assert query is not None
    assert query.tree.args["limit"] is not None


def test_rows_keep_the_names_that_are_given_to_them() -> None:
    (found,) = parse("INSERT INTO t BY NAME VALUES (1, 2) AS v(b, a)")
    query = query_of(found)
    assert query is not None
    assert query.tree.sql() == "SELECT * FROM (VALUES (1, 2)) AS v(b, a)"


@pytest.mark.parametrize(
    "text",
    [
        "CREATE TABLE x AS SELECT FROM n",
        "INSERT INTO x SELECT FROM n",
        "INSERT INTO x SELECT * FROM (SELECT FROM n)",
        "WITH a AS (SELECT FROM n) CREATE TABLE x AS SELECT * FROM a",
    ],
)
def test_every_select_has_columns(text: str) -> None:
    with pytest.raises(SqlError, match="SELECT needs the columns"):
        parse(text)
