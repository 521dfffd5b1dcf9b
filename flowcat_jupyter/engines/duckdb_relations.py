"""A DuckDB that can read the relations of one query and nothing else."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import cast

import duckdb
import polars as pl

from flowcat_jupyter.engines.polars_types import canonical
from flowcat_jupyter.engines.protocol import Relation
from flowcat_jupyter.shared.types import DataType, parse_type
from flowcat_jupyter.shared.wire import Column
from flowcat_jupyter.sql.lowering import text
from flowcat_jupyter.sql.lowering.duckdb.target import DUCKDB
from flowcat_jupyter.sql.quoting import column_name, identifier, literal

MEMORY_VARIABLE = "FLOWCAT_WORKER_MEMORY"
# What polars reads and hands over, and the result's last batches, lie outside DuckDB's count.
_SHARE = 0.6
_LEAST_BYTES = 64 << 20
_BATCH_ROWS = 100_000
# Beyond a LIMIT no filter is moved: with pyarrow there, DuckDB would have it filter the stream,
# which it cannot for every type. Joins' own filters go through all the same, and are turned off.
_ALL = 1 << 62
_FILTERS = "SET disabled_optimizers = 'join_filter_pushdown,deliminator'"
# In 1.5.5 it loses rows of an EXISTS whose conditions on the rows outside are a <> and a <.
_UNSOUND = "SET disabled_optimizers = 'deliminator'"
_PATTERN = re.compile(r"[*?\[\]{}]")
_SPILL = "flowcat-duckdb-"


def connect(
    relations: Mapping[str, Relation], reads: Mapping[str, frozenset[str]], time_zone: str
) -> duckdb.DuckDBPyConnection:
    """A locked connection in which each relation is a view of its numbered columns.

    ``reads`` are the columns of each that are asked for; others are not read.
    """
    connection = duckdb.connect(":memory:", config=_configuration())
    files = [path for relation in relations.values() for path in own_files(relation)]
    if files:
        connection.execute(f"SET allowed_paths = {_listed(files)}")
    connection.execute(f"SET TimeZone = {literal(time_zone)}")
    connection.execute(_UNSOUND)
    for key, relation in relations.items():
        _add(connection, key, relation, reads.get(key))
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    return connection


def _configuration() -> dict[str, str | bool | int | float | list[str]]:
    settings: dict[str, str | bool | int | float | list[str]] = {
        "threads": pl.thread_pool_size(),
        "python_enable_replacements": False,
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "allow_community_extensions": False,
        "temp_directory": str(_spill_folder()),
    }
    ceiling = os.environ.get(MEMORY_VARIABLE, "")
    if ceiling.isdigit():
        settings["memory_limit"] = f"{max(_LEAST_BYTES, int(int(ceiling) * _SHARE))}B"
    return settings


def _spill_folder() -> Path:
    """A folder of this process for what does not fit; those of processes that were killed go."""
    base = Path(tempfile.gettempdir())
    for folder in base.glob(f"{_SPILL}*"):
        owner = folder.name.removeprefix(_SPILL)
        if owner.isdigit() and not _runs(int(owner)):
            shutil.rmtree(folder, ignore_errors=True)
    return base / f"{_SPILL}{os.getpid()}"


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _listed(paths: list[str]) -> str:
    return f"[{', '.join(literal(path) for path in paths)}]"


def _add(
    connection: duckdb.DuckDBPyConnection,
    key: str,
    relation: Relation,
    used: frozenset[str] | None,
) -> None:
    wanted = [
        (at, DUCKDB.column(column.name, at))
        for at, column in enumerate(relation.columns)
        if used is None or DUCKDB.column(column.name, at) in used
    ] or [(0, DUCKDB.column("", 0))]
    view = f"CREATE TEMP VIEW {identifier(key)} AS"
    if own_files(relation) and _as_declared(connection, relation, [at for at, _ in wanted]):
        columns = [f"{_from_file(relation.columns[at])} AS {name}" for at, name in wanted]
        connection.execute(f"{view} {text.select(columns, _parquet(relation))}")
        return
    frame = canonical(cast(pl.LazyFrame, relation.frame), relation.columns)
    names = [column_name(column.name, at) for at, column in enumerate(relation.columns)]
    frame = frame.select(pl.col(names[at]).alias(name) for at, name in wanted)
    connection.execute(_FILTERS)
    connection.register(f"{key}_rows", Stream(frame))
    kinds = [parse_type(relation.columns[at].type) for at, _ in wanted]
    columns = [
        f"{_converted(name, kind)} AS {name}" for (_, name), kind in zip(wanted, kinds, strict=True)
    ]
    source = text.select(columns, identifier(f"{key}_rows"))
    connection.execute(f"{view} {source} LIMIT {_ALL}")


def own_files(relation: Relation) -> tuple[str, ...]:
    """The files DuckDB may be given: none where one's name would be taken for a pattern."""
    files = relation.files
    return () if any(_PATTERN.search(path) for path in files) else files


