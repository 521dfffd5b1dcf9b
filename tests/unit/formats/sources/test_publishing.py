"""A write that is killed at any moment leaves all of the old rows or all of the new ones."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl
import pytest

from flowcat_jupyter.formats.sink_publish import published
from flowcat_jupyter.shared.errors import AlreadyExists, Conflict, Forbidden, Unavailable
from flowcat_jupyter.storage import moving, settling
from flowcat_jupyter.storage.moving import PLAN, STAGED

from .conftest import FORMATS, declared, layers, rows

CHILD = """
import os, signal, sys
from pathlib import Path
from flowcat_jupyter.formats.sink_publish import published

place, mode, at, files = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4:]
steps = 0
def passed(step):
    global steps
    steps += 1
    if steps == at:
        os.kill(os.getpid(), signal.SIGKILL)
with published(place, mode, passed) as staged:
    for file in files:
        name, _, text = file.partition(":")
        path = staged.place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\\n")
"""
OLD = {"k=1/a.csv": "1", "k=1/b.csv": "2", "k=2/c.csv": "3"}
NEW = {"k=1/d.csv": "4", "k=2/e.csv": "5", "k=3/f.csv": "6", "k=3/g.csv": "7"}


def put(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n")


def killed(place: Path, mode: str, at: int, files: dict[str, str]) -> bool:
    """Whether a process that writes was killed after a number of steps; else it came to its end."""
    said = [f"{name}:{text}" for name, text in files.items()]
    done = subprocess.run([sys.executable, "-c", CHILD, str(place), mode, str(at), *said])  # noqa: S603 - our own program
    assert done.returncode in (0, -signal.SIGKILL)
    return done.returncode != 0


def seen(place: Path) -> list[str]:
    """What a program that passes over hidden names finds."""
    found = [
        path
        for path in place.rglob("*.csv")
        if not any(part.startswith((".", "_")) for part in path.relative_to(place).parts)
    ]
    return sorted(path.read_text().strip() for path in found)


def left_over(place: Path) -> list[str]:
    hidden = [str(path) for path in place.rglob(".*")]
    empty = [str(path) for path in place.rglob("*") if path.is_dir() and not any(path.iterdir())]
    return hidden + empty


@pytest.mark.parametrize("mode", ["overwrite", "append"])
def test_whoever_comes_next_finds_all_of_the_old_or_all_of_the_new(read, tmp_path, mode):
    old, new = sorted(OLD.values()), sorted(NEW.values())
    wanted = [old, new if mode == "overwrite" else sorted(old + new)]
    met = set()
    for at in range(1, 40):
        place, other = tmp_path / str(at), tmp_path / f"{at}w"
        put(place, OLD)
        if not killed(place, mode, at, NEW):
            break
        shutil.copytree(place, other)
        found = sorted(str(row[0]) for row in rows(read("csv", place, "v int, k int")))
        with published(str(other), "append") as staged:
            put(staged.place, {"k=9/z.csv": "9"})
        assert found in wanted, at
        assert seen(place) == found, at
        assert seen(other) == [*found, "9"], at
        assert left_over(place) == left_over(other) == [], at
        met.add(tuple(found))
    else:
        pytest.fail("the write never came to its end")
    assert len(met) == 2


def test_one_file_takes_the_place_of_one_in_a_single_step_for_everybody(tmp_path):
    for at in range(1, 20):
        place = tmp_path / str(at)
        put(place, {"a.csv": "1"})
        ended = not killed(place, "overwrite", at, {"b.csv": "2"})
        assert seen(place) in (["1"], ["2"]), at
        if ended:
            break
        settling.mend(place)
        assert seen(place) in (["1"], ["2"]), at
        assert left_over(place) == []


def test_a_write_to_a_new_place_that_is_killed_is_all_or_nothing(tmp_path):
    for at in range(1, 20):
        place = tmp_path / str(at)
        if not killed(place, "error", at, NEW):
            break
        settling.mend(place)
        assert seen(place) in ([], sorted(NEW.values()))
        assert left_over(place) == []


def test_mending_that_is_killed_is_mended(tmp_path):
    put(tmp_path / "t", OLD)
    place = tmp_path / "t"
    steps = iter(range(100))

    class Killed(BaseException):
        pass

    def die(step: str) -> None:
        if next(steps) == 4:
            raise Killed

    with pytest.raises(Killed), published(str(place), "overwrite", die) as staged:
        put(staged.place, NEW)
    for count in range(1, 20):
        plan = moving.read_plan(place)
        if plan is None:
            break
        left = iter(range(100))

        def again(step: str, left: Iterator[int] = left, count: int = count) -> None:
            if next(left) == count:
                raise Killed

        try:
            moving.Moves(place, plan, again).take()
        except Killed:
            continue
    settling.mend(place)
    assert seen(place) == sorted(NEW.values())
    assert left_over(place) == []


def test_a_living_writer_is_left_alone(read, tmp_path):
    put(tmp_path, {"a.csv": "1"})
    with published(str(tmp_path), "append") as staged:
        put(staged.place, {"b.csv": "2"})
        assert rows(read("csv", tmp_path, "v int")) == [(1,)]
        with published(str(tmp_path), "append") as other:
            put(other.place, {"c.csv": "3"})
        assert (staged.place / "b.csv").exists()
    assert seen(tmp_path) == ["1", "2", "3"]
    assert left_over(tmp_path) == []


def test_a_reader_waits_for_a_writer_that_moves_files(read, tmp_path):
    put(tmp_path, {"a.csv": "1", "b.csv": "2"})
    planned, go_on, found = threading.Event(), threading.Event(), []

    def passed(step: str) -> None:
        if step.startswith("swap"):
            planned.set()
            assert go_on.wait(10)

    def write() -> None:
        with published(str(tmp_path), "overwrite", passed) as staged:
            put(staged.place, {"c.csv": "3", "d.csv": "4"})

    writer = threading.Thread(target=write)
    reader = threading.Thread(target=lambda: found.extend(rows(read("csv", tmp_path, "v int"))))
    writer.start()
    assert planned.wait(10)
    reader.start()
    time.sleep(0.05)
    assert found == []
    go_on.set()
    writer.join()
    reader.join()
    assert sorted(found) == [(3,), (4,)]


def test_of_two_overwrites_at_once_one_wins_wholly(tmp_path):
    put(tmp_path, OLD)
    with (
        pytest.raises(Conflict, match="was written to while"),
        published(str(tmp_path), "overwrite") as one,
    ):
        put(one.place, {"k=1/x.csv": "8"})
        with published(str(tmp_path), "overwrite") as other:
            put(other.place, NEW)
    assert seen(tmp_path) == sorted(NEW.values())
    assert left_over(tmp_path) == []


def test_rows_added_beside_an_overwrite_are_never_lost(tmp_path):
    put(tmp_path, OLD)
    with published(str(tmp_path), "append") as one:
        put(one.place, {"k=1/x.csv": "8"})
        with published(str(tmp_path), "overwrite") as other:
            put(other.place, NEW)
    assert seen(tmp_path) == sorted([*NEW.values(), "8"])
    with (
        pytest.raises(Conflict),
        published(str(tmp_path), "overwrite"),
        published(str(tmp_path), "append") as other,
    ):
        put(other.place, {"k=1/y.csv": "9"})
    assert seen(tmp_path) == sorted([*NEW.values(), "8", "9"])


def test_rows_added_while_those_of_an_overwrite_are_computed_are_never_lost(tmp_path):
    put(tmp_path, {"a.csv": "1"})
    sink = FORMATS["csv"].begun(str(tmp_path), "overwrite")
    put(tmp_path, {"b.csv": "2"})
    with pytest.raises(Conflict, match=r"b\.csv"):
        sink.save(pl.LazyFrame({"v": [3]}), location=str(tmp_path), mode="overwrite", options=())
    assert seen(tmp_path) == ["1", "2"]
    FORMATS["csv"].save(
        pl.LazyFrame({"v": [3]}), location=str(tmp_path), mode="overwrite", options=()
    )
    assert seen(tmp_path) == ["3"]


def test_who_comes_second_to_an_empty_place_is_told_so(tmp_path):
    place = tmp_path / "t"
    with pytest.raises(AlreadyExists), published(str(place), "error") as one:
        put(one.place, {"a.csv": "1"})
        with published(str(place), "ignore") as other:
            put(other.place, {"b.csv": "2"})
    assert other.published
    assert not one.published
    with published(str(place), "ignore") as third:
        put(third.place, {"c.csv": "3"})
    assert not third.published
    assert seen(place) == ["2"]


@contextmanager
def _no_file_over(size: int) -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, ignored)


@pytest.mark.parametrize("format", ["csv", "json", "parquet"])
@pytest.mark.parametrize("mode", ["overwrite", "append"])
def test_a_full_disk_leaves_the_old_rows(read, tmp_path, format, mode):
    def save(values: list[str], mode: str) -> None:
        FORMATS[format].save(
            pl.LazyFrame({"a": values}),
            location=str(tmp_path / "t"),
            mode=mode,
            options=layers({}),
            columns=declared("a string"),
        )

    save(["old"], "error")
    with _no_file_over(4096), pytest.raises(Unavailable):
        save([str(number) * 20 for number in range(5000)], mode)
    assert rows(read(format, tmp_path / "t")) == [("old",)]
    assert left_over(tmp_path / "t") == []


def test_a_plan_that_does_not_fit_on_the_disk_changes_nothing(tmp_path):
    put(tmp_path, OLD)
    new = {f"k={number}/{'x' * 100}.csv": "0" for number in range(40)}
    with (
        pytest.raises(Unavailable),
        published(str(tmp_path), "overwrite", _full_when("whole")) as staged,
    ):
        put(staged.place, new)
    assert seen(tmp_path) == sorted(OLD.values())
    assert left_over(tmp_path) == []


def _full_when(wanted: str) -> Callable[[str], None]:
    def passed(step: str) -> None:
        if step == wanted:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            before = resource.getrlimit(resource.RLIMIT_FSIZE)
            resource.setrlimit(resource.RLIMIT_FSIZE, (16, before[1]))

    return passed


@pytest.fixture(autouse=True)
def limits() -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.getsignal(signal.SIGXFSZ)
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)
    signal.signal(signal.SIGXFSZ, handler)


def test_a_move_that_fails_takes_all_moves_back(tmp_path):
    put(tmp_path, OLD)

    def passed(step: str) -> None:
        if step.startswith("in "):
            raise PermissionError(1, "not permitted")

    with pytest.raises(Forbidden), published(str(tmp_path), "overwrite", passed) as staged:
        put(staged.place, NEW)
    assert seen(tmp_path) == sorted(OLD.values())
    assert left_over(tmp_path) == []


def test_what_another_program_put_there_after_a_crash_stays(tmp_path):
    put(tmp_path, {"a.csv": "1", "b.csv": "2"})
    at = 3  # the plan is written, nothing has been moved
    assert killed(tmp_path, "overwrite", at, {"c.csv": "3"})
    (tmp_path / "b.csv").write_text("another\n")
    settling.mend(tmp_path)
    assert seen(tmp_path) == ["3", "another"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"stage": "..", "machine": "m", "new": [], "old": []}',
        '{"stage": ".flowcat-staged-1", "machine": "m", "new": [], '
        '"old": [{"path": "../x.csv", "time_ns": 1, "size": 1}]}',
        '{"stage": ".flowcat-staged-1", "machine": "m", "new": [], '
        '"old": [{"path": "link/x.csv", "time_ns": 1, "size": 1}]}',
    ],
)
def test_a_plan_that_is_none_of_ours_is_never_carried_out(read, tmp_path, text):
    place = tmp_path / "t"
    put(place, {"a.csv": "1"})
    (place / "link").symlink_to(tmp_path)
    (place / PLAN).write_text(text)
    with pytest.raises(Unavailable, match=r"is none of an interrupted write"):
        read("csv", place, "v int")


def test_the_plan_of_another_machine_is_left_alone_while_it_moves(tmp_path, monkeypatch):
    put(tmp_path, {"a.csv": "1", "b.csv": "2"})
    assert killed(tmp_path, "overwrite", 3, {"c.csv": "3"})
    monkeypatch.setattr(settling, "QUIET_S", 0.3)
    monkeypatch.setattr(settling, "machine", lambda: "elsewhere")
    moved = threading.Event()

    def alive() -> None:
        for _ in range(6):
            time.sleep(0.1)
            os.utime(tmp_path / PLAN)
        moved.set()

    other = threading.Thread(target=alive)
    other.start()
    settling.mend(tmp_path)
    assert moved.is_set()
    other.join()
    assert seen(tmp_path) == ["3"]
    # Its hidden folder may be somebody's who is alive there, and goes after a day.
    for stage in tmp_path.glob(f"{STAGED}*"):
        os.utime(stage, (0, 0))


def test_without_locks_a_folder_is_read_and_written_all_the_same(read, tmp_path, monkeypatch):
    def no_locks(descriptor: int, kind: int) -> None:
        raise OSError(37, "No locks available")

    monkeypatch.setattr("fcntl.flock", no_locks)
    monkeypatch.setattr(settling, "QUIET_S", 0.2)
    put(tmp_path, OLD)
    with published(str(tmp_path), "overwrite") as staged:
        put(staged.place, NEW)
    assert len(rows(read("csv", tmp_path, "v int"))) == 4
    assert killed(tmp_path, "overwrite", 4, OLD)
    assert len(rows(read("csv", tmp_path, "v int"))) == 3
    assert not (tmp_path / PLAN).exists()
