"""``VERSION AS OF`` and ``TIMESTAMP AS OF``: from what was written to a version or an instant."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from sqlglot import exp

from flowcat_jupyter.shared.errors import SqlError
from flowcat_jupyter.shared.names import TableName
from flowcat_jupyter.sql.constant import NotConstant, Setting, as_instant, evaluate
from flowcat_jupyter.sql.hints import unbound

_AT = re.compile(r"(?P<name>.+)@(?:[vV](?P<version>\d{1,18})|(?P<time>\d{8,17}))\Z", re.DOTALL)
_MAX_VERSION = 1 << 62


def asked(clause: exp.Expr, setting: Setting) -> tuple[int | None, str | None]:
    """The version, or the instant as ISO 8601 in UTC, that a clause asks for.

    Texts and dates are read in the session's zone; ``now`` is the statement's own time.

    :raises SqlError: it asks for neither, or for something that rows would have to tell; the
        error has no place.
    """
    _check_parameters(clause, setting)
    if clause.args.get("kind") != "AS OF":
        raise SqlError(
            "A table is read at one version, not over a span of time.",
            condition="INVALID_TIME_TRAVEL_SPEC",
            sqlstate="42K0E",
            hint="Write TIMESTAMP AS OF with one moment.",
        )
    if clause.this == "VERSION":
        return _version(clause.expression, setting), None
    return None, _moment(clause.expression, setting).isoformat(sep=" ")


def asked_ref(clause: exp.Expr, setting: Setting) -> str | None:
    """The branch or tag that ``VERSION AS OF`` names with a text that is no number; else None.

    :raises SqlError: a parameter has no value.
    """
    _check_parameters(clause, setting)
    if clause.this != "VERSION" or clause.args.get("kind") != "AS OF":
        return None
    try:
        value = evaluate(clause.expression, setting)
    except NotConstant:
        return None
    return value if isinstance(value, str) and not value.strip().isdigit() else None


def _check_parameters(clause: exp.Expr, setting: Setting) -> None:
    for node in clause.find_all(exp.Placeholder):
        name = str(node.this) if node.this else "?"
        if name not in setting.params:
            told, hint = unbound(name)
            raise SqlError(told, condition="UNBOUND_SQL_PARAMETER", sqlstate="42P02", hint=hint)


def _version(node: exp.Expr, setting: Setting) -> int:
    try:
        value = evaluate(node, setting)
    except NotConstant:
        value = None
    if isinstance(value, str) and value.strip().isdigit():
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _MAX_VERSION:
        return value
    raise SqlError(
        "VERSION AS OF takes a version's number: a whole number from 0 on, or a parameter.",
        condition="INVALID_TIME_TRAVEL_SPEC",
        sqlstate="42K0E",
        hint="DESCRIBE HISTORY lists a table's versions; for a time write TIMESTAMP AS OF.",
    )


def _moment(node: exp.Expr, setting: Setting) -> datetime:
    if node.find(exp.Query, exp.Column):
        raise SqlError(
            "TIMESTAMP AS OF takes a moment that is known before any table is read.",
            condition="INVALID_TIME_TRAVEL_TIMESTAMP_EXPR.UNEVALUABLE",
            sqlstate="42K0E",
            hint="Write a timestamp, a parameter, or arithmetic over current_timestamp().",
        )
    try:
        return as_instant(evaluate(node, setting), setting.zone)
    except NotConstant as error:
        raise SqlError(
            "TIMESTAMP AS OF takes a moment, and this is none.",
            condition="INVALID_TIME_TRAVEL_TIMESTAMP_EXPR.INPUT",
            sqlstate="42K0E",
            hint="Write it as '2026-01-31 12:00:00', with a zone such as +01:00 if it is not in "
            "the session's, as a parameter, or as current_timestamp() - INTERVAL 1 DAY.",
        ) from error


def at_suffix(parts: tuple[str, ...]) -> SqlError | None:
    """The refusal of ``table@v3`` and ``table@20240101…``, which Delta's own API reads, with the
    clause to write instead; None where the last of ``parts`` is neither.
    """
    match = _AT.match(parts[-1])
    if match is None:
        return None
    table = TableName((*parts[:-1], match["name"])).sql
    if match["version"]:
        clause = f"VERSION AS OF {int(match['version'])}"
    else:
        moment = _stamp(match["time"])
        if moment is None:
            return None
        clause = f"TIMESTAMP AS OF '{moment}'"
    return SqlError(
        f"{TableName(parts).sql} is not how an old version is named here.",
        condition="INVALID_TIME_TRAVEL_SPEC",
        sqlstate="42K0E",
        hint=f"Write {table} {clause}.",
    )


def _stamp(digits: str) -> str | None:
    """``yyyyMMddHHmmssSSS``, or its beginning, as SQL writes a timestamp."""
    whole = digits.ljust(17, "0")
    try:
        moment = datetime.strptime(whole, "%Y%m%d%H%M%S%f").replace(tzinfo=UTC)
    except ValueError:
        return None
    precision = "milliseconds" if moment.microsecond else "seconds"
    return moment.replace(tzinfo=None).isoformat(sep=" ", timespec=precision)
