"""What people say of a table: comments on its columns, tags, and whose it is."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from flowcat_jupyter.catalog.access import require
from flowcat_jupyter.catalog.editing import identity
from flowcat_jupyter.catalog.store.described import combined
from flowcat_jupyter.catalog.store.rows import TableRow
from flowcat_jupyter.catalog.store.seen import MANAGE, OWNER, check_text
from flowcat_jupyter.catalog.unit import Unit
from flowcat_jupyter.shared.errors import Invalid, NotFound
from flowcat_jupyter.shared.events import (
    Audience,
    ColumnsCommented,
    ObjectLeft,
    ObjectTagged,
    OwnerChanged,
)
from flowcat_jupyter.shared.names import MAX_LENGTH, name_key

MOST_TAGS = 50
LONGEST_TAG = 100
LONGEST_COMMENT = 4000
_UNSEEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


@dataclass(frozen=True)
class Words:
    """What is to be said of a table; None leaves things as they are.

    ``tags`` replace those there are. ``comments`` go by column: an empty text is no comment, and
    None brings the comment in the table's own log back.
    """

    tags: tuple[str, ...] | None = None
    comments: Mapping[str, str | None] = field(default_factory=dict)
    owner: str | None = None

    def check(self) -> None:
        """Refuse what cannot be said.

        :raises Invalid: a tag, a comment or the owner is too long or holds what cannot be shown,
            or there are too many tags.
        """
        for tag in self.tags or ():
            _check_line(tag, "tag", LONGEST_TAG)
        if self.tags is not None and len(self.tags) > MOST_TAGS:
            raise Invalid(
                f"A table has at most {MOST_TAGS} tags, and these are {len(self.tags)}.",
                hint="Take some away.",
            )
        if self.owner is not None:
            _check_line(self.owner, "owner", MAX_LENGTH)
        for name, text in self.comments.items():
            check_text(name, "column's name")
            check_text(text, "comment")
            if text is not None and len(text) > LONGEST_COMMENT:
                raise Invalid(
                    f"The comment on {name!r} is {len(text):,} characters long; "
                    f"{LONGEST_COMMENT:,} are allowed.",
                    hint="Shorten it.",
                )


NOTHING = Words()


def describe(unit: Unit, table: TableRow, words: Words) -> TableRow:
    """Say of a table what is asked for; the table as it is then.

    :raises NotFound: it has no such column.
    :raises Forbidden: the actor does not manage it, or does not own what is to be given away.
    """
    tags = _tags(unit, table, words)
    comments = _comments(unit, table, words)
    if tags is not None or comments is not None:
        unit.tables.describe(table.id, comments=comments, tags=table.tags if tags is None else tags)
        unit.securables.update(table, by=unit.actor.name, at=unit.now)
    if words.owner is None or words.owner == table.owner:
        return unit.tables.get(table.id)
    return _give(unit, table, words.owner)


def _tags(unit: Unit, table: TableRow, words: Words) -> tuple[str, ...] | None:
    if words.tags is None:
        return None
    require(table, MANAGE, "tag")
    # The first of two that differ by case alone is kept.
    wanted = {name_key(tag): tag for tag in reversed(words.tags)}
    tags = tuple(sorted(wanted.values(), key=name_key))
    if tags == table.tags:
        return None
    detail = {
        "added": [tag for tag in tags if tag not in table.tags],
        "removed": [tag for tag in table.tags if tag not in tags],
    }
    unit.record(ObjectTagged(*identity(table), detail=detail))
    return tags


def _comments(unit: Unit, table: TableRow, words: Words) -> dict[str, str] | None:
    if not words.comments:
        return None
    require(table, MANAGE, "comment on")
    columns = {name_key(column.name): column.name for column in table.logged}
    for name in words.comments:
        if name_key(name) not in columns:
            raise NotFound("column", name)
    comments = combined(table.comments, table.logged, words.comments)
    changed = [
        columns[key]
        for key in sorted(comments.keys() | table.comments.keys())
        if comments.get(key) != table.comments.get(key)
    ]
    if not changed:
        return None
    unit.record(ColumnsCommented(*identity(table), detail={"columns": changed}))
    return comments


def _give(unit: Unit, table: TableRow, owner: str) -> TableRow:
    require(table, OWNER, "give away")
    unit.securables.update(table, by=unit.actor.name, at=unit.now, owner=owner)
    detail = {"from": table.owner, "to": owner}
    unit.record(OwnerChanged(*identity(table), detail=detail))
    unit.record(ObjectLeft(*identity(table), audience=Audience(frozenset({table.owner}))))
    given = unit.tables.find(table.id)
    return given or replace(table, owner=owner, access="browse", row_count=None, size_bytes=None)


def _check_line(text: str, what: str, longest: int) -> None:
    check_text(text, what)
    fault = None
    if not text.strip():
        fault = "it is empty"
    elif text != text.strip():
        fault = "it begins or ends with white space"
    elif len(text) > longest:
        fault = f"it is longer than {longest} characters"
    elif any(unicodedata.category(letter) in _UNSEEN for letter in text):
        fault = "it holds a control or invisible character"
    if fault:
        raise Invalid(f"{text[:longest]!r} cannot be the {what}: {fault}.", hint="Write another.")
