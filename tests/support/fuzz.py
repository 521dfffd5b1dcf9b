"""Requests that nobody would think of, made from the interface's own description.

Bodies and query arguments come from schemathesis, which reads openapi.json; on top of them go ids
that exist, odd texts and numbers, odd headers and bodies that are no JSON.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote
from uuid import uuid4

import requests
import schemathesis
from hypothesis import strategies as st
from schemathesis import Case, GenerationMode
from schemathesis.checks import CheckFunction
from schemathesis.specs.openapi import checks as openapi_checks

from scripts.openapi import document
from tests.support.live import LiveServer, flowcat, live_server

_RESULT = "SELECT CAST(id AS INT) AS id, 'x' AS `a b`, ARRAY(1) AS l, 0.1D AS d FROM range(50)"
TIMEOUT_S = 60
"""An answer that takes longer counts as none."""
DOCUMENT = document()
SCHEMA = schemathesis.openapi.from_dict(DOCUMENT)
OPERATIONS = [(method.upper(), path) for path in SCHEMA for method in SCHEMA[path]]
CHECKS: list[CheckFunction] = [
    openapi_checks.response_schema_conformance,
    openapi_checks.content_type_conformance,
    openapi_checks.status_code_conformance,
]
TEXTS = [
    "",
    " ",
    "..",
    "../../etc/passwd",
    "..%2f..%2fetc%2fpasswd",
    "/etc/passwd",
    "/dev/zero",
    "/proc/self/environ",
    "~/.ssh/id_rsa",
    "http://127.0.0.1:1/x.csv",
    "s3://bucket/x.parquet",
    "**/*",
    "[",
    "a\x00b",
    "a\r\nSet-Cookie: x=y",
    "a\"b'c`d;--",
    "<img src=x onerror=alert(1)>",
    '=HYPERLINK("http://x")',
    "naïve 数量 🙂 \u202e\u200b\ufeff\u0085",
    "x" * 5_000,
    "9" * 400,
    "-1",
    "1e400",
    "NaN",
    "null",
    "true",
    "٣",
    "0x10",
    "1_000",
    "main.default",
    "demo.nyc.flights",
]
NUMBERS = [0, -1, 1, 2**31, 2**32, 2**53 + 1, 2**62, 2**63 - 1, 2**63, 2**64, 10**30, -(2**63)]
QUERIES = [
    "SELECT * FROM demo.nyc.flights LIMIT 3",
    "SELECT id, repeat('x', id) FROM range(100)",
    "SELECT 1/0",
    "SELECT CAST('x' AS INT)",
    "SELECT :p + 1",
    "SELECT * FROM read_csv('/etc/passwd')",
    "SELECT * FROM csv.`/etc/passwd`",
    "SHOW TABLES IN demo.nyc LIKE '*'",
    "DESCRIBE HISTORY demo.nyc.flights",
    "EXPLAIN EXTENDED SELECT 1",
    "-- nothing",
    ";;;",
    "SELECT 'open",
    "/* open",
    "SELECT `" + "x" * 3_000 + "`",
    "SELECT " + "(" * 3_000,
    "SELECT 1; SELECT 2; DROP TABLE x",
    'SELECT "\u0000"',
    "SELECT '\ud83d' AS a",
    "SELECT 9223372036854775807 + 1",
    "SELECT DATE '0000-00-00'",
    "SELECT TIMESTAMP '+999999-01-01 00:00:00'",
    "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r",
]
FILTERS = [
    "[]",
    "{}",
    "[1]",
    '[{"column": 0, "op": "=", "value": "1"}]',
    '[{"column": "carrier", "op": "in", "values": ["UA", null]}]',
    '[{"column": -1, "op": "="}]',
    '[{"column": 99999999999999999999, "op": "=", "value": "1"}]',
    '[{"column": 0, "op": ">", "value": "1e400"}]',
    '[{"column": 0, "op": "<", "value": "' + "9" * 400 + '"}]',
    '[{"column": 1, "op": "contains", "value": "["}]',
    '[{"column": 2, "op": "=", "value": "[1]"}]',
    '[{"column": 3, "op": "is_nan"}]',
    '[{"column": 0, "op": "like", "value": "x"}]',
]
OPTIONS = [
    {"delimiter": ""},
    {"delimiter": "\n", "quote": "ab"},
    {"encoding": "utf-99"},
    {"skip_lines": "-1"},
    {"skip_lines": "9" * 30},
    {"header": "maybe", "nothing": "x"},
    {"member": "../x", "sheet": "x"},
    {"date_format": "%" * 50},
    {"file_column": "a", "bad_rows": "text"},
]
SPECIAL: dict[str, list[Any]] = {
    "query": QUERIES,
    "filter": FILTERS,
    "options": OPTIONS,
    "types": [{"a": "int"}, {"a": "decimal(99,1)"}, {"nothing": "int"}, {"a": "array<"}, {"": ""}],
    "path": ["a.csv", "b.json", ".", "sub/../a.csv", "*.csv", "sub", "a.csv/x", "loop"],
    "paths": [["a.csv"], ["a.csv", "b.json"], [], ["*"] * 50, ["a.csv", "a.csv"]],
    "table": ["main.default.made", "a.b.c.d", "demo.nyc.flights", "`main`.`default`.`x y`"],
    "mode": ["create", "append", "overwrite", "upsert"],
    "format": ["csv", "json", "parquet", "excel", "xlsx", "markdown", "avro"],
    "dialect": ["duckdb", "postgres", "tsql", "house", "nothing"],
    "engine": ["duckdb", "polars", "nothing"],
    "columns": ["[0]", "[0, 0]", "[9]", '["carrier"]', "[-1]", "[1.5]", "[true]", "[" * 2_000],
    "sort": ["0", "carrier", "a b", "9", "-1"],
    "text": ["UA", "%", "\\", "e\u0301"],
    "time_zone": ["Europe/Paris", "../etc/passwd", "utc", "X/Y"],
    "limit": ["0", "1", "1000", "100001"],
    "offset": ["0", "49", "50", "9" * 18],
    "after": ["-1", "0", "=", "e30="],
}
BODIES = [
    b"",
    b"null",
    b"[]",
    b'"text"',
    b"{",
    b"{}" * 2,
    b"\xff\xfe{}",
    b'{"query": "\xff"}',
    b'{"query": "\\ud800"}',
    b'{"query": NaN}',
    b'{"a": 1, "a": 2}',
    b"[" * 20_000,
    b'{"a":' * 20_000,
    b"a=1&b=2",
    b"PK\x03\x04",
]
HEADERS = [
    {"Accept": "application/vnd.apache.arrow.stream"},
    {"Accept": "*/*;q=0"},
    {"Accept": "text/html, application/vnd.apache.arrow.stream;q=0.1"},
    {"Accept": ";;;,,,"},
    {"Content-Type": "text/plain"},
    {"Content-Type": "application/x-www-form-urlencoded"},
    {"Content-Type": "multipart/form-data; boundary=x"},
    {"Content-Type": "application/json; charset=utf-16"},
    {"X-Flowcat-Origin": "[" * 3_000},
    {"X-Flowcat-Origin": '{"notebook": {"a": [1]}, "cell_id": "\\u0000", "run_id": "\\ud800"}'},
    {"X-Flowcat-Protocol": "one"},
    {"Range": "bytes=5-2"},
    {"If-None-Match": "*"},
]


@dataclass
class Fuzzed:
    """A server, and the values of path parameters that mean something there."""

    server: LiveServer
    ids: dict[str, list[str]] = field(default_factory=dict)

    def renew(self) -> None:
        """Make anew what earlier requests have dropped or ended."""
        live = self.server
        tables = live.get("tables", limit=5)["items"]
        if not tables:
            for run in live.post("demo")["items"]:
                live.run_to_end(run)
            tables = live.get("tables", limit=5)["items"]
        queries = [str(uuid4()) for _ in range(2)]
        for query in queries:
            live.sql(_RESULT, query_id=query)
        live.request("POST", "uploads", name="x.csv")
        upload = live.request("POST", "uploads", name="y.csv").json.get("upload_id", "0")
        runs = live.get("runs", limit=5)["items"]
        saved = live.request("POST", "queries", {"name": uuid4().hex, "text": "SELECT 1"})
        self.ids = {
            "table_id": [str(table["id"]) for table in tables],
            "namespace_id": [str(node["id"]) for node in live.get("namespaces/tree")["items"]],
            "query_id": [*queries, str(saved.json.get("id", 0))],
            "run_id": [str(run["id"]) for run in runs] or ["1"],
            "upload_id": [upload],
            "write_id": ["1"],
            "dropped_id": ["1"],
            "index": ["0", "1", "3", "4"],
            "name": ["carrier", "year", "a b"],
        }


@dataclass(frozen=True)
class Twist:
    """What is changed of a request that schemathesis made."""

    ids: int | None
    query: Mapping[str, str]
    body: Mapping[str, Any]
    raw: bytes | None
    headers: Mapping[str, str]


_TEXT = st.one_of(st.sampled_from(TEXTS), st.text(max_size=20))
_VALUE: st.SearchStrategy[Any] = st.one_of(
    _TEXT, st.sampled_from(NUMBERS), st.none(), st.just([]), st.just({})
)


def twists(parameters: list[str], keys: list[str]) -> st.SearchStrategy[Twist]:
    """Changes of a request with these query arguments and keys of the body."""
    query = _some(parameters, st.one_of(_TEXT, st.sampled_from(NUMBERS).map(str)))
    body = _some(keys, _VALUE)
    raw = st.one_of(st.none(), st.none(), st.none(), st.sampled_from(BODIES))
    headers: st.SearchStrategy[dict[str, str]] = st.one_of(
        st.just({}), st.just({}), st.sampled_from(HEADERS)
    )
    return st.builds(Twist, st.one_of(st.none(), st.integers(0, 5)), query, body, raw, headers)


def _some(names: list[str], values: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Values of a few of these names: those that mean something there, or anything."""
    if not names:
        return st.just({})

    def of(name: str) -> st.SearchStrategy[tuple[str, Any]]:
        special = SPECIAL.get(name)
        return st.tuples(
            st.just(name), st.one_of(st.sampled_from(special), values) if special else values
        )

    return st.lists(st.sampled_from(names).flatmap(of), max_size=3).map(dict)


