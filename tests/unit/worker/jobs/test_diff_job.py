"""Comparing two versions of a table."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import polars as pl
import pytest
from deltalake import DeltaTable

from flowcat_jupyter.formats.delta import DeltaFormat
from flowcat_jupyter.shared.errors import Gone, Invalid
from flowcat_jupyter.shared.wire import Column, Source, decode, encode
from flowcat_jupyter.shared.wire_diff import DiffInfo, DiffJob, DiffRow
from flowcat_jupyter.worker.jobs import diff


def written(source: Source, frame: pl.DataFrame, mode: str = "append", **options: Any) -> int:
    return DeltaFormat().write(
        frame, location=source.location, mode=mode, base_version=None, **options
    )


@pytest.fixture
def compared(context):
    def between(source: Source, before: int | None, after: int | None, **options) -> DiffInfo:
        job = DiffJob(
            before=replace(source, version=before), after=replace(source, version=after), **options
        )
        info = diff.run_diff(decode(encode(job)), context)
        assert decode(encode(info)) == info
        return info

    return between


def test_an_append_is_told_without_reading_what_was_there(delta_source, compared) -> None:
    source = delta_source(pl.DataFrame({"a": [1, 2], "b": ["x", None]}))
    old = Path(DeltaTable(source.location).file_uris()[0].removeprefix("file://"))
    written(source, pl.DataFrame({"a": [3], "b": ["z"]}))
    old.unlink()
    info = compared(source, 0, 1)
    assert (info.before.rows, info.after.rows) == (2, 3)
    assert (info.added, info.removed, info.files_read) == (1, 0, 1)
    assert info.sample == (DiffRow("added", 1, ("3", "z")),)
    assert info.columns == info.settings == info.left_out == ()


def test_an_update_is_a_row_removed_and_one_added_side_by_side(delta_source, compared) -> None:
    source = delta_source(pl.DataFrame({"id": list(range(1000)), "v": ["old"] * 1000}))
    DeltaTable(source.location).update(updates={"v": "'new'"}, predicate="id IN (7, 900)")
    info = compared(source, None, None)
    assert (info.before.version, info.after.version) == (0, 1)
    assert (info.added, info.removed) == (2, 2)
    assert info.sample == (
        DiffRow("removed", 1, ("7", "old")),
        DiffRow("added", 1, ("7", "new"), beside=True),
        DiffRow("removed", 1, ("900", "old")),
        DiffRow("added", 1, ("900", "new"), beside=True),
    )


def test_equal_rows_count_as_often_as_they_are_there(delta_source, compared) -> None:
    source = delta_source(pl.DataFrame({"a": [1, 1, 1, 2]}))
    written(source, pl.DataFrame({"a": [1, 2, 2, 2]}), "overwrite")
    info = compared(source, 0, 1)
    assert (info.added, info.removed) == (2, 2)
    assert set(info.sample) == {DiffRow("removed", 2, ("1",)), DiffRow("added", 2, ("2",))}
    back = compared(source, 1, 0)
    assert set(back.sample) == {DiffRow("added", 2, ("1",)), DiffRow("removed", 2, ("2",))}


def test_nothing_differs_after_upkeep_and_nothing_is_read(delta_source, compared) -> None:
    source = delta_source(pl.DataFrame({"a": [1]}))
    written(source, pl.DataFrame({"a": [2]}))
    DeltaTable(source.location).optimize.compact()
    info = compared(source, 1, 2)
    assert (info.added, info.removed, info.files_read, info.sample) == (0, 0, 0, ())
    assert compared(source, 2, 2).added == 0


def test_columns_that_came_went_or_changed_are_told(delta_source, compared) -> None:
    source = delta_source(pl.DataFrame({"a": [1, 2], "b": ["x", "y"], "c": [1.5, 2.5]}))
    new = pl.DataFrame({"a": [1, 3], "b": [1, 2], "d": [True, None]})
    written(source, new, "overwrite", keep_columns=False)
    info = compared(source, 0, 1)
    changes = [
        (change.before and change.before.name, change.after and change.after.name)
        for change in info.columns
    ]
    assert changes == [("b", "b"), ("c", None), (None, "d")]
    assert info.columns[0].before == Column("b", "string")
    assert info.columns[0].after == Column("b", "bigint")
    assert [column.name for column in info.compared] == ["a"]
    assert info.left_out == ("b",)
    assert (info.added, info.removed) == (1, 1)


def test_rows_without_a_common_column_cannot_be_compared(delta_source, compared) -> None:
    source = delta_source(pl.DataFrame({"a": [1]}))
    written(source, pl.DataFrame({"b": [1]}), "overwrite", keep_columns=False)
    info = compared(source, 0, 1)
    assert (info.added, info.removed, info.sample) == (None, None, ())
    assert len(info.columns) == 2


def test_properties_that_changed_are_told(delta_source, compared) -> None:
    source = delta_source(pl.DataFrame({"a": [1]}))
    DeltaTable(source.location).alter.set_table_properties({"delta.appendOnly": "true"})
    (change,) = compared(source, 0, 1).settings
    assert (change.name, change.before, change.after) == ("delta.appendOnly", None, "true")


def test_a_version_whose_files_were_removed_is_named(delta_source, compared) -> None:
    source = delta_source(pl.DataFrame({"a": [1]}))
    written(source, pl.DataFrame({"a": [2]}), "overwrite")
    DeltaTable(source.location).vacuum(0, dry_run=False, enforce_retention_duration=False)
    with pytest.raises(Gone, match=r"version 0 of main\.default\.t cannot be compared"):
        compared(source, 0, 1)


def test_there_is_nothing_before_the_first_version(delta_source, compared) -> None:
    source = delta_source(pl.DataFrame({"a": [1]}))
    with pytest.raises(Invalid, match="none before it"):
        compared(source, None, None)
    with pytest.raises(Invalid, match="no version 9"):
        compared(source, 0, 9)


def test_other_formats_are_refused_by_name(compared, tmp_path) -> None:
    path = tmp_path / "t.parquet"
    pl.DataFrame({"a": [1]}).write_parquet(path)
    source = Source("r1", "table", ("main", "default", "t"), "parquet", str(path))
    with pytest.raises(Invalid, match="is a table USING parquet"):
        compared(source, None, None)


@pytest.mark.parametrize("cells", [10_000_000, 200], ids=["in one pass", "in many passes"])
def test_any_two_versions_differ_as_their_rows_do(
    delta_source, compared, monkeypatch: pytest.MonkeyPatch, cells: int
) -> None:
    monkeypatch.setattr(diff, "CELLS", cells)
    random = Random(7)  # noqa: S311
    kinds: dict[str, Any] = {"i": pl.Int64, "s": pl.String, "l": pl.List(pl.Int64), "b": pl.Binary}

    def row() -> tuple[object, ...]:
        pick = random.choice
        return (
            pick([1, 2, None]),
            pick(["", "x", None]),
            pick([[], [1, None], None]),
            pick([b"", None]),
        )

    versions = [[row() for _ in range(random.randint(1, 120))] for _ in range(3)]
    source = delta_source(pl.DataFrame(versions[0], schema=kinds, orient="row"))
    for rows in versions[1:]:
        written(source, pl.DataFrame(rows, schema=kinds, orient="row"), "overwrite")
    for before, old in enumerate(versions):
        for after, new in enumerate(versions):
            left, right = (Counter(map(repr, rows)) for rows in (old, new))
            info = compared(source, before, after, sample=1000)
            assert info.removed == (left - right).total()
            assert info.added == (right - left).total()
            assert sum(row.count for row in info.sample) == info.added + info.removed


def test_real_numbers_are_the_same_whatever_their_zero_or_their_nan(
    delta_source, compared, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(diff, "CELLS", 1)
    source = delta_source(pl.DataFrame({"a": [0.0, float("nan"), 1.0]}))
    written(source, pl.DataFrame({"a": [float("nan"), -0.0, 2.0]}), "overwrite")
    info = compared(source, 0, 1)
    assert (info.added, info.removed) == (1, 1)


def test_a_sample_has_rows_of_both_sides(delta_source, compared) -> None:
    source = delta_source(pl.DataFrame({"a": list(range(500))}))
    written(source, pl.DataFrame({"a": list(range(1000, 1500))}), "overwrite")
    info = compared(source, 0, 1)
    assert Counter(row.change for row in info.sample) == {"removed": 50, "added": 50}
