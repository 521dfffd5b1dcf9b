"""The frames that the user's name space holds, told without computing or importing anything."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any

MOST_FRAMES = 200
MOST_COLUMNS = 500
MIME = "application/vnd.flowcat.frames+json"

Told = dict[str, Any]


class Report:
    """The `listing` of a name space, in the form in which IPython sends it to a front end."""

    def __init__(self, namespace: Mapping[str, Any]) -> None:
        """Tell of ``namespace``."""
        self._namespace = namespace

    def _repr_mimebundle_(self, **_formats: Any) -> dict[str, Any]:
        """What IPython sends."""
        return {MIME: listing(self._namespace), "text/plain": "the frames in this kernel"}


def report(namespace: Mapping[str, Any]) -> Report:
    """What a front end asks for, silently, with the kernel's ``globals()``."""
    return Report(namespace)


def listing(namespace: Mapping[str, Any] | None = None) -> list[Told]:
    """The frames in ``namespace``, by default the user's: ready for JSON, at most `MOST_FRAMES`.

    Each has ``name``, ``kind`` (``polars``, ``lazy``, ``pandas`` or ``arrow``), ``rows`` (None
    where only computing would tell), ``columns`` (each ``name`` and ``type``, at most
    `MOST_COLUMNS`; None for a lazy frame), ``columns_total`` and ``bytes`` (None if unknown).
    Names that begin with an underscore are left out. Never raises.
    """
    names = _user_names() if namespace is None else namespace
    return [told for _, told in zip(range(MOST_FRAMES), _frames(names), strict=False)]


def frame_names(namespace: Mapping[str, Any]) -> list[str]:
    """The names of the frames in ``namespace``."""
    return [
        name
        for name, value in sorted(_named(namespace), key=lambda item: item[0])
        if is_frame(value)
    ]


def is_frame(value: Any) -> bool:
    """Whether a value is of a kind that is listed."""
    return _teller(value) is not None


def _user_names() -> Mapping[str, Any]:
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return {} if shell is None else shell.user_ns


def _named(namespace: Mapping[str, Any]) -> list[tuple[str, Any]]:
    return [
        (name, value)
        for name, value in list(namespace.items())
        if isinstance(name, str) and name.isidentifier() and not name.startswith("_")
    ]


def _frames(namespace: Mapping[str, Any]) -> Iterator[Told]:
    for name, value in sorted(_named(namespace), key=lambda item: item[0]):
        teller = _teller(value)
        if teller is None:
            continue
        told: Told = {"rows": None, "columns": None, "columns_total": None, "bytes": None}
        # A subclass of a frame's may do anything; the others are told all the same.
        with suppress(Exception):
            told.update(teller(value))
            yield {"name": name, **told}


def _teller(value: Any) -> Callable[[Any], Told] | None:
    """What tells of a value, by its class alone: objects may answer anything when asked."""
    for kind in type(value).__mro__:
        package, _, _ = kind.__module__.partition(".")
        found = _TELLERS.get((package, kind.__name__))
        if found is not None:
            return found
    return None


def _polars(frame: Any) -> Told:
    return {
        "kind": "polars",
        "rows": frame.height,
        "columns": _polars_columns(frame.schema),
        "columns_total": frame.width,
        "bytes": int(frame.estimated_size()),
    }


def _lazy(_frame: Any) -> Told:
    return {"kind": "lazy"}


def _polars_columns(schema: Mapping[str, Any]) -> list[Told]:
    names = list(schema)[:MOST_COLUMNS]
    return [{"name": name, "type": _spark(schema[name], name)} for name in names]


def _spark(dtype: Any, name: str) -> str:
    """The type that SQL sees; polars' own where SQL has none."""
    from flowcat_jupyter.formats.types import spark_type
    from flowcat_jupyter.shared.errors import Invalid

    try:
        return spark_type(dtype, name)
    except Invalid:
        return str(dtype)


def _pandas(frame: Any) -> Told:
    dtypes = frame.dtypes
    narrow = len(dtypes) <= MOST_COLUMNS
    return {
        "kind": "pandas",
        "rows": len(frame),
        "columns": [
            {"name": str(name), "type": str(dtype)}
            for name, dtype in zip(dtypes.index[:MOST_COLUMNS], dtypes, strict=False)
        ],
        "columns_total": len(dtypes),
        "bytes": int(frame.memory_usage(deep=False).sum()) if narrow else None,
    }


def _arrow(table: Any) -> Told:
    schema = table.schema
    rows = getattr(table, "num_rows", None)
    return {
        "kind": "arrow",
        "rows": rows,
        "columns": [
            {"name": str(schema.field(at).name), "type": str(schema.field(at).type)}
            for at in range(min(len(schema), MOST_COLUMNS))
        ],
        "columns_total": len(schema),
        "bytes": None if rows is None else int(table.nbytes),
    }


_TELLERS: dict[tuple[str, str], Callable[[Any], Told]] = {
    ("polars", "DataFrame"): _polars,
    ("polars", "LazyFrame"): _lazy,
    ("pandas", "DataFrame"): _pandas,
    ("pyarrow", "Table"): _arrow,
    ("pyarrow", "RecordBatch"): _arrow,
    ("pyarrow", "RecordBatchReader"): _arrow,
}
