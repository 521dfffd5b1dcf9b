"""The query behind a change of rows: which columns tell rows apart, and what it computes."""

from __future__ import annotations

import pytest

from flowcat_jupyter.catalog.planning.row_changes import ChangeRows
from flowcat_jupyter.catalog.planning.row_query import RowQuery, row_query
from flowcat_jupyter.catalog.planning.statements import parse
from flowcat_jupyter.shared.errors import SqlError
from flowcat_jupyter.shared.wire import Column
from flowcat_jupyter.shared.wire_writes import RowAction

COLUMNS = (
    Column("Id", "int"),
    Column("a", "string"),
    Column("x", "double"),
    Column("s", "struct<f:int>"),
)


def query_for(text: str) -> RowQuery:
    (statement,) = parse(text)
    assert isinstance(statement, ChangeRows)
    return row_query(statement, COLUMNS)


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("DELETE FROM t", ()),
        ("DELETE FROM t WHERE id = 1", ("Id",)),
        ("DELETE FROM t AS q WHERE q.ID = 1 AND A = 'x'", ("Id", "a")),
        ("DELETE FROM m.t WHERE m.t.id = 1", ("Id",)),
        ("UPDATE t SET a = 'y'", ()),
        ("UPDATE t SET a = a || 'y' WHERE x > 1", ("a", "x")),
        # A column of a sub-query's own table that has the name of ours: more than is needed.
        ("DELETE FROM t WHERE EXISTS (SELECT 1 FROM u WHERE x = 1)", ("x",)),
        ("DELETE FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.x = t.id)", ("Id", "x")),
        ("MERGE INTO t USING u ON t.id = u.id WHEN MATCHED THEN UPDATE SET a = u.a", ("Id",)),
        ("MERGE INTO t USING u ON t.id = u.id WHEN MATCHED THEN UPDATE SET *", ("Id",)),
        ("MERGE INTO t USING u ON t.id = u.id WHEN MATCHED AND t.x = 1 THEN DELETE", ("Id", "x")),
        ("MERGE INTO t USING u ON t.id = u.id WHEN MATCHED THEN UPDATE SET a = u.s.f", ("Id",)),
    ],
)
def test_rows_are_told_apart_by_all_columns_that_are_read(text: str, keys: tuple[str, ...]) -> None:
    assert query_for(text).shape.keys == keys


@pytest.mark.parametrize(
    "text",
    [
        "DELETE FROM t WHERE s.f = 1",
        "DELETE FROM t WHERE t.s.f = 1",
        # Parts that are also called like a column, or like the table.
        "DELETE FROM t WHERE s.a.g = 1",
        "DELETE FROM t WHERE s.t.g = 1",
        "UPDATE t SET a = 'x' WHERE t.s.t.g = 1",
        "DELETE FROM t AS q WHERE t.s = 1",
    ],
)
def test_rows_are_not_told_apart_by_nested_values(text: str) -> None:
    with pytest.raises(SqlError) as failed:
        query_for(text)
    assert "column s" in failed.value.message


def test_a_nested_column_may_be_written() -> None:
    query = query_for("UPDATE t SET s = named_struct('f', 1) WHERE id = 1")
    assert query.shape.actions == (RowAction("update", False, ("s",)),)


def test_a_column_that_is_not_there_is_told_with_those_that_are() -> None:
    with pytest.raises(SqlError) as failed:
        query_for("UPDATE t SET a = 'x', nope = 1")
    assert failed.value.condition == "UNRESOLVED_COLUMN.WITH_SUGGESTION"
    assert failed.value.hint == "It has: Id, a, x, s."
    assert failed.value.line == 1


def test_values_are_the_tables_columns_as_it_spells_them() -> None:
    query = query_for("MERGE INTO t USING u ON t.id = u.id WHEN NOT MATCHED THEN INSERT *")
    assert query.shape.actions == (RowAction("insert", True, ("Id", "a", "x", "s")),)


@pytest.mark.parametrize(
    ("whens", "once"),
    [
        ("WHEN MATCHED THEN DELETE", False),
        ("WHEN MATCHED AND t.x = 1 THEN DELETE", True),
        ("WHEN MATCHED THEN UPDATE SET a = 'x'", True),
        ("WHEN MATCHED AND t.x = 1 THEN UPDATE SET a = 'x' WHEN MATCHED THEN DELETE", True),
        ("WHEN NOT MATCHED THEN INSERT *", False),
    ],
)
def test_a_row_may_be_taken_twice_only_to_be_deleted(whens: str, once: bool) -> None:
    assert query_for(f"MERGE INTO t USING u ON t.id = u.id {whens}").shape.once is once


def test_a_value_is_computed_only_for_the_rows_of_its_clause() -> None:
    text = (
        "MERGE INTO t USING u ON t.id = u.id WHEN MATCHED AND u.x = 0 THEN DELETE "
        "WHEN MATCHED THEN UPDATE SET x = 1 / u.x"
    )
    value = query_for(text).tree.expressions[-1].this.sql()
    assert value.index("THEN NULL") < value.index("1 / u.x")
