"""A real Jupyter Server that opens notebooks as YAML.

The server's fixtures are taken one by one instead of as a plugin: the plugin's automatic ones
would start a server beside every test of the project.
"""

from __future__ import annotations

import asyncio
import json
import sys
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from jupyter_server.extension.application import ExtensionApp
from pytest_jupyter.jupyter_server import (  # noqa: F401
    echo_kernel_spec,
    http_server,
    http_server_client,
    http_server_port,
    jp_argv,
    jp_asyncio_loop,
    jp_auth_header,
    jp_base_url,
    jp_config_dir,
    jp_configurable_serverapp,
    jp_data_dir,
    jp_env_config_path,
    jp_env_jupyter_path,
    jp_environ,
    jp_fetch,
    jp_home_dir,
    jp_http_port,
    jp_kernel_dir,
    jp_logging_stream,
    jp_nbconvert_templates,
    jp_root_dir,
    jp_runtime_dir,
    jp_server_cleanup,
    jp_serverapp,
    jp_system_config_path,
    jp_system_jupyter_path,
    jp_web_app,
)
from tornado.httpclient import HTTPClientError

from flowcat_jupyter.contents import bridge

SYNC = "jupyter_server.services.contents.largefilemanager.LargeFileManager"
ASYNC = "jupyter_server.services.contents.largefilemanager.AsyncLargeFileManager"


@dataclass
class Reply:
    """An answer of the server."""

    code: int
    body: bytes
    headers: Any

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Server:
    """Calls the server as a browser would, and looks at its folder as a shell would."""

    def __init__(self, app: Any, fetch: Any, loop: asyncio.AbstractEventLoop, root: Path) -> None:
        self.app = app
        self.root = root
        self._fetch = fetch
        self._loop = loop

    def call(self, method: str, path: str, body: Any = None, **params: Any) -> Reply:
        text = None if body is None else json.dumps(body)
        if method in ("PUT", "PATCH", "POST") and text is None:
            text = ""
        try:
            found = self._loop.run_until_complete(
                self._fetch(path, method=method, body=text, params=params)
            )
        except HTTPClientError as error:
            assert error.response is not None
            found = error.response
        return Reply(found.code, found.body or b"", found.headers)

    def contents(self, method: str, path: str, body: Any = None, **params: Any) -> Reply:
        return self.call(method, f"api/contents/{path}", body, **params)

    def get(self, path: str, **params: Any) -> Any:
        reply = self.contents("GET", path, **params)
        assert reply.code == 200, reply.body
        return reply.json

    def save(self, path: str, notebook: Any) -> Reply:
        return self.contents(
            "PUT", path, {"type": "notebook", "format": "json", "content": notebook}
        )

    def file(self, path: str) -> Path:
        return self.root / path


@pytest.fixture
def extensions() -> dict[str, bool]:
    """More server extensions to enable."""
    return {}


@pytest.fixture
def jp_server_config(extensions: dict[str, bool], monkeypatch: pytest.MonkeyPatch) -> Any:
    """One extension installs the bridge when it is linked; another is linked after it."""

    class Later(ExtensionApp):
        name = "later"

    link = types.ModuleType("flowcat_link")
    vars(link).update(
        _jupyter_server_extension_points=lambda: [{"module": "flowcat_link"}],
        _link_jupyter_server_extension=bridge.install,
        _load_jupyter_server_extension=lambda _app: None,
    )
    later = types.ModuleType("zz_later")
    vars(later).update(
        _jupyter_server_extension_points=lambda: [{"module": "zz_later", "app": Later}]
    )
    for module in (link, later):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    enabled = {"flowcat_link": True, "zz_later": True, **extensions}
    return {
        "ServerApp": {"jpserver_extensions": enabled, "reraise_server_extension_failures": True},
        "FileContentsManager": {"delete_to_trash": False},
        "AsyncFileContentsManager": {"delete_to_trash": False},
    }


@pytest.fixture
def server(jp_serverapp: Any, jp_fetch: Any, jp_asyncio_loop: Any, jp_root_dir: Path) -> Server:  # noqa: F811
    return Server(jp_serverapp, jp_fetch, jp_asyncio_loop, jp_root_dir)


@pytest.fixture
def put(server: Server) -> Iterator[Callable[[str, str], Path]]:
    """Writes a file into the server's folder."""

    def write(path: str, text: str) -> Path:
        target = server.file(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")
        return target

    yield write
