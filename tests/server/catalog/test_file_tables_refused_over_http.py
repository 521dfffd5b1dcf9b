"""Tables of files that cannot be made, and folders that are taken in, by SQL."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from tests.support.asking import refused, rows
from tests.support.live import LiveServer


def test_a_delta_folder_is_taken_in_where_it_lies(
    server: LiveServer, schema: str, folder: Path
) -> None:
    pl.DataFrame({"a": [1]}).write_delta(folder / "d")
    server.sql(f"CREATE TABLE {schema}.t USING delta LOCATION '{folder / 'd'}'")
    assert rows(server, f"{schema}.t") == [[1]]
    assert server.table(f"main.{schema}.t")["table_type"] == "external"


def test_what_is_there_is_not_made_again(server: LiveServer, schema: str, folder: Path) -> None:
    (folder / "a.csv").write_text("1\n")
    text = f"CREATE TABLE %s {schema}.t USING csv LOCATION '{folder}'"
    server.sql(text % "")
    assert refused(server, text % "")[1] == "TABLE_OR_VIEW_ALREADY_EXISTS"
    done = server.sql(text % "IF NOT EXISTS")
    assert (done["changed"], len(done["warnings"])) == (False, 1)


@pytest.mark.parametrize(
    ("text", "condition", "says"),
    [
        ("CREATE TABLE {s}.t USING csv", "UNABLE_TO_INFER_SCHEMA", "columns"),
        (
            "CREATE TABLE {s}.t (a ARRAY<INT>) USING csv",
            "UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE",
            "a",
        ),
        (
            "CREATE TABLE {s}.t (a INT) USING csv PARTITIONED BY (a)",
            "ALL_PARTITION_COLUMNS_NOT_ALLOWED",
            "",
        ),
        ("CREATE TABLE {s}.t (a INT) USING csv PARTITIONED BY (z)", None, "z"),
        (
            "CREATE TABLE {s}.t (a INT) USING csv CLUSTERED BY (a) INTO 2 BUCKETS",
            "UNSUPPORTED_FEATURE.TABLE_OPERATION",
            "CLUSTERED BY",
        ),
        (
            "CREATE OR REPLACE TABLE {s}.t (a INT) USING csv",
            "UNSUPPORTED_FEATURE.TABLE_OPERATION",
            "DROP TABLE",
        ),
        (
            "CREATE TABLE {s}.t USING csv OPTIONS (path '/a') LOCATION '/b'",
            "PARSE_SYNTAX_ERROR",
            "twice",
        ),
        (
            "CREATE TABLE {s}.t USING csv OPTIONS (header 'true', HEADER 'false', path '/a')",
            "DUPLICATE_KEY",
            "HEADER",
        ),
        ("INSERT OVERWRITE DIRECTORY USING csv SELECT 1", "PARSE_SYNTAX_ERROR", "path"),
        (
            "INSERT OVERWRITE DIRECTORY '/x' SELECT 1",
            "UNSUPPORTED_FEATURE.TABLE_OPERATION",
            "USING",
        ),
    ],
)
def test_what_cannot_be_made_says_why(
    server: LiveServer, schema: str, text: str, condition: str | None, says: str
) -> None:
    status, found, told = refused(server, text.format(s=schema))
    assert (status, says in told) == (400, True), told
    assert condition is None or found == condition
