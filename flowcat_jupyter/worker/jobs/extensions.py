"""Loading what packages add, to say whether it can be used."""

from __future__ import annotations

from dataclasses import replace

from flowcat_jupyter.shared.errors import FlowcatError
from flowcat_jupyter.shared.extensions import (
    ENGINE,
    FAILED,
    INSTALLED,
    LOADED,
    Extension,
    known_extensions,
)
from flowcat_jupyter.shared.wire_extensions import ExtensionsInfo, ExtensionsJob
from flowcat_jupyter.worker.context import JobContext


def run_extensions(job: ExtensionsJob, context: JobContext) -> ExtensionsInfo:
    """Load every extension that nothing is known against, and say what became of it."""
    return ExtensionsInfo(tuple(_tried(item, context) for item in known_extensions()))


def _tried(item: Extension, context: JobContext) -> Extension:
    if item.state != INSTALLED:
        return item
    registry = context.engines if item.kind == ENGINE else context.formats
    if item.name not in registry:
        # Installed since this process began: the next one will know it.
        return item
    try:
        registry.get(item.name)
    except FlowcatError as error:
        return replace(item, state=FAILED, reason=error.message)
    return replace(item, state=LOADED)
