"""The catalog behind the command line: this process's own, or a running server's.

Both answer the bodies of the HTTP interface (``handlers/schemas.py``) as JSON values.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, Protocol

Json = dict[str, Any]
Watch = Callable[[Json], None]
"""Hears a run's body whenever it has news."""


class Backend(Protocol):
    """What the commands need."""

    async def tree(self, parent: int | None) -> list[Json]:
        """Every child of a namespace, or every catalog."""
        ...

    async def table(self, name: str) -> Json:
        """The table a name means."""
        ...

    async def history(self, table_id: int, limit: int) -> list[Json]:
        """A table's commits."""
        ...

    async def sql(self, body: Json) -> Json:
        """The envelope with rows of a `SqlRequest`."""
        ...

    async def sql_arrow(self, body: Json, target: Path) -> Json:
        """The envelope without rows; the Arrow stream goes to ``target``."""
        ...

    async def import_files(self, names: Sequence[str], body: Json, watch: Watch) -> Json:
        """The ended run of an `ImportRequest` for files, folders or patterns of this machine."""
        ...

    async def preview_import(self, names: Sequence[str], body: Json) -> Json:
        """The `ImportPreview` of an `ImportPreviewRequest` for such files."""
        ...

    async def rejects(self, run_id: int, limit: int) -> Json:
        """The first rejected lines of a run, as a `PageReply`."""
        ...

    async def forget_import(self, names: Sequence[str]) -> int:
        """Forget how such files were read; how many sources were forgotten."""
        ...

    async def load_demo(self, watch: Watch) -> list[Json]:
        """The ended runs that loaded the demo."""
        ...

    async def remove_demo(self) -> None:
        """Drop the demo."""
        ...


OpenBackend = AbstractAsyncContextManager[Backend]
ENDED = frozenset({"succeeded", "failed", "timed_out", "cancelled", "lost"})
POLL_S = 0.2


async def follow(run: Json, fetch: Callable[[int], Any], watch: Watch) -> Json:
    """``run`` once it has ended; ``fetch`` is awaited for its newer bodies."""
    while run["state"] not in ENDED:
        watch(run)
        await asyncio.sleep(POLL_S)
        run = await fetch(run["id"])
    watch(run)
    return run


def absolute(names: Sequence[str]) -> list[Path]:
    """What a person at this terminal means by some paths."""
    return [Path(os.path.normpath(Path(name).expanduser().absolute())) for name in names]
