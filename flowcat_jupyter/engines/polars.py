"""The default engine: lowered SQL run by polars over LazyFrames."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import polars as pl

from flowcat_jupyter.engines.cell_sizes import CellLimit
from flowcat_jupyter.engines.lowered import lowered, too_deep
from flowcat_jupyter.engines.polars_chains import check_chains
from flowcat_jupyter.engines.polars_errors import translated
from flowcat_jupyter.engines.polars_steps import add_frames
from flowcat_jupyter.engines.polars_types import canonical, to_output
from flowcat_jupyter.engines.protocol import Relation
from flowcat_jupyter.engines.spool import spool
from flowcat_jupyter.shared.wire import Column, QueryPlan
from flowcat_jupyter.sql.lowering import Lowered
from flowcat_jupyter.sql.lowering.text import depth

# From a depth of 48 on the engine's parser fails or, among casts, takes exponential time.
_DEEPEST = 46
_GENERATED = re.compile(r"\b[a-z]\d+\b")
_PATHS = re.compile(r"SCAN \[[^\]]*\]")


class PolarsEngine:
    """Runs plans with `polars.SQLContext`, in which only the plan's relations are registered."""

    name = "polars"

    def prepare(self, plan: QueryPlan, relations: Mapping[str, Relation]) -> PolarsQuery:
        """See `Engine.prepare`."""
        made = lowered(plan, relations, self.name)
        frames = {
            key: canonical(cast(pl.LazyFrame, relation.frame), relation.columns)
            for key, relation in relations.items()
        }
        if max(depth(sql) for sql in (made.sql, *(it.sql for it in made.frames))) > _DEEPEST:
            raise too_deep()
        check_chains([*((it.name, it.sql) for it in made.frames), ("", made.sql)])
        for leaf in made.leaves:
            columns = (pl.col(real).alias(name) for name, real in leaf.read.items())
            frames[leaf.name] = frames[leaf.relation].select(columns)
        context = pl.SQLContext(frames, register_globals=False)
        with translated(made.labels):
            add_frames(context, made.frames)
            frame = context.execute(made.sql, eager=False)
            if made.physical:
                names = {name: f"c{at}" for at, name in enumerate(made.physical)}
                frame = frame.select(pl.col(name).alias(key) for name, key in names.items())
            frame = to_output(frame, made.columns, plan.time_zone)
        sources = tuple(item.name for item in relations.values())
        return PolarsQuery(made, frame, sources, CellLimit(plan.max_cell_bytes, made.columns))


@dataclass(frozen=True)
class PolarsQuery:
    """A prepared query; see `Prepared`."""

    lowered: Lowered
    frame: pl.LazyFrame
    sources: tuple[tuple[str, ...], ...]
    cells: CellLimit

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
        with translated(self.lowered.labels):
            return spool(
                self.frame,
                path,
                limit=limit,
                max_bytes=max_bytes,
                cells=self.cells,
                flags=self.flags(),
            )

    def explain(self) -> tuple[str, ...]:
        """See `Prepared.explain`."""
        with translated(self.lowered.labels):
            plan = self.frame.explain()
        lines = [f"reads {'.'.join(name)}" for name in self.sources]
        for line in plan.splitlines():
            shown = _PATHS.sub("SCAN", line).rstrip()
            lines.append(_GENERATED.sub(self._label, shown))
        return tuple(lines)

    def flags(self) -> pl.QueryOptFlags:
        """Which of the engine's optimizations keep the query's meaning."""
        # polars would compute what two branches share before it knows which one is taken.
        return pl.QueryOptFlags(comm_subexpr_elim=not self.lowered.guarded)

    def _label(self, match: re.Match[str]) -> str:
        return self.lowered.labels.get(match.group(), match.group())


ENGINE = PolarsEngine()
