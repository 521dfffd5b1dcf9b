"""A statement reads one version of each table, whoever writes meanwhile."""

from __future__ import annotations

import threading
from uuid import uuid4

import polars as pl
import pytest

from tests.support.live import LiveServer

pytestmark = [pytest.mark.slow]


def test_two_scans_of_a_table_see_the_same_rows_while_a_writer_appends(server: LiveServer):
    name = f"main.default.t{uuid4().hex}"
    server.import_text(name, "id\n" + "\n".join(map(str, range(100))) + "\n")
    location = server.table(name)["location"]
    done, versions = threading.Event(), set[int]()

    def append() -> None:
        # Another program's commits: the catalog's row does not know of them.
        number = 100
        while not done.is_set():
            rows = pl.DataFrame({"id": [number]}, schema={"id": pl.Int64})
            rows.write_delta(location, mode="append")
            number += 1

    writer = threading.Thread(target=append)
    writer.start()
    try:
        for _ in range(15):
            reply = server.sql(
                f"SELECT (SELECT count(*) FROM {name}) AS n, count(*) AS pairs, "  # noqa: S608
                f"max(a.id) AS largest FROM {name} a JOIN {name} b ON a.id = b.id"
            )
            ((n, pairs, largest),) = reply["rows"]
            (used,) = reply["used_tables"]
            assert n == pairs == largest + 1 == 100 + used["version"]
            versions.add(used["version"])
    finally:
        done.set()
        writer.join()
    assert len(versions) > 3, "the writer did write meanwhile"
