"""Writes files in the kernel's own reach: ``flowfile_ctx.write``."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

from flowcat_jupyter.kernel.client import Client
from flowcat_jupyter.kernel.frames import as_polars
from flowcat_jupyter.kernel.reader_writer import (
    SqlWriter,
    is_format,
    writes,
)
from flowcat_jupyter.kernel.refs import TableRef
from flowcat_jupyter.kernel.sources import (
    SOURCES,
    SourceWriter,
    as_options,
    save_mode,
    spark_named,
)
from flowcat_jupyter.shared.errors import AlreadyExists, Invalid

if TYPE_CHECKING:
    import polars as pl

Options = tuple[tuple[str, str], ...]
FORMATS = ("csv", "json", "ndjson", "parquet", "arrow")
_WRITE_OPTIONS: dict[str, tuple[str, ...]] = {
    "csv": ("header", "sep", "quote", "nullValue"),
    "parquet": ("compression",),
}
Compression = Literal["zstd", "snappy", "lz4", "gzip", "uncompressed"]


@dataclass(frozen=True)
class FileWriter:
    """How rows are to be written to a file; every method gives a new writer."""

    _data: Any
    _format: str | None = None
    _options: Options = ()
    _mode: str = "error"
    _partition_by: tuple[str, ...] = ()
    _client: Client | None = None

    def format(self, name: str) -> FileWriter | SourceWriter | SqlWriter:
        """The file's format: ``csv``, ``json``, ``ndjson``, ``parquet`` or ``arrow``.

        The name of a data source, or of a format that SQL alone knows (text, avro, delta …),
        gives a writer to that.
        """
        source = None if name in FORMATS else SOURCES.find(name)
        if source is not None:
            return SourceWriter(self._data, source, self._options, self._mode, self._partition_by)
        if name not in FORMATS and is_format(name):
            return self._sql(name)
        return replace(self, _format=_known(name))

    def option(self, key: str, value: object) -> FileWriter:
        """Set an option by Spark's name; of CSV: header, sep, quote, nullValue.

        Of Parquet: compression, one of zstd (by default), snappy, lz4, gzip and uncompressed.
        """
        return replace(self, _options=(*self._options, (key, _text(value))))

    def options(self, **values: object) -> FileWriter:
        """Set several options."""
        return replace(self, _options=(*self._options, *as_options(values)))

    def mode(self, name: str) -> FileWriter:
        """What to do about what is there: ``error`` (by default), ``ignore``, ``append`` or
        ``overwrite``. What is appended becomes another file in a folder.
        """
        return replace(self, _mode=save_mode(name))

    def partition_by(self, *columns: str) -> FileWriter:
        """Put rows into folders by the values of columns, which are then in no file."""
        return replace(self, _partition_by=columns)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the file, whole or not at all, and return its path.

        Several files in the folder ``path`` are written instead where that is a folder, the mode
        is ``append``, rows are partitioned, or an option is one that only SQL's writer has.

        :raises AlreadyExists: it is there and the mode is ``error``.
        :raises Invalid: an option does not suit the format.
        """
        file = Path(path)
        if self._by_sql(file):
            self._sql(self._format or _by_ending(file)).save(path)
            return file
        if self._mode == "ignore" and file.exists():
            return file
        if self._mode == "error" and file.exists():
            raise AlreadyExists("file", file, hint="Choose mode('overwrite') to replace it.")
        kind = self._format or _by_ending(file)
        options = _checked(kind, self._options, _WRITE_OPTIONS)
        with _replacing(file) as partial:
            _WRITERS[kind](as_polars(self._data).lazy().collect(), partial, options)
        return file

    def save_as_table(self, name: str) -> TableRef:
        """Save all rows as a table of the catalog's: USING delta unless a format was said.

        ``append`` and ``overwrite`` make a table that is not there, and match columns by name.

        :raises AlreadyExists: it is there, and the mode is ``error``.
        """
        return self._sql(self._format or "delta").save_as_table(name)

    def _by_sql(self, place: Path) -> bool:
        if self._mode == "append" or self._partition_by or place.is_dir():
            return True
        known = _WRITE_OPTIONS.get(self._format or "", ())
        sql = is_format(self._format or "")
        return sql and any(
            key not in known and writes(str(self._format), key) for key, _ in self._options
        )

    def _sql(self, format: str) -> SqlWriter:
        return SqlWriter(
            self._data, format, self._options, self._mode, self._partition_by, self._client
        )

    def __getattr__(self, name: str) -> Any:
        """A method by Spark's name for it: ``partitionBy``, ``saveAsTable``."""
        return spark_named(self, name)


@contextmanager
def _replacing(file: Path) -> Iterator[Path]:
    with NamedTemporaryFile(dir=file.parent, prefix=f".{file.name}.", delete=False) as opened:
        partial = Path(opened.name)
    try:
        yield partial
        partial.replace(file)
    finally:
        partial.unlink(missing_ok=True)


def _known(name: str) -> str:
    if name not in FORMATS:
        raise Invalid(f"There is no file format {name!r}.", hint=f"One of: {', '.join(FORMATS)}.")
    return name


def _by_ending(file: Path) -> str:
    ending = file.suffix.lstrip(".").lower()
    ending = {"jsonl": "ndjson", "ipc": "arrow", "feather": "arrow"}.get(ending, ending)
    if ending not in FORMATS:
        raise Invalid(
            f"The format of {file.name} is not clear from its name.",
            hint=f"Say it: .format(…), one of {', '.join(FORMATS)}.",
        )
    return ending


def _checked(kind: str, options: Options, known: dict[str, tuple[str, ...]]) -> dict[str, str]:
    allowed = known.get(kind, ())
    for key, _ in options:
        if key not in allowed:
            listed = ", ".join(allowed) or "none"
            raise Invalid(f"{key!r} is no option of {kind} files.", hint=f"There are: {listed}.")
    return dict(options)


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _flag(options: dict[str, str], key: str) -> bool:
    value = options.get(key, "true").lower()
    if value not in ("true", "false"):
        raise Invalid(f"The option {key} is true or false, not {value!r}.")
    return value == "true"


def _write_csv(frame: pl.DataFrame, file: Path, options: dict[str, str]) -> None:
    frame.write_csv(
        file,
        include_header=_flag(options, "header"),
        separator=options.get("sep", ","),
        quote_char=options.get("quote", '"'),
        null_value=options.get("nullValue"),
    )


def _write_parquet(frame: pl.DataFrame, file: Path, options: dict[str, str]) -> None:
    compression = options.get("compression", "zstd")
    known = get_args(Compression)
    if compression not in known:
        raise Invalid(f"There is no compression {compression!r}.", hint=f"One of: {known}.")
    frame.write_parquet(file, compression=cast(Compression, compression))


def _write_json(frame: pl.DataFrame, file: Path, _options: dict[str, str]) -> None:
    frame.write_json(file)


def _write_ndjson(frame: pl.DataFrame, file: Path, _options: dict[str, str]) -> None:
    frame.write_ndjson(file)


def _write_arrow(frame: pl.DataFrame, file: Path, _options: dict[str, str]) -> None:
    frame.write_ipc(file)


_WRITERS: dict[str, Callable[[pl.DataFrame, Path, dict[str, str]], None]] = {
    "csv": _write_csv,
    "json": _write_json,
    "ndjson": _write_ndjson,
    "parquet": _write_parquet,
    "arrow": _write_arrow,
}
