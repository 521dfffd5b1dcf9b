"""``flowcat sql``: run statements and write their rows."""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from argparse import Namespace
from pathlib import Path
from typing import Any
from uuid import uuid4

from flowcat_jupyter.cli.backend import Backend, Json
from flowcat_jupyter.cli.output import Answer, render
from flowcat_jupyter.shared.counts import many
from flowcat_jupyter.shared.errors import Invalid, Unavailable
from flowcat_jupyter.shared.outcomes import outcome

SHOWN = 1000
_BINARY = ("arrow", "parquet", "xlsx")
_RIGHT = ("tinyint", "smallint", "int", "bigint", "float", "double", "decimal")


async def sql(backend: Backend, options: Namespace) -> Answer:
    """Run the statements; the last one's rows are the answer.

    What gives no rows leaves ``--output`` alone, and standard output where that is for rows.

    :raises Invalid: an option makes no sense.
    :raises Unavailable: the output cannot be written.
    """
    shape = "json" if options.json else options.format
    body = _body(options, shape)
    if shape not in ("table", "json"):
        return await _file(backend, body, shape, options)
    reply = await backend.sql(body)
    if shape == "json":
        text = json.dumps(reply, ensure_ascii=False, allow_nan=False) + "\n"
        return _written(text.encode(), options.output, reply)
    answer = _table(reply)
    if options.output is None:
        return answer
    if not reply["columns"]:
        return _no_rows(reply, options.output)
    return _written(render(answer, as_json=False).encode(), options.output, reply)


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
        "dry_run": options.dry_run,
    }


def _table(reply: Json) -> Answer:
    columns = reply["columns"]
    right = {i for i, c in enumerate(columns) if c["type"].split("(")[0] in _RIGHT}
    cut = f", cut at {reply['row_count']:,}: use --max-rows 0 for all" if reply["truncated"] else ""
    took = f"{reply['execution_time_ms']:,.0f} ms"
    note = f"({many(reply['row_count'], 'row')}, {took}{cut})" if columns else _did(reply)
    headings = [column["name"] for column in columns]
    note = "\n".join([note, *_notes(reply)])
    return Answer(reply, headings, reply["rows"], note, right=frozenset(right))


def _notes(reply: Json) -> list[str]:
    return [f"Note: {text}" for text in reply["warnings"]]


def _did(reply: Json) -> str:
    done = outcome(
        reply["statement"],
        reply["written"],
        changed=reply["changed"],
        current=reply["current"],
        note=reply["note"],
        dry_run=reply["dry_run"],
    )
    return f"{done} ({reply['execution_time_ms']:,.0f} ms)"


def _no_rows(reply: Json, output: str | None) -> Answer:
    """What a statement without rows did, told where rows were asked for."""
    lines = [_did(reply), *_notes(reply)]
    if output is not None:
        return Answer(note="\n".join([*lines, f"There are no rows: {output} was not written."]))
    # Whatever reads standard output expects rows, and nothing else.
    sys.stderr.write("".join(f"{line}\n" for line in lines))
    return Answer(text="")


async def _file(backend: Backend, body: Json, shape: str, options: Namespace) -> Answer:
    output: str | None = options.output
    if output is None and shape in _BINARY and sys.stdout.isatty():
        raise Invalid(f"{shape} is not for a terminal.", hint="Name a file with --output.")
    with tempfile.TemporaryDirectory(prefix="flowcat-") as folder:
        stream, made = Path(folder) / "stream", Path(folder) / "made"
        envelope = await backend.sql_arrow(body, stream)
        if not envelope["columns"]:
            return _no_rows(envelope, output)
        sys.stderr.write("".join(f"{note}\n" for note in _notes(envelope)))
        if shape == "arrow":
            return _delivered(stream, output, envelope)
        written = _convert(stream, made, envelope, shape, formula_safe=options.formula_safe)
        return _delivered(made, output, {**envelope, "row_count": written})


def _convert(stream: Path, target: Path, envelope: Json, shape: str, *, formula_safe: bool) -> int:
    """Write what an Arrow stream holds as the server's own export would; how many rows."""
    import polars as pl

    from flowcat_jupyter.worker.jobs.export import Rows, write_rows

    frame = pl.read_ipc_stream(stream)
    zones = [getattr(dtype, "time_zone", None) for dtype in frame.dtypes]
    rows = Rows(
        frame.lazy(),
        [column["name"] for column in envelope["columns"]],
        zone=next((zone for zone in zones if zone), "UTC"),
        formula_safe=formula_safe,
    )
    return write_rows(rows, shape, target, total=frame.height)


def _delivered(made: Path, output: str | None, envelope: Json) -> Answer:
    """Send a file on to where it was asked for."""
    if output is None:
        with made.open("rb") as file:
            shutil.copyfileobj(file, sys.stdout.buffer)
        return Answer(text="")
    try:
        shutil.copyfile(made, output)
    except OSError as error:
        raise _unwritable(output, error) from error
    return _told(output, envelope)


def _written(content: bytes, output: str | None, envelope: Json) -> Answer:
    if output is None:
        sys.stdout.buffer.write(content)
        return Answer(text="")
    try:
        Path(output).write_bytes(content)
    except OSError as error:
        raise _unwritable(output, error) from error
    return _told(output, envelope)


def _unwritable(output: str, error: OSError) -> Unavailable:
    return Unavailable(f"{output} cannot be written: {error.strerror}.")


def _told(output: str, envelope: Json) -> Answer:
    body = {"output": output, "row_count": envelope["row_count"]}
    if not envelope["columns"]:
        return Answer(body, note=f"{_did(envelope)}; the answer is in {output}.")
    return Answer(body, note=f"{many(envelope['row_count'], 'row')} written to {output}.")


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
