"""What ``%load_ext flowcat_jupyter`` does."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

from IPython.core.magic import no_var_expand

from flowcat_jupyter.kernel import tracebacks
from flowcat_jupyter.kernel.client import Client
from flowcat_jupyter.kernel.context import FlowfileContext
from flowcat_jupyter.kernel.interrupts import InterruptGate
from flowcat_jupyter.kernel.magics import MAGIC, CatalogSql

CONTEXT = "flowfile_ctx"


@dataclass(frozen=True)
class _Loaded:
    context: FlowfileContext
    gate: InterruptGate | None


_loaded: WeakKeyDictionary[Any, _Loaded] = WeakKeyDictionary()


def load(shell: Any) -> None:
    """Add ``flowfile_ctx`` and the magic ``catalog_sql`` to a shell; no server is asked yet."""
    client = Client(origin=lambda: origin(shell))
    context = FlowfileContext(client)
    shell.push({CONTEXT: context}, interactive=False)
    magic = no_var_expand(CatalogSql(shell, client))
    shell.register_magic_function(magic, magic_kind="line_cell", magic_name=MAGIC)
    tracebacks.install(shell)
    kernel = getattr(shell, "kernel", None)
    gate = None if kernel is None else InterruptGate(kernel)
    if gate is not None:
        gate.install()
    _loaded[shell] = _Loaded(context, gate)


def unload(shell: Any) -> None:
    """Take away what `load` added; a ``flowfile_ctx`` of the user's own stays."""
    parts = _loaded.pop(shell, None)
    if parts is None:
        return
    shell.drop_by_id({CONTEXT: parts.context})
    for kind in ("line", "cell"):
        shell.magics_manager.magics[kind].pop(MAGIC, None)
    tracebacks.remove(shell)
    if parts.gate is not None:
        parts.gate.remove()


def origin(shell: Any) -> dict[str, str]:
    """The notebook and the cell that run now, as far as the kernel knows them."""
    known: dict[str, str] = {}
    notebook = os.environ.get("JPY_SESSION_NAME")
    if notebook:
        known["notebook"] = notebook
    get_parent = getattr(shell, "get_parent", None)
    message = get_parent() if get_parent is not None else {}
    cell_id = message.get("metadata", {}).get("cellId")
    if cell_id:
        known["cell_id"] = str(cell_id)
    return known
