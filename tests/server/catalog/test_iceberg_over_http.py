"""Iceberg tables against a real server."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from uuid import uuid4

import polars as pl
import pyarrow as pa
import pytest
from pyiceberg.catalog.sql import SqlCatalog

from tests.support.live import LiveServer, select


@pytest.fixture
def schema(server: LiveServer) -> Iterator[str]:
    """A schema of the test's own, with an Iceberg table ``t`` of two rows."""
    name = f"s{uuid4().hex[:12]}"
    server.sql(
        f"CREATE SCHEMA {name}; USE {name};"
        "CREATE TABLE t USING iceberg AS SELECT 1 AS id, 'a' AS name UNION ALL SELECT 2, NULL"
    )
    yield name
    server.sql(f"DROP SCHEMA IF EXISTS {name} CASCADE")


def rows(server: LiveServer, table: str, order: str = "1") -> Any:
    return server.sql(f"{select('*', table)} ORDER BY {order}")["rows"]


def insert(table: str, values: str) -> str:
    return " ".join(("INSERT INTO", table, values))


def refused(server: LiveServer, text: str) -> Any:
    reply = server.try_sql(text)
    assert reply.status >= 400, reply.json
    return reply.json


def history(server: LiveServer, table: str) -> list[dict[str, Any]]:
    told = server.sql(f"DESCRIBE HISTORY {table}")
    names = [column["name"] for column in told["columns"]]
    return [dict(zip(names, row, strict=True)) for row in told["rows"]]


def test_a_table_made_of_a_query_is_read_and_added_to(server: LiveServer, schema: str) -> None:
    table = f"{schema}.t"
    assert rows(server, table) == [[1, "a"], [2, None]]
    done = server.sql(insert(table, "VALUES (3, 'c')"))
    assert done["statement"] == "INSERT"
    assert rows(server, table) == [[1, "a"], [2, None], [3, "c"]]
    told = server.table(f"main.{table}")
    assert (told["format"], told["row_count"]) == ("iceberg", 3)


def test_a_table_is_made_of_a_list_of_columns_and_partitioned(
    server: LiveServer, schema: str
) -> None:
    table = f"{schema}.p"
    server.sql(
        f"CREATE TABLE {table} (id BIGINT NOT NULL COMMENT 'key', at TIMESTAMP, name STRING, "
        "m DECIMAL(10,2)) USING ICEBERG "
        "PARTITIONED BY (days(at), bucket(4, id), truncate(name, 2))"
    )
    assert rows(server, table) == []
    server.sql(
        insert(
            table, "VALUES (1, TIMESTAMP'2024-01-01 10:00:00Z', 'abc', 1.5), (2, NULL, NULL, NULL)"
        )
    )
    assert rows(server, table) == [
        [1, "2024-01-01T10:00:00Z", "abc", "1.50"],
        [2, None, None, None],
    ]
    told = server.table(f"main.{table}")
    assert told["partition_columns"] == ["days(`at`)", "bucket(4, `id`)", "truncate(`name`, 2)"]
    assert refused(server, insert(table, "VALUES (NULL, NULL, NULL, NULL)"))["condition"]
    assert len(rows(server, table)) == 2


def test_transforms_are_for_iceberg_alone(server: LiveServer, schema: str) -> None:
    text = f"CREATE TABLE {schema}.d (a DATE, b INT) PARTITIONED BY (years(a))"
    told = refused(server, text)
    assert (told["condition"], "USING iceberg" in told["hint"]) == (
        "UNSUPPORTED_FEATURE.TABLE_OPERATION",
        True,
    )
    told = refused(
        server, f"CREATE TABLE {schema}.d (b INT) USING iceberg PARTITIONED BY (days(b))"
    )
    assert told["condition"] == "INVALID_PARTITION_COLUMN_DATA_TYPE"
    told = refused(server, f"CREATE TABLE {schema}.d (b INT) USING iceberg PARTITIONED BY (abs(b))")
    assert told["condition"] == "UNSUPPORTED_FEATURE.TABLE_OPERATION"
    assert server.sql(f"SHOW TABLES IN {schema}")["row_count"] == 1


