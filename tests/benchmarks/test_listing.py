"""Pages and searches of somebody who sees a hundred tables, in a small catalog and a large one."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from flowcat_jupyter.catalog.access import LOCAL, Actor
from flowcat_jupyter.catalog.reactions import Reactions
from flowcat_jupyter.catalog.store.engine import open_engine
from flowcat_jupyter.catalog.store.migrate import upgrade
from flowcat_jupyter.catalog.unit import Unit, UnitFactory
from tests.support.many_tables import FIRST, PER_SCHEMA, fill
from tests.support.measure import Report, interleaved

pytestmark = pytest.mark.benchmark

SMALL, LARGE = 1_000, 100_000
ROUNDS = 40
BOUND = 1.5
ANN = Actor("ann")


class _Clock:
    def now(self) -> datetime:
        return datetime.now(UTC)


def _grown(folder: Path, count: int) -> UnitFactory:
    """A catalog of so many tables, one schema of which is shared with a group of Ann's."""
    engine = open_engine(f"sqlite:///{folder / f'{count}.db'}")
    upgrade(engine)
    schema = fill(engine, count, _Clock().now())
    begin = UnitFactory(engine, _Clock(), Reactions())
    with begin(LOCAL, write=True) as unit:
        group = unit.grants.add_group("readers", at=unit.now, members=[ANN.name])
        unit.grants.grant(schema, group, "use", by=LOCAL.name, at=unit.now)
    return begin


def _timed(begin: UnitFactory, ask: Callable[[Unit], int], total: int) -> float:
    began = time.perf_counter()
    with begin(ANN) as unit:
        found = ask(unit)
    took = time.perf_counter() - began
    assert found == total
    return took


ASKED: dict[str, tuple[Callable[[Unit], int], int]] = {
    "a page of 100 tables": (lambda unit: unit.tables.page(limit=100).total, PER_SCHEMA),
    "a page of a schema's tree": (
        lambda unit: unit.securables.children(FIRST + 1, limit=100).total,
        PER_SCHEMA,
    ),
    "search: a column of every table": (
        lambda unit: unit.search.find("carrier", limit=100).total,
        PER_SCHEMA,
    ),
    "search: the middle of a comment's word": (
        lambda unit: unit.search.find("irlin", limit=100).total,
        PER_SCHEMA,
    ),
    "search: nothing of hers": (lambda unit: unit.search.find("zebra", limit=100).total, 0),
}


def test_a_restricted_user_waits_no_longer_in_a_large_catalog(tmp_path: Path):
    small, large = _grown(tmp_path, SMALL), _grown(tmp_path, LARGE)
    ratios = {}
    for name, (ask, total) in ASKED.items():
        _timed(large, ask, total)
        few, many = interleaved(
            ROUNDS,
            lambda ask=ask, total=total: _timed(small, ask, total),  # type: ignore[misc]
            lambda ask=ask, total=total: _timed(large, ask, total),  # type: ignore[misc]
        )
        report = Report(f"{name}, of somebody who sees {PER_SCHEMA}; bound x {BOUND}")
        report.line(f"{SMALL:,} tables", few)
        ratios[name] = report.line(f"{LARGE:,} tables", many)
    assert max(ratios.values()) <= BOUND, ratios
