"""One set of coroutines laid over contents managers that answer at once and ones that wait."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import Any

from anyio import to_thread

Method = Callable[..., Coroutine[Any, Any, Any]]


@dataclass(frozen=True)
class Layer:
    """What lies under the bridge, for one call on one manager.

    ``nearest`` is all of it. ``below`` leaves out jupytext's layer, which takes every notebook
    for a text format of its own and fails on ours. ``waits`` tells whether the manager's methods
    are coroutines.
    """

    nearest: Any
    below: Any
    waits: bool

    async def aside(self, function: Callable[..., Any], *args: Any) -> Any:
        """Run a slow function, off the event loop where there is one to keep free."""
        return await to_thread.run_sync(function, *args) if self.waits else function(*args)


def at_once(work: Coroutine[Any, Any, Any]) -> Any:
    """The result of a coroutine none of whose parts really wait."""
    try:
        work.send(None)
    except StopIteration as end:
        return end.value
    work.close()
    raise RuntimeError("A contents manager that answers at once was made to wait.")


def overlay(
    base: type, waiting: Mapping[str, Method], plain: Mapping[str, Callable[..., Any]]
) -> type:
    """A subclass of ``base`` whose methods are ``waiting`` and ``plain``.

    Each function is called with the manager and its `Layer` before its own arguments. The
    ``waiting`` ones become coroutine methods exactly where those of ``base`` are.
    """
    waits = inspect.iscoroutinefunction(getattr(base, "get", None))
    made: type

    def layer(manager: Any) -> Layer:
        return Layer(super(made, manager), super(_floor(made), manager), waits)

    def waiting_method(function: Method) -> Callable[..., Any]:
        if waits:

            async def method(self: Any, *args: Any, **kwargs: Any) -> Any:
                return await function(self, layer(self), *args, **kwargs)

            return method
        return lambda self, *args, **kwargs: at_once(function(self, layer(self), *args, **kwargs))

    def plain_method(function: Callable[..., Any]) -> Callable[..., Any]:
        return lambda self, *args, **kwargs: function(self, layer(self), *args, **kwargs)

    methods = {name: waiting_method(function) for name, function in waiting.items()}
    methods.update({name: plain_method(function) for name, function in plain.items()})
    for name, method in methods.items():
        method.__name__ = name
        # Callers look whether `require_hash` and its like may be given.
        vars(method)["__signature__"] = inspect.signature(getattr(base, name))
    members = {**methods, "__doc__": "Serves notebooks as YAML.", "__module__": __name__}
    made = type(base)(f"Flowcat{base.__name__}", (base,), members)
    return made


def _floor(made: type) -> type:
    """The last class that has to be left out for our own files."""
    for layer in reversed(made.__mro__):
        if layer.__module__.split(".")[0] == "jupytext" and "save" in vars(layer):
            return layer
    return made
