from __future__ import annotations

from tests.support.live import LiveServer


def test_a_query_is_saved_changed_listed_and_forgotten(server: LiveServer) -> None:
    body = {"name": "delays", "text": "SELECT 1", "schema": "nyc", "chart": {"mark": "bar"}}
    saved = server.post("queries", body, 201)
    assert (saved["schema"], saved["dialect"], saved["chart"]) == ("nyc", None, {"mark": "bar"})
    path = f"queries/{saved['id']}"
    changed = server.request("PATCH", path, {"text": "SELECT 2"}).json
    assert (changed["text"], changed["schema"]) == ("SELECT 2", "nyc")
    assert [item["id"] for item in server.get("queries")["items"]] == [saved["id"]]
    assert server.request("PATCH", path, {"name": None}).status == 400
    assert server.request("DELETE", path).status == 204
    assert server.request("GET", path).status == 404
