"""The data catalog JupyterLab lacks: Jupyter's and IPython's hooks, nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell


def _jupyter_labextension_paths() -> list[dict[str, str]]:
    return [{"src": "labextension", "dest": "flowcat-jupyter"}]


def _jupyter_server_extension_points() -> list[dict[str, Any]]:
    from flowcat_jupyter.extension import Flowcat

    return [{"module": "flowcat_jupyter.extension", "app": Flowcat}]


def load_ipython_extension(shell: InteractiveShell) -> None:
    """``%load_ext flowcat_jupyter``: add ``flowfile_ctx`` and ``%%catalog_sql``."""
    from flowcat_jupyter.kernel.extension import load

    load(shell)


def unload_ipython_extension(shell: InteractiveShell) -> None:
    """``%unload_ext flowcat_jupyter``: take both away again."""
    from flowcat_jupyter.kernel.extension import unload

    unload(shell)
