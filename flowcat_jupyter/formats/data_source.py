"""Base classes of data sources in Python, in the shape that PySpark gives them.

A class need not derive from these: one that derives from PySpark's, or merely has the methods, is
as good. See ``docs/how-to/extensions.md``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from typing import Any

from flowcat_jupyter.shared.names import back_ticked


class Options(MutableMapping[str, str]):
    """Options by name, whatever its case; iterating gives the names as they were written."""

    def __init__(self, values: Mapping[str, str] | None = None) -> None:
        """``values`` by name; of two that differ by case alone the later counts."""
        self._values: dict[str, tuple[str, str]] = {}
        self.update(values or {})

    def __getitem__(self, name: str) -> str:
        """The value of an option; KeyError if nobody gave it."""
        return self._values[name.casefold()][1]

    def __setitem__(self, name: str, value: str) -> None:
        """Give an option a value."""
        self._values[name.casefold()] = (name, value)

    def __delitem__(self, name: str) -> None:
        """Take an option away."""
        del self._values[name.casefold()]

    def __contains__(self, name: object) -> bool:
        """Whether an option was given."""
        return isinstance(name, str) and name.casefold() in self._values

    def __iter__(self) -> Iterator[str]:
        """The names."""
        return iter([name for name, _ in self._values.values()])

    def __len__(self) -> int:
        """How many there are."""
        return len(self._values)


class TypeName(str):
    """A column's type as Spark DDL; ``simpleString()`` gives the same text, as in PySpark."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        """What PySpark calls it."""
        if name == "simpleString":
            return self.__str__
        raise AttributeError(name)


@dataclass(frozen=True)
class SchemaField:
    """A column: its name, its type (``dataType`` in PySpark) and whether it may be NULL."""

    name: str
    type: TypeName
    nullable: bool = True

    def __getattr__(self, name: str) -> Any:
        """What PySpark calls it."""
        if name == "dataType":
            return self.type
        raise AttributeError(name)


@dataclass(frozen=True)
class Schema:
    """The columns that rows have, in order."""

    fields: tuple[SchemaField, ...]

    @property
    def names(self) -> list[str]:
        """The columns' names."""
        return [field.name for field in self.fields]

    def __iter__(self) -> Iterator[SchemaField]:
        """The columns."""
        return iter(self.fields)

    def __len__(self) -> int:
        """How many columns there are."""
        return len(self.fields)

    def __str__(self) -> str:
        """The columns as DDL."""
        return ", ".join(f"{back_ticked(field.name)} {field.type}" for field in self.fields)


class Row(tuple[Any, ...]):
    """A row that is written: a tuple whose values also go by their columns' names."""

    _names: tuple[str, ...]

    @classmethod
    def of(cls, names: tuple[str, ...], values: Iterable[Any]) -> Row:
        """The row of ``values``, in the order of ``names``."""
        row = cls(values)
        row._names = names
        return row

    def __getitem__(self, key: Any) -> Any:
        """A value by its place, or by its column's name; KeyError if there is no such column."""
        if isinstance(key, str):
            return self[self._place(key, KeyError)]
        return super().__getitem__(key)

    def __getattr__(self, name: str) -> Any:
        """A value by its column's name."""
        if name.startswith("__") or name == "_names":
            raise AttributeError(name)
        if name == "asDict":
            return self.as_dict
        return self[self._place(name, AttributeError)]

    def as_dict(self) -> dict[str, Any]:
        """The values by name; ``asDict`` is the same."""
        return dict(zip(self._names, self, strict=True))

    def _place(self, name: str, missing: type[Exception]) -> int:
        try:
            return self._names.index(name)
        except ValueError as error:
            raise missing(name) from error


@dataclass
class InputPartition:
    """A part of the rows, read on its own; ``value`` says which."""

    value: Any = None


class WriterCommitMessage:
    """What a writer says of the rows it has written, for its own ``commit`` or ``abort``."""


class DataSourceReader:
    """Reads rows.

    A reader may also have ``pushFilters(filters)``, which is called once before ``partitions``
    with what the query asks (`EqualTo` and its like). It may leave out rows that meet not all of
    them; the query looks at every row itself all the same.
    """

    def partitions(self) -> Sequence[InputPartition]:
        """The parts of the rows, read one after the other; one part if there is but one."""
        return [InputPartition(None)]

    def read(self, partition: InputPartition) -> Iterator[Any]:
        """The rows of a part: tuples in the columns' order, or whole pyarrow RecordBatches or
        polars DataFrames.
        """
        raise NotImplementedError


class DataSourceWriter:
    """Writes rows: `write` once with all of them, then `commit`, or `abort` if anything failed."""

    def write(self, iterator: Iterator[Any]) -> Any:
        """Take every row, as a `Row`, where no reader sees it yet."""
        raise NotImplementedError

    def commit(self, messages: list[Any]) -> None:
        """Let readers see what was written; ``messages`` are what `write` returned."""

    def abort(self, messages: list[Any]) -> None:
        """Take back what was written; ``messages`` may be empty."""


class DataSourceArrowWriter(DataSourceWriter):
    """A writer that is given pyarrow RecordBatches in place of rows."""


class DataSource:
    """Something that rows can be read from or written to.

    ``options`` go by name without regard to case. Besides what is here a class may have
    ``exists()``, which says whether there is something already: the modes ``error`` and
    ``ignore`` ask it.
    """

    def __init__(self, options: Options) -> None:
        """A source with ``options``."""
        self.options = options

    @classmethod
    def name(cls) -> str:
        """The format's name: by default the class's."""
        return cls.__name__

    def schema(self) -> Any:
        """The columns, as DDL (``id BIGINT, name STRING``) or as PySpark's StructType."""
        raise NotImplementedError

    def reader(self, schema: Any) -> Any:
        """A `DataSourceReader` of rows that have the columns of ``schema``, a `Schema`."""
        raise NotImplementedError

    def writer(self, schema: Any, overwrite: bool) -> Any:
        """A `DataSourceWriter` of such rows; with ``overwrite`` they replace what is there."""
        raise NotImplementedError


@dataclass(frozen=True)
class Filter:
    """A condition on a column, ``attribute`` being the path of names to it."""

    attribute: tuple[str, ...]


@dataclass(frozen=True)
class Comparison(Filter):
    """A condition that compares a column with a value."""

    value: Any


class EqualTo(Comparison):
    """``column = value``."""


class GreaterThan(Comparison):
    """``column > value``."""


class GreaterThanOrEqual(Comparison):
    """``column >= value``."""


class LessThan(Comparison):
    """``column < value``."""


class LessThanOrEqual(Comparison):
    """``column <= value``."""


class In(Comparison):
    """``column IN (…)``; ``value`` is a tuple."""


class IsNull(Filter):
    """``column IS NULL``."""


class IsNotNull(Filter):
    """``column IS NOT NULL``."""
