"""A table's versions and files."""

from __future__ import annotations

from flowcat_jupyter.catalog.services.maintenance import Upkeep
from flowcat_jupyter.handlers import replies, schemas
from flowcat_jupyter.handlers.base import FlowcatHandler, allowed
from flowcat_jupyter.handlers.schemas import (
    DiffColumn,
    DiffReply,
    DiffRow,
    DiffSetting,
    DiffSide,
    OptimizeRequest,
    RestoreRequest,
    UpkeepReply,
    VacuumRequest,
)
from flowcat_jupyter.shared.wire import Column
from flowcat_jupyter.shared.wire_diff import DiffInfo

RESOURCE = "flowcat:catalog"


class DiffHandler(FlowcatHandler):
    """``catalog/tables/{id}/diff``."""

    @allowed("read", RESOURCE)
    async def get(self, table_id: str) -> None:
        """In what version ``to`` (the newest) differs from ``from`` (the one before it)."""
        before, after = self.optional_number("from"), self.optional_number("to")
        catalog = await self.catalog()
        work = catalog.maintenance.diff(int(table_id), before, after)
        self.reply(_diff(await self.unless_gone(work)))


class RestoreHandler(FlowcatHandler):
    """``catalog/tables/{id}/restore``."""

    @allowed("write", RESOURCE)
    async def post(self, table_id: str) -> None:
        """Make a version the newest again."""
        body = self.body(RestoreRequest)
        catalog = await self.catalog()
        work = catalog.maintenance.restore(int(table_id), body.version)
        self.reply(_upkeep(await self.unless_gone(work)))


class OptimizeHandler(FlowcatHandler):
    """``catalog/tables/{id}/optimize``."""

    @allowed("write", RESOURCE)
    async def post(self, table_id: str) -> None:
        """Put small files together."""
        body = self.body(OptimizeRequest)
        catalog = await self.catalog()
        work = catalog.maintenance.optimize(int(table_id), tuple(body.order_by))
        self.reply(_upkeep(await self.unless_gone(work)))


class VacuumHandler(FlowcatHandler):
    """``catalog/tables/{id}/vacuum``."""

    @allowed("write", RESOURCE)
    async def post(self, table_id: str) -> None:
        """Remove files that only old versions need, or tell which."""
        body = self.body(VacuumRequest)
        catalog = await self.catalog()
        work = catalog.maintenance.vacuum(
            int(table_id), retain_hours=body.retain_hours, dry_run=body.dry_run
        )
        self.reply(_upkeep(await self.unless_gone(work), dry_run=body.dry_run))


def _diff(info: DiffInfo) -> DiffReply:
    return DiffReply(
        before=DiffSide(
            version=info.before.version, row_count=info.before.rows, files=info.before.files
        ),
        after=DiffSide(
            version=info.after.version, row_count=info.after.rows, files=info.after.files
        ),
        columns=[
            DiffColumn(before=_one(change.before), after=_one(change.after))
            for change in info.columns
        ],
        settings=[DiffSetting.model_validate(vars(change)) for change in info.settings],
        compared=replies.columns(info.compared),
        left_out=list(info.left_out),
        added=info.added,
        removed=info.removed,
        sample=[
            DiffRow.model_validate({**vars(row), "values": list(row.values)}) for row in info.sample
        ],
    )


def _one(column: Column | None) -> schemas.Column | None:
    return None if column is None else replies.columns([column])[0]


def _upkeep(done: Upkeep, *, dry_run: bool = False) -> UpkeepReply:
    return UpkeepReply.model_validate(
        {
            "action": done.action.lower(),
            "changed": not dry_run and done.before != done.after,
            "dry_run": dry_run,
            "note": done.note,
            "version_before": done.before,
            "version": done.after,
            "files_removed": done.removed,
            "files_added": done.added,
            "bytes_freed": done.freed,
            "table": replies.table(done.table),
        }
    )
