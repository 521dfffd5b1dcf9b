"""Tables that Sail wrote, put where a test can read them; `scripts/record_sail.py` records them."""

from __future__ import annotations

import json
import math
import zipfile
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

_DATA = Path(__file__).parents[1] / "data" / "sail"
ANSWERS: dict[str, Any] = json.loads((_DATA / "answers.json").read_text("utf-8"))
_MADE_IN: str = ANSWERS["made_in"]


def unpacked(kind: str, name: str, into: Path) -> Path:
    """A copy of a recorded table in a folder below ``into``."""
    if kind == "iceberg":
        into = into / "".ljust(len(_MADE_IN) - len(str(into)) - 1, "_")
        assert len(str(into)) == len(_MADE_IN), "the path is too long to stand for the recorded one"
    folder = into / kind / name
    with zipfile.ZipFile(_DATA / f"{kind}.zip") as archive:
        for entry in archive.namelist():
            if entry.startswith(f"{name}/"):
                archive.extract(entry, into / kind)
    if kind == "iceberg":
        _relocate(folder, str(into))
    return folder


def _relocate(folder: Path, to: str) -> None:
    """Say where files are; texts in Avro keep their length, and those of Parquet are rewritten."""
    for path in (path for path in folder.rglob("*") if path.is_file()):
        if path.name.startswith("delete-"):
            table = pq.read_table(path)
            at = table.schema.names.index("file_path")
            paths = [value.replace(_MADE_IN, to) for value in table["file_path"].to_pylist()]
            column = pa.array(paths, table.schema.field(at).type)
            pq.write_table(table.set_column(at, table.schema.field(at), column), path)
        elif path.suffix != ".parquet":
            path.write_bytes(path.read_bytes().replace(_MADE_IN.encode(), to.encode()))


def as_answered(frame: pl.DataFrame) -> list[list[Any]]:
    """Rows as the recorded answers spell them."""
    return sorted(([_plain(value) for value in row] for row in frame.rows()), key=json.dumps)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return [_plain(part) for part in value.values()]
    if isinstance(value, list) and value and isinstance(value[0], dict) and "key" in value[0]:
        return {pair["key"]: _plain(pair["value"]) for pair in value}
    if isinstance(value, list):
        return [_plain(part) for part in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, datetime):
        return value.replace(tzinfo=None).isoformat(" ")
    if isinstance(value, date):
        return value.isoformat()
    return value.hex() if isinstance(value, bytes) else value
