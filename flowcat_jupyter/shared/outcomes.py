"""What a statement did that gives no rows, in a few words."""

from __future__ import annotations

from collections.abc import Mapping

from flowcat_jupyter.shared.counts import many
from flowcat_jupyter.shared.names import TableName

_ROWS = {"INSERT": "inserted", "DELETE": "deleted", "UPDATE": "updated", "TRUNCATE": "deleted"}
_OBJECTS = {"CREATE": "created", "DROP": "dropped", "ALTER": "altered", "UNDROP": "restored"}
_KINDS = ("TABLE", "VIEW", "SCHEMA", "CATALOG", "DATABASE")


def outcome(
    statement: str,
    written: Mapping[str, int] | None,
    *,
    changed: bool = True,
    current: Mapping[str, str] | None = None,
    note: str | None = None,
    dry_run: bool = False,
) -> str:
    """``3 rows inserted``, ``1 table created``, ``DROP TABLE: nothing changed``.

    ``written`` are the rows that were ``inserted``, ``updated`` and ``deleted``; ``current`` the
    ``catalog`` and ``schema`` that USE made so; ``note`` what was done, where rows do not tell.
    After a ``dry_run``: ``12 rows would be updated, 3 inserted; nothing was changed``.
    """
    if dry_run and written is not None:
        return _would(statement, written)
    if note:
        return f"{statement}: {note}"
    if not changed:
        return f"{statement}: nothing changed"
    if statement == "USE" and current:
        return f"{TableName((current['catalog'], current['schema'])).sql} is current"
    words = statement.upper().split()
    verb = words[0] if words else ""
    kind = next((word.lower() for word in words if word in _KINDS), None)
    if verb in _OBJECTS and kind:
        done = f"1 {kind} {_OBJECTS[verb]}"
        return done if written is None else f"{done}, {many(sum(written.values()), 'row')}"
    if written is None:
        return f"{statement} done"
    told = {_ROWS[verb]: sum(written.values())} if verb in _ROWS else _told(written)
    return ", ".join(f"{many(rows, 'row')} {done}" for done, rows in told.items())


def _would(statement: str, written: Mapping[str, int]) -> str:
    some = [(done, written[done]) for done in ("updated", "inserted", "deleted") if written[done]]
    if not some:
        return f"{statement} would change no row"
    (done, rows), *more = some
    rest = "".join(f", {rows:,} {done}" for done, rows in more)
    return f"{many(rows, 'row')} would be {done}{rest}; nothing was changed"


def _told(written: Mapping[str, int]) -> Mapping[str, int]:
    return {done: rows for done, rows in written.items() if rows} or {"changed": 0}
