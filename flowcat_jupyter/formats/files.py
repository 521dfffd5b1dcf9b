"""Opening any file that can be ingested: what it is, and what is in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from polars.exceptions import PanicException

from flowcat_jupyter.formats.files_bytes import FileBytes, check_encoding, unreadable
from flowcat_jupyter.formats.files_columnar import read_arrow, read_avro, read_parquet
from flowcat_jupyter.formats.files_csv import read_csv
from flowcat_jupyter.formats.files_encoding import marked_encoding
from flowcat_jupyter.formats.files_excel import read_excel
from flowcat_jupyter.formats.files_json import read_json, read_ndjson
from flowcat_jupyter.formats.files_open import ALL_MEMBERS, Opened, binary_kind, open_paths
from flowcat_jupyter.formats.files_options import FileOptions, parse_options
from flowcat_jupyter.formats.files_reading import Reading, Request
from flowcat_jupyter.formats.files_together import in_types, together
from flowcat_jupyter.formats.json_objects import looks_like
from flowcat_jupyter.shared.errors import Invalid, NotFound
from flowcat_jupyter.shared.names import name_key
from flowcat_jupyter.shared.wire import Detected

PROBE_BYTES = 1 << 20
_CHOICES = 200
_READERS = {
    "csv": read_csv,
    "json": read_json,
    "ndjson": read_ndjson,
    "parquet": read_parquet,
    "arrow": read_arrow,
    "avro": read_avro,
    "excel": read_excel,
}
_JSON = ("json", "ndjson")
_BINARY = ("parquet", "arrow", "avro", "excel")
_ALIASES = {
    "tsv": "csv",
    "text": "csv",
    "jsonl": "ndjson",
    "jsonlines": "ndjson",
    "ipc": "arrow",
    "feather": "arrow",
    "xlsx": "excel",
    "xls": "excel",
    "ods": "excel",
}


@contextmanager
def read_files(
    paths: Sequence[str | Path],
    *,
    format: str | None = None,
    options: dict[str, str] | None = None,
    request: Request | None = None,
) -> Iterator[Reading]:
    """Read files through and propose types for the columns of the one table that they make.

    ``paths`` are files, folders or patterns. ``format`` is one of the readers' names or of their
    aliases; None goes by the first file's content, never by its name. The rows can be taken while
    the context is open.

    :raises NotFound: there is no such file, or no column for one of the types asked.
    :raises Invalid: a file is empty, damaged, binary or of another format, an option is unknown,
        or a type cannot be read from it.
    """
    options = options or {}
    opened = open_paths(paths, options.get("member"))
    kind = _kind(opened.files[0], format, options.get("encoding"))
    parsed = parse_options(kind, options)
    with ExitStack() as stack:
        try:
            like = partial(_like, opened.files[0], kind, format, parsed.encoding)
            yield _read_all(stack, opened, kind, like, parsed, request or Request())
        except PanicException as e:
            # How the libraries' own readers end on values that no sound file holds.
            raise unreadable(opened.files[0].label, e) from e


def _read_all(
    stack: ExitStack,
    opened: Opened,
    kind: str,
    kind_of: Callable[[FileBytes], str],
    options: FileOptions,
    request: Request,
) -> Reading:
    several = len(opened.files) > 1
    each = replace(request, lenient=True) if several or options.file_column else request
    readings: list[Reading] = []
    done = 0
    for packed in opened.files:
        own = kind_of(packed) if packed is not opened.files[0] else kind
        so_far = replace(each, report=partial(_report, request, done))
        with _named(packed, several=several):
            readings.append(stack.enter_context(_READERS[own](packed, options, so_far)))
        done += readings[-1].rows
    if several:
        _check_asked(readings, request)
    if several or options.file_column:
        readings = in_types(readings, {**request.types, **request.target})
    reading = together(readings, options.file_column) if each is not request else readings[0]
    return _with_archive(reading, opened, options)


@contextmanager
def _named(packed: FileBytes, *, several: bool) -> Iterator[None]:
    """Have an error among several files say which of them it is about."""
    try:
        yield
    except Invalid as error:
        if several and packed.label not in error.message:
            raise Invalid(f"{packed.label}: {error.message}", hint=error.hint) from error
        raise


def _like(
    first: FileBytes, kind: str, asked: str | None, encoding: str | None, packed: FileBytes
) -> str:
    """How to read another file beside the first, which is read as ``kind``.

    :raises Invalid: it is of another format: they would not be one table.
    """
    found = binary_kind(packed)
    if found is None:
        found = kind if asked and kind not in _BINARY else detect_format(packed, encoding)
    # An object on its only line may be either.
    if found == kind or (found in _JSON and kind in _JSON):
        return found
    raise Invalid(
        f"{packed.label} is of format {found}, and {first.label} is read as {kind}.",
        hint="Choose files of one format, for instance with a pattern.",
    )


def _report(request: Request, done: int, rows: int) -> None:
    request.report(done + rows)


def _with_archive(reading: Reading, opened: Opened, options: FileOptions) -> Reading:
    """The reading, saying what was left out and what could be chosen from an archive."""
    reading = replace(reading, warnings=(*opened.warnings, *reading.warnings))
    if len(opened.members) < 2:
        return reading
    member = options.member or ALL_MEMBERS
    told = f"The archive holds {len(opened.members):,} data files"
    told += "; all of them are read as one table." if member == ALL_MEMBERS else "."
    return replace(
        reading,
        options={**reading.options, "member": member},
        detected=(*reading.detected, Detected("member", member, told)),
        choices={**reading.choices, "member": (ALL_MEMBERS, *opened.members[:_CHOICES])},
    )


def _check_asked(readings: Sequence[Reading], request: Request) -> None:
    names = {name_key(column.name) for reading in readings for column in reading.columns}
    for name in request.types:
        if name_key(name) not in names:
            listed = [column.name for column in readings[0].columns][:20]
            raise NotFound("column", name, hint=f"The files have: {', '.join(listed)}.")


def _kind(packed: FileBytes, format: str | None, encoding: str | None) -> str:
    if format is None:
        return detect_format(packed, encoding)
    kind = _ALIASES.get(format.lower(), format.lower())
    if kind not in _READERS:
        raise Invalid(
            f"Files of format {format!r} cannot be imported.",
            hint=f"There are: {', '.join(_READERS)}.",
        )
    found = binary_kind(packed)
    if (kind in _BINARY or found is not None) and kind != found:
        raise Invalid(
            f"{packed.label} is not a {kind} file.",
            hint="Leave the format out to go by the file's content.",
        )
    return kind


def detect_format(packed: FileBytes, encoding: str | None = None) -> str:
    """The format that the content has."""
    if found := binary_kind(packed):
        return found
    head = packed.head(PROBE_BYTES)
    if encoding:
        codec = check_encoding(encoding)
    else:
        marked = marked_encoding(packed)
        codec = marked.name if marked else "utf-8"
    return looks_like(head.decode(codec, "replace")) or "csv"
