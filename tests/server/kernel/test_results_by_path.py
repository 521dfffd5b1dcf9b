"""A kernel beside its server reads results where they lie; any other gets the same as a stream."""

from __future__ import annotations

from typing import Any

import pytest

TYPES = """SELECT
  1 AS x, 2L AS y, cast(1.5 AS DECIMAL(38, 2)) AS d, 'é' AS s, true AS t,
  DATE'2024-02-29' AS day, TIMESTAMP'2024-02-29 12:00:00' AS at, array(1, NULL) AS list,
  named_struct('a', 1, 'b', 'z') AS struct, cast(NULL AS STRING) AS nothing,
  cast('1e300' AS DOUBLE) AS f"""

SETUP = f"""
import os, pathlib, polars as pl
from flowcat_jupyter.kernel import queries
client, offers = flowfile_ctx._client, []
inner = queries.handed_over

def watched(offer):
    frame = inner(offer)
    offers.append((offer["path"], frame is not None))
    return frame

queries.handed_over = watched

def both(query, **options):
    client.is_beside = False
    streamed = flowfile_ctx.sql(query, **options)
    client.is_beside = True
    return streamed, flowfile_ctx.sql(query, **options)

TYPES = {TYPES!r}
"""


@pytest.fixture
def kernel(live: Any) -> Any:
    started = live.start_kernel()
    assert started.run(SETUP)["status"] == "ok"
    yield started
    live.ask("DELETE", f"api/kernels/{started.id}")


def test_a_result_is_read_where_it_lies_and_is_the_same(kernel: Any) -> None:
    assert kernel.text(
        "streamed, read = both(TYPES)\n"
        "print(streamed.equals(read), streamed.schema == read.schema, read.columns[:2])\n"
        "print([found for _, found in offers])"
    ) == ("True True ['x', 'y']\n[True]\n")
    for form in ("pandas", "arrow"):
        assert kernel.text(f"a, b = both(TYPES, as_={form!r}); print(a.equals(b))") == "True\n"


def test_a_frame_outlives_its_file(kernel: Any) -> None:
    assert kernel.text(
        "many = pl.select(id=pl.int_range(200_000)).with_columns(s=pl.col('id').cast(pl.String))\n"
        "kept = flowfile_ctx.sql('SELECT * FROM :many', many=many)\n"
        "path, found = offers[-1]\n"
        "os.unlink(path)\n"
        "print(found, kept.height, kept['id'].sum(), kept['s'].max())\n"
        "kept[0, 'id'] = 7\n"
        "print(kept['id'][0])"
    ) == ("True 200000 19999900000 99999\n7\n")


def test_rows_without_a_row_and_the_magics_frame_come_by_path_too(kernel: Any) -> None:
    assert kernel.text("print(flowfile_ctx.sql('SELECT 1 AS a WHERE 1 = 0').shape)") == "(0, 1)\n"
    assert kernel.run("%%catalog_sql got --quiet\nSHOW CATALOGS")["status"] == "ok"
    assert kernel.text("print(got.height > 0, [found for _, found in offers])") == (
        "True [True, True]\n"
    )


def test_a_kernel_that_has_no_such_file_gets_a_stream_and_asks_no_more(kernel: Any) -> None:
    assert kernel.text(
        "queries.handed_over = lambda offer: watched({**offer, 'path': offer['path'] + 'x'})\n"
        "print([flowfile_ctx.sql('SELECT 5 AS five').item() for _ in range(2)])\n"
        "print(offers[0][1], len(offers), client.is_beside)"
    ) == ("[5, 5]\nFalse 1 False\n")


def test_the_file_is_the_servers_and_private(kernel: Any) -> None:
    assert kernel.text(
        "flowfile_ctx.sql('SELECT 1 AS a')\n"
        "path = pathlib.Path(offers[0][0])\n"
        "print(path.parent.parent.name, oct(path.parent.stat().st_mode & 0o777))"
    ) == ("results 0o700\n")
