"""Files that cannot hold a wanted row are not opened, and no answer changes for it."""

from __future__ import annotations

import json
import random
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import polars as pl
import pytest

from flowcat_jupyter.formats.delta import DeltaFormat
from flowcat_jupyter.shared import wire
from flowcat_jupyter.shared.errors import Gone
from flowcat_jupyter.worker.jobs import sources
from flowcat_jupyter.worker.jobs.query import run_query
from tests.support.planning import planned, table

DAYS = [date(2024, 1, 1) + timedelta(days=at) for at in range(40)]
NAN = float("nan")


def rows(at: int) -> pl.DataFrame:
    """The rows of one file: each column covers a range of its own."""
    numbers = range(at * 10, at * 10 + 4)
    return pl.DataFrame(
        {
            "id": [*numbers, None],
            "name": ["abcdefghij"[at] * 2, "ü", None, "日", "A"] if at % 2 else [None] * 5,
            "d": [*DAYS[at * 4 : at * 4 + 4], None],
            "ts": [datetime(2024, 1, at + 1, h, 30, 0, 123456, tzinfo=UTC) for h in (0, 6, 12, 18)]
            + [None],
            "x": [at - 0.5, float(at), -0.0, NAN if at == 3 else 1e9, None],
            "p": ["a b", "c/d", None][at % 3],
        },
        schema={
            "id": pl.Int32,
            "name": pl.String,
            "d": pl.Date,
            "ts": pl.Datetime("us", "UTC"),
            "x": pl.Float64,
            "p": pl.String,
        },
    )


@pytest.fixture(scope="module")
def location(tmp_path_factory) -> str:
    folder = str(tmp_path_factory.mktemp("tables") / "José" / "t")
    lake = DeltaFormat()
    for at in range(9):
        mode = "append" if at else "create"
        parts = ["p"] if not at else []
        lake.write(rows(at), location=folder, mode=mode, base_version=None, partition_by=parts)
    return folder


@pytest.fixture
def ask(location, tmp_path, engine_context):
    def run(text: str) -> list[tuple]:
        plan = planned(text, table(location), time_zone="Asia/Tokyo")
        spool = tmp_path / "spool"
        job = wire.QueryJob(plan=plan, spool=str(spool), max_rows=None, max_bytes=1 << 24)
        run_query(job, engine_context)
        return sorted(pl.read_ipc(spool).rows(), key=repr)

    return run


def predicate(pick: random.Random) -> str:
    number = pick.randrange(-5, 95)
    day = pick.choice(DAYS)
    op = pick.choice(["=", "<", "<=", ">", ">=", "<>"])
    return pick.choice(
        [
            f"id {op} {number}",
            f"{number} {op} id",
            f"id BETWEEN {number} AND {number + 12}",
            f"id IN ({number}, {number + 7}, {number + 30})",
            f"name {op} '{pick.choice(['aa', 'b', 'ü', 'A', '', 'zz'])}'",
            f"d {op} '{day}'",
            f"d {op} DATE '{day}' - INTERVAL 3 DAYS",
            f"ts {op} '{day} 15:30:00.123456'",
            f"ts {op} TIMESTAMP '{day} 09:30:00.123000'",
            f"x {op} {pick.choice([-1.0, -0.5, 0.0, 2.0, 3.5, 1e9])!r}",
            f"p {op} '{pick.choice(['a b', 'c/d', 'x', ''])}'",
            f"{pick.choice(['id', 'name', 'p', 'x'])} IS {pick.choice(['', 'NOT '])}NULL",
        ]
    )


@pytest.mark.parametrize("seed", range(60))
def test_no_answer_changes(ask, monkeypatch, seed):
    pick = random.Random(seed)  # noqa: S311
    first, second = predicate(pick), predicate(pick)
    text = pick.choice(
        [
            "SELECT * FROM t WHERE {0} AND {1}",
            "SELECT * FROM t WHERE {0} AND ({1} OR id = 3)",
            "SELECT id FROM t WHERE {0} UNION ALL SELECT id FROM t WHERE {1}",
            "SELECT q.id, b.id AS c FROM t b LEFT JOIN (SELECT * FROM t WHERE {0}) q "
            "ON q.id = b.id + 10 WHERE b.id > 20 AND b.p IS NULL",
            "SELECT a.id, b.id AS c FROM t a LEFT JOIN t b ON a.id = b.id + 10 "
            "WHERE b.id IS NULL AND a.id < 50",
            "SELECT a.id, b.id AS c FROM t a FULL JOIN t b ON a.id = b.id + 10 "
            "WHERE b.id >= 70 AND b.x < 8.0",
            "SELECT count(*) AS n FROM (SELECT * FROM t WHERE {0}) q WHERE {1}",
            "SELECT id FROM t WHERE id IN (SELECT id FROM t WHERE {0}) AND {1}",
        ]
    ).format(first, second)
    answered = ask(text)
    monkeypatch.setattr(sources, "conditions_of", lambda *_: {})
    assert repr(answered) == repr(ask(text))


LAST = "2024-01-09 18:30:00.123456Z"


@pytest.mark.parametrize(
    "condition",
    [
        f"ts = TIMESTAMP '{LAST}'",
        f"ts >= TIMESTAMP '{LAST}'",
        "ts > TIMESTAMP '2024-01-09 18:30:00.123400Z'",
        f"ts IN (TIMESTAMP '{LAST}', TIMESTAMP '1999-01-01 00:00:00Z')",
        "ts IN ("
        + ", ".join(f"TIMESTAMP '2024-01-09 18:30:00.123{n}Z'" for n in range(400, 505))
        + ")",
    ],
)
def test_an_instant_that_the_log_records_cut_to_milliseconds_is_found(ask, condition):
    assert ask(" ".join(("SELECT id FROM t WHERE", condition))) == [(83,)]


def test_a_file_that_is_gone_and_not_wanted_is_no_hindrance(ask, location):
    log = Path(location, "_delta_log", f"{8:020}.json").read_text()
    (add,) = [json.loads(line)["add"] for line in log.splitlines() if '"add"' in line]
    (last,) = Path(location).rglob(Path(add["path"]).name)
    away = last.rename(last.with_suffix(".away"))
    try:
        assert len(ask("SELECT id FROM t WHERE id < 80")) == 32
        assert len(ask("SELECT id FROM t WHERE d <= '2024-01-31' AND d > '2024-01-08'")) == 23
        with pytest.raises(Gone):
            ask("SELECT id FROM t WHERE id <= 80")
    finally:
        away.rename(last)
