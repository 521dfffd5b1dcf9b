"""The columns that polars' SQL cannot say, as polars' own expressions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import polars as pl

from flowcat_jupyter.engines.polars_rows import ROWS, by_row
from flowcat_jupyter.engines.polars_types import polars_type
from flowcat_jupyter.shared.errors import Internal
from flowcat_jupyter.shared.types import parse_type
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
        added = [_column(step) for step in frame.steps if step.name != "met"]
        rows = rows.with_columns(added) if added else rows
        for step in frame.steps:
            rows = _met(context, rows, step) if step.name == "met" else rows
        context.register(frame.name, rows)


def _met(context: pl.SQLContext[pl.LazyFrame], rows: pl.LazyFrame, step: Step) -> pl.LazyFrame:
    """Whether a query over the distinct combinations of the inputs has rows, for each row."""
    name, sql, keys = step.options
    names = zip(step.inputs, keys, strict=True)
    context.register(name, rows.select(pl.col(one).alias(key) for one, key in names).unique())
    own = [f"{step.column}_{key}" for key in keys]
    found = context.execute(sql, eager=False).rename(dict(zip(keys, own, strict=True)))
    found = found.with_columns(pl.lit(True).alias(step.column))
    joined = rows.join(found, left_on=step.inputs, right_on=own, how="left", nulls_equal=True)
    return joined.with_columns(pl.col(step.column).fill_null(False))


def _column(step: Step) -> pl.Expr:
    inputs = [pl.col(name) for name in step.inputs]
    if step.name in ROWS:
        kind = polars_type(parse_type(step.type))
        return by_row(step.name, inputs, step.options, kind).alias(step.column)
    maker = MAKERS.get(step.name)
    if maker is None:
        raise Internal(f"polars has no step {step.name}")
    return maker(inputs, step).alias(step.column)


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


@makes("struct")
def _struct(inputs: list[pl.Expr], step: Step) -> pl.Expr:
    return pl.struct(item.alias(name) for item, name in zip(inputs, step.options, strict=True))


@makes("array")
def _array(inputs: list[pl.Expr], step: Step) -> pl.Expr:
    return pl.concat_list(inputs).cast(polars_type(parse_type(step.type)) or pl.Null)


@makes("sort")
def _sort(inputs: list[pl.Expr], step: Step) -> pl.Expr:
    down, last = step.options
    return inputs[0].list.sort(descending=down, nulls_last=last)


@makes("array_min", "array_max")
def _extreme(inputs: list[pl.Expr], step: Step) -> pl.Expr:
    ordered = inputs[0].list.sort(descending=step.name == "array_max", nulls_last=True)
    return ordered.list.first()


@makes("array_compact")
def _compact(inputs: list[pl.Expr], _step: Step) -> pl.Expr:
    return inputs[0].list.drop_nulls()


@makes("array_concat")
def _concat(inputs: list[pl.Expr], _step: Step) -> pl.Expr:
    return pl.concat_list(inputs)


@makes("array_reverse")
def _reverse(inputs: list[pl.Expr], _step: Step) -> pl.Expr:
    return inputs[0].list.reverse()


@makes("slice")
def _slice(inputs: list[pl.Expr], _step: Step) -> pl.Expr:
    items, start, length = inputs
    size = items.list.len().cast(pl.Int64)
    begin = pl.when(start > 0).then(start - 1).otherwise(size + start)
    found = items.list.slice(begin.clip(0, size), length.clip(0))
    empty = items.list.head(0)
    made = pl.when((begin < 0) | (begin >= size)).then(empty).otherwise(found)
    return pl.when(items.is_not_null() & start.is_not_null() & length.is_not_null()).then(made)


@makes("transform")
def _transform(inputs: list[pl.Expr], step: Step) -> pl.Expr:
    return inputs[0].list.eval(pl.sql_expr(step.options[0]))


@makes("filter")
def _filter(inputs: list[pl.Expr], step: Step) -> pl.Expr:
    return inputs[0].list.filter(pl.sql_expr(step.options[0]))


@makes("exists", "forall")
def _holds(inputs: list[pl.Expr], step: Step) -> pl.Expr:
    """TRUE or FALSE where one element decides, NULL where one might have."""
    decides = step.name == "exists"
    tests = inputs[0].list.eval(pl.sql_expr(step.options[0]))
    known = tests.list.contains(pl.lit(decides))
    holes = tests.list.eval(pl.element().is_null()).list.any()
    found = pl.when(known).then(decides).when(holes).then(None).otherwise(not decides)
    return pl.when(inputs[0].is_not_null()).then(found)


@makes("map_keys")
def _keys(inputs: list[pl.Expr], _step: Step) -> pl.Expr:
    return inputs[0].map.keys()


@makes("map_values")
def _values(inputs: list[pl.Expr], _step: Step) -> pl.Expr:
    return inputs[0].map.values()


@makes("map_get")
def _get(inputs: list[pl.Expr], step: Step) -> pl.Expr:
    return inputs[0].map.get(step.options[0])


@makes("map_contains")
def _contains_key(inputs: list[pl.Expr], step: Step) -> pl.Expr:
    return inputs[0].map.contains_key(step.options[0])


@makes("map_size")
def _map_size(inputs: list[pl.Expr], _step: Step) -> pl.Expr:
    return inputs[0].map.len().cast(pl.Int32)


@makes("extract")
def _extract(inputs: list[pl.Expr], step: Step) -> pl.Expr:
    """A group of a pattern's first match; empty where there is none."""
    pattern, group = step.options
    found = inputs[0].str.extract(pattern, group)
    return pl.when(inputs[0].is_not_null()).then(found.fill_null(""))


