"""Which value keeps a column of text from having a type."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import polars as pl

from flowcat_jupyter.formats import files_values as values
from flowcat_jupyter.formats.files_measure import Test

_CALLED = {
    "integer": "an integer",
    "number": "a number",
    "comma_number": "a number",
    "flag": "true or false",
    "date": "a date",
    "zoned": "a timestamp with a zone",
    "naive": "a timestamp",
    **dict.fromkeys(values.ORDERS, "a date"),
}
"""What a column's values are by its hypothesis, the narrower before the wider."""


def not_called(alive: Collection[str]) -> str | None:
    """What a value is not that contradicts all hypotheses ``alive``."""
    return next((called for test, called in _CALLED.items() if test in alive), None)


def odd_value(
    series: pl.Series, alive: Collection[str], tests: Mapping[str, Test], nulls: Sequence[str]
) -> tuple[str, str] | None:
    """The value of ``series`` that contradicts the last of the hypotheses ``alive``, and what it
    is not. None where the hypotheses say nothing of a type.
    """
    text = series.str.strip_chars().alias("text")
    some = text.filter(text.is_not_null() & (text != "") & ~text.is_in(nulls)).to_frame()
    last: tuple[int, str] | None = None
    for test in _CALLED:
        if test not in alive:
            continue
        fits = some.select(tests[test](pl.col("text")).fill_null(value=False)).to_series()
        at = fits.arg_min()
        if at is not None and not fits[at] and (last is None or at > last[0]):
            last = at, _CALLED[test]
    return None if last is None else (str(some.item(last[0], 0)), last[1])
