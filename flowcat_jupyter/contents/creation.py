"""New notebooks, copies and free names, whatever the manager keeps them in."""

from __future__ import annotations

import itertools
import re
from typing import Any

from jupyter_core.utils import ensure_async
from tornado.web import HTTPError

from flowcat_jupyter.contents import models
from flowcat_jupyter.contents.layer import Layer, Method
from flowcat_jupyter.documents import notebook as codec
from flowcat_jupyter.documents.identity import copied

KERNEL = "flowcat"

_COPY = re.compile(r"-Copy\d*\Z")


async def increment_filename(
    manager: Any, layer: Layer, filename: str, path: str = "", insert: str = ""
) -> str:
    """A free name in ``path``; the number goes before the whole suffix."""
    if not models.is_ours(filename):
        return str(await ensure_async(layer.nearest.increment_filename(filename, path, insert)))
    base, folder = filename.removesuffix(codec.SUFFIX), path.strip("/")
    for number in itertools.count():
        name = f"{base}{insert}{number or ''}{codec.SUFFIX}" if number else filename
        if not await ensure_async(manager.exists(f"{folder}/{name}")):
            return name
    raise HTTPError(409, "No free name was found")


async def new_untitled(
    manager: Any, layer: Layer, path: str = "", type: str = "", ext: str = ""
) -> Any:
    """A new file; with our suffix as ``ext`` it is a notebook, whatever ``type`` says."""
    if f".{ext.lstrip('.')}" != codec.SUFFIX:
        return await ensure_async(layer.nearest.new_untitled(path=path, type=type, ext=ext))
    folder = path.strip("/")
    if not await ensure_async(manager.dir_exists(folder)):
        raise HTTPError(404, f"No such directory: {folder}")
    wanted = f"{manager.untitled_notebook}{codec.SUFFIX}"
    name = await ensure_async(manager.increment_filename(wanted, folder))
    return await ensure_async(manager.new({"type": "notebook"}, f"{folder}/{name}"))


async def new(
    manager: Any, layer: Layer, model: dict[str, Any] | None = None, path: str = ""
) -> Any:
    """A new file of this name; a notebook without content begins empty."""
    model = dict(model or {})
    if not models.is_ours(path, model.get("type")):
        return await ensure_async(layer.nearest.new(model, path))
    model.update(type="notebook", format="json")
    if model.get("content") is None:
        model["content"] = models.empty(_kernel(manager))
    return await ensure_async(manager.save(model, path.strip("/")))


def _kernel(manager: Any) -> dict[str, str] | None:
    """Our own kernel where it is installed; elsewhere the user chooses one."""
    specs = getattr(getattr(manager, "parent", None), "kernel_spec_manager", None)
    known = specs.find_kernel_specs() if specs is not None else ()
    return codec.kernelspec(KERNEL) if KERNEL in known else None


async def copy(manager: Any, layer: Layer, from_path: str, to_path: str | None = None) -> Any:
    """A copy under a new uuid with new cell ids; that of a damaged file is its bytes."""
    source = from_path.strip("/")
    is_wanted = models.is_ours(source) or await _is_new(manager, (to_path or "").strip("/"))
    model = await ensure_async(manager.get(source)) if is_wanted else {}
    if model.get("type") != "notebook":
        return await ensure_async(layer.nearest.copy(from_path, to_path))
    target = await _target(manager, source, to_path)
    if models.damage(model["content"]):
        model = await ensure_async(manager.get(source, type="file"))
    elif models.is_ours(target):
        names = {"old_name": models.stem(source), "new_name": models.stem(target)}
        model["content"] = models.node(copied(model["content"], **names))
    kept = {key: model[key] for key in ("type", "format", "content")}
    saved = await ensure_async(manager.save(kept, target))
    manager.emit(data={"action": "copy", "path": target, "source_path": from_path})
    return saved


async def _is_new(manager: Any, path: str) -> bool:
    """Whether a copy is to be a notebook as YAML of this name."""
    return models.is_ours(path) and not await ensure_async(manager.dir_exists(path))


async def _target(manager: Any, source: str, to_path: str | None) -> str:
    """Where a copy goes: into a folder under a free name, or under the very name asked for."""
    folder, _, name = source.rpartition("/")
    target = folder if to_path is None else to_path.strip("/")
    if await ensure_async(manager.dir_exists(target)):
        plain = _COPY.sub("", name.removesuffix(codec.SUFFIX)) + codec.SUFFIX
        free = await ensure_async(manager.increment_filename(plain, target, insert="-Copy"))
        return f"{target}/{free}".strip("/")
    parent = target.rpartition("/")[0]
    if not await ensure_async(manager.dir_exists(parent)):
        raise HTTPError(404, f"No such directory: {parent}")
    return target


WAITING: dict[str, Method] = {
    "increment_filename": increment_filename,
    "new_untitled": new_untitled,
    "new": new,
    "copy": copy,
}
