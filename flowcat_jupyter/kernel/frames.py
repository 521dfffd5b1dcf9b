"""Whatever people hold rows in, as polars."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flowcat_jupyter.shared.errors import Invalid, NotInstalled

if TYPE_CHECKING:
    import polars as pl

FORMS = ("polars", "pandas", "arrow")


def as_polars(data: Any) -> pl.DataFrame | pl.LazyFrame:
    """``data`` as a polars frame, without a copy where its memory allows.

    Taken are polars frames (a lazy one stays lazy), pandas frames, and everything that speaks the
    Arrow stream protocol: pyarrow tables and record batches, DuckDB relations, and more. A pandas
    index becomes columns when it has a name and is left out when it has none.

    :raises Invalid: it is none of these, or a column cannot be converted.
    """
    import polars as pl
    from polars.exceptions import PolarsError

    if isinstance(data, (pl.DataFrame, pl.LazyFrame)):
        return data
    if isinstance(data, pl.Series):
        return data.to_frame()
    try:
        if _is_pandas(data):
            named = any(name is not None for name in data.index.names)
            return pl.from_pandas(data, include_index=named)
        if hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__"):
            return pl.DataFrame(data)
    except (PolarsError, TypeError, ValueError, ImportError, NotImplementedError) as error:
        raise Invalid(f"The data cannot be turned into a table: {error}") from error
    raise Invalid(
        f"A {type(data).__name__} is not a table.",
        hint="Give a polars or pandas DataFrame, a polars LazyFrame or an Arrow table.",
    )


def as_form(frame: pl.DataFrame, form: str) -> Any:
    """``frame`` as one of `FORMS`: itself, a pandas DataFrame or a pyarrow Table.

    :raises NotInstalled: pandas or pyarrow is not there.
    """
    if form == "polars":
        return frame
    try:
        return frame.to_pandas() if form == "pandas" else frame.to_arrow()
    except ModuleNotFoundError as error:
        raise NotInstalled(f"The form {form}", "pip install 'flowcat-jupyter[pandas]'") from error


def _is_pandas(data: Any) -> bool:
    kind = type(data)
    return kind.__module__.partition(".")[0] == "pandas" and kind.__name__ == "DataFrame"
