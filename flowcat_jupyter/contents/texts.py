"""Notebooks as YAML in any other manager: read from and saved as the text files it keeps.

Outputs are not kept there: such a manager has no place beside a file.
"""

from __future__ import annotations

from typing import Any

from jupyter_core.utils import ensure_async

from flowcat_jupyter.contents import creation, models
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


WAITING: dict[str, Method] = {**creation.WAITING, "get": get, "save": save}
