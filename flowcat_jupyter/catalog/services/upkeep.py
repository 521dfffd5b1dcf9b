"""What a crash left behind: finding it, and mending it without touching what may be alive."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from uuid import uuid4

from flowcat_jupyter.catalog.access import SYSTEM, Actor
from flowcat_jupyter.catalog.deps import Deps
from flowcat_jupyter.catalog.dropping import queue_purge
from flowcat_jupyter.catalog.ports import StoredFolder
from flowcat_jupyter.catalog.purging import purge_due
from flowcat_jupyter.catalog.store.leftovers import Managed
from flowcat_jupyter.catalog.unit import Unit
from flowcat_jupyter.shared.errors import FlowcatError
from flowcat_jupyter.shared.names import TableName

log = logging.getLogger(__name__)
CATALOG_ID = "catalog_id"


@dataclass(frozen=True)
class Leftovers:
    """What does not belong together.

    ``folders`` of no table; ``missing`` tables without a folder; ``unheld`` tables that somebody
    began to create and nobody will finish; ``damage`` of the database file. ``ours`` is False
    where the storage folder is another database's, so that no folder can be judged.
    """

    folders: tuple[StoredFolder, ...]
    missing: tuple[str, ...]
    unheld: tuple[Managed, ...]
    damage: tuple[str, ...]
    ours: bool


@dataclass(frozen=True)
class Mended:
    """How many folders were removed and set aside, and how many half-made tables undone."""

    removed: int
    aside: int
    undone: int


class UpkeepService:
    """For the doctor, whoever the actor is."""

    def __init__(self, actor: Actor, deps: Deps) -> None:
        """Serve one actor."""
        self._deps = deps

    async def claim(self) -> bool:
        """Mark the storage folder as this database's; whether it is."""
        return await self._deps.threads.run(self._claim)

    async def leftovers(self, grace: timedelta) -> Leftovers:
        """What is left over, folders that changed within ``grace`` apart: they may be in use."""
        return await self._deps.threads.run(lambda: self._look(grace))

    async def repair(self, grace: timedelta) -> Mended:
        """Mend what can be mended.

        A folder to which nothing was ever committed is removed; one with rows is set aside, for a
        database that was restored from a copy may have forgotten a table. A table whose folder is
        gone stays, because a disk may only be missing.
        """

        def work() -> Mended:
            found = self._look(grace)
            storage = self._deps.storage
            removed = sum(_done(storage.remove, it) for it in found.folders if not it.committed)
            aside = sum(_done(storage.set_aside, it) for it in found.folders if it.committed)
            return Mended(removed, aside, self._undo() if found.unheld else 0)

        mended = await self._deps.threads.run(work)
        while await purge_due(self._deps):
            continue
        return mended

    def _claim(self) -> bool:
        known, kept = self._known()
        if kept is None:
            with self._deps.begin(SYSTEM, write=True) as unit:
                kept = unit.settings.get(CATALOG_ID) or str(uuid4())
                unit.settings.put(CATALOG_ID, kept)
        here = {folder.location.rsplit("/", 1)[-1] for folder in self._deps.storage.table_folders()}
        return self._deps.storage.claim(str(kept), known=bool(here & known))

    def _known(self) -> tuple[frozenset[str], str | None]:
        with self._deps.begin(SYSTEM) as unit:
            return unit.leftovers.folders(), unit.settings.get(CATALOG_ID)

    def _look(self, grace: timedelta) -> Leftovers:
        ours = self._claim()
        # Folders first: a write is on record before it makes one.
        there = self._deps.storage.table_folders() if ours else ()
        with self._deps.begin(SYSTEM) as unit:
            known = unit.leftovers.folders()
            managed = unit.leftovers.managed()
            unheld, damage = unit.leftovers.unheld(), unit.leftovers.damage()
        folders = tuple(
            folder
            for folder in there
            if folder.location.rsplit("/", 1)[-1] not in known
            and folder.age_s >= grace.total_seconds()
        )
        missing = tuple(
            TableName(table.path).sql
            for table in managed
            if not self._deps.storage.is_there(table.location)
        )
        return Leftovers(folders, missing, unheld, damage, ours)

    def _undo(self) -> int:
        with self._deps.begin(SYSTEM, write=True) as unit:
            return sum(_undo(unit, table) for table in unit.leftovers.unheld())


def _done(mend: Callable[[str], object], folder: StoredFolder) -> bool:
    """Whether ``mend`` worked; one folder that resists keeps no other from being mended."""
    try:
        mend(folder.location)
    except FlowcatError:
        log.warning("%s could not be mended.", folder.location, exc_info=True)
        return False
    return True


def _undo(unit: Unit, table: Managed) -> bool:
    unit.securables.delete(table.id)
    if not unit.tables.uses(table.location):
        queue_purge(unit, table.location, table.path)
    return True
