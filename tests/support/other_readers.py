"""Other programs that read Delta and Iceberg tables, each by its own code."""

from __future__ import annotations

import json
import subprocess
import warnings
from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
from deltalake import DeltaTable, QueryBuilder
from pyiceberg.table import StaticTable

Reader = Callable[[Path], pl.DataFrame]


def newest_metadata(folder: Path) -> Path:
    """The metadata file that an Iceberg table is, by the number in its name."""
    found = (folder / "metadata").glob("*.metadata.json")
    return max(found, key=lambda path: int(path.name.removeprefix("v").split("-")[0].split(".")[0]))


def extension_missing(*names: str) -> str | None:
    """Why DuckDB cannot be asked: packages with its extensions that are not installed."""
    missing = [name for name in names if find_spec(f"duckdb_extension_{name}") is None]
    packages = ", ".join(f"duckdb-extension-{name}" for name in missing)
    return f"not installed: {packages}" if missing else None


def _duckdb(query: str, *extensions: str) -> pl.DataFrame:
    # No extension is ever fetched from the network.
    offline: dict[str, str | bool | int | float | list[str]] = {
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
    }
    with duckdb.connect(config=offline) as connection:
        for name in extensions:
            package = Path(str(import_module(f"duckdb_extension_{name}").__file__)).parent
            (path,) = package.glob(f"extensions/*/{name}.duckdb_extension")
            connection.load_extension(str(path))
        connection.execute("SET TimeZone = 'UTC'")
        return connection.execute(query).pl()


def _delta_query(folder: Path) -> pl.DataFrame:
    query = QueryBuilder().register("t", DeltaTable(str(folder)))
    return pl.DataFrame(query.execute("SELECT * FROM t").read_all())


def _delta_arrow(folder: Path) -> pl.DataFrame:
    return pl.DataFrame(pl.from_arrow(DeltaTable(str(folder)).to_pyarrow_table()))


def _pyiceberg(folder: Path) -> pl.DataFrame:
    table = StaticTable.from_metadata(str(newest_metadata(folder)))
    return pl.DataFrame(pl.from_arrow(table.scan().to_arrow()))


def _polars_iceberg(folder: Path) -> pl.DataFrame:
    with warnings.catch_warnings():
        # It plans by pyiceberg unless a package of its own is there.
        warnings.simplefilter("ignore", pl.exceptions.PerformanceWarning)
        return pl.scan_iceberg(str(newest_metadata(folder))).collect()


DELTA: dict[str, Reader] = {
    "polars": lambda folder: pl.scan_delta(str(folder)).collect(),
    "deltalake": _delta_arrow,
    "deltalake by SQL": _delta_query,
    "DuckDB": lambda folder: _duckdb(f"FROM delta_scan('{folder}')", "delta"),
}
ICEBERG: dict[str, Reader] = {
    "polars": _polars_iceberg,
    "pyiceberg": _pyiceberg,
    "DuckDB": lambda folder: _duckdb(
        f"FROM iceberg_scan('{newest_metadata(folder)}')", "avro", "iceberg"
    ),
}
EXTENSIONS = {"delta": ("delta",), "iceberg": ("avro", "iceberg")}

_SAIL = """
import json, os, sys, time
os.environ["TZ"] = "UTC"
time.tzset()
from pysail.spark import SparkConnectServer
from pyspark.sql import SparkSession
from scripts.record_spark import plain
server = SparkConnectServer("127.0.0.1", 0)
server.start(background=True)
host, port = server.listening_address
spark = SparkSession.builder.remote(f"sc://{host}:{port}").getOrCreate()
spark.conf.set("spark.sql.session.timeZone", "UTC")
answers = {}
for name, (kind, path) in json.loads(sys.argv[1]).items():
    try:
        rows = spark.read.format(kind).load(path).collect()
        answers[name] = sorted(([plain(value) for value in row] for row in rows), key=json.dumps)
    except Exception as error:
        answers[name] = str(error)
spark.stop()
server.stop()
print("answers", json.dumps(answers))
"""


def sail_answers(venv: Path, tables: Mapping[str, tuple[str, str]]) -> dict[str, Any]:
    """The rows that Sail reads in tables, each of which is a format and a path; or what it says."""
    done = subprocess.run(  # noqa: S603 - words of our own
        [str(venv / "bin" / "python"), "-c", _SAIL, json.dumps(tables)],
        capture_output=True,
        check=False,
        timeout=300,
        cwd=Path(__file__).parents[2],
    )
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    said = next(line for line in done.stdout.decode().splitlines() if line.startswith("answers "))
    return dict(json.loads(said.removeprefix("answers ")))
