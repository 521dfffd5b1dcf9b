"""Statements that change tables, beside deltalake called directly, and Sail."""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from uuid import uuid4

import numpy as np
import polars as pl
import pytest
from deltalake import DeltaTable, write_deltalake

from tests.support.ledger import Ledger
from tests.support.live import LiveServer, select
from tests.support.measure import Report
from tests.support.sail_peer import sail, sail_version
from tests.support.usage import Usage, alone, with_children

pytestmark = [pytest.mark.benchmark, pytest.mark.timeout(1800)]

ROWS, MERGED, INSERTED = 6_000_000, 100_000, 1_000_000
PLAIN_BOUND, REWRITE_BOUND = 1.15, 1.6
DIRECT = "deltalake called directly on a copy of the table"
WRITERS, APPENDS = 8, 25


@dataclass(frozen=True)
class Statement:
    """One statement in the three ways it is carried out; ``{t}``, ``{m}`` and ``{n}`` are folders
    or names of the table, the rows to merge and the rows to insert.
    """

    title: str
    sql: str
    direct: str
    sail: str | tuple[str, str]
    bound: float


STATEMENTS = (
    Statement(
        "INSERT of a million rows",
        "INSERT INTO {t} SELECT * FROM {n}",
        "write_deltalake({t!r}, pl.read_delta({n!r}), mode='append')",
        ("{n}", "{t}"),
        PLAIN_BOUND,
    ),
    Statement(
        "MERGE of 100,000 rows into six million",
        "MERGE INTO {t} t USING {m} s ON s.id = t.id WHEN MATCHED THEN UPDATE SET v = s.v "
        "WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, s.v)",
        "DeltaTable({t!r}).merge(pl.read_delta({m!r}), 's.id = t.id', source_alias='s', "
        "target_alias='t').when_matched_update({{'v': 's.v'}})"
        ".when_not_matched_insert({{'id': 's.id', 'v': 's.v'}}).execute()",
        "MERGE INTO delta.`{t}` t USING delta.`{m}` s ON s.id = t.id WHEN MATCHED THEN UPDATE SET "
        "v = s.v WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, s.v)",
        REWRITE_BOUND,
    ),
    Statement(
        "DELETE of a tenth of six million rows",
        "DELETE FROM {t} WHERE k < 100",
        "DeltaTable({t!r}).delete('k < 100')",
        "DELETE FROM delta.`{t}` WHERE k < 100",
        REWRITE_BOUND,
    ),
)


