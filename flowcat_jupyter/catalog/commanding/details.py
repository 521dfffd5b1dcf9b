"""What is said of a table as a whole, in Spark's words."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

from flowcat_jupyter.catalog.planning.views import ViewText
from flowcat_jupyter.catalog.store.rows import TableRow, ViewRow
from flowcat_jupyter.shared.names import back_ticked
from flowcat_jupyter.shared.types import DataType, parse_type
from flowcat_jupyter.shared.wire import Column

_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
_TREE = {"int": "integer", "bigint": "long", "smallint": "short", "tinyint": "byte"}

OURS = "flowcat."
"""What the names of the catalog's own properties begin with."""


def time_text(at: datetime, zone: ZoneInfo) -> str:
    """An instant as Spark's DESCRIBE has it."""
    local = at.astimezone(zone)
    day = f"{_DAYS[local.weekday()]} {_MONTHS[local.month - 1]} {local.day:02d}"
    return f"{day} {local:%H:%M:%S} {local.tzname()} {local.year}"


def details(table: TableRow, zone: ZoneInfo) -> list[tuple[str, str]]:
    """A table's facts in order; what is not known, or not for the caller, is left out."""
    facts: list[tuple[str, object]] = [
        ("Catalog", table.path[0]),
        ("Database", table.path[1]),
        ("Table", table.name),
        ("Owner", table.owner or None),
        ("Created Time", time_text(table.created_at, zone)),
        ("Last Access", "UNKNOWN"),
        ("Created By", table.created_by or None),
        ("Type", (table.table_type or "").upper() or None),
        ("Provider", table.format),
        ("Comment", table.description),
        ("Table Properties", properties_text(table.properties) or None),
        ("Statistics", statistics(table)),
        ("Location", table.public_location),
        ("Storage Properties", properties_text(table.options) or None),
        ("Partition Provider", "Catalog" if table.partition_columns else None),
        ("Version", table.delta_version),
    ]
    return [(name, str(value)) for name, value in facts if value is not None]


def view_details(view: ViewRow | ViewText, zone: ZoneInfo) -> list[tuple[str, str]]:
    """A view's facts in order; its query is for those who may change it."""
    facts: list[tuple[str, object]] = []
    if isinstance(view, ViewRow):
        facts += [("Catalog", view.path[0]), ("Database", view.path[1])]
    facts.append(("Table", view.path[-1]))
    told = True
    if isinstance(view, ViewRow):
        told = view.manages
        facts += [
            ("Owner", view.owner or None),
            ("Created Time", time_text(view.created_at, zone)),
            ("Last Access", "UNKNOWN"),
            ("Created By", view.created_by or None),
        ]
    comment = view.description if isinstance(view, ViewRow) else view.comment
    facts += [("Type", "VIEW"), ("Comment", comment)]
    if told:
        facts += [("View Text", view.text), ("View Original Text", view.text)]
    columns = ", ".join(back_ticked(column.name) for column in view.columns)
    facts += [
        ("View Catalog and Namespace", f"{view.catalog}.{view.schema}"),
        ("View Query Output Columns", f"[{columns}]"),
        ("Table Properties", properties_text(dict(view.properties)) or None),
    ]
    return [(name, str(value)) for name, value in facts if value is not None]


def properties_text(properties: dict[str, str]) -> str:
    """Properties in brackets, by name; empty for none. The catalog's own are not people's."""
    said = {key: value for key, value in properties.items() if not key.startswith(OURS)}
    inside = ", ".join(f"{key}={value}" for key, value in sorted(said.items()))
    return f"[{inside}]" if inside else ""


def statistics(table: TableRow) -> str | None:
    """A table's size in words, as far as it is known."""
    known = [
        f"{value} {unit}"
        for value, unit in ((table.size_bytes, "bytes"), (table.row_count, "rows"))
        if value is not None
    ]
    return ", ".join(known) or None


def information(table: TableRow | ViewRow | ViewText, zone: ZoneInfo) -> str:
    """What SHOW TABLE EXTENDED tells of a table or view, as lines of text."""
    if isinstance(table, TableRow):
        facts = [fact for fact in details(table, zone) if fact[0] != "Version"]
    else:
        facts = view_details(table, zone)
    if isinstance(table, TableRow) and table.partition_columns:
        columns = ", ".join(map(back_ticked, table.partition_columns))
        facts.append(("Partition Columns", f"[{columns}]"))
    lines = "".join(f"{name}: {value}\n" for name, value in facts)
    return f"{lines}Schema: {schema_tree(table.columns)}\n"


def schema_tree(columns: tuple[Column, ...]) -> str:
    """Columns as Spark draws them, a line each and their parts beneath them."""
    lines = ["root"]
    for column in columns:
        lines += _branch(column.name, parse_type(column.type), "nullable", column.nullable, " ")
    return "\n".join(lines) + "\n"


def _branch(name: str, kind: DataType, word: str, null: bool, indent: str) -> list[str]:
    title = kind.kind if kind.is_nested else _TREE.get(kind.kind, kind.ddl)
    marks = f" ({word} = {str(null).lower()})" if word else ""
    lines = [f"{indent}|-- {name}: {title}{marks}"]
    below = f"{indent}|    "
    if kind.kind == "map" and kind.key and kind.element:
        lines += _branch("key", kind.key, "", True, below)
        lines += _branch("value", kind.element, "valueContainsNull", True, below)
    elif kind.kind == "array" and kind.element:
        lines += _branch("element", kind.element, "containsNull", True, below)
    for part in kind.fields:
        lines += _branch(part.name, part.type, "nullable", part.nullable, below)
    return lines
