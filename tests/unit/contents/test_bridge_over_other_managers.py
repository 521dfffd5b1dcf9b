"""The bridge over managers that keep no files, and how it is put in place."""

from __future__ import annotations

import asyncio
import datetime
import inspect
import json
from typing import Any

import pytest
from jupyter_server.services.contents.checkpoints import AsyncCheckpoints, Checkpoints
from jupyter_server.services.contents.filemanager import AsyncFileContentsManager
from jupyter_server.services.contents.largefilemanager import (
    AsyncLargeFileManager,
    LargeFileManager,
)
from jupyter_server.services.contents.manager import AsyncContentsManager, ContentsManager
from tornado.web import HTTPError
from traitlets import HasTraits, Type

from flowcat_jupyter.contents import bridge as bridging
from flowcat_jupyter.contents import files, texts
from flowcat_jupyter.contents.bridge import bridge, install
from flowcat_jupyter.contents.layer import at_once

TEXT = """\
notebook_format: 1
notebook_uuid: 6f0c6f5e-0b52-4a0c-9a39-2f0c1d3f6a10
name: a
description: null
default_kernel_id: null
namespace: null
metadata: {}
cells:
- id: a1
  type: sql
  metadata: {}
  source: SELECT 1
"""


class Memory(ContentsManager):
    """Keeps texts in a dictionary; knows neither a disk nor hashes."""

    checkpoints_class = Type(Checkpoints)

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.texts: dict[str, str] = {}

    def dir_exists(self, path: str) -> bool:
        return path.strip("/") in ("", "in")

    def is_hidden(self, path: str) -> bool:
        return False

    def file_exists(self, path: str) -> bool:
        return path.strip("/") in self.texts

    def get(
        self,
        path: str,
        content: Any = True,
        type: Any = None,
        format: Any = None,
        require_hash: Any = False,
    ) -> dict[str, Any]:
        assert not require_hash
        path = path.strip("/")
        if path not in self.texts:
            raise HTTPError(404)
        assert type in (None, "file")
        now = datetime.datetime.now(datetime.UTC)
        model = {"name": path, "path": path, "type": "file", "writable": True, "created": now,
                 "last_modified": now, "mimetype": "text/plain" if content else None}  # fmt: skip
        kept = (self.texts[path], "text") if content else (None, None)
        return {**model, "content": kept[0], "format": kept[1]}

    def save(self, model: dict[str, Any], path: str = "") -> dict[str, Any]:
        assert model["type"] == "file"
        self.texts[path.strip("/")] = model["content"]
        return self.get(path, content=False)

    def delete_file(self, path: str) -> None:
        del self.texts[path.strip("/")]

    def rename_file(self, old_path: str, new_path: str) -> None:
        self.texts[new_path] = self.texts.pop(old_path)


class Waiting(Memory, AsyncContentsManager):  # type: ignore[misc]
    """The same, but its methods have to be awaited."""

    checkpoints_class = Type(AsyncCheckpoints)
    increment_filename = AsyncContentsManager.increment_filename
    new_untitled = AsyncContentsManager.new_untitled
    new = AsyncContentsManager.new
    copy = AsyncContentsManager.copy

    async def dir_exists(self, path: str) -> bool:  # type: ignore[override]
        return Memory.dir_exists(self, path)

    async def file_exists(self, path: str) -> bool:  # type: ignore[override]
        return Memory.file_exists(self, path)

    async def exists(self, path: str) -> bool:
        return await self.file_exists(path) or await self.dir_exists(path)

    async def delete_file(self, path: str) -> None:  # type: ignore[override]
        Memory.delete_file(self, path)

    async def rename_file(self, old_path: str, new_path: str) -> None:  # type: ignore[override]
        Memory.rename_file(self, old_path, new_path)

    async def get(self, path: str, **options: Any) -> dict[str, Any]:  # type: ignore[override]
        await asyncio.sleep(0)
        return Memory.get(self, path, **options)

    async def save(self, model: dict[str, Any], path: str = "") -> dict[str, Any]:  # type: ignore[override]
        await asyncio.sleep(0)
        assert model["type"] == "file"
        self.texts[path.strip("/")] = model["content"]
        return await self.get(path, content=False)


@pytest.fixture(params=[Memory, Waiting], ids=["at once", "waiting"])
def manager(request: Any) -> Any:
    made: Any = bridge(request.param)
    return made()


def do(found: Any) -> Any:
    """The result of a method of either kind of manager."""

    async def wait() -> Any:
        return await found

    return asyncio.run(wait()) if inspect.isawaitable(found) else found


