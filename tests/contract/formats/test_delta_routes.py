"""Every way a Delta table can be read gives the same rows."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path

import polars as pl
import pyarrow as pa
import pytest
from deltalake import QueryBuilder

from flowcat_jupyter.formats import delta_mapped, delta_scan
from flowcat_jupyter.formats.delta import FORMAT
from flowcat_jupyter.formats.types import polars_type, widened
from flowcat_jupyter.shared.conditions import Condition
from tests.support.scans import told

FIELDS = [
    ("Id", "integer"),
    ("na me", "string"),
    ("s", {"type": "array", "elementType": "short", "containsNull": True}),
    ("d", "date"),
    ("ts", "timestamp"),
    ("dec", "decimal(10,2)"),
    ("p", "string"),
]
ROWS = pl.DataFrame(
    {
        "Id": [1, 2, None, 4, 5, 6],
        "na me": ["a", None, "ü", "日", "", "z"],
        "s": [[1], None, [], [4, None], [5], [6]],
        "d": ["2024-01-01", None, "0202-02-03", "1969-12-31", "2024-02-29", "9999-12-31"],
        "ts": ["2024-01-01 00:00:00.123456"] * 5 + [None],
        "dec": ["1.10", "-2.20", None, "99999999.99", "0.00", "0.01"],
        "p": ["x", "x", "x", "y", "y", "y"],
    },
).with_columns(
    pl.col("Id").cast(pl.Int32),
    pl.col("s").cast(pl.List(pl.Int16)),
    pl.col("d").str.to_date(),
    pl.col("ts").str.to_datetime(time_unit="us").dt.replace_time_zone("UTC"),
    pl.col("dec").cast(pl.Decimal(10, 2)),
)
STORED = pa.schema(
    [
        ("Id", pa.int32()),
        ("na me", pa.string()),
        ("s", pa.list_(pa.int16())),
        ("d", pa.date32()),
        ("ts", pa.timestamp("us", "UTC")),
        ("dec", pa.decimal128(10, 2)),
    ]
)


def fill(table, deleted: list[int]) -> None:
    table.begin(FIELDS, ("p",))
    actions = []
    for value in ("x", "y"):
        part = ROWS.filter(pl.col("p") == value).drop("p").to_arrow().cast(STORED)
        name = f"p={value}/{value}.parquet"
        actions.append(table.file(part, name, {"p": value}, deleted=deleted))
    table.commit(*actions)


ROUTES = {
    "plain": ({}, [], delta_scan.OWN),
    "plain, many": ({}, [], delta_scan.SCAN_DELTA),
    "deleted, few": ({"features": ("deletionVectors",)}, [1], delta_scan.WITHOUT),
    "deleted, many": ({"features": ("deletionVectors",)}, [1], delta_scan.SCAN_DELTA),
    "mapped by name": ({"mapping": "name"}, [], delta_scan.MAPPED),
    "mapped by id": ({"mapping": "id"}, [], delta_scan.MAPPED),
    "mapped and deleted": (
        {"mapping": "name", "features": ("deletionVectors",)},
        [1],
        delta_scan.MAPPED,
    ),
}


@pytest.fixture(params=list(ROUTES))
def route(request, monkeypatch):
    if request.param == "deleted, many":
        monkeypatch.setattr(delta_scan, "FEW", 1)
    if request.param == "plain, many":
        monkeypatch.setattr(delta_scan, "MANY", 1)
    return ROUTES[request.param]


@pytest.fixture(params=["t", "José #1 {x} 日"])
def case(request, route, make_foreign):
    """A table, the rows it holds and the route it should be read by."""
    options, deleted, wanted = route
    table = make_foreign(request.param, **options)
    fill(table, deleted)
    rows = ROWS.filter(~pl.int_range(pl.len()).over("p").is_in(deleted)) if deleted else ROWS
    if wanted == delta_scan.SCAN_DELTA and request.param != "t":
        # polars finds no file below such a root.
        wanted = delta_scan.WITHOUT if deleted else delta_scan.OWN
    return table, rows, wanted


def test_the_rows_are_the_same_and_of_the_declared_types(case):
    table, rows, wanted = case
    scan = FORMAT.scan(table.source())
    assert scan.reading is not None
    assert scan.reading.route == wanted
    schema = scan.frame.collect_schema()
    for column in scan.columns:
        assert schema[column.name] == widened(polars_type(column.type))
    assert scan.frame.collect().schema == schema
    order = ["p", "dec"]
    assert scan.declared().sort(order).collect().equals(rows.sort(order))


def test_projection_filter_limit_and_count(case):
    table, rows, _ = case
    frame = FORMAT.scan(table.source()).frame
    assert frame.select(pl.len()).collect().item() == rows.height
    assert frame.select("na me", "Id").sort("Id").collect().columns == ["na me", "Id"]
    assert sorted(frame.filter(pl.col("Id") > 3).select("Id").collect()["Id"]) == sorted(
        rows.filter(pl.col("Id") > 3)["Id"]
    )
    by_part = frame.filter(pl.col("p") == "y").select("Id").collect()
    assert sorted(by_part["Id"]) == sorted(rows.filter(pl.col("p") == "y")["Id"])
    assert frame.filter(pl.col("Id").is_null()).collect().height == rows["Id"].null_count()
    assert frame.head(2).collect().height == 2
    assert frame.filter(pl.col("p") == "y").head(1).select("p").collect().rows() == [("y",)]
    assert frame.sort("dec").tail(1).select("dec").collect().item() == rows["dec"].max()


def test_facts_count_what_stands(case):
    table, rows, _ = case
    facts = FORMAT.facts(table.source())
    assert facts.row_count == rows.height
    reading = told(FORMAT.scan(table.source()))
    assert (reading.files, reading.rows) == (2, rows.height)


def test_what_is_asked_never_changes_what_is_answered(case):
    """Conditions only leave out what a filter would drop all the same."""
    table, _, _ = case
    opened = FORMAT.open(table.source())
    for condition in (
        Condition("Id", ">", (3,)),
        Condition("p", "=", ("y",)),
        Condition("na me", "is_null"),
        Condition("Id", "in", (1, 6)),
        Condition("d", "=", (date(2024, 2, 29),)),
        Condition("ts", "=", (datetime(2024, 1, 1, 0, 0, 0, 123456, UTC),)),
    ):
        name = pl.col(condition.column)
        test = {
            ">": name > 3,
            "=": name.is_in(condition.values),
            "is_null": name.is_null(),
            "in": name.is_in([1, 6]),
        }[condition.op]
        left = opened.scan(((condition,),)).frame.filter(test).sort("dec").collect()
        assert left.equals(opened.scan().frame.filter(test).sort("dec").collect())


def test_a_long_list_of_values_is_judged_by_its_ends(make_foreign):
    table = make_foreign()
    fill(table, [])
    opened = FORMAT.open(table.source())
    for values, left in ((range(4, 5000), 1), (range(-9000, 3), 1), (range(500), 0)):
        scan = opened.scan(((Condition("Id", "in", tuple(values)),),))
        assert told(scan).files_skipped == left


def test_a_mapped_table_reads_only_the_columns_asked_for(make_foreign, monkeypatch):
    table = make_foreign(mapping="name")
    fill(table, [])
    asked: list[str] = []

    class Watched(QueryBuilder):
        def execute(self, sql):
            asked.append(sql)
            return super().execute(sql)

    monkeypatch.setattr(delta_mapped, "QueryBuilder", Watched)
    FORMAT.scan(table.source()).frame.select("Id").head(1).collect()
    assert asked == ['SELECT "Id" FROM t LIMIT 1']


@pytest.mark.parametrize(
    "options", [{}, {"features": ("deletionVectors",)}, {"mapping": "name"}, {"mapping": "id"}]
)
def test_files_that_cannot_hold_a_wanted_row_are_not_touched(make_foreign, options):
    table = make_foreign(**options)
    deleted = "features" in options
    fill(table, [1] if deleted else [])
    gone = Path(table.path, "p=x", "x.parquet")
    opened = FORMAT.open(table.source())
    gone.rename(gone.with_suffix(".away"))
    for condition in (
        Condition("Id", ">=", (4,)),
        Condition("p", "=", ("y",)),
        Condition("p", "in", ("y", "z")),
        Condition("na me", ">=", ("日",)),
    ):
        scan = opened.scan(((condition,),))
        assert (told(scan).files, told(scan).files_skipped) == (2, 1)
        assert told(scan).rows_skipped == (2 if deleted else 3)
        column, y = pl.col(condition.column), scan.frame.filter(pl.col("p") == "y")
        rows = y.filter(column > "z") if condition.column == "na me" else y
        expected = 1 if condition.column == "na me" else (2 if deleted else 3)
        assert rows.collect().height == expected
