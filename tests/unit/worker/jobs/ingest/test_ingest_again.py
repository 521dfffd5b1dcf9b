"""Imports into a table that is there: new columns, keys, and rejected lines."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from deltalake import DeltaTable, Field, Schema
from deltalake.schema import PrimitiveType

from flowcat_jupyter.formats.delta import DeltaFormat
from flowcat_jupyter.shared.errors import Conflict, FlowcatError, Invalid
from flowcat_jupyter.shared.registry import Registry
from flowcat_jupyter.shared.wire import ImportJob, ImportOutcome, Source
from flowcat_jupyter.worker.context import JobContext
from flowcat_jupyter.worker.jobs.ingest import run_import


class Importer:
    """Imports texts into one table."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.table = folder / "table"
        self.rejects = folder / "rejects.arrow"
        self.version = -1

    def __call__(
        self,
        text: str,
        mode: str = "create",
        *keys: str,
        accept: bool = False,
        bad_rows: str = "stop",
    ) -> ImportOutcome:
        path = self.folder / "file.csv"
        path.write_text(text)
        job = ImportJob(
            path=str(path),
            format=None,
            options={"bad_rows": bad_rows},
            types={},
            location=str(self.table),
            mode=mode,
            base_version=self.version if mode != "create" else None,
            commit_info={"run_id": "7"},
            paths=(str(path),),
            merge_keys=keys,
            accept_drift=accept,
            rejects=str(self.rejects),
        )
        formats: Registry[object] = Registry("format")
        formats.register("delta", DeltaFormat())
        outcome = run_import(job, JobContext(Registry("engine"), formats))
        assert outcome.version is not None
        self.version = outcome.version
        return outcome

    def refuses(self, error: type[FlowcatError], text: str, *arguments: str) -> str:
        before = self.rows() if self.version >= 0 else None
        with pytest.raises(error) as caught:
            self(text, *arguments)
        assert before is None or self.rows().equals(before)
        return f"{caught.value} {caught.value.hint}"

    def rows(self) -> pl.DataFrame:
        return pl.read_delta(str(self.table)).sort(pl.all())


@pytest.fixture
def load(tmp_path: Path) -> Importer:
    return Importer(tmp_path)


@pytest.mark.parametrize("mode", ["append", "upsert"])
def test_an_accepted_column_is_added_in_the_same_version(load: Importer, mode: str) -> None:
    load("id,Price\n1,2\n2,3\n")
    keys = ("id",) if mode == "upsert" else ()
    text = "id,colour (new),price\n3,red,4\n"
    assert "colour (new)" in load.refuses(Conflict, text, mode, *keys)
    outcome = load(text, mode, *keys, accept=True)
    assert outcome.version == 1
    assert [column.name for column in outcome.columns] == ["id", "Price", "colour (new)"]
    assert load.rows().rows() == [(1, 2, None), (2, 3, None), (3, 4, "red")]
    assert outcome.drift is not None


def test_a_column_that_an_upsert_adds_is_filled_in_rows_that_match(load: Importer) -> None:
    load("id,v\n1,a\n2,b\n")
    load("id,w\n2,x\n3,y\n", "upsert", "id", accept=True)
    assert load.rows().rows() == [(1, "a", None), (2, "b", "x"), (3, None, "y")]


def test_a_type_is_never_narrowed_nor_a_value_rounded_whatever_is_accepted(load: Importer) -> None:
    load("id,n\n1,1\n")
    with pytest.raises(FlowcatError):
        load("id,n\n2,1.5\n", "append", accept=True)
    with pytest.raises(FlowcatError):
        load("id,n\n2,99999999999\n", "append", accept=True)
    assert load.rows().rows() == [(1, 1)]
    assert load.rows().schema["n"] == pl.Int32


def test_a_column_that_may_not_be_null_stays_so(load: Importer) -> None:
    key = Field("id", PrimitiveType("long"), nullable=False)
    columns = Schema([key, Field("v", PrimitiveType("string"))])
    DeltaTable.create(str(load.table), columns)
    load.version = 0
    for text in ("id,v\n,a\n", "v\na\n"):
        with pytest.raises(FlowcatError, match=r"(?i)null"):
            load(text, "append", accept=True)
    load("id,v\n1,a\n", "append")
    assert load.rows().rows() == [(1, "a")]


@pytest.mark.parametrize("mode", ["create", "upsert"])
def test_keys_must_tell_the_rows_of_a_file_apart(load: Importer, mode: str) -> None:
    if mode == "upsert":
        load("id,part,v\n1,a,x\n")
    told = load.refuses(Invalid, "id,part,v\n7,a,x\n7,a,y\n8,a,z\n8,b,z\n", mode, "ID", "part")
    assert "id, part: 7 a;" in told
    assert "2 rows have NULL in id" in load.refuses(
        Invalid, "id,part,v\n,a,x\n,b,y\n1,c,z\n", mode, "id"
    )
    assert "no column nope" in load.refuses(Invalid, "id,part,v\n1,a,x\n", mode, "nope")
    load("id,part,v\n1,a,new\n1,b,x\n", mode, "id", "part")
    assert load.rows()["v"].to_list() == ["new", "x"]


@pytest.mark.parametrize(("bad_rows", "loaded"), [("stop", None), ("skip", 2)])
def test_rejected_lines_are_on_disk_whether_the_import_stops_or_not(
    load: Importer, bad_rows: str, loaded: int | None
) -> None:
    text = "a,b\n1,2\n3\n4,5\n6,7,8\n"
    if loaded is None:
        with pytest.raises(Invalid):
            load(text, bad_rows=bad_rows)
        assert not load.table.exists()
    else:
        outcome = load(text, bad_rows=bad_rows)
        assert (outcome.loaded, outcome.rejected, outcome.lines) == (2, 2, 4)
        assert outcome.rejects == str(load.rejects)
    kept = pl.read_ipc(load.rejects)
    assert kept["line"].to_list() == [3, 5]
    assert kept["text"].to_list() == ["3", "6,7,8"]


def test_the_log_tells_which_run_made_a_version(load: Importer) -> None:
    load("a\n1\n")
    source = Source("r1", "table", ("t",), "delta", str(load.table))
    (entry,) = DeltaFormat().history(source, 10).entries
    assert (entry.run_id, entry.rows_added) == ("7", 1)
