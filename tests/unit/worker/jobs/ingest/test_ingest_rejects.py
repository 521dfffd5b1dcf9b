"""Every line of a file is a row or a rejected line; and a file may differ from its table."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from flowcat_jupyter.formats import files_rejects
from flowcat_jupyter.formats.delta import DeltaFormat
from flowcat_jupyter.shared.errors import Conflict, Invalid
from flowcat_jupyter.shared.wire import (
    Drift,
    DriftColumn,
    ImportOutcome,
    ImportProposal,
    Source,
    decode,
    encode,
)

Load = Callable[..., ImportOutcome]
Preview = Callable[..., ImportProposal]
SKIP = {"bad_rows": "skip"}


def rows(table: Path) -> list[tuple[object, ...]]:
    source = Source("r", "table", ("t",), "delta", str(table))
    return DeltaFormat().scan(source).frame.sort(pl.all()).collect().rows()


@pytest.fixture
def file(tmp_path: Path) -> Callable[..., Path]:
    def write(text: str, name: str = "data.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(text.encode())
        return path

    return write


class TestRejects:
    def test_every_rejected_line_is_kept_with_its_place_and_reason(
        self, file: Callable[..., Path], load: Load, tmp_path: Path
    ) -> None:
        text = "a,b\n1,2\n3\n" + "x,y\n" * 30_000 + '4,"z\n5,6\n'
        out = tmp_path / "rejects"
        done = load(file(text), options=SKIP, types={"a": "int"}, rejects=str(out))
        assert (done.loaded, done.rejected, done.lines) == (2, 30_002, 30_004)
        assert done.rejects == str(out)
        kept = pl.read_ipc(out)
        assert kept.columns == ["file", "line", "reason", "text"]
        assert kept.height == 30_002
        assert set(kept["file"]) == {"data.csv"}
        by_line = {line: (reason, text) for _, line, reason, text in kept.iter_rows()}
        assert by_line[3] == ("1 field instead of 2", "3")
        assert by_line[4] == ("column a: 'x' is not a value of type int", "x,y")
        assert by_line[30_004] == ("a quote is never closed", '4,"z')
        assert decode(json.loads(json.dumps(encode(done)))) == done

    def test_no_file_is_written_when_every_line_is_a_row(
        self, file: Callable[..., Path], load: Load, tmp_path: Path
    ) -> None:
        done = load(file("a\n1\n"), options=SKIP, rejects=str(tmp_path / "rejects"))
        assert (done.loaded, done.rejected, done.rejects) == (1, 0, None)
        assert not (tmp_path / "rejects").exists()

    def test_what_is_too_much_to_keep_is_counted_and_told(
        self,
        file: Callable[..., Path],
        load: Load,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(files_rejects, "KEPT_BYTES", 1000)
        out = tmp_path / "rejects"
        done = load(file("a,b\n1,2\n" + "x\n" * 500), options=SKIP, rejects=str(out))
        kept = pl.read_ipc(out).height
        assert done.rejected == 500
        assert 0 < kept < 100
        assert f"Of 500 rejected lines the first {kept} are kept" in done.warnings[-1]

    def test_a_value_of_the_wrong_type_may_keep_its_column_as_text(
        self, file: Callable[..., Path], load: Load, table: Path
    ) -> None:
        done = load(file("a,b\n1,2\nx,3\n"), options={"bad_rows": "text"}, types={"a": "int"})
        assert (done.loaded, done.rejected) == (2, 0)
        assert rows(table) == [("1", 2), ("x", 3)]
        assert done.types == {"a": "string", "b": "int"}

    def test_the_preview_counts_what_the_import_will_reject(
        self, file: Callable[..., Path], preview: Preview, load: Load
    ) -> None:
        path = file("a,b\n1,2\nx,3\n4\n")
        found = preview(path, options=SKIP, types={"a": "int"})
        assert (found.rows_read, found.rejected) == (1, 2)
        assert [(item.line, item.text) for item in found.rejects] == [(4, "4"), (3, "x,3")]
        done = load(path, options=SKIP, types={"a": "int"})
        assert (done.loaded, done.rejected) == (found.rows_read, found.rejected)
        assert json.loads(json.dumps(encode(found)))["files"][0]["name"] == "data.csv"


class TestSeveralFiles:
    def test_a_folder_is_loaded_in_one_commit(
        self, file: Callable[..., Path], load: Load, table: Path, tmp_path: Path
    ) -> None:
        folder = tmp_path / "in"
        folder.mkdir()
        for number in range(3):
            (folder / f"{number}.csv").write_text(f"n\n{number}\n")
        done = load(folder, options={"file_column": "_file"})
        assert (done.version, done.loaded) == (0, 3)
        assert rows(table) == [(0, "0.csv"), (1, "1.csv"), (2, "2.csv")]

    def test_a_fault_in_a_later_file_leaves_no_table(
        self, load: Load, table: Path, tmp_path: Path
    ) -> None:
        folder = tmp_path / "in"
        folder.mkdir()
        (folder / "a.csv").write_text("n,m\n1,2\n")
        (folder / "b.csv").write_text("n,m\n1\n")
        with pytest.raises(Invalid, match=r"b\.csv line 2"):
            load(folder)
        assert not table.exists()


class TestDrift:
    def test_columns_that_differ_are_refused_until_accepted(
        self, file: Callable[..., Path], load: Load, preview: Preview, table: Path
    ) -> None:
        load(file("id,name,n\n1,a,1\n"))
        path = file("id,n,extra\n2,x,y\n3,4,z\n", "more.csv")
        expected = Drift(
            added=(DriftColumn("extra", "string"),),
            missing=(DriftColumn("name", "string"),),
            changed=(DriftColumn("n", "string", "int"),),
        )
        assert preview(path, location=str(table)).drift == expected
        with pytest.raises(
            Conflict, match="new: extra string; missing: name; of another"
        ) as caught:
            load(path, mode="append", base_version=0, options=SKIP)
        assert "Accept the drift" in (caught.value.hint or "")
        done = load(path, mode="append", base_version=0, options=SKIP, accept_drift=True)
        assert (done.drift, done.loaded, done.rejected) == (expected, 1, 1)
        assert rows(table) == [(1, "a", 1, None), (3, None, 4, "z")]

    @pytest.mark.parametrize("text", ["id,x\n2,3\n", "X,ID\n3.5,2\n", "id,x\n2,\n"])
    def test_columns_whose_values_the_table_takes_are_no_drift(
        self, text: str, file: Callable[..., Path], load: Load
    ) -> None:
        load(file("id,x\n1,1.5\n"))
        assert load(file(text, "more.csv"), mode="append", base_version=0).drift is None


class TestUpsert:
    def test_rows_are_matched_by_key(
        self, file: Callable[..., Path], load: Load, table: Path
    ) -> None:
        load(file("id,v\n1,a\n2,b\n"))
        path = file("id,v\n2,c\n3,d\n", "more.csv")
        done = load(path, mode="upsert", base_version=0, merge_keys=("id",))
        assert (done.loaded, done.row_count) == (2, 3)
        assert rows(table) == [(1, "a"), (2, "c"), (3, "d")]

    def test_a_key_that_is_there_twice_is_refused(
        self, file: Callable[..., Path], load: Load, table: Path
    ) -> None:
        load(file("id,v\n1,a\n"))
        with pytest.raises(Invalid):
            load(file("id,v\n1,b\n1,c\n"), mode="upsert", base_version=0, merge_keys=("id",))
        assert rows(table) == [(1, "a")]
