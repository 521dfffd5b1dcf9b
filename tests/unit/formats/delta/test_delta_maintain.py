"""Upkeep of a table's files: rows stay what they are, and only what is safe goes."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from flowcat_jupyter.shared.errors import Conflict, Gone, Invalid


@pytest.fixture
def pieces(table: Any) -> Any:
    """A table of four files, one row each."""
    table.write(pl.DataFrame({"k": [1], "v": ["a"]}))
    for number, text in ((2, "b"), (3, "c"), (4, "d")):
        table.write(pl.DataFrame({"k": [number], "v": [text]}), "append")
    return table


def compact(table: Any, base: int, *order_by: str) -> tuple[int, int]:
    done: tuple[int, int] = table.format.compact(
        location=table.location, base_version=base, order_by=order_by
    )
    return done


def restore(table: Any, base: int, **wanted: Any) -> int:
    version: int = table.format.restore(
        location=table.location, base_version=base, label="main.default.t", **wanted
    )
    return version


def vacuum(table: Any, hours: int | None = None, **options: Any) -> Any:
    return table.format.vacuum(location=table.location, base_version=None, hours=hours, **options)


def test_small_files_become_one_with_the_same_rows(pieces: Any) -> None:
    before = pieces.rows()
    assert compact(pieces, 3) == (4, 1)
    facts = pieces.facts()
    assert (facts.files, facts.version, facts.data_files_version) == (1, 4, 3)
    assert pieces.rows() == before
    assert compact(pieces, 4) == (0, 0)
    assert pieces.facts().version == 4


def test_rows_are_sorted_along_columns_in_any_case(pieces: Any) -> None:
    assert compact(pieces, 3, "K", "v")[1] == 1
    assert pieces.rows() == [(1, "a"), (2, "b"), (3, "c"), (4, "d")]
    with pytest.raises(Invalid, match="no column nope"):
        compact(pieces, 4, "nope")


def test_a_table_that_has_moved_on_is_left_alone(pieces: Any) -> None:
    for act in (compact, restore):
        with pytest.raises(Conflict):
            act(pieces, 2)
    assert pieces.facts().version == 3


@pytest.mark.parametrize("version", [0, 2])
def test_an_old_version_becomes_the_newest(pieces: Any, version: int) -> None:
    old = pieces.rows(version=version)
    assert restore(pieces, 3, version=version) == version
    assert (pieces.facts().version, pieces.rows()) == (4, old)
    assert len(pieces.rows(version=3)) == 4


def test_going_back_to_the_newest_makes_no_version(pieces: Any) -> None:
    assert restore(pieces, 3, version=3) == 3
    assert pieces.facts().version == 3


def test_a_version_that_is_not_there_is_told_of_by_the_tables_name(pieces: Any) -> None:
    with pytest.raises(Invalid, match=r"no version 9 of main\.default\.t"):
        restore(pieces, 3, version=9)


def test_a_version_whose_files_are_gone_does_not_come_back(pieces: Any) -> None:
    pieces.write(pl.DataFrame({"k": [9], "v": ["z"]}), "overwrite", base=3)
    for file in pieces.files():
        if file.endswith(".parquet") and file not in _live(pieces):
            (pieces.path / file).unlink()
    with pytest.raises(Gone):
        restore(pieces, 4, version=3)
    assert pieces.rows() == [(9, "z")]


def _live(table: Any) -> set[str]:
    removed = {action["path"] for action in table.actions("remove")}
    return {action["path"] for action in table.actions("add")} - removed


def _forget(table: Any, age: int) -> str:
    """Remove the first file from the table, as if ``age`` hours ago; its name."""
    from time import time

    path = table.actions("add")[0]["path"]
    when = int((time() - age * 3600) * 1000)
    table.commit({"remove": {"path": path, "deletionTimestamp": when, "dataChange": True}})
    return str(path)


def test_only_files_that_no_young_version_needs_go(pieces: Any) -> None:
    path = _forget(pieces, age=200)
    before = pieces.files()
    found = vacuum(pieces, dry_run=True)
    assert [name for name, _ in found] == [path]
    assert found[0][1] == (pieces.path / path).stat().st_size
    assert pieces.files() == before
    assert vacuum(pieces) == found
    assert not (pieces.path / path).exists()
    assert pieces.rows() == [(2, "b"), (3, "c"), (4, "d")]


@pytest.mark.parametrize(("age", "hours"), [(100, None), (100, 168), (200, 300)])
def test_young_files_stay(pieces: Any, age: int, hours: int | None) -> None:
    path = _forget(pieces, age)
    version = pieces.facts().version
    assert list(vacuum(pieces, hours)) == []
    assert (pieces.path / path).exists()
    assert pieces.facts().version == version


@pytest.mark.parametrize("hours", [0, 167])
@pytest.mark.parametrize("dry_run", [False, True])
def test_less_than_a_week_is_refused(pieces: Any, hours: int, dry_run: bool) -> None:
    _forget(pieces, age=200)
    with pytest.raises(Invalid) as raised:
        vacuum(pieces, hours, dry_run=dry_run)
    assert raised.value.condition == "DELTA_VACUUM_RETENTION_PERIOD_TOO_SHORT"
    assert len([name for name in pieces.files() if name.endswith(".parquet")]) == 4