def requests_of(method: str, path: str) -> st.SearchStrategy[tuple[Case, Twist]]:
    """Requests of a route, right and wrong ones."""
    operation = SCHEMA[path][method]
    right = operation.as_strategy(generation_mode=GenerationMode.POSITIVE)
    parameters = [item.name for item in operation.query]
    described = operation.body[0].definition if operation.body else {}
    return st.tuples(right, twists(parameters, _keys(described)))


def _keys(described: Any) -> list[str]:
    text = json.dumps(described, default=dict)
    model = text.rpartition("/schemas/")[2].partition('"')[0]
    if not model:
        return []
    return list(DOCUMENT["components"]["schemas"].get(model, {}).get("properties", {}))


def send(case: Case, twist: Twist, fuzzed: Fuzzed) -> requests.Response:
    """Send a request, twisted; every answer is whole within `TIMEOUT_S`.

    :raises requests.Timeout: it is not.
    """
    path = case.path
    for name, value in (case.path_parameters or {}).items():
        known = fuzzed.ids.get(name, [])
        given = str(value)
        if twist.ids is not None and known:
            given = known[twist.ids % len(known)]
        path = path.replace(f"{{{name}}}", quote(given, safe=""))
    query = {**(case.query or {}), **twist.query}
    if "wait" in query:
        query["wait"] = "0"
    headers = {**twist.headers, "Authorization": f"token {fuzzed.server.token}"}
    return requests.request(
        case.method,
        fuzzed.server.url.removesuffix("/") + path,
        params=query,
        data=_body(case, twist),
        headers=headers,
        timeout=TIMEOUT_S,
        allow_redirects=False,
    )


