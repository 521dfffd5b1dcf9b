"""Commands about this machine rather than a catalog's contents: convert, db, doctor."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from flowcat_jupyter.bootstrap import Runtime
from flowcat_jupyter.catalog.store import migrate
from flowcat_jupyter.catalog.store.engine import open_engine
from flowcat_jupyter.cli.output import Answer
from flowcat_jupyter.documents.convert import convert
from flowcat_jupyter.shared import settings
from flowcat_jupyter.shared.errors import FlowcatError

KERNEL = "flowcat"


@dataclass(frozen=True)
class Finding:
    """One thing the doctor looked at; ``advice`` says what to do when it is not well."""

    what: str
    well: bool
    detail: str
    advice: str = ""


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


async def doctor(options: Namespace) -> Answer:
    """Look at database, storage, workers, kernelspec and what a crash may have left."""
    loaded = settings.load()
    findings = [_kernelspec(), _storage(loaded)]
    runtime = Runtime(loaded, warm=False)
    runtime.start()
    try:
        await runtime.ready()
        findings.append(Finding("database", well=True, detail=_backend(loaded)))
        findings.append(await _workers(runtime))
        if options.repair:
            findings.append(await _repair(runtime))
        findings.append(await _rejects(runtime))
    except FlowcatError as error:
        findings.append(Finding("database", False, error.message, error.hint or ""))
    finally:
        await runtime.stop()
    rows = [["ok" if f.well else "FAULT", f.what, f.detail, f.advice] for f in findings]
    well = all(finding.well for finding in findings)
    body = {"ok": well, "findings": [vars(finding) for finding in findings]}
    return Answer(body, ("", "what", "found", "advice"), rows, exit_code=0 if well else 1)


def _kernelspec() -> Finding:
    from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel

    try:
        spec = KernelSpecManager().get_kernel_spec(KERNEL)
    except NoSuchKernel:
        return Finding(
            "kernelspec",
            False,
            "Python 3 (Flowcat) is not installed in this environment",
            "Install flowcat-jupyter here again: pip install --force-reinstall flowcat-jupyter",
        )
    return Finding("kernelspec", True, str(spec.resource_dir))


def _storage(loaded: settings.Settings) -> Finding:
    from flowcat_jupyter.storage.targets import LocalStorage

    root = Path(loaded.storage_root)
    try:
        LocalStorage(root)
        root.mkdir(parents=True, exist_ok=True)
    except FlowcatError as error:
        return Finding("storage", False, error.message, error.hint or "")
    except OSError as error:
        return Finding("storage", False, f"{root}: {error.strerror}", "Set storage_root.")
    return Finding("storage", True, str(root))


async def _workers(runtime: Runtime) -> Finding:
    from uuid import uuid4

    from flowcat_jupyter.catalog.services.sql import SqlRun

    catalog = runtime.session(runtime.local_actor())
    try:
        result = await catalog.sql.execute(SqlRun("SELECT 1 AS one", str(uuid4())))
    except FlowcatError as error:
        return Finding("workers", False, error.message, error.hint or "")
    return Finding("workers", True, f"a query took {result.info.worker_ms:.0f} ms in a worker")


async def _repair(runtime: Runtime) -> Finding:
    catalog = runtime.session(runtime.local_actor())
    lost = await catalog.runs.recover()
    expired = await catalog.writes.repair()
    strays = await catalog.rejects.repair()
    done = f"{lost} lost runs ended, {expired} expired writes undone"
    return Finding("repair", True, f"{done}, {strays} stray files of rejected lines removed")


async def _rejects(runtime: Runtime) -> Finding:
    strays = await runtime.session(runtime.local_actor()).rejects.strays()
    if not len(strays):
        return Finding("rejected lines", True, "every file belongs to a run")
    return Finding(
        "rejected lines",
        False,
        f"{len(strays.files)} files of no run, {len(strays.missing)} runs whose file is gone",
        "Remove what is left over: flowcat doctor --repair",
    )


def _backend(loaded: settings.Settings) -> str:
    # Never the URL itself, which may hold a password.
    return loaded.db_url.partition(":")[0].partition("+")[0]


COMMANDS: dict[str, Callable[[Namespace], Awaitable[Answer]]] = {
    "convert": convert_file,
    "db": database,
    "doctor": doctor,
}
