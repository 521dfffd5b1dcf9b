"""What one caller's texts of SQL share beside the catalog: views, variables and settings.

A session lives in this process's memory alone. Who asks names it; a text that names none has one
to itself, which ends with it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, MutableMapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol

from flowcat_jupyter.catalog.clocks import elapsed_s
from flowcat_jupyter.catalog.planning.functions import FunctionText
from flowcat_jupyter.catalog.planning.variables import Variable
from flowcat_jupyter.catalog.planning.views import ViewText
from flowcat_jupyter.shared.errors import Invalid, LimitExceeded

MOST_SESSIONS = 1000
MOST_OF_ONE_ACTOR = 100
IDLE_S = 86_400.0
MOST_ID = 200

Views = MutableMapping[str, ViewText]
"""Views by the key of their name (`shared.names.name_key`)."""


class Closing(Protocol):
    """Something that has an end."""

    def close(self) -> None:
        """End it; quick, for others wait."""
        ...


@dataclass
class SqlSession:
    """One session of one actor's.

    ``settings`` are what SET said, by each setting's own name; ``variables`` go by the key of
    their name, as ``views`` and ``functions`` do. ``global_views`` are shared by all sessions of
    the actor's.
    ``place`` is the current catalog and schema once USE said so. ``kept`` is what else ends with
    it, by whose it is.
    """

    id: str
    actor: str
    views: Views = field(default_factory=dict)
    global_views: Views = field(default_factory=dict)
    functions: MutableMapping[str, FunctionText] = field(default_factory=dict)
    variables: MutableMapping[str, Variable] = field(default_factory=dict)
    settings: dict[str, str] = field(default_factory=dict)
    place: tuple[str, str] | None = None
    kept: dict[str, Closing] = field(default_factory=dict)

    def close(self) -> None:
        """Let go of what it kept, as it ends."""
        while self.kept:
            self.kept.popitem()[1].close()

    @property
    def values(self) -> dict[str, str]:
        """The variables' values as SQL, by the keys of their names."""
        return {key: variable.sql for key, variable in list(self.variables.items())}


@dataclass(frozen=True)
class Told:
    """A session: how many texts run in it, and for how many seconds it was not used."""

    session: SqlSession
    running: int
    idle_s: float


@dataclass
class _Kept:
    session: SqlSession
    used: float
    users: int = 0


class SqlSessions:
    """Every actor's sessions, the least recently used first; safe for many threads.

    One that is not used for `IDLE_S` seconds is gone, and beyond `MOST_SESSIONS` in all or
    `MOST_OF_ONE_ACTOR` the least recently used one that no text runs in goes early.
    """

    def __init__(self, elapsed: Callable[[], float] = elapsed_s) -> None:
        """Hold none yet; ``elapsed`` counts seconds."""
        self._elapsed = elapsed
        self._lock = threading.Lock()
        self._kept: dict[tuple[str, str], _Kept] = {}
        self._global_views: dict[str, Views] = {}

    @contextmanager
    def using(self, actor: str, session_id: str | None) -> Iterator[SqlSession]:
        """The actor's session of that id, made if there is none; it stays while it is used.

        None is one that nobody else has and that ends with its use.

        :raises Invalid: the id is empty or too long.
        :raises LimitExceeded: texts run in as many sessions as there may be.
        """
        if session_id is None:
            session = SqlSession("", actor, global_views=self.global_views(actor))
            try:
                yield session
            finally:
                session.close()
            return
        if not session_id or len(session_id) > MOST_ID:
            raise Invalid(f"A session's id has 1 to {MOST_ID} characters.")
        kept = self._taken((actor, session_id))
        try:
            yield kept.session
        finally:
            with self._lock:
                kept.users -= 1
                kept.used = self._elapsed()

    def global_views(self, actor: str) -> Views:
        """The views that all sessions of the actor's share."""
        with self._lock:
            return self._global_views.setdefault(actor, {})

    def told(self, actor: str | None = None) -> tuple[Told, ...]:
        """The sessions that are kept, an actor's or with None everybody's."""
        now = self._elapsed()
        with self._lock:
            return tuple(
                Told(kept.session, kept.users, 0.0 if kept.users else max(now - kept.used, 0.0))
                for (owner, _), kept in self._kept.items()
                if actor in (None, owner)
            )

    def count(self) -> int:
        """How many sessions are kept."""
        return len(self._kept)

    def _taken(self, key: tuple[str, str]) -> _Kept:
        with self._lock:
            self._drop_idle()
            kept = self._kept.pop(key, None)
            if kept is None:
                self._make_room(key[0])
                shared = self._global_views.setdefault(key[0], {})
                kept = _Kept(SqlSession(key[1], key[0], global_views=shared), 0.0)
            kept.users += 1
            kept.used = self._elapsed()
            self._kept[key] = kept
            return kept

    def _drop_idle(self) -> None:
        oldest = self._elapsed() - IDLE_S
        for key in [k for k, kept in self._kept.items() if not kept.users and kept.used < oldest]:
            self._kept.pop(key).session.close()

    def _make_room(self, actor: str) -> None:
        own = [key for key in self._kept if key[0] == actor]
        if len(own) >= MOST_OF_ONE_ACTOR:
            self._drop_one(own)
        if len(self._kept) >= MOST_SESSIONS:
            self._drop_one(list(self._kept))

    def _drop_one(self, keys: list[tuple[str, str]]) -> None:
        """Drop the least recently used that is idle."""
        for key in keys:
            if not self._kept[key].users:
                self._kept.pop(key).session.close()
                return
        raise LimitExceeded(
            "Statements run in as many SQL sessions as there may be.",
            hint="Wait for one of them to end, or send the id of a session that is there.",
        )
