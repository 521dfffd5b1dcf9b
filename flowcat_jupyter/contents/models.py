"""Between Jupyter's contents models and notebooks as YAML; no manager and no disk here."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

import nbformat
from tornado.web import HTTPError

from flowcat_jupyter.documents import notebook as codec
from flowcat_jupyter.documents import outputs
from flowcat_jupyter.documents.identity import identified, with_ids
from flowcat_jupyter.shared.errors import FlowcatError

SHOWN = 1_000_000
"""How many characters of a damaged file are shown."""

Reader = Callable[[bytes | str], codec.Loaded | codec.Damaged]

_nbformat: Any = nbformat


def is_ours(path: str, kind: str | None = None) -> bool:
    """Whether a request for ``path`` as ``kind`` is for a notebook as YAML."""
    return kind in (None, "", "notebook") and codec.is_notebook(path)


def stem(path: str) -> str:
    """The name of a notebook's file without its suffix."""
    return path.rpartition("/")[2].removesuffix(codec.SUFFIX)


def node(notebook: Mapping[str, Any]) -> Any:
    """A notebook as nbformat's own type, which Jupyter's exporters and notary want."""
    return _nbformat.from_dict(notebook)


def empty(kernel: Mapping[str, str] | None = None) -> dict[str, Any]:
    """A new notebook without cells."""
    metadata = {"kernelspec": dict(kernel)} if kernel else {}
    return {"cells": [], "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def placeholder(damaged: codec.Damaged) -> dict[str, Any]:
    """What is shown for a file that must not be written over: the reason, then its text."""
    fixed = {"editable": False, "deletable": False}
    reason = f"This file is damaged and open for reading only.\n{damaged.reason}\n{damaged.hint}"
    cells = [
        {"id": "damage-reason", "cell_type": "raw", "metadata": fixed, "source": reason},
        {
            "id": "damage-text",
            "cell_type": "raw",
            "metadata": dict(fixed),
            "source": damaged.text[:SHOWN],
        },
    ]
    mark = {"reason": damaged.reason, "hint": damaged.hint, "line": damaged.line}
    return {**empty(), "cells": cells, "metadata": {"flowcat": {"damaged": mark}}}


def damage(notebook: Any) -> str | None:
    """The reason a notebook is a `placeholder`, if it is one."""
    flow = notebook.get("metadata", {}).get("flowcat") if isinstance(notebook, Mapping) else None
    mark = flow.get("damaged") if isinstance(flow, Mapping) else None
    return str(mark.get("reason")) if isinstance(mark, Mapping) else None


def protected(model: dict[str, Any]) -> dict[str, Any]:
    """The model, not writable and with the reason as its message if its file is damaged."""
    reason = damage(model.get("content"))
    if reason:
        model.update(writable=False, message=reason)
    return model


def refuse_damaged(path: str, reason: str) -> NoReturn:
    """Refuse to write over, or to spread, a damaged notebook."""
    raise HTTPError(
        409,
        f"{path} is damaged and was not written over. {reason} "
        "Open it with the text editor to repair it.",
        reason="Notebook is damaged",
    )


def prepared(
    content: Any, path: str, existing: bytes | str | None, read: Reader = codec.reads
) -> dict[str, Any]:
    """The notebook to save at ``path``, given what the file holds now and how that is read.

    :raises HTTPError: 409 when either is damaged, 400 when the content is no notebook.
    """
    reason = damage(content)
    if reason:
        refuse_damaged(path, reason)
    previous = read(existing) if existing is not None else codec.Loaded(empty())
    if isinstance(previous, codec.Damaged):
        refuse_damaged(path, previous.reason)
    if not isinstance(content, Mapping) or not isinstance(content.get("cells"), list):
        raise HTTPError(400, f"{path}: the content is not a notebook")
    return identified(content, name=stem(path), previous=previous.notebook)


def encoded(notebook: Mapping[str, Any], path: str) -> tuple[str, dict[str, Any]]:
    """The text to save, and the notebook as it will be read from it.

    :raises HTTPError: 400 when it could not be read back.
    """
    try:
        text = codec.writes(notebook)
    except FlowcatError as error:
        raise HTTPError(400, f"{path}: {error.message}") from error
    result = codec.reads(text)
    if isinstance(result, codec.Damaged):
        raise HTTPError(400, f"{path} cannot be saved: {result.reason} {result.hint}")
    return text, result.notebook


def with_outputs(reread: Mapping[str, Any], notebook: Mapping[str, Any]) -> Any:
    """``reread`` with the outputs that will be kept of ``notebook``, as trusted as its cells are.

    That is the form whose signature will be asked for.
    """
    kept = outputs.dumps(with_ids(notebook, reread))
    form = outputs.restore(reread, kept or "")
    for cell, origin in zip(form["cells"], notebook["cells"], strict=True):
        if "trusted" in origin.get("metadata", {}):
            cell["metadata"]["trusted"] = origin["metadata"]["trusted"]
    return node(form)


def is_signable(notebook: Mapping[str, Any]) -> bool:
    """Whether Jupyter's notary can sign it: it fails on text with lone surrogates."""
    try:
        json.dumps(notebook, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def validate(notebook: Any, capture: dict[str, Any] | None) -> None:
    """Hand a validation error to Jupyter the way nbformat's reader does."""
    try:
        _nbformat.validate(notebook)
    except _nbformat.ValidationError as error:
        if capture is not None:
            capture["ValidationError"] = error
