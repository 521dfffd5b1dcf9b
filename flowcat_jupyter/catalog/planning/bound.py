"""What was bound to a text must be named in it: a value that nothing asks for is a mistake."""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from flowcat_jupyter.catalog.planning.statements import Statement, trees_of
from flowcat_jupyter.shared.errors import SqlError


def refuse_unused(
    statements: Iterable[Statement], params: Iterable[str], frames: Iterable[str]
) -> None:
    """Refuse values and frames that no statement of a text names.

    :raises SqlError: there are some; it names them, and what the text does name.
    """
    given = {"parameter": list(params), "frame": list(frames)}
    if not any(given.values()):
        return
    named = _named(statements)
    for kind, names in given.items():
        unused = [name for name in names if name not in named]
        missing = sorted(named - {*given["parameter"], *given["frame"]})
        # A frame that was not sent is told of with its place, when the statement is planned.
        if unused and not (missing and kind == "frame"):
            raise _unused(kind, unused, missing)


def _named(statements: Iterable[Statement]) -> set[str]:
    return {
        str(node.this)
        for statement in statements
        for tree in trees_of(statement)
        for node in tree.find_all(exp.Placeholder)
        if node.this
    }


def _unused(kind: str, names: list[str], missing: list[str]) -> SqlError:
    listed = ", ".join(f":{name}" for name in names)
    many = len(names) > 1
    asked = f"It names {', '.join(f':{name}' for name in missing)}, to which nothing is bound. "
    return SqlError(
        f"The text does not name the {kind}{'s' if many else ''} {listed}.",
        condition="UNUSED_SQL_PARAMETER",
        sqlstate="42P02",
        hint=f"{asked if missing else ''}Write {listed.split(',')[0]} where it is meant, or leave "
        f"{'them' if many else 'it'} out.",
    )
