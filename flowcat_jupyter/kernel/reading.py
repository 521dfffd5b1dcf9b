"""Reads files in the kernel's own reach, by the rules of an import: ``flowfile_ctx.read``."""

from __future__ import annotations

import os
import warnings
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from flowcat_jupyter.kernel.client import Client
from flowcat_jupyter.kernel.reader_writer import SqlReader, is_format, takes
from flowcat_jupyter.kernel.sources import SOURCES, SourceReader, as_options
from flowcat_jupyter.kernel.tables import read_table
from flowcat_jupyter.shared.errors import Invalid
from flowcat_jupyter.shared.names import TableName

if TYPE_CHECKING:
    import polars as pl

    from flowcat_jupyter.formats.files_reading import Reading
    from flowcat_jupyter.shared.wire import Reject

Place: TypeAlias = "str | os.PathLike[str]"
Options = tuple[tuple[str, str], ...]
FORMATS = ("csv", "tsv", "json", "ndjson", "parquet", "arrow", "avro", "excel")
_SPARK = {
    "sep": "delimiter",
    "nullvalue": "null_values",
    "charset": "encoding",
    "dateformat": "date_format",
}
_MODES = {"FAILFAST": "stop", "DROPMALFORMED": "skip"}
_SCANNED = {b"PAR1": "parquet", b"ARRO": "arrow"}


@dataclass(frozen=True)
class FileReader:
    """How files are to be read; every method gives a new reader."""

    _format: str | None = None
    _options: Options = ()
    _schema: str | None = None
    _client: Client | None = None

    def format(self, name: str) -> FileReader | SourceReader | SqlReader:
        """The files' format: csv, json, ndjson, parquet, arrow, avro or excel.

        Without it, the first file's content decides. The name of a data source, or of a format
        that SQL alone knows (text, binary, rate, socket, delta …), gives a reader of that.
        """
        if name not in FORMATS:
            source = SOURCES.find(name)
            if source is not None:
                return SourceReader(source, self._options, self._schema)
            if is_format(name):
                return SqlReader(name, self._options, self._schema)
            known = ", ".join(FORMATS)
            raise Invalid(f"There is no file format {name!r}.", hint=f"One of: {known}.")
        return replace(self, _format=name)

    def option(self, key: str, value: object) -> FileReader:
        """Set an option of an import, by its name or by Spark's.

        Spark's are sep, quote, header, nullValue, encoding, dateFormat, inferSchema (true by
        default) and mode (FAILFAST, the default, or DROPMALFORMED). Without options the files
        themselves decide, and types are inferred from the whole of them.
        """
        text = str(value).lower() if isinstance(value, bool) else str(value)
        return replace(self, _options=(*self._options, (key, text)))

    def options(self, **values: object) -> FileReader:
        """Set several options."""
        return replace(self, _options=(*self._options, *as_options(values)))

    def csv(self, path: Place | Sequence[Place]) -> pl.LazyFrame:
        """``format("csv").load(path)``."""
        return replace(self, _format="csv").load(path)

    def json(self, path: Place | Sequence[Place]) -> pl.LazyFrame:
        """``format("json").load(path)``."""
        return replace(self, _format="json").load(path)

    def parquet(self, path: Place | Sequence[Place]) -> pl.LazyFrame:
        """``format("parquet").load(path)``."""
        return replace(self, _format="parquet").load(path)

    def text(self, path: Place | Sequence[Place]) -> pl.LazyFrame:
        """``format("text").load(path)``: a row for every line."""
        return SqlReader("text", self._options, self._schema).load(path)

    def table(self, name: str) -> pl.LazyFrame:
        """The rows of a table of the catalog's, as a snapshot."""
        if self._client is None:
            raise Invalid("There is no catalog to read.", hint="Use flowfile_ctx.read.")
        return read_table(self._client, TableName.parse(name).sql)

    def schema(self, ddl: str) -> FileReader:
        """The columns to read and their Spark types: ``"id bigint, amount decimal(10,2)"``.

        They go by name; without a header, by place.
        """
        return replace(self, _schema=ddl)

    def load(self, path: Place | Sequence[Place]) -> pl.LazyFrame:
        """The rows of a file, a folder, a pattern or several of them.

        Rows are read when the frame is collected. What they are is found now, from the whole of
        the files: as in an import, numbers with leading zeros and ambiguous dates stay text, and
        a line that does not fit is refused unless the option ``bad_rows`` is ``skip`` or ``text``.
        Parquet and Arrow files keep their own types.

        An option that no import has and SQL's reader of the format does (``multiLine``,
        ``pathGlobFilter``, ``mergeSchema``, the mode PERMISSIVE …) makes it read as SQL does.

        :raises NotFound: there is no such file.
        :raises Invalid: lines do not fit, or an option or the schema does not suit the format.
        """
        if self._by_sql():
            return SqlReader(str(self._format), self._options, self._schema).load(path)
        files = _files(path)
        kind = _scanned(files[0])
        if kind and self._format in (None, kind) and not self._options:
            return _scan(kind, files, self._schema)
        return _Rows(self, files).frame()

    def _by_sql(self) -> bool:
        """Whether an option says to read as SQL does."""
        if self._format is None or not is_format(self._format):
            return False
        return any(
            not _is_of_import(self._format, key, value) and takes(self._format, key)
            for key, value in self._options
        )

    def rejects(self, path: Place | Sequence[Place]) -> pl.DataFrame:
        """The lines that `load` would refuse or leave out: file, line, reason and text.

        Of very many the first 256 MB, with a warning that says so.
        """
        from flowcat_jupyter.formats.files_rejects import RejectLog
        from flowcat_jupyter.formats.files_spool import spooling

        with ExitStack() as stack:
            log = RejectLog(stack.enter_context(spooling()))
            _open(stack, self, _files(path), log.keep)
            for note in log.note:
                warnings.warn(note, stacklevel=2)
            return log.rows().collect()


