"""Makes ``*.notebook.yaml`` notebooks in whatever contents manager a server is configured with."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from inspect import iscoroutinefunction
from typing import Any

from jupyter_server.services.contents.fileio import FileManagerMixin
from jupyter_server.services.contents.manager import ContentsManager

from flowcat_jupyter.contents import files, texts
from flowcat_jupyter.contents.layer import overlay

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
        made = overlay(base, files.WAITING, files.PLAIN)
    else:
        made = overlay(base, texts.WAITING, {})
    setattr(made, _MARK, True)
    return made


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
