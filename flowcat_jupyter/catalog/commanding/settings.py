"""SET and RESET, carried out in a session."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass

from flowcat_jupyter.catalog.commanding.rows import Rows, texts
from flowcat_jupyter.catalog.planning.current import CATALOG, Use
from flowcat_jupyter.catalog.planning.places import place
from flowcat_jupyter.catalog.planning.session_settings import (
    DEFAULT_CATALOG,
    ENGINE,
    MAX_ROWS,
    SETTINGS,
    TIME_ZONE,
    known,
    value_of,
    zone_name,
)
from flowcat_jupyter.catalog.planning.settings_sql import (
    LOCAL,
    ResetSetting,
    SetSetting,
    Setting,
)
from flowcat_jupyter.shared.errors import SqlError
from flowcat_jupyter.shared.settings import Settings

Session = MutableMapping[str, str]
"""What was set in a session, by name."""


def change_setting(statement: Setting, session: Session, defaults: Settings) -> Rows:
    """Set, reset or tell settings; the answer has Spark's columns.

    :raises SqlError: there is no such setting, or it cannot have that value; with its place.
    """
    try:
        if isinstance(statement, ResetSetting):
            return _reset(statement, session)
        return _set(statement, session, defaults)
    except SqlError as error:
        if error.line is not None:
            raise
        raise SqlError.of(error, place=place(statement.piece, statement.start)) from error


def named_catalog(statement: object) -> Use | None:
    """The USE that a statement is, or comes to; None where it is none."""
    if isinstance(statement, SetSetting) and statement.key and statement.value:
        if statement.key.casefold() != DEFAULT_CATALOG.casefold():
            return None
        return Use(statement.piece, (statement.value.strip(),), CATALOG, statement.start)
    return statement if isinstance(statement, Use) else None


def _reset(statement: ResetSetting, session: Session) -> Rows:
    if statement.key is None:
        session.clear()
    else:
        session.pop(known(statement.key).name, None)
    return Rows((), ())


def _set(statement: SetSetting, session: Session, defaults: Settings) -> Rows:
    if statement.key is None:
        return _all(statement, session, defaults)
    setting = known(statement.key)
    if statement.value is not None:
        wanted = statement.value
        if setting.name == TIME_ZONE and wanted == LOCAL:
            wanted = setting.default(defaults)
        session[setting.name] = setting.check(wanted)
    told = value_of(session, setting.name, defaults)
    return Rows(texts("key", "value"), ((setting.name, told),))


def _all(statement: SetSetting, session: Session, defaults: Settings) -> Rows:
    known_ones = sorted(SETTINGS, key=lambda setting: setting.name)
    if statement.verbose:
        return Rows(
            texts("key", "value", "meaning", "Since version"),
            tuple(
                (s.name, value_of(session, s.name, defaults), s.meaning, s.since)
                for s in known_ones
            ),
        )
    rows = tuple((s.name, session[s.name]) for s in known_ones if s.name in session)
    return Rows(texts("key", "value"), rows)


@dataclass(frozen=True)
class Effect:
    """What a session's settings make of its queries, where a request says nothing else."""

    session: Mapping[str, str]
    defaults: Settings

    @property
    def time_zone(self) -> str:
        """The name of the time zone that times are read and computed in."""
        return zone_name(value_of(self.session, TIME_ZONE, self.defaults))

    def engine(self, asked: str | None) -> str | None:
        """The one engine that may run a query; None is whichever covers it."""
        return asked or self.session.get(ENGINE)

    def max_rows(self, asked: int | None) -> int | None:
        """How many rows a result has at most; None for no bound."""
        if MAX_ROWS not in self.session:
            return asked
        most = int(self.session[MAX_ROWS])
        return most if asked is None else min(asked, most)
