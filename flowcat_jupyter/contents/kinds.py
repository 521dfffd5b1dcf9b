"""The two kinds of notebook files, and what a file of one kind is as the other.

Nothing is converted that would not come back whole, and no manager is known here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import nbformat
from tornado.web import HTTPError

from flowcat_jupyter.contents import models
from flowcat_jupyter.documents import notebook as codec
from flowcat_jupyter.documents import outputs
from flowcat_jupyter.documents.identity import identified, with_ids

JSON_SUFFIX = ".ipynb"

_nbformat: Any = nbformat
_HEADER = re.compile(rb"^notebook_format:", re.MULTILINE)
_KEPT = ("cell_type", "source", "outputs", "execution_count", "attachments")
_LARGE = outputs.MAX_BYTES // 1_000_000


@dataclass(frozen=True)
class Made:
    """A notebook as a file of the other kind.

    ``before`` is the notebook as its file reads now and ``after`` as the new one will hold it,
    with the same cells; ``data`` is the new file and ``kept`` its outputs, where they lie beside.
    """

    before: Any
    after: Any
    data: bytes
    kept: str | None = None


def kind(path: str) -> str | None:
    """The suffix that makes a file of this name a notebook; None: it is another file."""
    if codec.is_notebook(path):
        return codec.SUFFIX
    return JSON_SUFFIX if path.endswith(JSON_SUFFIX) else None


def held(data: bytes) -> str | None:
    """The kind of notebook that a file's bytes look like, whatever its name."""
    if data[:1024].removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{"):
        return JSON_SUFFIX if b'"nbformat"' in data else None
    return codec.SUFFIX if _HEADER.search(data) else None


def read(data: bytes | str) -> codec.Loaded | codec.Damaged:
    """Read a file called a notebook as YAML, or a whole ``.ipynb`` that came under such a name.

    Uploads, git and shells rename without converting; the next save makes YAML of it.
    """
    return _read_json(data) or codec.reads(data)


def read_at(place: Path, data: bytes) -> codec.Loaded | codec.Damaged:
    """`read`, with the outputs that are kept beside ``place`` where the file has none itself."""
    found = _read_json(data)
    if found is not None:
        return found
    result = codec.reads(data)
    if isinstance(result, codec.Damaged):
        return result
    return codec.Loaded(outputs.load(place, result.notebook), result.warnings)


def _read_json(data: bytes | str) -> codec.Loaded | codec.Damaged | None:
    """The notebook in an ``.ipynb``; None for what is not the JSON of any."""
    try:
        text = (data if isinstance(data, str) else data.decode("utf-8")).removeprefix("\ufeff")
        body = json.loads(text) if text.lstrip().startswith("{") else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(body, dict) or "nbformat" not in body:
        return None
    wrong: dict[str, Any] = {}
    try:
        notebook = _nbformat.reads(text, as_version=4, capture_validation_error=wrong)
    except (ValueError, KeyError, TypeError, AttributeError, _nbformat.ValidationError) as error:
        return _invalid(text, error)
    return _invalid(text, wrong["ValidationError"]) if wrong else codec.Loaded(notebook)


def _invalid(text: str, error: Exception) -> codec.Damaged:
    reason = str(error).strip().partition("\n")[0][:200]
    hint = "Correct the file in a text editor."
    return codec.Damaged(f"It is no valid Jupyter notebook: {reason}.", hint, text)


def made(source: Path, target: Path, data: bytes) -> Made:
    """What ``source`` with these bytes is as ``target``, a notebook of the other kind.

    :raises HTTPError: 400 when it is no valid notebook or would lose something.
    """
    result = _of_its_kind(source, data)
    if isinstance(result, codec.Damaged):
        _refuse(source, f"{result.reason} {result.hint}")
    notebook = models.node(result.notebook)
    if kind(target.name) == codec.SUFFIX:
        new, form = _as_yaml(notebook, target)
    else:
        new, form = _as_json(notebook, source)
    lost = _lost(notebook, form)
    if lost is not None:
        _refuse(source, lost)
    return new


def made_checkpoint(data: bytes, place: Path, now: bytes) -> bytes | None:
    """A checkpoint of the notebook at ``place``, which was of the other kind and holds ``now``.

    None: there is nothing to convert. As ever, that of a notebook as YAML is its text alone, and
    takes the outputs that still belong to its cells from where they lie.

    :raises HTTPError: 400 when it cannot be converted.
    """
    if held(data) in (None, kind(place.name)):
        return None
    result, current = read(data), read_at(place, now)
    if isinstance(result, codec.Damaged):
        raise HTTPError(400, result.reason)
    notebook = result.notebook
    known = current.notebook if isinstance(current, codec.Loaded) else models.empty()
    if kind(place.name) == codec.SUFFIX:
        named = identified(notebook, name=models.stem(place.name), previous=known)
        return models.encoded(named, place.name)[0].encode()
    return _json_bytes(outputs.restore(notebook, outputs.dumps(known) or ""))


def _of_its_kind(source: Path, data: bytes) -> codec.Loaded | codec.Damaged:
    if kind(source.name) == JSON_SUFFIX and held(data) != codec.SUFFIX:
        hint = "Open it in a text editor to see what is wrong."
        return _read_json(data) or codec.Damaged("It is no Jupyter notebook.", hint, "")
    return read_at(source, data)


def _refuse(source: Path, why: str) -> NoReturn:
    message = f"{source.name} was not renamed, because it could not be converted. {why}"
    raise HTTPError(400, message, reason="Notebook cannot be converted")


def _as_yaml(notebook: Any, target: Path) -> tuple[Made, Mapping[str, Any]]:
    named = identified(notebook, name=models.stem(target.name))
    text, reread = models.encoded(named, target.name)
    kept = outputs.dumps(with_ids(named, reread))
    return Made(notebook, named, text.encode(), kept), outputs.restore(reread, kept or "")


def _as_json(notebook: Any, source: Path) -> tuple[Made, Mapping[str, Any]]:
    data = _json_bytes(notebook)
    result = _read_json(data)
    if not isinstance(result, codec.Loaded):
        _refuse(source, result.reason if result else "It could not be read back.")
    return Made(notebook, notebook, data), result.notebook


def _json_bytes(notebook: Mapping[str, Any]) -> bytes:
    # A lone surrogate has no UTF-8; replaced by a backslash it is JSON's own escape for it.
    return f"{_nbformat.writes(models.node(notebook))}\n".encode("utf-8", "backslashreplace")


def _lost(before: Mapping[str, Any], after: Mapping[str, Any]) -> str | None:
    """What a notebook would not keep, in words."""
    for number, (cell, other) in enumerate(zip(before["cells"], after["cells"], strict=True), 1):
        for key in _KEPT:
            if not _same(cell.get(key), other.get(key)):
                what = "The outputs" if key == "outputs" else f"The {key}"
                return (
                    f"{what} of cell {number} would be lost: no more than {_LARGE} MB of outputs "
                    "are kept beside a notebook. Clear the largest ones, save, and rename it then."
                )
    if not _same(before["metadata"].get("widgets"), after["metadata"].get("widgets")):
        return "The state of its widgets would be lost. Clear it, save, and rename it then."
    return None


def _same(one: Any, other: Any) -> bool:
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