@makes("extract_all")
def _extract_all(inputs: list[pl.Expr], step: Step) -> pl.Expr:
    pattern, group = step.options
    found = inputs[0].str.extract_all(pattern)
    return (
        found.list.eval(pl.element().str.extract(pattern, group).fill_null("")) if group else found
    )


@makes("count_matches")
def _count(inputs: list[pl.Expr], step: Step) -> pl.Expr:
    return inputs[0].str.count_matches(step.options[0]).cast(pl.Int32)


@makes("offset")
def _offset(inputs: list[pl.Expr], _step: Step) -> pl.Expr:
    """A date or time moved by a number of months."""
    return inputs[0].dt.offset_by(pl.format("{}mo", inputs[1]))


@makes("rint")
def _rint(inputs: list[pl.Expr], _step: Step) -> pl.Expr:
    return inputs[0].round(0, mode="half_to_even")


@makes("sinh", "cosh", "tanh", "arcsinh", "arccosh", "arctanh")
def _hyperbolic(inputs: list[pl.Expr], step: Step) -> pl.Expr:
    makers = {
        "sinh": inputs[0].sinh,
        "cosh": inputs[0].cosh,
        "tanh": inputs[0].tanh,
        "arcsinh": inputs[0].arcsinh,
        "arccosh": inputs[0].arccosh,
        "arctanh": inputs[0].arctanh,
    }
    return makers[step.name]()


@makes("bit_and", "bit_or", "bit_xor")
def _bits(inputs: list[pl.Expr], step: Step) -> pl.Expr:
    item = pl.element()
    made = {"bit_and": item.bitwise_and, "bit_or": item.bitwise_or, "bit_xor": item.bitwise_xor}
    return inputs[0].list.eval(made[step.name]()).list.first()


@makes("skewness", "kurtosis")
def _moment(inputs: list[pl.Expr], step: Step) -> pl.Expr:
    item = pl.element()
    made = item.skew(bias=True) if step.name == "skewness" else item.kurtosis(bias=True)
    still = ~item.is_nan().any() & (item.var(ddof=0) == 0)
    varied = pl.when(still).then(None).otherwise(made)
    return inputs[0].list.eval(varied).list.first()


@makes("total")
def _total(inputs: list[pl.Expr], step: Step) -> pl.Expr:
    """What is added and subtracted; fails where all of it, whatever its sign, is too much."""
    wide, narrow = (pl.Int64, pl.Int32) if step.type == "int" else (pl.Int128, pl.Int64)
    terms = [item.cast(wide) for item in inputs]
    signed = [item if sign > 0 else -item for item, sign in zip(terms, step.options, strict=True)]
    total = pl.sum_horizontal(signed, ignore_nulls=False)
    most = pl.sum_horizontal((item.abs() for item in terms), ignore_nulls=False)
    limit = (1 << (31 if step.type == "int" else 63)) - 1
    return pl.when(most <= limit).then(total).otherwise(most).cast(narrow)
