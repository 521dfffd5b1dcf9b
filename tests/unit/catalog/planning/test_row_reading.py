"""What DELETE, UPDATE, MERGE and TRUNCATE are read as, and what of them is refused by name."""

from __future__ import annotations

import pytest

from flowcat_jupyter.catalog.planning.row_changes import (
    DELETED,
    INSERTED,
    MATCHED,
    ORPHAN,
    UNMATCHED,
    UPDATED,
    ChangeRows,
)
from flowcat_jupyter.catalog.planning.statements import parse, trees_of
from flowcat_jupyter.shared.errors import SqlError

ON = "MERGE INTO t USING u ON t.id = u.id "


def on(whens: str) -> str:
    return " ".join((ON, whens))


def read(text: str) -> ChangeRows:
    (statement,) = parse(text)
    assert isinstance(statement, ChangeRows)
    return statement


def failure(text: str) -> SqlError:
    with pytest.raises(SqlError) as failed:
        parse(text)
    assert failed.value.line is not None
    return failed.value


def test_a_deletion_is_of_the_rows_that_match() -> None:
    change = read("DELETE FROM c.s.t AS x WHERE x.a = 1")
    assert (change.kind, change.name.parts, change.alias) == ("DELETE", ("c", "s", "t"), "x")
    (clause,) = change.clauses
    assert (clause.when, clause.action) == (MATCHED, DELETED)
    assert clause.condition is not None
    assert clause.condition.sql() == "x.a = 1"


@pytest.mark.parametrize("text", ["DELETE FROM t", "TRUNCATE TABLE t"])
def test_without_a_condition_every_row_goes(text: str) -> None:
    (clause,) = read(text).clauses
    assert (clause.action, clause.condition) == (DELETED, None)


def test_an_update_gives_columns_values() -> None:
    (clause,) = read("UPDATE s.t AS x SET x.a = b + 1, `c d` = 'x' WHERE b > 1").clauses
    assert clause.action == UPDATED
    assert [(name, value.sql()) for name, value in clause.values or ()] == [
        ("a", "b + 1"),
        ("c d", "'x'"),
    ]


def test_a_merges_clauses_are_read_in_order() -> None:
    whens = (
        "WHEN MATCHED AND u.x > 1 THEN UPDATE SET *",
        "WHEN MATCHED THEN DELETE",
        "WHEN NOT MATCHED BY TARGET AND u.x = 2 THEN INSERT (id, a) VALUES (u.id, 1)",
        "WHEN NOT MATCHED THEN INSERT *",
        "WHEN NOT MATCHED BY SOURCE THEN UPDATE SET a = 3",
    )
    change = read(" ".join((ON, *whens)))
    assert [(clause.when, clause.action, clause.values is None) for clause in change.clauses] == [
        (MATCHED, UPDATED, True),
        (MATCHED, DELETED, False),
        (UNMATCHED, INSERTED, False),
        (UNMATCHED, INSERTED, True),
        (ORPHAN, UPDATED, False),
    ]


def test_every_part_may_name_a_parameter() -> None:
    text = (
        "WITH c AS (SELECT :a AS id) MERGE INTO t USING (SELECT :b AS id) u ON t.id = :c "
        "WHEN MATCHED AND :d THEN UPDATE SET x = :e"
    )
    named = " ".join(tree.sql() for tree in trees_of(read(text)))
    assert all(f":{name}" in named for name in "abcde")


