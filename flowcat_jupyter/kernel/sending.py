"""Sends the frames that a query names, as they are now, and takes them back afterwards."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import NamedTemporaryFile
from threading import Event
from typing import TYPE_CHECKING, Any

from flowcat_jupyter.kernel.background import interruptible, unless_cancelled
from flowcat_jupyter.kernel.client import Client
from flowcat_jupyter.kernel.frames import as_polars, is_pandas
from flowcat_jupyter.kernel.listing import frame_names
from flowcat_jupyter.shared.errors import FlowcatError, Invalid, LimitExceeded, SqlError
from flowcat_jupyter.shared.frame_names import NamedFrame, named_frames

if TYPE_CHECKING:
    import polars as pl

FRAMES = "catalog/sql/frames"
NO_LIMIT = 1 << 62


@dataclass
class Sent:
    """The ids of the frames that a query goes with, by name, and what to tell about them."""

    ids: dict[str, str] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)


def frames_named(query: str, names: Mapping[str, Any], hint: str) -> dict[str, Any]:
    """The values of the frames that ``query`` names, found among ``names``.

    :param hint: what to do about a name that is not there; what is there is told as well.
    :raises SqlError: a name is not there, with its place.
    """
    found: dict[str, Any] = {}
    for named in named_frames(query):
        if named.name not in names:
            there = ", ".join(frame_names(names)[:20])
            hint = f"{hint} Frames here: {there}." if there else hint
            raise _misplaced(query, named, f"There is no frame {named.name} here.", hint)
        found[named.name] = names[named.name]
    return found


def meant_frame(error: FlowcatError, query: str, names: Mapping[str, Any]) -> str | None:
    """What to write where ``query`` names a frame as if it were a table, if ``error`` says so."""
    if error.condition != "TABLE_OR_VIEW_NOT_FOUND" or not (error.line and error.column):
        return None
    rest = query.split("\n")[error.line - 1][error.column - 1 :]
    name = re.match(r"\w+(?![\w.])", rest)
    if name is None or name[0] not in frame_names(names):
        return None
    return f"The variable {name[0]} of this notebook is read as :{name[0]}."


def _misplaced(query: str, named: NamedFrame, message: str, hint: str) -> SqlError:
    before = query[: named.offset]
    return SqlError(
        message,
        condition="TABLE_OR_VIEW_NOT_FOUND",
        sqlstate="42P01",
        line=before.count("\n") + 1,
        column=named.offset - before.rfind("\n"),
        hint=hint,
    )


@contextmanager
def sent(client: Client, frames: Mapping[str, Any]) -> Iterator[Sent]:
    """``frames`` on the server as long as the context; one that has two names is sent once.

    :raises Invalid: one is no table, or has a column that SQL has no type for.
    :raises LimitExceeded: one is larger than the server's limit on a result's bytes.
    """
    made = Sent()
    known: dict[int, str] = {}
    most = int(client.get("catalog/status").get("result_max_bytes", NO_LIMIT)) if frames else 0
    try:
        for name, value in frames.items():
            if id(value) not in known:
                known[id(value)] = _send(client, name, value, most, made.warnings)
            made.ids[name] = known[id(value)]
        yield made
    finally:
        for frame_id in known.values():
            client.delete_quietly(f"{FRAMES}/{frame_id}")


def _send(client: Client, name: str, value: Any, most: int, warnings: list[str]) -> str:
    limit = _Limit(name, most)
    try:
        frame = _queryable(value, limit)
    except LimitExceeded:
        raise
    except FlowcatError as error:
        raise Invalid(
            f"The frame {name} cannot be queried: {error.message}",
            condition=error.condition,
            sqlstate=error.sqlstate,
            hint=error.hint,
        ) from error
    if _drops_index(value):
        warnings.append(f"The index of {name} has no name and is left out; name it to keep it.")
    with NamedTemporaryFile(prefix="flowcat-", suffix=".arrow") as spool:
        _write(frame, spool.name, limit)
        size = Path(spool.name).stat().st_size
        limit.check(size)
        reply = client.send(FRAMES, Path(spool.name), size)
    return str(reply["frame_id"])


def _queryable(value: Any, limit: _Limit) -> pl.DataFrame | pl.LazyFrame:
    """``value`` in types that a query can take."""
    import polars as pl

    from flowcat_jupyter.formats.types import check_columns, queryable

    if isinstance(value, (dict, list)):
        raise Invalid(
            f"A {type(value).__name__} is not a table.",
            hint="Make it one: import polars as pl; pl.DataFrame(…).",
        )
    frame = _read(value, limit) if type(value).__name__ == "RecordBatchReader" else as_polars(value)
    lazy: pl.LazyFrame = _computed(lambda: queryable(frame.lazy()))
    check_columns(_computed(lambda: lazy.collect_schema().names()))
    return lazy if isinstance(frame, pl.LazyFrame) else lazy.collect()


def _computed(work: Callable[[], Any]) -> Any:
    from polars.exceptions import PolarsError

    try:
        return work()
    except (PolarsError, OSError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise Invalid(f"It cannot be computed: {reason}") from error


def _read(reader: Any, limit: _Limit) -> pl.DataFrame:
    """What is left in a pyarrow RecordBatchReader, which is used up by it."""
    import polars as pl

    parts = [pl.DataFrame(reader.schema.empty_table())]
    for batch in reader:
        part = pl.DataFrame(batch)
        limit.add(part)
        parts.append(part)
    return pl.concat(parts)


def _write(frame: pl.DataFrame | pl.LazyFrame, path: str, limit: _Limit) -> None:
    import polars as pl

    oldest = pl.CompatLevel.oldest()
    if isinstance(frame, pl.DataFrame):
        limit.add(frame)
        frame.write_ipc(path, compression="uncompressed", compat_level=oldest)
        return

    def write(cancelled: Event) -> None:
        rows = unless_cancelled(frame, cancelled, limit.add)
        rows.sink_ipc(path, compression="uncompressed", compat_level=oldest)

    try:
        _computed(lambda: interruptible(write))
    except Invalid as error:
        limit.check(limit.size)
        raise Invalid(
            f"The frame {limit.name} cannot be queried: {error.message}", hint=error.hint
        ) from error


@dataclass
class _Limit:
    """How much of a frame has gone by, and how much may."""

    name: str
    most: int
    size: int = 0

    def add(self, part: pl.DataFrame) -> None:
        self.size += _at_least(part)
        self.check(self.size)

    def check(self, size: int) -> None:
        if size > self.most:
            raise LimitExceeded(
                f"The frame {self.name} has more than the {self.most:,} bytes that the server "
                "takes (result_max_bytes).",
                hint="Select the columns and rows the query needs, write it to a table, or raise "
                "c.Flowcat.result_max_bytes.",
            )


def _at_least(frame: pl.DataFrame) -> int:
    """A lower bound of the bytes that a frame takes on its way.

    polars' own estimate counts buffers whole of which a slice may hold a few rows.
    """
    size = 0
    for column in frame.get_columns():
        kind = column.dtype
        if kind.is_numeric() or kind.is_temporal():
            size += frame.height * _WIDTHS.get(str(kind), 8 if kind.is_temporal() else 1)
        elif str(kind) == "String":
            size += int(column.str.len_bytes().sum())
        elif str(kind) == "Binary":
            size += int(column.bin.size().sum())
    return size


_WIDTHS = {
    "Int16": 2,
    "Int32": 4,
    "Int64": 8,
    "Float32": 4,
    "Float64": 8,
    "Date": 4,
}


def _drops_index(value: Any) -> bool:
    if not is_pandas(value) or any(name is not None for name in value.index.names):
        return False
    index = value.index
    plain = type(index).__name__ == "RangeIndex" and index.start == 0 and index.step == 1
    return not plain
