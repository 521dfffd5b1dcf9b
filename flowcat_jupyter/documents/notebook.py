"""Notebooks as YAML: the text of a ``*.notebook.yaml`` and Jupyter's notebook JSON (4.5).

What is written reads back equal, and the second save is the same bytes. Not written, because it
is output or follows from the rest: outputs, execution counts, widget state (see `outputs`),
``language_info``, and the passing marks ``trusted``, ``execution``, ``signature`` and
``orig_nbformat``.

The header lives in the notebook's ``metadata.flowcat`` (``notebook_uuid``, ``name``,
``description``, ``namespace``) and ``metadata.kernelspec.name`` (``default_kernel_id``). What a
newer version added is kept in ``flowcat.extra``, and the name of a cell type we do not know, which
is shown as raw, in the cell's ``flowcat.type``.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flowcat_jupyter.documents import sqlcell, yaml
from flowcat_jupyter.shared.errors import FlowcatError, Invalid

SUFFIX = ".notebook.yaml"
FORMAT = 1

# What Jupyter knows of common kernels; a file that names one need not repeat it.
_KERNELS = {
    "flowcat": {"display_name": "Python 3 (Flowcat)", "language": "python"},
    "python3": {"display_name": "Python 3 (ipykernel)", "language": "python"},
}
_HEADER = ("notebook_uuid", "name", "description", "namespace")
_ROOT_KEYS = frozenset({"notebook_format", "default_kernel_id", "metadata", "cells", *_HEADER})
_CELL_KEYS = frozenset({"id", "type", "metadata", "source", "attachments"})
_JSON_KEYS = frozenset(
    {"id", "cell_type", "metadata", "source", "attachments", "outputs", "execution_count"}
)
_CELL_TYPES = {"python": "code", "sql": "code", "markdown": "markdown", "raw": "raw"}
_PASSING = frozenset({"signature", "orig_nbformat", "orig_nbformat_minor"})
_PASSING_IN_CELLS = frozenset({"trusted", "execution"})
_ID = re.compile(r"[A-Za-z0-9_-]{1,64}\Z")
_CONFLICT = re.compile(r"^(?:<{7}|>{7})(?: .*)?\r?$", re.MULTILINE)


@dataclass(frozen=True)
class Loaded:
    """A notebook that was read: Jupyter's JSON, and what had to be mended on the way."""

    notebook: dict[str, Any]
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class Damaged:
    """A file that must not be written over, why, what to do, and what it holds."""

    reason: str
    hint: str
    text: str
    line: int | None = None


def is_notebook(path: str) -> bool:
    """Whether a file of this name is a notebook as YAML."""
    return path.endswith(SUFFIX) and not path.endswith("/" + SUFFIX) and path != SUFFIX


def kernelspec(name: str) -> dict[str, str]:
    """The kernelspec metadata of a kernel of which a file gives no more than the name."""
    return {"name": name, **_KERNELS.get(name, {"display_name": name})}


def reads(data: str | bytes) -> Loaded | Damaged:
    """Read a file's text or bytes; whatever cannot be kept whole comes back as `Damaged`."""
    try:
        text = data if isinstance(data, str) else data.decode("utf-8")
    except UnicodeDecodeError as error:
        hint = "Convert the file to UTF-8 in a text editor."
        return Damaged(f"It is not UTF-8: {error.reason}.", hint, error.object.decode("latin-1"))
    try:
        return _read(text.removeprefix("\ufeff"))
    except FlowcatError as error:
        hint = error.hint or "Correct the file in a text editor."
        return Damaged(error.message, hint, text, error.line)


def _read(text: str) -> Loaded:
    if not text.strip():
        return Loaded(_notebook({}, []), ("The file is empty.",))
    _check_whole(text)
    root = yaml.loads(text, textual=_is_textual)
    if not isinstance(root, dict) or root.get("notebook_format") != FORMAT:
        found = root.get("notebook_format") if isinstance(root, dict) else None
        raise Invalid(
            f"It is not a notebook of format {FORMAT}: notebook_format is {found!r}.",
            hint="Open it with the version of flowcat-jupyter that wrote it, or as text.",
        )
    cells = root.get("cells")
    if not isinstance(cells, list):
        raise Invalid("It has no list of cells.", hint="The file may be cut short: restore it.")
    warnings: list[str] = []
    taken: set[str] = set()
    read = [_read_cell(cell, index, taken, warnings) for index, cell in enumerate(cells)]
    return Loaded(_notebook(_read_metadata(root), read), tuple(warnings))


