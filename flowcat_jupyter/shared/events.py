"""What happened in the catalog, recorded in the transaction and published after its commit."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar


@dataclass(frozen=True)
class Audience:
    """Who could see an object before it went: user names and group ids."""

    users: frozenset[str] = frozenset()
    groups: frozenset[int] = frozenset()

    def __or__(self, other: Audience) -> Audience:
        """Both together."""
        return Audience(self.users | other.users, self.groups | other.groups)


@dataclass(frozen=True)
class Event:
    """Base of all events; ``kind`` names it in the changes feed.

    ``object_kind`` is ``catalog``, ``schema``, ``table``, ``view`` or ``function``. ``audience``
    is given where the object is out of sight afterwards, so that those who saw it hear of it.
    ``detail`` says which part changed, as JSON.
    """

    kind: ClassVar[str] = ""
    object_id: int
    object_uuid: str
    object_kind: str
    parent_id: int | None
    name: str
    audience: Audience | None = field(default=None, kw_only=True)
    detail: dict[str, Any] | None = field(default=None, kw_only=True)


@dataclass(frozen=True)
class NamespaceCreated(Event):
    """A catalog or schema is there."""

    kind: ClassVar[str] = "namespace_created"


@dataclass(frozen=True)
class NamespaceRenamed(Event):
    """A catalog or schema has another name."""

    kind: ClassVar[str] = "namespace_renamed"


@dataclass(frozen=True)
class NamespaceDropped(Event):
    """A catalog or schema is gone."""

    kind: ClassVar[str] = "namespace_dropped"


@dataclass(frozen=True)
class TableCreated(Event):
    """A table is there and can be read."""

    kind: ClassVar[str] = "table_created"


@dataclass(frozen=True)
class TableWritten(Event):
    """A table's data changed; ``data_version`` is the new one. Upkeep does not count."""

    kind: ClassVar[str] = "table_written"
    data_version: int = 0


@dataclass(frozen=True)
class TableRefreshed(Event):
    """What the catalog knows of a table was read again; its data are as they were."""

    kind: ClassVar[str] = "table_refreshed"


@dataclass(frozen=True)
class TableRenamed(Event):
    """A table has another name."""

    kind: ClassVar[str] = "table_renamed"


@dataclass(frozen=True)
class TableDropped(Event):
    """A table is gone."""

    kind: ClassVar[str] = "table_dropped"


@dataclass(frozen=True)
class ViewCreated(Event):
    """A view is there."""

    kind: ClassVar[str] = "view_created"


@dataclass(frozen=True)
class ViewChanged(Event):
    """A view has another query, or other properties."""

    kind: ClassVar[str] = "view_changed"


@dataclass(frozen=True)
class ViewDropped(Event):
    """A view is gone."""

    kind: ClassVar[str] = "view_dropped"


@dataclass(frozen=True)
class FunctionCreated(Event):
    """A function is there."""

    kind: ClassVar[str] = "function_created"


@dataclass(frozen=True)
class FunctionChanged(Event):
    """A function stands for something else."""

    kind: ClassVar[str] = "function_changed"


@dataclass(frozen=True)
class FunctionDropped(Event):
    """A function is gone."""

    kind: ClassVar[str] = "function_dropped"


@dataclass(frozen=True)
class ObjectMoved(Event):
    """A schema or table hangs on another parent now."""

    kind: ClassVar[str] = "moved"


@dataclass(frozen=True)
class ObjectLeft(Event):
    """A schema or table left the parent named here; sent to those who saw it there."""

    kind: ClassVar[str] = "left"


@dataclass(frozen=True)
class ObjectDescribed(Event):
    """An object's description changed."""

    kind: ClassVar[str] = "described"


@dataclass(frozen=True)
class ColumnsCommented(Event):
    """What is said of a table's columns changed; ``detail`` names the ``columns``."""

    kind: ClassVar[str] = "commented"


@dataclass(frozen=True)
class ObjectTagged(Event):
    """An object's tags changed; ``detail`` lists those ``added`` and ``removed``."""

    kind: ClassVar[str] = "tagged"


@dataclass(frozen=True)
class OwnerChanged(Event):
    """An object belongs to somebody else; ``detail`` says whom it went ``from`` and ``to``."""

    kind: ClassVar[str] = "owner_changed"


@dataclass(frozen=True)
class AccessGranted(Event):
    """A group was given a level on the object."""

    kind: ClassVar[str] = "access_granted"


@dataclass(frozen=True)
class AccessRevoked(Event):
    """A group lost its level on the object."""

    kind: ClassVar[str] = "access_revoked"
