"""Whatever people hold rows in, as polars and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flowcat_jupyter.kernel.listing import listing as listing
from flowcat_jupyter.kernel.listing import report as report
from flowcat_jupyter.kernel.objects import check_objects
from flowcat_jupyter.shared.errors import Invalid, NotInstalled

if TYPE_CHECKING:
    import polars as pl

FORMS = ("polars", "pandas", "arrow")


def as_polars(data: Any) -> pl.DataFrame | pl.LazyFrame:
    """``data`` as a polars frame, without a copy where its memory allows.

    Taken are polars frames (a lazy one stays lazy), pandas frames, and everything that speaks the
    Arrow stream protocol: pyarrow tables and record batches, DuckDB relations, and more. A pandas
    index becomes columns when it has a name and is left out when it has none.

    :raises Invalid: it is none of these, or a column cannot be converted; it is named.
    """
    import polars as pl

    if isinstance(data, (pl.DataFrame, pl.LazyFrame)):
        return data
    if isinstance(data, pl.Series):
        return data.to_frame()
    if is_pandas(data):
        return _from_pandas(data)
    if hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__"):
        found, error = _tried(lambda: pl.DataFrame(data))
        if found is not None:
            return found
        raise Invalid(f"The data cannot be turned into a table: {error}") from error
    raise Invalid(
        f"A {type(data).__name__} is not a table.",
        hint="Give a polars or pandas DataFrame, a polars LazyFrame or an Arrow table.",
    )


def _from_pandas(data: Any) -> pl.DataFrame:
    import polars as pl

    check_objects(data)
    named = any(name is not None for name in data.index.names)
    found, error = _tried(lambda: pl.from_pandas(data, include_index=named))
    if found is not None:
        return found
    for place, name in enumerate(data.columns):
        column = data.iloc[:, [place]].reset_index(drop=True)
        if _tried(lambda column=column: pl.from_pandas(column))[0] is None:
            raise Invalid(
                f"The data cannot be turned into a table: column {name}: {error}",
                hint="Convert the column to numbers, text, dates or times.",
            ) from error
    raise Invalid(f"The data cannot be turned into a table: {error}") from error


def _tried(convert: Any) -> tuple[pl.DataFrame | None, Exception | None]:
    """What a conversion gives, or the error that stands in its way."""
    from polars.exceptions import PolarsError

    try:
        return convert(), None
    except (
        PolarsError,
        TypeError,
        ValueError,
        ImportError,
        NotImplementedError,
        OverflowError,
    ) as error:
        return None, error


def check_form(form: str) -> None:
    """Check that ``form`` is one of `FORMS`.

    :raises Invalid: it is not.
    """
    if form not in FORMS:
        raise Invalid(f"{form!r} is no form of a frame.", hint=f"One of: {', '.join(FORMS)}.")


def as_form(frame: pl.DataFrame, form: str) -> Any:
    """``frame`` as one of `FORMS`: itself, a pandas DataFrame or a pyarrow Table.

    Nothing is rounded on the way to pandas: whole numbers with a NULL among them become ``Int64``
    and the like, dates and decimals Python's own, lists and structs Arrow's.

    :raises NotInstalled: pandas or pyarrow is not there.
    """
    if form == "polars":
        return frame
    try:
        return _to_pandas(frame) if form == "pandas" else frame.to_arrow()
    except ModuleNotFoundError as error:
        raise NotInstalled(f"The form {form}", "pip install 'flowcat-jupyter[pandas]'") from error


def _to_pandas(frame: pl.DataFrame) -> Any:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    def nested(kind: Any) -> Any:
        return pd.ArrowDtype(kind) if pa.types.is_nested(kind) else None

    table = frame.to_arrow()
    made = table.to_pandas(types_mapper=nested, date_as_object=True)
    for place, column in enumerate(frame.get_columns()):
        if column.null_count() and (column.dtype.is_integer() or column.dtype == pl.Boolean):
            # numpy has no NULL for these: pandas would round them, or make objects of them.
            exact: Any = pd.api.types.pandas_dtype(str(column.dtype).replace("Bool", "bool"))
            made.isetitem(place, exact.__from_arrow__(table.column(place)))
    return made


def is_pandas(data: Any) -> bool:
    """Whether it is a pandas DataFrame; pandas is not imported to tell."""
    kind = type(data)
    return kind.__module__.partition(".")[0] == "pandas" and kind.__name__ == "DataFrame"
