"""Two versions of a table compared, row by row where their files differ."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import polars as pl

from flowcat_jupyter.formats.comparing import ComparableFormat, Side
from flowcat_jupyter.formats.protocol import label_of
from flowcat_jupyter.formats.types import exactly, polars_type
from flowcat_jupyter.shared.errors import Invalid
from flowcat_jupyter.shared.names import name_key
from flowcat_jupyter.shared.wire import Column
from flowcat_jupyter.shared.wire_diff import (
    ColumnChange,
    DiffInfo,
    DiffJob,
    DiffRow,
    DiffSide,
    SettingChange,
)
from flowcat_jupyter.worker.context import JobContext
from flowcat_jupyter.worker.jobs.display import clipped
from flowcat_jupyter.worker.jobs.sources import reading
from flowcat_jupyter.worker.jobs.texts import shown_values

CELLS = 24_000_000
"""So many values are held against each other at a time; more take several passes."""
BYTES = 128 << 20
"""The same of the files they are in, which are compressed."""
_TIMES = "times"


def run_diff(job: DiffJob, context: JobContext) -> DiffInfo:
    """Compare two versions, as `DiffJob` says.

    :raises Invalid: there is no such version, or the format has none to compare.
    :raises Gone: files that would have to be read were removed.
    """
    found = context.formats.get(job.after.format)
    if not isinstance(found, ComparableFormat):
        raise Invalid(
            f"{label_of(job.after)} is a table USING {job.after.format}, whose versions cannot be "
            "compared here.",
            hint="Query both versions, and take one from the other with EXCEPT ALL.",
        )
    before, after = found.compare(job.before, job.after)
    pairs = _paired(before.columns, after.columns)
    alike = {old: new for old, new in pairs if _comparable(old, new)}
    rows = _differing(before, after, alike, job, context)
    return DiffInfo(
        before=DiffSide(before.version, before.rows, before.files),
        after=DiffSide(after.version, after.rows, after.files),
        columns=tuple(_changes(before.columns, after.columns, pairs)),
        settings=tuple(_settings(before.settings, after.settings)),
        compared=tuple(alike.values()),
        left_out=tuple(new.name for old, new in pairs if old not in alike),
        added=rows.added,
        removed=rows.removed,
        sample=rows.sample,
        files_read=before.own_files + after.own_files,
    )


def _paired(before: Sequence[Column], after: Sequence[Column]) -> list[tuple[Column, Column]]:
    """The columns that both have, by names as SQL compares them."""
    known = {name_key(column.name): column for column in before}
    return [(known[key], column) for column in after if (key := name_key(column.name)) in known]


def _comparable(old: Column, new: Column) -> bool:
    """Whether values of both types are equal exactly when they are the same value."""
    if old.type == new.type:
        return True
    left, right = polars_type(old.type), polars_type(new.type)
    kinds = (pl.Decimal, pl.Float32, pl.Float64)
    return (left.is_integer() and right.is_integer()) or any(
        isinstance(left, kind) and isinstance(right, kind) for kind in (kinds[:1], kinds[1:])
    )


def _changes(
    before: Sequence[Column], after: Sequence[Column], pairs: Iterable[tuple[Column, Column]]
) -> Iterable[ColumnChange]:
    """Columns that went, those that are not what they were, and those that came."""
    kept = dict(pairs)
    for column in before:
        new = kept.get(column)
        if new != column:
            yield ColumnChange(column, new)
    come = set(after) - set(kept.values())
    yield from (ColumnChange(None, column) for column in after if column in come)


def _settings(before: Mapping[str, str], after: Mapping[str, str]) -> Iterable[SettingChange]:
    for name in sorted({*before, *after}):
        if before.get(name) != after.get(name):
            yield SettingChange(name, before.get(name), after.get(name))


@dataclass(frozen=True)
class _Rows:
    """How many rows are only on one side, and some of them."""

    added: int | None
    removed: int | None
    sample: tuple[DiffRow, ...] = ()


def _differing(
    before: Side, after: Side, alike: Mapping[Column, Column], job: DiffJob, context: JobContext
) -> _Rows:
    old = before.frame.select(
        exactly(column.name).alias(f"c{at}") for at, column in enumerate(alike)
    )
    new = after.frame.select(
        exactly(column.name).alias(f"c{at}") for at, column in enumerate(alike.values())
    )
    with reading():
        if not before.own_files or not after.own_files:
            # All rows of the files that one of them has are more than the other has.
            return _Rows(
                added=_count(after),
                removed=_count(before),
                sample=_sample(old.head(job.sample), new.head(job.sample), job),
            )
        if not alike:
            return _Rows(None, None)
        return _compared(old, new, _passes(before, after, len(alike)), job, context)


def _count(side: Side) -> int:
    if side.own_rows is not None:
        return side.own_rows
    return int(side.frame.select(pl.len()).collect().item())


def _passes(before: Side, after: Side, columns: int) -> int:
    rows = (before.own_rows or 0) + (after.own_rows or 0)
    size = before.own_bytes + after.own_bytes
    return 1 + max(rows * columns // CELLS, size // BYTES)


def _compared(
    old: pl.LazyFrame, new: pl.LazyFrame, passes: int, job: DiffJob, context: JobContext
) -> _Rows:
    """Rows with how much oftener they are after than before.

    Equal rows have equal hashes, so that each pass may look at its own share of the hashes alone.
    """
    names = old.collect_schema().names()
    both = pl.concat(
        [old.with_columns(_times(-1)), new.with_columns(_times(1))], how="vertical_relaxed"
    )
    added = removed = 0
    gone: list[pl.DataFrame] = []
    come: list[pl.DataFrame] = []
    for at in range(passes):
        share = both
        if passes > 1:
            context.progress(at, passes, "passes")
            share = both.filter(pl.struct(names).hash(7) % passes == at)
        counted = share.group_by(names).agg(pl.col(_TIMES).sum()).filter(pl.col(_TIMES) != 0)
        found = counted.collect(engine="streaming")
        more, less = (found.filter(side) for side in (pl.col(_TIMES) > 0, pl.col(_TIMES) < 0))
        added += int(more[_TIMES].sum())
        removed -= int(less[_TIMES].sum())
        come.append(more.sort(names).head(job.sample))
        gone.append(less.sort(names).head(job.sample))
    first, then = (_first(frames, names, job.sample) for frames in (gone, come))
    return _Rows(added, removed, _sample(first, then, job))


def _times(sign: int) -> pl.Expr:
    return pl.lit(sign, pl.Int64).alias(_TIMES)


def _first(frames: Sequence[pl.DataFrame], names: Sequence[str], limit: int) -> pl.LazyFrame:
    return pl.concat(frames).sort(names).head(limit).lazy()


def _sample(old: pl.LazyFrame, new: pl.LazyFrame, job: DiffJob) -> tuple[DiffRow, ...]:
    """At most ``job.sample`` rows, of both sides if both have some; those alike together."""
    gone, come = old.collect(), new.collect()
    if not gone.width:
        return ()
    half = job.sample // 2
    first = gone.head(max(half, job.sample - come.height))
    then = come.head(max(half, job.sample - gone.height))
    return tuple(
        _beside(_told("removed", first, job.time_zone), _told("added", then, job.time_zone))
    )


def _told(change: str, rows: pl.DataFrame, zone: str) -> list[DiffRow]:
    names = [name for name in rows.columns if name != _TIMES]
    times = rows[_TIMES].abs().to_list() if _TIMES in rows.columns else [1] * rows.height
    texts = [
        clipped(pl.Series(name, shown_values(rows[name], zone), dtype=pl.String)) for name in names
    ]
    return [
        DiffRow(change, times[at], values) for at, values in enumerate(zip(*texts, strict=True))
    ]


def _beside(gone: Sequence[DiffRow], come: list[DiffRow]) -> Iterable[DiffRow]:
    """Each row that went with the one that came in which most values are the same, if most are."""
    left = list(come)
    for row in gone:
        yield row
        likest = max(left, key=lambda other: _same(row, other), default=None)
        if likest is not None and _same(row, likest) * 2 >= len(row.values):
            left.remove(likest)
            yield replace(likest, beside=True)
    yield from left


def _same(row: DiffRow, other: DiffRow) -> int:
    if row.count != other.count:
        return 0
    return sum(a == b for a, b in zip(row.values, other.values, strict=True))
