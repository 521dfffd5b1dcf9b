"""Temporary views of files."""

from __future__ import annotations

from flowcat_jupyter.catalog.barrier import check_columns
from flowcat_jupyter.catalog.carrying.carrier import Carrier
from flowcat_jupyter.catalog.carrying.done import Done
from flowcat_jupyter.catalog.carrying.files import check_readable, file_source
from flowcat_jupyter.catalog.carrying.session_views import keep_temporary, taken_temporary
from flowcat_jupyter.catalog.planning.using_views import CreateFileView
from flowcat_jupyter.catalog.planning.views import GLOBAL_TEMP, FilesRead, ViewText
from flowcat_jupyter.shared.names import check_name
from flowcat_jupyter.shared.wire import InspectJob, TableFacts


async def create_file_view(carrier: Carrier, change: CreateFileView) -> Done:
    """Let files be read under a name of the session; nothing is kept unless they can be."""
    name = check_name(change.name[0], "view")
    kind = f"CREATE {change.kind}"
    path = (GLOBAL_TEMP, name) if change.kind.startswith("GLOBAL") else (name,)
    told = taken_temporary(carrier, path, replace=change.replace)
    if told is not None and not change.if_not_exists:
        raise told
    if told is not None:
        return Done(kind, warnings=(told.message,), changed=False)
    await check_readable(carrier, change.table)
    source = await carrier.threads.run(lambda: file_source(carrier, change.table))
    facts: TableFacts = await carrier.deps.executor.run(
        InspectJob(source), job_id=carrier.asking.job_id, deadline_s=carrier.deps.deadline_s
    )
    check_columns(facts.columns)
    files = FilesRead(source.format, source.location, source.options, source.columns)
    view = ViewText(
        path,
        "",
        carrier.asking.dialect,
        *carrier.place,
        columns=facts.columns,
        comment=change.table.comment,
        files=files,
    )
    keep_temporary(carrier, view)
    return Done(kind, warnings=facts.warnings)
