"""Columns dropped, renamed, retyped and moved: the rows are written again as one version."""

from __future__ import annotations

import json
import os
from datetime import date

import polars as pl
import pytest
from deltalake import DeltaTable, Schema, write_deltalake

from flowcat_jupyter.shared.errors import Conflict, Invalid
from flowcat_jupyter.shared.wire import Column
from flowcat_jupyter.shared.wire_alter import Moved
from flowcat_jupyter.shared.wire_definitions import Definition

ROWS = pl.DataFrame({"id": [1, 2, 3], "part": ["x y", None, "ä/b"], "day": [date(2026, 1, 31)] * 3})


def rewrite(table, columns: list[Moved], base: int | None = None) -> int:
    return table.format.rewrite(
        columns,
        location=table.location,
        base_version=base,
        operation="RENAME COLUMN",
        parameters={},
        commit_info={"flowcat_write": "w1"},
    )


def kept(table) -> list[Moved]:
    return [Moved(column, column.name) for column in table.facts().columns]


@pytest.fixture
def parted(table):
    """A partitioned table of three rows, of which much is said."""
    table.write(ROWS, partition_by=["part"])
    table.format.alter(
        Definition(
            constraints={"positive": "`id` > 0"},
            properties={"team": "it"},
            defaults={"day": "DATE '2020-02-02'"},
            required={"id": True},
        ),
        location=table.location,
        base_version=None,
        operation="SET TBLPROPERTIES",
        parameters={},
    )
    return table


def test_all_that_is_said_of_a_table_stays(parted) -> None:
    id_, part, day = kept(parted)
    columns = [
        Moved(Column("new", "int"), None),
        Moved(Column("when", "date", comment="made"), "day"),
        id_,
        Moved(Column("piece", "string"), part.source),
    ]
    assert day.source == "day"
    assert rewrite(parted, columns) == 3
    facts = parted.facts()
    assert [column.name for column in facts.columns] == ["new", "when", "id", "piece"]
    assert facts.columns[1].comment == "made"
    assert [column.nullable for column in facts.columns] == [True, True, False, True]
    assert facts.partition_columns == ("piece",)
    assert (facts.constraints, facts.properties) == ({"positive": "`id` > 0"}, {"team": "it"})
    assert facts.defaults == {"when": "DATE '2020-02-02'"}
    assert (facts.version, facts.row_count) == (2, 3)
    day_ = date(2026, 1, 31)
    assert parted.rows("id") == [
        (None, day_, 1, "x y"),
        (None, day_, 2, None),
        (None, day_, 3, "ä/b"),
    ]
    assert [row[0] for row in parted.rows("id", version=0)] == [1, 2, 3]


def test_the_library_goes_on_with_what_was_written(parted) -> None:
    id_, part, day = kept(parted)
    rewrite(parted, [Moved(Column("when", "date"), day.source), id_, part])
    more = ROWS.rename({"day": "when"}).select("when", "id", "part")
    write_deltalake(parted.location, more, mode="append")
    table = DeltaTable(parted.location)
    table.optimize.compact()
    table.create_checkpoint()
    table.vacuum(retention_hours=0, dry_run=False, enforce_retention_duration=False)
    assert len(parted.rows()) == 6
    assert not [name for name in parted.files() if "stage" in name]


def test_types_change_where_every_value_is_kept(parted) -> None:
    _, part, day = kept(parted)
    rewrite(parted, [Moved(Column("id", "decimal(10,2)", False), "id"), part, day])
    assert parted.facts().columns[0].type == "decimal(10,2)"
    rewrite(parted, [Moved(Column("id", "string", False), "id"), part, day])
    assert [row[0] for row in parted.rows("id")] == ["1.00", "2.00", "3.00"]


def test_a_value_that_would_be_lost_leaves_all_as_it_was(parted) -> None:
    before = parted.files()
    id_, part, day = kept(parted)
    with pytest.raises(Invalid, match=r"ä/b|x y"):
        rewrite(parted, [id_, Moved(Column("part", "int"), part.source), day])
    with pytest.raises(Invalid, match="cannot become double"):
        rewrite(parted, [id_, part, Moved(Column("day", "double"), day.source)])
    assert parted.files() == before


def test_a_default_that_no_longer_fits_is_told(parted) -> None:
    parted.format.alter(
        Definition(defaults={"id": "70000"}),
        location=parted.location,
        base_version=None,
        operation="CHANGE COLUMN",
        parameters={},
    )
    _, part, day = kept(parted)
    with pytest.raises(Invalid, match="70000") as error:
        rewrite(parted, [Moved(Column("id", "smallint", False), "id"), part, day])
    assert error.value.condition == "INVALID_DEFAULT_VALUE.DATA_TYPE"
    assert parted.facts().version == 2


def test_a_partition_column_does_not_go(parted) -> None:
    id_, _, day = kept(parted)
    with pytest.raises(Invalid, match="partitioned by part"):
        rewrite(parted, [id_, day])


def test_a_version_committed_meanwhile_is_a_conflict(parted) -> None:
    before = parted.files()
    with pytest.raises(Conflict):
        rewrite(parted, kept(parted), base=0)
    assert parted.files() == before


def test_a_table_with_generated_columns_is_not_written_again(table) -> None:
    doubled = {"delta.generationExpression": "a * 2"}
    fields = [
        {"name": "a", "type": "long", "nullable": True, "metadata": {}},
        {"name": "b", "type": "long", "nullable": True, "metadata": doubled},
    ]
    schema = Schema.from_json(json.dumps({"type": "struct", "fields": fields}))
    DeltaTable.create(table.location, schema=schema)
    with pytest.raises(Invalid, match=r"generated columns \(b\)"):
        rewrite(table, kept(table))


def test_a_table_with_deletion_vectors_is_not_written_again(table, with_deletions) -> None:
    table.write(ROWS)
    with_deletions(table, [1])
    with pytest.raises(Invalid, match="deletion vectors"):
        rewrite(table, kept(table))
    assert len(table.rows()) == 2


def test_what_a_killed_rewrite_left_goes_with_a_later_one(parted) -> None:
    old, young = (parted.path / f"flowcat-stage-{name}" for name in ("old", "young"))
    for folder in (old, young):
        folder.mkdir()
    os.utime(old, (1, 1))
    rewrite(parted, kept(parted))
    assert (old.exists(), young.exists()) == (False, True)


def test_restoring_gives_the_old_columns_back(parted) -> None:
    id_, part, day = kept(parted)
    rewrite(parted, [Moved(Column("when", "date"), day.source), id_, part])
    parted.format.restore(location=parted.location, base_version=2, label="t", version=1)
    facts = parted.facts()
    assert [column.name for column in facts.columns] == ["id", "part", "day"]
    assert facts.constraints == {"positive": "`id` > 0"}
    assert len(parted.rows()) == 3


def test_what_a_constraint_reads_keeps_its_name(parted) -> None:
    id_, part, day = kept(parted)
    with pytest.raises(Invalid, match="positive") as error:
        rewrite(parted, [Moved(Column("key", "bigint"), id_.source), part, day])
    assert error.value.condition == "DELTA_CONSTRAINT_DEPENDENT_COLUMN_CHANGE"
    with pytest.raises(Invalid, match="reads id"):
        rewrite(parted, [part, day])
