"""Lists of columns in CREATE TABLE: what is kept of them, and what is refused by name."""

from __future__ import annotations

import pytest

from flowcat_jupyter.catalog.planning.statements import parse, query_of
from flowcat_jupyter.catalog.planning.writes import CreateTable
from flowcat_jupyter.shared.errors import SqlError
from flowcat_jupyter.shared.wire import Column


def read(text: str) -> CreateTable:
    (statement,) = parse(text)
    assert isinstance(statement, CreateTable)
    return statement


def failure(text: str) -> SqlError:
    with pytest.raises(SqlError) as failed:
        parse(text)
    assert failed.value.line is not None
    return failed.value


def test_columns_have_names_types_and_comments_as_written() -> None:
    table = read(
        "CREATE TABLE s.t (Id INT NOT NULL COMMENT 'key', `a b` DECIMAL(10, 2), "
        "s STRUCT<Xa: INT, y: ARRAY<STRING>> NULL) USING delta PARTITIONED BY (Id) COMMENT 'all'"
    )
    assert table.columns == (
        Column("Id", "int", nullable=False, comment="key"),
        Column("a b", "decimal(10,2)"),
        Column("s", "struct<Xa:int,y:array<string>>"),
    )
    assert (table.partition_by, table.comment, table.source) == (("Id",), "all", None)
    assert query_of(table) is None


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("LONG", "bigint"),
        ("INTEGER", "int"),
        ("SHORT", "smallint"),
        ("BYTE", "tinyint"),
        ("REAL", "float"),
        ("NUMERIC(5)", "decimal(5,0)"),
        ("TIMESTAMP", "timestamp"),
        ("TIMESTAMP_NTZ", "timestamp_ntz"),
        ("BINARY", "binary"),
    ],
)
def test_types_are_kept_in_one_spelling(written: str, kept: str) -> None:
    assert read(f"CREATE TABLE t (a {written})").columns[0].type == kept


@pytest.mark.parametrize(
    ("columns", "named"),
    [
        ("(a BIGINT GENERATED ALWAYS AS IDENTITY)", "identity"),
        ("(a INT PRIMARY KEY)", "PRIMARY KEY"),
        ("(a INT UNIQUE)", "UNIQUE"),
        ("(a INT, CONSTRAINT c UNIQUE (a))", "UNIQUE"),
        ("(a VARCHAR(10))", "VARCHAR"),
        ("(a ARRAY<CHAR(3)>)", "CHAR"),
        ("(a MAP<STRING, INT>)", "map<string,int>"),
        ("(a)", "a"),
        ("()", "without a column"),
        ("", "without columns"),
        ("(a INT) AS SELECT 1 AS a", "and a query"),
        ("(a INT COMMENT :c)", "COMMENT"),
        ("(a INT) LOCATION '/x'", "LOCATION"),
        ("(a INT) PARTITIONED BY (b STRING)", "PARTITIONED BY"),
    ],
)
def test_what_is_not_kept_is_refused_by_name(columns: str, named: str) -> None:
    error = failure(f"CREATE TABLE t {columns}")
    assert error.condition == "UNSUPPORTED_FEATURE.TABLE_OPERATION"
    assert named in error.message


@pytest.mark.parametrize(
    ("columns", "condition"),
    [
        ("(a INT, A STRING)", "COLUMN_ALREADY_EXISTS"),
        ("(a DECIMAL(50, 2))", "UNSUPPORTED_DATATYPE"),
        ("(__flowcat_a INT)", "INVALID_IDENTIFIER"),
        ("(a NOPE)", "PARSE_SYNTAX_ERROR"),
    ],
)
def test_columns_that_cannot_be_are_told_at_their_place(columns: str, condition: str) -> None:
    error = failure(f"CREATE TABLE t {columns}")
    assert error.condition == condition
    assert (error.column or 0) > len("CREATE TABLE t ")
