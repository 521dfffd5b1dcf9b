"""Makes ``*.notebook.yaml`` notebooks in whatever contents manager a server is configured with."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from inspect import iscoroutinefunction
from typing import Any

from jupyter_server.services.contents.fileio import FileManagerMixin
from jupyter_server.services.contents.manager import ContentsManager

from flowcat_jupyter.contents.layer import Layer, Method, overlay

FILES, TEXTS = "flowcat_jupyter.contents.files", "flowcat_jupyter.contents.texts"
CREATING = ("increment_filename", "new_untitled", "new", "copy")
SAVING = ("get", "save")
RENAMING = ("rename_file", "rename", "update")
READING = (*SAVING, "_read_notebook", "_save_notebook", *RENAMING, "delete_file")
TEXTUAL = (*CREATING, *SAVING, "rename_file", "update")
TRUSTING = ("check_and_sign", "mark_trusted_cells")
_MARK = "serves_notebooks_as_yaml"
_JUPYTEXT = "jupyterlab_jupytext"


@cache
def bridge(base: type[ContentsManager]) -> type[ContentsManager]:
    """A subclass of ``base`` that also opens and saves notebooks as YAML.

    A class that does already is returned as it is; the same ``base`` always gives the same class.
    """
    if getattr(base, _MARK, False):
        return base
    if issubclass(base, FileManagerMixin):
        waiting = {name: _late(FILES, name) for name in (*CREATING, *READING)}
        made = overlay(base, waiting, {name: _late_plain(FILES, name) for name in TRUSTING})
    else:
        made = overlay(base, {name: _late(TEXTS, name) for name in TEXTUAL}, {})
    setattr(made, _MARK, True)
    return made


def _late(module: str, name: str) -> Method:
    """A method of ``module``, which is imported when the first notebook is opened or made.

    A server's start waits for the link hook, and the codecs behind these methods are not small.
    """

    async def method(manager: Any, layer: Layer, *args: Any, **kwargs: Any) -> Any:
        found = import_module(module).WAITING[name]
        return await found(manager, layer, *args, **kwargs)

    return method


def _late_plain(module: str, name: str) -> Callable[..., Any]:
    def method(manager: Any, layer: Layer, *args: Any, **kwargs: Any) -> Any:
        return import_module(module).PLAIN[name](manager, layer, *args, **kwargs)

    return method


def install(serverapp: Any) -> None:
    """Wrap the server's contents manager class, now and whenever it is set again.

    To be called before the manager is made, in an extension's *link* hook. Extensions linked
    later apply the configuration anew, which sets the class back to the configured one.
    """

    def wrap(_change: Any = None) -> None:
        found = serverapp.contents_manager_class
        wrapped = bridge(_with_jupytext(serverapp, found))
        if wrapped is not found:
            serverapp.contents_manager_class = wrapped

    serverapp.observe(wrap, names="contents_manager_class")
    wrap()


def _with_jupytext(serverapp: Any, base: Any) -> Any:
    """``base`` under jupytext's layer, if its extension would put that above ours when it loads.

    It leaves alone a class that has its layer.
    """
    enabled = serverapp.jpserver_extensions.get(_JUPYTEXT)
    if not enabled or getattr(base, _MARK, False) or hasattr(base, "formats"):
        return base
    try:
        jupytext = import_module("jupytext")
    except ImportError as error:
        serverapp.log.warning("jupytext is enabled but cannot be imported: %s", error)
        return base
    waits = iscoroutinefunction(base.get)
    kind = "async" if waits else "sync"
    return getattr(jupytext, f"build_{kind}_jupytext_contents_manager_class")(base)
