"""The types of columns of text, found out from all of their values."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from flowcat_jupyter.formats.source_values import Spelling, read_text

_INT = (-(1 << 31), (1 << 31) - 1)
_WHOLE = r"^[+-]?[0-9]+$"
_DIGITS = 38


class Seen:
    """What has been seen of some columns of text."""

    def __init__(self, width: int, spelling: Spelling, *, dates: bool) -> None:
        """Nothing of ``width`` columns; with ``dates`` days are told from times."""
        self._kinds: list[set[str]] = [set() for _ in range(width)]
        self._digits = [0] * width
        self._spelling = spelling
        self._dates = dates

    def add(self, frame: pl.DataFrame) -> None:
        """Look at some more values, in columns called "0", "1" …"""
        for at, kinds in enumerate(self._kinds):
            if "string" not in kinds:
                self._look(at, frame[str(at)].drop_nulls())

    def _look(self, at: int, values: pl.Series) -> None:
        kinds = self._kinds[at]
        for kind in ("int", "double", "date", "timestamp", "boolean"):
            if not len(values):
                return
            if kind == "date" and not self._dates:
                continue
            fits = self._whole(at, values) if kind == "int" else self._is(values, kind)
            if fits.any():
                if kind != "int":
                    kinds.add(kind)
                values = values.filter(~fits)
        if len(values):
            kinds.add("string")

    def _whole(self, at: int, values: pl.Series) -> pl.Series:
        fits = values.str.contains(_WHOLE)
        whole = values.filter(fits)
        if not len(whole):
            return fits
        numbers = whole.cast(pl.Int64, strict=False)
        if numbers.null_count():
            digits = whole.str.strip_chars_start("+-0").str.len_chars().max()
            self._digits[at] = max(self._digits[at], digits if isinstance(digits, int) else 0)
            self._kinds[at].add("decimal" if self._digits[at] <= _DIGITS else "double")
        elif not numbers.is_between(*_INT).all():
            self._kinds[at].add("bigint")
        else:
            self._kinds[at].add("int")
        return fits

    def _is(self, values: pl.Series, kind: str) -> pl.Series:
        spelling = self._spelling
        if kind == "date" and not spelling.dates:
            # A time has a day in it, and is more than that.
            lone = values.str.contains(r"^\s*[0-9]{4}-[0-9]{1,2}(-[0-9]{1,2})?\s*$")
            return lone & read_text(values, kind, spelling=spelling).is_not_null()
        if kind == "timestamp" and not spelling.times:
            spelling = replace(spelling, times=())
        return read_text(values, kind, spelling=spelling).is_not_null()

    def types(self) -> list[str]:
        """The narrowest type for each column that takes all of its values."""
        return [
            self._type(kinds, digits)
            for kinds, digits in zip(self._kinds, self._digits, strict=True)
        ]

    @staticmethod
    def _type(kinds: set[str], digits: int) -> str:
        for whole, found in (
            ({"int"}, "int"),
            ({"int", "bigint"}, "bigint"),
            ({"int", "bigint", "decimal"}, f"decimal({max(20, digits)},0)"),
            ({"int", "bigint", "decimal", "double"}, "double"),
            ({"date"}, "date"),
            ({"date", "timestamp"}, "timestamp"),
            ({"boolean"}, "boolean"),
        ):
            if kinds and kinds <= whole:
                return found
        return "string"
