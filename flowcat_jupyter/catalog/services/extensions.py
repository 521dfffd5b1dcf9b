"""What is built in and what installed packages add."""

from __future__ import annotations

from dataclasses import replace
from uuid import uuid4

from flowcat_jupyter.catalog.access import Actor
from flowcat_jupyter.catalog.deps import Deps
from flowcat_jupyter.catalog.extensions import loaded_extensions
from flowcat_jupyter.shared.errors import FlowcatError
from flowcat_jupyter.shared.extensions import FAILED, Extension
from flowcat_jupyter.shared.wire_extensions import ExtensionsInfo, ExtensionsJob

PATIENCE_S = 30.0
_KEPT_BACK = "It cannot be used; who runs the server can see why."


class ExtensionService:
    """One actor's view of the extensions; they are everybody's."""

    def __init__(self, actor: Actor, deps: Deps) -> None:
        """Serve one actor."""
        self._actor = actor
        self._executor = deps.executor
        self._threads = deps.threads

    async def list(self) -> tuple[Extension, ...]:
        """Every engine, format and data source by kind and name, each loaded once in a worker.

        Where no worker can tell, what the packages' metadata say. Why one has failed is told to
        who runs the server alone.
        """
        try:
            info: ExtensionsInfo = await self._executor.run(
                ExtensionsJob(), job_id=f"extensions-{uuid4()}", deadline_s=PATIENCE_S
            )
            known = info.extensions
        except FlowcatError:
            known = await self._threads.run(loaded_extensions)
        if self._actor.unrestricted:
            return known
        return tuple(
            replace(item, reason=_KEPT_BACK) if item.state == FAILED else item for item in known
        )
