"""Functions of text that DuckDB spells its own way, or has where polars has none."""

from __future__ import annotations

import re

from flowcat_jupyter.sql import typing as types
from flowcat_jupyter.sql.dialect import refusal
from flowcat_jupyter.sql.lowering import patterns
from flowcat_jupyter.sql.lowering.calls import Call, constant_int, constant_text, rewrites
from flowcat_jupyter.sql.lowering.values import Value
from flowcat_jupyter.sql.quoting import literal

_JSON_PATH = re.compile(r"\$(\.[A-Za-z_][\w-]*|\[\d+\]|\['[^']*'\])*\Z")
_SHA2 = (0, 256)
_TITLES = {
    "\u00df": "Ss",
    "\u01c6": "\u01c5",
    "\u01c9": "\u01c8",
    "\u01cc": "\u01cb",
    "\u01f3": "\u01f2",
}


@rewrites("instr", "locate", target="duckdb")
def _instr(call: Call) -> Value:
    text, part = call.arguments[:: 1 if call.function.spelling == "instr" else -1]
    return call.result(f"CAST(STRPOS({text.sql}, {part.sql}) AS INTEGER)", types.INT)


@rewrites("replace", target="duckdb")
def _replace(call: Call) -> Value:
    text, old, new = (item.sql for item in call.arguments)
    sql = f"CASE WHEN ({old} = '') THEN {text} ELSE REPLACE({text}, {old}, {new}) END"
    return call.result(f"CASE WHEN ({new} IS NULL) THEN NULL ELSE {sql} END", types.STRING)


@rewrites("left", "right", target="duckdb")
def _side(call: Call) -> Value:
    text, length = call.arguments
    name = call.function.spelling.upper()
    sql = f"{name}({text.sql}, CASE WHEN ({length.sql} < 0) THEN 0 ELSE {length.sql} END)"
    return call.result(sql, types.STRING)


@rewrites("regexp_extract", "regexp_extract_all", target="duckdb")
def _regexp_extract(call: Call) -> Value:
    text, shape = call.arguments[0], constant_text(call.arguments[1], "a pattern", call.node)
    made, moved, found = patterns.extracting(shape, call.node)
    given = call.argument(2)
    group = constant_int(given, "a group", call.node) if given is not None else 1
    if not 0 <= group <= found.groups:
        raise refusal(f"group {group} of a pattern that has fewer", call.node)
    name = call.function.spelling.upper()
    kind = types.STRING if name == "REGEXP_EXTRACT" else types.array_of(types.STRING)
    return call.result(f"{name}({text.sql}, {literal(made)}, {group + moved})", kind)


@rewrites("regexp_count", target="duckdb")
def _regexp_count(call: Call) -> Value:
    text = call.arguments[0]
    sql = f"CAST(LEN(REGEXP_EXTRACT_ALL({text.sql}, {literal(_without_end(call))})) AS INTEGER)"
    return call.result(sql, types.INT)


@rewrites("regexp_substr", target="duckdb")
def _regexp_substr(call: Call) -> Value:
    text = call.arguments[0]
    sql = f"REGEXP_EXTRACT_ALL({text.sql}, {literal(_without_end(call))}, 0)[1]"
    return call.result(sql, types.STRING)


def _without_end(call: Call) -> str:
    shape = constant_text(call.arguments[1], "a pattern", call.node)
    found = patterns.translate(shape, call.node)
    if found.ends or found.inner_ends:
        raise refusal(f"{call.function.name} of a pattern with $", call.node)
    return found.text


@rewrites("split", target="duckdb")
def _split(call: Call) -> Value:
    text, shape = call.arguments[0], constant_text(call.arguments[1], "a pattern", call.node)
    try:
        empty = re.compile(shape).match("") is not None
    except re.error:
        empty = True
    if empty:
        raise refusal("split by a pattern that may be empty", call.node)
    sql = f"STRING_SPLIT_REGEX({text.sql}, {literal(_without_end(call))})"
    return call.result(sql, types.array_of(types.STRING))


@rewrites("initcap", target="duckdb")
def _initcap(call: Call) -> Value:
    text, word = call.arguments[0].sql, call.binder.context.fresh("l")
    # A letter of two, as ǆ, begins a word with its first one large.
    first = f"LEFT({word}, 1)"
    pairs = " ".join(f"WHEN '{small}' THEN '{title}'" for small, title in _TITLES.items())
    upper = f"CASE {first} {pairs} ELSE UPPER({first}) END || SUBSTR({word}, 2)"
    words = f"LIST_TRANSFORM(STRING_SPLIT(LOWER({text}), ' '), lambda {word}: {upper})"
    return call.result(f"ARRAY_TO_STRING({words}, ' ')", types.STRING)


