"""Results on disk: private, expiring, and sendable as a stream without being parsed."""

from __future__ import annotations

import asyncio
import io
import os
import stat
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.ipc
import pytest

import flowcat_jupyter
from flowcat_jupyter.shared.errors import Gone, Internal
from flowcat_jupyter.worker.spool import Spool, arrow_stream_chunks, arrow_stream_span

SOURCES = Path(flowcat_jupyter.__file__).parent.parent
ABANDON = """
import os, sys
from pathlib import Path
from flowcat_jupyter.worker.spool import Spool
spool = Spool(Path(sys.argv[1]), 60)
spool.new_path().write_text("x")
sys.stdout.write(str(spool.folder))
sys.stdout.flush()
os._exit(1)
"""
FRAMES = {
    "rows": pl.DataFrame({"n": range(100_000), "t": ["ä"] * 100_000, "x": [None, 1.5] * 50_000}),
    "no rows": pl.DataFrame({"n": [1], "t": ["x"]}).clear(),
    "nested": pl.DataFrame({"l": [[1, 2], None], "s": [{"a": 1}, {"a": 2}]}),
    "no columns": pl.DataFrame(),
}


def stream_of(path: Path) -> bytes:
    span = arrow_stream_span(path)
    content = path.read_bytes()
    body = span.head + content[span.offset : span.offset + span.length]
    assert len(body) == span.size
    assert b"".join(arrow_stream_chunks(path, chunk=1000)) == body
    return body


@pytest.mark.parametrize("name", FRAMES)
def test_the_stream_inside_a_polars_file_reads_back(tmp_path, name):
    frame = FRAMES[name]
    path = tmp_path / "f"
    frame.write_ipc(path, compression="uncompressed")
    body = stream_of(path)
    table = pa.ipc.open_stream(body).read_all()
    assert table.num_rows == frame.height
    assert table.column_names == frame.columns
    assert pl.read_ipc_stream(io.BytesIO(body)).equals(frame)


def test_the_stream_inside_a_sunk_file_reads_back(tmp_path):
    path = tmp_path / "f"
    FRAMES["rows"].lazy().filter(pl.col("n") % 3 == 0).sink_ipc(path, compression="uncompressed")
    body = stream_of(path)
    back = pl.read_ipc_stream(io.BytesIO(body))
    assert back.equals(FRAMES["rows"].filter(pl.col("n") % 3 == 0))


def test_the_stream_inside_a_pyarrow_file_reads_back(tmp_path):
    path = tmp_path / "f"
    table = pa.table({"a": [1, 2, 3]})
    with pa.ipc.new_file(str(path), table.schema) as writer:
        writer.write_table(table)
        writer.write_table(table)
    assert pa.ipc.open_stream(stream_of(path)).read_all().num_rows == 6


def test_a_file_whose_dictionaries_come_too_late_is_refused_rather_than_sent_wrong(tmp_path):
    path = tmp_path / "f"
    pl.DataFrame({"c": ["a", "b"]}, schema={"c": pl.Categorical}).write_ipc(path)
    with pytest.raises(Internal):
        arrow_stream_span(path)


def test_a_pyarrow_file_with_dictionaries_reads_back(tmp_path):
    path = tmp_path / "f"
    table = pa.table({"a": pa.array(["x", "y", "x"]).dictionary_encode()})
    with pa.ipc.new_file(str(path), table.schema) as writer:
        writer.write_table(table)
    assert pa.ipc.open_stream(stream_of(path)).read_all().equals(table)


@pytest.mark.parametrize("cut", [0, 5, 30, -1, -9])
def test_a_torn_file_is_not_sent(tmp_path, cut):
    path = tmp_path / "f"
    FRAMES["nested"].write_ipc(path)
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(Internal):
        arrow_stream_span(path)


def test_a_missing_file_is_gone(tmp_path):
    with pytest.raises(Gone):
        arrow_stream_span(tmp_path / "f")


def test_names_are_the_servers_own_and_lie_in_a_private_folder(tmp_path):
    spool = Spool(tmp_path / "results", 60)
    paths = {spool.new_path() for _ in range(100)}
    assert len(paths) == 100
    assert {path.parent for path in paths} == {spool.folder}
    assert stat.S_IMODE(spool.folder.stat().st_mode) == 0o700
    assert not any(path.exists() for path in paths)


def test_two_servers_share_no_folder_and_closing_one_leaves_the_other(tmp_path):
    one, two = Spool(tmp_path, 60), Spool(tmp_path, 60)
    kept = two.new_path()
    kept.write_text("x")
    one.close()
    assert not one.folder.exists()
    assert kept.exists()


def test_only_what_has_lain_for_its_time_to_live_is_swept_whatever_the_times_on_it(tmp_path):
    seconds = [0.0]
    spool = Spool(tmp_path, 60, lambda: seconds[0])
    old, changed = spool.new_path(), spool.new_path()
    for path in (old, changed):
        path.write_text("x")
    os.utime(old, (time.time() + 9e6, time.time() + 9e6))
    os.utime(changed, (time.time() - 9e6, time.time() - 9e6))
    assert spool.sweep() == 0, "clocks may have been wrong"
    seconds[0] = 59
    changed.write_text("more")
    assert spool.sweep() == 0
    seconds[0] = 61
    assert spool.sweep() == 1
    assert not old.exists()
    assert changed.exists()
    assert spool.sweep() == 0
    seconds[0] = 122
    assert spool.sweep() == 1


def test_a_folder_is_its_servers_as_long_as_that_lives_whatever_its_number(tmp_path):
    spool = Spool(tmp_path, 60)
    moved = spool.folder.rename(spool.folder.with_name("flowcat-4194303-x"))
    Spool(tmp_path, 60)
    assert moved.exists(), "another container's processes have numbers of their own"
    spool.close()
    Spool(tmp_path, 60)
    assert not moved.exists()


async def test_a_dead_servers_folder_is_removed_at_the_next_start(tmp_path):
    dead = await asyncio.create_subprocess_exec(
        sys.executable, "-c", ABANDON, str(tmp_path), stdout=subprocess.PIPE, cwd=SOURCES
    )
    output, _ = await dead.communicate()
    assert_only_abandoned_folders_go(tmp_path, Path(output.decode()))


def assert_only_abandoned_folders_go(home: Path, abandoned: Path) -> None:
    assert abandoned.is_dir()
    other = home / "not-ours"
    other.mkdir()
    Spool(home, 60)
    assert not abandoned.exists()
    assert other.exists()
