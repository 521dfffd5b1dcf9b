"""Random typed expressions over the awkward table, for an oracle and two engines to answer.

A writer knows what kind of value each text gives and little else: casts, overflows and domain
errors are meant to happen. Only the standard library and the function table are needed.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from flowcat_jupyter.sql.functions import AGGREGATE, FUNCTIONS, SCALAR, Function
from tests.support.awkward import NAME, ROWS

LEAVES = {
    "integer": ("t", "s", "i", "l", "id", "0", "1", "2", "-3", "7", "127", "2147483647",
                "9223372036854775807", "CAST(5 AS TINYINT)", "CAST(300 AS SMALLINT)"),
    "decimal": ("p", "q", "r", "1.50", "0.001", "-2.5", "CAST(7 AS DECIMAL(5,3))",
                "CAST('1.25' AS DECIMAL(38,10))", "99999999999999999999"),
    "double": ("f", "x", "1.5D", "0.1D", "-2.5D", "1e10", "1e-7", "CAST('NaN' AS DOUBLE)"),
    "string": ("c", "n", "y", "g", "'a'", "''", "'12'", "' 7 '", "'abc'", "'2024-01-31'"),
    "boolean": ("b", "TRUE", "FALSE", "b"),
    "date": ("d", "DATE'2024-02-29'", "DATE'1999-12-31'", "CAST('2024-1-5' AS DATE)"),
    "timestamp": ("m", "m", "TIMESTAMP'2024-03-31 02:30:00'", "CAST(d AS TIMESTAMP)",
                  "TIMESTAMP'1969-12-31 23:59:59.5'"),
    "array": ("a", "array(1, 2, NULL)", "array(i, 5)"),
}  # fmt: skip
KINDS = tuple(LEAVES)
NUMBERS = ("integer", "decimal", "double")
CASTS = {
    "integer": ("TINYINT", "SMALLINT", "INT", "BIGINT"),
    "decimal": ("DECIMAL(10,2)", "DECIMAL(5,0)", "DECIMAL(38,6)", "DECIMAL(3,1)"),
    "double": ("DOUBLE", "DOUBLE", "FLOAT"),
    "string": ("STRING",),
    "boolean": ("BOOLEAN",),
    "date": ("DATE",),
    "timestamp": ("TIMESTAMP", "TIMESTAMP_NTZ"),
}
CONSTANTS: dict[str, tuple[str, ...]] = {
    "date_format": ("'yyyy-MM-dd'", "'HH:mm:ss'", "'dd/MM/yy'", "'EEE d MMM yyyy'", "'D'"),
    "date_part": ("'year'", "'month'", "'doy'", "'week'", "'dow'", "'hour'", "'quarter'"),
    "date_trunc": ("'year'", "'quarter'", "'month'", "'week'", "'day'", "'hour'", "'minute'"),
    "from_unixtime": ("'yyyy-MM-dd'", "'yyyy-MM-dd HH:mm'"),
    "to_date": ("'yyyy-MM-dd'", "'dd/MM/yyyy'"),
    "to_timestamp": ("'yyyy-MM-dd HH:mm:ss'",),
    "trunc": ("'year'", "'MM'", "'week'", "'quarter'"),
    "sha2": ("256", "512"),
    "round": ("0", "1", "2", "-1", "5"),
    "bround": ("0", "1", "2"),
    "split": ("' '", "','", "'b'"),
    "split_part": ("1", "2", "3"),
    "rlike": ("'^[0-9]+$'", "'a'", "'b|l'"),
    "regexp_replace": ("'[a-z]'", "'x'"),
    "sort_array": ("TRUE", "FALSE"),
    "percentile": ("0.5", "0.25", "1.0"),
    "listagg": ("','",),
}
ALIKE = {
    "datepart": "date_part",
    "extract": "date_part",
    "regexp": "rlike",
    "regexp_like": "rlike",
    "string_agg": "listagg",
}
LETTERS = {
    "s": "string", "i": "integer", "l": "integer", "d": "double", "b": "boolean", "t": "date",
    "z": "timestamp", "a": "array",
}  # fmt: skip
RESULTS = {
    "int": "integer", "bigint": "integer", "double": "double", "string": "string",
    "boolean": "boolean", "date": "date", "timestamp": "timestamp",
}  # fmt: skip
SMALL = (
    "left",
    "right",
    "lpad",
    "rpad",
    "repeat",
    "substr",
    "substring",
    "sequence",
    "make_date",
    "array_repeat",
    "space",
)
"""Functions whose integers are lengths, positions or parts of a date, so kept small."""
NOT_ASKED = frozenset(
    (
        "__typed_divide",
        *(
            "now",
            "curdate",
            "current_date",
            "current_timestamp",
            "current_timezone",
            "localtimestamp",
        ),
        *("current_user", "user", "weekday", "array"),
        *("date_diff", "datediff", "position", "rand", "random", "randn", "uuid"),
    )
)
UNORDERED = frozenset(
    ("first", "first_value", "last", "last_value", "any_value", "collect_list", "array_agg",
     "collect_set", "listagg", "string_agg", "max_by", "min_by", "percentile_cont",
     "approx_count_distinct")
)  # fmt: skip
_DEFAULT_WEIGHTS = dict.fromkeys(KINDS, 1.0) | {"array": 0.3}


def _by_result() -> dict[str, list[Function]]:
    """The functions by the kind of their result; ``=`` may give any."""
    found: dict[str, list[Function]] = {kind: [] for kind in LEAVES}
    for function in FUNCTIONS.values():
        if function.kind == SCALAR and function.name not in NOT_ASKED:
            found.setdefault(RESULTS.get(function.result, "="), []).append(function)
    return found


_BY_RESULT = _by_result()
_NUMERIC_RULES = ("abs", "negative", "round", "bround", "mod", "pmod", "ceil", "floor", "try_add",
                  "try_subtract", "try_multiply", "try_divide", "positive")  # fmt: skip


class Writer:
    """Writes expressions; ``draw`` decides everything."""

    def __init__(self, draw: random.Random, weights: dict[str, float] | None = None) -> None:
        self.draw = draw
        self.weights = _DEFAULT_WEIGHTS | (weights or {})

    def pick(self, choices: Sequence[str]) -> str:
        return self.draw.choice(choices)

    def chance(self, share: float) -> bool:
        return self.draw.random() < share

    def kind(self) -> str:
        return self.draw.choices(KINDS, [self.weights[kind] for kind in KINDS])[0]

    def of(self, kind: str, depth: int) -> str:
        """An expression of that kind, at most ``depth`` operations deep."""
        if depth <= 0 or self.chance(0.12):
            return self.pick(LEAVES[kind])
        shapes: list[Callable[[str, int], str]] = [self._own, self._own, self._own, self._call]
        shapes += [self._choice, self._call]
        if kind in CASTS:
            shapes.append(self._cast)
        return self.draw.choice(shapes)(kind, depth - 1)

    def _own(self, kind: str, depth: int) -> str:
        return {
            "integer": self._arithmetic,
            "decimal": self._arithmetic,
            "double": self._arithmetic,
            "string": self._text,
            "boolean": self._test,
            "date": self._moved,
            "timestamp": self._moved,
            "array": self._list,
        }[kind](kind, depth)

    def _arithmetic(self, kind: str, depth: int) -> str:
        other = self.pick(NUMBERS[: NUMBERS.index(kind) + 1])
        left, right = self.of(kind, depth), self.of(other, depth)
        if self.chance(0.3):
            left, right = right, left
        operators = {"integer": ("+", "-", "*", "%", "DIV"), "decimal": ("+", "-", "*", "/", "%")}
        if self.chance(0.1):
            return f"(- {left})"
        return f"({left} {self.pick(operators.get(kind, ('+', '-', '*', '/')))} {right})"

    def _text(self, _kind: str, depth: int) -> str:
        if self.chance(0.2):
            return f"CAST({self.of(self.kind(), depth)} AS STRING)"
        return f"({self.of('string', depth)} || {self.of('string', depth)})"

    def _moved(self, kind: str, depth: int) -> str:
        unit = self.pick(("DAY", "MONTH", "YEAR") if kind == "date" else ("DAY", "HOUR", "MINUTE"))
        count = self.pick(("1", "3", "40"))
        return f"({self.of(kind, depth)} {self.pick('+-')} INTERVAL '{count}' {unit})"

    def _list(self, _kind: str, depth: int) -> str:
        return f"array({self.of('integer', depth)}, {self.of('integer', depth)})"

    def _test(self, _kind: str, depth: int) -> str:
        kind = self.pick(("integer", "decimal", "double", "string", "date", "timestamp", "boolean"))
        one, two, no = self.of(kind, depth), self.of(kind, depth), self.pick(("", "NOT "))
        if self.chance(0.15) and kind in NUMBERS:
            two = self.of(self.pick((*NUMBERS, "string")), depth)
        operator = self.pick(("=", "<>", "<", "<=", ">", ">=", "<=>"))
        shape = self.draw.randrange(9)
        if shape < 3:
            return f"({one} {operator} {two})"
        if shape < 5:
            left, right = self.of("boolean", depth), self.of("boolean", depth)
            return f"({left} {self.pick(('AND', 'OR'))} {right})"
        return (
            f"(NOT {self.of('boolean', depth)})",
            f"({one} {no}BETWEEN {two} AND {self.of(kind, depth)})",
            f"({one} {no}IN ({two}, {self.pick(LEAVES[kind])}{self.pick(('', ', NULL'))}))",
            self.pick(
                (
                    f"({one} IS {no}NULL)",
                    f"({one} IS {no}DISTINCT FROM {two})",
                    f"({self.of('string', depth)} {no}LIKE {self.pick(_PATTERNS)})",
                )
            ),
        )[shape - 5]

    def _choice(self, kind: str, depth: int) -> str:
        one, two = self.of(kind, depth), self.of(kind, depth)
        if kind in NUMBERS and self.chance(0.2):
            two = self.of(self.pick(NUMBERS), depth)
        test, other = self.of("boolean", depth), self.of("integer", 0)
        return self.pick(
            (
                f"CASE WHEN {test} THEN {one} ELSE {two} END",
                f"CASE WHEN {test} THEN {one} WHEN {self.of('boolean', 0)} THEN {two} END",
                f"CASE {self.of('integer', 0)} WHEN {other} THEN {one} ELSE {two} END",
                f"coalesce({one}, {two})",
                f"nullif({one}, {two})",
                f"if({test}, {one}, {two})",
                f"nvl2({self.of(self.kind(), 0)}, {one}, {two})",
            )
        )

    def _cast(self, kind: str, depth: int) -> str:
        """From any kind: where the types have nothing in common, both must say so."""
        origin = self.kind() if self.chance(0.7) else "string"
        verb = self.pick(("CAST", "CAST", "TRY_CAST"))
        return f"{verb}({self.of(origin, depth)} AS {self.pick(CASTS[kind])})"

    def _call(self, kind: str, depth: int) -> str:
        if kind in NUMBERS and self.chance(0.3):
            name = self.pick(_NUMERIC_RULES)
            return self.call(FUNCTIONS[name], depth, kind)
        if kind == "array":
            name = self.pick(("sequence", "sort_array", "split"))
            return self.call(FUNCTIONS[name], depth, kind)
        known = [*_BY_RESULT[kind], FUNCTIONS["greatest"], FUNCTIONS["least"]]
        return self.call(self.draw.choice(known), depth, kind)

    def call(self, function: Function, depth: int, kind: str) -> str:
        """A call with arguments that its signature allows; ``kind`` stands for any."""
        required, _, optional = function.arguments.partition("?")
        letters = required.replace("*", "")
        extra = optional.replace("*", "")
        for letter in extra if self.chance(0.5) else "":
            letters += letter
        if "*" in function.arguments:
            letters += letters[-1:] * self.draw.randrange(3)
        if function.name == "date_add" or letters == "xxx":
            letters = letters[:2]
        given = [self._argument(function, letter, kind, depth) for letter in letters]
        return f"{function.name}({', '.join(given)})"

    def _argument(self, function: Function, letter: str, kind: str, depth: int) -> str:
        name = ALIKE.get(function.name, function.name)
        if letter == "c":
            return self.pick(CONSTANTS.get(name, ("1", "'a'")))
        if letter == "i" and (name in SMALL or self.chance(0.6)):
            return self.pick(("0", "1", "2", "3", "5", "-1", "t", "12"))
        if letter in LETTERS:
            return self.of(LETTERS[letter], depth)
        if letter == "n":
            return self.of(kind if kind in NUMBERS else self.pick(NUMBERS), depth)
        if letter == "x" and function.spelling.startswith(("part:", "date_part")):
            return self.of(self.pick(("date", "timestamp", "timestamp")), depth)
        if letter == "x" and function.spelling.startswith(("to_date", "to_timestamp")):
            return self.of("string", depth)
        if letter == "x":
            return self.of(self.kind(), depth)
        return self.of(kind, depth)

    def question(self) -> str:
        """A statement that asks for one expression, of one row or of all."""
        if self.chance(0.12):
            return self.aggregate()
        if self.chance(0.1):
            return self.window()
        kind, depth = self.kind(), self.draw.choice((1, 2, 2, 3))
        one = f" WHERE id = {self.draw.randint(1, len(ROWS))}" if self.chance(0.65) else ""
        order = "" if one else " ORDER BY id"
        return " ".join(("SELECT", self.of(kind, depth), f"AS y FROM {NAME}{one}{order}"))

    def aggregate_call(self) -> str:
        known = [
            item for item in FUNCTIONS.values()
            if item.kind == AGGREGATE and item.name not in UNORDERED
        ]  # fmt: skip
        function = self.draw.choice(known)
        kind = self.pick(("integer", "decimal", "double", "string", "date", "boolean"))
        if function.name in ("percentile", "median"):  # between infinities they are rounding
            share = f", {self.pick(CONSTANTS['percentile'])}" if function.name != "median" else ""
            inner = f"{function.name}({self.of(self.pick(NUMBERS[:2]), 1)}{share})"
        else:
            inner = self.call(function, 1, kind)
        if function.name in ("sum", "avg", "count", "min", "max") and self.chance(0.2):
            inner = inner.replace("(", "(DISTINCT ", 1) if inner.count(",") == 0 else inner
        return inner + (f" FILTER (WHERE {self.of('boolean', 1)})" if self.chance(0.15) else "")

    def aggregate(self) -> str:
        call = self.aggregate_call()
        some = f" WHERE id <> {self.draw.randint(3, 7)}" if self.chance(0.4) else ""
        if self.chance(0.5):
            return " ".join(("SELECT", call, f"AS y FROM {NAME}{some}"))
        return " ".join(("SELECT", f"g, {call} AS y FROM {NAME}{some} GROUP BY g ORDER BY g"))

    def window(self) -> str:
        value = self.of(self.pick(("integer", "decimal", "double", "date", "string")), 0)
        total = self.pick(("sum", "avg", "count", "min", "max"))
        call = self.pick(
            (
                f"{total}({self.of(self.pick(NUMBERS), 1)})",
                "row_number()",
                "rank()",
                "dense_rank()",
                "percent_rank()",
                "cume_dist()",
                "ntile(3)",
                f"lag({value})",
                f"lead({value}, 2)",
                f"first_value({value})",
                f"last_value({value})",
            )
        )
        order = "id" if call[:2] in ("la", "le", "nt", "ro") else self.pick(("id", "b, id"))
        over = f"{self.pick(('', 'PARTITION BY g '))}ORDER BY {order}{self.pick(('', ' DESC'))}"
        if "sum" in call or "count" in call or "avg" in call:
            over += self.pick(("", " ROWS BETWEEN 1 PRECEDING AND CURRENT ROW"))
        return " ".join(("SELECT", f"id, {call} OVER ({over}) AS y FROM {NAME} ORDER BY id"))


_PATTERNS = ("'%a%'", "'_b'", "''", "'%'", "'\\\\%%'", "'A__'", "'%é%'")
TIMES = {"integer": 0.6, "decimal": 0.1, "double": 0.1, "boolean": 0.5, "array": 0.0,
         "date": 2.0, "timestamp": 3.0, "string": 1.0}  # fmt: skip
"""Weights of a writer that asks mostly about time."""


def questions(seed: int, count: int, weights: dict[str, float] | None = None) -> list[str]:
    """Random statements of one expression each."""
    writer = Writer(random.Random(seed), weights)  # noqa: S311
    return [writer.question() for _ in range(count)]
