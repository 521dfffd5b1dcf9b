"""What a statement did that gives no rows, in a few words."""

from __future__ import annotations

from flowcat_jupyter.shared.counts import many

_ROWS = {"INSERT": "inserted", "DELETE": "deleted", "UPDATE": "updated", "MERGE": "changed"}
_OBJECTS = {"CREATE": "created", "DROP": "dropped", "ALTER": "altered", "UNDROP": "restored"}
_KINDS = ("TABLE", "VIEW", "SCHEMA", "CATALOG", "DATABASE")


def outcome(statement: str, rows: int | None, *, nothing: bool = False) -> str:
    """``3 rows inserted``, ``1 table created``; with ``nothing``, that nothing was changed."""
    words = statement.upper().split()
    verb = words[0] if words else ""
    kind = next((word.lower() for word in words if word in _KINDS), None)
    if nothing:
        return "nothing changed"
    if verb in _ROWS and rows is not None:
        return f"{many(rows, 'row')} {_ROWS[verb]}"
    if verb in _OBJECTS and kind:
        done = f"1 {kind} {_OBJECTS[verb]}"
        return done if rows is None else f"{done}, {many(rows, 'row')}"
    return f"{statement} done"
