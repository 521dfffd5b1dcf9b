"""What the texts of one session share, and how long."""

from __future__ import annotations

import pytest

from flowcat_jupyter.catalog.planning.views import ViewText
from flowcat_jupyter.catalog.sql_sessions import (
    IDLE_S,
    MOST_OF_ONE_ACTOR,
    MOST_SESSIONS,
    SqlSessions,
)
from flowcat_jupyter.shared.errors import Invalid, LimitExceeded


class Seconds:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_texts_that_name_a_session_share_it_and_no_other_actor_does() -> None:
    sessions = SqlSessions()
    with sessions.using("ada", "s1") as session:
        session.settings["a"] = "1"
    with sessions.using("ada", "s1") as again, sessions.using("bob", "s1") as other:
        assert again.settings == {"a": "1"}
        assert other.settings == {}


def test_a_text_that_names_none_has_one_to_itself() -> None:
    sessions = SqlSessions()
    view = ViewText(("global_temp", "v"), "SELECT 1 AS a", "house", "main", "default")
    with sessions.using("ada", None) as session:
        session.settings["a"] = "1"
        session.global_views["v"] = view
    with sessions.using("ada", None) as again, sessions.using("bob", None) as other:
        assert again.settings == {}
        assert again.global_views == {"v": view}
        assert other.global_views == {}


def test_a_session_that_is_idle_for_a_day_is_gone_and_one_in_use_is_not() -> None:
    clock = Seconds()
    sessions = SqlSessions(clock)
    with sessions.using("ada", "busy") as busy:
        busy.settings["a"] = "1"
        with sessions.using("ada", "idle") as idle:
            idle.settings["a"] = "1"
        clock.now = IDLE_S + 1
        with sessions.using("ada", "idle") as idle, sessions.using("ada", "busy") as same:
            assert (idle.settings, same is busy) == ({}, True)


def test_beyond_the_number_one_may_have_the_least_recently_used_goes() -> None:
    sessions = SqlSessions()
    for number in range(MOST_OF_ONE_ACTOR):
        with sessions.using("ada", f"s{number}") as session:
            session.settings["a"] = "1"
    with sessions.using("ada", "s0"), sessions.using("ada", "more"), sessions.using("bob", "s1"):
        pass
    with sessions.using("ada", "s0") as kept:
        assert kept.settings == {"a": "1"}
    with sessions.using("ada", "s1") as gone:
        assert gone.settings == {}


def test_many_actors_do_not_fill_the_memory() -> None:
    sessions = SqlSessions()
    for number in range(MOST_SESSIONS + 1):
        with sessions.using(f"actor {number}", "s") as session:
            session.settings["a"] = "1"
    with sessions.using("actor 1000", "s") as last, sessions.using("actor 0", "s") as first:
        assert (last.settings, first.settings) == ({"a": "1"}, {})


def test_sessions_that_are_all_in_use_are_not_taken_away() -> None:
    sessions = SqlSessions()
    uses = [sessions.using("ada", f"s{number}") for number in range(MOST_OF_ONE_ACTOR)]
    for use in uses:
        use.__enter__()
    with pytest.raises(LimitExceeded), sessions.using("ada", "more"):
        pass
    uses[0].__exit__(None, None, None)
    with sessions.using("ada", "more"):
        pass


@pytest.mark.parametrize("name", ["", "x" * 201])
def test_an_id_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(Invalid), SqlSessions().using("ada", name):
        pass
