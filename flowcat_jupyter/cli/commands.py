"""What each command does, whichever catalog it speaks to."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Awaitable, Callable, Sequence
from importlib import import_module

from flowcat_jupyter.cli.backend import Backend, Json, OpenBackend
from flowcat_jupyter.cli.imports import import_files
from flowcat_jupyter.cli.output import Answer
from flowcat_jupyter.cli.query import sql
from flowcat_jupyter.cli.watching import failure, progress
from flowcat_jupyter.shared.counts import size
from flowcat_jupyter.shared.errors import NotFound
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
    runs = await backend.load_demo(progress())
    failed = [run for run in runs if run["state"] != "succeeded"]
    if failed:
        raise failure(failed[0])
    loaded = [run["result"] for run in runs]
    rows = sum(item["row_count"] or 0 for item in loaded)
    note = f"Loaded {len(loaded)} tables, {rows:,} rows, into demo.nyc."
    if not loaded:
        note = "The demo is there already, in demo.nyc."
    return Answer(body={"loaded": loaded}, note=note)


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
    keys = ("version", "timestamp", "operation", "mode", "user", "rows_added", "rows_removed")
    rows = [[entry.get(key) for key in keys] for entry in entries]
    headings = ("version", "time", "operation", "mode", "user", "rows added", "rows removed")
    return Answer({"items": entries}, headings, rows, right=frozenset({0, 5, 6}))


COMMANDS: dict[str, Command] = {
    "demo": demo,
    "import": import_files,
    "ls": listing,
    "show": show,
    "history": history,
    "sql": sql,
}
