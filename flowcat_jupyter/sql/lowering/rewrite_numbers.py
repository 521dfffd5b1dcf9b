"""Functions of numbers that need more than a template."""

from __future__ import annotations

from sqlglot import exp

from flowcat_jupyter.shared.types import MAX_PRECISION
from flowcat_jupyter.sql import typing as types
from flowcat_jupyter.sql.dialect import refusal
from flowcat_jupyter.sql.functions import Function
from flowcat_jupyter.sql.lowering import casts, numbers, rounding, values
from flowcat_jupyter.sql.lowering.calls import (
    Call,
    constant_int,
    result_type,
    rewrites,
    takes_nodes,
)
from flowcat_jupyter.sql.lowering.expressions import Binder
from flowcat_jupyter.sql.lowering.logic import case, chosen, coalesce, compare
from flowcat_jupyter.sql.lowering.values import Value, type_name

_ROUND_SCALE = 18
_EXACT_BELOW = "1e+19"


@rewrites("abs")
def _abs(call: Call) -> Value:
    value = call.arguments[0]
    if not value.type.is_integer:
        return value.with_sql(f"ABS({value.sql})")
    wide = "INT128" if value.type.kind == "bigint" else "BIGINT"
    sql = f"CAST(ABS(CAST({value.sql} AS {wide})) AS {type_name(value.type)})"
    return value.with_sql(call.binder.context.target.kept(sql), raises=True)


@rewrites("negative")
def _negative(call: Call) -> Value:
    return numbers.negate(call.arguments[0], call.binder.context, call.node)


@rewrites("mod")
def _mod(call: Call) -> Value:
    left, right = call.arguments
    return numbers.arithmetic("%", left, right, call.binder.context, call.node)


@rewrites("typed_divide")
def _typed_divide(call: Call) -> Value:
    """Division as in PostgreSQL: whole between whole numbers."""
    left, right = call.arguments
    whole = left.type.is_integer and right.type.is_integer
    operator = "div" if whole else "/"
    return numbers.arithmetic(operator, left, right, call.binder.context, call.node)


@rewrites("pmod")
def _pmod(call: Call) -> Value:
    left, right = call.arguments
    context = call.binder.context
    rest = numbers.arithmetic("%", left, right, context, call.node)
    if not rest.type.is_integer:
        raise refusal("pmod of numbers that are not whole", call.node)
    moved = f"(CAST({rest.sql} AS INT128) + CAST({right.sql} AS INT128))"
    wrapped = f"CAST(({moved} % CAST({right.sql} AS INT128)) AS {type_name(rest.type)})"
    sql = f"CASE WHEN ({rest.sql} < 0) THEN {wrapped} ELSE {rest.sql} END"
    return call.result(sql, rest.type, raises=True)


@rewrites("ceil", "floor")
def _whole(call: Call) -> Value:
    value = call.arguments[0]
    name = "CEIL" if call.function.spelling == "ceil" else "FLOOR"
    target = call.binder.context.target
    if value.type.is_integer:
        return casts.cast(value, types.BIGINT, call.binder.context)
    if value.type.kind == "decimal" and value.type.scale == 0:
        return value
    if value.type.kind == "decimal":
        kind = types.decimal(value.type.precision - value.type.scale + 1, 0)
        sql = f"{name}(CAST({value.sql} AS DECIMAL(38,{value.type.scale})))"
        if value.type.precision == MAX_PRECISION:
            sql = rounding.whole(value.sql, value.type.scale, up=name == "CEIL")
        sql = f"CAST({sql} AS {type_name(kind)})"
        return value.with_sql(target.kept(sql), kind, raises=True)
    double = casts.cast(value, types.DOUBLE, call.binder.context)
    sql = target.kept(f"CAST({name}({double.sql}) AS BIGINT)")
    return double.with_sql(sql, types.BIGINT, raises=True)


@rewrites("round")
def _round(call: Call) -> Value:
    value = call.arguments[0]
    given = call.argument(1)
    places = constant_int(given, "a number of places", call.node) if given is not None else 0
    if value.type.kind == "decimal":
        return _round_decimal(value, places, call.node)
    if value.type.is_integer:
        return value if places >= 0 else _round_integer(value, places, call)
    if not 0 <= places <= _ROUND_SCALE - 2:
        raise refusal(f"round to {places} places", call.node)
    # Spark rounds half up what the number is written as, so 2.675 gives 2.68: through text.
    written = call.binder.context.target.to_round(rounding.digits(value.sql))
    rounded = f"CAST(TRY_CAST({written} AS DECIMAL(38,{places})) AS DOUBLE)"
    rounded = f"CAST({rounded} AS {type_name(value.type)})"
    small = f"(ABS({value.sql}) < CAST('{_EXACT_BELOW}' AS DOUBLE))"
    return value.with_sql(f"CASE WHEN {small} THEN {rounded} ELSE {value.sql} END")


