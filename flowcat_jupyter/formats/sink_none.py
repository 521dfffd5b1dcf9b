"""Sinks that keep nothing: ``noop`` computes rows and forgets them, ``console`` shows some."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import NoReturn

import polars as pl

from flowcat_jupyter.formats.options import Option, flag, number, read_options
from flowcat_jupyter.formats.sink_publish import check_mode
from flowcat_jupyter.shared.errors import Invalid
from flowcat_jupyter.shared.wire import Column, HistoryInfo, OptionLayer, Source, TableFacts

log = logging.getLogger(__name__)
_CONSOLE: tuple[Option, ...] = (number("numRows", 20, least=0), flag("truncate", True))


class SinkOnly:
    """A format that takes rows and has none; see `SinkFormat`."""

    def __init__(self, name: str, options: tuple[Option, ...] = ()) -> None:
        """The sink ``name``, with its options."""
        self.name = name
        self._options = options

    def save(
        self,
        frame: pl.LazyFrame,
        *,
        location: str | None,
        mode: str,
        options: tuple[OptionLayer, ...],
        partition_by: Sequence[str] = (),
        columns: Sequence[Column] = (),
    ) -> int:
        """Compute all rows; how many they were."""
        check_mode(mode)
        said = read_options(self.name, options, self._options, doing="write")
        if location:
            raise Invalid(f"{self.name} writes to no place.", hint="Leave the path out.")
        most = said["numRows"] if self._options else 0
        first = pl.DataFrame(schema=frame.collect_schema())
        count = 0
        for batch in frame.collect_batches(lazy=True, maintain_order=True):
            first = first.vstack(batch.head(most - first.height))
            count += batch.height
        if self._options:
            with pl.Config(
                tbl_rows=most,
                fmt_str_lengths=20 if said["truncate"] else 10_000,
                tbl_hide_dataframe_shape=True,
            ):
                log.warning("%s", first)
        return count

    def open(self, source: Source) -> NoReturn:
        """Refuse: there is nothing to read."""
        raise self._refused()

    def scan(self, source: Source) -> NoReturn:
        """Refuse: there is nothing to read."""
        raise self._refused()

    def facts(self, source: Source) -> TableFacts:
        """Refuse: there is nothing to read."""
        raise self._refused()

    def history(self, source: Source, limit: int) -> HistoryInfo:
        """Refuse: there is nothing to read."""
        raise self._refused()

    def _refused(self) -> Invalid:
        return Invalid(
            f"{self.name} cannot be read: it keeps nothing of what is written to it.",
            condition="UNSUPPORTED_FEATURE.TABLE_OPERATION",
            sqlstate="0A000",
            hint="Write to a format that keeps rows, such as delta or parquet.",
        )


NOOP = SinkOnly("noop")
CONSOLE = SinkOnly("console", _CONSOLE)