@pytest.fixture(scope="module")
def lake(bench_root: Path) -> Path:
    """Three tables: of six million rows, of rows to merge, and of rows to insert."""
    folder = bench_root / "writes"
    random = np.random.default_rng(1)

    def rows(ids: np.ndarray) -> pl.DataFrame:
        words = pl.Series(random.integers(0, 10_000, len(ids))).cast(pl.String)
        keys, values = random.integers(0, 1000, len(ids)), random.random(len(ids))
        return pl.DataFrame({"id": ids, "k": keys, "v": values, "s": words})

    write_deltalake(folder / "t", rows(np.arange(ROWS)))
    write_deltalake(folder / "n", rows(np.arange(ROWS, ROWS + INSERTED)))
    picked = random.choice(ROWS * 11 // 10, MERGED, replace=False)
    write_deltalake(folder / "m", pl.DataFrame({"id": picked, "v": random.random(MERGED)}))
    return folder


def copied(lake: Path) -> str:
    """The folder of a copy of the large table; its files are the same until they are replaced."""
    place = lake / uuid4().hex
    shutil.copytree(lake / "t", place, copy_function=os.link)
    return str(place)


def registered(server: LiveServer, folder: str) -> str:
    name = f"main.default.t{uuid4().hex}"
    server.post("tables/register", {"table": name, "location": folder, "format": "delta"}, 201)
    return name


def rows_of(folder: str) -> list[tuple[float, ...]]:
    """What tells whether two tables hold the same rows."""
    frame = pl.scan_delta(folder)
    told = frame.select(pl.len(), pl.col("id", "k").sum(), pl.col("v").sum().round(6))
    return told.collect().rows()


@pytest.mark.parametrize("statement", STATEMENTS, ids=lambda statement: statement.title)
def test_a_statement_beside_deltalake(
    statement: Statement,
    server: LiveServer,
    lake: Path,
    request: pytest.FixtureRequest,
    ledger: Ledger,
) -> None:
    others = {"m": str(lake / "m"), "n": str(lake / "n")}
    names = {key: registered(server, folder) for key, folder in others.items()}
    venv = request.config.getoption("--sail")
    ours, theirs, sails = list[Usage](), list[Usage](), list[Usage]()
    for at in range(request.config.getoption("--rounds") + 1):
        mine, its = copied(lake), copied(lake)
        table = registered(server, mine)
        text = statement.sql.format(t=table, **names)
        used = with_children(server.pid, partial(server.sql, text))
        code = statement.direct.format(t=its, **others)
        direct = alone(
            "import polars as pl; from deltalake import DeltaTable, write_deltalake", code
        )
        assert rows_of(mine) == rows_of(its)
        if at:
            ours.append(used)
            theirs.append(direct)
            if venv:
                sails.append(by_sail(Path(venv), statement, copied(lake), others))
    report = Report(f"{statement.title}; baseline: {DIRECT}")
    wall, cpu = (beside(report, theirs, ours, what) for what in ("wall", "cpu"))
    peak = beside(report, theirs, ours, "peak")
    note = ""
    if venv:
        ratio = beside(report, theirs, sails, "wall"), beside(report, theirs, sails, "peak")
        version = sail_version(Path(venv))
        note = f"Sail {version} beside the same baseline: {ratio[0]:.2f}, memory {ratio[1]:.2f}"
    ledger.hold(statement.title, DIRECT, wall, statement.bound, cpu=cpu, note=note)
    ledger.hold(f"{statement.title}, peak memory", DIRECT, peak, statement.bound, note=note)


def by_sail(venv: Path, statement: Statement, folder: str, others: dict[str, str]) -> Usage:
    said = statement.sail
    places = {"t": folder, **others}
    if isinstance(said, str):
        return sail(venv, said.format(**places))
    return sail(venv, (said[0].format(**places), said[1].format(**places)))


def beside(report: Report, theirs: list[Usage], ours: list[Usage], what: str) -> float:
    """The ratio of the medians of one measure, noted."""
    their, our = (statistics.median(getattr(one, what) for one in some) for some in (theirs, ours))
    scale, unit = (1e-6, "MB") if what == "peak" else (1.0, "s")
    report.note(f"{what}: {our * scale:.2f} {unit} against {their * scale:.2f} {unit}")
    return our / their


_WRITER = """
import sys
import polars as pl
from deltalake import write_deltalake
place, writer, appends = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
print("ready", flush=True)
sys.stdin.readline()
landed = 0
for at in range(appends):
    try:
        write_deltalake(place, pl.DataFrame({"writer": [writer], "at": [at]}), mode="append")
        landed += 1
    except Exception as error:
        print(type(error).__name__, file=sys.stderr)
print(landed)
"""


def test_eight_writers_that_append(server: LiveServer, lake: Path, ledger: Ledger) -> None:
    """Every append of ours lands; the bare library's are counted."""
    ours, theirs, lost = list[float](), list[float](), 0
    for _ in range(3):
        ours.append(appended(server))
        took, landed = appended_directly(lake / uuid4().hex)
        # What is lost took no time to write: counted as if it had come at the same pace.
        theirs.append(took * WRITERS * APPENDS / landed)
        lost += WRITERS * APPENDS - landed
    report = Report(f"{WRITERS} writers of {APPENDS} appends each; baseline: the library alone")
    report.line("deltalake in processes of its own", theirs)
    ratio = report.line("INSERT INTO over HTTP", ours)
    title = f"{WRITERS} writers of {APPENDS} appends each, all of which land"
    note = f"deltalake alone lost {lost} of {3 * WRITERS * APPENDS}"
    ledger.hold(title, "deltalake alone in eight processes", ratio, 1 / 0.9, note=note)


def appended(server: LiveServer) -> float:
    """Seconds until all have appended over HTTP."""
    table = f"main.default.a{uuid4().hex}"
    server.sql(f"CREATE TABLE {table} (writer BIGINT, at BIGINT)")

    def work(writer: int) -> None:
        for at in range(APPENDS):
            server.sql(" ".join(("INSERT INTO", table, "VALUES", f"({writer}, {at})")))

    took = together(work)
    (found,) = server.sql(select("count(DISTINCT writer, at), count(*)", table))["rows"]
    assert found == [WRITERS * APPENDS, WRITERS * APPENDS]
    return took


def together(work: Callable[[int], None]) -> float:
    threads = [threading.Thread(target=work, args=(writer,)) for writer in range(WRITERS)]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.perf_counter() - began


def appended_directly(place: Path) -> tuple[float, int]:
    """Seconds until all processes have appended, and how many rows landed."""
    empty = pl.DataFrame(schema={"writer": pl.Int64, "at": pl.Int64})
    write_deltalake(str(place), empty)
    writers = [
        subprocess.Popen(  # noqa: S603 - words of our own
            [sys.executable, "-c", _WRITER, str(place), str(writer), str(APPENDS)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        for writer in range(WRITERS)
    ]
    for writer in writers:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
    began = time.perf_counter()
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("\n")
        writer.stdin.flush()
    for writer in writers:
        writer.communicate()
    took = time.perf_counter() - began
    return took, DeltaTable(str(place)).to_pyarrow_dataset().count_rows()
