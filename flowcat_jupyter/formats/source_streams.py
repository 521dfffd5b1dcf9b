"""Sources that elsewhere never end, read as a bounded number of rows: ``rate`` and ``socket``."""

from __future__ import annotations

import ipaddress
import os
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import polars as pl

from flowcat_jupyter.formats.batches import lazily
from flowcat_jupyter.formats.options import (
    Option,
    Options,
    flag,
    number,
    read_options,
    refused,
    text,
)
from flowcat_jupyter.formats.protocol import Reading, Scan, label_of
from flowcat_jupyter.formats.source_table import no_history, refuse_version
from flowcat_jupyter.formats.types import UTC_TIMESTAMP
from flowcat_jupyter.shared.conditions import Conditions
from flowcat_jupyter.shared.errors import Forbidden, Invalid, LimitExceeded, Unavailable
from flowcat_jupyter.shared.wire import Column, HistoryInfo, Source, TableFacts

MOST_ROWS = 100_000_000
_BATCH = 1_000_000
_MAX_LINE = 1 << 20
ALLOWED_HOSTS = "FLOWCAT_SOCKET_HOSTS"
"""The environment variable with the hosts, apart by commas, that ``socket`` may read from beside
this machine.
"""
_BOUNDED = "There is no streaming here: say how many rows to read with rows."
_RATE: tuple[Option, ...] = (
    number("rowsPerSecond", 1, least=1),
    number("numPartitions", 1, least=1),
    number("rows", None, least=0),
    refused("rampUpTime", _BOUNDED),
    refused("rowsPerBatch", _BOUNDED),
)
_SOCKET: tuple[Option, ...] = (
    text("host"),
    number("port", None, least=1),
    number("rows", 1000, least=1),
    number("timeout", 10, least=1),
    flag("includeTimestamp", False),
)
_RATE_COLUMNS = (Column("timestamp", "timestamp"), Column("value", "bigint"))
_LINE = Column("value", "string")
_TIME = Column("timestamp", "timestamp")
Frames = Callable[[], Iterator[pl.DataFrame]]


@dataclass(frozen=True)
class OpenedRows:
    """See `Opened`."""

    columns: tuple[Column, ...]
    frames: Frames
    route: str
    schema: pl.Schema
    version: None = None

    def scan(self, conditions: Conditions = ()) -> Scan:
        """The rows, made when they are read."""
        reading = Reading(route=self.route)
        return Scan(lazily(self.frames, self.schema), self.columns, None, (), reading)


class BoundedRows:
    """A format whose rows come from no files."""

    def __init__(
        self, name: str, options: Sequence[Option], opened: Callable[[Options], OpenedRows]
    ) -> None:
        """The format ``name``, opened by its options."""
        self.name = name
        self._options = options
        self._opened = opened

    def open(self, source: Source) -> OpenedRows:
        """Understand the options; nothing is read.

        :raises Invalid: an option is unknown or wrong, or a path or columns are given.
        """
        label = label_of(source) or self.name
        refuse_version(source, label)
        options = read_options(self.name, source.options, self._options)
        opened = self._opened(options)
        given = [(column.name, column.type) for column in source.columns]
        if given and given != [(column.name, column.type) for column in opened.columns]:
            raise Invalid(
                f"The columns of {self.name} are its own.",
                hint=", ".join(f"{c.name} {c.type.upper()}" for c in opened.columns),
            )
        return opened

    def scan(self, source: Source) -> Scan:
        """All rows."""
        return self.open(source).scan()

    def facts(self, source: Source) -> TableFacts:
        """The columns."""
        columns = self.open(source).columns
        return TableFacts(self.name, columns, (), None, None, None, None)

    def history(self, source: Source, limit: int) -> HistoryInfo:
        """These rows keep no history.

        :raises Invalid: always.
        """
        raise no_history(source)


