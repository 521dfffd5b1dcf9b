"""``flowcat doctor``: what is wrong with an installation and its catalog, and mending it."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from flowcat_jupyter.bootstrap import UPLOAD_TTL_S, Runtime, notices
from flowcat_jupyter.catalog.services.upkeep import Leftovers
from flowcat_jupyter.catalog.session import Catalog
from flowcat_jupyter.cli.output import Answer
from flowcat_jupyter.shared import settings
from flowcat_jupyter.shared.counts import many
from flowcat_jupyter.shared.errors import FlowcatError
from flowcat_jupyter.shared.extensions import BUILT_IN, FAILED

KERNEL = "flowcat"
GRACE_S = 3600.0
SHOWN = 5
REPAIR = "Remove what is left over: flowcat doctor --repair"


@dataclass(frozen=True)
class Finding:
    """One thing the doctor looked at; ``advice`` says what to do when it is not well."""

    what: str
    well: bool
    detail: str
    advice: str = ""


async def doctor(options: Namespace) -> Answer:
    """Look at database, storage, workers, kernelspec and what a crash may have left."""
    loaded = settings.load()
    findings = [_kernelspec(), _grammar(), _storage(loaded), *_mounts(loaded)]
    runtime = Runtime(loaded, warm=False)
    runtime.start()
    try:
        await runtime.ready()
        findings.append(await _workers(runtime))
        findings.extend(await _extensions(runtime))
        if options.repair:
            findings.append(await _repair(runtime, options.grace))
        findings.extend(await _left(runtime, options.grace))
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


def _grammar() -> Finding:
    from flowcat_jupyter.sql.compiled import check_interpreted

    try:
        check_interpreted()
    except FlowcatError as error:
        return Finding("sqlglot", False, error.message, error.hint or "")
    return Finding("sqlglot", True, "reads SQL")


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


def _mounts(loaded: settings.Settings) -> Iterator[Finding]:
    """A network's file system under the database: no fault, but to be known."""
    for notice in notices(loaded):
        told, _, advice = notice.partition(". ")
        yield Finding("network", True, told, advice)


async def _workers(runtime: Runtime) -> Finding:
    from uuid import uuid4

    from flowcat_jupyter.catalog.sql_text import SqlRun

    catalog = runtime.session(runtime.local_actor())
    try:
        result = await catalog.sql.execute(SqlRun("SELECT 1 AS one", str(uuid4())))
    except FlowcatError as error:
        return Finding("workers", False, error.message, error.hint or "")
    return Finding("workers", True, f"a query took {result.info.worker_ms:.0f} ms in a worker")


async def _extensions(runtime: Runtime) -> list[Finding]:
    """What packages add: those that work in one line, each that does not in its own."""
    known = await runtime.session(runtime.local_actor()).extensions.list()
    added = [item for item in known if item.state != BUILT_IN]
    told = [f"{item.kind} {item.name} ({item.origin})" for item in added if item.state != FAILED]
    return [Finding("extensions", True, ", ".join(told) or "none")] + [
        Finding(
            "extensions",
            False,
            f"{item.kind} {item.name} of {item.origin}: {item.reason}",
            "Install what it needs or another version of it, or uninstall it.",
        )
        for item in added
        if item.state == FAILED
    ]


async def _repair(runtime: Runtime, grace_s: float | None) -> Finding:
    catalog = runtime.session(runtime.local_actor())
    grace = _grace(grace_s)
    lost = await catalog.runs.recover()
    writes = await catalog.writes.repair(
        older=timedelta(0), grace=None if grace_s is None else grace
    )
    strays = await catalog.rejects.repair()
    mended = await catalog.upkeep.repair(grace)
    unfound = await catalog.namespaces.unfound()
    # Making the index anew holds up every writer.
    found = await catalog.namespaces.reindex() if unfound else 0
    old = [] if await catalog.runs.active_count() else runtime.uploads.older(_upload_s(grace_s))
    for path in old:
        runtime.uploads.discard(path.parent.name)
    done = {
        "lost run": lost,
        "unreported write": writes,
        "file of rejected lines": strays,
        "folder of no table": mended.removed,
        "folder set aside": mended.aside,
        "half-made table": mended.undone,
        "upload": len(old),
        "object that search finds again": found and unfound,
    }
    told = [f"{what}: {number}" for what, number in done.items() if number]
    return Finding("repair", True, ", ".join(told) or "nothing was to be mended")


async def _left(runtime: Runtime, grace_s: float | None) -> list[Finding]:
    catalog = runtime.session(runtime.local_actor())
    left = await catalog.upkeep.leftovers(_grace(grace_s))
    active = await catalog.runs.active_count()
    uploads = () if active else runtime.uploads.older(_upload_s(grace_s))
    return [
        _database(runtime.settings, left),
        _folders(left),
        _tables(left),
        _many("half-made tables", [".".join(table.path) for table in left.unheld]),
        _many("uploads", [path.name for path in uploads]),
        await _rejects(catalog),
        await _search(catalog),
    ]


def _database(loaded: settings.Settings, left: Leftovers) -> Finding:
    # Never the URL itself, which may hold a password.
    backend = loaded.db_url.partition(":")[0].partition("+")[0]
    if not left.damage:
        return Finding("database", True, backend)
    advice = "Stop every server, and restore catalog.db from a copy; keep the damaged file."
    return Finding("database", False, f"{backend}: {'; '.join(left.damage)}", advice)


def _folders(left: Leftovers) -> Finding:
    if not left.ours:
        return Finding(
            "folders",
            False,
            "the storage folder holds tables of another database; none of it is touched",
            "Give each database a storage_root of its own, or set db_url to the one it belongs to.",
        )
    return _many("folders of no table", [folder.location for folder in left.folders])


def _tables(left: Leftovers) -> Finding:
    if not left.missing:
        return Finding("tables", True, "every table has its folder")
    return Finding(
        "tables",
        False,
        f"{len(left.missing)} without a folder: {_listed(left.missing)}",
        "Mount the disk again, or restore the folder from a copy; else DROP TABLE.",
    )


async def _rejects(catalog: Catalog) -> Finding:
    strays = await catalog.rejects.strays()
    if not len(strays):
        return Finding("rejected lines", True, "every file belongs to a run")
    files, runs = many(len(strays.files), "file"), many(len(strays.missing), "run")
    detail = f"{files} of no run, {runs} without its file"
    return Finding("rejected lines", False, detail, REPAIR)


async def _search(catalog: Catalog) -> Finding:
    unfound = await catalog.namespaces.unfound()
    if not unfound:
        return Finding("search", True, "finds every object")
    advice = "Make its index anew: flowcat doctor --repair"
    return Finding("search", False, f"{unfound} objects cannot be found", advice)


def _many(what: str, names: Sequence[str]) -> Finding:
    if not names:
        return Finding(what, True, "none")
    return Finding(what, False, f"{len(names)}: {_listed(names)}", REPAIR)


def _listed(names: Sequence[str]) -> str:
    more = len(names) - SHOWN
    return ", ".join(names[:SHOWN]) + (f" and {more} more" if more > 0 else "")


def _grace(grace_s: float | None) -> timedelta:
    return timedelta(seconds=GRACE_S if grace_s is None else max(0.0, grace_s))


def _upload_s(grace_s: float | None) -> float:
    return UPLOAD_TTL_S if grace_s is None else max(0.0, grace_s)
