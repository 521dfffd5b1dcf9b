"""The columns that polars' SQL cannot say, as polars' own expressions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import polars as pl

from flowcat_jupyter.shared.errors import Internal
from flowcat_jupyter.sql.lowering.frames import Frame, Step

Maker = Callable[[list[pl.Expr], Step], pl.Expr]
MAKERS: dict[str, Maker] = {}


def makes(*names: str) -> Callable[[Maker], Maker]:
    """Register what makes the steps of these names."""

    def register(maker: Maker) -> Maker:
        MAKERS.update(dict.fromkeys(names, maker))
        return maker

    return register


def add_frames(context: pl.SQLContext[pl.LazyFrame], frames: Sequence[Frame]) -> None:
    """Make each frame of what the context holds by then, and let it be read under its name."""
    for frame in frames:
        rows = context.execute(frame.sql, eager=False)
        context.register(frame.name, rows.with_columns(_column(step) for step in frame.steps))


def _column(step: Step) -> pl.Expr:
    maker = MAKERS.get(step.name)
    if maker is None:
        raise Internal(f"polars has no step {step.name}")
    return maker([pl.col(name) for name in step.inputs], step).alias(step.column)


def _option(step: Step, at: int) -> Any:
    return step.options[at]


@makes("value")
def _value(inputs: list[pl.Expr], _step: Step) -> pl.Expr:
    return inputs[0]


@makes("tuple")
def _tuple(inputs: list[pl.Expr], _step: Step) -> pl.Expr:
    """The inputs as one value; NULL where one of them is NULL."""
    whole = pl.struct(item.alias(f"f{at}") for at, item in enumerate(inputs))
    return pl.when(pl.all_horizontal(item.is_not_null() for item in inputs)).then(whole)


@makes("present")
def _present(inputs: list[pl.Expr], step: Step) -> pl.Expr:
    """The first or last value that is not NULL, of a partition or of it up to each row."""
    value, place, *parts = inputs
    end, whole = step.options
    by = parts or [pl.lit(1)]
    if whole:
        found = value.drop_nulls()
        return (found.first() if end == "first" else found.last()).over(by, order_by=place)
    if end == "last":
        return value.forward_fill().over(by, order_by=place)
    running = pl.when(value.is_not_null().cum_sum() > 0).then(value.drop_nulls().first())
    return running.over(by, order_by=place)


@makes("of_peers")
def _of_peers(inputs: list[pl.Expr], _step: Step) -> pl.Expr:
    """The last row's value, of the rows with the same place in a window's order."""
    value, place, *parts = inputs
    return value.last().over(parts, order_by=place)
