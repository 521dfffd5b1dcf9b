"""What the first start decides, and settings kept with the data."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zoneinfo import available_timezones

from flowcat_jupyter.catalog.access import Actor
from flowcat_jupyter.catalog.deps import Deps
from flowcat_jupyter.catalog.editing import identity
from flowcat_jupyter.catalog.unit import Unit
from flowcat_jupyter.shared.errors import Invalid
from flowcat_jupyter.shared.events import NamespaceCreated
from flowcat_jupyter.shared.names import check_name
from flowcat_jupyter.shared.schema import ROOT_ID

STARTED = "started"
ZONE = "session_timezone"
UTC = "UTC"
_UTC_NAMES = ("Etc/UTC", "Etc/UCT", "Etc/Universal", "Etc/Zulu", "UCT", "Universal", "Zulu")


@dataclass(frozen=True)
class Start:
    """What a start found or made."""

    first: bool
    session_timezone: str


class SettingsService:
    """One actor's view of the settings kept in the database; they are everybody's."""

    def __init__(self, actor: Actor, deps: Deps) -> None:
        """Serve one actor, who owns what a first start makes."""
        self._actor = actor
        self._settings = deps.settings
        self._begin = deps.begin
        self._threads = deps.threads

    async def start(self) -> Start:
        """On the very first start make the default catalog and schema and keep the zone.

        Once they are there they are the users' to drop: no later start makes them again. A zone
        that is configured wins over the kept one.

        :raises Invalid: the configured zone or a default name cannot be.
        """
        configured = self._settings.session_timezone
        if configured is not None and configured not in available_timezones():
            raise Invalid(
                f"{configured!r} is not a time zone.",
                hint="Set session_timezone to a name such as Europe/Paris or UTC.",
            )
        machine = machine_zone()

        def work() -> Start:
            with self._begin(self._actor) as unit:
                if unit.settings.get(STARTED):
                    return Start(False, configured or unit.settings.get(ZONE))
            with self._begin(self._actor, write=True) as unit:
                first = not unit.settings.get(STARTED)
                if first:
                    self._first(unit, machine)
                return Start(first, configured or unit.settings.get(ZONE))

        return await self._threads.run(work)

    async def get(self, key: str) -> Any:
        """A kept setting, None if it was never set."""

        def work() -> Any:
            with self._begin(self._actor) as unit:
                return unit.settings.get(key)

        return await self._threads.run(work)

    async def put(self, key: str, value: Any) -> None:
        """Keep a setting, any JSON."""

        def work() -> None:
            with self._begin(self._actor, write=True) as unit:
                unit.settings.put(key, value)

        await self._threads.run(work)

    def _first(self, unit: Unit, zone: str) -> None:
        parent = ROOT_ID
        names = (self._settings.default_catalog, self._settings.default_schema)
        for level, kind in enumerate(("catalog", "schema")):
            name = check_name(names[level], kind)
            parent = unit.securables.insert(kind, parent, name, by=self._actor.name, at=unit.now)
            unit.securables.insert_namespace(parent, level)
            unit.record(NamespaceCreated(*identity(unit.securables.get(parent))))
        unit.settings.put(ZONE, zone)
        unit.settings.put(STARTED, True)


def machine_zone(env: Mapping[str, str] = os.environ, link: Path = Path("/etc/localtime")) -> str:
    """The machine's time zone by its IANA name; UTC where it cannot be told."""
    known = available_timezones()
    parts = link.resolve().parts
    names = [env.get("TZ", "").lstrip(":")]
    names += ["/".join(parts[start:]) for start in range(len(parts))]
    found = next((name for name in names if name in known), UTC)
    return UTC if found in _UTC_NAMES else found