def _rate(options: Options) -> OpenedRows:
    """One row for each tick of a clock that begins now."""
    a_second, rows = options["rowsPerSecond"], options["rows"]
    rows = a_second if rows is None else rows
    if rows > MOST_ROWS:
        raise Invalid(f"rate gives {MOST_ROWS:,} rows at most.", hint="Say fewer with rows.")
    begun = datetime.now(UTC)
    step = timedelta(seconds=1) / a_second

    def frames() -> Iterator[pl.DataFrame]:
        for first in range(0, rows, _BATCH):
            values = pl.int_range(first, min(first + _BATCH, rows), dtype=pl.Int64, eager=True)
            micros = (values.cast(pl.Float64) * step.total_seconds() * 1e6).cast(pl.Int64)
            times = micros + int(begun.timestamp() * 1e6)
            yield pl.DataFrame(
                {"timestamp": times.cast(pl.Datetime("us")).cast(UTC_TIMESTAMP), "value": values}
            )

    schema = pl.Schema({"timestamp": UTC_TIMESTAMP, "value": pl.Int64()})
    return OpenedRows(_RATE_COLUMNS, frames, f"{rows:,} rows of a clock", schema)


def _socket(options: Options) -> OpenedRows:
    """Lines of text that another program sends, at most ``rows`` within ``timeout`` seconds."""
    host, port = options["host"], options["port"]
    if not host or not port:
        raise Invalid(
            "socket needs the options host and port.",
            hint="OPTIONS (host 'localhost', port '9999')",
        )
    address = _allowed(host, port)
    timed = options["includeTimestamp"]

    def frames() -> Iterator[pl.DataFrame]:
        lines = list(_lines(address, options["rows"], options["timeout"], host))
        frame = pl.DataFrame({"value": [line for line, _ in lines]}, schema={"value": pl.String()})
        if timed:
            times = pl.Series("timestamp", [at for _, at in lines], dtype=UTC_TIMESTAMP)
            frame = frame.with_columns(times)
        yield frame

    columns = (_LINE, _TIME) if timed else (_LINE,)
    types: dict[str, pl.DataType] = {"value": pl.String()}
    if timed:
        types["timestamp"] = UTC_TIMESTAMP
    return OpenedRows(columns, frames, "lines that a program sends", pl.Schema(types))


def _allowed(host: str, port: int) -> tuple[str, int]:
    """The address to connect to: of this machine, unless the host was allowed by name.

    :raises Forbidden: it is neither.
    """
    named = {each.strip().casefold() for each in os.environ.get(ALLOWED_HOSTS, "").split(",")}
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise _refused(host) from error
    addresses = [str(item[4][0]) for item in found]
    if host.casefold() not in named and not all(
        ipaddress.ip_address(each.partition("%")[0]).is_loopback for each in addresses
    ):
        raise _refused(host)
    # The address that was judged is the one connected to.
    return addresses[0], port


def _refused(host: str) -> Forbidden:
    return Forbidden(
        "read",
        "host",
        host,
        hint=f"socket reads from this machine, and from hosts that {ALLOWED_HOSTS} names.",
    )


def _lines(
    address: tuple[str, int], rows: int, seconds: int, host: str
) -> Iterator[tuple[str, datetime]]:
    ends = time.monotonic() + seconds
    held = b""
    try:
        with socket.create_connection(address, timeout=seconds) as link:
            while rows > 0 and (left := ends - time.monotonic()) > 0:
                link.settimeout(left)
                try:
                    data = link.recv(1 << 16)
                except TimeoutError:
                    return
                *lines, held = (held + data).split(b"\n")
                if not data and held:
                    lines, held = [held], b""
                for line in lines[:rows]:
                    yield line.decode("utf-8", "replace").rstrip("\r"), datetime.now(UTC)
                rows -= len(lines)
                if not data:
                    return
                if len(held) > _MAX_LINE:
                    raise LimitExceeded(f"A line from {host} is longer than a megabyte.")
    except OSError as error:
        raise Unavailable(f"Nothing can be read from {host}: {error.strerror or error}.") from error


RATE = BoundedRows("rate", _RATE, _rate)
SOCKET = BoundedRows("socket", _SOCKET, _socket)
