"""What each command does, whichever catalog it speaks to."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Awaitable, Callable, Sequence
from importlib import import_module
from pathlib import Path

from flowcat_jupyter.cli.backend import Backend, Json, OpenBackend
from flowcat_jupyter.cli.output import Answer, size
from flowcat_jupyter.cli.query import sql
from flowcat_jupyter.shared.errors import AlreadyExists, FlowcatError, Invalid, NotFound
from flowcat_jupyter.shared.names import TableName, name_key

Command = Callable[[Backend, Namespace], Awaitable[Answer]]


def lab(arguments: Sequence[str]) -> int:
    """Run ``jupyter lab`` with these arguments and return its exit code."""
    import_module("jupyterlab.labapp").main(list(arguments))
    return 0


async def run(options: Namespace) -> Answer:
    """Do what was asked.

    :raises FlowcatError: it cannot be done.
    """
    if options.command in ("doctor", "db", "convert"):
        from flowcat_jupyter.cli import upkeep

        return await upkeep.COMMANDS[options.command](options)
    async with _open() as backend:
        return await COMMANDS[options.command](backend, options)


def _open() -> OpenBackend:
    if os.environ.get("FLOWCAT_URL"):
        from flowcat_jupyter.cli.remote import open_remote

        return open_remote()
    from flowcat_jupyter.cli.local import open_local

    return open_local()


async def demo(backend: Backend, options: Namespace) -> Answer:
    """Load or remove the demo catalog."""
    if options.remove:
        await backend.remove_demo()
        return Answer(body={"removed": True}, note="The demo catalog is gone.")
    runs = await backend.load_demo(_progress())
    failed = [run for run in runs if run["state"] != "succeeded"]
    if failed:
        raise _failure(failed[0])
    loaded = [run["result"] for run in runs]
    rows = sum(item["row_count"] or 0 for item in loaded)
    note = f"Loaded {len(loaded)} tables, {rows:,} rows, into demo.nyc."
    if not loaded:
        note = "The demo is there already, in demo.nyc."
    return Answer(body={"loaded": loaded}, note=note)


async def import_files(backend: Backend, options: Namespace) -> Answer:
    """Ingest files into one table: the first as asked, further ones behind it."""
    mode, results = options.mode, []
    for path in _existing(options.files):
        body = {
            "table": options.table,
            "format": options.format,
            "mode": mode,
            "options": _pairs(options.option, "--option"),
            "types": _pairs(options.type, "--type"),
        }
        ended = await _imported(backend, path, body)
        results.append(ended["result"])
        mode = "append"
    last = results[-1]
    name = TableName(tuple(last["table"])).sql
    warnings = [text for result in results for text in result["warnings"]]
    note = f"{name} has {last['row_count']:,} rows at version {last['version']}."
    return Answer(
        body={"imports": results}, note="\n".join([note, *(f"Note: {text}" for text in warnings)])
    )


async def _imported(backend: Backend, path: Path, body: Json) -> Json:
    try:
        ended = await backend.import_file(path, body, _progress())
        if ended["state"] != "succeeded":
            raise _failure(ended)
    except FlowcatError as error:
        if error.code == AlreadyExists.code and not error.hint:
            error.hint = "Add to it with --mode append, or replace its rows with --mode overwrite."
        raise
    return ended


async def listing(backend: Backend, options: Namespace) -> Answer:
    """List catalogs, a catalog's schemas, or a schema's tables."""
    parts = TableName.parse(options.name).parts if options.name else ()
    if len(parts) > 2:
        return await show(backend, options)
    parent: Json | None = None
    for kind, part in zip(("catalog", "schema"), parts, strict=False):
        children = await backend.tree(parent["id"] if parent else None)
        parent = next((c for c in children if name_key(c["name"]) == name_key(part)), None)
        if parent is None:
            raise NotFound(kind, TableName(parts).sql, hint="List what there is with flowcat ls.")
    nodes = await backend.tree(parent["id"] if parent else None)
    if len(parts) == 2:
        rows = [[n["name"], n["kind"], n["table_type"], n["row_count"]] for n in nodes]
        return Answer(nodes, ("name", "kind", "type", "rows"), rows, right=frozenset({3}))
    counts = ("schemas", "tables")[len(parts)]
    rows = [[n["name"], n["child_count"], n["description"] or ""] for n in nodes]
    return Answer(nodes, ("name", counts, "description"), rows, right=frozenset({1}))


async def show(backend: Backend, options: Namespace) -> Answer:
    """Describe a table."""
    table = await backend.table(options.name)
    facts = [
        f"{table['row_count']:,} rows" if table["row_count"] is not None else None,
        size(table["size_bytes"]) if table["size_bytes"] is not None else None,
        f"version {table['delta_version']}" if table["delta_version"] is not None else None,
        f"{table['table_type']} {table['format']}",
        f"owner {table['owner']}",
        table["description"],
    ]
    columns = [[c["name"], c["type"], c["nullable"], c["comment"] or ""] for c in table["columns"]]
    note = " · ".join(fact for fact in facts if fact)
    return Answer(table, ("column", "type", "nullable", "comment"), columns, note)


async def history(backend: Backend, options: Namespace) -> Answer:
    """List a table's versions."""
    table = await backend.table(options.name)
    entries = await backend.history(table["id"], options.limit)
    keys = ("version", "timestamp", "operation", "user", "rows_added", "rows_removed")
    rows = [[entry[key] for key in keys] for entry in entries]
    headings = ("version", "time", "operation", "user", "rows added", "rows removed")
    return Answer({"items": entries}, headings, rows, right=frozenset({0, 4, 5}))


def _existing(names: list[str]) -> list[Path]:
    paths = [Path(name).absolute() for name in names]
    for path in paths:
        if not path.is_file():
            raise NotFound("file", path)
    return paths


def _progress() -> Callable[[Json], None]:
    """Shows how far a run is, on one line of a terminal; elsewhere nothing."""
    if not sys.stderr.isatty():
        return lambda _run: None

    def watch(run: Json) -> None:
        progress = run["progress"] or {"done": 0, "total": None, "unit": ""}
        total = f" of {progress['total']:,}" if progress["total"] else ""
        done = f"{progress['done']:,}{total} {progress['unit']}" if progress["unit"] else ""
        ended = "\n" if run["ended_at"] else ""
        sys.stderr.write(f"\r\x1b[K{run['title']}  {run['state']}  {done}{ended}")
        sys.stderr.flush()

    return watch


def _failure(run: Json) -> FlowcatError:
    if run["error"]:
        return FlowcatError.from_wire(run["error"])
    return Invalid(f"{run['title']}: {run['state']}.")


def _pairs(texts: list[str], option: str) -> dict[str, str]:
    pairs = {}
    for text in texts:
        key, mark, value = text.partition("=")
        if not key or not mark:
            raise Invalid(f"{option} {text!r} is not of the form name=value.")
        pairs[key] = value
    return pairs


COMMANDS: dict[str, Command] = {
    "demo": demo,
    "import": import_files,
    "ls": listing,
    "show": show,
    "history": history,
    "sql": sql,
}
