"""A kernel's own frames in SQL, on a real server with its workers."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

SETUP = """
import os, datetime as dt, polars as pl, pandas as pd, pyarrow as pa
from decimal import Decimal
sales = pl.DataFrame({"id": [1, 2, 3], "amount": [Decimal("0.10"), None, Decimal("2.25")]})
names = pd.DataFrame({"id": pd.array([1, None, 3], dtype="Int64"), "name": ["a", "b", None]})
at = pd.date_range("2024-03-31", periods=3, freq="h", tz="Europe/Paris")
"""


@pytest.fixture(scope="module")
def kernel(live):
    started = live.start_kernel()
    assert started.run(SETUP)["status"] == "ok"
    return started


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_frames_of_every_library_are_joined_exactly(kernel, engine):
    kernel.run(
        f"%%catalog_sql got --quiet --engine {engine} --param id=2\n"
        "SELECT :id AS asked, s.id, name, amount FROM :sales s LEFT JOIN :names n ON s.id = n.id\n"
        "ORDER BY s.id"
    )
    assert kernel.text("print(got.rows())") == (
        "[(2, 1, 'a', Decimal('0.10')), (2, 2, None, None), (2, 3, None, Decimal('2.25'))]\n"
    )
    assert kernel.text("print(got.schema['amount'])") == "Decimal(precision=38, scale=2)\n"


def test_a_frame_joins_a_table_of_the_catalog(kernel):
    kernel.text("flowfile_ctx.write_catalog_table(sales, 'kept')")
    assert kernel.text(
        "print(flowfile_ctx.sql('SELECT count(*) FROM kept JOIN :mine USING (id) WHERE id > :id',"
        " mine=sales.lazy().filter(pl.col('id') > 1), id=2).item())"
    ) == ("1\n")


def test_zones_dates_and_holes_come_back_as_they_went(kernel):
    said = kernel.text(
        "frame = pd.DataFrame({'at': at, 'day': [dt.date(1, 1, 1), None, dt.date(9999, 12, 31)],"
        " 'big': pd.array([2**63 - 1, None, 0], dtype='Int64'),"
        " 'kind': pd.Categorical(['x', None, 'x'])})\n"
        "back = flowfile_ctx.sql('SELECT * FROM :f', f=frame, as_='pandas')\n"
        "print((back['at'] == frame['at']).all(), back['day'].tolist() == frame['day'].tolist())\n"
        "print(back['big'].dtype, back['big'].equals(frame['big']), back['kind'].tolist()[0])\n"
        "arrow = flowfile_ctx.sql('SELECT at, day FROM :f', f=frame, as_='arrow')\n"
        "print(arrow.schema.types)"
    )
    assert said == (
        "True True\nInt64 True x\n[TimestampType(timestamp[us, tz=UTC]), DataType(date32[day])]\n"
    )


def test_a_plan_and_several_statements_read_a_frame(kernel):
    shown = kernel.text("%%catalog_sql\nEXPLAIN SELECT id FROM :sales WHERE amount > 1")
    assert "sales: frame, read as rows sent with the query" in shown
    kernel.text(
        "%%catalog_sql last --quiet\nSELECT * FROM :sales;\nSELECT max(id) AS m FROM :sales"
    )
    assert kernel.text("print(last.item())") == "3\n"


def test_columns_of_one_name_come_in_every_form_with_a_warning(kernel):
    said = kernel.text(
        "%%catalog_sql both --as pandas --quiet\nSELECT a.id, b.id FROM :sales a, :sales b"
    )
    assert "id → id_2" in said
    assert kernel.text("print(list(both.columns), len(both))") == "['id', 'id_2'] 9\n"


def test_nothing_of_a_frame_stays_on_the_server(kernel, live):
    spools = Path(live.runtime).parent / "flowcat" / "results"
    before = {path for path in spools.rglob("*") if path.is_file()}
    kernel.run("%%catalog_sql --quiet\nSELECT count(*) FROM :sales")
    kernel.run("%%catalog_sql --quiet\nSELECT nothing FROM :sales")
    new = {path for path in spools.rglob("*") if path.is_file()} - before
    assert len(new) == 1, "the one result"


def test_an_interrupt_while_a_frame_is_computed_leaves_the_kernel_usable(kernel, tmp_path):
    pid = int(kernel.text("print(os.getpid())"))
    started = tmp_path / "started"
    kernel.run(
        "import time\n"
        "def crawl(frame):\n"
        f"    open({str(started)!r}, 'w').close()\n"
        "    time.sleep(30)\n"
        "    return frame\n"
        "slow = pl.LazyFrame({'a': [1]}).map_batches(crawl)"
    )
    message = kernel.send("%%catalog_sql\nSELECT * FROM :slow")
    end = time.monotonic() + 30
    while not started.exists() and time.monotonic() < end:
        time.sleep(0.05)
    began = time.monotonic()
    os.kill(pid, 2)
    reply = kernel.wait(message)
    assert reply["ename"] == "KeyboardInterrupt"
    assert time.monotonic() - began < 20, "not after the half minute that it would take"
    assert kernel.text("print(flowfile_ctx.sql('SELECT 1 AS a').item())") == "1\n"


def test_a_front_end_is_told_of_the_frames_and_what_it_asks_leaves_no_trace(kernel):
    expression = (
        "(lambda m: m and m.report(globals()))"
        "(__import__('sys').modules.get('flowcat_jupyter.kernel.listing'))"
    )
    before = kernel.text("print(len(In))")
    message = kernel.client.execute(
        "", silent=True, store_history=False, user_expressions={"frames": expression}
    )
    reply = kernel.wait(message)
    found = reply["user_expressions"]["frames"]["data"]["application/vnd.flowcat.frames+json"]
    told = {frame["name"]: frame for frame in found}
    assert told["sales"]["columns"][1] == {"name": "amount", "type": "decimal(38,2)"}
    assert told["names"]["kind"] == "pandas"
    assert told["slow"]["rows"] is None
    assert int(kernel.text("print(len(In))")) == int(before) + 1
