"""What a notebook's cells printed, beside the file and out of version control.

``report.notebook.yaml`` keeps outputs, execution counts and widget state in
``.flowcat/outputs/report.notebook.yaml.json`` of its folder; ``.flowcat/.gitignore`` keeps that
out of git. An entry belongs to a cell's id *and* the SHA-256 of its source: outputs are never
shown beside code that did not give them, so a file that changed elsewhere loses those of the cells
that changed. Outputs beyond `MAX_BYTES` are replaced by a note. Nothing here makes them trusted.
"""

from __future__ import annotations

import copy
import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from flowcat_jupyter.shared.errors import Invalid

FOLDER = ".flowcat"
FORMAT = 1
MAX_BYTES = 20_000_000


def sidecar(path: Path) -> Path:
    """Where the outputs of the notebook at ``path`` lie."""
    return path.parent / FOLDER / "outputs" / f"{path.name}.json"


def dumps(notebook: Mapping[str, Any], *, max_bytes: int = MAX_BYTES) -> str | None:
    """The outputs of a notebook as JSON, or None when there are none to keep."""
    cells: dict[str, Any] = {}
    room = max_bytes
    for cell in notebook["cells"]:
        entry = _entry(cell)
        if entry is None:
            continue
        size = _size(entry)
        if size > room:
            entry["outputs"] = [_note(size)]
            size = _size(entry)
        room -= size
        cells[str(cell.get("id"))] = entry
    body: dict[str, Any] = {"outputs_format": FORMAT, "cells": cells}
    widgets = notebook.get("metadata", {}).get("widgets")
    if widgets is not None and _size(widgets) <= room:
        body["widgets"] = widgets
    return _json(body) + "\n" if cells or "widgets" in body else None


def _entry(cell: Mapping[str, Any]) -> dict[str, Any] | None:
    outputs, count = cell.get("outputs"), cell.get("execution_count")
    if cell.get("cell_type") != "code" or not (outputs or count is not None):
        return None
    return {
        "source_sha256": _digest(cell["source"]),
        "execution_count": count,
        "outputs": list(outputs or ()),
    }


def _digest(source: Any) -> str:
    text = source if isinstance(source, str) else "".join(source)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _json(value: Any) -> str:
    try:
        return json.dumps(value, sort_keys=True, indent=1)
    except (TypeError, ValueError) as error:
        raise Invalid(f"An output cannot be kept as JSON: {error}.") from error


def _size(value: Any) -> int:
    return len(_json(value))


def _note(size: int) -> dict[str, Any]:
    text = f"These outputs ({size / 1e6:.1f} MB) were too large to keep. Run the cell again.\n"
    return {"output_type": "stream", "name": "stderr", "text": text}


def restore(notebook: Mapping[str, Any], text: str) -> dict[str, Any]:
    """A copy of ``notebook`` with the outputs that belong to its cells as they are now.

    Whatever is malformed is left out: the text may come from anywhere.
    """
    restored = copy.deepcopy(dict(notebook))
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        return restored
    if not isinstance(body, dict) or body.get("outputs_format") != FORMAT:
        return restored
    found = body.get("cells")
    entries: dict[str, Any] = found if isinstance(found, dict) else {}
    for cell in restored["cells"]:
        entry = entries.get(cell.get("id"))
        if cell["cell_type"] == "code" and isinstance(entry, dict):
            _restore_cell(cell, entry)
    if isinstance(body.get("widgets"), dict):
        restored["metadata"]["widgets"] = body["widgets"]
    return restored


def _restore_cell(cell: dict[str, Any], entry: dict[str, Any]) -> None:
    outputs, count = entry.get("outputs"), entry.get("execution_count")
    if entry.get("source_sha256") != _digest(cell["source"]) or not isinstance(outputs, list):
        return
    cell["outputs"] = [output for output in outputs if _is_output(output)]
    cell["execution_count"] = count if type(count) is int and count >= 0 else None


def _is_output(output: Any) -> bool:
    if not isinstance(output, dict):
        return False
    kind = output.get("output_type")
    if kind == "stream":
        return isinstance(output.get("name"), str) and isinstance(output.get("text"), str | list)
    if kind == "error":
        return isinstance(output.get("traceback"), list) and all(
            isinstance(output.get(key), str) for key in ("ename", "evalue")
        )
    return kind in ("display_data", "execute_result") and all(
        isinstance(output.get(key), dict) for key in ("data", "metadata")
    )


def load(path: Path, notebook: Mapping[str, Any]) -> dict[str, Any]:
    """`restore` from the file beside ``path``, if there is one."""
    place = sidecar(path)
    try:
        if not _is_ours(place) or place.stat().st_size > 4 * MAX_BYTES:
            return dict(notebook)
        return restore(notebook, place.read_text("utf-8"))
    except (OSError, UnicodeDecodeError):
        return dict(notebook)


def store(path: Path, text: str | None) -> None:
    """Keep what `dumps` gave beside ``path``; None removes what was kept.

    :raises OSError: the folder cannot be written.
    """
    place = sidecar(path)
    if text is None:
        remove(path)
    elif _is_ours(place):
        _make_folder(place)
        _replace(place, text)


def _is_ours(place: Path) -> bool:
    """Whether nothing on the way is a link, which a cloned repository could aim anywhere."""
    return not any(part.is_symlink() for part in (place, place.parent, place.parent.parent))


def _make_folder(place: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    ignore = place.parent.parent / ".gitignore"
    if not ignore.exists():
        ignore.write_text("*\n", "utf-8")


def _replace(place: Path, text: str) -> None:
    if place.exists() and place.read_bytes() == text.encode():
        return
    part = place.with_name(f"{place.name}.{os.getpid()}.part")
    part.write_text(text, "utf-8")
    part.replace(place)


def remove(path: Path) -> None:
    """Forget the outputs of ``path``, and the folder once it holds no others."""
    place = sidecar(path)
    if not _is_ours(place) or not place.parent.is_dir():
        return
    place.unlink(missing_ok=True)
    if any(place.parent.iterdir()):
        return
    place.parent.rmdir()
    folder = place.parent.parent
    if [item.name for item in folder.iterdir()] == [".gitignore"]:
        (folder / ".gitignore").unlink()
        folder.rmdir()


def move(old: Path, new: Path) -> None:
    """Carry the outputs of ``old`` to ``new``."""
    source, target = sidecar(old), sidecar(new)
    if source.is_file() and _is_ours(source) and _is_ours(target):
        _make_folder(target)
        source.replace(target)
        remove(old)