@pytest.mark.parametrize(
    "text",
    [
        "DELETE FROM t WHERE",
        "UPDATE t SET a = 1 WHERE",
        on("WHEN MATCHED AND THEN DELETE"),
        on("WHEN MATCHED THEN UPDATE SET a = 1 WHERE b = 2"),
        on("WHEN NOT MATCHED THEN INSERT (a) VALUES (1) WHERE u.b = 2"),
    ],
)
def test_a_condition_is_never_lost(text: str) -> None:
    assert failure(text).condition in ("PARSE_SYNTAX_ERROR", "UNSUPPORTED_FEATURE.TABLE_OPERATION")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("DELETE FROM t USING u WHERE t.a = u.a", "USING"),
        ("DELETE FROM t VERSION AS OF 3", "a version"),
        ("DELETE FROM t WHERE a = 1 RETURNING a", "RETURNING"),
        ("DELETE FROM t AS x(p, q)", "other names"),
        ("DELETE FROM :df", ":df"),
        ("WITH t AS (SELECT 1 AS id) DELETE FROM T WHERE id = 1", "WITH clause"),
        ("WITH t AS (SELECT 1 AS id) UPDATE t SET id = 1", "WITH clause"),
        ("UPDATE t SET a = 1 FROM u WHERE u.a = t.a", "FROM"),
        ("UPDATE t SET b.c = 1", "b.c"),
        ("UPDATE t AS x SET t.a = 1", "t.a"),
        ("UPDATE t SET t.* = 1", "t.*"),
        ("TRUNCATE TABLE t PARTITION (a = 1)", "PARTITION"),
        ("TRUNCATE TABLE t, u", "several"),
        ("TRUNCATE TABLE t*", "*"),
        ("MERGE INTO t USING u WHEN MATCHED THEN DELETE", "ON"),
        (on("WHEN MATCHED THEN DO NOTHING"), "DO NOTHING"),
        (on("WHEN MATCHED THEN UPDATE"), "SET"),
        (on("WHEN MATCHED THEN UPDATE SET *, a = 1"), "*"),
        (on("WHEN MATCHED THEN UPDATE SET * EXCEPT (a)"), "EXCEPT"),
        (on("WHEN NOT MATCHED THEN INSERT * EXCEPT (a)"), "INSERT"),
        (on("WHEN NOT MATCHED THEN INSERT VALUES (1)"), "INSERT"),
        (on("WHEN NOT MATCHED THEN INSERT () VALUES ()"), "INSERT"),
        (on("WHEN NOT MATCHED THEN UPDATE SET a = 1"), "UPDATE"),
        (on("WHEN NOT MATCHED BY SOURCE THEN UPDATE SET *"), "UPDATE"),
        (on("WHEN NOT MATCHED BY SOURCE THEN INSERT *"), "INSERT"),
    ],
)
def test_what_is_not_understood_is_refused_by_name(text: str, named: str) -> None:
    error = failure(text)
    assert error.condition in ("UNSUPPORTED_FEATURE.TABLE_OPERATION", "PARSE_SYNTAX_ERROR")
    assert named in error.message


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("DELETE FROM 't'", "TABLE_OR_VIEW_NOT_FOUND"),
        ("DELETE FROM a.b.c.d", "REQUIRES_SINGLE_PART_NAMESPACE"),
        ("DELETE FROM t WHERE count(*) > 1", "UNSUPPORTED_EXPR_FOR_OPERATOR"),
        ("UPDATE t SET a = rank() OVER (ORDER BY b)", "UNSUPPORTED_EXPR_FOR_OPERATOR"),
        ("UPDATE t SET a = explode(b)", "UNSUPPORTED_EXPR_FOR_OPERATOR"),
        ("UPDATE t SET a = 1, A = 2", "COLUMN_ALREADY_EXISTS"),
        (on("WHEN NOT MATCHED THEN INSERT (a, A) VALUES (1, 2)"), "COLUMN_ALREADY_EXISTS"),
        (on("WHEN NOT MATCHED THEN INSERT (a) VALUES (1, 2)"), "INSERT_COLUMN_ARITY_MISMATCH"),
        ("MERGE INTO t USING t ON true WHEN MATCHED THEN DELETE", "AMBIGUOUS_COLUMN_OR_FIELD"),
        (
            on("WHEN MATCHED THEN DELETE WHEN MATCHED THEN UPDATE SET a = 1"),
            "NON_LAST_MATCHED_CLAUSE_OMIT_CONDITION",
        ),
        (
            on("WHEN NOT MATCHED THEN INSERT * WHEN NOT MATCHED THEN INSERT *"),
            "NON_LAST_NOT_MATCHED_BY_TARGET_CLAUSE_OMIT_CONDITION",
        ),
        (
            on("WHEN NOT MATCHED BY SOURCE THEN DELETE WHEN NOT MATCHED BY SOURCE THEN DELETE"),
            "NON_LAST_NOT_MATCHED_BY_SOURCE_CLAUSE_OMIT_CONDITION",
        ),
    ],
)
def test_what_cannot_be_right_is_told_as_spark_tells_it(text: str, condition: str) -> None:
    assert failure(text).condition == condition


def test_a_sub_query_may_count_rows() -> None:
    (clause,) = read("UPDATE t SET a = (SELECT count(*) FROM u) WHERE b = 1").clauses
    assert clause.values
