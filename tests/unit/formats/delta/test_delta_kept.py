"""A table is opened again only after a commit; what was opened before stays at its version."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Literal

import polars as pl
import pytest

from flowcat_jupyter.formats.delta import DeltaFormat
from flowcat_jupyter.shared.errors import NotFound
from flowcat_jupyter.shared.wire import Source


def write(path: Path, values: list[int], mode: Literal["append", "overwrite"] = "append") -> None:
    pl.DataFrame({"x": values}).write_delta(path, mode=mode)


def source(path: Path, version: int | None = None) -> Source:
    return Source("r1", "table", ("main", "s", "t"), "delta", str(path), version)


def values(fmt: DeltaFormat, path: Path) -> list[int]:
    frame: pl.DataFrame = fmt.scan(source(path)).frame.collect()
    return sorted(frame["x"])


def test_a_table_that_did_not_change_is_not_opened_again(tmp_path: Path) -> None:
    fmt = DeltaFormat()
    write(tmp_path / "t", [1])
    first = fmt.open(source(tmp_path / "t"))
    assert fmt.open(source(tmp_path / "t")) is first
    assert fmt.open(source(tmp_path / "t", 0)) is not first


def test_an_engine_is_given_the_same_scan_for_the_same_files(tmp_path: Path) -> None:
    write(tmp_path / "t", [1])
    opened = DeltaFormat().open(source(tmp_path / "t"))
    assert opened.scan().frame is opened.scan().frame


def test_a_commit_is_seen_at_once(tmp_path: Path) -> None:
    fmt = DeltaFormat()
    for at in range(5):
        write(tmp_path / "t", [at])
        assert values(fmt, tmp_path / "t") == list(range(at + 1))


def test_what_was_open_before_a_commit_stays_at_its_version(tmp_path: Path) -> None:
    fmt = DeltaFormat()
    write(tmp_path / "t", [1])
    before = fmt.open(source(tmp_path / "t"))
    write(tmp_path / "t", [2])
    after = fmt.open(source(tmp_path / "t"))
    assert (before.version, after.version) == (0, 1)
    assert before.scan().frame.collect().height == 1


def test_a_table_made_anew_in_the_same_folder_is_another(tmp_path: Path) -> None:
    fmt = DeltaFormat()
    for at in range(3):
        write(tmp_path / "t", [at])
        assert values(fmt, tmp_path / "t") == [at]
        shutil.rmtree(tmp_path / "t")
        with pytest.raises(NotFound):
            fmt.open(source(tmp_path / "t"))


def test_only_the_tables_last_opened_stay_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("flowcat_jupyter.formats.delta_kept._MOST_TABLES", 1)
    fmt = DeltaFormat()
    for name in ("a", "b"):
        write(tmp_path / name, [1])
    first = fmt.open(source(tmp_path / "a"))
    fmt.open(source(tmp_path / "b"))
    assert fmt.open(source(tmp_path / "a")) is not first
