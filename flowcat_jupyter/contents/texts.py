"""Notebooks as YAML in any other manager: read from and saved as the text files it keeps.

Outputs are not kept there: such a manager has no place beside a file.
"""

from __future__ import annotations

from typing import Any

from jupyter_core.utils import ensure_async
from tornado.web import HTTPError

from flowcat_jupyter.contents import creation, kinds, models, renaming
from flowcat_jupyter.contents.layer import Layer, Method
from flowcat_jupyter.documents import notebook as codec


async def get(
    manager: Any,
    layer: Layer,
    path: str,
    content: bool = True,
    type: str | None = None,
    format: str | None = None,
    **options: Any,
) -> Any:
    """The model of a file; ours are notebooks unless asked for as files."""
    if not models.is_ours(path, type) or await ensure_async(manager.dir_exists(path)):
        found = layer.nearest.get(path, content=content, type=type, format=format, **options)
        return await ensure_async(found)
    options = {key: value for key, value in options.items() if value}
    found = layer.below.get(path, content=content, type="file", format="text", **options)
    model = {**await ensure_async(found), "type": "notebook", "mimetype": None}
    if content:
        result = await layer.aside(codec.reads, model["content"])
        damaged = isinstance(result, codec.Damaged)
        read = models.placeholder(result) if damaged else result.notebook
        model.update(content=models.node(read), format="json")
        manager.validate_notebook_model(model)
    return models.protected(model)


async def save(manager: Any, layer: Layer, model: dict[str, Any], path: str = "") -> Any:
    """Save a model; a damaged notebook is written over by text only."""
    if not models.is_ours(path) or model.get("type") != "notebook" or "content" not in model:
        return await ensure_async(layer.nearest.save(model, path))
    existing = None
    if await ensure_async(manager.file_exists(path)):
        held = layer.below.get(path, content=True, type="file", format="text")
        existing = (await ensure_async(held))["content"]
    content = models.prepared(model["content"], path, existing)
    text, _ = models.encoded(content, path)
    saved = layer.below.save({"type": "file", "format": "text", "content": text}, path)
    return {**await ensure_async(saved), "type": "notebook", "mimetype": None}


async def rename_file(manager: Any, layer: Layer, old_path: str, new_path: str) -> None:
    """Rename a file; a notebook becomes one of the kind its new name says.

    The new one is saved before the old one goes.
    """
    old, new = old_path.strip("/"), new_path.strip("/")
    if None in (kinds.kind(old), kinds.kind(new)) or kinds.kind(old) == kinds.kind(new):
        await ensure_async(layer.nearest.rename_file(old_path, new_path))
        return
    if await ensure_async(manager.exists(new)):
        raise HTTPError(409, f"File already exists: {new}")
    notebook = await _notebook(manager, old)
    if models.is_ours(new) and any(cell.get("outputs") for cell in notebook["cells"]):
        raise HTTPError(
            400,
            f"{old} was not renamed: outputs are not kept here beside a notebook as YAML. "
            "Clear them, save, and rename it then.",
        )
    model = {"type": "notebook", "format": "json", "content": notebook}
    await ensure_async(manager.save(model, new))
    await ensure_async(manager.delete_file(old))


async def _notebook(manager: Any, path: str) -> Any:
    """What is to be renamed.

    :raises HTTPError: 400 when it is damaged.
    """
    content = (await ensure_async(manager.get(path)))["content"]
    result = kinds.read(content) if isinstance(content, str) else codec.Loaded(content)
    damage = result.reason if isinstance(result, codec.Damaged) else models.damage(content)
    if isinstance(result, codec.Damaged) or damage:
        raise HTTPError(400, f"{path} was not renamed, because it could not be converted. {damage}")
    return models.node(result.notebook)


WAITING: dict[str, Method] = {
    **creation.WAITING,
    "get": get,
    "save": save,
    "rename_file": rename_file,
    "update": renaming.update,
}
