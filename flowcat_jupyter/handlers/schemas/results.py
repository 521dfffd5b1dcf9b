"""What can be asked about the rows of a result or a table."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from flowcat_jupyter.handlers.schemas.base import Reply, Request

FilterOp = Literal[
    "=",
    "!=",
    "<",
    "<=",
    ">",
    ">=",
    "contains",
    "starts_with",
    "is_null",
    "not_null",
    "is_nan",
    "in",
    "not_in",
]
ChartMark = Literal["bar", "line", "area", "point", "histogram"]
ChartAggregate = Literal["count", "sum", "avg", "min", "max", "median", "none"]
ExportFormat = Literal["csv", "tsv", "json", "ndjson", "parquet", "arrow", "xlsx", "markdown"]


class FilterTerm(Request):
    """A condition of the argument ``filter``, which is a JSON list of these: all must hold."""

    column: int | str = Field(description="a result's column by index, a table's by name")
    op: FilterOp
    value: str | None = Field(default=None, description="text, read as the column's type")
    values: list[str | None] | None = Field(default=None, description="of in and not_in")


class FindReply(Reply):
    """Where a text is shown next; row and column are null when it is nowhere."""

    row: int | None = Field(description="counted from 0 in the filtered and sorted rows")
    column: int | None
    matches: int = Field(description="how many rows show it")


class CellReply(Reply):
    """The whole of one value as text; null is NULL."""

    value: str | None
    type: str
    bytes: int


class HistogramBin(Reply):
    """Values from ``from`` up to, but not including, ``to``; the last bin includes it."""

    from_: str = Field(alias="from")
    to: str
    count: int


class TopValue(Reply):
    """A value and how often it is there; null is NULL."""

    value: str | None
    count: int


class ColumnSummary(Reply):
    """What a column holds. Values are exact texts as the grid shows them."""

    name: str
    type: str
    rows: int
    nulls: int
    nans: int
    empty: int = Field(description="how often the empty text is there")
    distinct: int | None = Field(description="values other than NULL")
    distinct_exact: bool = Field(description="false: distinct is an estimate")
    min: str | None
    max: str | None
    mean: str | None
    std: str | None
    quantiles: dict[str, str] | None = Field(description="by 0.05, 0.25, 0.5, 0.75 and 0.95")
    histogram: list[HistogramBin]
    top: list[TopValue] = Field(description="the most frequent, at most 20")
    true_count: int | None = Field(description="of a boolean column")


class ChartRequest(Request):
    """What to draw; what is null the server chooses by the columns' types."""

    mark: ChartMark | None = None
    x: str | None = Field(default=None, description="a result's column by index, a table's by name")
    y: str | None = None
    colour: str | None = None
    aggregate: ChartAggregate | None = None


class ChartChoice(Reply):
    """What is drawn."""

    mark: ChartMark
    x: str | None
    y: str | None
    colour: str | None
    aggregate: ChartAggregate


class ChartReply(Reply):
    """A Vega-Lite 5 specification with its data, of bounded size."""

    chosen: ChartChoice
    spec: dict[str, Any]
    rows: int = Field(description="rows that were looked at")
    cut: bool = Field(description="not all of them are drawn; the warnings say why")
    warnings: list[str]


class ResultStatus(Reply):
    """How far a query is."""

    state: Literal["queued", "running", "done"]
    position: int | None = Field(description="place in the queue, 1 being next")
    elapsed_ms: float
    rows: int | None
    message: str | None
