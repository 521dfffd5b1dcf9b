"""The domain's rows as replies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from flowcat_jupyter.catalog.results import Result
from flowcat_jupyter.catalog.services.imports import Preview
from flowcat_jupyter.catalog.store import rows
from flowcat_jupyter.handlers import schemas
from flowcat_jupyter.shared import wire, wire_rows


def columns(items: Sequence[wire.Column]) -> list[schemas.Column]:
    """Columns as they are shown."""
    return [
        schemas.Column(name=c.name, type=c.type, nullable=c.nullable, comment=c.comment)
        for c in items
    ]


def node(row: rows.Node) -> schemas.Node:
    """One row of the tree."""
    return schemas.Node.model_validate(
        {
            "id": row.id,
            "uuid": row.uuid,
            "kind": row.kind,
            "name": row.name,
            "full_name": list(row.path),
            "sql_name": row.sql_name,
            "description": row.description,
            "access": row.access,
            "child_count": row.child_count,
            "row_count": row.row_count,
            "table_type": row.table_type,
            "broken": row.broken,
            "data_version": row.data_version,
            "updated_at": row.updated_at,
        }
    )


def table(row: rows.TableRow) -> schemas.TableReply:
    """One table, whole."""
    return schemas.TableReply.model_validate(
        {
            "id": row.id,
            "uuid": row.uuid,
            "name": row.name,
            "full_name": list(row.path),
            "sql_name": row.sql_name,
            "description": row.description,
            "access": row.access,
            "table_type": row.table_type,
            "format": row.format,
            "location": row.public_location,
            "columns": columns(row.columns),
            "partition_columns": list(row.partition_columns),
            "tags": list(row.tags),
            "row_count": row.row_count,
            "size_bytes": row.size_bytes,
            "files": row.file_count,
            "constraints": row.constraints,
            "properties": row.properties,
            "options": row.options,
            "freshness": row.written_at
            and {"last_write_at": row.written_at, "data_version": row.data_version or 0},
            "delta_version": row.delta_version,
            "data_version": row.data_version or 0,
            "owner": row.owner,
            "created_at": row.created_at,
            "updated_at": row.updated_at,
            "updated_by": row.updated_by,
        }
    )


def view(row: rows.ViewRow) -> schemas.ViewReply:
    """One view, whole."""
    return schemas.ViewReply.model_validate(
        {
            "id": row.id,
            "uuid": row.uuid,
            "name": row.name,
            "full_name": list(row.path),
            "sql_name": row.sql_name,
            "description": row.description,
            "access": row.access,
            "columns": columns(row.columns),
            "text": row.public_text,
            "dialect": row.dialect,
            "catalog": row.catalog if row.manages else None,
            "schema": row.schema if row.manages else None,
            "properties": row.properties,
            "owner": row.owner,
            "created_at": row.created_at,
            "updated_at": row.updated_at,
            "updated_by": row.updated_by,
        }
    )


def hit(row: rows.Hit) -> schemas.SearchHit:
    """Something found, and why."""
    return schemas.SearchHit.model_validate(
        {
            "node": node(row.node),
            "columns": columns(row.columns),
            "matched": [vars(match) for match in row.matched],
        }
    )


def edit(row: rows.Edit) -> schemas.TableEdit:
    """A change to what is said of a table."""
    return schemas.TableEdit.model_validate(vars(row))


def run(row: rows.Run) -> schemas.RunReply:
    """One run."""
    return schemas.RunReply.model_validate(
        {
            "id": row.id,
            "kind": row.kind,
            "title": row.title,
            "state": row.state,
            "progress": row.progress,
            "attempt": row.attempt,
            "created_at": row.created_at,
            "started_at": row.started_at,
            "ended_at": row.ended_at,
            "result": row.result,
            "error": row.error,
            "origin": row.origin,
        }
    )


def dropped(row: rows.Dropped) -> schemas.DroppedTable:
    """A dropped table that can come back."""
    return schemas.DroppedTable(
        dropped_id=row.id,
        full_name=list(row.path),
        dropped_at=row.dropped_at,
        dropped_by=row.dropped_by,
        purge_at=row.purge_at,
    )


def change(row: rows.Change) -> schemas.Change:
    """One line of the changes feed."""
    return schemas.Change(
        seq=row.seq,
        kind=row.kind,
        object_id=row.object_id,
        object_kind=row.object_kind,
        parent_id=row.parent_id,
        name=row.name,
        at=row.at,
    )


def history(info: wire.HistoryInfo) -> schemas.HistoryReply:
    """A table's commits."""
    return schemas.HistoryReply(
        items=[
            schemas.HistoryEntry.model_validate(
                {
                    "version": entry.version,
                    "timestamp": entry.timestamp,
                    "operation": entry.operation,
                    "user": entry.user,
                    "rows_added": entry.rows_added,
                    "rows_removed": entry.rows_removed,
                    "maintenance": entry.maintenance,
                    "run_id": entry.run_id if (entry.run_id or "").isdecimal() else None,
                    "mode": entry.mode,
                }
            )
            for entry in info.entries
        ],
        total=info.total,
    )


