"""The default engine: lowered SQL run by polars over LazyFrames."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

import polars as pl

from flowcat_jupyter.engines.polars_errors import translated
from flowcat_jupyter.engines.polars_steps import add_frames
from flowcat_jupyter.engines.polars_types import canonical, to_output
from flowcat_jupyter.engines.protocol import Relation
from flowcat_jupyter.shared.errors import LimitExceeded, SqlError
from flowcat_jupyter.shared.wire import Column, QueryPlan
from flowcat_jupyter.sql.lowering import Lowered, lower
from flowcat_jupyter.sql.lowering.text import depth
from flowcat_jupyter.sql.tree import load_tree

_COLLECT_BELOW = 100_000
# No frame holds more rows than this.
_MAX_HEAD = 2**32 - 2
# From a depth of 48 on the engine's parser fails or, among casts, takes exponential time.
_DEEPEST = 46
_GENERATED = re.compile(r"\b[a-z]\d+\b")
_PATHS = re.compile(r"SCAN \[[^\]]*\]")


class PolarsEngine:
    """Runs plans with `polars.SQLContext`, in which only the plan's relations are registered."""

    name = "polars"

    def prepare(self, plan: QueryPlan, relations: Mapping[str, Relation]) -> PolarsQuery:
        """See `Engine.prepare`."""
        lowered = _lowered(plan, relations)
        frames = {
            key: canonical(cast(pl.LazyFrame, relation.frame), relation.columns)
            for key, relation in relations.items()
        }
        if max(depth(sql) for sql in (lowered.sql, *(it.sql for it in lowered.frames))) > _DEEPEST:
            raise too_deep()
        context = pl.SQLContext(frames, register_globals=False)
        with translated(lowered.labels):
            add_frames(context, lowered.frames)
            frame = context.execute(lowered.sql, eager=False)
            if lowered.physical:
                names = {name: f"c{at}" for at, name in enumerate(lowered.physical)}
                frame = frame.select(pl.col(name).alias(key) for name, key in names.items())
            frame = to_output(frame, lowered.columns, plan.time_zone)
        return PolarsQuery(lowered, frame, tuple(item.name for item in relations.values()))


def _lowered(plan: QueryPlan, relations: Mapping[str, Relation]) -> Lowered:
    try:
        return lower(
            load_tree(plan.tree),
            {key: relation.columns for key, relation in relations.items()},
            time_zone=plan.time_zone,
            now=plan.now,
            user=plan.user,
            params=plan.params,
            headings=plan.headings,
            names={key: relation.name for key, relation in relations.items()},
        )
    except RecursionError as error:
        raise too_deep() from error


@dataclass(frozen=True)
class PolarsQuery:
    """A prepared query; see `Prepared`."""

    lowered: Lowered
    frame: pl.LazyFrame
    sources: tuple[tuple[str, ...], ...]

    @property
    def columns(self) -> tuple[Column, ...]:
        """The result's headings and Spark types."""
        return self.lowered.columns

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the user should know of this result."""
        return self.lowered.warnings

    def sink(self, path: Path, *, limit: int | None, max_bytes: int) -> tuple[int, bool]:
        """See `Prepared.sink`."""
        limit = None if limit is not None and limit >= _MAX_HEAD else limit
        frame = self.frame if limit is None else self.frame.head(limit + 1)
        with translated(self.lowered.labels):
            if limit is not None and limit <= _COLLECT_BELOW:
                return _write(frame.collect(optimizations=self._flags()), path, limit, max_bytes)
            rows = _stream(frame, path, max_bytes, self._flags())
            if limit is None or rows <= limit:
                return rows, False
            # One row too many was written to learn that there are more.
            return _write(pl.scan_ipc(path).collect(), path, limit, max_bytes)

    def explain(self) -> tuple[str, ...]:
        """See `Prepared.explain`."""
        with translated(self.lowered.labels):
            plan = self.frame.explain()
        lines = [f"reads {'.'.join(name)}" for name in self.sources]
        for line in plan.splitlines():
            shown = _PATHS.sub("SCAN", line).rstrip()
            lines.append(_GENERATED.sub(self._label, shown))
        return tuple(lines)

    def _flags(self) -> pl.QueryOptFlags:
        # polars would compute what two branches share before it knows which one is taken.
        return pl.QueryOptFlags(comm_subexpr_elim=not self.lowered.guarded)

    def _label(self, match: re.Match[str]) -> str:
        return self.lowered.labels.get(match.group(), match.group())


def _write(frame: pl.DataFrame, path: Path, limit: int, max_bytes: int) -> tuple[int, bool]:
    kept = frame.head(limit)
    if kept.estimated_size() > max_bytes:
        raise too_large(max_bytes)
    kept.write_ipc(path, compression="uncompressed")
    return kept.height, frame.height > limit


def _stream(frame: pl.LazyFrame, path: Path, max_bytes: int, flags: pl.QueryOptFlags) -> int:
    with path.open("wb") as file:
        guard = _Guard(file, max_bytes)
        try:
            frame.sink_ipc(cast(IO[bytes], guard), compression="uncompressed", optimizations=flags)
        except pl.exceptions.PolarsError:
            if not guard.exceeded:
                raise
        except OSError:
            if not guard.exceeded:
                raise
    if guard.exceeded:
        path.unlink(missing_ok=True)
        raise too_large(max_bytes)
    return int(pl.scan_ipc(path).select(pl.len()).collect().item())


class _Guard(io.RawIOBase):
    """A file that refuses to grow beyond a size."""

    def __init__(self, file: io.BufferedWriter, max_bytes: int) -> None:
        super().__init__()
        self._file = file
        self._left = max_bytes
        self.exceeded = False

    def writable(self) -> bool:
        return True

    def write(self, data: object) -> int:
        size = len(cast(bytes, data))
        self._left -= size
        if self._left < 0:
            self.exceeded = True
            raise OSError("the result is larger than allowed")
        return self._file.write(cast(bytes, data))

    def flush(self) -> None:
        self._file.flush()


def too_deep() -> SqlError:
    """The error for a query whose parts are nested deeper than the engine can read."""
    return SqlError(
        "The query is nested too deeply.",
        condition="FAILED_TO_PARSE_TOO_COMPLEX",
        sqlstate="54001",
        hint="Compute inner parts in a WITH clause or a sub-query of their own.",
    )


def too_large(max_bytes: int) -> LimitExceeded:
    """The error for a result of more bytes than allowed."""
    return LimitExceeded(
        f"The result is larger than {max_bytes / 1_000_000:,.0f} MB.",
        hint="Select fewer columns or rows, aggregate, or raise result_max_bytes.",
    )


ENGINE = PolarsEngine()
