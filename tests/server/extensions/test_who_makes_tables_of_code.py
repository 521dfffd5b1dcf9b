"""Behind names, nobody makes a table of a data source unless the settings let them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.server.extensions.conftest import Place
from tests.support.live import LiveServer, grant, live_server

REPOSITORY = Path(__file__).parents[3]
MEG = "meg"
IDENTITY = "--ServerApp.identity_provider_class=tests.support.named_identity.NamedIdentity"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home in which meg manages the schema ``open``."""
    home = tmp_path_factory.mktemp("named")
    with live_server(home, home) as setup:
        setup.sql("CREATE SCHEMA open")
        tree = setup.get("namespaces/tree")["items"]
        main = next(node for node in tree if node["name"] == "main")
        nodes = setup.get("namespaces/tree", parent=main["id"])["items"]
        opened = next(node for node in nodes if node["name"] == "open")
    grant(home, "makers", ["meg"], opened["id"], "manage")
    return home


@contextmanager
def as_meg(home: Path, place: Place, **env: str) -> Iterator[LiveServer]:
    path = f"{place.path}:{REPOSITORY}"
    with live_server(home, home, IDENTITY, token=f"user:{MEG}", PYTHONPATH=path, **env) as server:
        yield server


def test_a_restricted_user_needs_the_setting(home: Path, place: Place, tmp_path: Path) -> None:
    make = f"CREATE TABLE open.t (id INT) USING jsonl_demo OPTIONS (path '{tmp_path / 't'}')"
    with as_meg(home, place) as server:
        reply = server.try_sql(make)
        assert (reply.status, reply.json["code"]) == (403, "Forbidden")
        assert "allowed_data_sources" in reply.json["hint"]
        broken = next(
            item for item in server.get("extensions")["items"] if item["name"] == "broken"
        )
        assert broken["state"] == "failed"
        assert "flowcat_no_such_module" not in broken["reason"]
    with as_meg(home, place, FLOWCAT_ALLOWED_DATA_SOURCES="other,JSONL_demo") as server:
        server.sql(make)
        server.sql("INSERT INTO open.t VALUES (1)")
        assert server.sql("SELECT id FROM open.t")["rows"] == [[1]]
