"""What workers are asked about the rows of a result or a table, and what they answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from flowcat_jupyter.shared import wire
from flowcat_jupyter.shared.wire import Column, Job, Source


@dataclass(frozen=True)
class FilterTerm:
    """A condition on a column, by index or by name: ``op`` is one of ``= != < <= > >= contains
    starts_with is_null not_null is_nan in not_in``; ``value`` and ``values`` (of ``in`` and
    ``not_in``) are texts that are read as the column's type.
    """

    column: int | str
    op: str
    value: str | None = None
    values: tuple[str | None, ...] = ()


@dataclass(frozen=True, kw_only=True)
class View:
    """Rows somebody looks at: a spooled result (``spool``) or a table (``source``), filtered, and
    sorted with nulls first ascending and last descending.

    ``columns`` are a result's; instants are read and shown in ``time_zone``. ``order`` is a file
    that keeps the numbers of a result's rows in this order, once they have been found.
    """

    spool: str | None = None
    source: Source | None = None
    columns: tuple[Column, ...] = ()
    filters: tuple[FilterTerm, ...] = ()
    sort: int | str | None = None
    descending: bool = False
    time_zone: str = "UTC"
    order: str | None = None


@dataclass(frozen=True, kw_only=True)
class RowsJob(View, Job):
    """A page of a view.

    Writes Arrow (an IPC file whose stream part is the page) to ``out``, or strict JSON rows when
    ``as_json``. ``display`` turns what JavaScript cannot hold exactly into text, and cuts long
    texts. Answers a `PageInfo`.
    """

    kind: ClassVar[str] = "rows"
    short: ClassVar[bool] = True
    out: str
    offset: int
    limit: int
    as_json: bool = False
    display: bool = False


@dataclass(frozen=True, kw_only=True)
class FindJob(View, Job):
    """The next row after (or before) row ``after`` of a view that shows ``text``; answers a
    `FindInfo`. The search wraps round; ``after`` -1 begins at the start, or backwards at the end.
    """

    kind: ClassVar[str] = "find"
    short: ClassVar[bool] = True
    text: str
    after: int = -1
    backwards: bool = False
    case: bool = False


@dataclass(frozen=True)
class FindInfo:
    """A place in a view, None when the text is nowhere; ``matches`` counts rows that show it."""

    row: int | None
    column: int | None
    matches: int


@dataclass(frozen=True, kw_only=True)
class CellJob(View, Job):
    """The whole of one value of a view; answers a `CellInfo`."""

    kind: ClassVar[str] = "cell"
    short: ClassVar[bool] = True
    row: int
    column: int | str


@dataclass(frozen=True)
class CellInfo:
    """A value's text (None: NULL), its Spark type and its size in bytes."""

    value: str | None
    type: str
    bytes: int


@dataclass(frozen=True, kw_only=True)
class SummaryJob(View, Job):
    """What a view's column holds; answers a `SummaryInfo`. The order plays no part."""

    kind: ClassVar[str] = "summary"
    column: int | str


@dataclass(frozen=True)
class Bin:
    """How many values lie from ``start`` up to, but not including, ``end``; the last bin's ``end``
    is included.
    """

    start: str
    end: str
    count: int


@dataclass(frozen=True)
class TopValue:
    """A value (None: NULL) and how often it is there."""

    value: str | None
    count: int


@dataclass(frozen=True)
class SummaryInfo:
    """What a column holds; values are texts as the grid shows them.

    ``nans`` and ``empty`` count NaN and the empty text, which are neither NULL nor each other.
    Minimum, maximum, mean and the rest pass over NULL and NaN. ``distinct`` counts values other
    than NULL; it is an estimate unless ``distinct_exact``.
    """

    name: str
    type: str
    rows: int
    nulls: int
    nans: int = 0
    empty: int = 0
    distinct: int | None = None
    distinct_exact: bool = True
    min: str | None = None
    max: str | None = None
    mean: str | None = None
    std: str | None = None
    quantiles: dict[str, str] | None = None
    histogram: tuple[Bin, ...] = ()
    top: tuple[TopValue, ...] = ()
    true_count: int | None = None


@dataclass(frozen=True)
class ChartChoice:
    """What is drawn: columns by index (as text) or name; None where something is not drawn, or in
    a wish where the worker may choose.
    """

    mark: str | None = None
    x: str | None = None
    y: str | None = None
    colour: str | None = None
    aggregate: str | None = None


@dataclass(frozen=True, kw_only=True)
class ChartJob(View, Job):
    """A drawing of a view; answers a `ChartInfo`."""

    kind: ClassVar[str] = "chart"
    wish: ChartChoice


@dataclass(frozen=True)
class ChartInfo:
    """A Vega-Lite ``spec`` with its data. ``rows`` counts those of the view; ``cut`` says that not
    all of them are drawn, ``warnings`` why.
    """

    chosen: ChartChoice
    spec: dict[str, Any]
    rows: int
    cut: bool
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ExportJob(View, Job):
    """Write every row of a view as a file of ``format`` to ``out``; answers an `ExportInfo`.

    ``chosen`` are the columns, by index or name, in their order (empty: all).
    ``formula_safe`` disarms texts that a spreadsheet would compute.
    """

    kind: ClassVar[str] = "export"
    out: str
    format: str
    chosen: tuple[int | str, ...] = ()
    formula_safe: bool = False


@dataclass(frozen=True)
class ExportInfo:
    """How many rows a file holds of a view's ``total``."""

    rows: int
    total: int
    warnings: tuple[str, ...] = field(default=())


wire.register(dict(globals()))
