"""Rows as files that people take along."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import cast

import polars as pl

from flowcat_jupyter.formats.types import exactly
from flowcat_jupyter.shared.errors import Invalid
from flowcat_jupyter.shared.wire_rows import ExportInfo, ExportJob
from flowcat_jupyter.worker.context import JobContext
from flowcat_jupyter.worker.jobs.sources import reading
from flowcat_jupyter.worker.jobs.views import open_view

_TEXTS = "flowcat_jupyter.worker.jobs.export_texts"
_TABLES = "flowcat_jupyter.worker.jobs.export_tables"
WRITERS = {
    "csv": f"{_TEXTS}:write_csv",
    "tsv": f"{_TEXTS}:write_tsv",
    "json": f"{_TEXTS}:write_json",
    "ndjson": f"{_TEXTS}:write_ndjson",
    "markdown": f"{_TEXTS}:write_markdown",
    "parquet": f"{_TABLES}:write_parquet",
    "arrow": f"{_TABLES}:write_arrow_file",
    "xlsx": "flowcat_jupyter.worker.jobs.export_excel:write_excel",
}
"""The function that writes each format; what it needs is imported when it is used."""


@dataclass(frozen=True)
class Rows:
    """Rows to write: columns ``c0`` … called ``headings``, which may repeat.

    ``zone`` is that of the clock that instants are shown by.
    """

    frame: pl.LazyFrame
    headings: Sequence[str]
    zone: str = "UTC"
    formula_safe: bool = False

    @property
    def distinct(self) -> list[str]:
        """Headings that differ: a second ``x`` is ``x_2``."""
        names: dict[str, None] = {}
        for heading in self.headings:
            number, name = 1, heading
            while name in names:
                number += 1
                name = f"{heading}_{number}"
            names[name] = None
        return list(names)

    @property
    def renamed(self) -> pl.LazyFrame:
        """The rows in columns that are called as they are headed."""
        names = zip(self.frame.collect_schema().names(), self.distinct, strict=True)
        return self.frame.select(exactly(old).alias(new) for old, new in names)


def run_export(job: ExportJob, context: JobContext) -> ExportInfo:
    """Write every row of a view to ``job.out``.

    :raises NotFound: a column does not exist.
    :raises LimitExceeded: the format cannot hold as much.
    """
    view = open_view(job, context)
    fields = [view.field(item) for item in job.chosen] or list(view.fields)
    columns = [exactly(field.name).alias(f"c{at}") for at, field in enumerate(fields)]
    rows = Rows(
        view.rows().select(columns),
        [field.heading for field in fields],
        zone=job.time_zone,
        formula_safe=job.formula_safe,
    )
    with reading():
        total = view.count()
        written = write_rows(rows, job.format, Path(job.out), total=total)
    return ExportInfo(rows=written, total=total)


def write_rows(rows: Rows, format: str, path: Path, *, total: int) -> int:
    """Write ``total`` rows as a file, in bounded memory; how many it holds.

    :raises Invalid: there is no such format.
    :raises LimitExceeded: the format cannot hold as much.
    """
    if format not in WRITERS:
        raise Invalid(f"{format!r} is no format to export to.")
    module, _, name = WRITERS[format].partition(":")
    writer = cast(Callable[[Rows, Path, int], int], getattr(import_module(module), name))
    return writer(rows, path, total)
