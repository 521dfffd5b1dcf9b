"""Columns as people see them: what the catalog says of one goes before what its log says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from flowcat_jupyter.shared.names import name_key
from flowcat_jupyter.shared.wire import Column


def described(
    columns: Sequence[Mapping[str, Any]] | None, comments: Mapping[str, str] | None
) -> tuple[Column, ...]:
    """Columns as they are stored, with the comments of the catalog laid over their own."""
    listed = tuple(Column(**column) for column in columns or ())
    if not comments:
        return listed
    return tuple(_described(column, comments.get(name_key(column.name))) for column in listed)


def _described(column: Column, comment: str | None) -> Column:
    # An empty text hides a comment of the log's.
    return column if comment is None else replace(column, comment=comment or None)


def kept(comments: Mapping[str, str], columns: Sequence[Column]) -> dict[str, str]:
    """The comments whose columns are still there."""
    known = {name_key(column.name) for column in columns}
    return {key: text for key, text in comments.items() if key in known}


def combined(
    comments: Mapping[str, str], columns: Sequence[Column], changes: Mapping[str, str | None]
) -> dict[str, str]:
    """The comments after some were changed.

    ``columns`` are as the log has them; None gives a column its log's comment back.
    """
    own = {name_key(column.name): column.comment for column in columns}
    result = dict(comments)
    for name, text in changes.items():
        key = name_key(name)
        result.pop(key, None)
        if text or (text == "" and own.get(key)):
            result[key] = text
    return result
