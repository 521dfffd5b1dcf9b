from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from flowcat_jupyter.formats.delta import DeltaFormat
from flowcat_jupyter.shared.registry import Registry
from flowcat_jupyter.shared.wire import ImportJob, ImportProposal, PreviewImportJob, TableFacts
from flowcat_jupyter.worker.context import JobContext, Progress, no_progress
from flowcat_jupyter.worker.jobs.ingest import run_import, run_preview

Load = Callable[..., TableFacts]


def context(progress: Progress = no_progress) -> JobContext:
    formats: Registry[Any] = Registry("format")
    formats.register("delta", DeltaFormat())
    return JobContext(Registry("engine"), formats, progress)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return tmp_path / "table"


@pytest.fixture
def load(table: Path) -> Load:
    """Imports a file into the test's table."""

    def run(
        path: Path,
        *,
        mode: str = "create",
        options: dict[str, str] | None = None,
        types: dict[str, str] | None = None,
        progress: Progress = no_progress,
        **more: Any,
    ) -> TableFacts:
        job = ImportJob(
            path=str(path),
            format=more.pop("format", None),
            options=options or {},
            types=types or {},
            location=str(table),
            mode=mode,
            base_version=more.pop("base_version", None),
            commit_info=more.pop("commit_info", {}),
            **more,
        )
        return run_import(job, context(progress))

    return run


@pytest.fixture
def preview() -> Callable[..., ImportProposal]:
    """Looks at a file."""

    def run(
        path: Path,
        *,
        options: dict[str, str] | None = None,
        types: dict[str, str] | None = None,
        count: int = 50,
        location: str | None = None,
    ) -> ImportProposal:
        job = PreviewImportJob(
            str(path), None, options or {}, types or {}, count, location=location
        )
        return run_preview(job, context())

    return run