def _check_whole(text: str) -> None:
    yaml.check_size(text)
    conflict = _CONFLICT.search(text)
    if conflict:
        raise Invalid(
            "It holds the marks of an unresolved merge.",
            line=text.count("\n", 0, conflict.start()) + 1,
            hint="Resolve the conflict in a text editor, then open the notebook again.",
        )
    if not text.endswith("\n"):
        raise Invalid(
            "Its last line is not ended, so it may be cut short.",
            line=text.count("\n") + 1,
            hint="If the file is whole, add a line break at its end in a text editor.",
        )


def _is_textual(path: yaml.Path, word: str) -> bool:
    if len(path) == 3 and path[0] == "cells":
        return path[2] in ("id", "type", "source")
    if path and path[0] in (*_HEADER, "default_kernel_id"):
        return word not in ("", "~", "null")
    return False


def _read_metadata(root: dict[str, Any]) -> dict[str, Any]:
    metadata = _mapping(root.get("metadata"), "the notebook's metadata")
    flow = {key: root[key] for key in _HEADER if root.get(key) is not None}
    for key in (*_HEADER[:3], "default_kernel_id"):
        if not isinstance(root.get(key), str | None):
            raise Invalid(f"{key} is not text.")
    extra = {key: value for key, value in root.items() if key not in _ROOT_KEYS}
    _join_flow(metadata, flow, extra)
    kernel = root.get("default_kernel_id")
    if kernel is not None:
        spec = kernelspec(kernel)
        if "kernelspec" in metadata:
            spec = {"name": kernel, **_mapping(metadata["kernelspec"], "kernelspec")}
        metadata["kernelspec"] = spec
    language = metadata.get("kernelspec")
    language = language.get("language") if isinstance(language, dict) else None
    name = language if isinstance(language, str) and language else "python"
    return {**metadata, "language_info": {"name": name}}


def _join_flow(metadata: dict[str, Any], flow: dict[str, Any], extra: dict[str, Any]) -> None:
    """Put what is ours under the metadata's ``flowcat``, beside what is there already."""
    if extra:
        flow["extra"] = extra
    if flow:
        present = metadata.get("flowcat", {})
        own = present if isinstance(present, dict) else {"flowcat": present}
        metadata["flowcat"] = {**own, **flow}


def _mapping(value: Any, what: str) -> dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise Invalid(f"{what} is not a mapping of keys to values.")
    return value


def _read_cell(cell: Any, index: int, taken: set[str], warnings: list[str]) -> dict[str, Any]:
    what = f"Cell {index + 1}"
    if not isinstance(cell, dict) or "type" not in cell or "source" not in cell:
        raise Invalid(
            f"{what} has no type or no source.",
            hint="The file may be cut short: restore it, or complete the cell in a text editor.",
        )
    kind, source, name = (cell.get(key) for key in ("type", "source", "id"))
    if not (isinstance(kind, str) and kind and isinstance(source, str)):
        raise Invalid(f"{what}: type and source must be text.")
    metadata = dict(_mapping(cell.get("metadata"), f"{what}: metadata"))
    unknown = {key: value for key, value in cell.items() if key not in _CELL_KEYS}
    if kind not in _CELL_TYPES:
        warnings.append(f"{what} is of the unknown type {kind!r} and is shown as raw text.")
    if kind == "sql":
        arguments, metadata = sqlcell.take(metadata)
        source = sqlcell.join(arguments, source)
    _join_flow(metadata, {} if kind in _CELL_TYPES else {"type": kind}, unknown)
    identity = _identity(name, f"{index}\n{source}", taken)
    if identity != name:
        warnings.append(f"{what} had no valid id of its own and was given {identity}.")
    read = {
        "id": identity,
        "cell_type": _CELL_TYPES.get(kind, "raw"),
        "metadata": metadata,
        "source": source,
    }
    if "attachments" in cell:
        read["attachments"] = _mapping(cell["attachments"], f"{what}: attachments")
    return {**read, "execution_count": None, "outputs": []} if read["cell_type"] == "code" else read


def _identity(name: Any, seed: str, taken: set[str]) -> str:
    """``name`` if it is a valid id and free, else one that follows from ``seed``."""
    candidate, salt = name, 0
    while not isinstance(candidate, str) or not _ID.match(candidate) or candidate in taken:
        salt += 1
        digest = hashlib.sha256(f"{salt}\n{seed}".encode("utf-8", "surrogatepass"))
        candidate = digest.hexdigest()[:8]
    taken.add(candidate)
    return candidate


