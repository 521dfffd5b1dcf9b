"""The settings that a session knows. Any other is an error: none is taken and then ignored."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from flowcat_jupyter.shared.errors import SqlError
from flowcat_jupyter.shared.settings import Settings

TIME_ZONE = "spark.sql.session.timeZone"
DEFAULT_CATALOG = "spark.sql.defaultCatalog"
OVERWRITE_MODE = "spark.sql.sources.partitionOverwriteMode"
ANSI = "spark.sql.ansi.enabled"
CASE_SENSITIVE = "spark.sql.caseSensitive"
ASSIGNMENT = "spark.sql.storeAssignmentPolicy"
ENGINE = "flowcat.engine"
MAX_ROWS = "flowcat.max_rows"

_OFFSET = re.compile(r"([+-])(\d{1,2})(?::?(\d{2}))?")
_ENGINES = ("polars", "duckdb")


@dataclass(frozen=True)
class Known:
    """One setting: its value where nobody set it, ``check``, which gives a value as it is kept or
    raises, what it means, and since when it is there.
    """

    name: str
    default: Callable[[Settings], str]
    check: Callable[[str], str]
    meaning: str
    since: str = "0.1.0"


def known(name: str) -> Known:
    """The setting of that name, whatever its case.

    :raises SqlError: there is none.
    """
    found = _BY_NAME.get(name.casefold())
    if found is not None:
        return found
    near = difflib.get_close_matches(name.casefold(), _BY_NAME, n=1, cutoff=0.5)
    told = f"Did you mean {_BY_NAME[near[0]].name}?" if near else "SET -v lists all there are."
    raise SqlError(
        f"There is no setting {name}.",
        condition="SQL_CONF_NOT_FOUND",
        sqlstate="42K0I",
        hint=f"{told} A setting that is not known is not taken: it would change nothing.",
    )


def value_of(settings: Mapping[str, str], name: str, defaults: Settings) -> str:
    """What a setting is in a session, which keeps those that were set."""
    return settings[name] if name in settings else known(name).default(defaults)


def zone_name(value: str) -> str:
    """The time zone's name in the time zone database; offsets of whole hours have one, too."""
    found = _OFFSET.fullmatch(value.strip())
    if found is None:
        return value
    hours = int(found[2])
    if hours == 0:
        return "Etc/UTC"
    # There a zone east of Greenwich has a minus.
    return f"Etc/GMT{'-' if found[1] == '+' else '+'}{hours}"


def _invalid(name: str, value: str, kind: str, hint: str) -> SqlError:
    return SqlError(
        f"{value!r} cannot be the value of {name}.",
        condition=f"INVALID_CONF_VALUE.{kind}",
        sqlstate="22022",
        hint=hint,
    )


def _zone(value: str) -> str:
    found = _OFFSET.fullmatch(value.strip())
    if found is not None and int(found[3] or 0):
        hint = "An offset is one of whole hours. Use a name such as Asia/Kolkata."
        raise _invalid(TIME_ZONE, value, "TIME_ZONE", hint)
    kept = f"{found[1]}{int(found[2]):02d}:00" if found else value.strip()
    try:
        ZoneInfo(zone_name(kept))
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        hint = "Use a name such as Europe/Paris or UTC, or an offset such as +02:00."
        raise _invalid(TIME_ZONE, value, "TIME_ZONE", hint) from error
    return kept


def _flag(name: str, wanted: str, why: str) -> Callable[[str], str]:
    """A setting that is one and cannot be the other."""

    def check(value: str) -> str:
        said = value.strip().lower()
        if said not in ("true", "false"):
            raise _invalid(name, value, "TYPE_MISMATCH", f"It is a boolean, and always {wanted}.")
        if said != wanted:
            raise _invalid(name, value, "REQUIREMENT", why)
        return said

    return check


def _one_of(name: str, *choices: str, why: str = "") -> Callable[[str], str]:
    def check(value: str) -> str:
        found = next((c for c in choices if c.casefold() == value.strip().casefold()), None)
        if found is None:
            hint = f"It is one of {', '.join(choices)}.{why}"
            raise _invalid(name, value, "OUT_OF_RANGE_OF_OPTIONS", hint)
        return found

    return check


def _count(value: str) -> str:
    if not re.fullmatch(r"\d{1,9}", value.strip()) or not int(value):
        raise _invalid(MAX_ROWS, value, "TYPE_MISMATCH", "It is a number of rows, 1 or more.")
    return str(int(value))


def _catalog(value: str) -> str:
    if not value.strip():
        raise _invalid(DEFAULT_CATALOG, value, "REQUIREMENT", "It is the name of a catalog.")
    return value.strip()


SETTINGS: tuple[Known, ...] = (
    Known(
        ENGINE,
        lambda settings: settings.sql_engine,
        _one_of(ENGINE, *_ENGINES),
        "The engine that runs queries, and no other; unless a request names one.",
    ),
    Known(
        MAX_ROWS,
        lambda settings: str(settings.max_rows),
        _count,
        "The most rows that a result has; a request may ask for fewer.",
    ),
    Known(
        ANSI,
        lambda _: "true",
        _flag(ANSI, "true", "Errors of casts and arithmetic are never silent. Use TRY_CAST."),
        "Whether what does not fit its type is an error. It always is.",
    ),
    Known(
        CASE_SENSITIVE,
        lambda _: "false",
        _flag(CASE_SENSITIVE, "false", "Two names that differ by case alone are the same."),
        "Whether the case of names counts. It never does.",
    ),
    Known(
        DEFAULT_CATALOG,
        lambda settings: settings.default_catalog,
        _catalog,
        "The catalog in which names of fewer parts are looked for; setting it is USE CATALOG.",
    ),
    Known(
        TIME_ZONE,
        lambda settings: settings.session_timezone or "UTC",
        _zone,
        "The time zone in which times are read and computed.",
    ),
    Known(
        OVERWRITE_MODE,
        lambda _: "STATIC",
        _one_of(OVERWRITE_MODE, "STATIC", "DYNAMIC"),
        "Whether INSERT OVERWRITE replaces all rows, or only partitions that get new rows.",
    ),
    Known(
        ASSIGNMENT,
        lambda _: "ANSI",
        _one_of(ASSIGNMENT, "ANSI", why=" A value is stored when nothing of it is lost."),
        "How values are fitted to columns.",
    ),
)
_BY_NAME = {setting.name.casefold(): setting for setting in SETTINGS}
