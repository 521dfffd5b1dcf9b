"""Columns and properties of Iceberg tables, changed without a row written."""

from __future__ import annotations

from datetime import UTC, datetime

import polars as pl
import pytest

from flowcat_jupyter.formats.iceberg import FORMAT
from flowcat_jupyter.shared.errors import Invalid
from flowcat_jupyter.shared.wire import Column
from flowcat_jupyter.shared.wire_alter import Moved
from flowcat_jupyter.shared.wire_definitions import Definition
from tests.unit.formats.iceberg.conftest import Kept


def move(kept: Kept, *columns: Moved) -> None:
    job = kept.begin()
    job.rewrite(columns, location=kept.location, base_version=None)
    kept.record(job)


def test_columns_are_renamed_dropped_widened_and_moved_without_a_row_written(kept: Kept) -> None:
    given = pl.DataFrame({"a": [1], "b": ["x"], "c": [1.5]}, schema_overrides={"a": pl.Int32})
    first = kept.write(given, "create")
    data = {name for name in kept.files if name.endswith(".parquet")}
    move(
        kept,
        Moved(Column("B", "string", comment="renamed"), "b"),
        Moved(Column("a", "bigint"), "a"),
        Moved(Column("new", "array<int>"), None),
    )
    assert kept.rows().rows() == [("x", 1, None)]
    assert {name for name in kept.files if name.endswith(".parquet")} == data
    kept.write(pl.DataFrame({"B": ["y"], "a": [2**40], "new": [[1]]}))
    # The dropped column's name is another column's now.
    move(
        kept,
        *(Moved(column, column.name) for column in FORMAT.facts(kept.source()).columns),
        Moved(Column("c", "string"), None),
    )
    assert kept.rows().rows() == [("x", 1, None, None), ("y", 2**40, [1], None)]
    assert kept.rows(first.version).rows() == [(1, "x", 1.5)]
    with pytest.raises(Invalid, match="cannot become int"):
        move(kept, Moved(Column("a", "int"), "a"))


def test_a_column_that_is_partitioned_by_stays(kept: Kept) -> None:
    given = pl.DataFrame({"id": [1], "at": [datetime(2024, 1, 1, tzinfo=UTC)]})
    kept.write(given, "create", ("days(`at`)",))
    with pytest.raises(Invalid, match="partitioned by column at"):
        move(kept, Moved(Column("id", "bigint"), "id"))


def test_properties_are_set_but_not_those_that_say_how_the_table_is_written(kept: Kept) -> None:
    kept.write(pl.DataFrame({"id": [1]}), "create")

    def alter(change: Definition) -> None:
        job = kept.begin()
        job.alter(change, location=kept.location, base_version=None)
        kept.record(job)

    alter(Definition(properties={"team": "red", "write.parquet.compression-codec": "zstd"}))
    assert FORMAT.facts(kept.source()).properties["team"] == "red"
    alter(Definition(properties={"team": None}, required={"id": True}))
    facts = FORMAT.facts(kept.source())
    assert ("team" in facts.properties, facts.columns[0].nullable) == (False, False)
    with pytest.raises(Invalid, match="may not be NULL"):
        kept.write(pl.DataFrame({"id": [None]}, schema={"id": pl.Int64}))
    for name in ("write.data.path", "write.py-location-provider.impl", "format-version"):
        with pytest.raises(Invalid, match="is kept"):
            alter(Definition(properties={name: "/etc"}))
    with pytest.raises(Invalid, match="constraints"):
        alter(Definition(constraints={"c": "id > 0"}))


def test_an_append_brings_columns_when_it_may(kept: Kept) -> None:
    kept.write(pl.DataFrame({"id": [1]}), "create")
    more = pl.DataFrame({"ID": [2], "new": ["x"]})
    with pytest.raises(Invalid, match="no column new"):
        kept.write(more)
    job = kept.begin()
    job.write(
        more,
        location=kept.location,
        mode="append",
        base_version=None,
        keep_columns=True,
        add_columns=True,
    )
    kept.record(job)
    assert kept.rows().rows() == [(1, None), (2, "x")]
