"""``flowcat import``: look at files, load them, forget how they were loaded."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence

from flowcat_jupyter.cli.backend import Backend, Json
from flowcat_jupyter.cli.output import Answer
from flowcat_jupyter.cli.watching import failure, progress
from flowcat_jupyter.shared.counts import many, size
from flowcat_jupyter.shared.errors import AlreadyExists, FlowcatError, Invalid
from flowcat_jupyter.shared.names import TableName

REJECTS = ("file", "line", "reason", "text")


async def import_files(backend: Backend, options: Namespace) -> Answer:
    """Ingest files, folders or patterns into one table; or only look, or forget."""
    if options.forget:
        count = await backend.forget_import(options.files)
        note = "Forgotten." if count else "Nothing was remembered of these files."
        return Answer(body={"forgotten": count}, note=note)
    if options.preview:
        return _preview(await backend.preview_import(options.files, _body(options, "table")))
    if not options.table:
        raise Invalid("Say where the rows are to go.", hint="Name a table: --table c.s.t")
    keys = {"merge_keys": options.key, "accept_drift": options.accept_drift}
    body = {**_body(options, "table", "mode"), **keys}
    ended = await _imported(backend, options.files, body)
    result = ended["result"]
    rejects = []
    if result["rows_rejected"] and options.rejects > 0:
        rejects = (await backend.rejects(ended["id"], options.rejects))["rows"]
    return Answer(
        body={"imports": [{**result, "run_id": ended["id"]}], "rejects": rejects},
        headings=REJECTS if rejects else (),
        rows=rejects,
        note="\n".join(_told(result)),
        right=frozenset({1}),
    )


def _body(options: Namespace, *more: str) -> Json:
    return {
        "format": options.format,
        "options": pairs(options.option, "--option"),
        "types": pairs(options.type, "--type"),
        "use_remembered": not options.no_remembered,
        **{name: getattr(options, name) for name in more},
    }


async def _imported(backend: Backend, files: Sequence[str], body: Json) -> Json:
    try:
        ended = await backend.import_files(files, body, progress())
        if ended["state"] != "succeeded":
            raise failure(ended)
    except FlowcatError as error:
        if error.code == AlreadyExists.code and not error.hint:
            error.hint = "Add to it with --mode append, or replace its rows with --mode overwrite."
        raise
    return ended


def _told(result: Json) -> list[str]:
    name = TableName(tuple(result["table"])).sql
    rows = "" if result["row_count"] is None else f" {many(result['row_count'], 'row')}"
    lines = [f"{name} has{rows or ' its rows'} at version {result['version']}."]
    if result["rows_rejected"]:
        loaded = many(result["rows_loaded"] or 0, "row")
        rejected = many(result["rows_rejected"], "line was", "lines were")
        lines.append(f"Loaded {loaded}; {rejected} rejected.")
    return [*lines, *(f"Note: {text}" for text in result["warnings"])]


def _preview(seen: Json) -> Answer:
    rows = [[c["name"], c["type"], c["reason"], ", ".join(c["examples"])] for c in seen["columns"]]
    files = seen["files"]
    total = size(sum(file["size_bytes"] for file in files))
    named = files[0]["name"] if len(files) == 1 else many(len(files), "file")
    notes = [f"{named}, {total}: {seen['format']}, {many(seen['rows_read'], 'row')}."]
    if seen["remembered"]:
        notes.append("Begun with what was remembered of this source (--no-remembered: without).")
    notes += [f"{d['option']} = {d['value']!r}: {d['reason']}" for d in seen["detected"]]
    if seen["rejected"]:
        notes.append(f"{many(seen['rejected'], 'line')} would be rejected:")
        notes += [f"  {r['file']}, line {r['line']}: {r['reason']}" for r in seen["rejects"][:10]]
    notes += _drift(seen["drift"])
    notes += [f"Note: {text}" for text in seen["warnings"]]
    return Answer(seen, ("column", "type", "why", "examples"), rows, "\n".join(notes))


def _drift(drift: Json | None) -> list[str]:
    if drift is None:
        return []
    return [
        *(f"New column {c['name']} ({c['type']}): the table lacks it." for c in drift["added"]),
        *(f"Missing column {c['name']} ({c['type']}): NULL in these." for c in drift["missing"]),
        *(f"Column {c['name']}: {c['from']} becomes {c['to']}." for c in drift["changed"]),
    ]


def pairs(texts: Sequence[str], option: str) -> dict[str, str]:
    """Options of the form name=value.

    :raises Invalid: one is not.
    """
    found = {}
    for text in texts:
        key, mark, value = text.partition("=")
        if not key or not mark:
            raise Invalid(f"{option} {text!r} is not of the form name=value.")
        found[key] = value
    return found
