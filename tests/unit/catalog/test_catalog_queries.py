"""Statements through the service: their order, cancelling, and the files they leave."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from flowcat_jupyter.catalog import results
from flowcat_jupyter.catalog.results import Result, Results
from flowcat_jupyter.catalog.sql_text import SqlRun
from flowcat_jupyter.shared.errors import Cancelled, NotFound
from flowcat_jupyter.shared.wire import Column, ResultInfo, ValuesJob
from tests.support.catalog import FolderFiles, World


class Spooling:
    """Writes something for every job, as a worker does, and calls ``after`` when it has."""

    def __init__(self) -> None:
        self.jobs: list[Any] = []
        self.after = lambda: None

    async def run(self, job: Any, **options: Any) -> Any:
        self.jobs.append(job)
        await asyncio.to_thread(Path(job.spool).write_text, "rows")
        self.after()
        columns = job.columns if isinstance(job, ValuesJob) else ()
        return ResultInfo(columns, 1, False, "fake", (), (), 0.0)

    def cancel(self, job_id: str) -> bool:
        return False

    def position(self, job_id: str) -> int | None:
        return None


@pytest.fixture
def spooling(world: World) -> Spooling:
    executor = Spooling()
    Path(world.deps.settings.home).mkdir(parents=True, exist_ok=True)
    world.deps = replace(world.deps, executor=executor)
    return executor


def files(world: World) -> list[Path]:
    folder = world.deps.results.files
    assert isinstance(folder, FolderFiles)
    return [path for path in folder.folder.iterdir() if path.is_file() and len(path.name) == 32]


async def test_only_the_last_statements_rows_are_kept(world: World, spooling: Spooling) -> None:
    result = await world.catalog().sql.execute(SqlRun("SELECT 1; SELECT 2", str(uuid4())))
    assert len(spooling.jobs) == 2
    assert files(world) == [result.spool]


async def test_a_query_cancelled_between_statements_leaves_no_file(
    world: World, spooling: Spooling
) -> None:
    catalog, query_id = world.catalog(), str(uuid4())
    spooling.after = lambda: catalog.sql.cancel(query_id)
    with pytest.raises(Cancelled):
        await catalog.sql.execute(SqlRun("SELECT 1; SELECT 2", query_id))
    assert len(spooling.jobs) == 1
    assert files(world) == []


@pytest.mark.parametrize(
    ("like", "found"),
    [
        ("*", ["a" * 100, "ab_c"]),
        ("A*", ["a" * 100, "ab_c"]),
        ("*_*", ["ab_c"]),
        ("ab*b_c", []),
        ("ab_c|x", ["ab_c"]),
        ("*b*c", ["ab_c"]),
        ("." * 4, []),
        ("*a" * 40 + "*b", []),
    ],
)
@pytest.mark.timeout(60)
async def test_show_filters_by_stars_and_alternatives_without_going_back(
    world: World, spooling: Spooling, like: str, found: list[str]
) -> None:
    await world.schema()
    main = (await world.catalog().namespaces.tree()).items[0]
    for name in ("a" * 100, "ab_c"):
        await world.catalog().namespaces.create(name, parent_id=main.id)
    await world.catalog().sql.execute(SqlRun(f"SHOW SCHEMAS IN main LIKE '{like}'", str(uuid4())))
    names = [row[0] for row in spooling.jobs[-1].rows]
    assert [name for name in names if name != "default"] == found


async def test_results_take_only_so_much_of_the_disk_and_the_oldest_go(
    world: World, spooling: Spooling
) -> None:
    held = world.deps.results.files
    world.deps = replace(world.deps, results=Results(held, ttl_s=60, most_bytes=10))
    ids = [str(uuid4()) for _ in range(4)]
    sql = world.catalog().sql
    kept = [await sql.execute(SqlRun("SELECT 1", query_id)) for query_id in ids]
    assert sorted(files(world)) == sorted(result.spool for result in kept[2:])
    assert sql.envelope(ids[3]).spool == kept[3].spool
    with pytest.raises(NotFound):
        sql.envelope(ids[0])


async def test_only_so_many_results_are_kept_and_the_oldest_go(
    world: World, spooling: Spooling, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(results, "MOST_RESULTS", 2)
    ids = [str(uuid4()) for _ in range(4)]
    sql = world.catalog().sql
    kept = [await sql.execute(SqlRun("SELECT 1", query_id)) for query_id in ids]
    assert sorted(files(world)) == sorted(result.spool for result in kept[2:])
    with pytest.raises(NotFound):
        sql.envelope(ids[1])


def test_results_with_equal_columns_share_them(tmp_path: Path) -> None:
    kept = Results(FolderFiles(tmp_path), ttl_s=60)
    ids = [str(uuid4()) for _ in range(2)]
    for query_id in ids:
        info = ResultInfo((Column("n", "INT"),), 1, False, "fake", (), (), 0.0)
        done = Result(query_id, "select", info, tmp_path / query_id, None, 0.0)
        kept.finish("ann", kept.start("ann", query_id), done)
    first, second = (kept.get("ann", query_id).info.columns for query_id in ids)
    assert first == (Column("n", "INT"),)
    assert first is second


def test_cancelling_ahead_of_queries_is_remembered_for_a_while_and_not_without_end(
    tmp_path: Path,
) -> None:
    now = [0.0]
    kept = Results(FolderFiles(tmp_path), ttl_s=3600, clock=lambda: now[0])
    ids = [str(uuid4()) for _ in range(results.MOST_EARLY + 1)]
    for query_id in ids:
        kept.cancel("ann", query_id)
    kept.start("ann", ids[0])
    with pytest.raises(Cancelled):
        kept.start("ann", ids[1])
    now[0] = results.EARLY_S + 1
    kept.start("ann", ids[2])


async def test_nothing_is_proposed_in_a_text_too_long_to_read_while_typing(world: World) -> None:
    completion = world.catalog().completion
    assert (await completion.complete("SEL", 3)).items
    assert (await completion.complete("SEL" + " " * 200_000, 3)).items == ()
