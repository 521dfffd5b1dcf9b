"""DELETE, UPDATE, MERGE and TRUNCATE against a real server: which rows change, and into what."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest

from tests.support.live import LiveServer, select

ROWS = """
    (1, 'a', 1.5D), (2, 'b', -0.0D), (3, NULL, 0.0D), (4, 'd', CAST('NaN' AS DOUBLE)),
    (NULL, 'e', NULL)
"""
ENGINES = ("polars", "duckdb")


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    """Each engine that may compute a change."""
    return str(request.param)


@pytest.fixture
def table(server: LiveServer) -> Iterator[str]:
    """A table of five rows: whole numbers, texts and doubles, each with a NULL among them."""
    schema = f"s{uuid4().hex[:12]}"
    server.sql(f"CREATE SCHEMA {schema}")
    name = f"{schema}.t"
    server.sql(" ".join(("CREATE TABLE", name, "AS SELECT * FROM VALUES", ROWS, "AS v(id, s, x)")))
    yield name
    server.sql(f"DROP SCHEMA {schema} CASCADE")


def rows(server: LiveServer, table: str) -> Any:
    return server.sql(f"{select('*', table)} ORDER BY id NULLS LAST")["rows"]


def again(server: LiveServer, table: str, definition: str) -> None:
    """The table, replaced by another."""
    server.sql(" ".join(("CREATE OR REPLACE TABLE", table, definition)))


def counts(reply: dict[str, Any]) -> tuple[int, int, int]:
    """Inserted, updated, deleted."""
    written = reply["written"]
    assert reply["affected_rows"] == sum(written.values())
    return written["inserted"], written["updated"], written["deleted"]


def refused(server: LiveServer, query: str, condition: str) -> dict[str, Any]:
    reply = server.try_sql(query)
    assert (reply.status, reply.json.get("condition")) == (400, condition), reply.body
    assert reply.json["line"] == 1
    told: dict[str, Any] = reply.json
    return told


@pytest.mark.parametrize(
    ("where", "kept"),
    [
        ("id = 1", [2, 3, 4, None]),
        ("id > 1", [1, None]),
        ("id <> 1", [1, None]),
        ("id IS NULL", [1, 2, 3, 4]),
        ("x = 0", [1, 4, None]),
        ("x = -0.0D", [1, 4, None]),
        ("x > 1", [2, 3, None]),
        ("isnan(x)", [1, 2, 3, None]),
        ("s IS NULL OR x IS NULL", [1, 2, 4]),
        ("s LIKE 'a%'", [2, 3, 4, None]),
        ("id IN (SELECT max(id) FROM {t})", [1, 2, 3, None]),
        ("id = (SELECT max(id) FROM {t})", [1, 2, 3, None]),
        ("EXISTS (SELECT 1 FROM {t} AS u WHERE u.id = t.id + 1)", [4, None]),
        ("true", []),
        ("false", [1, 2, 3, 4, None]),
        ("NULL", [1, 2, 3, 4, None]),
    ],
)
def test_rows_whose_condition_is_true_are_deleted(
    server: LiveServer, table: str, engine: str, where: str, kept: list[Any]
) -> None:
    query = " ".join(("DELETE FROM", table, "AS t WHERE", where.format(t=table)))
    done = server.sql(query, engine=engine)
    assert [row[0] for row in rows(server, table)] == kept
    assert (done["statement"], counts(done)) == ("DELETE", (0, 0, 5 - len(kept)))


@pytest.mark.parametrize("statement", ["DELETE FROM {t}", "TRUNCATE TABLE {t}"])
def test_all_rows_go_and_the_table_stays(server: LiveServer, table: str, statement: str) -> None:
    assert counts(server.sql(statement.format(t=table))) == (0, 0, 5)
    assert rows(server, table) == []
    assert counts(server.sql(statement.format(t=table))) == (0, 0, 0)


@pytest.mark.parametrize(
    ("change", "updated", "changed"),
    [
        ("SET s = upper(s)", 5, [[1, "A", 1.5], [2, "B", -0.0], [3, None, 0.0], [4, "D", "NaN"]]),
        ("SET s = 'z' WHERE id = 4", 1, [[4, "z", "NaN"]]),
        ("SET x = x + 1 WHERE x = 0", 2, [[2, "b", 1.0], [3, None, 1.0]]),
        ("SET x = 9 WHERE isnan(x)", 1, [[4, "d", 9.0]]),
        ("SET id = id + 10, s = CAST(id AS STRING) WHERE id = 1", 1, [[11, "1", 1.5]]),
        ("SET id = id * 10 WHERE id > 2", 2, [[30, None, 0.0], [40, "d", "NaN"]]),
        ("SET s = NULL WHERE s = 'a'", 1, [[1, None, 1.5]]),
        ("SET s = (SELECT max(s) FROM {t}) WHERE id = 1", 1, [[1, "e", 1.5]]),
        ("SET t.s = 'q' WHERE t.id = 2", 1, [[2, "q", -0.0]]),
        ("SET id = 7 WHERE id IS NULL", 1, [[7, "e", None]]),
    ],
)
def test_values_are_computed_from_the_row_as_it_was(
    server: LiveServer,
    table: str,
    engine: str,
    change: str,
    updated: int,
    changed: list[list[Any]],
) -> None:
    before = rows(server, table)
    query = " ".join(("UPDATE", table, "AS t", change.format(t=table)))
    assert counts(server.sql(query, engine=engine)) == (0, updated, 0)
    after = rows(server, table)
    assert len(after) == len(before)
    assert all(row in after for row in changed), after
    assert sum(row not in before for row in after) <= updated


def test_two_columns_change_places(server: LiveServer, table: str) -> None:
    again(server, table, "AS SELECT 1 AS id, 2 AS b")
    server.sql(" ".join(("UPDATE", table, "SET id = b, b = id")))
    assert rows(server, table) == [[2, 1]]


@pytest.mark.parametrize(
    ("change", "condition"),
    [
        ("SET id = id * 3000000000", "INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_SAFELY_CAST"),
        ("SET id = 1.5", "INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_SAFELY_CAST"),
        ("SET nope = 1", "UNRESOLVED_COLUMN.WITH_SUGGESTION"),
        ("SET s = nope", "UNRESOLVED_COLUMN.WITHOUT_SUGGESTION"),
        ("SET s = 'a' WHERE nope = 1", "UNRESOLVED_COLUMN.WITHOUT_SUGGESTION"),
        ("SET s = 'a', S = 'b'", "COLUMN_ALREADY_EXISTS"),
        ("SET id = count(*)", "UNSUPPORTED_EXPR_FOR_OPERATOR"),
        ("SET id = row_number() OVER (ORDER BY id)", "UNSUPPORTED_EXPR_FOR_OPERATOR"),
        ("SET id = 1 / 0", "DIVIDE_BY_ZERO"),
        ("SET s = u.s FROM {t} u", "UNSUPPORTED_FEATURE.TABLE_OPERATION"),
    ],
)
def test_an_update_that_cannot_be_right_changes_nothing(
    server: LiveServer, table: str, change: str, condition: str
) -> None:
    before = rows(server, table)
    refused(server, " ".join(("UPDATE", table, change.format(t=table))), condition)
    assert rows(server, table) == before


def merge(table: str, source: str, *whens: str) -> str:
    return " ".join(("MERGE INTO", table, "AS t USING", source, "ON t.id = u.id", *whens))


NEW = "(VALUES (1, 'one', 10.0D), (7, 'seven', 70.0D), (NULL, 'none', 0.0D)) AS u(id, s, x)"


def test_a_merge_updates_what_matches_and_inserts_the_rest(
    server: LiveServer, table: str, engine: str
) -> None:
    query = merge(
        table,
        NEW,
        "WHEN MATCHED THEN UPDATE SET s = u.s, x = t.x + u.x",
        "WHEN NOT MATCHED THEN INSERT (id, s) VALUES (u.id, u.s)",
    )
    assert counts(server.sql(query, engine=engine)) == (2, 1, 0)
    found = rows(server, table)
    assert found[0] == [1, "one", 11.5]
    assert found[4] == [7, "seven", None]
    assert sorted(found[5:], key=str) == [[None, "e", None], [None, "none", None]]


def test_the_first_clause_that_fits_a_row_decides(
    server: LiveServer, table: str, engine: str
) -> None:
    query = merge(
        table,
        "(VALUES (1, 'del', 0D), (2, 'upd', 0D), (3, 'not', 0D), (8, 'new', 0D), (9, 'no', 0D)) "
        "AS u(id, s, x)",
        "WHEN MATCHED AND u.s = 'del' THEN DELETE",
        "WHEN MATCHED AND u.s = 'upd' THEN UPDATE SET *",
        "WHEN NOT MATCHED BY TARGET AND u.id < 9 THEN INSERT *",
        "WHEN NOT MATCHED BY SOURCE AND t.id = 4 THEN UPDATE SET s = concat(t.s, '!')",
        "WHEN NOT MATCHED BY SOURCE THEN DELETE",
    )
    assert counts(server.sql(query, engine=engine)) == (1, 2, 2)
    assert rows(server, table) == [
        [2, "upd", 0.0],
        [3, None, 0.0],
        [4, "d!", "NaN"],
        [8, "new", 0.0],
    ]


def test_a_row_that_would_change_twice_is_named_and_nothing_changes(
    server: LiveServer, table: str
) -> None:
    twice = "(VALUES (1, 'x', 0D), (1, 'y', 0D), (2, 'z', 0D)) AS u(id, s, x)"
    before = rows(server, table)
    told = refused(
        server,
        merge(table, twice, "WHEN MATCHED THEN UPDATE SET s = u.s"),
        "MERGE_CARDINALITY_VIOLATION",
    )
    assert "where id is 1" in told["message"]
    assert rows(server, table) == before
    assert counts(server.sql(merge(table, twice, "WHEN MATCHED THEN DELETE"))) == (0, 0, 2)


@pytest.mark.parametrize(
    "key", ["u.id", "CAST(u.id AS BIGINT)", "CAST(u.id AS STRING)", "CAST(u.id AS DECIMAL(20,1))"]
)
def test_keys_of_other_types_are_compared_as_sql_compares_them(
    server: LiveServer, table: str, engine: str, key: str
) -> None:
    new = "(VALUES (1, 'one', 10.0D), (7, 'seven', 70.0D)) AS u(id, s, x)"
    query = " ".join(
        (
            f"MERGE INTO {table} AS t USING {new} ON t.id = {key}",
            "WHEN MATCHED THEN UPDATE SET s = u.s WHEN NOT MATCHED THEN INSERT *",
        )
    )
    assert counts(server.sql(query, engine=engine)) == (1, 1, 0)
    assert [row[:2] for row in rows(server, table)][0::4] == [[1, "one"], [7, "seven"]]


PLAIN = "(VALUES (1, 'one', 2D), (7, 'seven', 0D), (NULL, 'none', 1D)) AS u(id, s, x)"
TWICE = "(VALUES (1, 'one', 2D), (1, 'uno', 3D), (7, 'seven', 0D)) AS u(id, s, x)"
NONE = "(VALUES (8, 'eight', 1D)) AS u(id, s, x)"


@pytest.mark.parametrize(
    ("source", "whens"),
    [
        (PLAIN, "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"),
        (PLAIN, "WHEN MATCHED THEN DELETE"),
        (PLAIN, "WHEN NOT MATCHED THEN INSERT (id, x) VALUES (u.id, 1 / u.x)"),
        (PLAIN, "WHEN MATCHED AND u.x = 2 THEN DELETE WHEN MATCHED THEN UPDATE SET s = 'z'"),
        # Division by zero in a clause that this row does not come to.
        (
            "(VALUES (1, 'one', 0D)) AS u(id, s, x)",
            "WHEN MATCHED THEN UPDATE SET s = u.s "
            "WHEN NOT MATCHED THEN INSERT (id, x) VALUES (u.id, 1 / u.x)",
        ),
        (
            "(VALUES (9, 'nine', 0D)) AS u(id, s, x)",
            "WHEN MATCHED THEN UPDATE SET x = 1 / u.x "
            "WHEN NOT MATCHED THEN INSERT (id, x) VALUES (u.id, 1 / u.x)",
        ),
        (TWICE, "WHEN MATCHED THEN UPDATE SET s = u.s"),
        (TWICE, "WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT *"),
        (TWICE, "WHEN NOT MATCHED THEN INSERT *"),
        (NONE, "WHEN MATCHED THEN UPDATE SET s = u.s"),
        (NONE, "WHEN MATCHED THEN UPDATE SET id = 'x'"),
        (PLAIN, "WHEN NOT MATCHED AND u.id IS NULL THEN INSERT (s) VALUES (u.s)"),
    ],
)
def test_a_merge_is_the_same_whether_or_not_more_of_the_table_is_read(
    server: LiveServer, table: str, source: str, whens: str
) -> None:
    """A condition that names another column of the table takes the longer way."""
    copy = f"{table}_2"
    server.sql(" ".join(("CREATE TABLE", copy, "AS", select("*", table))))
    found = []
    for name, more in ((table, ""), (copy, "AND (t.s = t.s OR true)")):
        text = ("MERGE INTO", name, "AS t USING", source, "ON t.id = u.id", more, whens)
        reply = server.try_sql(" ".join(text))
        told = reply.json.get("written"), reply.json.get("condition")
        version = server.table(f"main.{name}")["delta_version"]
        found.append((reply.status, *told, version, sorted(rows(server, name), key=str)))
    assert found[0] == found[1]
    assert found[0][0] == 200 or found[0][3] == 0


def test_a_name_without_its_schema_is_not_looked_for_elsewhere(
    server: LiveServer, table: str
) -> None:
    other = f"s{uuid4().hex[:12]}"
    server.sql(f"CREATE SCHEMA {other}")
    for statement in ("TRUNCATE TABLE t", "DELETE FROM t", "UPDATE t SET s = 'x'", "VACUUM t"):
        reply = server.try_sql(statement, catalog="main", schema=other)
        assert (reply.status, reply.json["condition"]) == (400, "TABLE_OR_VIEW_NOT_FOUND")
    assert len(rows(server, table)) == 5
    server.sql(f"DROP SCHEMA {other}")


def test_texts_that_differ_in_spaces_are_other_texts(
    server: LiveServer, table: str, engine: str
) -> None:
    again(server, table, "AS SELECT * FROM VALUES (1, 'a'), (2, 'a '), (3, ' a') AS v(id, s)")
    server.sql(" ".join(("DELETE FROM", table, "WHERE s = 'a '")), engine=engine)
    assert rows(server, table) == [[1, "a"], [3, " a"]]
    query = " ".join(("UPDATE", table, "SET id = 9 WHERE s <> trim(s)"))
    assert counts(server.sql(query, engine=engine)) == (0, 1, 0)
    assert rows(server, table) == [[1, "a"], [9, " a"]]


def test_what_is_deleted_twice_is_counted_once(server: LiveServer, table: str) -> None:
    twice = "(VALUES (1, 'x', 0D), (1, 'y', 0D), (9, 'z', 0D)) AS u(id, s, x)"
    query = merge(table, twice, "WHEN MATCHED THEN DELETE", "WHEN NOT MATCHED THEN INSERT *")
    assert counts(server.sql(query)) == (1, 0, 1)
    assert [row[0] for row in rows(server, table)] == [2, 3, 4, 9, None]


def test_a_condition_that_reads_nothing_of_the_table_takes_every_row(
    server: LiveServer, table: str
) -> None:
    for many, wanted in (("(VALUES ('p')) AS u(s)", 5), ("(VALUES ('p'), ('q')) AS u(s)", None)):
        query = " ".join(
            (
                "MERGE INTO",
                table,
                "AS t USING",
                many,
                "ON true WHEN MATCHED THEN UPDATE SET s = u.s",
            )
        )
        if wanted is None:
            refused(server, query, "MERGE_CARDINALITY_VIOLATION")
        else:
            assert counts(server.sql(query, engine="duckdb")) == (0, wanted, 0)
    assert {row[1] for row in rows(server, table)} == {"p"}


def test_equal_rows_all_change(server: LiveServer, table: str) -> None:
    again(server, table, "AS SELECT * FROM VALUES (1, 'a'), (1, 'a') AS v(id, s)")
    query = merge(table, "(SELECT 1 AS id, 'b' AS s) u", "WHEN MATCHED THEN UPDATE SET s = u.s")
    assert counts(server.sql(query)) == (0, 2, 0)
    assert rows(server, table) == [[1, "b"], [1, "b"]]


@pytest.mark.parametrize(
    ("whens", "condition"),
    [
        (
            "WHEN MATCHED THEN DELETE WHEN MATCHED THEN UPDATE SET s = 'a'",
            "NON_LAST_MATCHED_CLAUSE_OMIT_CONDITION",
        ),
        ("WHEN NOT MATCHED THEN INSERT (id, s) VALUES (u.id)", "INSERT_COLUMN_ARITY_MISMATCH"),
        ("WHEN NOT MATCHED THEN INSERT (nope) VALUES (1)", "UNRESOLVED_COLUMN.WITH_SUGGESTION"),
        ("WHEN MATCHED THEN UPDATE SET s = u.nope", "UNRESOLVED_COLUMN.WITHOUT_SUGGESTION"),
        ("WHEN MATCHED THEN UPDATE SET id = 'x'", "INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_SAFELY_CAST"),
    ],
)
def test_a_merge_that_cannot_be_right_changes_nothing(
    server: LiveServer, table: str, whens: str, condition: str
) -> None:
    before = rows(server, table)
    refused(server, merge(table, NEW, whens), condition)
    assert rows(server, table) == before


def test_nothing_to_change_makes_no_version(server: LiveServer, table: str) -> None:
    before = server.table(f"main.{table}")["delta_version"]
    done = server.sql(" ".join(("UPDATE", table, "SET s = 'a' WHERE id = 99")))
    assert counts(done) == (0, 0, 0)
    assert server.table(f"main.{table}")["delta_version"] == before


def test_only_the_partitions_own_rows_change(server: LiveServer, table: str, engine: str) -> None:
    values = "SELECT * FROM VALUES (1, 'a'), (2, 'b'), (3, NULL) AS v(id, p)"
    again(server, table, f"PARTITIONED BY (p) AS {values}")
    server.sql(" ".join(("DELETE FROM", table, "WHERE p IS NULL")), engine=engine)
    server.sql(" ".join(("UPDATE", table, "SET p = 'c' WHERE p = 'a'")), engine=engine)
    assert rows(server, table) == [[1, "c"], [2, "b"]]


def test_one_of_two_changes_at_once_is_told_of_the_other(server: LiveServer, table: str) -> None:
    query = " ".join(("UPDATE", table, "SET id = id + 1 WHERE id = 1 OR id > 100"))
    again(server, table, "AS SELECT 101 AS id")
    codes: list[tuple[int, str | None]] = []

    def change() -> None:
        reply = server.try_sql(query)
        codes.append((reply.status, reply.json.get("condition")))

    threads = [threading.Thread(target=change) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    done = [code for code in codes if code[0] == 200]
    assert done
    assert {code for code in codes if code[0] != 200} <= {(409, "DELTA_CONCURRENT_WRITE")}
    assert rows(server, table) == [[101 + len(done)]]