def _round_decimal(value: Value, places: int, node: exp.Expression) -> Value:
    if places < 0:
        raise refusal("round of a DECIMAL to negative places", node)
    scale = min(places, value.type.scale)
    kind = rounding.rounded_type(value.type, scale)
    if scale == value.type.scale:
        return value.with_sql(f"CAST({value.sql} AS {type_name(kind)})", kind)
    nudged = rounding.half_up(value.sql, value.type.precision, value.type.scale, scale)
    return value.with_sql(f"CAST({nudged} AS {type_name(kind)})", kind)


def _round_integer(value: Value, places: int, call: Call) -> Value:
    if places < -18:
        raise refusal(f"round to {places} places", call.node)
    unit = 10**-places
    wide = f"CAST({value.sql} AS INT128)"
    half = f"CASE WHEN ({value.sql} < 0) THEN -{unit // 2} ELSE {unit // 2} END"
    sql = f"((({wide} + {half}) // {unit}) * CAST('{unit}' AS INT128))"
    narrow = "BIGINT" if value.type.kind != "bigint" else "INT128"
    sql = f"CAST(CAST({sql} AS {narrow}) AS {type_name(value.type)})"
    return value.with_sql(call.binder.context.target.kept(sql), raises=True)


@rewrites("greatest")
def _greatest(call: Call) -> Value:
    """NaN is greater than any number, which not every engine's own function says."""
    items = [item.sql for item in call.arguments]
    kind = result_type(call)
    if kind.is_nested and not call.binder.context.target.orders_nested:
        raise refusal(f"{call.function.name} of values of type {kind.ddl}", call.node)
    sql = f"GREATEST({', '.join(items)})"
    if kind.kind in ("float", "double"):
        nan = f"CAST('nan' AS {type_name(kind)})"
        some = " OR ".join(f"({item} = {nan})" for item in items)
        sql = f"CASE WHEN ({some}) THEN {nan} ELSE {sql} END"
    return call.result(sql, kind)


@rewrites("sign")
def _sign(call: Call) -> Value:
    value = call.arguments[0]
    one, itself = "CAST(1 AS DOUBLE)", f"CAST({value.sql} AS DOUBLE)"
    # Zero keeps its sign, and NaN, which is more than any number, has none.
    kept = f"({value.sql} = 0)"
    if value.type.kind in ("float", "double"):
        kept = f"({kept} OR ({value.sql} = CAST('nan' AS {type_name(value.type)})))"
    sql = f"CASE WHEN ({value.sql} < 0) THEN (- {one}) WHEN {kept} THEN {itself} "
    return call.result(f"{sql}WHEN ({value.sql} > 0) THEN {one} ELSE NULL END", types.DOUBLE)


@rewrites("sqrt")
def _sqrt(call: Call) -> Value:
    return call.result(f"SQRT({call.arguments[0].sql})", types.DOUBLE)


def _logarithm(sql: str, value: Value) -> str:
    """NULL where the logarithm does not exist, as in Spark."""
    return f"CASE WHEN ({value.sql} > 0) THEN {sql} ELSE NULL END"


@rewrites("ln", "log2", "log10")
def _ln(call: Call) -> Value:
    value = call.arguments[0]
    name = call.function.spelling.upper()
    return call.result(_logarithm(f"{name}({value.sql})", value), types.DOUBLE)


@rewrites("log1p")
def _log1p(call: Call) -> Value:
    value = call.arguments[0]
    sql = f"CASE WHEN ({value.sql} > -1) THEN LOG1P({value.sql}) ELSE NULL END"
    return call.result(sql, types.DOUBLE)


@rewrites("log")
def _log(call: Call) -> Value:
    base = call.arguments[0]
    value = call.argument(1)
    if value is None:
        return call.result(_logarithm(f"LN({base.sql})", base), types.DOUBLE)
    divisor = f"LN({base.sql})"
    inner = _logarithm(f"(LN({value.sql}) / {divisor})", value)
    return call.result(f"CASE WHEN ({base.sql} > 0) THEN {inner} ELSE NULL END", types.DOUBLE)


@rewrites("isnan")
def _isnan(call: Call) -> Value:
    value = call.arguments[0]
    sql = f"COALESCE(({value.sql} = CAST('nan' AS DOUBLE)), FALSE)"
    return call.result(sql, types.BOOLEAN)


