"""A registry of implementations by name, each loaded when it is first asked for."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import entry_points
from typing import Generic, TypeVar, cast

from flowcat_jupyter.shared.errors import AlreadyExists, NotFound

T = TypeVar("T")


class Registry(Generic[T]):
    """Names to ``module:attribute`` strings, resolved at first use.

    Names are case-insensitive. ``kind`` is the word errors use ("engine", "format").
    """

    def __init__(self, kind: str) -> None:
        """An empty registry of things called ``kind``."""
        self.kind = kind
        self._targets: dict[str, str | T] = {}

    def register(self, name: str, target: str | T) -> None:
        """Add an implementation, or the ``module:attribute`` that holds it.

        :raises AlreadyExists: the name is taken; nothing is ever silently replaced.
        """
        key = name.casefold()
        if key in self._targets:
            raise AlreadyExists(self.kind, name)
        self._targets[key] = target

    def register_entry_points(self, group: str) -> None:
        """Add every entry point of ``group``."""
        for point in entry_points(group=group):
            self.register(point.name, point.value)

    def get(self, name: str) -> T:
        """The implementation called ``name``.

        :raises NotFound: there is none.
        """
        key = name.casefold()
        if key not in self._targets:
            known = ", ".join(sorted(self._targets))
            raise NotFound(self.kind, name, hint=f"There are: {known}.")
        target = self._targets[key]
        if isinstance(target, str):
            module, _, attribute = target.partition(":")
            target = cast(T, getattr(import_module(module), attribute))
            self._targets[key] = target
        return target

    def __contains__(self, name: str) -> bool:
        """Whether ``name`` is registered."""
        return name.casefold() in self._targets

    def __iter__(self) -> Iterator[str]:
        """The names, sorted."""
        return iter(sorted(self._targets))

    def __len__(self) -> int:
        """How many there are."""
        return len(self._targets)
