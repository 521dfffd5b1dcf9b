"""Data sources in the kernel: classes of its notebook, and those of packages installed here.

Their code runs in this kernel and nowhere else; no class is ever sent to the server.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

from flowcat_jupyter.shared.errors import AlreadyExists, Invalid
from flowcat_jupyter.shared.extensions import DATA_SOURCE, FORMATS, SOURCE_MADE_BY, known_extensions
from flowcat_jupyter.shared.names import name_key
from flowcat_jupyter.shared.registry import Registry
from flowcat_jupyter.shared.wire_plans import OptionLayer, Source

if TYPE_CHECKING:
    import polars as pl

    from flowcat_jupyter.formats.python import PythonFormat

Place: TypeAlias = "str | os.PathLike[str]"
Options = tuple[tuple[str, str], ...]
_SPARKS = {"partitionBy": "partition_by", "saveAsTable": "save_as_table"}


class KernelSources:
    """The data sources that this kernel knows by name."""

    def __init__(self) -> None:
        """Those of installed packages, looked for when a name is first asked for."""
        self._own: dict[str, PythonFormat] = {}
        self._installed: Registry[PythonFormat] | None = None

    def register(self, held: Any, taken: tuple[str, ...] = ()) -> str:
        """Let this kernel know a class by the name it gives itself; which that is.

        A class registered before under that name is replaced, as when a cell is run again.

        :raises AlreadyExists: a format or an installed data source, or one ``taken``, is called so.
        :raises Invalid: it is no class of data sources.
        """
        from flowcat_jupyter.formats.python import PythonFormat, format_name

        name = format_name(held)
        others = {name_key(item) for item in (*FORMATS, *taken, *self._packages())}
        if name_key(name) in others:
            raise AlreadyExists("format", name, hint="Let name() of the class say another.")
        self._own[name_key(name)] = PythonFormat(name, held)
        return name

    def forget(self, held: Any) -> None:
        """Let this kernel know a registered class no longer."""
        from flowcat_jupyter.formats.python import format_name

        self._own.pop(name_key(format_name(held)), None)

    def find(self, name: str) -> PythonFormat | None:
        """The data source called ``name``; None if there is none.

        :raises Invalid: a package gives it, and it cannot be used.
        """
        own = self._own.get(name_key(name))
        if own is not None:
            return own
        if name not in self._packages():
            # It may have been installed since they were looked for.
            self._installed = None
        return self._packages().get(name) if name in self._packages() else None

    def __iter__(self) -> Iterator[str]:
        """The names, sorted."""
        return iter(sorted({*self._own, *self._packages()}))

    def _packages(self) -> Registry[PythonFormat]:
        if self._installed is None:
            self._installed = Registry(DATA_SOURCE)
            known = known_extensions(DATA_SOURCE)
            self._installed.register_extensions(known, made_by=SOURCE_MADE_BY)
        return self._installed


SOURCES = KernelSources()
"""Those of this kernel: there is one in a process."""


@dataclass(frozen=True)
class SourceReader:
    """How a data source is to be read; every method gives a new reader."""

    _source: PythonFormat
    _options: Options = ()
    _schema: str | None = None

    def option(self, key: str, value: object) -> SourceReader:
        """Set an option of the data source; names are compared without regard to case."""
        return replace(self, _options=(*self._options, (key, text(value))))

    def options(self, **values: object) -> SourceReader:
        """Set several options."""
        return replace(self, _options=(*self._options, *as_options(values)))

    def schema(self, ddl: str) -> SourceReader:
        """The columns, in place of those the data source declares: ``"id bigint, name string"``."""
        return replace(self, _schema=ddl)

    def load(self, path: Place | None = None) -> pl.LazyFrame:
        """Its rows, which it gives when the frame is first collected, and once.

        ``path`` is the option of that name.

        :raises Invalid: its code fails, or a row does not fit its columns.
        """
        from flowcat_jupyter.formats.python_schema import declared_columns
        from flowcat_jupyter.kernel.tables import as_declared

        source = self._source
        given = () if self._schema is None else declared_columns(self._schema, source.name)
        location = "" if path is None else os.fspath(path)
        return as_declared(
            source.scan(
                Source(
                    relation="r1",
                    kind="table",
                    name=(),
                    format=source.name,
                    location=location,
                    options=layered(self._options),
                    columns=given,
                )
            )
        )


@dataclass(frozen=True)
class SourceWriter:
    """How rows are to be written to a data source; every method gives a new writer."""

    _data: Any
    _source: PythonFormat
    _options: Options = ()
    _mode: str = "error"
    _partition_by: tuple[str, ...] = ()

    def option(self, key: str, value: object) -> SourceWriter:
        """Set an option of the data source; names are compared without regard to case."""
        return replace(self, _options=(*self._options, (key, text(value))))

    def options(self, **values: object) -> SourceWriter:
        """Set several options."""
        return replace(self, _options=(*self._options, *as_options(values)))

    def mode(self, name: str) -> SourceWriter:
        """What to do about what is there: ``error`` (by default), ``ignore``, ``append`` or
        ``overwrite``.
        """
        return replace(self, _mode=save_mode(name))

    def partition_by(self, *columns: str) -> SourceWriter:
        """Columns to partition by, which data sources are not told of: `save` refuses them."""
        return replace(self, _partition_by=(*self._partition_by, *columns))

    def save_as_table(self, name: str) -> NoReturn:
        """Refused: what runs in this kernel alone is no table for everybody.

        :raises Invalid: always.
        """
        raise Invalid(
            f"{name} cannot be made USING {self._source.name} from a kernel.",
            condition="UNSUPPORTED_FEATURE.TABLE_OPERATION",
            sqlstate="0A000",
            hint="If a package has the data source, make the table by SQL: CREATE TABLE … USING.",
        )

    def __getattr__(self, name: str) -> Any:
        """Spark's spelling of the methods."""
        return spark_named(self, name)

    def save(self, path: Place | None = None) -> int:
        """Have it write all rows and commit them; how many they were.

        ``path`` is the option of that name.

        :raises AlreadyExists: there is something, and the mode is ``error``.
        :raises Invalid: it cannot be written, or its code fails; it was told to take back what it
            wrote.
        """
        from flowcat_jupyter.formats.types import queryable, spark_columns
        from flowcat_jupyter.kernel.frames import as_polars

        frame = queryable(as_polars(self._data).lazy())
        return self._source.save(
            frame,
            location=None if path is None else os.fspath(path),
            mode=self._mode,
            options=layered(self._options),
            partition_by=self._partition_by,
            columns=spark_columns(frame.collect_schema()),
        )


def save_mode(name: str) -> str:
    """A way to save by any of its names.

    :raises Invalid: it is none.
    """
    from flowcat_jupyter.formats.sink_publish import check_mode

    return check_mode(name)


def spark_named(of: object, name: str) -> Any:
    """What Spark calls otherwise.

    :raises AttributeError: there is no such name.
    """
    own = _SPARKS.get(name)
    if own is None:
        raise AttributeError(f"{type(of).__name__!r} object has no attribute {name!r}")
    return getattr(of, own)


def layered(options: Options) -> tuple[OptionLayer, ...]:
    """Options as formats take them, each later than those before it."""
    return tuple(OptionLayer("options", {key: value}) for key, value in options)


def text(value: object) -> str:
    """An option's value as text: true and false in lower case."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def as_options(values: Mapping[str, object]) -> Options:
    """Options by name, in order."""
    return tuple((key, text(value)) for key, value in values.items())
