"""Tables of files read as Spark reads them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from flowcat_jupyter.formats import source_formats
from flowcat_jupyter.formats.protocol import Scan
from flowcat_jupyter.shared.types import parse_type
from flowcat_jupyter.shared.wire import Column, OptionLayer, Source

Read = Callable[..., Scan]
FORMATS: dict[str, Any] = {
    "csv": source_formats.CSV,
    "json": source_formats.JSON,
    "text": source_formats.TEXT,
    "binary": source_formats.BINARY,
    "parquet": source_formats.PARQUET,
    "arrow": source_formats.ARROW,
    "avro": source_formats.AVRO,
}


def declared(ddl: str) -> tuple[Column, ...]:
    """Columns as somebody would list them."""
    fields = parse_type(f"struct<{ddl}>").fields if ddl else ()
    return tuple(Column(field.name, field.type.ddl) for field in fields)


def layers(options: dict[str, str]) -> tuple[OptionLayer, ...]:
    return (OptionLayer("options", options),)


@pytest.fixture
def read() -> Read:
    """Reads a place: its format, where it is, columns as DDL, and options."""

    def reading(format: str, place: Path | str, ddl: str = "", **options: str) -> Scan:
        source = Source(
            "r1",
            "table",
            (),
            format,
            str(place),
            options=layers(options),
            columns=declared(ddl),
        )
        scan: Scan = FORMATS[format].scan(source)
        return scan

    return reading


def shape(scan: Scan) -> str:
    """The columns, as Spark's simpleString has them."""
    return ",".join(f"{column.name}:{column.type}" for column in scan.columns)


def rows(scan: Scan) -> list[tuple[Any, ...]]:
    return scan.declared().collect().rows()
