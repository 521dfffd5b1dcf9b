"""Notebooks as YAML in managers that keep files on a disk.

Listing, hashes (over the YAML's bytes), atomic writes, hooks, events and checkpoints are the
manager's own; only reading and writing a notebook are replaced.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jupyter_core.utils import ensure_async
from jupyter_server.services.contents import fileio

from flowcat_jupyter.contents import creation, kinds, models, renaming
from flowcat_jupyter.contents.layer import Layer, Method
from flowcat_jupyter.documents import notebook as codec
from flowcat_jupyter.documents import outputs
from flowcat_jupyter.documents.identity import copied, with_ids
from flowcat_jupyter.documents.whole import can_replace, replace_whole

_fileio: Any = fileio


def _is_ours(manager: Any, path: str, kind: str | None) -> bool:
    return models.is_ours(path, kind) and not Path(manager._get_os_path(path.strip("/"))).is_dir()


async def get(
    manager: Any,
    layer: Layer,
    path: str,
    content: bool = True,
    type: str | None = None,
    format: str | None = None,
    require_hash: bool = False,
) -> Any:
    """The model of a file; ours are notebooks unless asked for as files."""
    options: dict[str, Any] = {"require_hash": require_hash} if require_hash else {}
    if not _is_ours(manager, path, type):
        found = layer.nearest.get(path, content=content, type=type, format=format, **options)
        return await ensure_async(found)
    found = layer.below.get(path, content=content, type="notebook", format=format, **options)
    return models.protected(await ensure_async(found))


async def save(manager: Any, layer: Layer, model: dict[str, Any], path: str = "") -> Any:
    """Save a model; a damaged notebook is written over by text only."""
    kind = model.get("type")
    if kind != "notebook" or "content" not in model or not _is_ours(manager, path, kind):
        return await ensure_async(layer.nearest.save(model, path))
    os_path = manager._get_os_path(path.strip("/"))
    existing = await _bytes(manager, os_path) if _is_file(os_path) else None
    content = await layer.aside(models.prepared, model["content"], path, existing, kinds.read)
    return await ensure_async(layer.below.save({**model, "content": content}, path))


def _is_file(os_path: str) -> bool:
    return Path(os_path).is_file()


async def _bytes(manager: Any, os_path: str) -> bytes:
    return bytes((await ensure_async(manager._read_file(os_path, "byte")))[0])


async def read_notebook(
    manager: Any,
    layer: Layer,
    os_path: str,
    as_version: int = 4,
    capture_validation_error: dict[str, Any] | None = None,
    raw: bool = False,
) -> Any:
    """The notebook at a place on disk, and its bytes if ``raw``."""
    if not codec.is_notebook(Path(os_path).name):
        return await ensure_async(
            layer.nearest._read_notebook(os_path, as_version, capture_validation_error, raw=raw)
        )
    data = await _bytes(manager, os_path)
    result = await layer.aside(kinds.read_at, Path(os_path), data)
    if isinstance(result, codec.Damaged):
        rescued = await _rescued(manager, os_path)
        data, result = rescued or (data, result)
    if isinstance(result, codec.Damaged):
        manager.log.warning("%s is damaged: %s", os_path, result.reason)
        notebook = models.node(models.placeholder(result))
    else:
        for warning in result.warnings:
            manager.log.warning("%s: %s", os_path, warning)
        notebook = models.node(result.notebook)
    models.validate(notebook, capture_validation_error)
    return (notebook, data) if raw else notebook


async def _rescued(manager: Any, os_path: str) -> tuple[bytes, codec.Loaded] | None:
    """What an interrupted write left of the file before it; the torn one is put aside."""
    spare = _fileio.path_to_intermediate(os_path)
    if not manager.use_atomic_writing or not _is_file(spare):
        return None
    data = await _bytes(manager, spare)
    result = kinds.read_at(Path(os_path), data)
    if isinstance(result, codec.Damaged):
        return None
    _fileio.replace_file(os_path, _fileio.path_to_invalid(os_path))
    _fileio.replace_file(spare, os_path)
    manager.log.warning("%s was torn and is restored as it was before the last save", os_path)
    return data, result


async def save_notebook(
    manager: Any,
    layer: Layer,
    os_path: str,
    nb: Mapping[str, Any],
    capture_validation_error: dict[str, Any] | None = None,
) -> Any:
    """Write a notebook, then its outputs beside it.

    A file that would not change is left alone, so that its time stays what it was.
    """
    place = Path(os_path)
    if not codec.is_notebook(place.name):
        return await ensure_async(
            layer.nearest._save_notebook(os_path, nb, capture_validation_error)
        )
    text, reread = await layer.aside(models.encoded, nb, place.name)
    models.validate(models.node(reread), capture_validation_error)
    _write(manager, place, text.encode(), with_ids(nb, reread))
    return None


def _write(manager: Any, place: Path, data: bytes, nb: Mapping[str, Any]) -> None:
    """Write without ever yielding to a reader, who would see half a file."""
    if not place.is_file() or place.read_bytes() != data:
        _write_bytes(manager, place, data)
    try:
        outputs.store(place, outputs.dumps(nb))
    except OSError as error:
        manager.log.warning("The outputs of %s could not be kept: %s", place, error)


def _write_bytes(manager: Any, place: Path, data: bytes) -> None:
    if manager.use_atomic_writing and can_replace(place):
        # The manager's own way writes into the file: one cut short may read as a whole notebook.
        replace_whole(place, data)
        return
    with manager.atomic_writing(str(place), text=False) as file:
        file.write(data)


async def copy(manager: Any, layer: Layer, from_path: str, to_path: str | None = None) -> Any:
    """A copy of a file or folder; every notebook in it gets a uuid and cell ids of its own."""
    model = await creation.copy(manager, layer, from_path, to_path)
    if model["type"] == "directory":
        await layer.aside(_renew, manager, Path(manager._get_os_path(model["path"].strip("/"))))
    return model


def _renew(manager: Any, folder: Path) -> None:
    for place in folder.rglob(f"*{codec.SUFFIX}"):
        result = codec.reads(place.read_bytes()) if place.is_file() else None
        if isinstance(result, codec.Loaded):
            kept = outputs.load(place, result.notebook)
            name = models.stem(place.name)
            fresh = copied(kept, old_name=name, new_name=name)
            _write(manager, place, codec.writes(fresh).encode(), fresh)


async def rename_file(manager: Any, layer: Layer, old_path: str, new_path: str) -> None:
    """Rename a file; a notebook becomes one of the kind its new name says.

    Outputs go along under any name: a browser that writes over a file renames by way of one that
    is no notebook's.
    """
    old, new = old_path.strip("/"), new_path.strip("/")
    if await renaming.convert(manager, layer, old, new):
        return
    source, target = (Path(manager._get_os_path(path)) for path in (old, new))
    is_file = old != new and source.is_file()
    await ensure_async(layer.nearest.rename_file(old_path, new_path))
    if not is_file:
        return
    try:
        outputs.move(source, target)
    except OSError as error:
        manager.log.warning("The outputs of %s could not be moved: %s", old, error)


async def delete_file(manager: Any, layer: Layer, path: str) -> None:
    """Delete a file, and the outputs that are kept beside it."""
    os_path = manager._get_os_path(path.strip("/"))
    is_file = _is_file(os_path)
    await ensure_async(layer.nearest.delete_file(path))
    if not is_file:
        return
    try:
        outputs.remove(Path(os_path))
    except OSError as error:
        manager.log.warning("The outputs of %s could not be deleted: %s", path, error)


def check_and_sign(manager: Any, layer: Layer, nb: Any, path: str = "", **options: Any) -> None:
    """Sign a trusted notebook in the form in which it will be read again."""
    if not models.is_ours(path):
        layer.nearest.check_and_sign(nb, path, **options)
    elif models.damage(nb) or not models.is_signable(nb):
        manager.log.warning("Notebook %s is not trusted", path)
    else:
        _, reread = models.encoded(nb, path)
        layer.nearest.check_and_sign(models.with_outputs(reread, nb), path, **options)


def mark_trusted_cells(manager: Any, layer: Layer, nb: Any, path: str = "") -> None:
    """Mark cells as trusted if the notary knows the notebook."""
    if models.is_ours(path) and not models.is_signable(nb):
        manager.notary.mark_cells(nb, False)
    else:
        layer.nearest.mark_trusted_cells(nb, path)


WAITING: dict[str, Method] = {
    **creation.WAITING,
    "get": get,
    "save": save,
    "_read_notebook": read_notebook,
    "_save_notebook": save_notebook,
    "copy": copy,
    "rename_file": rename_file,
    "rename": renaming.rename,
    "update": renaming.update,
    "delete_file": delete_file,
}
PLAIN = {"check_and_sign": check_and_sign, "mark_trusted_cells": mark_trusted_cells}
