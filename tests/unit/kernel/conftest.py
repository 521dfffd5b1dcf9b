"""A shell and a context that speak to a small Flowcat server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from IPython.core.interactiveshell import InteractiveShell

from flowcat_jupyter.kernel.client import Client
from flowcat_jupyter.kernel.context import FlowfileContext
from flowcat_jupyter.kernel.server import Server
from tests.support.flowcat_http import FakeFlowcat, serving


@pytest.fixture
def fake(tmp_path: Path) -> Iterator[FakeFlowcat]:
    with serving(tmp_path / "storage") as flowcat:
        yield flowcat


@pytest.fixture
def client(fake: FakeFlowcat) -> Client:
    return Client(
        lambda: Server(fake.url, "kernel-token"), lambda: {"notebook": "a.ipynb", "cell_id": "é1"}
    )


@pytest.fixture
def ctx(client: Client) -> FlowfileContext:
    return FlowfileContext(client)


@pytest.fixture
def shell(fake: FakeFlowcat, monkeypatch: pytest.MonkeyPatch) -> Iterator[InteractiveShell]:
    """An IPython shell of its own with Flowcat loaded, speaking to the small server."""
    from flowcat_jupyter.kernel.extension import load, unload

    monkeypatch.setenv("FLOWCAT_URL", fake.url)
    monkeypatch.setenv("FLOWCAT_TOKEN", "kernel-token")
    made = InteractiveShell()
    load(made)
    yield made
    unload(made)
    if made.history_manager is not None:
        made.history_manager.end_session()
