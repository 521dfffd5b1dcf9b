"""Pages of results and tables."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import polars as pl
import pytest

from flowcat_jupyter.formats.delta import DeltaFormat
from flowcat_jupyter.shared.errors import Gone, Invalid, NotFound
from flowcat_jupyter.shared.wire import Column
from flowcat_jupyter.shared.wire_rows import FilterTerm, RowsJob
from flowcat_jupyter.worker.jobs.cells import write_arrow
from flowcat_jupyter.worker.jobs.rows import run_rows

FRAME = pl.DataFrame(
    {
        "c0": [3, 1, None, 2, 2],
        "c1": ["b", "A", "c", None, "100% <b>"],
        "c2": [1.5, float("nan"), None, -1.0, 0.0],
    }
)
COLUMNS = (Column("n", "bigint"), Column("t", "string"), Column("t", "double"))


@pytest.fixture
def page(tmp_path, context):
    """Asks for a page of `FRAME` as a spooled result and gives its rows and what was said."""
    spool = tmp_path / "spool"
    write_arrow(FRAME, spool)

    def ask(offset=0, limit=100, **options):
        job = RowsJob(
            out=str(tmp_path / "out"),
            offset=offset,
            limit=limit,
            spool=str(spool),
            columns=COLUMNS,
            **options,
        )
        info = run_rows(job, context)
        return pl.read_ipc(tmp_path / "out"), info

    return ask


def test_a_page_says_how_many_rows_there_are(page):
    rows, info = page(offset=1, limit=2)
    assert rows["c0"].to_list() == [1, None]
    assert (info.row_count, info.total, info.columns) == (2, 5, COLUMNS)
    assert rows.columns == ["c0", "c1", "c2"]


def test_a_page_past_the_end_is_empty(page):
    rows, info = page(offset=99)
    assert (rows.height, info.row_count, info.total) == (0, 0, 5)
    assert page(limit=0)[1].row_count == 0


def test_nulls_come_first_ascending_and_last_descending_and_ties_keep_their_order(page):
    assert page(sort=0)[0].select("c0", "c1").rows() == [
        (None, "c"),
        (1, "A"),
        (2, None),
        (2, "100% <b>"),
        (3, "b"),
    ]
    assert page(sort=0, descending=True)[0]["c1"].to_list() == ["b", None, "100% <b>", "A", "c"]


def test_pages_of_a_sorted_result_join_up(page):
    whole = page(sort=2)[0]["c1"].to_list()
    parts = [page(offset=start, limit=2, sort=2)[0]["c1"].to_list() for start in (0, 2, 4)]
    assert [value for part in parts for value in part] == whole


@pytest.mark.parametrize(
    ("column", "op", "value", "found"),
    [
        (0, "=", "2", [2, 2]),
        (0, "!=", "2", [3, 1]),
        (0, ">", "1.5", [3, 2, 2]),
        (0, "<=", " 1 ", [1]),
        (0, "is_null", None, [None]),
        (0, "not_null", None, [3, 1, 2, 2]),
        (0, "contains", "3", [3]),
        (1, "contains", "a", [1]),
        (1, "contains", "% <B", [2]),
        (1, "=", "b", [3]),
        (2, "<", "1e0", [2, 2]),
    ],
)
def test_a_filter_keeps_what_it_says(page, column, op, value, found):
    rows, info = page(filters=(FilterTerm(column, op, value),))
    assert rows["c0"].to_list() == found
    assert info.total == len(found)


def test_pages_of_a_filtered_result_join_up_and_end(page):
    terms = (FilterTerm(0, "not_null"),)
    parts = [page(offset=start, limit=2, filters=terms)[0]["c0"].to_list() for start in range(6)]
    assert parts == [[3, 1], [1, 2], [2, 2], [2], [], []]
    assert page(offset=1, limit=2, filters=(FilterTerm(0, "=", "99"),))[0].columns == FRAME.columns


def test_filters_add_up(page):
    terms = (FilterTerm(0, "=", "2"), FilterTerm(1, "not_null"))
    assert page(filters=terms)[0].height == 1


@pytest.mark.parametrize(
    "options",
    [
        {"sort": 9},
        {"sort": -1},
        {"sort": "nope"},
        {"filters": (FilterTerm(9, "=", "1"),)},
        {"filters": (FilterTerm("nope", "is_null"),)},
    ],
)
def test_a_column_that_is_not_there_is_not_found(page, options):
    with pytest.raises(NotFound, match="column"):
        page(**options)


@pytest.mark.parametrize(
    ("term", "message"),
    [
        (FilterTerm(0, "~", "1"), "not a way to filter"),
        (FilterTerm(0, "=", "two"), "'two' is not a BIGINT"),
        (FilterTerm(0, "in", values=("2", "2013x")), "'2013x' is not a BIGINT"),
        (FilterTerm(0, "<"), "needs a value"),
        (FilterTerm(0, "is_nan"), "no NaN"),
        (FilterTerm(2, "=", "1,5"), "'1,5' is not a DOUBLE"),
    ],
)
def test_a_filter_that_makes_no_sense_says_why(page, term, message):
    with pytest.raises(Invalid, match=message):
        page(filters=(term,))


def test_an_expired_result_is_gone(tmp_path, context):
    job = RowsJob(out=str(tmp_path / "o"), offset=0, limit=1, spool=str(tmp_path / "nope"))
    with pytest.raises(Gone):
        run_rows(job, context)


def table_page(context, tmp_path, source, **options):
    job = RowsJob(out=str(tmp_path / "out"), offset=0, limit=10, source=source, **options)
    return run_rows(job, context)


def test_a_table_is_paged_at_its_version_in_its_declared_types(tmp_path, context, delta_source):
    source = delta_source(pl.DataFrame({"Id": [2, 1]}, schema={"Id": pl.Int32}))
    DeltaFormat().write(
        pl.DataFrame({"Id": [9]}), location=source.location, mode="append", base_version=None
    )
    info = table_page(context, tmp_path, source, sort="ID")
    rows = pl.read_ipc(tmp_path / "out")
    assert rows["Id"].to_list() == [1, 2, 9]
    assert rows.schema == {"Id": pl.Int32}
    assert (info.version, info.columns) == (1, (Column("Id", "int"),))


def test_a_display_page_and_a_json_page_of_a_table(tmp_path, context, delta_source):
    frame = pl.DataFrame(
        {
            "d": [Decimal("17.00")],
            "b": [2**53 + 1],
            "t": [datetime(2020, 1, 1, tzinfo=UTC)],
            "l": [[1]],
        }
    )
    source = delta_source(frame)
    exact = ["17.00", "9007199254740993"]
    info = table_page(context, tmp_path, source, display=True, time_zone="Asia/Tokyo")
    shown = pl.read_ipc(tmp_path / "out")
    assert list(shown.row(0)) == [*exact, "2020-01-01 09:00:00", "[1]"]
    assert info.columns[0].type == "decimal(38,2)"
    table_page(context, tmp_path, source, as_json=True)
    assert json.loads((tmp_path / "out").read_text()) == [[*exact, "2020-01-01T00:00:00Z", [1]]]


def test_a_table_vacuumed_while_it_is_read_is_gone(tmp_path, context, delta_source):
    source = delta_source(pl.DataFrame({"v": [1]}))

    class Vacuuming:
        def scan(self, source):
            scan = DeltaFormat().scan(source)
            for file in Path(source.location).glob("*.parquet"):
                file.unlink()
            return scan

    context.formats.register("vacuuming", Vacuuming())
    with pytest.raises(Gone):
        table_page(context, tmp_path, replace(source, format="vacuuming"))


def test_typed_filters_on_a_table(tmp_path, context, delta_source):
    frame = pl.DataFrame(
        {
            "m": [Decimal("1.50"), Decimal("2.50")],
            "t": [datetime(2020, 1, day, tzinfo=UTC) for day in (1, 2)],
            "l": [[1], [2]],
        }
    )
    source = delta_source(frame)
    for term in (FilterTerm(0, "=", "1.5"), FilterTerm(1, "<", "2020-01-01T12:00:00Z")):
        assert table_page(context, tmp_path, source, filters=(term,)).total == 1
    assert table_page(context, tmp_path, source, filters=(FilterTerm(2, "=", "[1]"),)).total == 1
    with pytest.raises(Invalid, match="ARRAY, which has no order"):
        table_page(context, tmp_path, source, filters=(FilterTerm(2, "<", "1"),))


@pytest.mark.parametrize("name", ["*", "^a.*$"])
def test_columns_named_like_patterns_sort_and_filter_by_themselves(
    tmp_path, context, delta_source, name
):
    frame = pl.DataFrame({"ab": [1, 2, 3], name: [30, 10, 20]})
    job = RowsJob(
        out=str(tmp_path / "out"),
        offset=0,
        limit=10,
        as_json=True,
        source=delta_source(frame),
        sort=name,
        filters=(FilterTerm(1, ">", "10"),),
    )
    run_rows(job, context)
    assert json.loads(Path(job.out).read_text()) == [[3, 20], [1, 30]]
