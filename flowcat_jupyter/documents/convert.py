"""Conversion between ``.ipynb`` and ``.notebook.yaml``, outputs included both ways."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from flowcat_jupyter.documents import notebook as codec
from flowcat_jupyter.documents import outputs
from flowcat_jupyter.documents.identity import identified, with_ids
from flowcat_jupyter.shared.errors import AlreadyExists, Invalid, NotFound, Unavailable

_JSON_SUFFIX = ".ipynb"


def convert(source: Path, target: Path, *, force: bool = False) -> tuple[str, ...]:
    """Write ``source`` as ``target``, each being one of the two kinds by its name.

    Returns warnings about what had to be mended. Outputs go to the side-car of a YAML target and
    come from that of a YAML source.

    :raises AlreadyExists: ``target`` is there and ``force`` is not given.
    :raises NotFound: there is no ``source``.
    :raises Invalid: a name has neither suffix, or ``source`` is damaged.
    :raises Unavailable: a file cannot be read or written.
    """
    for path in (source, target):
        if not codec.is_notebook(path.name) and path.suffix != _JSON_SUFFIX:
            raise Invalid(
                f"{path.name} is no notebook by its name.",
                hint=f"Name both files *{_JSON_SUFFIX} or *{codec.SUFFIX}.",
            )
    if target.exists() and not force:
        raise AlreadyExists("file", target, hint="Choose another name, or overwrite with --force.")
    try:
        notebook, warnings = _read(source)
        _write(target, notebook)
    except OSError as error:
        raise Unavailable(f"{error.filename or source}: {error.strerror or error}.") from error
    return warnings


def _read(path: Path) -> tuple[dict[str, Any], tuple[str, ...]]:
    if not path.is_file():
        raise NotFound("file", path)
    if codec.is_notebook(path.name):
        result = codec.reads(path.read_bytes())
        if isinstance(result, codec.Damaged):
            raise Invalid(f"{path.name}: {result.reason}", line=result.line, hint=result.hint)
        return outputs.load(path, result.notebook), result.warnings
    return _upgrade(path), ()


def _upgrade(path: Path) -> dict[str, Any]:
    library = _nbformat()
    try:
        notebook = library.reads(path.read_text("utf-8"), as_version=4)
        plain: dict[str, Any] = json.loads(json.dumps(notebook))
    except (library.reader.NotJSONError, library.ValidationError, ValueError) as error:
        raise Invalid(
            f"{path.name} is not a Jupyter notebook: {str(error)[:200]}",
            hint="Open it in a text editor to see what is wrong.",
        ) from error
    return plain


def _nbformat() -> Any:
    # Heavy beside the codec, and only the other format needs it.
    import nbformat

    return nbformat


def _write(path: Path, notebook: dict[str, Any]) -> None:
    if codec.is_notebook(path.name):
        named = identified(notebook, name=path.name.removesuffix(codec.SUFFIX))
        text = codec.writes(named)
        written = codec.reads(text)
        if isinstance(written, codec.Damaged):
            raise Invalid(f"{path.name} cannot be written: {written.reason}", hint=written.hint)
        _replace(path, text)
        outputs.store(path, outputs.dumps(with_ids(notebook, written.notebook)))
    else:
        library = _nbformat()
        _replace(path, library.writes(library.from_dict(notebook)) + "\n")


def _replace(path: Path, text: str) -> None:
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    # A lone surrogate has no UTF-8; replaced by a backslash it is JSON's own escape for it.
    with part.open("w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)
