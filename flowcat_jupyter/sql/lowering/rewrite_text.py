"""Functions of text that need more than a template."""

from __future__ import annotations

import re
from dataclasses import replace

from flowcat_jupyter.shared.types import parse_type
from flowcat_jupyter.sql import typing as types
from flowcat_jupyter.sql.dialect import refusal
from flowcat_jupyter.sql.lowering import casts, patterns, values
from flowcat_jupyter.sql.lowering.calls import Call, constant_int, constant_text, rewrites
from flowcat_jupyter.sql.lowering.values import Value
from flowcat_jupyter.sql.quoting import literal

_LONGEST = (1 << 31) - 1
"""The length of a part where none is given."""


@rewrites("concat")
def _concat(call: Call) -> Value:
    return call.result(f"({' || '.join(item.sql for item in call.arguments)})", types.STRING)


def _present(*items: Value) -> str:
    """Whether none of the arguments is NULL, which the engine's own functions do not ask."""
    if any(item.known and item.constant is None for item in items):
        return "FALSE"
    return " AND ".join(f"({item.sql} IS NOT NULL)" for item in items if not item.known) or "TRUE"


@rewrites("instr", "locate")
def _instr(call: Call) -> Value:
    text, part = call.arguments[:: 1 if call.function.spelling == "instr" else -1]
    wanted = constant_text(part, "a text to look for", call.node)
    if not wanted:
        return text.with_sql(f"CASE WHEN ({text.sql} IS NULL) THEN NULL ELSE 1 END", types.INT)
    # The engine counts bytes; what stands before the text is as long as its characters.
    before = f"CAST(LENGTH(SPLIT_PART({text.sql}, {part.sql}, 1)) AS INTEGER)"
    sql = (
        f"CASE WHEN ({text.sql} IS NULL) THEN NULL "
        f"WHEN (STRPOS({text.sql}, {part.sql}) > 0) THEN ({before} + 1) ELSE 0 END"
    )
    return call.result(sql, types.INT)


@rewrites("contains")
def _contains(call: Call) -> Value:
    text, part = call.arguments
    if part.known and part.constant is None:
        return values.null(types.BOOLEAN)
    found = f"(STRPOS({text.sql}, {part.sql}) > 0)"
    sql = f"CASE WHEN {_present(text, part)} THEN {found} ELSE NULL END"
    return call.result(sql, types.BOOLEAN)


@rewrites("replace")
def _replace(call: Call) -> Value:
    text, old, new = call.arguments
    constant_text(old, "a text to replace", call.node)
    constant_text(new, "a replacement", call.node)
    if old.constant == "":
        return text
    return call.result(f"REPLACE({text.sql}, {old.sql}, {new.sql})", types.STRING)


@rewrites("concat_ws")
def _concat_ws(call: Call) -> Value:
    if len(call.arguments) == 1:
        raise refusal("concat_ws of a separator alone", call.node)
    texts = ", ".join(item.sql for item in call.arguments)
    return call.result(f"CONCAT_WS({texts})", types.STRING)


@rewrites("split")
def _split(call: Call) -> Value:
    text, pattern = call.arguments
    mark = constant_text(pattern, "a pattern", call.node)
    plain = mark.replace("\\", "", 1) if len(mark) == 2 and mark[0] == "\\" else mark
    if not plain or (re.escape(plain) != plain and plain == mark and plain not in ", -:;|/#&"):
        raise refusal("split by a pattern", call.node, hint="Split by a plain text.")
    if plain == mark == "|":
        raise refusal("split by a pattern", call.node, hint="Write '\\\\|' for a bar.")
    sql = f"STRING_TO_ARRAY({text.sql}, {literal(plain)})"
    return call.result(sql, types.array_of(types.STRING))


@rewrites("substring")
def substring(call: Call) -> Value:
    """A part of a text from a start, or so many characters before its end, and as long as asked."""
    text, start = call.arguments[:2]
    length = call.argument(2)
    written = [item.constant for item in call.arguments[1:] if item.known]
    if len(written) < len(call.arguments) - 1:
        return _reckoned(call, text, start, length)
    if None in written or (text.known and text.constant is None):
        return values.null(types.STRING)
    at = constant_int(start, "a start", call.node)
    count = constant_int(length, "a length", call.node) if length is not None else None
    if count is not None and count <= 0:
        return _nothing(call, text)
    if at < -_LONGEST and count is None:
        count = _LONGEST
    if at < 0:
        return _from_end(call, text, at, count)
    # Position 0 means the first character, and takes a character less only beyond it.
    at = max(at, 1)
    tail = f", {count}" if count is not None else ""
    return call.result(f"SUBSTR({text.sql}, {at}{tail})", types.STRING)