class _Rows:
    """Files that have been read through once, as a frame that reads them again."""

    def __init__(self, reader: FileReader, files: list[Path]) -> None:
        stack = ExitStack()
        try:
            self._reading, self._names = _open(stack, reader, files)
            self._reading.refuse_bad_rows()
        except BaseException:
            stack.close()
            raise
        # What was unpacked to disk goes with the last frame that reads it.
        weakref.finalize(self, stack.close)
        if self._reading.rejected:
            warnings.warn("\n".join(self._reading.all_warnings()), stacklevel=3)

    def frame(self) -> pl.LazyFrame:
        import polars as pl

        from flowcat_jupyter.formats.batches import lazily
        from flowcat_jupyter.formats.types import exactly, polars_type

        types = {column.name: polars_type(column.type) for column in self._reading.columns}
        frame = lazily(self._frames, pl.Schema(types))
        if self._names is None:
            return frame
        return frame.select(exactly(own).alias(name) for own, name in self._names.items())

    def _frames(self) -> Iterator[pl.DataFrame]:
        # Of this object, so that the frame keeps it, and it what was unpacked.
        yield from self._reading.frames()


def _open(
    stack: ExitStack,
    reader: FileReader,
    files: list[Path],
    keep: Callable[[Reject], None] | None = None,
) -> tuple[Reading, dict[str, str] | None]:
    """A reading of the files, and which of its columns are wanted under which names."""
    from flowcat_jupyter.formats.files import read_files
    from flowcat_jupyter.formats.files_reading import Request
    from flowcat_jupyter.formats.files_rejects import keep_nothing

    options, infer = _import_options(reader._options)
    kept = keep or keep_nothing
    read = partial(read_files, files, format=reader._format, options=options)
    wanted = None if reader._schema is None else _fields(reader._schema)
    if wanted is not None and options.get("header") != "false":
        request = Request(types=wanted, keep=kept)
        return stack.enter_context(read(request=request)), {name: name for name in wanted}
    if wanted is None and infer:
        return stack.enter_context(read(request=Request(keep=kept))), None
    # Which columns there are is not known before the files have been looked at.
    with read(request=Request()) as first:
        there = [column.name for column in first.columns]
    if wanted is None:
        types, names = dict.fromkeys(there, "string"), None
    else:
        names = _by_place(there, list(wanted))
        types = {own: wanted[name] for own, name in names.items()}
    return stack.enter_context(read(request=Request(types=types, keep=kept))), names


def _by_place(there: list[str], wanted: list[str]) -> dict[str, str]:
    if len(there) != len(wanted):
        raise Invalid(
            f"The files have {len(there)} columns, the schema names {len(wanted)}.",
            hint="Without a header, a schema names every column.",
        )
    return dict(zip(there, wanted, strict=True))


def _files(path: Place | Sequence[Place]) -> list[Path]:
    from flowcat_jupyter.storage.listing import Listing

    places = [path] if isinstance(path, (str, os.PathLike)) else list(path)
    listing = Listing()
    found = (file for place in places for file in listing.files(_absolute(place)))
    files = list(dict.fromkeys(found))
    if not files:
        raise Invalid("There is no file to read.", hint="Name at least one.")
    return files


def _absolute(place: Place) -> Path:
    return Path(os.path.normpath(Path(place).expanduser().absolute()))


def _scanned(file: Path) -> str | None:
    """The format of a file that carries its own types and can be scanned."""
    with file.open("rb") as opened:
        return _SCANNED.get(opened.read(4))


def _import_options(options: Options) -> tuple[dict[str, str], bool]:
    """The options as an import takes them, and whether types are to be inferred."""
    given: dict[str, str] = {}
    infer = True
    for key, value in options:
        name = _SPARK.get(key.lower(), key.lower())
        if name == "inferschema":
            infer = _flag(key, value)
        elif name == "mode":
            given["bad_rows"] = _mode(value)
        else:
            given[name] = value
    return given, infer


def _is_of_import(format: str, key: str, value: str) -> bool:
    from flowcat_jupyter.formats.files_options import KNOWN

    name = _SPARK.get(key.lower(), key.lower())
    if name == "mode":
        return value.upper() in _MODES
    return name == "inferschema" or name in KNOWN.get(format, ())


def _mode(value: str) -> str:
    if value.upper() not in _MODES:
        raise Invalid(
            f"{value!r} is no mode of reading here.", hint=f"One of: {', '.join(_MODES)}."
        )
    return _MODES[value.upper()]


def _flag(key: str, value: str) -> bool:
    if value.lower() not in ("true", "false"):
        raise Invalid(f"The option {key} is true or false, not {value!r}.")
    return value.lower() == "true"


def _fields(ddl: str) -> dict[str, str]:
    from flowcat_jupyter.shared.types import parse_type

    return {item.name: item.type.ddl for item in parse_type(f"struct<{ddl}>").fields}


def _scan(kind: str, files: list[Path], ddl: str | None) -> pl.LazyFrame:
    import polars as pl

    from flowcat_jupyter.formats.types import exactly, polars_type

    scan = partial(pl.scan_parquet, glob=False) if kind == "parquet" else pl.scan_ipc
    frame: pl.LazyFrame = scan(files)
    if ddl is None:
        return frame
    types = _fields(ddl)
    return frame.select(exactly(name).cast(polars_type(of)) for name, of in types.items())
