"""Data sources in Python as a table format: classes of the shape that PySpark gives them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from flowcat_jupyter.formats import data_source
from flowcat_jupyter.formats.batches import lazily
from flowcat_jupyter.formats.data_source import Options
from flowcat_jupyter.formats.options import PROPERTIES, merged
from flowcat_jupyter.formats.protocol import Reading, Scan, label_of
from flowcat_jupyter.formats.python_calls import calling, cannot, overrides
from flowcat_jupyter.formats.python_rows import Once, frames_of
from flowcat_jupyter.formats.python_schema import declared_columns, told_schema
from flowcat_jupyter.formats.python_write import check_partitions, save
from flowcat_jupyter.formats.types import polars_type, widened
from flowcat_jupyter.shared.conditions import Condition, Conditions
from flowcat_jupyter.shared.errors import Invalid
from flowcat_jupyter.shared.extensions import Extension
from flowcat_jupyter.shared.names import name_key
from flowcat_jupyter.shared.wire import Column, HistoryInfo, OptionLayer, Source, TableFacts

PATH = "path"
_PYSPARK = "pyspark.sql.datasource"
_READ = "read"
_STREAMS = ("simpleStreamReader", "streamReader")
_COMPARED: dict[str, type[data_source.Comparison]] = {
    "=": data_source.EqualTo,
    "<": data_source.LessThan,
    "<=": data_source.LessThanOrEqual,
    ">": data_source.GreaterThan,
    ">=": data_source.GreaterThanOrEqual,
    "in": data_source.In,
}


def format_name(held: Any) -> str:
    """What a class of data sources calls itself.

    :raises Invalid: it is no such class, or its name cannot be one.
    """
    named = getattr(held, "name", None)
    if not isinstance(held, type) or not callable(named):
        raise Invalid(
            f"{held!r} is no class of data sources.",
            hint="A class with name(), schema() and reader() or writer() is wanted: derive from "
            "flowcat_jupyter.formats.data_source.DataSource.",
        )
    label = held.__name__
    with calling(label, "say its name"):
        name = named()
    if not isinstance(name, str) or not name.isidentifier():
        raise Invalid(
            f"The data source {label} calls itself {name!r}, which is no name for a format.",
            hint="Let name() give a word of letters, digits and underscores.",
        )
    return name


def installed_source(extension: Extension, held: Any) -> PythonFormat:
    """The format of a class that a package gives.

    :raises Invalid: it is no class of data sources, or calls itself something else.
    """
    name = format_name(held)
    if name_key(name) != name_key(extension.name):
        raise Invalid(
            f"Its entry point is called {extension.name}, and its class calls itself {name}.",
            hint="Give the entry point the name that name() returns.",
        )
    return PythonFormat(name, held)


class PythonFormat:
    """Rows that code of others gives, and takes. There are no versions and no history."""

    def __init__(self, name: str, held: Any) -> None:
        """The format ``name`` of a class of data sources."""
        self.name = name
        self._class = held

    def open(self, source: Source) -> OpenedPython:
        """Make the data source and learn its columns; nothing is read."""
        label = self._labelled(source)
        _refuse_version(source, label)
        made = self._made(source.options, source.location, label)
        self._check_reads(label)
        return OpenedPython(label, made, self._columns(made, source.columns, label))

    def scan(self, source: Source) -> Scan:
        """All rows, read when the frame is collected, and once."""
        return self.open(source).scan()

    def facts(self, source: Source) -> TableFacts:
        """The columns; how many rows there are is not known before they are read."""
        label = self._labelled(source)
        _refuse_version(source, label)
        made = self._made(source.options, source.location, label)
        properties = [layer.values for layer in source.options if layer.kind == PROPERTIES]
        return TableFacts(
            format=self.name,
            columns=self._columns(made, source.columns, label),
            partition_columns=(),
            row_count=None,
            size_bytes=None,
            version=None,
            data_files_version=None,
            properties=dict(properties[-1]) if properties else {},
        )

    def history(self, source: Source, limit: int) -> HistoryInfo:
        """Nothing: a data source keeps no history.

        :raises Invalid: always.
        """
        raise Invalid(
            f"{label_of(source)} is read by the data source {self.name}, which has no history.",
            condition="UNSUPPORTED_FEATURE.TABLE_OPERATION",
            sqlstate="0A000",
            hint="Copy it into a Delta table to have one: CREATE TABLE … AS SELECT.",
        )

    def define(
        self,
        columns: Sequence[Column],
        *,
        location: str | None,
        options: tuple[OptionLayer, ...],
        partition_by: Sequence[str] = (),
    ) -> None:
        """Check that a table of ``columns`` can be of such a data source; nothing is made.

        :raises Invalid: it does not take its options, or is to be partitioned.
        """
        check_partitions(partition_by, self.name)
        self._made(options, location, self.name)

    def save(
        self,
        frame: pl.LazyFrame,
        *,
        location: str | None,
        mode: str,
        options: tuple[OptionLayer, ...],
        partition_by: Sequence[str] = (),
        columns: Sequence[Column] = (),
    ) -> int:
        """Write rows, and count them: see `SinkFormat`."""
        made = self._made(options, location, self.name)
        return save(
            made, frame, mode=mode, columns=columns, partition_by=partition_by, label=self.name
        )

    def _labelled(self, source: Source) -> str:
        return f"{self.name} ({label_of(source)})" if source.name else self.name

    def _made(self, layers: Sequence[OptionLayer], location: str | None, label: str) -> Any:
        """The data source with its options; where it lies is the option ``path``."""
        options = Options(dict(merged(layers).values()))
        if location:
            options[PATH] = location
        with calling(label, "take its options"):
            return self._class(options)

    def _columns(self, made: Any, given: Sequence[Column], label: str) -> tuple[Column, ...]:
        if given:
            return tuple(given)
        try:
            with calling(label, "say its columns"):
                schema = made.schema()
        except Invalid as error:
            if not isinstance(error.__cause__, NotImplementedError):
                raise
            raise cannot(
                label,
                "say its columns",
                "List them: CREATE TABLE t (id BIGINT) USING …, or .schema('id BIGINT').",
            ) from error
        return declared_columns(schema, label)

    def _check_reads(self, label: str) -> None:
        if overrides(self._class, "reader"):
            return
        streams = [name for name in _STREAMS if overrides(self._class, name)]
        if streams:
            raise Invalid(
                f"The data source {label} can only be read as a stream ({streams[0]}), which is "
                "not supported.",
                condition="UNSUPPORTED_FEATURE.STREAMING",
                sqlstate="0A000",
                hint="Give it a reader(schema), which reads what there is.",
            )
        raise cannot(label, "be read", "Give its class a reader(schema).")


@dataclass(frozen=True)
class OpenedPython:
    """See `Opened`; there is no version."""

    label: str
    made: Any
    columns: tuple[Column, ...]
    version: None = None

    def scan(self, conditions: Conditions = ()) -> Scan:
        """The rows; the reader is told what all places that read them ask, if it wants to know."""
        with calling(self.label, _READ):
            reader = self.made.reader(told_schema(self.columns))
        if reader is None or not hasattr(reader, "read"):
            raise Invalid(
                f"The reader of the data source {self.label} is {type(reader).__name__}, which "
                "has no read(partition)."
            )
        self._push(reader, conditions)
        schema = pl.Schema({item.name: widened(polars_type(item.type)) for item in self.columns})
        once = Once(lambda: frames_of(reader, self.columns, self.label))
        reading = Reading(route="code of a data source", rows_skipped=None)
        return Scan(lazily(once.frames, schema), self.columns, None, (), reading)

    def _push(self, reader: Any, conditions: Conditions) -> None:
        if len(conditions) != 1 or not overrides(reader, "pushFilters"):
            return
        module = _filters_for(reader)
        filters = [_filter(item, module) for item in conditions[0]]
        with calling(self.label, "take filters"):
            # What it does not take is told one by one; every row is looked at again anyway.
            list(reader.pushFilters(filters) or ())


def _filter(condition: Condition, module: Any) -> Any:
    """A condition as a filter, of the classes that ``module`` has."""
    attribute = (condition.column,)
    if condition.op not in _COMPARED:
        null = data_source.IsNull if condition.op == "is_null" else data_source.IsNotNull
        return getattr(module, null.__name__)(attribute)
    values = condition.values
    kind = getattr(module, _COMPARED[condition.op].__name__)
    return kind(attribute, values if condition.op == "in" else values[0])


def _filters_for(reader: Any) -> Any:
    """The module whose filters a reader looks for: PySpark's, if it derives from a class there."""
    derived = any(base.__module__ == _PYSPARK for base in type(reader).__mro__)
    return sys.modules.get(_PYSPARK, data_source) if derived else data_source


def _refuse_version(source: Source, label: str) -> None:
    if source.version is not None or source.timestamp is not None:
        raise Invalid(
            f"The data source {label} has no versions.",
            condition="UNSUPPORTED_FEATURE.TIME_TRAVEL",
            sqlstate="0A000",
            hint="Copy it into a Delta table to read old versions.",
        )