def _reckoned(call: Call, text: Value, start: Value, length: Value | None) -> Value:
    """A part whose start or length every row has for itself."""
    at, size = f"CAST({start.sql} AS BIGINT)", _size(text.sql)
    first = f"CASE WHEN ({at} < 0) THEN ({size} + {at}) ELSE GREATEST(({at} - 1), 0) END"
    count = f"CAST({length.sql} AS BIGINT)" if length is not None else str(_LONGEST)
    # Spark counts the length from where the start would be, even before the text.
    kept = f"GREATEST((({first} + {count}) - GREATEST({first}, 0)), 0)"
    sql = f"SUBSTR({text.sql}, (GREATEST({first}, 0) + 1), {kept})"
    return _of_present(call, sql)


def _of_present(call: Call, sql: str) -> Value:
    """``sql`` where no argument is NULL."""
    whole = f"CASE WHEN {_present(*call.arguments)} THEN {sql} ELSE NULL END"
    return call.result(whole, types.STRING)


def _size(text: str) -> str:
    return f"CAST(LENGTH({text}) AS BIGINT)"


def _nothing(call: Call, text: Value) -> Value:
    """An empty text, or NULL of NULL: the engine's own functions forget that."""
    return call.result(f"CASE WHEN ({text.sql} IS NULL) THEN NULL ELSE '' END", types.STRING)


def _last(text: str, count: str) -> str:
    """The last characters of a text, all of a shorter one: of that, RIGHT takes too few."""
    return f"SUBSTR({text}, (GREATEST(({_size(text)} - {count}), 0) + 1))"


def _from_end(call: Call, text: Value, at: int, count: int | None) -> Value:
    if count is None:
        return call.result(_last(text.sql, str(-at)), types.STRING)
    # Spark counts the length from where the start would be, even before the text.
    short = f"({_size(text.sql)} - {-at})"
    kept = f"LEFT({text.sql}, GREATEST(({count} + {short}), 0))"
    tail = f"LEFT({_last(text.sql, str(-at))}, {count})"
    return call.result(f"CASE WHEN ({short} < 0) THEN {kept} ELSE {tail} END", types.STRING)


@rewrites("left", "right")
def _side(call: Call) -> Value:
    text, length = call.arguments
    take = _first if call.function.spelling == "left" else _last
    if not length.known:
        each = f"GREATEST(CAST({length.sql} AS BIGINT), 0)"
        return _of_present(call, take(text.sql, each))
    if length.constant is None or (text.known and text.constant is None):
        return values.null(types.STRING)
    count = constant_int(length, "a length", call.node)
    if count <= 0:
        return _nothing(call, text)
    return call.result(take(text.sql, str(count)), types.STRING)


def _first(text: str, count: str) -> str:
    return f"LEFT({text}, {count})"


@rewrites("regexp_replace")
def _regexp_replace(call: Call) -> Value:
    text, pattern, new = call.arguments
    shape = constant_text(pattern, "a pattern", call.node)
    written = constant_text(new, "a replacement", call.node)
    made, moved, kept, found = patterns.replacing(shape, call.node)
    put = patterns.replacement(written, found, moved, kept, call.node)
    sql = f"REGEXP_REPLACE({text.sql}, {literal(made)}, {literal(put)}, 'g')"
    return call.result(sql, types.STRING)


@rewrites("split_part")
def _split_part(call: Call) -> Value:
    text, mark, place = call.arguments
    at = constant_int(place, "a position", call.node)
    if at < 1:
        raise refusal("split_part from the end", call.node)
    whole = text.sql if at == 1 else "''"
    sql = f"COALESCE(SPLIT_PART({text.sql}, {mark.sql}, {at}), '')"
    sql = f"CASE WHEN ({mark.sql} = '') THEN {whole} ELSE {sql} END"
    sql = f"CASE WHEN {_present(text, mark)} THEN {sql} ELSE NULL END"
    return call.result(sql, types.STRING)


@rewrites("cast")
def _cast(call: Call) -> Value:
    """A function that is called as the type it casts to."""
    made = casts.cast(call.arguments[0], parse_type(call.function.result), call.binder.context)
    return replace(made, written=False)


@rewrites("typeof")
def _typeof(call: Call) -> Value:
    return values.text(call.arguments[0].type.ddl)


@rewrites("current_user")
def _current_user(call: Call) -> Value:
    return values.text(call.binder.context.user)
