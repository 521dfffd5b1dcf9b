"""Generated columns and defaults: computed for whoever leaves them out, a kernel too."""

from __future__ import annotations

import polars as pl
import pytest
from deltalake import write_deltalake

from flowcat_jupyter.formats.delta_generated import recomputed
from flowcat_jupyter.formats.protocol import Parts
from flowcat_jupyter.shared.errors import AlreadyExists, Invalid
from flowcat_jupyter.shared.wire import Column
from flowcat_jupyter.shared.wire_definitions import Definition

COLUMNS = (Column("id", "int"), Column("n", "bigint"), Column("twice", "bigint", nullable=False))
TWICE = Definition(
    defaults={"n": "7"}, generated={"twice": "CAST((CAST(`n` AS DECIMAL(20,0)) * 2) AS BIGINT)"}
)


@pytest.fixture
def doubled(table):
    """A table one of whose columns is twice another, which has a default."""
    table.format.define_with(
        COLUMNS, TWICE, location=table.location, base_version=None, partition_by=["id"]
    )
    return table


def test_every_way_of_writing_computes(doubled) -> None:
    doubled.write(pl.DataFrame({"id": [1], "n": [5]}), "append")
    doubled.write(pl.DataFrame({"id": [1, 2], "n": [6, 9]}), "upsert", merge_keys=["id"])
    doubled.write(pl.DataFrame({"id": [3]}), "upsert", merge_keys=["id"])
    doubled.write(pl.DataFrame({"id": [2], "n": [10]}), "update", merge_keys=["id"])
    assert doubled.rows("id") == [(1, 6, 12), (2, 10, 20), (3, 7, 14)]
    doubled.write(pl.DataFrame({"id": [4]}), "overwrite", keep_columns=True)
    assert doubled.rows() == [(4, 7, 14)]


def test_another_value_is_told_apart(doubled) -> None:
    rows = pl.DataFrame({"id": [1], "n": [5], "twice": [11]})
    with pytest.raises(Invalid, match="generated column twice") as error:
        doubled.write(rows, "append")
    assert error.value.condition == "DELTA_GENERATED_COLUMNS_VALUE_MISMATCH"
    with pytest.raises(Invalid, match="may not be NULL"):
        doubled.write(pl.DataFrame({"id": [1], "n": pl.Series([None], dtype=pl.Int64)}), "append")


@pytest.mark.parametrize("parts", [Parts(), Parts(pl.DataFrame({"twice": [10]}))])
def test_partitions_of_computed_values_are_replaced(table, parts) -> None:
    table.format.define_with(
        COLUMNS, TWICE, location=table.location, base_version=None, partition_by=["twice"]
    )
    table.write(pl.DataFrame({"id": [1, 2], "n": [5, 6]}), "append")
    new = pl.DataFrame({"id": [3], "n": [5]})
    table.write(new, "overwrite", base=1, keep_columns=True, parts=parts)
    assert table.rows("id") == [(2, 6, 12), (3, 5, 10)]


def test_rows_put_in_place_of_all_are_held_to_what_a_table_says(doubled) -> None:
    doubled.write(pl.DataFrame({"id": [3]}), "overwrite")
    assert doubled.rows() == [(3, 7, 14)]
    for wrong, named in (
        ({"id": [1], "n": pl.Series([None], dtype=pl.Int64)}, "may not be NULL"),
        ({"id": [1], "n": [5], "twice": [11]}, "generated column twice"),
        ({"id": [1], "more": [1]}, "no column more"),
    ):
        with pytest.raises(Invalid, match=named):
            doubled.write(pl.DataFrame(wrong), "overwrite")
    with pytest.raises(Invalid, match="partitioned otherwise"):
        doubled.write(pl.DataFrame({"id": [1]}), "overwrite", partition_by=["n"])
    assert doubled.rows() == [(3, 7, 14)]


def test_other_writers_are_held_to_it(doubled) -> None:
    rows = pl.DataFrame({"id": [1], "n": [5], "twice": [10]}, schema_overrides={"id": pl.Int32})
    write_deltalake(doubled.location, rows, mode="append")
    with pytest.raises(Exception, match="failed validation"):
        write_deltalake(doubled.location, rows.with_columns(twice=pl.lit(3)), mode="append")


def test_a_table_is_made_once(doubled) -> None:
    with pytest.raises(AlreadyExists):
        doubled.format.define_with(COLUMNS, TWICE, location=doubled.location, base_version=None)
    assert doubled.facts().version == 0


def test_what_is_of_another_type_is_no_column(table) -> None:
    said = Definition(generated={"twice": "upper('x')"})
    with pytest.raises(Invalid, match="twice"):
        table.format.define_with(COLUMNS, said, location=table.location, base_version=None)
    assert not table.path.exists()


def test_names_in_texts_are_no_columns() -> None:
    said = recomputed({"g": "(`a` = '`a`') AND (`b``c` > `D`)"}, {"A": "s.`v`"})
    assert said == {"g": "(s.`v` = '`a`') AND (t.`b``c` > t.`D`)"}
