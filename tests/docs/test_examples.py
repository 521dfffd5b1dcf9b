"""The examples of the pages run as they stand there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from ast import literal_eval
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from flowcat_jupyter.kernel.arguments import read_cell_line
from flowcat_jupyter.kernel.client import Client
from flowcat_jupyter.kernel.context import FlowfileContext
from flowcat_jupyter.kernel.sending import sent
from flowcat_jupyter.kernel.server import Server
from flowcat_jupyter.shared.frame_names import named_frames
from tests.support.live import LiveServer, clean_env, live_server, with_demo
from tests.support.pages import Block, blocks

pytestmark = pytest.mark.slow

NOTEBOOK = {
    "nbformat": 4,
    "nbformat_minor": 5,
    "metadata": {},
    "cells": [{"id": "a", "cell_type": "markdown", "metadata": {}, "source": "# Report"}],
}
FILES = {
    "sales.csv": "id,amount\n1,2.5\n2,3.5\n",
    "sales_2024-06.csv": "id,amount\n4,5.5\n",
    "more.csv": "id,amount\n3,4.5\n",
    "odd.txt": "a\t1\nb\t2\n",
    "ids.csv": "zip\n12345\n",
    "report.ipynb": json.dumps(NOTEBOOK),
}
# What starts a server that stays.
ENDLESS = "flowcat lab"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return with_demo(tmp_path_factory.mktemp("docs-home"))


@pytest.fixture(scope="module")
def server(home: Path) -> Iterator[LiveServer]:
    with live_server(home, home) as running:
        yield running


@pytest.mark.parametrize(
    "block", [b for b in blocks("bash") if not b.text.startswith(ENDLESS)], ids=str
)
def test_commands_of_the_pages_run(
    block: Block, home: Path, server: LiveServer, tmp_path: Path
) -> None:
    for name, content in FILES.items():
        (tmp_path / name).write_text(content)
    text = block.text.replace("http://127.0.0.1:8888/flowcat/", server.url)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(  # noqa: S603 - our own pages
        ["/bin/bash", "-euo", "pipefail", "-c", text],
        env=clean_env(home, PATH=path, HOME=str(tmp_path), TOKEN=server.token),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert '"code"' not in done.stdout


FRAMES = {"hubs": pl.DataFrame({"carrier": ["UA", "DL"], "hub": ["ORD", "ATL"]})}
CELLS = [b for b in blocks("text") if b.text.startswith("%%catalog_sql") and "[" not in b.text]


@pytest.mark.parametrize("block", CELLS, ids=str)
def test_sql_cells_of_the_pages_run(block: Block, server: LiveServer) -> None:
    line, _, query = block.text.partition("\n")
    arguments = read_cell_line(line.removeprefix("%%catalog_sql"))
    params = {name: literal_eval(text) for name, text in arguments.params.items()}
    client = Client(find=lambda: Server(server.url, server.token))
    with sent(client, {named.name: FRAMES[named.name] for named in named_frames(query)}) as frames:
        assert server.sql(query, params=params, frames=frames.ids)["rows"]


def test_the_tutorial_runs_from_top_to_bottom(server: LiveServer) -> None:
    _run(_ordered("docs/tutorial.md"), server)


def test_the_example_of_the_readme_runs(server: LiveServer) -> None:
    _run(_ordered("README.md"), server)


def _ordered(page: str) -> list[Block]:
    found = [b for language in ("sql", "python") for b in blocks(language) if b.page == page]
    return sorted(found, key=lambda block: block.number)


def _run(pieces: list[Block], server: LiveServer) -> None:
    assert pieces
    client = Client(find=lambda: Server(server.url, server.token))
    names: dict[str, Any] = {"flowfile_ctx": FlowfileContext(client)}
    for piece in pieces:
        if piece.language == "python":
            exec(piece.text, names)  # noqa: S102 - our own pages
        else:
            assert server.sql(piece.text)["rows"], piece
