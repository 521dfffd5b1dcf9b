"""Floating-point numbers stored as decimals or as text: the values that CAST gives for them."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Context, Decimal

import polars as pl

_EXACT_DIGITS = 15
"""So many digits survive the way through a DOUBLE and back (IEEE 754 binary64)."""
_WIDE = Context(prec=400, rounding=ROUND_HALF_UP)
_LEAST_PLAIN, _LEAST_SCIENTIFIC = 1e-3, 1e7
_NAMES = {"inf": "Infinity", "-inf": "-Infinity", "NaN": "NaN"}


def as_decimals(values: pl.Series, dtype: pl.Decimal) -> pl.Series:
    """Each number's shortest text (a FLOAT's as a DOUBLE), rounded half up to the scale.

    NULL where the result has too many digits, or the number is infinite or NaN.
    """
    wide = values.cast(pl.Float64)
    whole = (wide * 10.0**dtype.scale).round(0)
    # Few enough digits, and the number itself: then these digits are its text.
    few = whole.abs() < 10.0 ** min(_EXACT_DIGITS, dtype.precision)
    easy = (few & (whole / 10.0**dtype.scale == wide)).fill_null(value=True)
    # What is not easy may be too large for polars to look at.
    quick = wide.set(~easy, None).cast(dtype, strict=False)
    hard = wide.filter(~easy).unique()
    if hard.is_empty():
        return quick
    told = pl.Series([_decimal(number, dtype) for number in hard.to_list()], dtype=dtype)
    careful = wide.replace_strict(hard, told, default=None, return_dtype=dtype)
    return quick.zip_with(easy, careful)


def _decimal(number: float, dtype: pl.Decimal) -> Decimal | None:
    exact = Decimal(repr(number))
    if not exact.is_finite():
        return None
    rounded = exact.quantize(Decimal(1).scaleb(-dtype.scale), context=_WIDE)
    return rounded if len(rounded.as_tuple().digits) <= dtype.precision else None


def as_texts(values: pl.Series) -> pl.Series:
    """Each number as Java's ``Double.toString`` and ``Float.toString`` write it, as Spark does."""
    texts = values.cast(pl.String)
    size = values.abs()
    plain = ((size >= _LEAST_PLAIN) & (size < _LEAST_SCIENTIFIC)) | (size == 0)
    plain = plain.fill_null(value=True)
    if plain.all():
        return texts
    odd = texts.filter(~plain).unique()
    told = pl.Series([_scientific(text) for text in odd.to_list()], dtype=pl.String)
    return texts.zip_with(plain, texts.replace_strict(odd, told, default=None))


def _scientific(text: str) -> str:
    if text in _NAMES:
        return _NAMES[text]
    sign, digits, exponent = Decimal(text).normalize().as_tuple()
    first, *rest = map(str, digits)
    power = int(exponent) + len(rest)
    return f"{'-' if sign else ''}{first}.{''.join(rest) or '0'}E{power}"
