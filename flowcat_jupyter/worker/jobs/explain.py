"""Telling a person how a query would run, whatever the engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from flowcat_jupyter.engines.lowered import too_deep
from flowcat_jupyter.formats.protocol import Reading, Scan
from flowcat_jupyter.shared.counts import many
from flowcat_jupyter.shared.names import TableName
from flowcat_jupyter.shared.wire import ExplainedSource, ExplainStep, QueryPlan, Source
from flowcat_jupyter.sql.columns_read import columns_read
from flowcat_jupyter.sql.outline import Outline
from flowcat_jupyter.sql.tree import load_tree

_SHOWN_COLUMNS = 12


def sources_told(plan: QueryPlan, scans: Mapping[str, Scan]) -> tuple[ExplainedSource, ...]:
    """Each source, how it is read and how much of it."""
    read = columns_read(load_tree(plan.tree), {key: scan.columns for key, scan in scans.items()})
    return tuple(_told(source, scans[source.relation], read) for source in plan.sources)


def _told(source: Source, scan: Scan, read: Mapping[str, tuple[str, ...]]) -> ExplainedSource:
    reading = scan.reading or Reading(route="its rows")
    return ExplainedSource(
        name=source.name,
        format=source.format,
        version=scan.version,
        route=reading.route,
        files=reading.files,
        files_skipped=reading.files_skipped,
        rows=reading.rows,
        rows_skipped=reading.rows_skipped,
        columns=read[source.relation],
        columns_total=len(scan.columns),
    )


def steps_told(plan: QueryPlan, sources: tuple[ExplainedSource, ...]) -> tuple[ExplainStep, ...]:
    """What is done, from the result down to the tables, in the query's own names.

    :raises SqlError: the query is nested too deeply to be told.
    """
    told = dict(zip((source.relation for source in plan.sources), sources, strict=True))
    names = {relation: TableName(source.name).sql for relation, source in told.items()}
    outline = Outline({key: _reader(source) for key, source in told.items()}, names)
    try:
        outline.query(load_tree(plan.tree))
    except RecursionError as error:
        raise too_deep() from error
    return tuple(ExplainStep(step.depth, step.text) for step in outline.steps)


def hidden_told(plan: QueryPlan) -> tuple[ExplainStep, ...]:
    """What is said in place of the steps where these would show a definition that is not for who
    asks; nothing where none would.
    """
    return tuple(
        ExplainStep(0, f"Compute what the {name} says, which those who manage it may see")
        for name in plan.hidden
    )


def _reader(source: ExplainedSource) -> Callable[[str | None], str]:
    def text(alias: str | None) -> str:
        name = TableName(source.name).sql
        called = f" as {alias}" if alias and alias != source.name[-1] else ""
        return f"Read {name}{called}: {_amount(source)}"

    return text


def _amount(source: ExplainedSource) -> str:
    parts = [f"{len(source.columns)} of {many(source.columns_total, 'column')}"]
    if source.files is not None:
        parts.append(f"{source.files - source.files_skipped:,} of {many(source.files, 'file')}")
    return ", ".join(parts)


def lines_told(
    engine: str,
    reason: str,
    sources: tuple[ExplainedSource, ...],
    steps: tuple[ExplainStep, ...],
    warnings: tuple[str, ...] = (),
) -> tuple[str, ...]:
    """All of it as lines of text."""
    lines = [f"Engine: {engine}. {reason}"]
    if sources:
        lines.append("Sources:")
    for source in sources:
        lines += [f"  {line}" for line in _source_lines(source)]
    lines.append("Steps, the last one first:")
    lines += [f"{'  ' * (step.depth + 1)}{step.text}" for step in steps]
    return (*lines, *(f"Note: {text}" for text in warnings))


def _source_lines(source: ExplainedSource) -> list[str]:
    version = "" if source.version is None else f", version {source.version}"
    lines = [
        f"{TableName(source.name).sql}: {source.format}{version}, read as {source.route}",
        f"  columns: {_columns(source)}",
    ]
    if source.files is not None:
        lines.append(f"  files: {_part(source.files, source.files_skipped, 'file')}")
    if source.rows is not None:
        lines.append(f"  rows: {_part(source.rows, source.rows_skipped or 0, 'row')}")
    return lines


def _part(total: int, skipped: int, what: str) -> str:
    if not skipped:
        return "the only one" if total == 1 and what == "file" else f"all {many(total, what)}"
    kept = f"{total - skipped:,} of {many(total, what)}"
    return f"{kept}; {skipped:,} left out, because no wanted row can be in them"


def _columns(source: ExplainedSource) -> str:
    names = source.columns
    if len(names) == source.columns_total:
        return f"all {source.columns_total}"
    shown = ", ".join(names[:_SHOWN_COLUMNS]) + (", …" if len(names) > _SHOWN_COLUMNS else "")
    return f"{len(names)} of {source.columns_total}" + (f" ({shown})" if names else "")
