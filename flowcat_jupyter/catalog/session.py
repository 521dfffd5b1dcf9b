"""One actor's way into the domain."""

from __future__ import annotations

from functools import cached_property

from flowcat_jupyter.catalog.access import Actor
from flowcat_jupyter.catalog.deps import Deps
from flowcat_jupyter.catalog.services.changes import ChangeService
from flowcat_jupyter.catalog.services.completion import CompletionService
from flowcat_jupyter.catalog.services.extensions import ExtensionService
from flowcat_jupyter.catalog.services.frames import FrameService
from flowcat_jupyter.catalog.services.imports import ImportService
from flowcat_jupyter.catalog.services.maintenance import MaintenanceService
from flowcat_jupyter.catalog.services.namespaces import NamespaceService
from flowcat_jupyter.catalog.services.queries import QueryService
from flowcat_jupyter.catalog.services.rejects import RejectService
from flowcat_jupyter.catalog.services.rows import RowsService
from flowcat_jupyter.catalog.services.runs import RunService
from flowcat_jupyter.catalog.services.settings import SettingsService
from flowcat_jupyter.catalog.services.sql import SqlService
from flowcat_jupyter.catalog.services.tables import TableService
from flowcat_jupyter.catalog.services.upkeep import UpkeepService
from flowcat_jupyter.catalog.services.views import ViewService
from flowcat_jupyter.catalog.services.writes import WriteService


class Catalog:
    """A directory of services, for one actor and one request. It forwards nothing itself."""

    def __init__(self, actor: Actor, deps: Deps) -> None:
        """Serve ``actor``."""
        self.actor = actor
        self._deps = deps

    @cached_property
    def namespaces(self) -> NamespaceService:
        """Catalogs, schemas, the tree and search."""
        return NamespaceService(self.actor, self._deps)

    @cached_property
    def tables(self) -> TableService:
        """Tables."""
        return TableService(self.actor, self._deps)

    @cached_property
    def views(self) -> ViewService:
        """Views."""
        return ViewService(self.actor, self._deps)

    @cached_property
    def rows(self) -> RowsService:
        """The rows of results and tables."""
        return RowsService(self.actor, self._deps)

    @cached_property
    def maintenance(self) -> MaintenanceService:
        """The versions of tables, and their files."""
        return MaintenanceService(self.actor, self._deps)

    @cached_property
    def writes(self) -> WriteService:
        """Write tickets."""
        return WriteService(self.actor, self._deps)

    @cached_property
    def imports(self) -> ImportService:
        """Imports of files."""
        return ImportService(self.actor, self._deps)

    @cached_property
    def sql(self) -> SqlService:
        """Statements and their results."""
        return SqlService(self.actor, self._deps)

    @cached_property
    def frames(self) -> FrameService:
        """Frames sent with statements."""
        return FrameService(self.actor, self._deps)

    @cached_property
    def queries(self) -> QueryService:
        """Saved queries."""
        return QueryService(self.actor, self._deps)

    @cached_property
    def completion(self) -> CompletionService:
        """Completion of SQL text."""
        return CompletionService(self.actor, self._deps)

    @cached_property
    def runs(self) -> RunService:
        """Background runs."""
        return RunService(self.actor, self._deps)

    @cached_property
    def rejects(self) -> RejectService:
        """The lines that imports rejected."""
        return RejectService(self.actor, self._deps)

    @cached_property
    def upkeep(self) -> UpkeepService:
        """What a crash left behind."""
        return UpkeepService(self.actor, self._deps)

    @cached_property
    def changes(self) -> ChangeService:
        """The changes feed."""
        return ChangeService(self.actor, self._deps)

    @cached_property
    def settings(self) -> SettingsService:
        """First start, and settings kept with the data."""
        return SettingsService(self.actor, self._deps)

    @cached_property
    def extensions(self) -> ExtensionService:
        """What is built in and what installed packages add."""
        return ExtensionService(self.actor, self._deps)
