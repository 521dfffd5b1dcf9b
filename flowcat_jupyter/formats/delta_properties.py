"""What a Delta table's log says of the table beside its columns: properties and constraints."""

from __future__ import annotations

from flowcat_jupyter.formats.delta_log import Snapshot

CONSTRAINT = "delta.constraints."
"""What the property of a CHECK constraint begins with; its name follows."""


def constraints_of(snapshot: Snapshot) -> dict[str, str]:
    """A table's CHECK constraints: each one's condition by its name."""
    return {
        key.removeprefix(CONSTRAINT): value
        for key, value in sorted(_configured(snapshot).items())
        if key.startswith(CONSTRAINT)
    }


def properties_of(snapshot: Snapshot) -> dict[str, str]:
    """A table's properties, constraints apart."""
    found = sorted(_configured(snapshot).items())
    return {key: value for key, value in found if not key.startswith(CONSTRAINT)}


def _configured(snapshot: Snapshot) -> dict[str, str]:
    found = snapshot.table.metadata().configuration
    return {key: str(value) for key, value in found.items() if value is not None}
