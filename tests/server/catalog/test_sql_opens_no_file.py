"""Whatever a statement says, nothing opens a file that no table of the catalog names.

The kernel of the machine tells of every open of the canaries, by any process: the engines open
files themselves, where no hook of Python sees it.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

from tests.support.live import LiveServer
from tests.support.watching import Watch, watching

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs inotify")

TEXT = Path(__file__).parents[2] / "data" / "sql" / "file_readers.txt"
STATEMENTS = TEXT.read_text(encoding="utf-8").splitlines()
FUNCTIONS = (
    *("read_csv", "read_csv_auto", "read_parquet", "scan_parquet", "read_json", "read_ndjson"),
    *("read_ipc", "read_text", "read_blob", "parquet_scan", "parquet_metadata", "sniff_csv"),
    *("glob", "delta_scan", "iceberg_scan", "read_xlsx", "st_read", "query", "query_table"),
    *("read_files", "file", "load_file", "pg_read_file", "csv_scan", "read_avro", "arrow_scan"),
)
FORMATS = ("csv", "parquet", "json", "ndjson", "ipc", "delta", "text", "binaryFile", "iceberg")
ENGINES = (None, "polars", "duckdb")


def sources(draw: random.Random, path: str) -> str:
    """Something that stands after FROM and would read ``path``."""
    name, form = draw.choice(FUNCTIONS), draw.choice(FORMATS)
    folder = str(Path(path).parent)
    return draw.choice(
        (
            f"{name}('{path}')",
            f"{name.upper()}('{folder}/*')",
            f"\"{name}\"('{path}')",
            f"main.{name}('{path}')",
            f"{name}(path => '{path}')",
            f"{name}(array('{path}'))",
            f"TABLE({name}('{path}'))",
            f"'{path}'",
            f'"{path}"',
            f"`{path}`",
            f"{form}.`{path}`",
            f"{form}.`file://{path}`",
            f"{form}.`{folder}/../{Path(folder).name}/{Path(path).name}`",
            f"`{form}`.`{folder}/*`",
            f"LATERAL {name}('{path}')",
            f"(VALUES ({name}('{path}')))",
            f"(FROM '{path}')",
        )
    )


def statement(draw: random.Random, path: str) -> str:
    """A statement with such a source somewhere in it."""
    source, name = sources(draw, path), draw.choice(FUNCTIONS)
    inner = " ".join(("SELECT * FROM", source))
    return draw.choice(STATEMENTS).format(
        inner=inner, source=source, name=name, path=path, some="demo.nyc.airlines"
    )


@pytest.fixture
def canaries(tmp_path: Path) -> list[str]:
    folder = tmp_path / "canary"
    folder.mkdir()
    rows = pl.DataFrame({"carrier": ["UA"], "secret": ["open me not"]})
    rows.write_csv(folder / "a.csv")
    rows.write_parquet(folder / "a.parquet")
    rows.write_ndjson(folder / "a.json")
    rows.write_ipc(folder / "a.arrow")
    return [str(path) for path in sorted(folder.iterdir())]


@pytest.fixture
def watch(canaries: list[str]) -> Iterator[Watch]:
    with watching([Path(canaries[0]).parent]) as watch:
        yield watch


def settled(watch: Watch) -> list[str]:
    time.sleep(0.1)
    return watch.seen()


def test_an_open_by_this_process_or_by_an_engine_is_seen(watch: Watch, canaries: list[str]) -> None:
    assert settled(watch) == []
    for path in canaries:
        Path(path).read_bytes()
        assert path in settled(watch)
    parquet = next(path for path in canaries if path.endswith(".parquet"))
    pl.scan_parquet(parquet).collect()
    assert parquet in settled(watch)


def test_an_open_by_a_worker_of_the_server_is_seen(server: LiveServer) -> None:
    allowed = server.root / "allowed"
    allowed.mkdir(exist_ok=True)
    path = allowed / "b.parquet"
    pl.DataFrame({"a": [1, 2]}).write_parquet(path)
    with watching([allowed]) as watch:
        assert server.sql(" ".join(("SELECT a FROM", f"parquet.`{path}`")))["rows"] == [[1], [2]]
        assert str(path) in settled(watch)


@pytest.mark.parametrize("engine", ENGINES, ids=str)
def test_no_statement_opens_a_file_that_is_no_table(
    server: LiveServer, watch: Watch, canaries: list[str], engine: str | None
) -> None:
    draw = random.Random(2024)  # noqa: S311
    for _ in range(120):
        sql = statement(draw, draw.choice(canaries))
        options = {} if engine is None else {"engine": engine}
        reply = server.try_sql(sql, **options)
        assert reply.status < 500, (sql, reply.body)
        assert b"open me not" not in reply.body, sql
        assert watch.seen() == [], sql
    assert settled(watch) == []
