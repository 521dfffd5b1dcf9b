"""A registry of implementations by name, each loaded when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Generic, TypeVar, cast

from flowcat_jupyter.shared.errors import AlreadyExists, FlowcatError, Invalid, NotFound
from flowcat_jupyter.shared.extensions import BUILT_IN, FAILED, Extension

T = TypeVar("T")
LISTED = "flowcat doctor lists every extension, and where it comes from."


@dataclass(frozen=True)
class _Installed:
    """What a package adds; ``made_by`` is the ``module:attribute`` that makes it usable."""

    extension: Extension
    made_by: str | None


class Registry(Generic[T]):
    """Names to ``module:attribute`` strings, resolved at first use.

    Names are case-insensitive. ``kind`` is the word errors use ("engine", "format").
    """

    def __init__(self, kind: str) -> None:
        """An empty registry of things called ``kind``."""
        self.kind = kind
        self._targets: dict[str, str | T | _Installed] = {}

    def register(self, name: str, target: str | T) -> None:
        """Add an implementation, or the ``module:attribute`` that holds it.

        :raises AlreadyExists: the name is taken; nothing is ever silently replaced.
        """
        key = name.casefold()
        if key in self._targets:
            raise AlreadyExists(self.kind, name)
        self._targets[key] = target

    def register_extensions(
        self, extensions: Iterable[Extension], made_by: str | None = None
    ) -> None:
        """Add what packages give, and never raise for what is wrong with it: `get` does.

        ``made_by`` is the ``module:attribute`` of a function that makes an implementation of an
        extension and what its target holds; without it, that is the implementation.
        """
        for item in extensions:
            if item.state == BUILT_IN:
                self._targets[item.name.casefold()] = item.target
            else:
                self._targets.setdefault(item.name.casefold(), _Installed(item, made_by))

    def get(self, name: str) -> T:
        """The implementation called ``name``.

        :raises NotFound: there is none.
        :raises Invalid: a package gives it, and it cannot be used; the package is named.
        """
        key = name.casefold()
        if key not in self._targets:
            known = ", ".join(sorted(self._targets))
            raise NotFound(self.kind, name, hint=f"There are: {known}.")
        target = self._targets[key]
        if isinstance(target, _Installed):
            target = cast(T, _loaded(target))
            self._targets[key] = target
        elif isinstance(target, str):
            target = cast(T, _held(target))
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


def _held(target: str) -> Any:
    module, _, attribute = target.partition(":")
    return getattr(import_module(module), attribute)


def _loaded(installed: _Installed) -> Any:
    item = installed.extension
    what = f"The {item.kind} {item.name} of the package {item.origin} cannot be used"
    if item.state == FAILED:
        raise Invalid(f"{what}: {item.reason}", hint=f"Keep one of them. {LISTED}")
    make: Callable[[Extension, Any], Any] = _held(installed.made_by) if installed.made_by else _same
    try:
        return make(item, _held(item.target))
    except FlowcatError as error:
        raise Invalid(f"{what}: {error.message}", hint=error.hint or LISTED) from error
    except Exception as error:
        raise Invalid(
            f"{what}: {type(error).__name__}: {error}",
            hint=f"Install what it needs, or a version of it that works. {LISTED}",
        ) from error


def _same(_item: Extension, held: Any) -> Any:
    return held
