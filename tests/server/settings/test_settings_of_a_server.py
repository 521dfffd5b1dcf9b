"""A server and the command line take a setting from the same place."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.live import flowcat, live_server

pytestmark = pytest.mark.slow

FILE = 'c = get_config()\nc.Flowcat.session_timezone = "Europe/Paris"\n'
ENV = {"FLOWCAT_SESSION_TIMEZONE": "Asia/Tokyo"}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "jupyter-config"
    folder.mkdir()
    (folder / "jupyter_flowcat_config.py").write_text(FILE)
    return tmp_path


def test_the_environment_wins_over_the_file(home: Path) -> None:
    with live_server(home, home, **ENV) as server:
        assert server.get("status")["session_timezone"] == "Asia/Tokyo"
    said = flowcat(home, "sql", "SELECT current_timezone()", **ENV).stdout
    assert "Asia/Tokyo" in said


def test_the_command_line_wins_over_both(home: Path) -> None:
    with live_server(home, home, "--Flowcat.session_timezone=Africa/Lagos", **ENV) as server:
        assert server.get("status")["session_timezone"] == "Africa/Lagos"
