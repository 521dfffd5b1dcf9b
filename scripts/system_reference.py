"""``python -m scripts.system_reference`` writes the tables of two reference pages.

They are those of settings in docs/reference/sql.md, and of docs/reference/system-tables.md.
"""

from __future__ import annotations

from pathlib import Path

from flowcat_jupyter.catalog.planning.session_settings import SETTINGS
from flowcat_jupyter.catalog.providers.system import NAME
from flowcat_jupyter.catalog.providers.system_tables import TABLES

FOLDER = Path(__file__).resolve().parent.parent / "docs/reference"
SQL, SYSTEM = FOLDER / "sql.md", FOLDER / "system-tables.md"
BEGIN, END = "<!-- {0}: begin -->\n", "<!-- {0}: end -->\n"


def settings() -> str:
    """One line a setting, sorted."""
    head = "| setting | what it is |\n|---|---|\n"
    lines = sorted(f"| `{setting.name}` | {setting.meaning} |\n" for setting in SETTINGS)
    return head + "".join(lines)


def tables() -> str:
    """Each table of the catalog ``system`` with its columns."""
    parts = []
    for table in TABLES:
        lines = [
            f"| `{column.name}` | {column.type} | {column.comment} |\n" for column in table.columns
        ]
        title = f"### {NAME}.{table.schema}.{table.name}\n\n{table.comment}\n\n"
        parts.append(f"{title}| column | type | |\n|---|---|---|\n{''.join(lines)}")
    return "\n".join(parts)


def brought_up(text: str, name: str, inside: str) -> str:
    """``text`` with what stands between two marks brought up to date."""
    before, _, rest = text.partition(BEGIN.format(name))
    _, _, after = rest.partition(END.format(name))
    return f"{before}{BEGIN.format(name)}\n{inside}\n{END.format(name)}{after}"


def pages() -> dict[Path, str]:
    """Both pages as they should be."""
    return {
        SQL: brought_up(SQL.read_text(encoding="utf-8"), "settings", settings()),
        SYSTEM: brought_up(SYSTEM.read_text(encoding="utf-8"), "tables", tables()),
    }


if __name__ == "__main__":
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")
