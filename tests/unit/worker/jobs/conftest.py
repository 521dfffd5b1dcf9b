from __future__ import annotations

import pytest

from flowcat_jupyter.formats.delta import DeltaFormat
from flowcat_jupyter.shared.registry import Registry
from flowcat_jupyter.shared.wire import Source
from flowcat_jupyter.worker.context import JobContext


@pytest.fixture
def context() -> JobContext:
    formats: Registry = Registry("format")
    formats.register("delta", "flowcat_jupyter.formats.delta:FORMAT")
    formats.register("parquet", "flowcat_jupyter.formats.source_formats:PARQUET")
    engines: Registry = Registry("engine")
    return JobContext(engines=engines, formats=formats)


@pytest.fixture
def delta_source(tmp_path):
    """Makes a Delta table of a frame, and its source."""

    def make(frame, name="t", relation="r1", **options) -> Source:
        location = str(tmp_path / name)
        DeltaFormat().write(frame, location=location, mode="create", base_version=None)
        return Source(relation, "table", ("main", "default", name), "delta", location, **options)

    return make


@pytest.fixture
def engine_context(context) -> JobContext:
    context.engines.register("polars", "flowcat_jupyter.engines.polars:ENGINE")
    return context