def test_rows_are_deleted_updated_and_merged(server: LiveServer, schema: str) -> None:
    table = f"{schema}.t"
    server.sql(insert(table, "VALUES (3, 'c'), (NULL, 'n')"))
    done = server.sql(" ".join(("UPDATE", table, "SET name = upper(name) WHERE name IS NOT NULL")))
    assert done["written"] == {"inserted": 0, "updated": 3, "deleted": 0}
    done = server.sql(" ".join(("DELETE FROM", table, "WHERE id = 2")))
    assert done["written"] == {"inserted": 0, "updated": 0, "deleted": 1}
    done = server.sql(
        f"MERGE INTO {table} AS t USING (SELECT 3 AS id, 'new' AS name UNION ALL SELECT NULL, 'x' "
        "UNION ALL SELECT 9, 'nine') AS s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT * "
        "WHEN NOT MATCHED BY SOURCE AND t.id = 1 THEN DELETE"
    )
    assert done["written"] == {"inserted": 2, "updated": 1, "deleted": 1}
    assert rows(server, table, "1 NULLS LAST, 2") == [
        [3, "new"],
        [9, "nine"],
        [None, "N"],
        [None, "x"],
    ]
    said = [entry["operation"] for entry in history(server, table)]
    assert said == ["MERGE", "DELETE", "UPDATE", "INSERT", "CREATE TABLE"]


def test_a_merge_that_would_change_a_row_twice_is_refused(server: LiveServer, schema: str) -> None:
    table = f"{schema}.t"
    told = refused(
        server,
        f"MERGE INTO {table} AS t USING (SELECT 1 AS id, 'x' AS n UNION ALL SELECT 1, 'y') AS s "
        "ON t.id = s.id WHEN MATCHED THEN UPDATE SET name = s.n",
    )
    assert told["condition"] == "MERGE_CARDINALITY_VIOLATION"
    assert rows(server, table) == [[1, "a"], [2, None]]


def test_old_snapshots_branches_and_times_are_read(server: LiveServer, schema: str) -> None:
    table = f"{schema}.t"
    server.sql(insert(table, "VALUES (3, 'c')"))
    newest, first = history(server, table)
    for clause, count in [
        (f"VERSION AS OF {first['version']}", 2),
        (f"VERSION AS OF '{newest['version']}'", 3),
        ("VERSION AS OF 'main'", 3),
        ("TIMESTAMP AS OF current_timestamp()", 3),
        (f"TIMESTAMP AS OF '{first['timestamp']}'", 2),
    ]:
        told = server.sql(select("count(*)", f"{table} {clause}"))
        assert (clause, told["rows"]) == (clause, [[count]])
    told = refused(server, select("*", f"{table} VERSION AS OF 'nope'"))
    assert (told["condition"], "nope" in told["message"]) == ("INVALID_TIME_TRAVEL_SPEC", True)
    both = server.sql(
        select(
            "count(*)", f"{table} AS new LEFT ANTI JOIN {table} VERSION AS OF {first['version']}"
        )
        + " AS old ON new.id = old.id"
    )
    assert both["rows"] == [[1]]
    server.sql(f"RESTORE TABLE {table} TO VERSION AS OF {first['version']}")
    assert rows(server, table) == [[1, "a"], [2, None]]


def test_a_table_evolves_and_is_overwritten_and_replaced(server: LiveServer, schema: str) -> None:
    table = f"{schema}.t"
    server.sql(f"ALTER TABLE {table} ADD COLUMNS (extra ARRAY<STRUCT<x: INT>> COMMENT 'new')")
    assert rows(server, table) == [[1, "a", None], [2, None, None]]
    server.sql(" ".join(("INSERT OVERWRITE", table, "SELECT 5, 'e', array(named_struct('x', 1))")))
    assert rows(server, table) == [[5, "e", [{"x": 1}]]]
    server.sql(f"CREATE OR REPLACE TABLE {table} USING iceberg AS SELECT 'only' AS one")
    assert rows(server, table) == [["only"]]
    told = refused(server, f"CREATE OR REPLACE TABLE {table} AS SELECT 1 AS x")
    assert "USING iceberg" in told["message"]
    assert rows(server, table) == [["only"]]


