"""Starts kernels that know their Flowcat server and carry a token of their own.

Runs in the Jupyter server, or in whatever starts a kernel from the kernelspec (nbclient). There
may then be no server: what the environment says about one is left as it is.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from urllib.parse import quote

from jupyter_client.provisioning.local_provisioner import LocalProvisioner
from traitlets.config import Application

from flowcat_jupyter.kernel.server import loopback_for
from flowcat_jupyter.kernel.tokens import kernel_tokens

_CREDENTIAL = re.compile(
    r"(JUPYTER|JUPYTERHUB|JPY)_(\w+_)?(TOKEN|SECRET|PASSWORD|CRYPT_KEY)|CONFIGPROXY_AUTH_TOKEN"
)


class FlowcatProvisioner(LocalProvisioner):
    """A local kernel that gets ``FLOWCAT_URL``, ``FLOWCAT_TOKEN`` and ``FLOWCAT_KERNEL_ID``.

    The Jupyter server's and JupyterHub's own credentials do not reach it, except those named in
    ``kernel_keep_env``. This is hygiene, not a wall: the kernel runs as the same system user.
    """

    async def pre_launch(self, **kwargs: Any) -> dict[str, Any]:
        """Prepare the kernel's environment; the token is the same again on a restart."""
        kwargs = await super().pre_launch(**kwargs)
        kernel_id = str(self.kernel_id)
        env = without_credentials(kwargs["env"], kernel_tokens.keep_env)
        env["FLOWCAT_KERNEL_ID"] = kernel_id
        server = find_server_app(self.parent)
        if server is not None:
            env.pop("FLOWCAT_CA_FILE", None)
            env |= address(server) | {"FLOWCAT_TOKEN": kernel_tokens.issue(kernel_id)}
        kwargs["env"] = env
        return kwargs

    async def cleanup(self, restart: bool = False) -> None:
        """Revoke the token, unless the kernel is about to come back."""
        await super().cleanup(restart=restart)
        if not restart:
            kernel_tokens.revoke(str(self.kernel_id))


def without_credentials(env: dict[str, str], keep: frozenset[str]) -> dict[str, str]:
    """``env`` without what would let a kernel act as the Jupyter server or towards the Hub."""
    return {
        name: value
        for name, value in env.items()
        if name in keep or not _CREDENTIAL.fullmatch(name)
    }


def find_server_app(parent: Any) -> Any | None:
    """The running Jupyter server among the parents of a kernel manager, or of this process.

    It is known by what it offers, not by its class: nothing here may import the server.
    """
    while parent is not None:
        if _is_server(parent):
            return parent
        parent = getattr(parent, "parent", None)
    if Application.initialized() and _is_server(Application.instance()):
        return Application.instance()
    return None


def _is_server(candidate: Any) -> bool:
    return all(hasattr(candidate, name) for name in ("base_url", "port", "sock", "web_app"))


def address(server: Any) -> dict[str, str]:
    """The variables that tell a kernel where the server is and which certificate is its own."""
    env = {"FLOWCAT_URL": server_url(server)}
    if server.certfile:
        env["FLOWCAT_CA_FILE"] = str(Path(server.certfile).resolve())
    return env


def server_url(server: Any) -> str:
    """Where a kernel on the server's own machine reaches Flowcat; ends with a slash.

    ``http+unix://`` with the percent-encoded socket's path when the server listens on a socket.
    """
    path = f"{server.base_url.rstrip('/')}/flowcat/"
    if server.sock:
        return f"http+unix://{quote(server.sock, safe='')}{path}"
    scheme = "https" if server.certfile else "http"
    return f"{scheme}://{loopback_for(server.ip)}:{server.port}{path}"
