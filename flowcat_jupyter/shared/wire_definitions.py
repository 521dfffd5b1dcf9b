"""What is said of a table beside its columns' names and types."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Definition:
    """What a table's log says of it beside its columns, as it is or as it changes.

    ``constraints`` are CHECK conditions by name, ``defaults`` the SQL of a column's default by
    column, ``required`` whether a column must not be NULL. In a change, None takes away.
    ``generated`` is by column the SQL that a new table computes it from.
    """

    constraints: dict[str, str | None] = field(default_factory=dict)
    properties: dict[str, str | None] = field(default_factory=dict)
    defaults: dict[str, str | None] = field(default_factory=dict)
    required: dict[str, bool] = field(default_factory=dict)
    generated: dict[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        """Whether it says anything."""
        said = (self.constraints, self.properties, self.defaults, self.required, self.generated)
        return any(said)
