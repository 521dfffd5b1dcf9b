"""Finds the Flowcat server a kernel belongs to."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import quote

from flowcat_jupyter.shared.errors import Unavailable


@dataclass(frozen=True)
class Server:
    """Where a server is (``url`` ends in ``flowcat/``) and what opens it.

    ``ca_file`` is the one certificate to trust when the server made its own.
    """

    url: str
    token: str | None = field(default=None, repr=False)
    ca_file: str | None = None


def find_server(env: Mapping[str, str] | None = None, runtime_dir: Path | None = None) -> Server:
    """The server named by ``FLOWCAT_URL`` and ``FLOWCAT_TOKEN``, else the one this kernel runs in.

    The latter is the process in ``JPY_PARENT_PID``; Jupyter writes its address and token to a
    file that only its user may read.

    :raises Unavailable: neither is there.
    """
    known = os.environ if env is None else env
    url = known.get("FLOWCAT_URL")
    if url:
        return Server(
            url.rstrip("/") + "/", known.get("FLOWCAT_TOKEN"), known.get("FLOWCAT_CA_FILE")
        )
    parent = known.get("JPY_PARENT_PID", "")
    info = _server_info(parent, runtime_dir) if parent.isdigit() else None
    if info is None:
        raise Unavailable(
            "This kernel belongs to no running Flowcat server.",
            hint="Set FLOWCAT_URL (http://127.0.0.1:8888/flowcat/) and FLOWCAT_TOKEN, "
            "or open the notebook in JupyterLab.",
        )
    return Server(_url(info), info.get("token") or None)


def _server_info(pid: str, runtime_dir: Path | None) -> dict[str, Any] | None:
    path = (runtime_dir or _jupyter_runtime_dir()) / f"jpserver-{pid}.json"
    try:
        info = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return info if isinstance(info, dict) and "base_url" in info else None


def _jupyter_runtime_dir() -> Path:
    from jupyter_core.paths import jupyter_runtime_dir

    return Path(jupyter_runtime_dir())


def _url(info: dict[str, Any]) -> str:
    path = f"{str(info['base_url']).rstrip('/')}/flowcat/"
    if info.get("sock"):
        return f"http+unix://{quote(str(info['sock']), safe='')}{path}"
    # Its own address may be this machine's public name, which need not resolve here.
    host = loopback_for(str(info.get("hostname", "")))
    scheme = "https" if info.get("secure") else "http"
    return f"{scheme}://{host}:{info['port']}{path}"


def loopback_for(ip: str) -> str:
    """The address to connect to for a server that listens on ``ip``, bracketed if it is IPv6."""
    if ip in ("", "*"):
        return "127.0.0.1"
    if ":" not in ip and not ip.replace(".", "").isdigit():
        return ip
    address = ip_address(ip)
    if address.version == 4:
        return "127.0.0.1" if address.is_unspecified else ip
    return "[::1]" if address.is_unspecified else f"[{ip}]"
