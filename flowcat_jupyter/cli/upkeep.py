"""Commands about this machine rather than a catalog's contents: convert, db, doctor."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Awaitable, Callable
from pathlib import Path

from flowcat_jupyter.catalog.store import migrate
from flowcat_jupyter.catalog.store.engine import open_engine
from flowcat_jupyter.cli.doctor import doctor
from flowcat_jupyter.cli.output import Answer
from flowcat_jupyter.documents.convert import convert
from flowcat_jupyter.shared import settings


async def convert_file(options: Namespace) -> Answer:
    """Turn one kind of notebook file into the other."""
    warnings = convert(Path(options.source), Path(options.target), force=options.force)
    lines = [f"Wrote {options.target}.", *(f"Note: {text}" for text in warnings)]
    body = {"output": options.target, "warnings": list(warnings)}
    return Answer(body, note="\n".join(lines))


async def database(options: Namespace) -> Answer:
    """Look at the metadata database's schema, or bring it up to date."""
    loaded = settings.load()
    loaded.make_home()
    engine = open_engine(loaded.db_url)
    look = migrate.upgrade if options.action == "upgrade" else migrate.check
    revision = look(engine)
    note = f"The database is at revision {revision.current or 'none'}"
    note += ", as it should be." if revision.ready else f"; this version needs {revision.head}."
    body = {"current": revision.current, "head": revision.head, "ready": revision.ready}
    return Answer(body, note=note, exit_code=0 if revision.ready else 1)


COMMANDS: dict[str, Callable[[Namespace], Awaitable[Answer]]] = {
    "convert": convert_file,
    "db": database,
    "doctor": doctor,
}
