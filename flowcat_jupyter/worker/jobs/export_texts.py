"""Rows as text: CSV, TSV, JSON, lines of JSON, Markdown.

In CSV and TSV NULL is empty and the empty text is quoted; instants carry the offset of the
session's zone, so that they are exact and read as the grid shows them. In JSON values are as
everywhere in JSON here (see `cells`).
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path
from typing import IO, cast

import polars as pl

from flowcat_jupyter.formats.types import exactly
from flowcat_jupyter.worker.jobs.cells import ISO_SECONDS, json_rows, json_text
from flowcat_jupyter.worker.jobs.export import Rows
from flowcat_jupyter.worker.jobs.texts import shown

MOST_MARKDOWN = 10_000
_CHUNK = 10_000
# What a spreadsheet takes for the beginning of a formula.
_FORMULA = re.compile(r"^[=+\-@\t\r]")


def write_csv(rows: Rows, path: Path, total: int) -> int:
    """Write comma-separated text."""
    return _delimited(rows, path, total, ",")


def write_tsv(rows: Rows, path: Path, total: int) -> int:
    """Write tab-separated text."""
    return _delimited(rows, path, total, "\t")


def write_json(rows: Rows, path: Path, total: int) -> int:
    """Write a JSON list with an object for each row."""
    with path.open("w", encoding="utf-8") as file:
        file.write("[")
        for number, text in enumerate(_objects(rows)):
            file.write(",\n" if number else "\n")
            file.write(text)
        file.write("\n]\n")
    return total


def write_ndjson(rows: Rows, path: Path, total: int) -> int:
    """Write a JSON object for each row, one a line."""
    with path.open("w", encoding="utf-8") as file:
        for text in _objects(rows):
            file.write(text)
            file.write("\n")
    return total


def write_markdown(rows: Rows, path: Path, total: int) -> int:
    """Write a table for a text, of the first `MOST_MARKDOWN` rows; more would be no reading."""
    texts = rows.frame.head(MOST_MARKDOWN).select(_shown(rows)).collect()
    with path.open("w", encoding="utf-8") as file:
        file.write(_piped(list(rows.headings)))
        file.write(_piped_plain(["---"] * len(rows.headings)))
        file.writelines(_piped(["NULL" if t is None else t for t in row]) for row in texts.rows())
        if total > texts.height:
            file.write(f"\n{texts.height:,} of {total:,} rows.\n")
    return texts.height


def _delimited(rows: Rows, path: Path, total: int, separator: str) -> int:
    headings = [_disarmed(text) for text in rows.headings] if rows.formula_safe else rows.headings
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter=separator, lineterminator="\n").writerow(headings)
    schema = rows.frame.collect_schema()
    texts = [_field(name, dtype, rows) for name, dtype in schema.items()]
    if len(texts) == 1:
        # A line with nothing on it would be passed over by whoever reads the file.
        texts = [texts[0].fill_null("")]
    with path.open("ab") as file:
        rows.frame.select(texts).sink_csv(
            cast(IO[bytes], file), include_header=False, separator=separator
        )
    return total


def _field(name: str, dtype: pl.DataType, rows: Rows) -> pl.Expr:
    if isinstance(dtype, pl.Datetime):
        column = exactly(name)
        if dtype.time_zone is None:
            return column.dt.to_string(ISO_SECONDS)
        return column.dt.convert_time_zone(rows.zone).dt.to_string(f"{ISO_SECONDS}%:z")
    text = shown(name, dtype, rows.zone)
    if rows.formula_safe and isinstance(dtype, (pl.String, pl.Categorical, pl.Enum)):
        armed = text.str.contains(_FORMULA.pattern)
        return pl.when(armed).then(pl.lit("'") + text).otherwise(text).alias(name)
    return text


def _disarmed(text: str) -> str:
    return f"'{text}" if _FORMULA.match(text) else text


def _objects(rows: Rows) -> Iterator[str]:
    names = rows.distinct
    batches = rows.frame.collect_batches(chunk_size=_CHUNK, maintain_order=True, lazy=True)
    for batch in batches:
        for row in json_rows(batch):
            yield json_text(dict(zip(names, row, strict=True)))


def _shown(rows: Rows) -> list[pl.Expr]:
    return [shown(name, dtype, rows.zone) for name, dtype in rows.frame.collect_schema().items()]


def _piped(cells: list[str]) -> str:
    return _piped_plain([_escaped(cell) for cell in cells])


def _piped_plain(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |\n"


def _escaped(text: str) -> str:
    """Text that no Markdown reader takes for markup or for the end of a cell."""
    safe = re.sub(r"([\\`*_\[\]|~$])", r"\\\1", text)
    safe = safe.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"\r\n|\r|\n", "<br>", safe)
