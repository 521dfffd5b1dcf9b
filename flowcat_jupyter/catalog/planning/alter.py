"""``ALTER TABLE`` and ``COMMENT ON``: columns added, tables renamed, comments set."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from flowcat_jupyter.catalog.planning.definitions import listed_columns
from flowcat_jupyter.catalog.planning.redefining import Redefine, Reshape, added_at, read_action
from flowcat_jupyter.catalog.planning.refusals import only, refuse, shown, target_name
from flowcat_jupyter.catalog.planning.words import Reader, Word, syntax
from flowcat_jupyter.shared.names import TableName
from flowcat_jupyter.shared.wire import Column
from flowcat_jupyter.sql.dialect import Piece

_WHAT = "ALTER TABLE"
_COMMENTED = {
    "TABLE": "TABLE",
    "COLUMN": "COLUMN",
    "CATALOG": "CATALOG",
    "SCHEMA": "SCHEMA",
    "DATABASE": "SCHEMA",
    "NAMESPACE": "SCHEMA",
}
_PARTS = {"CATALOG": 1, "SCHEMA": 2, "TABLE": 3, "COLUMN": 4}
_AGAIN = "Make the table again: CREATE OR REPLACE TABLE t AS SELECT … FROM t."


@dataclass(frozen=True)
class AddColumns:
    """Columns that a table gets, NULL in the rows it has; with ``if_missing`` those it has not."""

    piece: Piece
    name: TableName
    columns: tuple[Column, ...]
    if_exists: bool = False
    if_missing: bool = False


@dataclass(frozen=True)
class RenameTable:
    """Another name for a table, which may lead to another schema."""

    piece: Piece
    name: TableName
    to: TableName
    if_exists: bool = False


@dataclass(frozen=True)
class Comment:
    """A description: of a TABLE, SCHEMA or CATALOG, or of a COLUMN, the last part of ``name``.

    ``text`` None takes it away.
    """

    piece: Piece
    what: str
    name: tuple[str, ...]
    text: str | None


Alter = AddColumns | RenameTable | Comment | Redefine | Reshape


def read_alter(piece: Piece, tree: exp.Alter) -> Alter:
    """What an ``ALTER TABLE`` asks for.

    :raises SqlError: something that is not supported; it is named.
    """
    kind = str(tree.args.get("kind") or "").upper()
    if kind != "TABLE":
        refuse(piece, f"ALTER {kind}" if kind else "ALTER")
    only(piece, tree, ("this", "kind", "exists", "actions"), {}, _WHAT)
    name = target_name(piece, tree.this, _WHAT)
    exists = bool(tree.args.get("exists"))
    (action, *more) = tree.args["actions"]
    found = None if more else read_action(piece, name, action, exists)
    if found is not None:
        return found
    if isinstance(action, exp.AlterRename) and not more:
        to = target_name(piece, action.this, f"{_WHAT} … RENAME TO")
        return RenameTable(piece, name, to, exists)
    if isinstance(action, exp.AlterColumn) and not more:
        return _column(piece, name, action)
    columns = [item for part in (action, *more) for item in _listed(part)]
    if not all(isinstance(item, exp.ColumnDef) for item in columns):
        refuse(piece, f"{_WHAT} … {_called(action)}", hint=_hint(action))
    return _added(piece, name, columns, exists)


def _listed(part: Any) -> list[Any]:
    return list(part.expressions) if isinstance(part, exp.Schema) else [part]


def _added(piece: Piece, name: TableName, items: list[Any], exists: bool) -> AddColumns | Reshape:
    missing = {bool(item.args.get("exists")) for item in items}
    places: dict[str, str | None] = {}
    for item in items:
        place = item.args.get("position")
        if place is not None:
            places[item.name] = place.this.name if place.this is not None else None
        item.set("exists", None)
        item.set("position", None)
        _check_added(piece, item)
    columns = listed_columns(piece, items)
    required = [column.name for column in columns if not column.nullable]
    if required:
        told = f"{_WHAT} … ADD COLUMN {', '.join(required)} NOT NULL"
        refuse(piece, told, hint="The rows that are there would have no value for it.")
    if places and missing == {True}:
        refuse(piece, f"{_WHAT} … ADD COLUMN IF NOT EXISTS at a place", hint="Leave one out.")
    if places:
        return added_at(piece, name, columns, places, exists)
    return AddColumns(piece, name, columns, exists, missing == {True})


def _check_added(piece: Piece, item: exp.ColumnDef) -> None:
    if isinstance(item.this, exp.Dot):
        hint = "Make the column again with the field in its struct: CREATE OR REPLACE TABLE … AS."
        refuse(piece, f"{_WHAT} … ADD COLUMN of a field", hint=hint)
    for constraint in item.args.get("constraints") or ():
        kind = constraint.args.get("kind")
        if isinstance(kind, exp.DefaultColumnConstraint):
            hint = (
                "The rows that are there would not have it. Add the column without, then write "
                f"ALTER COLUMN {item.name} SET DEFAULT …, and UPDATE the rows that are to have it."
            )
            refuse(piece, f"{_WHAT} … ADD COLUMN {item.name} with a DEFAULT", hint=hint)
        if isinstance(kind, exp.CheckColumnConstraint):
            hint = "Add the column first, then write ADD CONSTRAINT name CHECK (…)."
            refuse(piece, f"{_WHAT} … ADD COLUMN {item.name} with CHECK", hint=hint)


def _column(piece: Piece, name: TableName, action: exp.AlterColumn) -> Comment:
    text = action.args.get("comment")
    for key, value in action.args.items():
        if key not in ("this", "comment") and value:
            refuse(piece, f"{_WHAT} … {_called(action)}", hint=_AGAIN)
    if not isinstance(text, exp.Literal) or not text.is_string:
        refuse(piece, f"{_WHAT} … {_called(action)}", hint=_AGAIN)
    return Comment(piece, "COLUMN", (*name.parts, action.this.name), str(text.this))


def _called(action: Any) -> str:
    return shown(action) if isinstance(action, exp.Expression) else str(action)


def _hint(action: Any) -> str | None:
    if isinstance(action, exp.AlterSet):
        return "A table stays where it lies and is of the format it was made of."
    return _AGAIN if isinstance(action, (exp.Drop, exp.RenameColumn)) else None


def read_comment(piece: Piece, words: list[Word]) -> Comment:
    """What a ``COMMENT ON … IS …`` asks for.

    :raises SqlError: a part is missing, or is not supported.
    """
    reader = Reader(piece, words)
    if not reader.accept("ON"):
        syntax(piece, "COMMENT needs ON", reader.here())
    word = reader.peek()
    what = _COMMENTED.get(word.upper) if word else None
    if what is None:
        refuse(piece, f"COMMENT ON {word.text.upper() if word else ''}".rstrip())
    reader.at += 1
    start = reader.here()
    name = reader.name()
    if len(name) > _PARTS[what] or (what == "COLUMN" and len(name) < 2):
        syntax(piece, f"{TableName(name).sql} is not a {what.lower()}'s name", start)
    if not reader.accept("IS"):
        syntax(piece, "COMMENT needs IS and a text", reader.here())
    text = _text(reader)
    reader.end()
    return Comment(piece, what, name, text)


def _text(reader: Reader) -> str | None:
    word = reader.peek()
    if word is not None and word.upper == "NULL":
        reader.at += 1
        return None
    if word is None or word.kind != "string" or "\\" in word.text:
        syntax(reader.piece, "IS needs a text in single quotes, or NULL", reader.here())
    reader.at += 1
    return word.text[1:-1].replace("''", "'")
