"""What the engine's SQL cannot say and its own expressions can: columns computed between texts.

A select that needs such a column is split. What stands before it becomes a frame: a text and
columns the engine adds to its result. The rest of the select reads the frame.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlglot import exp

from flowcat_jupyter.shared.types import DataType
from flowcat_jupyter.sql.dialect import refusal
from flowcat_jupyter.sql.lowering import text
from flowcat_jupyter.sql.lowering.context import Context
from flowcat_jupyter.sql.lowering.frames import Frame, Step
from flowcat_jupyter.sql.lowering.values import Value, combine

_REFERENCE = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|\b[a-z]\d+\.[a-z]\d+\b")
_CONDITIONAL = (exp.Case, exp.If, exp.And, exp.Or)
_CONDITIONAL_CALLS = frozenset(
    ("if", "iff", "coalesce", "nvl", "nvl2", "ifnull", "nullif", "decode", "try_divide")
)


def renamed(sql: str, names: dict[str, str]) -> str:
    """``sql`` with references such as ``s1.x2`` replaced, those inside quotes left alone."""
    if not names:
        return sql
    return _REFERENCE.sub(lambda match: names.get(match.group(), match.group()), sql)


def references(parts: Iterable[str]) -> set[str]:
    """The references in texts."""
    return {found for sql in parts for found in _REFERENCE.findall(sql)}


@dataclass(slots=True)
class Steps:
    """The added columns of one layer of a select; ``alias`` is what the last frame is called."""

    context: Context
    alias: str
    levels: list[list[Step]] = field(default_factory=list)
    arguments: dict[str, tuple[int, str]] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    _made: dict[tuple[Any, ...], Value] = field(default_factory=dict)
    _level: dict[str, int] = field(default_factory=dict)

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self.levels)

    def add(
        self,
        name: str,
        arguments: list[Value],
        kind: DataType,
        node: exp.Expression,
        options: tuple[Any, ...] = (),
    ) -> Value:
        """A column that the step ``name`` makes of ``arguments``.

        :raises SqlError: an argument may fail where a condition keeps it from being evaluated.
        """
        key = (name, options, kind, *(item.sql for item in arguments))
        if key in self._made:
            return self._made[key]
        if any(item.raises for item in arguments) and is_conditional(node):
            raise refusal("this function of what may fail, inside a condition", node)
        level = max((self._level_of(item.sql) for item in arguments), default=0)
        inputs = tuple(self._argument(item, level) for item in arguments)
        column = self.context.fresh("e")
        if level == len(self.levels):
            self.levels.append([])
        self.levels[level].append(Step(name, column, inputs, kind.ddl, options))
        self._level[column] = level + 1
        made = combine(f"{self.alias}.{column}", kind, *arguments)
        made = Value(made.sql, kind, fields=made.fields | {column})
        self._made[key] = made
        return made

    @property
    def made(self) -> set[str]:
        """The columns added so far."""
        return set(self._level)

    def touches(self, sql: str) -> bool:
        """Whether a text reads a column made here."""
        return self._level_of(sql) > 0

    def _level_of(self, sql: str) -> int:
        found = (match.partition(".") for match in _REFERENCE.findall(sql))
        return max(
            (self._level.get(name, 0) for alias, _, name in found if alias == self.alias),
            default=0,
        )

    def _argument(self, value: Value, level: int) -> str:
        if value.sql not in self.arguments:
            self.arguments[value.sql] = (level, self.context.fresh("y"))
        return self.arguments[value.sql][1]

    def write(self, source: str, columns: Mapping[str, str]) -> str:
        """The frames over ``source``; what follows FROM to read the last of them.

        ``columns`` are references to the source's columns and their names. The mapping from such
        references to what they are called afterwards is in ``names``.

        :raises SqlError: it stands in a recursive query.
        """
        made: list[str] = []
        for level, steps in enumerate(self.levels):
            name = self.alias if steps is self.levels[-1] else self.context.fresh("f")
            new = [(sql, column) for sql, (at, column) in self.arguments.items() if at == level]
            listed = [
                *(f"{self.names.get(sql, sql)} AS {column}" for sql, column in columns.items()),
                *made,
                *(f"{renamed(sql, self.names)} AS {column}" for sql, column in new),
            ]
            self.context.add_frame(Frame(name, text.select(listed, source), tuple(steps)))
            made += [column for _, column in new] + [step.column for step in steps]
            # Bare names between frames: the engine plans qualified ones anew at every level.
            self.names = dict(columns)
            self.names |= {f"{self.alias}.{column}": column for column in made}
            source = name
        return f"{self.alias} AS {self.alias}"

    def finish(self, sql: str) -> str:
        """A text over the last frame, its columns called as they are there.

        A sub-query sees them by the frame's name alone.
        """
        if "(SELECT " not in sql:
            return renamed(sql, self.names)
        names = {old: f"{self.alias}.{column}" for old, column in self.names.items()}
        return renamed(sql, names)


def asked_at(node: exp.Expression) -> exp.Expression:
    """The clause in which ``node`` is one of the conditions that must all hold, else ``node``."""
    above = node.parent
    while isinstance(above, (exp.Paren, exp.Not, exp.Exists, exp.Subquery)):
        above = above.parent
    while isinstance(above, (exp.And, exp.Paren)):
        above = above.parent
    return above if isinstance(above, (exp.Where, exp.Join)) else node


def is_conditional(node: exp.Expression) -> bool:
    """Whether ``node`` is evaluated only where a condition holds."""
    parent = node.parent
    while parent is not None and not isinstance(parent, exp.Query):
        if isinstance(parent, _CONDITIONAL):
            return True
        if isinstance(parent, exp.Anonymous) and parent.name.lower() in _CONDITIONAL_CALLS:
            return True
        parent = parent.parent
    return False