def _parquet(relation: Relation) -> str:
    return (
        f"READ_PARQUET({_listed(list(relation.files))}, union_by_name = true, "
        "hive_partitioning = false)"
    )


def _as_declared(
    connection: duckdb.DuckDBPyConnection, relation: Relation, wanted: list[int]
) -> bool:
    """Whether the files hold the wanted columns in the declared types, so that they may be read."""
    found = connection.execute(f"DESCRIBE {text.select(['*'], _parquet(relation))}").fetchall()
    kinds = {str(name): str(kind) for name, kind, *_ in found}
    return all(
        kinds.get(relation.columns[at].name) == duckdb_type(parse_type(relation.columns[at].type))
        for at in wanted
    )


_TYPES = {
    "boolean": "BOOLEAN",
    "tinyint": "TINYINT",
    "smallint": "SMALLINT",
    "int": "INTEGER",
    "bigint": "BIGINT",
    "float": "FLOAT",
    "double": "DOUBLE",
    "string": "VARCHAR",
    "binary": "BLOB",
    "date": "DATE",
    "timestamp": "TIMESTAMP WITH TIME ZONE",
    "timestamp_ntz": "TIMESTAMP",
}


def duckdb_type(kind: DataType) -> str | None:
    """DuckDB's own word for a type; None for those that a file list does not carry faithfully."""
    if kind.kind == "decimal":
        return f"DECIMAL({kind.precision},{kind.scale})"
    if kind.kind == "array" and kind.element is not None:
        inner = duckdb_type(kind.element)
        return f"{inner}[]" if inner else None
    return _TYPES.get(kind.kind)


def _from_file(column: Column) -> str:
    """A column of a Parquet file.

    1.5.5 believes the range that a file records of real numbers, in which NaN has no part, and
    leaves out the rows of NaN for whatever they are compared with. It looks at no range through
    an expression.
    """
    name = identifier(column.name)
    if parse_type(column.type).kind in ("float", "double"):
        return f"CASE WHEN {name} IS NULL THEN NULL ELSE {name} END"
    return name


def _converted(name: str, kind: DataType) -> str:
    """A column as Arrow brings it, as the lowering counts on it."""
    if kind.kind == "void":
        return f"CAST({name} AS INTEGER)"
    if kind.is_integer:
        # Frames widen whole numbers; many functions here take an INTEGER and no wider one.
        return f"CAST({name} AS {_TYPES[kind.kind]})"
    return name


class Stream:
    """A lazy frame that gives its rows as an Arrow stream, batch by batch, each time it is asked.

    Nothing is computed until the first batch is taken, for the engine also asks for the schema.
    """

    def __init__(self, frame: pl.LazyFrame) -> None:
        """Stream ``frame``."""
        self._frame = frame

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The Arrow PyCapsule of a new stream; it is polars' own, which needs no Python to read."""
        batches = self._frame.collect_batches(chunk_size=_BATCH_ROWS, lazy=True)
        return batches.__arrow_c_stream__()