def _body(case: Case, twist: Twist) -> bytes | None:
    if twist.raw is not None:
        return twist.raw
    body = case.body
    if isinstance(body, bytes):
        return body
    if isinstance(body, dict):
        body = {**body, **twist.body}
    if body is None or type(body).__name__ == "NotSet":
        return None
    return json.dumps(body).encode()


def verify(case: Case, response: requests.Response) -> None:
    """An answer that is no fault of the server and looks as the interface says."""
    if response.status_code in (501, 503):
        assert response.json()["code"] in ("NotInstalled", "Unavailable"), response.text
        return
    shown = f"{case.method} {response.request.url} {response.request.body!r:.300}"
    assert response.status_code < 500, f"{shown}: {response.text}"
    ours = response.request.url is not None and "/flowcat/" in response.request.url
    if response.status_code in (304, 405) or not ours:
        return
    case.validate_response(response, checks=CHECKS)


@contextmanager
def fuzzed_server(home: Path, root: Path) -> Iterator[Fuzzed]:
    """A server over the demo for requests that may do anything."""
    done = flowcat(home, "demo")
    assert done.returncode == 0, done.stderr
    (root / "a.csv").write_text("a,b\n1,2\n")
    (root / "b.json").write_text('[{"a": 1, "b": [1]}]')
    (root / "sub").mkdir()
    (root / "loop").symlink_to(root / "loop")
    with live_server(home, root) as server:
        made = Fuzzed(server)
        made.renew()
        yield made