@rewrites("nanvl")
def _nanvl(call: Call) -> Value:
    single = all(item.type.kind == "float" for item in call.arguments)
    kind = types.FLOAT if single else types.DOUBLE
    value, other = (call.binder.coerce(item, kind, call.node) for item in call.arguments)
    nan = f"CAST('nan' AS {type_name(kind)})"
    sql = f"CASE WHEN ({value.sql} = {nan}) THEN {other.sql} ELSE {value.sql} END"
    return call.result(sql, kind)


@rewrites("atan2")
def _atan2(call: Call) -> Value:
    # Zero has no sign here; adding zero would say so, but polars leaves that out.
    zero = "CAST(0 AS DOUBLE)"
    y, x = (
        f"CASE WHEN ({item.sql} = 0) THEN {zero} ELSE {item.sql} END" for item in call.arguments
    )
    return call.result(f"ATAN2({y}, {x})", types.DOUBLE)


@rewrites("try_add", "try_subtract", "try_multiply")
def _try(call: Call) -> Value:
    operator = {"try_add": "+", "try_subtract": "-", "try_multiply": "*"}[call.function.spelling]
    left, right = call.arguments
    if left.raises or right.raises:
        raise refusal(f"{call.function.name} of what may itself fail", call.node)
    made = numbers.arithmetic(operator, left, right, call.binder.context, call.node)
    if not made.type.is_integer:
        raise refusal(f"{call.function.name} of {made.type.ddl}", call.node)
    wide = "INT128" if made.type.kind == "bigint" else "BIGINT"
    sql = f"(CAST({left.sql} AS {wide}) {operator} CAST({right.sql} AS {wide}))"
    text = f"TRY_CAST({sql} AS {type_name(made.type)})"
    return Value(call.binder.context.target.kept(text), made.type, fields=made.fields)


@rewrites("try_divide")
def _try_divide(call: Call) -> Value:
    left, right = call.arguments
    binder = call.binder
    zero = compare("=", right, values.integer(0), binder, call.node)
    quotient = numbers.arithmetic("/", left, right, binder.context, call.node)
    return case([zero], [values.null(quotient.type), quotient], binder, call.node)


@rewrites("coalesce")
def _coalesce(call: Call) -> Value:
    return coalesce(call.arguments, call.binder, call.node)


@takes_nodes("if")
def _if(binder: Binder, _function: Function, node: exp.Expression) -> Value:
    test, yes, no = node.expressions
    return chosen(binder, test, yes, no, node)


@rewrites("nvl2")
def _nvl2(call: Call) -> Value:
    value, yes, no = call.arguments
    test = value.with_sql(f"({value.sql} IS NOT NULL)", types.BOOLEAN)
    return case([test], [yes, no], call.binder, call.node)


@rewrites("nullif")
def _nullif(call: Call) -> Value:
    value, other = call.arguments
    same = compare("=", value, other, call.binder, call.node)
    return case([same], [values.null(value.type), value], call.binder, call.node)


_WIDENED = ("tinyint", "smallint", "decimal")


@rewrites("decode")
def _decode(call: Call) -> Value:
    subject, *rest = call.arguments
    tests, results = [], []
    while len(rest) > 1:
        tests.append(compare("IS NOT DISTINCT FROM", subject, rest[0], call.binder, call.node))
        results.append(rest[1])
        rest = rest[2:]
    if not rest and any(result.type.kind in _WIDENED for result in results):
        hint = "Add a default, or use CASE: Spark's result is of a wider type without one."
        raise refusal("decode of such numbers without a default", call.node, hint=hint)
    results.append(rest[0] if rest else values.null())
    return case(tests, results, call.binder, call.node)


@rewrites("bround")
def _bround(call: Call) -> Value:
    value = call.arguments[0]
    given = call.argument(1)
    places = constant_int(given, "a number of places", call.node) if given is not None else 0
    if value.type.is_integer or not 0 <= places <= _ROUND_SCALE - 2:
        raise refusal("bround of whole numbers or to negative places", call.node)
    if value.type.kind != "decimal":
        written = f"TRY_CAST({rounding.digits(value.sql)} AS DECIMAL(38,{places}))"
        even = f"CAST({written} AS {type_name(value.type)})"
        small = f"(ABS({value.sql}) < CAST('{_EXACT_BELOW}' AS DOUBLE))"
        return value.with_sql(f"CASE WHEN {small} THEN {even} ELSE {value.sql} END")
    scale = min(places, value.type.scale)
    kind = rounding.rounded_type(value.type, scale)
    return value.with_sql(f"CAST({value.sql} AS {type_name(kind)})", kind)