@rewrites("sha2", target="duckdb")
def _sha2(call: Call) -> Value:
    bits = constant_int(call.arguments[1], "a number of bits", call.node)
    if bits not in _SHA2:
        raise refusal(f"sha2 of {bits} bits", call.node, hint="Use 256.")
    return call.result(f"SHA256({call.arguments[0].sql})", types.STRING)


@rewrites("crc32", target="duckdb")
def _crc32(call: Call) -> Value:
    """The checksum by its table of bytes: DuckDB has no function for it."""
    text, fresh = call.arguments[0].sql, call.binder.context.fresh
    at, sum_, byte = fresh("l"), fresh("l"), fresh("l")
    digits = f"HEX({text})"
    pair = f"SUBSTR({digits}, CAST(2 * {at} + 1 AS BIGINT), 2)"
    byte_list = (
        f"LIST_TRANSFORM(RANGE(STRLEN({text})), lambda {at}: CAST('0x' || {pair} AS UBIGINT))"
    )
    known = f"[{', '.join(str(item) for item in _crc_table())}]"
    index = f"(XOR({sum_}, {byte}) & CAST(255 AS UBIGINT))"
    entry = f"CAST({known}[CAST({index} AS BIGINT) + 1] AS UBIGINT)"
    step = f"XOR({entry}, ({sum_} >> CAST(8 AS UBIGINT)))"
    start = "CAST(4294967295 AS UBIGINT)"
    whole = f"LIST_REDUCE({byte_list}, lambda {sum_}, {byte}: {step}, {start})"
    sql = f"CASE WHEN ({text} IS NULL) THEN NULL ELSE CAST(XOR({whole}, {start}) AS BIGINT) END"
    return call.result(sql, types.BIGINT)


def _crc_table() -> list[int]:
    table = []
    for number in range(256):
        rest = number
        for _ in range(8):
            rest = (rest >> 1) ^ (0xEDB88320 if rest & 1 else 0)
        table.append(rest)
    return table


@rewrites("hex", target="duckdb")
def _hex(call: Call) -> Value:
    value = call.arguments[0]
    if value.type.is_integer:
        return call.result(f"HEX(CAST({value.sql} AS BIGINT))", types.STRING)
    if value.type.kind not in ("string", "binary"):
        raise refusal(f"hex of a value of type {value.type.ddl}", call.node)
    return call.result(f"HEX({value.sql})", types.STRING)


@rewrites("get_json_object", target="duckdb")
def _get_json_object(call: Call) -> Value:
    text, path = call.arguments
    wanted = constant_text(path, "a path", call.node)
    if not _JSON_PATH.match(wanted):
        raise refusal(f"the JSON path {wanted}", call.node, hint="Write $.name.name[0].")
    found = f"JSON_EXTRACT_STRING({text.sql}, {literal(wanted)})"
    sql = f"CASE WHEN JSON_VALID({text.sql}) THEN {found} ELSE NULL END"
    return call.result(sql, types.STRING)


@rewrites("json_array_length", target="duckdb")
def _json_array_length(call: Call) -> Value:
    text = call.arguments[0].sql
    array = f"JSON_VALID({text}) AND (JSON_TYPE({text}) = 'ARRAY')"
    length = f"CAST(JSON_ARRAY_LENGTH({text}) AS INTEGER)"
    return call.result(f"CASE WHEN {array} THEN {length} ELSE NULL END", types.INT)


@rewrites("base64", target="duckdb")
def _base64(call: Call) -> Value:
    value = call.arguments[0]
    whole = f"ENCODE({value.sql})" if value.type.kind == "string" else value.sql
    return call.result(f"TO_BASE64({whole})", types.STRING)


@rewrites("chr", target="duckdb")
def _chr(call: Call) -> Value:
    value = call.arguments[0].sql
    sql = f"CASE WHEN ({value} < 0) THEN '' ELSE CHR(CAST(({value} % 256) AS INTEGER)) END"
    return call.result(sql, types.STRING)


@rewrites("find_in_set", target="duckdb")
def _find_in_set(call: Call) -> Value:
    wanted, listed = (item.sql for item in call.arguments)
    found = f"COALESCE(LIST_POSITION(STRING_SPLIT({listed}, ','), {wanted}), 0)"
    sql = (
        f"CASE WHEN ({wanted} IS NULL) OR ({listed} IS NULL) THEN NULL "
        f"WHEN (STRPOS({wanted}, ',') > 0) THEN 0 ELSE CAST({found} AS INTEGER) END"
    )
    return call.result(sql, types.INT)
