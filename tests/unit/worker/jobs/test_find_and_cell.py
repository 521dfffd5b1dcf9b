"""Finding a text among rows as they are shown, and the whole of a value."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from decimal import Decimal
from uuid import uuid4

import polars as pl
import pytest

from flowcat_jupyter.shared.errors import LimitExceeded, NotFound
from flowcat_jupyter.shared.wire_rows import CellJob, FilterTerm, FindJob, RowsJob
from flowcat_jupyter.worker.jobs import rows as rows_module
from flowcat_jupyter.worker.jobs.cells import write_arrow
from flowcat_jupyter.worker.jobs.find import run_find
from flowcat_jupyter.worker.jobs.rows import run_cell, run_rows
from flowcat_jupyter.worker.jobs.texts import MOST_SHOWN

FRAME = pl.DataFrame(
    {
        "c0": [3, 1, None, 2, 12],
        "c1": ["Air", "b.*", None, "AIRLINE", "ä"],
        "c2": [0.1, math.nan, math.inf, None, 1.0],
        "c3": [Decimal("0.10"), None, Decimal("5.00"), None, None],
        "c4": [datetime(2024, 3, 31, 1, 30, tzinfo=UTC), *[None] * 4],
        "c5": [[1, 2], None, [], [3], None],
    }
)


@pytest.fixture
def spool(tmp_path):
    write_arrow(FRAME, tmp_path / "spool")
    return {"spool": str(tmp_path / "spool"), "time_zone": "Europe/Paris"}


@pytest.fixture
def find(spool, context):
    def ask(text, **options):
        found = run_find(FindJob(text=text, **spool, **options), context)
        return found.row, found.column, found.matches

    return ask


def test_the_search_goes_on_and_wraps_round(find):
    assert find("air") == (0, 1, 2)
    assert find("air", after=0) == (3, 1, 2)
    assert find("air", after=3) == (0, 1, 2)
    assert find("air", after=3, backwards=True) == (0, 1, 2)
    assert find("air", backwards=True) == (3, 1, 2)
    assert find("nowhere") == (None, None, 0)


def test_case_counts_when_asked(find):
    assert find("AIR", case=True) == (3, 1, 1)
    assert find("Ä") == (4, 1, 1)


@pytest.mark.parametrize(
    ("text", "row", "column"),
    [
        ("b.*", 1, 1),
        ("NaN", 1, 2),
        ("Infinity", 2, 2),
        ("0.10", 0, 3),
        ("2024-03-31 03:30:00", 0, 4),
        ("[1,2]", 0, 5),
        ("1.0", 4, 2),
    ],
)
def test_what_is_found_is_what_is_shown(find, text, row, column):
    assert find(text, case=True)[:2] == (row, column)


@pytest.mark.parametrize("kept", [False, True])
def test_rows_count_as_they_are_filtered_and_sorted(find, tmp_path, kept):
    def order():
        return str(tmp_path / uuid4().hex) if kept else None

    assert find("air", sort=0, order=order()) == (2, 1, 2)
    assert find("air", sort=0, descending=True, order=order()) == (1, 1, 2)
    some = (FilterTerm(0, ">", "2"),)
    assert find("air", sort=0, filters=some, order=order()) == (0, 1, 1)


def test_a_table_is_searched_too(context, delta_source):
    source = delta_source(pl.DataFrame({"a": ["x", "y"], "b": ["Y", "z"]}))
    found = run_find(FindJob(text="y", source=source, sort="A", descending=True), context)
    assert (found.row, found.column, found.matches) == (0, 0, 2)


def test_a_cell_is_whole_where_a_page_is_cut(tmp_path, context):
    long = "🙂" * (MOST_SHOWN + 1)
    frame = pl.DataFrame({"c0": [long, "x" * MOST_SHOWN], "c1": [list(range(5_000)), []]})
    write_arrow(frame, tmp_path / "spool")
    job = RowsJob(
        spool=str(tmp_path / "spool"), out=str(tmp_path / "out"), offset=0, limit=9, display=True
    )
    run_rows(job, context)
    page = pl.read_ipc(tmp_path / "out")
    assert page["c0"].to_list() == ["🙂" * MOST_SHOWN + "…", "x" * MOST_SHOWN]
    assert page["c1"][0].endswith("…")
    assert len(page["c1"][0]) == MOST_SHOWN + 1
    whole = run_cell(CellJob(spool=job.spool, row=0, column=0), context)
    assert (whole.value, whole.type, whole.bytes) == (long, "string", 4 * len(long))
    nested = run_cell(CellJob(spool=job.spool, row=0, column=1), context)
    assert nested.value == "[" + ",".join(map(str, range(5_000))) + "]"


def test_a_cell_is_found_in_the_order_that_is_shown(spool, context, tmp_path):
    for order in (None, str(tmp_path / "order")):
        job = CellJob(row=1, column=1, sort=0, order=order, **spool)
        assert run_cell(job, context).value == "b.*"
    assert run_cell(CellJob(row=2, column=1, **spool), context).value is None


def test_a_cell_that_is_not_there_or_too_large_says_so(spool, context, monkeypatch):
    for row, column in ((5, 0), (-1, 0), (0, 9)):
        with pytest.raises(NotFound):
            run_cell(CellJob(row=row, column=column, **spool), context)
    monkeypatch.setattr(rows_module, "MOST_BYTES", 2)
    with pytest.raises(LimitExceeded):
        run_cell(CellJob(row=0, column=1, **spool), context)