def test_a_text_manager_opens_saves_copies_and_makes_notebooks(manager: Any) -> None:
    manager.texts["a.notebook.yaml"] = TEXT
    model = do(manager.get("a.notebook.yaml"))
    assert (model["type"], model["format"]) == ("notebook", "json")
    assert model["content"]["cells"][0]["source"] == "%%catalog_sql\nSELECT 1"
    assert do(manager.get("a.notebook.yaml", content=False))["type"] == "notebook"
    assert do(manager.get("a.notebook.yaml", type="file"))["content"] == TEXT
    model["content"]["cells"][0]["source"] = "%%catalog_sql\nSELECT 2"
    saved = do(manager.save({"type": "notebook", "content": model["content"]}, "a.notebook.yaml"))
    assert saved["type"] == "notebook"
    assert manager.texts["a.notebook.yaml"] == TEXT.replace("SELECT 1", "SELECT 2")
    assert do(manager.copy("a.notebook.yaml", "in"))["path"] == "in/a.notebook.yaml"
    assert do(manager.new_untitled("in", ext=".notebook.yaml"))["name"].endswith(
        "Untitled.notebook.yaml"
    )


def test_a_damaged_text_is_read_only_and_kept(manager: Any) -> None:
    manager.texts["a.notebook.yaml"] = torn = TEXT[:50]
    model = do(manager.get("a.notebook.yaml"))
    assert model["writable"] is False
    with pytest.raises(HTTPError) as caught:
        do(manager.save({"type": "notebook", "content": model["content"]}, "a.notebook.yaml"))
    assert caught.value.status_code == 409
    assert manager.texts == {"a.notebook.yaml": torn}


def notebook_json(outputs: list[Any]) -> str:
    cell: Any = {"id": "a1", "cell_type": "code", "metadata": {}, "execution_count": None,
            "source": "%%catalog_sql\nSELECT 1", "outputs": outputs}  # fmt: skip
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [cell]})


def test_a_notebook_renamed_to_ours_is_converted(manager: Any) -> None:
    manager.texts["a.ipynb"] = notebook_json([])
    do(manager.rename_file("a.ipynb", "b.notebook.yaml"))
    assert list(manager.texts) == ["b.notebook.yaml"]
    assert manager.texts["b.notebook.yaml"].endswith(TEXT[TEXT.index("- id: a1") :])
    do(manager.rename_file("b.notebook.yaml", "c.notebook.yaml"))
    assert list(manager.texts) == ["c.notebook.yaml"]


def test_a_rename_that_would_lose_something_is_refused(manager: Any) -> None:
    stream = {"output_type": "stream", "name": "stdout", "text": "1"}
    texts = {"a.ipynb": notebook_json([stream]), "torn.ipynb": "{", "b.notebook.yaml": TEXT}
    manager.texts.update(texts)
    for old, new, code in (("a.ipynb", "x.notebook.yaml", 400), ("a.ipynb", "b.notebook.yaml", 409),
                           ("torn.ipynb", "x.notebook.yaml", 400)):  # fmt: skip
        with pytest.raises(HTTPError) as caught:
            do(manager.rename_file(old, new))
        assert caught.value.status_code == code
    assert manager.texts == texts


def test_other_files_pass_through(manager: Any) -> None:
    manager.texts["a.txt"] = "hello"
    assert do(manager.get("a.txt"))["content"] == "hello"
    do(manager.save({"type": "file", "format": "text", "content": "b"}, "a.txt"))
    assert manager.texts == {"a.txt": "b"}
    assert do(manager.increment_filename("a.txt", insert="-")) == "a-1.txt"


def test_a_class_is_wrapped_once_and_always_the_same_way() -> None:
    wrapped = bridge(AsyncFileContentsManager)
    assert bridge(AsyncFileContentsManager) is wrapped
    assert bridge(wrapped) is wrapped
    assert issubclass(wrapped, AsyncFileContentsManager)
    assert inspect.iscoroutinefunction(wrapped.get)
    assert not inspect.iscoroutinefunction(bridge(LargeFileManager).get)
    assert "require_hash" in inspect.signature(wrapped.get).parameters


class FakeServer(HasTraits):
    """The two traits of a server that the bridge looks at."""

    contents_manager_class = Type(AsyncLargeFileManager, klass=ContentsManager)
    jpserver_extensions: dict[str, bool] = {}  # noqa: RUF012


def test_setting_the_class_again_wraps_it_again() -> None:
    app = FakeServer()
    install(app)
    first = app.contents_manager_class
    assert first is bridge(AsyncLargeFileManager)
    app.contents_manager_class = AsyncLargeFileManager
    assert app.contents_manager_class is first
    app.contents_manager_class = LargeFileManager
    assert app.contents_manager_class is bridge(LargeFileManager)


def test_work_that_really_waits_is_not_cut_short_in_silence() -> None:
    with pytest.raises(RuntimeError, match="made to wait"):
        at_once(asyncio.sleep(0))


def test_the_bridge_names_every_method_that_the_layers_have():
    assert set(files.WAITING) == {*bridging.CREATING, *bridging.READING}
    assert set(files.PLAIN) == set(bridging.TRUSTING)
    assert set(texts.WAITING) == set(bridging.TEXTUAL)
