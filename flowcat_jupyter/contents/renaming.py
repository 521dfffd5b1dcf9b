"""Renaming a notebook from one kind to the other, which converts it.

The new file is whole on the disk before the old one goes: whatever dies between leaves a good one.
"""

from __future__ import annotations

import inspect
import os
from pathlib import Path
from typing import Any

from jupyter_core.utils import ensure_async
from jupyter_server.services.contents.checkpoints import GenericCheckpointsMixin
from jupyter_server.services.contents.filecheckpoints import FileCheckpoints
from tornado.web import HTTPError

from flowcat_jupyter.contents import kinds, models
from flowcat_jupyter.contents.layer import Layer
from flowcat_jupyter.documents import outputs
from flowcat_jupyter.documents.whole import replace_whole


async def update(manager: Any, layer: Layer, model: dict[str, Any], path: str) -> Any:
    """Rename a file as its model says.

    A notebook's answer holds its hash: who has it open would otherwise take the one converted
    for somebody else's change.
    """
    old, new = path.strip("/"), str(model.get("path", path)).strip("/")
    found = await ensure_async(layer.nearest.update(model, path))
    can_hash = "require_hash" in inspect.signature(manager.get).parameters
    if old == new or found["type"] != "notebook" or not can_hash:
        return found
    return await ensure_async(manager.get(new, content=False, require_hash=True))


async def rename(manager: Any, layer: Layer, old_path: str, new_path: str) -> None:
    """Rename a file and its checkpoints, which are notebooks of the file's kind."""
    old, new = old_path.strip("/"), new_path.strip("/")
    await ensure_async(layer.nearest.rename(old_path, new_path))
    checkpoints: Any = manager.checkpoints
    if kinds.kind(new) in (None, kinds.kind(old)) or not _are_files(checkpoints):
        return
    for found in await ensure_async(checkpoints.list_checkpoints(new)):
        place = Path(checkpoints.checkpoint_path(found["id"], new))
        try:
            await layer.aside(_convert_checkpoint, place, Path(manager._get_os_path(new)))
        except (OSError, HTTPError) as error:
            manager.log.warning("A checkpoint of %s is as it was before: %s", new, error)


def _are_files(checkpoints: Any) -> bool:
    """Whether checkpoints are copies of files; others have a form of their own for notebooks."""
    generic = isinstance(checkpoints, GenericCheckpointsMixin)
    return isinstance(checkpoints, FileCheckpoints) and not generic


def _convert_checkpoint(place: Path, notebook: Path) -> None:
    """Convert in place; the time stays that at which the checkpoint was made."""
    found = place.stat()
    data = kinds.made_checkpoint(place.read_bytes(), notebook, notebook.read_bytes())
    if data is not None:
        replace_whole(place, data)
        os.utime(place, ns=(found.st_atime_ns, found.st_mtime_ns))


async def convert(manager: Any, layer: Layer, old: str, new: str) -> bool:
    """Rename a notebook to a name of the other kind; False: that is not what is asked.

    The content counts where the old name is of neither kind: a browser that writes over a file
    renames by way of such a name.

    :raises HTTPError: 400 when it cannot be converted whole, 403, 404 or 409 when the new file
        cannot be written; nothing is changed then.
    """
    source, target = (Path(manager._get_os_path(path)) for path in (old, new))
    if kinds.kind(new) in (None, kinds.kind(old)) or not source.is_file():
        return False
    with manager.perm_to_403(str(source)):
        data = await layer.aside(source.read_bytes)
    if kinds.kind(old) is None and kinds.held(data) in (None, kinds.kind(new)):
        return False
    await _check(manager, old, new, target)
    made = await layer.aside(kinds.made, source, target, data)
    while (now := source.read_bytes()) != data:
        # It was saved meanwhile.
        data = now
        made = await layer.aside(kinds.made, source, target, data)
    _sign(manager, made, old, new)
    _check_free(target, new)
    _put(manager, source, target, made)
    return True


async def _check(manager: Any, old: str, new: str, target: Path) -> None:
    if not manager.allow_hidden:
        for path in (old, new):
            if await ensure_async(manager.is_hidden(path)):
                raise HTTPError(400, f"Cannot rename file or directory {old!r}")
    _check_free(target, new)


def _check_free(target: Path, new: str) -> None:
    if os.path.lexists(target):
        raise HTTPError(409, f"File already exists: {new}")
    if not target.parent.is_dir():
        raise HTTPError(404, f"No such directory: {new.rpartition('/')[0]}")


def _sign(manager: Any, made: kinds.Made, old: str, new: str) -> None:
    """A notebook that is trusted is so under its new name."""
    if models.is_signable(made.before):
        manager.mark_trusted_cells(made.before, old)
        manager.check_and_sign(models.node(made.after), new)


def _put(manager: Any, source: Path, target: Path, made: kinds.Made) -> None:
    """Write the new file and remove the old one, without ever yielding to one who saves."""
    try:
        with manager.perm_to_403(str(target)):
            _put_outputs(target, made.kept)
            replace_whole(target, made.data, like=source)
        with manager.perm_to_403(str(source)):
            source.unlink()
    except (OSError, HTTPError) as error:
        target.unlink(missing_ok=True)
        outputs.remove(target)
        if isinstance(error, HTTPError):
            raise
        why = error.strerror or error
        raise HTTPError(500, f"{source.name} was not renamed: {why}") from error
    try:
        outputs.remove(source)
    except OSError as error:
        manager.log.warning("The outputs of %s could not be deleted: %s", source, error)


def _put_outputs(target: Path, kept: str | None) -> None:
    outputs.store(target, kept)
    if kept is None:
        return
    place = outputs.sidecar(target)
    if not place.is_file() or place.read_text("utf-8") != kept:
        raise HTTPError(
            403,
            f"The outputs cannot be kept beside {target.name}: {outputs.FOLDER} is a link. "
            "Remove it, or clear the outputs.",
        )
    for part in (place, place.parent):
        _sync(part)


def _sync(place: Path) -> None:
    descriptor = os.open(place, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