def test_what_is_not_done_to_iceberg_tables_is_refused_by_name(
    server: LiveServer, schema: str
) -> None:
    table = f"{schema}.t"
    told = refused(server, f"OPTIMIZE {table}")
    assert (told["condition"], "OPTIMIZE" in told["message"]) == (
        "UNSUPPORTED_FEATURE.TABLE_OPERATION",
        True,
    )
    assert server.sql(f"VACUUM {table} DRY RUN")["rows"] == []
    server.sql(f"VACUUM {table}")
    assert rows(server, table) == [[1, "a"], [2, None]]


def test_a_failed_statement_leaves_no_table(server: LiveServer, schema: str) -> None:
    text = f"CREATE TABLE {schema}.f USING iceberg AS SELECT CAST('x' AS INT) AS a"
    assert refused(server, text)["condition"] == "CAST_INVALID_INPUT"
    server.sql(f"CREATE TABLE {schema}.f USING iceberg AS SELECT 1 AS a")
    assert rows(server, f"{schema}.f") == [[1]]


def test_rows_that_are_added_at_the_same_time_all_land(server: LiveServer, schema: str) -> None:
    table = f"{schema}.t"
    with ThreadPoolExecutor(4) as pool:
        texts = [insert(table, f"VALUES ({100 + n}, 'r')") for n in range(12)]
        assert all(done["statement"] == "INSERT" for done in pool.map(server.sql, texts))
    assert len(rows(server, table)) == 14
    assert len(history(server, table)) == 13


def test_of_two_updates_at_the_same_time_one_is_a_conflict(server: LiveServer, schema: str) -> None:
    table = f"{schema}.t"
    text = " ".join(("UPDATE", table, "SET id = id + 1"))
    with ThreadPoolExecutor(4) as pool:
        replies = list(pool.map(server.try_sql, [text] * 4))
    done = sum(reply.status == 200 for reply in replies)
    lost = [reply.json for reply in replies if reply.status != 200]
    assert {(told["code"], told["condition"]) for told in lost} <= {
        ("Conflict", "ICEBERG_CONCURRENT_WRITE")
    }
    assert rows(server, table) == [[1 + done, "a"], [2 + done, None]]


def test_a_dropped_table_comes_back_as_it_was(server: LiveServer, schema: str) -> None:
    table = f"{schema}.t"
    told = server.request("DELETE", f"tables/{server.table(f'main.{table}')['id']}").json
    server.post(f"tables/dropped/{told['dropped_id']}/undrop")
    assert rows(server, table) == [[1, "a"], [2, None]]


def test_a_table_is_read_by_its_place_as_the_catalog_knows_it(
    server: LiveServer, schema: str
) -> None:
    table = f"{schema}.t"
    place = server.table(f"main.{table}")["location"]
    server.sql(insert(table, "VALUES (3, 'c')"))
    assert rows(server, f"iceberg.`{place}`") == [[1, "a"], [2, None], [3, "c"]]
    first = history(server, table)[-1]["version"]
    assert len(rows(server, f"iceberg.`{place}` VERSION AS OF {first}")) == 2


def test_columns_are_renamed_and_dropped(server: LiveServer, schema: str) -> None:
    table = f"{schema}.t"
    server.sql(f"ALTER TABLE {table} RENAME COLUMN name TO title")
    server.sql(insert(table, "VALUES (3, 'c')"))
    told = server.sql(f"{select('title', table)} WHERE id <> 2 ORDER BY 1")
    assert told["rows"] == [["a"], ["c"]]
    server.sql(f"ALTER TABLE {table} DROP COLUMN title")
    assert rows(server, table) == [[1], [2], [3]]
    server.sql(f"ALTER TABLE {table} SET TBLPROPERTIES ('team' = 'red')")
    assert server.table(f"main.{table}")["properties"]["team"] == "red"


def test_overwrites_take_away_the_partitions_they_name(server: LiveServer, schema: str) -> None:
    table = f"{schema}.q"
    server.sql(
        f"CREATE TABLE {table} USING iceberg PARTITIONED BY (p) AS "
        "SELECT 1 AS n, 'a' AS p UNION ALL SELECT 2, 'b'"
    )
    server.sql(" ".join(("INSERT OVERWRITE", table, "PARTITION (p = 'a') SELECT 10")))
    assert rows(server, table) == [[2, "b"], [10, "a"]]


