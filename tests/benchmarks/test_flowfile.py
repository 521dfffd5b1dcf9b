"""TPC-H on Flowfile, beside the table of TPC-H for the reader; only where ``--flowfile`` is given.

Its own virtual environment has to hold it: ``python -m venv V && V/bin/pip install flowfile``.
"""

from __future__ import annotations

import io
import re
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tests.support.flowfile_peer import Answer, Flowfile, NoAnswer, flowfile
from tests.support.ledger import Ledger, geometric_mean
from tests.support.tpch import QUERIES, TABLES, near, plain

duckdb = pytest.importorskip("duckdb")
# A query that gets no answer may take its whole deadline, and the server a while to start again.
pytestmark = [pytest.mark.benchmark, pytest.mark.timeout(3600)]

POLARS = "polars in this process on the same Delta tables, text as written, result as Arrow"
DEADLINE_S = 60.0
INTERVAL = re.compile(r"(?i)INTERVAL '(\d+)' (\w+)")


@pytest.fixture(scope="module")
def peer(
    request: pytest.FixtureRequest, lake_folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Flowfile]:
    """Flowfile over the tables that the measurements of TPC-H have left."""
    venv = request.config.getoption("--flowfile")
    if not venv:
        pytest.skip("--flowfile names no virtual environment with Flowfile")
    if not (lake_folder / TABLES[-1] / "_delta_log").exists():
        pytest.skip("there are no tables of TPC-H; run test_tpch_speed.py before")
    with flowfile(Path(venv), tmp_path_factory.mktemp("flowfile")) as running:
        for name in TABLES:
            running.register(name, lake_folder / name)
        yield running


@dataclass
class Found:
    """What a query gave: medians of wall and processor seconds, theirs and those of polars."""

    right: bool
    wall: float
    cpu: float
    base_wall: float
    base_cpu: float


@dataclass
class Tally:
    """Every query: answered, or why not."""

    answered: dict[str, Found] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    respelled: list[str] = field(default_factory=list)

    @property
    def note(self) -> str:
        right = sum(found.right for found in self.answered.values())
        said = f"answers {len(self.answered)} of {len(QUERIES)} queries, {right} of them rightly"
        for what, names in (
            ("with intervals in a spelling of its own", self.respelled),
            ("wrong", [name for name, found in self.answered.items() if not found.right]),
            ("no answer", self.refused),
        ):
            said += f"; {what}: {', '.join(names)}" if names else ""
        return said


def test_tpch_on_flowfile(
    peer: Flowfile, lake_folder: Path, request: pytest.FixtureRequest, ledger: Ledger
) -> None:
    rounds, scale = request.config.getoption("--rounds"), request.config.getoption("--scale")
    wanted = answers(lake_folder)
    tally = Tally()
    for name, query in QUERIES.items():
        try:
            text, first = asked(peer, query)
            right = near(first.plain(), wanted[name])
            tally.answered[name] = measured(peer, lake_folder, text, query, rounds, right)
            tally.respelled += [name] * (text != query)
        except NoAnswer as error:
            tally.refused[name] = str(error).partition("\n")[0][:200]
    report(tally)
    assert tally.answered, tally.refused
    ledger.hold(
        f"TPC-H scale {scale} on Flowfile {peer.version} over HTTP, of the queries it answers",
        POLARS,
        geometric_mean(found.wall / found.base_wall for found in tally.answered.values()),
        None,
        cpu=geometric_mean(found.cpu / found.base_cpu for found in tally.answered.values()),
        note=tally.note,
    )


def answers(lake: Path) -> dict[str, list[list[Any]]]:
    """DuckDB's answers, dates as texts."""
    with duckdb.connect() as connection:
        for name in TABLES:
            files = [str(path) for path in sorted((lake / name).glob("*.parquet"))]
            connection.execute(f"CREATE VIEW {name} AS FROM read_parquet({files})")
        found = {name: connection.execute(query).fetchall() for name, query in QUERIES.items()}
    return {
        name: [
            [str(cell) if isinstance(cell, date) else cell for cell in row] for row in plain(rows)
        ]
        for name, rows in found.items()
    }


def asked(peer: Flowfile, query: str) -> tuple[str, Answer]:
    """The text that it answers, and its answer: as written, else with intervals as it reads them.

    :raises NoAnswer: neither.
    """
    try:
        return query, peer.ask(query, DEADLINE_S)
    except NoAnswer:
        text = INTERVAL.sub(r"INTERVAL '\1 \2'", query)
        if text == query:
            raise
        return text, peer.ask(text, DEADLINE_S)


def measured(peer: Flowfile, lake: Path, text: str, query: str, rounds: int, right: bool) -> Found:
    """Medians of both in turns, after a round that warms up; ``text`` is what the peer is asked."""

    def alone() -> None:
        frames = {name: pl.scan_delta(str(lake / name)) for name in TABLES if name in query}
        pl.SQLContext(frames).execute(query).collect().write_ipc_stream(io.BytesIO())

    def theirs() -> None:
        peer.ask(text, DEADLINE_S)

    taken: list[tuple[float, float, float, float]] = []
    for at in range(rounds + 1):
        one = (*timed(theirs, peer.cpu), *timed(alone, time.process_time))
        if at:
            taken.append(one)
    return Found(right, *(statistics.median(column) for column in zip(*taken, strict=True)))


def timed(work: Callable[[], None], cpu: Callable[[], float]) -> tuple[float, float]:
    """Wall and processor seconds of ``work``."""
    spent, began = cpu(), time.perf_counter()
    work()
    return time.perf_counter() - began, max(cpu() - spent, 1e-2)


def report(tally: Tally) -> None:
    for name, found in tally.answered.items():
        wall, cpu = found.wall / found.base_wall, found.cpu / found.base_cpu
        mark = "" if found.right else "   WRONG"
        sys.stdout.write(f"  {name} x {wall:.2f}  processor time x {cpu:.2f}{mark}\n")
    for name, reason in tally.refused.items():
        sys.stdout.write(f"  {name} no answer: {reason}\n")
    sys.stdout.flush()