def used(items: Sequence[wire.UsedTable]) -> list[schemas.UsedTable]:
    """The tables a statement read."""
    return [schemas.UsedTable(name=".".join(item.name), version=item.version) for item in items]


def explained(info: wire.ExplainInfo) -> schemas.ExplainReply:
    """How a query would run."""
    return schemas.ExplainReply(
        engine=info.engine,
        reason=info.reason,
        lines=list(info.lines),
        used_tables=used(info.used_tables),
        sources=[
            schemas.ExplainSource(**{**asdict(source), "name": ".".join(source.name)})
            for source in info.sources
        ],
        steps=[schemas.ExplainStep(**asdict(step)) for step in info.steps],
    )


def _current(place: tuple[str, str] | None) -> schemas.CurrentSchema | None:
    return None if place is None else schemas.CurrentSchema(catalog=place[0], schema=place[1])


def envelope(result: Result) -> schemas.SqlReply:
    """What is known of a finished query, without its rows."""
    info, written = result.info, result.written
    return schemas.SqlReply(
        query_id=result.query_id,
        statement=result.statement,
        columns=columns(info.columns),
        row_count=info.row_count,
        truncated=info.truncated,
        affected_rows=written.total if written else None,
        written=schemas.WrittenRows(**asdict(written)) if written else None,
        current=_current(result.current),
        changed=result.changed,
        note=result.note,
        dry_run=result.dry_run,
        time_zone=result.time_zone,
        execution_time_ms=round(result.execution_time_ms, 3),
        engine=info.engine,
        used_tables=used(info.used_tables),
        warnings=list(info.warnings),
    )


def summary(info: wire_rows.SummaryInfo) -> schemas.ColumnSummary:
    """What a column holds."""
    bins = [{"from": part.start, "to": part.end, "count": part.count} for part in info.histogram]
    top = [{"value": item.value, "count": item.count} for item in info.top]
    return schemas.ColumnSummary.model_validate({**vars(info), "histogram": bins, "top": top})


def chart(info: wire_rows.ChartInfo) -> schemas.ChartReply:
    """Rows drawn."""
    return schemas.ChartReply(
        chosen=schemas.ChartChoice.model_validate(vars(info.chosen)),
        spec=info.spec,
        rows=info.rows,
        cut=info.cut,
        warnings=list(info.warnings),
    )


def preview(seen: Preview) -> schemas.ImportPreview:
    """What an import would make of its files."""
    info = seen.proposal
    return schemas.ImportPreview(
        format=info.format,
        options=info.options,
        columns=[
            schemas.ProposedColumn(
                name=c.name, type=c.type, reason=c.reason, examples=list(c.examples)
            )
            for c in info.columns
        ],
        rows=[list(row) for row in info.rows],
        rows_read=info.rows_read,
        warnings=list(info.warnings),
        notes=list(info.notes),
        files=[schemas.ImportFile(name=f.name, size_bytes=f.size_bytes) for f in info.files],
        rejected=info.rejected,
        rejects=[
            schemas.Reject(file=r.file, line=r.line, reason=r.reason, text=r.text)
            for r in info.rejects
        ],
        detected=[
            schemas.Detected(option=d.option, value=d.value, reason=d.reason) for d in info.detected
        ],
        choices={option: list(values) for option, values in info.choices.items()},
        drift=None if info.drift is None else _drift(info.drift),
        remembered=seen.remembered,
    )


def _drift(drift: wire.Drift) -> schemas.Drift:
    return schemas.Drift(
        added=[schemas.DriftColumn(name=c.name, type=c.type) for c in drift.added],
        missing=[schemas.DriftColumn(name=c.name, type=c.type) for c in drift.missing],
        changed=[
            schemas.DriftChange.model_validate({"name": c.name, "from": c.was or "", "to": c.type})
            for c in drift.changed
        ],
    )
