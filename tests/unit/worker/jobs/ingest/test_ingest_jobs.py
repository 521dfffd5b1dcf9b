"""A file becomes a table in one commit, or not at all."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import polars as pl
import pytest

from flowcat_jupyter.formats import files_bytes
from flowcat_jupyter.formats.delta import DeltaFormat
from flowcat_jupyter.shared.errors import AlreadyExists, Conflict, FlowcatError, Invalid, NotFound
from flowcat_jupyter.shared.wire import (
    ImportProposal,
    Source,
    TableFacts,
    decode,
    encode,
)
from flowcat_jupyter.worker.jobs import ingest

Load = Callable[..., TableFacts]
Preview = Callable[..., ImportProposal]


def source(table: Path, version: int | None = None) -> Source:
    return Source("r", "table", ("t",), "delta", str(table), version)


def rows(table: Path, version: int | None = None) -> list[tuple[object, ...]]:
    scan = DeltaFormat().scan(source(table, version))
    return scan.frame.sort(pl.all()).collect().rows()


@pytest.fixture
def file(tmp_path: Path) -> Callable[[str], Path]:
    def write(text: str) -> Path:
        path = tmp_path / f"file{time.monotonic_ns()}"
        path.write_bytes(text.encode())
        return path

    return write


class TestPreview:
    def test_it_gives_types_reasons_and_strict_json_rows(
        self, file: Callable[[str], Path], preview: Preview
    ) -> None:
        text = "id,amount,at\n9007199254740993,1,2024-01-01T10:00:00Z\n2,NA,\n"
        found = preview(file(text), types={"amount": "decimal(10,2)"})
        assert [(c.name, c.type) for c in found.columns] == [
            ("id", "bigint"),
            ("amount", "decimal(10,2)"),
            ("at", "timestamp"),
        ]
        assert found.rows_read == 2
        assert json.loads(json.dumps(found.rows, allow_nan=False))[1] == [2, None, None]
        assert found.rows[0][:2] == ("9007199254740993", "1.00")
        assert decode(json.loads(json.dumps(encode(found)))) == found

    def test_it_shows_at_most_the_rows_asked_for(
        self, file: Callable[[str], Path], preview: Preview
    ) -> None:
        found = preview(file("a\n" + "1\n" * 500), count=7)
        assert len(found.rows) == 7
        assert found.rows_read == 500

    def test_rows_that_do_not_fit_are_a_warning(
        self, file: Callable[[str], Path], preview: Preview
    ) -> None:
        found = preview(file("a,b\n1,2\n3\n"))
        assert found.rows == ((1, 2),)
        assert "line 3" in found.warnings[0]
        assert "will stop" in found.warnings[0]

    def test_a_sample_is_told_in_every_reason(
        self,
        file: Callable[[str], Path],
        preview: Preview,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(ingest, "SAMPLE_ABOVE", 100)
        monkeypatch.setattr(files_bytes, "SAMPLE_BYTES", 200)
        found = preview(file("a\n" + "1\n" * 500))
        assert found.columns[0].reason == "integers (in a sample of the file)"
        assert "sample" in found.warnings[0]

    def test_what_it_shows_is_what_is_imported(
        self, file: Callable[[str], Path], preview: Preview, load: Load
    ) -> None:
        path = file("a;b;c\n01;2,5;NA\n2;3,5;7\n")
        found = preview(path)
        facts = load(path, options=found.options)
        assert [(c.name, c.type) for c in facts.columns] == [
            (c.name, c.type) for c in found.columns
        ]

    @pytest.mark.parametrize(
        "text",
        [
            "a;b;c\n01;2,5;NA\n2;3,5;7\n",
            '{"a":{"b":[1,2.5]},"c":null}\n{"d":["x"],"e":"2024-01-01"}\n',
            '[{"a":1,"b":{}},{"a":"x","b":[]}]',
        ],
    )
    def test_a_proposal_given_back_whole_changes_nothing(
        self, text: str, file: Callable[[str], Path], preview: Preview, load: Load
    ) -> None:
        path = file(text)
        found = preview(path)
        types = {column.name: column.type for column in found.columns}
        again = preview(path, options=found.options, types=types)
        assert again.rows == found.rows
        assert {column.name: column.type for column in again.columns} == types
        assert load(path, options=found.options, types=types).row_count == 2


class TestModes:
    def test_create_makes_version_zero(
        self, file: Callable[[str], Path], load: Load, table: Path
    ) -> None:
        facts = load(file("id,n\n9223372036854775808,1\n"))
        assert (facts.version, facts.row_count) == (0, 1)
        assert rows(table) == [(Decimal("9223372036854775808"), 1)]

    def test_create_refuses_a_place_that_is_taken(
        self, file: Callable[[str], Path], load: Load, table: Path
    ) -> None:
        load(file("a\n1\n"))
        with pytest.raises(AlreadyExists):
            load(file("a\n2\n"))
        assert rows(table) == [(1,)]

    def test_append_reads_text_as_the_tables_own_types(
        self, file: Callable[[str], Path], load: Load, table: Path
    ) -> None:
        load(file("zip,x\n02134,1.5\n"))
        facts = load(file("ZIP,x\n10001,2\n90210,NA\n"), mode="append", base_version=0)
        assert (facts.version, facts.row_count) == (1, 3)
        assert rows(table) == [("02134", 1.5), ("10001", 2.0), ("90210", None)]

    def test_append_refuses_values_that_the_table_cannot_keep(
        self, file: Callable[[str], Path], load: Load, table: Path
    ) -> None:
        load(file("n\n1\n"))
        path = file("n\n2\n1.5\n")
        with pytest.raises(Conflict, match="n double instead of int"):
            load(path, mode="append", base_version=0)
        with pytest.raises(Invalid, match=r"Line 3, column n: '1\.5'"):
            load(path, mode="append", base_version=0, accept_drift=True)
        assert rows(table) == [(1,)]

    def test_overwrite_replaces_rows_and_columns(
        self, file: Callable[[str], Path], load: Load, table: Path
    ) -> None:
        load(file("a\n1\n"))
        facts = load(file("b\nx\n"), mode="overwrite", base_version=0)
        assert [column.name for column in facts.columns] == ["b"]
        assert rows(table) == [("x",)]
        assert rows(table, 0) == [(1,)]

    def test_overwrite_refuses_when_the_table_moved_on(
        self, file: Callable[[str], Path], load: Load
    ) -> None:
        load(file("a\n1\n"))
        load(file("a\n2\n"), mode="append", base_version=0)
        with pytest.raises(Conflict):
            load(file("a\n3\n"), mode="overwrite", base_version=0)

    def test_what_the_caller_says_of_the_commit_is_in_the_log(
        self, file: Callable[[str], Path], load: Load, table: Path
    ) -> None:
        load(file("a\n1\n"), commit_info={"userMetadata": "from the test"})
        log = (table / "_delta_log" / f"{0:020}.json").read_text()
        assert "from the test" in log

    def test_nested_json_stays_nested(
        self, file: Callable[[str], Path], load: Load, table: Path
    ) -> None:
        load(file('{"a":{"b":[1,2]},"c":null}\n{"d":"x"}\n'))
        scan = DeltaFormat().scan(source(table))
        assert [c.type for c in scan.columns] == ["struct<b:array<int>>", "string", "string"]
        assert scan.frame.collect()["a"].to_list() == [{"b": [1, 2]}, None]


class TestAllOrNothing:
    @pytest.mark.parametrize(
        ("text", "types"),
        [
            ("a,b\n1,2\n3\n", {}),
            ("a,b\n1,2\n3,x\n", {"b": "int"}),
            ("a,b\n", {}),
            ("", {}),
            ('[{"a":1},', {}),
        ],
    )
    def test_a_refused_file_leaves_no_table(
        self,
        text: str,
        types: dict[str, str],
        file: Callable[[str], Path],
        load: Load,
        table: Path,
    ) -> None:
        with pytest.raises(Invalid):
            load(file(text), types=types)
        with pytest.raises(NotFound):
            DeltaFormat().facts(source(table))
        assert not table.exists()

    def test_a_value_refused_far_into_the_file_leaves_no_table(
        self, file: Callable[[str], Path], load: Load, table: Path
    ) -> None:
        text = "a,b\n" + "1,2\n" * 300_000 + "3,x\n"
        with pytest.raises(Invalid, match="Line 300002, column b: 'x'"):
            load(file(text), types={"b": "int"})
        assert not table.exists()

    def test_skipped_rows_are_told_with_the_facts(
        self, file: Callable[[str], Path], load: Load
    ) -> None:
        facts = load(file("a,b\n1,2\n3\n"), options={"bad_rows": "skip"})
        assert facts.row_count == 1
        assert "Of 2 rows, 1 row does not fit (line 3" in facts.warnings[-2]
        assert facts.warnings[-1] == "Line 3: 3"

    def test_a_killed_import_leaves_nothing_to_read_and_can_be_repeated(
        self, file: Callable[[str], Path], load: Load, table: Path, tmp_path: Path
    ) -> None:
        path = file("a,b\n" + "".join(f"{i},{i * 7919 % 10007}\n" for i in range(400_000)))
        script = textwrap.dedent(
            """
            import os, signal, sys
            from flowcat_jupyter.formats.delta import DeltaFormat
            from flowcat_jupyter.shared.registry import Registry
            from flowcat_jupyter.shared.wire import ImportJob
            from flowcat_jupyter.worker.context import JobContext
            from flowcat_jupyter.worker.jobs.ingest import run_import

            def progress(done, total, unit, message=None):
                if total and done > total // 2:
                    os.kill(os.getpid(), signal.SIGKILL)

            formats = Registry("format")
            formats.register("delta", DeltaFormat())
            job = ImportJob(sys.argv[1], None, {}, {}, sys.argv[2], "create", None, {})
            run_import(job, JobContext(Registry("engine"), formats, progress))
            """
        )
        spool = tmp_path / "spool"
        spool.mkdir()
        done = subprocess.run(  # noqa: S603
            [sys.executable, "-c", script, str(path), str(table)],
            env={"PYTHONPATH": ":".join(sys.path), "TMPDIR": str(spool)},
            check=False,
        )
        assert done.returncode == -9
        assert not list(spool.iterdir())
        with pytest.raises(FlowcatError):
            DeltaFormat().facts(source(table))
        assert load(path).row_count == 400_000


@pytest.mark.slow
def test_a_file_of_200_mb_is_imported_within_bounded_memory(tmp_path: Path) -> None:
    path = tmp_path / "big.csv"
    block = "".join(
        f'{i},{i * 37 % 1000}.5,"name {i}, with ""quotes""",NA,2024-01-01T00:00:00Z\n'
        for i in range(20_000)
    )
    with path.open("w") as out:
        out.write("id,x,name,y,at\n")
        while out.tell() < 200 << 20:
            out.write(block)
    script = textwrap.dedent(
        """
        import resource, sys
        from flowcat_jupyter.formats.delta import DeltaFormat
        from flowcat_jupyter.shared.registry import Registry
        from flowcat_jupyter.shared.wire import ImportJob
        from flowcat_jupyter.worker.context import JobContext
        from flowcat_jupyter.worker.jobs.ingest import run_import

        formats = Registry("format")
        formats.register("delta", DeltaFormat())
        job = ImportJob(sys.argv[1], None, {}, {}, sys.argv[2], "create", None, {})
        facts = run_import(job, JobContext(Registry("engine"), formats))
        sys.stdout.write(f"{facts.row_count} {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss}")
        """
    )
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", script, str(path), str(tmp_path / "big")],
        env={"PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    count, peak_kib = map(int, done.stdout.split())
    assert count % 20_000 == 0
    assert count > 2_000_000
    assert peak_kib < 1500 * 1024


def test_naive_times_are_loaded_with_a_word_about_older_readers(
    file: Callable[[str], Path], load: Load
) -> None:
    facts = load(file("at\n2024-01-01 10:00\n"), types={"at": "timestamp_ntz"})
    assert any("readers older than Delta 3" in warning for warning in facts.warnings)
