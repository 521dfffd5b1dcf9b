"""Runs as a person at a terminal follows them."""

from __future__ import annotations

import sys

from flowcat_jupyter.cli.backend import Json, Watch
from flowcat_jupyter.shared.errors import FlowcatError, Invalid


def progress() -> Watch:
    """Shows how far a run is, on one line of a terminal; elsewhere nothing."""
    if not sys.stderr.isatty():
        return lambda _run: None

    def watch(run: Json) -> None:
        told = run["progress"] or {"done": 0, "total": None, "unit": ""}
        total = f" of {told['total']:,}" if told["total"] else ""
        done = f"{told['done']:,}{total} {told['unit']}" if told["unit"] else ""
        ended = "\n" if run["ended_at"] else ""
        sys.stderr.write(f"\r\x1b[K{run['title']}  {run['state']}  {done}{ended}")
        sys.stderr.flush()

    return watch


def failure(run: Json) -> FlowcatError:
    """Why a run did not succeed."""
    if run["error"]:
        return FlowcatError.from_wire(run["error"])
    return Invalid(f"{run['title']}: {run['state']}.")
