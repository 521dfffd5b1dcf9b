"""Record tables as Sail writes them, and its own answers: ``record_sail.py OUT``.

Needs pysail and pyspark-client, which nothing else here does: run it with a Python that has them.
Iceberg says where a table lies with its whole path. So those are made in a folder whose path has
a length of its own, ``MADE_IN``, which whoever copies them can put another of that length for.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import time
import zipfile
from importlib import import_module
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from scripts.record_spark import plain

MADE_IN = "/tmp/sail-records".ljust(120, "_")  # noqa: S108 - stands in the tables, is no secret

_DELTA: dict[str, tuple[str, ...]] = {
    "plain": (
        "CREATE TABLE {t} (id INT, name STRING, price DECIMAL(10,2), day DATE, at TIMESTAMP, "
        "ok BOOLEAN, x DOUBLE, tags ARRAY<STRING>, pos STRUCT<a: INT, b: STRING>, raw BINARY) {at}",
        "INSERT INTO {t} VALUES (1, 'é', 1.50, DATE'2024-02-29', TIMESTAMP'2024-02-29 12:00:00', "
        "true, 0.5, array('a', NULL), named_struct('a', 1, 'b', 'x'), X'00ff')",
        "INSERT INTO {t} VALUES (2, '', -0.01, DATE'0202-01-01', TIMESTAMP'9999-12-31 23:59:59', "
        "false, CAST('NaN' AS DOUBLE), array(), named_struct('a', NULL, 'b', NULL), X''), "
        "(3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)",
    ),
    "partitioned": (
        "CREATE TABLE {t} (id INT, p STRING, d DATE) {at} PARTITIONED BY (p, d)",
        "INSERT INTO {t} VALUES (1, 'a b/c=%25', DATE'2024-01-01'), (2, NULL, NULL), "
        "(3, 'ü', DATE'2024-01-02')",
    ),
    "deletion_vectors": (
        "CREATE TABLE {t} (id INT, name STRING) {at} "
        "TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')",
        "INSERT INTO {t} SELECT id, concat('n', id) FROM range(1, 13)",
        "DELETE FROM {t} WHERE id IN (2, 5, 12)",
        "UPDATE {t} SET name = upper(name) WHERE id IN (3, 4)",
        "MERGE INTO {t} AS t USING (SELECT 6 AS id, 'six' AS name UNION ALL SELECT 7, NULL "
        "UNION ALL SELECT 100, 'new') AS s ON t.id = s.id WHEN MATCHED AND s.name IS NULL THEN "
        "DELETE WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT * "
        "WHEN NOT MATCHED BY SOURCE AND t.id = 1 THEN DELETE",
        "DELETE FROM {t} WHERE id = 3",
    ),
    "deletion_vectors_in_partitions": (
        "CREATE TABLE {t} (id INT, p STRING) {at} PARTITIONED BY (p) "
        "TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')",
        "INSERT INTO {t} VALUES (1, 'a'), (2, 'a'), (3, NULL), (4, NULL), (5, 'b')",
        "DELETE FROM {t} WHERE id IN (1, 4)",
        "DELETE FROM {t} WHERE p = 'b'",
    ),
    "mapped_by_name": (
        "CREATE TABLE {t} (id INT, `odd name,;{{}}()=` STRING, pos STRUCT<`a b`: INT, c: STRING>) "
        "{at} TBLPROPERTIES ('delta.columnMapping.mode' = 'name')",
        "INSERT INTO {t} VALUES (1, 'a', named_struct('a b', 1, 'c', 'x')), (2, NULL, NULL)",
        "DELETE FROM {t} WHERE id = 1",
        "INSERT INTO {t} VALUES (3, 'c', named_struct('a b', 3, 'c', 'z'))",
    ),
    "mapped_by_id": (
        "CREATE TABLE {t} (id INT, name STRING, p STRING) {at} PARTITIONED BY (p) "
        "TBLPROPERTIES ('delta.columnMapping.mode' = 'id')",
        "INSERT INTO {t} VALUES (1, 'a', 'x'), (2, NULL, NULL)",
    ),
    "mapped_with_deletion_vectors": (
        "CREATE TABLE {t} (id INT, name STRING) {at} TBLPROPERTIES ("
        "'delta.columnMapping.mode' = 'name', 'delta.enableDeletionVectors' = 'true')",
        "INSERT INTO {t} VALUES (1, 'a'), (2, 'b'), (3, NULL)",
        "DELETE FROM {t} WHERE id = 2",
    ),
    "generated": (
        "CREATE TABLE {t} (n INT, twice INT GENERATED ALWAYS AS (n * 2), at TIMESTAMP, "
        "day DATE GENERATED ALWAYS AS (CAST(at AS DATE))) {at}",
        "INSERT INTO {t} (n, at) VALUES (1, TIMESTAMP'2024-02-29 23:59:59'), (NULL, NULL)",
    ),
    "identity": (
        "CREATE TABLE {t} (id BIGINT GENERATED ALWAYS AS IDENTITY (START WITH 10 INCREMENT BY 5), "
        "name STRING) {at}",
        "INSERT INTO {t} (name) VALUES ('a')",
        "INSERT INTO {t} (name) VALUES ('b')",
    ),
    "default": (
        "CREATE TABLE {t} (id INT, name STRING DEFAULT 'none') {at} "
        "TBLPROPERTIES ('delta.feature.allowColumnDefaults' = 'supported')",
        "INSERT INTO {t} (id) VALUES (1)",
        "INSERT INTO {t} VALUES (2, DEFAULT), (3, NULL)",
    ),
    "checked": (
        "CREATE TABLE {t} (id INT NOT NULL, name STRING) {at}",
        "ALTER TABLE {t} ADD CONSTRAINT positive CHECK (id > 0)",
        "INSERT INTO {t} VALUES (1, 'a'), (2, NULL)",
    ),
    "widened": (
        "CREATE TABLE {t} (id INT, n INT) {at} TBLPROPERTIES ('delta.enableTypeWidening' = 'true')",
        "INSERT INTO {t} VALUES (1, 1)",
        "ALTER TABLE {t} ALTER COLUMN n TYPE BIGINT",
        "INSERT INTO {t} VALUES (2, 5000000000)",
    ),
    "second_checkpoint": (
        "CREATE TABLE {t} (id INT, name STRING) {at} TBLPROPERTIES ("
        "'delta.checkpointInterval' = '2', 'delta.feature.v2Checkpoint' = 'supported', "
        "'delta.checkpointPolicy' = 'v2')",
        "INSERT INTO {t} VALUES (1, 'a')",
        "INSERT INTO {t} VALUES (2, 'b')",
        "INSERT INTO {t} VALUES (3, NULL)",
    ),
    "without_zone": (
        "CREATE TABLE {t} (id INT, at TIMESTAMP_NTZ) {at}",
        "INSERT INTO {t} VALUES (1, TIMESTAMP_NTZ'2024-03-31 02:30:00.5'), (2, NULL)",
    ),
    "append_only": (
        "CREATE TABLE {t} (id INT) {at} TBLPROPERTIES ('delta.appendOnly' = 'true')",
        "INSERT INTO {t} VALUES (1)",
    ),
    "timed_commits": (
        "CREATE TABLE {t} (id INT) {at} TBLPROPERTIES ('delta.enableInCommitTimestamps' = 'true')",
        "INSERT INTO {t} VALUES (1)",
    ),
    "variant": (
        "CREATE TABLE {t} (id INT, v VARIANT) {at}",
        "INSERT INTO {t} SELECT 1, parse_json('[1]')",
    ),
}
_ICEBERG: dict[str, tuple[str, ...]] = {
    "plain": (
        "CREATE TABLE {t} (id INT, name STRING, price DECIMAL(10,2), day DATE, at TIMESTAMP, "
        "tags ARRAY<STRING>, pos STRUCT<a: INT, b: STRING>, more MAP<STRING, INT>) {at}",
        "INSERT INTO {t} VALUES (1, 'é', 1.50, DATE'2024-02-29', TIMESTAMP'2024-02-29 12:00:00', "
        "array('a', NULL), named_struct('a', 1, 'b', 'x'), map('k', 1))",
        "INSERT INTO {t} VALUES (2, NULL, NULL, NULL, NULL, NULL, NULL, NULL)",
    ),
    "partitioned": (
        "CREATE TABLE {t} (id BIGINT, name STRING, at TIMESTAMP, p STRING) {at} "
        "PARTITIONED BY (days(at), bucket(4, id), truncate(2, name), p)",
        "INSERT INTO {t} VALUES (1, 'abc', TIMESTAMP'2024-01-01 10:00:00', 'x/y'), "
        "(2, NULL, NULL, NULL), (3, 'ü', TIMESTAMP'1969-12-31 23:00:00', '')",
    ),
    "position_deletes": (
        "CREATE TABLE {t} (id INT, name STRING, p STRING) {at} PARTITIONED BY (p) TBLPROPERTIES ("
        "'format-version' = '2', 'write.merge.mode' = 'merge-on-read')",
        "INSERT INTO {t} VALUES (1, 'a', 'x'), (2, 'b', 'x'), (3, NULL, NULL), (4, 'd', NULL)",
        "MERGE INTO {t} AS t USING (SELECT 1 AS id UNION ALL SELECT 4) AS s ON t.id = s.id "
        "WHEN MATCHED THEN DELETE",
        "INSERT INTO {t} VALUES (1, 'again', 'x')",
    ),
    "equality_deletes": (
        "CREATE TABLE {t} (id INT, name STRING) {at} TBLPROPERTIES ("
        "'format-version' = '2', 'write.delete.mode' = 'merge-on-read')",
        "INSERT INTO {t} VALUES (1, 'a'), (2, 'b'), (3, NULL)",
        "DELETE FROM {t} WHERE id = 2",
    ),
    "copied_on_write": (
        "CREATE TABLE {t} (id INT, name STRING) {at}",
        "INSERT INTO {t} VALUES (1, 'a'), (2, 'b'), (3, NULL)",
        "UPDATE {t} SET name = 'u' WHERE id = 3",
        "DELETE FROM {t} WHERE id = 1",
    ),
    "third_version": (
        "CREATE TABLE {t} (id INT, name STRING) {at} TBLPROPERTIES ("
        "'format-version' = '3', 'write.delete.mode' = 'merge-on-read')",
        "INSERT INTO {t} VALUES (1, 'a'), (2, 'b'), (3, NULL)",
        "DELETE FROM {t} WHERE id = 1",
    ),
}


def main() -> None:
    """Make all tables and write them and the answers to the folder asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    out: Path = parser.parse_args().out
    os.environ["TZ"] = "UTC"
    time.tzset()
    server = import_module("pysail.spark").SparkConnectServer("127.0.0.1", 0)
    out.mkdir(parents=True, exist_ok=True)
    server.start(background=True)
    host, port = server.listening_address
    builder = import_module("pyspark.sql").SparkSession.builder
    spark = builder.remote(f"sc://{host}:{port}").getOrCreate()
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    try:
        version = import_module("importlib.metadata").version("pysail")
        answers: dict[str, Any] = {"sail": version, "made_in": MADE_IN}
        for kind, tables in (("delta", _DELTA), ("iceberg", _ICEBERG)):
            answers[kind] = {
                name: record(spark, kind, name, statements) for name, statements in tables.items()
            }
            pack(Path(MADE_IN) / kind, out / f"{kind}.zip")
    finally:
        spark.stop()
        server.stop()
        shutil.rmtree(MADE_IN, ignore_errors=True)
    (out / "answers.json").write_text(json.dumps(answers, indent=1, ensure_ascii=False) + "\n")


def record(spark: Any, kind: str, name: str, statements: tuple[str, ...]) -> Any:
    """Make a table; its rows as Sail reads them."""
    made = Path(MADE_IN) / kind / name
    shutil.rmtree(made, ignore_errors=True)
    table, at = f"{kind}_{name}", f"USING {kind} LOCATION '{made}'"
    for text in statements:
        spark.sql(text.format(t=table, at=at)).collect()
    rows = spark.sql(" ".join(("SELECT * FROM", table))).collect()
    answers = ([plain(value) for value in row] for row in rows)
    return sorted((json.loads(json.dumps(row, default=str)) for row in answers), key=json.dumps)


def pack(folder: Path, out: Path) -> None:
    """The tables of a folder in one archive, which holds no time of its making."""
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            entry = zipfile.ZipInfo(str(path.relative_to(folder)))
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, path.read_bytes())


if __name__ == "__main__":
    main()
