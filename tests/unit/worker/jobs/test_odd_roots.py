"""Everything a worker does with tables works in any folder people have."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pytest

from flowcat_jupyter.formats.delta import DeltaFormat
from flowcat_jupyter.shared import wire
from flowcat_jupyter.shared.errors import Invalid
from flowcat_jupyter.shared.wire_rows import FilterTerm, RowsJob
from flowcat_jupyter.storage.targets import LocalStorage
from flowcat_jupyter.worker.jobs.inspect import run_history, run_inspect, run_stream
from flowcat_jupyter.worker.jobs.query import run_explain, run_query
from flowcat_jupyter.worker.jobs.rows import run_rows
from tests.support.planning import planned, table

FOLDERS = [
    "my José dir",
    "日本",
    "a#b",
    "what?",
    "{x}",
    "{a,b}",
    "it's",
    '"q"',
    "trail ",
    " lead",
    "50% off",
    "100%",
    "a=b",
    "a&b;c",
    "a*b",
    "(work)",
    "$HOME",
    "~",
    "a:b",
    "-rf",
    "`tick`",
]
REFUSED = ["a%41", "a%20b", "[1]", "[", "a]", "a^b", "a|b", "back\\slash", "tab\tbed"]


@pytest.fixture(params=FOLDERS)
def root(request, tmp_path) -> Path:
    path = tmp_path / request.param
    path.mkdir()
    return path


@pytest.fixture
def select(root, engine_context):
    """Runs a query with its spool in the same folder, as a home of that name would have it."""
    engine_context.engines.register("duckdb", "flowcat_jupyter.engines.duckdb:ENGINE")

    def run(text, location, kind="delta", **options) -> list[tuple]:
        spool = root / "spool.arrow"
        plan = planned(text, table(location, kind), **options)
        json_path = str(root / "rows.json")
        run_query(wire.QueryJob(plan, str(spool), 10, 1 << 20, json_path), engine_context)
        assert Path(json_path).read_text()
        return pl.read_ipc(spool.read_bytes()).rows()

    return run


def test_every_operation_works(root, engine_context, select, tmp_path):
    location = LocalStorage(root).new_table_location(None, "naïve table")
    lake = DeltaFormat()
    source = wire.Source("r1", "table", ("m", "s", "t"), "delta", location)

    def write(frame, mode, base=None, **options):
        return lake.write(frame, location=location, mode=mode, base_version=base, **options)

    frame = pl.DataFrame({"id": [1, 2, 3], "p": ["a b", "ü/%", None]})
    assert write(frame, "create", partition_by=["p"]) == 0
    assert write(pl.DataFrame({"id": [4], "p": ["a b"]}), "append") == 1
    before = datetime.now(UTC).isoformat()
    assert write(pl.DataFrame({"id": [4], "p": ["x"]}), "upsert", 1, merge_keys=["id"]) == 2
    assert write(pl.DataFrame({"id": [2]}), "delete", 2, merge_keys=["id"]) == 3

    everything = "SELECT id, p FROM t ORDER BY id"
    now = [(1, "a b"), (3, None), (4, "x")]
    for engine in ("polars", "duckdb"):
        assert select(everything, location, engine=engine) == now
        some = "SELECT id FROM t WHERE p = 'a b' AND id < 4"
        assert select(some, location, engine=engine) == [(1,)]
        old = "SELECT count(*) FROM t VERSION AS OF 0"
        assert select(old, location, engine=engine) == [(3,)]
    assert select(
        "SELECT p FROM t TIMESTAMP AS OF :at WHERE id = 4", location, params={"at": before}
    )

    filters = (FilterTerm("id", ">", "1"),)
    out = root / "page.arrow"
    page = RowsJob(source=source, out=str(out), offset=0, limit=2, sort="id", filters=filters)
    assert run_rows(page, engine_context).total == 2
    assert pl.read_ipc(out.read_bytes())["id"].to_list() == [3, 4]
    assert run_inspect(wire.InspectJob(source), engine_context).row_count == 3
    assert len(run_history(wire.HistoryJob(source, 10), engine_context).entries) == 4
    export = root / "whole.arrow"
    assert run_stream(wire.StreamJob(source, str(export)), engine_context).row_count == 3
    explained = run_explain(wire.ExplainJob(planned(everything, table(location))), engine_context)
    assert not any(root.name in line for line in explained.lines if len(root.name) > 2)

    assert write(frame.head(1), "overwrite", 3) == 4
    assert select(everything, location) == [(1, "a b")]
    # Nothing has been put into a folder of a similar name.
    assert [path.name for path in tmp_path.iterdir()] == [root.name]
    tables = [path for path in root.iterdir() if path.is_dir()]
    assert tables == [Path(location)]


def test_parquet_files_are_read_as_well(root, select):
    folder = root / "files" / "p=x%20y"
    folder.mkdir(parents=True)
    pl.DataFrame({"id": [1, 2]}).write_parquet(folder / "ü #1.parquet")
    for engine in ("polars", "duckdb"):
        got = select("SELECT * FROM t WHERE id = 2", str(root / "files"), "parquet", engine=engine)
        assert got == [(2, "x y")]


@pytest.mark.parametrize("folder", REFUSED)
def test_a_root_that_cannot_hold_tables_is_refused_with_its_reason(tmp_path, folder):
    root = tmp_path / folder
    with pytest.raises(Invalid, match="No Delta table can lie under") as caught:
        LocalStorage(root)
    assert caught.value.hint
    allowed = LocalStorage(tmp_path / "fine", [tmp_path])
    with pytest.raises(Invalid, match="No Delta table can lie under"):
        allowed.new_table_location(str(root), "t")
    assert list(tmp_path.iterdir()) == []
