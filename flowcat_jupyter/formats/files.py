"""Opening any file that can be ingested: what it is, and what is in it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from flowcat_jupyter.formats.files_bytes import (
    FileBytes,
    check_encoding,
    is_parquet,
    mark_encoding,
    open_bytes,
)
from flowcat_jupyter.formats.files_csv import read_csv
from flowcat_jupyter.formats.files_json import read_json, read_ndjson
from flowcat_jupyter.formats.files_options import parse_options
from flowcat_jupyter.formats.files_parquet import read_parquet
from flowcat_jupyter.formats.files_reading import Reading, Request
from flowcat_jupyter.formats.json_objects import looks_like
from flowcat_jupyter.shared.errors import Invalid

PROBE_BYTES = 1 << 20
_READERS = {"csv": read_csv, "json": read_json, "ndjson": read_ndjson, "parquet": read_parquet}
_ALIASES = {"tsv": "csv", "text": "csv", "jsonl": "ndjson", "jsonlines": "ndjson"}


@contextmanager
def read_file(
    path: str | Path,
    *,
    format: str | None = None,
    options: dict[str, str] | None = None,
    request: Request | None = None,
) -> Iterator[Reading]:
    """Read the file at ``path`` through and propose types for its columns.

    ``format`` is ``csv`` (any delimiter), ``json``, ``ndjson`` or ``parquet``; None goes by the
    file's content, never by its name. The reading's rows can be taken while the context is open.

    :raises NotFound: there is no such file, or no column for one of the types asked.
    :raises Invalid: the file is empty, damaged, binary or of another format, an option is unknown,
        or a type cannot be read from it.
    """
    packed = open_bytes(path)
    kind = _kind(packed, format, (options or {}).get("encoding"))
    parsed = parse_options(kind, options or {})
    with _READERS[kind](packed, parsed, request or Request()) as reading:
        yield reading


def _kind(packed: FileBytes, format: str | None, encoding: str | None) -> str:
    if format is None:
        return detect_format(packed, encoding)
    kind = _ALIASES.get(format.lower(), format.lower())
    if kind not in _READERS:
        raise Invalid(
            f"Files of format {format!r} cannot be imported.",
            hint=f"There are: {', '.join(_READERS)}.",
        )
    if (kind == "parquet") != is_parquet(packed):
        raise Invalid(
            f"{packed.path.name} is not a {kind} file.",
            hint="Leave the format out to go by the file's content.",
        )
    return kind


def detect_format(packed: FileBytes, encoding: str | None = None) -> str:
    """The format that the content has."""
    if is_parquet(packed):
        return "parquet"
    head = packed.head(PROBE_BYTES)
    codec = check_encoding(encoding) if encoding else mark_encoding(head) or "utf-8"
    return looks_like(head.decode(codec, "replace")) or "csv"
