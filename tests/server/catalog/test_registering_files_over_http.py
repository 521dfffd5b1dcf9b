"""Files registered with a format and its options are tables as USING makes them."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import polars as pl
import pytest

from tests.support.live import LiveServer, select


@pytest.fixture(scope="module")
def schema(server: LiveServer) -> str:
    main = next(n for n in server.get("namespaces/tree")["items"] if n["name"] == "main")
    name = f"s{uuid4().hex[:8]}"
    server.post("namespaces", {"name": name, "parent_id": main["id"]}, 201)
    return f"main.{name}"


def register(server: LiveServer, table: str, location: str, **more: Any) -> Any:
    return server.request("POST", "tables/register", {"table": table, "location": location, **more})


def test_files_of_every_format_are_registered_where_they_lie(
    server: LiveServer, schema: str
) -> None:
    folder = server.root / uuid4().hex
    frame = pl.DataFrame({"id": [1, 2], "name": ["a", "b"]})
    for format, write in (
        ("csv", lambda path: frame.write_csv(path, separator=";")),
        ("json", frame.write_ndjson),
        ("avro", frame.write_avro),
        ("arrow", frame.write_ipc),
        ("parquet", frame.write_parquet),
    ):
        place = folder / format
        place.mkdir(parents=True)
        write(place / f"part.{format}")
        options = {"header": "true", "sep": ";"} if format == "csv" else {}
        reply = register(
            server,
            f"{schema}.{format}",
            f"{folder.name}/{format}",
            format=format,
            options=options,
            description="mine",
        )
        assert reply.status == 201, reply.body
        made = server.table(f"{schema}.{format}")
        assert (made["format"], made["table_type"]) == (format, "external")
        assert made["description"] == "mine"
        rows = server.sql(select("sum(id), max(name)", f"{schema}.{format}"))["rows"]
        assert rows == [[3, "b"]]


def test_what_cannot_be_read_so_is_not_registered(server: LiveServer, schema: str) -> None:
    folder = server.root / uuid4().hex
    folder.mkdir()
    (folder / "a.csv").write_text("id\n1\n")
    name, place = f"{schema}.wrong", folder.name
    unknown = register(server, name, place, format="csv", options={"headr": "true"})
    assert unknown.status == 400
    assert b"headr" in unknown.body
    lake = register(server, name, place, format="delta", options={"header": "true"})
    assert (lake.status, b"takes no options" in lake.body) == (400, True)
    assert register(server, name, "/etc/passwd", format="text").status in (403, 404)
    assert register(server, name, "no/such/place", format="csv").status == 404
    assert register(server, name, place, format="csv").status == 201
    assert register(server, name, place, format="csv").status == 409


def test_the_ending_of_a_file_says_its_format(server: LiveServer, schema: str) -> None:
    name = uuid4().hex
    (server.root / f"{name}.jsonl").write_text('{"id": 7}\n')
    assert register(server, f"{schema}.lines", f"{name}.jsonl").status == 201
    assert server.sql(select("id", f"{schema}.lines"))["rows"] == [[7]]