def _notebook(metadata: dict[str, Any], cells: list[dict[str, Any]]) -> dict[str, Any]:
    return {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def writes(notebook: Mapping[str, Any]) -> str:
    """The canonical text of a notebook.

    :raises Invalid: it is not of nbformat 4, or holds what neither JSON nor YAML can.
    """
    if notebook.get("nbformat") != 4 or not isinstance(notebook.get("cells"), Sequence):
        raise Invalid("Only notebooks of nbformat 4 can be saved as YAML.")
    taken: set[str] = set()
    cells = [_write_cell(cell, index, taken) for index, cell in enumerate(notebook["cells"])]
    metadata = {
        key: value
        for key, value in dict(notebook.get("metadata", {})).items()
        if key not in _PASSING and key not in ("language_info", "widgets")
    }
    flow, extra = _part_flow(metadata, _is_header, _ROOT_KEYS)
    root = {
        "notebook_format": FORMAT,
        "notebook_uuid": flow.get("notebook_uuid"),
        "name": flow.get("name"),
        "description": flow.get("description"),
        "default_kernel_id": _part_kernel(metadata),
        "namespace": _sorted(flow.get("namespace")),
        "metadata": _sorted(metadata),
        **_sorted(extra),
        "cells": cells,
    }
    return yaml.dumps(root)


def _is_header(key: str, value: Any) -> bool:
    if key == "namespace":
        return isinstance(value, str) or _is_tree(value)
    return key in _HEADER and isinstance(value, str)


def _is_tree(value: Any) -> bool:
    return (
        isinstance(value, Mapping)
        and bool(value)
        and all(isinstance(item, str | None) for item in value.values())
    )


def _part_flow(
    metadata: dict[str, Any], is_ours: Any, reserved: frozenset[str]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Take out of ``metadata.flowcat`` what has keys of its own in the file."""
    present = metadata.get("flowcat")
    if not isinstance(present, Mapping):
        return {}, {}
    ours = {key: value for key, value in present.items() if is_ours(key, value)}
    rest = {key: value for key, value in present.items() if key not in ours}
    extra = rest.get("extra")
    if isinstance(extra, Mapping) and extra and not reserved.intersection(extra):
        del rest["extra"]
    else:
        extra = {}
    if rest or not (ours or extra):
        metadata["flowcat"] = rest
    else:
        del metadata["flowcat"]
    return ours, dict(extra)


def _part_kernel(metadata: dict[str, Any]) -> str | None:
    spec = metadata.get("kernelspec")
    if not isinstance(spec, Mapping) or not isinstance(spec.get("name"), str):
        return None
    name = str(spec["name"])
    rest = {key: value for key, value in spec.items() if key != "name"}
    metadata["kernelspec"] = rest
    if spec == kernelspec(name):
        del metadata["kernelspec"]
    return name


def _write_cell(cell: Mapping[str, Any], index: int, taken: set[str]) -> dict[str, Any]:
    kind, source = cell.get("cell_type"), cell.get("source", "")
    if kind not in ("code", "markdown", "raw"):
        raise Invalid(f"Cell {index + 1} is of type {kind!r}, which no notebook has.")
    source = source if isinstance(source, str) else "".join(source)
    metadata = {
        key: value
        for key, value in dict(cell.get("metadata", {})).items()
        if key not in _PASSING_IN_CELLS
    }
    flow, extra = _part_flow(
        metadata, lambda key, value: kind == "raw" and _is_type(key, value), _CELL_KEYS
    )
    extra.update({key: value for key, value in cell.items() if key not in _JSON_KEYS})
    written = {
        "id": _identity(cell.get("id"), f"{index}\n{source}", taken),
        "type": flow.get("type", "python" if kind == "code" else kind),
        "metadata": _sorted(metadata),
        "source": source,
    }
    if kind == "code":
        written.update(_as_sql(source, metadata))
    if "attachments" in cell:
        written["attachments"] = _sorted(cell["attachments"])
    return {**written, **_sorted(extra)}


def _is_type(key: str, value: Any) -> bool:
    return key == "type" and isinstance(value, str) and value != "" and value not in _CELL_TYPES


def _as_sql(source: str, metadata: Mapping[str, Any]) -> dict[str, Any]:
    """The cell as SQL beside named arguments, if it reads back from that exactly as it is."""
    parts = sqlcell.split(source)
    if parts is None:
        return {}
    arguments, body = parts
    merged = {**metadata, **arguments}
    if sqlcell.take(merged) != (arguments, dict(metadata)):
        return {}
    if sqlcell.join(arguments, body) != source:
        return {}
    return {"type": "sql", "metadata": _sorted(merged), "source": body}


def _sorted(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return [_sorted(item) for item in value] if isinstance(value, list | tuple) else value
