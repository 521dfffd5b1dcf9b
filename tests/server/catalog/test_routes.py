"""Every route is authenticated and authorized, and every failure has one shape."""

from __future__ import annotations

import inspect
from uuid import uuid4

import pytest

from flowcat_jupyter.handlers import base, routes
from tests.support.live import LiveServer

VERBS = ("get", "post", "put", "patch", "delete")
ALL = [
    (pattern, handler, verb)
    for pattern, handler in [*routes.ROUTES, (".*", routes.UnknownHandler)]
    for verb in VERBS
    if verb in vars(handler)
]


@pytest.mark.parametrize(
    ("pattern", "handler", "verb"), ALL, ids=[f"{verb} {pattern}" for pattern, _, verb in ALL]
)
def test_every_verb_asks_who_is_there_and_whether_they_may(pattern, handler, verb):
    assert issubclass(handler, base.FlowcatHandler)
    method = getattr(handler, verb)
    assert not getattr(method, "__allow_unauthenticated", False)
    layers = []
    while hasattr(method, "__wrapped__"):
        layers.append(method.__code__.co_filename.rsplit("/", 1)[-1])
        method = method.__wrapped__
    assert layers == ["web.py", "decorator.py"], "authenticated, then authorized"
    assert inspect.iscoroutinefunction(method)


def test_authorization_names_its_action_and_resource_at_every_verb():
    for _, handler, verb in ALL:
        guard = getattr(handler, verb).__wrapped__
        cells = dict(
            zip(
                guard.__code__.co_freevars,
                [c.cell_contents for c in guard.__closure__],
                strict=True,
            )
        )
        assert cells["action"] in ("read", "write", "execute")
        assert str(cells["resource"]).startswith("flowcat:")


def test_a_body_of_megabytes_is_refused_unread(server: LiveServer):
    body = b'{"query": "' + b"x" * (17 << 20) + b'"}'
    reply = server.request("POST", "sql/execute", body)
    assert (reply.status, reply.json["code"]) == (400, "LimitExceeded")


def test_json_nested_beyond_reason_is_a_bad_request_and_no_fault(server: LiveServer):
    deep = "[" * 5_000
    headers = {"X-Flowcat-Origin": deep}
    assert server.request("GET", "runs", headers=headers).status == 200
    rows = server.request("GET", f"sql/{uuid4()}/rows", filter=deep)
    assert (rows.status, rows.json["code"]) == (400, "Invalid")
    body = server.request("POST", "sql/execute", deep.encode())
    assert (body.status, body.json["code"]) == (400, "Invalid")


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", "status"), ("GET", "namespaces/tree"), ("POST", "sql/execute"), ("GET", "nothing")],
)
def test_strangers_are_turned_away_in_the_shape_of_errors(server: LiveServer, method, path):
    reply = server.request(method, path, {} if method == "POST" else None, token=None)
    assert reply.status == 403
    assert set(reply.json) == {"code", "message"}
    assert server.request(method, path, b"{}", token=uuid4().hex).status == 403


def test_a_request_from_another_site_with_the_cookie_alone_is_refused(server: LiveServer):
    headers = {"Origin": "http://evil.example", "Cookie": "username-x=y"}
    reply = server.request("POST", "sql/execute", {}, token=None, headers=headers)
    assert reply.status in (403, 404)


def test_an_unknown_route_says_so_in_json(server: LiveServer):
    for method in ("GET", "POST", "DELETE"):
        reply = server.request(method, "no/such/thing", b"" if method == "POST" else None)
        assert reply.status == 404
        assert reply.json["code"] == "NotFound"


@pytest.mark.parametrize(
    ("body", "word"),
    [
        (b"not json", "body"),
        (b"[]", "body"),
        ({"query": "SELECT 1"}, "query_id"),
        ({"query": 5, "query_id": "x"}, "query"),
        ({"query": "SELECT 1", "query_id": "x", "qurey": 1}, "qurey"),
    ],
)
def test_a_body_that_is_wrong_names_what_is_wrong(server: LiveServer, body, word):
    reply = server.request("POST", "sql/execute", body)
    assert reply.status == 400
    assert reply.json["code"] == "Invalid"
    assert word in reply.json["message"].lower()


@pytest.mark.parametrize("query", [{"limit": "many"}, {"limit": 0}, {"limit": -1}, {"parent": "x"}])
def test_a_query_argument_that_is_no_number_is_an_error(server: LiveServer, query):
    reply = server.request("GET", "namespaces/tree", **query)
    assert reply.status == 400
    assert next(iter(query)) in reply.json["message"]


def test_another_protocol_is_refused_with_what_to_do(server: LiveServer):
    reply = server.request("GET", "namespaces/tree", headers={"X-Flowcat-Protocol": "0"})
    assert reply.status == 400
    assert "Install the same version" in reply.json["hint"]


def test_jupyters_own_routes_stay_as_they_were(server: LiveServer):
    assert server.request("GET", "status", root="api/").status == 200
    assert server.request("GET", "", root="api/contents/").status == 200


def test_the_status_tells_what_a_client_needs_to_begin(server: LiveServer):
    status = server.get("status")
    assert status["state"] == "ready"
    assert status["demo_loaded"] is True
    assert (status["default_catalog"], status["default_schema"]) == ("main", "default")
    assert status["seq"] > 0


def test_unknown_and_foreign_ids_are_not_found_whatever_they_look_like(server: LiveServer):
    for path in ("tables/999999", "namespaces/999999", "runs/999999", f"sql/{uuid4()}"):
        reply = server.request("GET", path)
        assert (reply.status, reply.json["code"]) == (404, "NotFound"), path
    assert server.request("GET", "tables/99999999999999999999").status == 404
    assert server.request("GET", "sql/..%2F..%2Fetc").status == 404