def test_a_kernel_reads_such_a_table_by_stream(server: LiveServer, schema: str) -> None:
    reply = server.post("reads", {"table": f"main.{schema}.t"})
    assert (reply["kind"], reply["location"]) == ("stream", None)
    refusal = server.request(
        "POST",
        "writes",
        {"table": f"main.{schema}.t", "mode": "append", "columns": []},
    )
    assert refusal.status == 400
    assert "INSERT INTO" in refusal.json["hint"]


def test_what_a_statement_would_do_is_told(server: LiveServer, schema: str) -> None:
    table = f"{schema}.t"
    told = server.sql(" ".join(("UPDATE", table, "SET id = 9 WHERE id = 1")), dry_run=True)
    assert told["written"] == {"inserted": 0, "updated": 1, "deleted": 0}
    told = server.sql(insert(table, "VALUES (3, 'c'), (4, 'd')"), dry_run=True)
    assert told["written"] == {"inserted": 2, "updated": 0, "deleted": 0}
    assert rows(server, table) == [[1, "a"], [2, None]]


def test_rows_are_replaced_by_a_condition(server: LiveServer, schema: str) -> None:
    table = f"{schema}.t"
    done = server.sql(insert(table, "REPLACE WHERE id > 1 SELECT 5, 'e'"))
    assert done["written"] == {"inserted": 1, "updated": 0, "deleted": 1}
    told = refused(server, insert(table, "REPLACE WHERE id > 1 SELECT 0, 'e'"))
    assert told["condition"] == "DELTA_REPLACE_WHERE_MISMATCH"
    assert rows(server, table) == [[1, "a"], [5, "e"]]


def test_properties_are_said_when_a_table_is_made(server: LiveServer, schema: str) -> None:
    server.sql(f"CREATE TABLE {schema}.u USING iceberg TBLPROPERTIES ('team'='red') AS SELECT 1 a")
    assert server.table(f"main.{schema}.u")["properties"] == {"team": "red"}
    told = refused(
        server,
        f"CREATE TABLE {schema}.v (a INT) USING iceberg TBLPROPERTIES ('write.data.path'='/x')",
    )
    assert "write.data.path" in told["message"]
    for column in ("a INT DEFAULT 5", "a INT, CONSTRAINT c CHECK (a > 0)"):
        told = refused(server, f"CREATE TABLE {schema}.v ({column}) USING iceberg")
        assert told["condition"] == "UNSUPPORTED_FEATURE.TABLE_OPERATION"


def test_a_folder_of_another_engine_is_read_where_it_lies(server: LiveServer) -> None:
    root = server.root / f"w{uuid4().hex}"
    root.mkdir()
    catalog = SqlCatalog("c", uri=f"sqlite:///{root}/c.db", warehouse=f"file://{root}")
    catalog.create_namespace("n")
    table = catalog.create_table("n.t", schema=pa.schema([("id", pa.int64())]))
    table.append(pa.table({"id": [1, 2]}))
    with table.update_schema() as update:
        update.rename_column("id", "key")
    catalog.close()
    place = table.location().removeprefix("file://")
    assert rows(server, f"iceberg.`{place}`") == [[1], [2]]
    told = server.sql(f"{select('key', f'iceberg.`{place}`')} WHERE key > 1")
    assert (told["rows"], told["columns"][0]["name"]) == ([[2]], "key")
    for text in (
        insert(f"iceberg.`{place}`", "VALUES (3)"),
        " ".join(("DELETE FROM", f"iceberg.`{place}`")),
        select("*", "iceberg.`/etc`"),
        select("*", f"iceberg.`{root}`"),
    ):
        assert refused(server, text)["message"]
    assert rows(server, f"iceberg.`{place}`") == [[1], [2]]


def test_the_rows_that_a_kernel_is_sent_are_the_tables(server: LiveServer, schema: str) -> None:
    reply = server.post("reads", {"table": f"main.{schema}.t"})
    streamed = server.request("GET", reply["href"].removeprefix("catalog/"))
    assert pl.read_ipc_stream(streamed.body).sort("id").rows() == [(1, "a"), (2, None)]


def test_such_a_table_has_its_files_in_one_folder(server: LiveServer, schema: str) -> None:
    place = Path(server.table(f"main.{schema}.t")["location"])
    assert {path.name for path in place.iterdir()} == {"data", "metadata"}
    assert len([*place.glob("metadata/*.metadata.json")]) == 1
