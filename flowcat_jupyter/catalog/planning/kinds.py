"""What statements are called, and what is said of one that was cancelled."""

from __future__ import annotations

from flowcat_jupyter.catalog.planning.describing import Describe
from flowcat_jupyter.catalog.planning.maintenance import VACUUM, Maintain
from flowcat_jupyter.catalog.planning.settings_sql import ResetSetting, SetSetting
from flowcat_jupyter.catalog.planning.showing import Show
from flowcat_jupyter.catalog.planning.statements import Select, Statement
from flowcat_jupyter.catalog.planning.writes import Change
from flowcat_jupyter.shared.errors import Cancelled

Asked = Select | Show | Describe | SetSetting | ResetSetting | Maintain
"""Statements that give rows; `Maintain` where it is a dry run."""
_PLAIN: dict[type[object], str] = {Describe: "DESCRIBE", SetSetting: "SET", ResetSetting: "RESET"}


def kind_of(statement: Asked) -> str:
    """What a statement that gives rows is called."""
    if isinstance(statement, Show):
        return f"SHOW {statement.what}"
    if isinstance(statement, Maintain):
        return f"{statement.kind} DRY RUN"
    if not isinstance(statement, Select):
        return _PLAIN[type(statement)]
    if statement.explain:
        return "EXPLAIN"
    return "DESCRIBE" if statement.described else "SELECT"


def cancelled_at(statement: Statement, number: int) -> Cancelled:
    """Tells what became of statements that were cancelled at one of them."""
    if number > 1:
        return Cancelled(f"What stands before statement {number} has run; the rest")
    if isinstance(statement, Maintain) and statement.kind == VACUUM:
        return Cancelled("Files that no version needs may be gone in part: the statement")
    if isinstance(statement, Change):
        return Cancelled("Nothing was changed: the statement")
    return Cancelled()
