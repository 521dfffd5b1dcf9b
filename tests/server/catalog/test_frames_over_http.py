"""Frames that a program sends to be queried as ``FROM :name``."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from io import BytesIO
from pathlib import Path
from uuid import uuid4

import polars as pl
import pytest

from tests.support.live import LiveServer, live_server


def file_of(frame: pl.DataFrame) -> bytes:
    buffer = BytesIO()
    frame.write_ipc(buffer, compression="uncompressed")
    return buffer.getvalue()


def stream_of(frame: pl.DataFrame) -> bytes:
    buffer = BytesIO()
    frame.write_ipc_stream(buffer)
    return buffer.getvalue()


def send(server: LiveServer, frame: pl.DataFrame) -> str:
    reply = server.request("POST", "sql/frames", file_of(frame))
    assert reply.status == 201, reply.body
    return str(reply.json["frame_id"])


NUMBERS = pl.DataFrame({"n": [1, 2, 3], "word": ["a", "b", None]})


@pytest.mark.parametrize("form", [file_of, stream_of])
def test_a_frame_is_described_and_queried(server, form):
    sent = server.request("POST", "sql/frames", form(NUMBERS))
    assert sent.status == 201, sent.body
    assert sent.json["row_count"] == 3
    assert [c["type"] for c in sent.json["columns"]] == ["bigint", "string"]
    frames = {"df": sent.json["frame_id"]}
    answer = server.sql(
        "SELECT d.word, n FROM :df d WHERE n > :n ORDER BY n", frames=frames, params={"n": 1}
    )
    assert answer["rows"] == [["b", 2], [None, 3]]
    assert answer["used_tables"] == []
    assert server.request("DELETE", f"sql/frames/{frames['df']}").status == 204
    assert server.try_sql("SELECT * FROM :df", frames=frames).status == 404


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_a_frame_joins_a_table_on_every_engine(server, engine):
    frame = pl.DataFrame({"carrier": ["UA", "ZZ"], "hub": ["ORD", "?"]})
    answer = server.sql(
        "SELECT :hub AS asked, a.name, hub.hub FROM demo.nyc.airlines a JOIN :hub USING (carrier)",
        frames={"hub": send(server, frame)},
        params={"hub": "value"},
        engine=engine,
    )
    assert answer["rows"] == [["value", "United Air Lines Inc.", "ORD"]]


EXACT = pl.DataFrame(
    {
        "big": [2**63 - 1, None],
        "small": pl.Series([127, -128], dtype=pl.Int8),
        "u64": pl.Series([2**64 - 1, 0], dtype=pl.UInt64),
        "amount": pl.Series([Decimal("0.10"), None], dtype=pl.Decimal(38, 2)),
        "day": [dt.date(1, 1, 1), dt.date(9999, 12, 31)],
        "naive": pl.Series(["2024-01-31 12:00:00.000001", None]).str.to_datetime(),
        "aware": pl.Series(["2024-07-01", None])
        .str.to_datetime(time_unit="ns")
        .dt.replace_time_zone("Europe/Paris"),
        "kind": pl.Series(["x", None], dtype=pl.Categorical),
        "parts": [[1, None], None],
        "pair": [{"a": 1, "b": "é"}, None],
        "nothing": [None, None],
        "raw": [b"\x00\xff", None],
    }
)


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_every_type_is_exact_on_every_engine(server, engine):
    answer = server.sql("SELECT * FROM :f", frames={"f": send(server, EXACT)}, engine=engine)
    assert [c["type"] for c in answer["columns"]] == [
        "bigint",
        "tinyint",
        "decimal(20,0)",
        "decimal(38,2)",
        "date",
        "timestamp_ntz",
        "timestamp",
        "string",
        "array<bigint>",
        "struct<a:bigint,b:string>",
        "void",
        "binary",
    ]
    first = dict(zip([c["name"] for c in answer["columns"]], answer["rows"][0], strict=True))
    assert str(first["big"]) == str(2**63 - 1)
    assert (first["u64"], first["amount"]) == (str(2**64 - 1), "0.10")
    assert first["day"] == "0001-01-01"
    assert first["nothing"] is None
    assert first["naive"].endswith("12:00:00.000001")
    assert server.sql(
        "SELECT aware = TIMESTAMP'2024-06-30 22:00:00Z' FROM :f WHERE aware IS NOT NULL",
        frames={"f": send(server, EXACT)},
        engine=engine,
    )["rows"] == [[True]]
    wrapped = server.try_sql(
        "SELECT small + small FROM :f", frames={"f": send(server, EXACT)}, engine=engine
    )
    assert wrapped.json["condition"] == "ARITHMETIC_OVERFLOW"


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("SELECT 1,\n  x FROM :nope", "No frame was sent as :nope"),
        ("SELECT * FROM :df.part", "no parts"),
        ("SELECT * FROM :df VERSION AS OF 3", "no versions"),
        ("SELECT :df FROM :df", "df"),
    ],
)
def test_what_cannot_be_a_frame_is_told_with_its_place(server, query, says):
    reply = server.try_sql(query, frames={"df": send(server, NUMBERS)})
    assert reply.status == 400
    assert says in reply.json["message"]
    if "nope" in query:
        assert (reply.json["line"], reply.json["column"]) == (2, 10)
        assert ":df" in reply.json["hint"]


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (b"", "no Arrow data"),
        (b"ARROW1\0\0 and no more", "no Arrow data"),
        (b"PAR1", "no Arrow data"),
        (file_of(NUMBERS)[:-40], "no Arrow data"),
        (file_of(pl.DataFrame()), "no columns"),
        (file_of(pl.DataFrame({"t": [dt.timedelta(1)]})), "Column t"),
    ],
)
def test_what_is_no_frame_is_refused_and_not_kept(server, body, says):
    reply = server.request("POST", "sql/frames", body)
    assert reply.status == 400, reply.body
    assert says in reply.json["message"]


def test_frames_need_a_token_and_are_missing_to_whoever_guesses(server):
    assert server.request("POST", "sql/frames", file_of(NUMBERS), token=None).status == 403
    guess = str(uuid4())
    assert server.request("DELETE", f"sql/frames/{guess}").status == 404
    assert server.try_sql("SELECT * FROM :df", frames={"df": guess}).json["code"] == "NotFound"
    assert server.try_sql("SELECT * FROM :df", frames={"df": "../../etc/passwd"}).status == 404


def test_a_plan_tells_of_the_frame(server):
    body = {"query": "SELECT n FROM :df", "frames": {"df": send(server, NUMBERS)}}
    (source,) = server.post("sql/explain", body)["sources"]
    assert (source["name"], source["format"], source["rows"]) == ("df", "frame", 3)


def frames_kept(home: Path) -> list[Path]:
    """The files of a spool, whose names are 32 digits; its lock and scratch folder are not."""
    return list(home.glob(f"flowcat/results/*/{'?' * 32}"))


def test_a_frame_beyond_the_limit_is_refused_by_its_size_and_as_it_comes(tmp_path):
    large = file_of(pl.DataFrame({"n": range(50_000)}))
    (tmp_path / "root").mkdir()
    limit = "--Flowcat.result_max_bytes=100000"
    with live_server(tmp_path, tmp_path / "root", limit) as server:
        assert server.get("status")["result_max_bytes"] == 100_000
        told = server.request("POST", "sql/frames", large)
        connection = server.connect()
        headers = {"Authorization": f"token {server.token}"}
        pieces = (large[at : at + 10_000] for at in range(0, 120_000, 10_000))
        target = f"{server.base}flowcat/catalog/sql/frames"
        connection.request("POST", target, body=pieces, headers=headers, encode_chunked=True)
        untold = connection.getresponse()
        assert (told.json["code"], told.status) == ("LimitExceeded", 400)
        assert b"LimitExceeded" in untold.read()
        connection.close()
        assert not frames_kept(tmp_path)
        assert send(server, NUMBERS)
        assert len(frames_kept(tmp_path)) == 1
