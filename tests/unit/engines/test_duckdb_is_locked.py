"""DuckDB reads the files of one query and nothing else, even if a text were not checked before."""

from __future__ import annotations

from pathlib import Path

import duckdb
import polars as pl
import pytest

from flowcat_jupyter.engines.duckdb_relations import MEMORY_VARIABLE, connect
from flowcat_jupyter.engines.protocol import Relation
from flowcat_jupyter.shared.wire import Column

COLUMNS = (Column("x", "bigint"),)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("own.parquet", "secret.parquet"):
        pl.DataFrame({"x": [1, 2]}).write_parquet(tmp_path / name)
    (tmp_path / "secret.csv").write_text("x\n1\n")
    (tmp_path / "secret.json").write_text('[{"x": 1}]')
    duckdb.connect(str(tmp_path / "secret.db")).close()
    return tmp_path


@pytest.fixture
def locked(folder: Path) -> duckdb.DuckDBPyConnection:
    own = str(folder / "own.parquet")
    relation = Relation(("main", "t"), COLUMNS, pl.scan_parquet(own), (own,))
    streamed = Relation(("main", "u"), COLUMNS, pl.LazyFrame({"x": [3]}))
    return connect({"r1": relation, "r2": streamed}, {}, "UTC")


def test_the_querys_own_relations_can_be_read(locked: duckdb.DuckDBPyConnection) -> None:
    found = locked.execute("SELECT k0 FROM r1 UNION ALL SELECT k0 FROM r2 ORDER BY k0").fetchall()
    assert found == [(1,), (2,), (3,)]


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * FROM '/etc/passwd'",
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM read_csv_auto('{folder}/secret.csv')",
        "SELECT * FROM sniff_csv('{folder}/secret.csv')",
        "SELECT * FROM read_parquet('{folder}/secret.parquet')",
        "SELECT * FROM read_parquet('{folder}/*.parquet')",
        "SELECT * FROM read_parquet('{folder}/own.parquet/../secret.parquet')",
        "SELECT * FROM parquet_scan('{folder}/secret.parquet')",
        "SELECT * FROM parquet_metadata('{folder}/secret.parquet')",
        "SELECT * FROM parquet_schema('{folder}/secret.parquet')",
        "SELECT * FROM '{folder}/secret.parquet'",
        "SELECT * FROM read_json('{folder}/secret.json')",
        "SELECT * FROM read_json_auto('{folder}/secret.json')",
        "SELECT * FROM read_ndjson('{folder}/secret.json')",
        "SELECT * FROM read_text('/etc/passwd')",
        "SELECT * FROM read_blob('/etc/passwd')",
        "SELECT * FROM glob('{folder}/*')",
        "SELECT * FROM 'https://example.org/x.parquet'",
        "SELECT * FROM read_parquet('s3://bucket/x.parquet')",
        "COPY r1 TO '{folder}/out.csv'",
        "COPY (SELECT 1) TO '{folder}/out.parquet' (FORMAT parquet)",
        "CREATE TABLE stolen AS SELECT * FROM read_csv('/etc/passwd')",
        "EXPORT DATABASE '{folder}/out'",
        "IMPORT DATABASE '{folder}'",
        "ATTACH '{folder}/secret.db' AS other",
        "ATTACH '{folder}/new.db' AS other",
        "INSTALL httpfs",
        "LOAD httpfs",
        "INSTALL spatial FROM community",
        "SET enable_external_access = true",
        "SET allowed_paths = ['/etc/passwd']",
        "SET allowed_directories = ['/']",
        "SET lock_configuration = false",
        "SET python_enable_replacements = true",
        "SET memory_limit = '100GB'",
        "SET TimeZone = 'Asia/Tokyo'",
        "RESET enable_external_access",
        "PRAGMA enable_profiling = 'json'",
        "PRAGMA profiling_output = '{folder}/profile.json'",
        "CREATE SECRET s (TYPE s3, KEY_ID 'a', SECRET 'b')",
        "SELECT getenv('HOME')",
        "SELECT * FROM frame_of_this_module",
    ],
)
def test_what_reaches_beyond_them_fails_at_the_engine(
    locked: duckdb.DuckDBPyConnection, folder: Path, text: str
) -> None:
    frame_of_this_module = pl.DataFrame({"x": [1]})
    before = sorted(folder.iterdir())
    with pytest.raises(duckdb.Error):
        locked.execute(text.replace("{folder}", str(folder))).fetchall()
    assert sorted(folder.iterdir()) == before
    assert frame_of_this_module.height == 1


def test_memory_is_limited_to_less_than_the_workers(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(MEMORY_VARIABLE, str(1 << 30))
    limit = connect({}, {}, "UTC").execute("SELECT current_setting('memory_limit')").fetchall()
    assert limit == [("614.3 MiB",)]


def test_columns_that_are_not_asked_for_are_not_read(folder: Path) -> None:
    def fail(_column: pl.Series) -> pl.Series:
        raise AssertionError("read")

    frame = pl.LazyFrame({"x": [1], "y": [2]}).with_columns(
        pl.col("y").map_batches(fail, return_dtype=pl.Int64)
    )
    relation = Relation(("t",), (Column("x", "bigint"), Column("y", "bigint")), frame)
    connection = connect({"r1": relation}, {"r1": frozenset({"k0"})}, "UTC")
    assert connection.execute("SELECT * FROM r1").fetchall() == [(1,)]


def test_files_in_other_types_than_declared_are_left_to_the_frame(folder: Path) -> None:
    path = str(folder / "own.parquet")
    frame = pl.scan_parquet(path).with_columns(pl.col("x").cast(pl.String))
    relation = Relation(("t",), (Column("x", "string"),), frame, (path,))
    connection = connect({"r1": relation}, {}, "UTC")
    assert connection.execute("SELECT k0 FROM r1").fetchall() == [("1",), ("2",)]
