"""The 22 queries and eight tables of TPC-H, made by its generator and kept as Delta tables."""

from __future__ import annotations

import math
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl

from flowcat_jupyter.formats.delta import FORMAT
from flowcat_jupyter.shared.wire import Source
from tests.support.engines import Tables

FOLDER = Path(__file__).parents[1] / "data" / "tpch"
QUERIES = {path.stem: path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.sql"))}
TABLES = ("customer", "lineitem", "nation", "orders", "part", "partsupp", "region", "supplier")


def generator() -> Path | None:
    """The generator's program, where it is installed beside this Python."""
    path = Path(sys.executable).with_name("tpchgen-cli")
    return path if path.exists() else None


def generate(folder: Path, scale: str) -> None:
    """Write the eight tables as parquet files."""
    program = generator()
    assert program is not None
    command = [str(program), "parquet", "-s", scale, f"--output-dir={folder}"]
    subprocess.run(command, check=True, capture_output=True)  # noqa: S603


def delta_tables(parquet: Path, folder: Path) -> Tables:
    """The tables as Delta tables of our own writing, opened by our own reader."""
    found: Tables = {}
    for name in TABLES:
        location = str(folder / name)
        rows = pl.scan_parquet(parquet / f"{name}.parquet")
        FORMAT.write(rows, location=location, mode="create", base_version=None)
        scan = FORMAT.scan(Source("r1", "table", (name,), "delta", location))
        found[name] = (scan.frame, scan.columns)
    return found


def products(plan: str) -> int:
    """How many joins of a polars plan have no key."""
    return len(re.findall(r"\bCROSS\b|\bNESTED LOOP\b", plan.upper()))


def plain(rows: list[Any]) -> list[list[Any]]:
    """Rows to compare: numbers as floats, as quotients of DECIMAL differ in type."""
    return [[float(cell) if hasattr(cell, "__float__") else cell for cell in row] for row in rows]


def near(got: list[list[Any]], wanted: list[list[Any]]) -> bool:
    """Whether the rows are equal, an average of DECIMAL to its own six digits."""
    return [len(row) for row in got] == [len(row) for row in wanted] and all(
        math.isclose(one, other, rel_tol=1e-6, abs_tol=1e-6)
        if isinstance(one, float) and isinstance(other, float)
        else one == other
        for row, known in zip(got, wanted, strict=True)
        for one, other in zip(row, known, strict=True)
    )
