"""``flowcat sql``: run statements and write their rows."""

from __future__ import annotations

import json
import sys
import tempfile
from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from flowcat_jupyter.cli.backend import Backend, Json
from flowcat_jupyter.cli.output import Answer
from flowcat_jupyter.shared.errors import Invalid, Unavailable

if TYPE_CHECKING:
    import polars as pl

SHOWN = 1000
_RIGHT = ("tinyint", "smallint", "int", "bigint", "float", "double", "decimal")


async def sql(backend: Backend, options: Namespace) -> Answer:
    """Run the statements; the last one's rows are the answer.

    :raises Invalid: an option makes no sense.
    :raises Unavailable: the output cannot be written.
    """
    shape = "json" if options.json else options.format
    body = _body(options, shape)
    if shape in ("csv", "arrow", "parquet"):
        return await _file(backend, body, shape, options.output)
    reply = await backend.sql(body)
    if shape == "json":
        text = json.dumps(reply, ensure_ascii=False, allow_nan=False) + "\n"
        return _written(text.encode(), options.output, reply)
    return _table(reply)


def _body(options: Namespace, shape: str) -> Json:
    query = sys.stdin.read() if options.query == "-" else options.query
    shown = SHOWN if shape == "table" else None
    rows = shown if options.max_rows is None else (options.max_rows or None)
    if rows is not None and rows < 0:
        raise Invalid("--max-rows must not be negative.")
    return {
        "query": query,
        "query_id": str(uuid4()),
        "max_rows": rows,
        "catalog": options.catalog,
        "schema": options.schema,
        "dialect": options.dialect,
        "engine": options.engine,
        "params": parse_params(options.param),
    }


def _table(reply: Json) -> Answer:
    columns = reply["columns"]
    right = {i for i, c in enumerate(columns) if c["type"].split("(")[0] in _RIGHT}
    cut = f", cut at {reply['row_count']:,}: use --max-rows 0 for all" if reply["truncated"] else ""
    rows = f"{reply['row_count']:,} rows" if reply["row_count"] != 1 else "1 row"
    note = f"({rows}, {reply['execution_time_ms']:,.0f} ms{cut})"
    warnings = [f"Note: {text}" for text in reply["warnings"]]
    headings = [column["name"] for column in columns]
    return Answer(
        reply, headings, reply["rows"], "\n".join([note, *warnings]), right=frozenset(right)
    )


async def _file(backend: Backend, body: Json, shape: str, output: str | None) -> Answer:
    if output is None and shape != "csv" and sys.stdout.isatty():
        raise Invalid(f"{shape} is not for a terminal.", hint="Name a file with --output.")
    with tempfile.TemporaryDirectory(prefix="flowcat-") as folder:
        stream = Path(folder) / "result"
        envelope = await backend.sql_arrow(body, stream)
        content = stream.read_bytes() if shape == "arrow" else _convert(stream, envelope, shape)
    return _written(content, output, envelope)


def _convert(stream: Path, envelope: Json, shape: str) -> bytes:
    import io

    import polars as pl

    frame = pl.read_ipc_stream(stream)
    frame.columns = _distinct([column["name"] for column in envelope["columns"]])
    out = io.BytesIO()
    if shape == "parquet":
        frame.write_parquet(out)
    else:
        _flat(frame).write_csv(out)
    return out.getvalue()


def _flat(frame: pl.DataFrame) -> pl.DataFrame:
    """``frame`` with nested values as JSON text, which is all that CSV can hold."""
    import polars as pl

    nested = [name for name, dtype in frame.schema.items() if dtype.is_nested()]
    texts = [
        pl.Series(name, [_nested_text(value) for value in frame[name].to_list()], dtype=pl.String)
        for name in nested
    ]
    return frame.with_columns(texts)


def _nested_text(value: Any) -> str | None:
    return None if value is None else json.dumps(value, ensure_ascii=False, default=str)


def _distinct(names: list[str]) -> list[str]:
    """Headings that can be columns: a second ``x`` becomes ``x_2``."""
    taken: set[str] = set()
    result = []
    for name in names:
        number, candidate = 1, name
        while candidate in taken:
            number += 1
            candidate = f"{name}_{number}"
        taken.add(candidate)
        result.append(candidate)
    return result


def _written(content: bytes, output: str | None, envelope: Json) -> Answer:
    if output is None:
        sys.stdout.buffer.write(content)
        return Answer(text="")
    try:
        Path(output).write_bytes(content)
    except OSError as error:
        raise Unavailable(f"{output} cannot be written: {error.strerror}.") from error
    body = {"output": output, "row_count": envelope["row_count"]}
    return Answer(body, note=f"{envelope['row_count']:,} rows written to {output}.")


def parse_params(texts: list[str]) -> dict[str, Any]:
    """``k=v`` pairs as values: whole numbers, numbers, true, false and null, else text.

    :raises Invalid: one is not of that form.
    """
    values: dict[str, Any] = {}
    for text in texts:
        key, mark, given = text.partition("=")
        if not key or not mark:
            raise Invalid(f"--param {text!r} is not of the form name=value.")
        values[key] = _value(given)
    return values


def _value(text: str) -> Any:
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return text if isinstance(value, dict) else value
