"""Random whole statements over the awkward tables: joins, groups, sets, sub-queries, windows."""

from __future__ import annotations

import random
from collections.abc import Sequence

from tests.support.awkward import COLUMNS, NAME, SIDE_COLUMNS, SIDE_NAME

_CATEGORY = {"tinyint": "int", "smallint": "int", "bigint": "int", "float": "double"}
_SHORT = {name: kind.partition("(")[0] for name, kind in {**COLUMNS, **SIDE_COLUMNS}.items()}
TABLES = {NAME: COLUMNS, SIDE_NAME: SIDE_COLUMNS}
Aliases = list[tuple[str, str]]
_LITERALS = {
    "int": ("0", "1", "2", "7", "-5", "10"),
    "decimal": ("1.50", "0.0", "2.35"),
    "double": ("0.5D", "0.0D", "1e10"),
    "string": ("'u'", "'v'", "''", "'Ada'"),
    "date": ("DATE'2024-02-29'", "DATE'1970-01-01'"),
    "boolean": ("TRUE", "FALSE"),
    "timestamp": ("TIMESTAMP'2024-03-31 01:30:00'",),
}


def category(kind: str) -> str:
    """The kind of value of a column's type."""
    short = kind.partition("(")[0]
    return _CATEGORY.get(short, short)


class Statements:
    """Writes statements; ``draw`` decides everything."""

    def __init__(self, draw: random.Random) -> None:
        self.draw = draw

    def pick(self, choices: Sequence[str]) -> str:
        return self.draw.choice(choices)

    def chance(self, share: float) -> bool:
        return self.draw.random() < share

    def columns(self, aliases: Aliases, kind: str) -> list[str]:
        return [
            f"{alias}.{name}"
            for alias, table in aliases
            for name, declared in TABLES[table].items()
            if category(declared) == kind
        ]

    def kind(self, aliases: Aliases) -> str:
        able = [kind for kind in _LITERALS if self.columns(aliases, kind)]
        return self.pick(able)

    def column(self, aliases: Aliases, kind: str | None = None) -> str:
        kind = kind or self.kind(aliases)
        return self.pick(self.columns(aliases, kind) or _LITERALS[kind])

    def value(self, aliases: Aliases, kind: str, depth: int = 1) -> str:
        if depth <= 0 or self.chance(0.5):
            return self.column(aliases, kind)
        inner = self.value(aliases, kind, depth - 1)
        shapes = [
            f"coalesce({inner}, {self.pick(_LITERALS[kind])})",
            f"CASE WHEN {self.test(aliases, 0)} THEN {inner} ELSE {self.column(aliases, kind)} END",
        ]
        if kind in ("int", "decimal", "double"):
            shapes.append(
                f"({self.small(aliases)} {self.pick('+-*')} {self.pick(_LITERALS[kind])})"
            )
        if kind == "string":
            shapes += [f"upper({inner})", f"({inner} || 'x')", f"substring({inner}, 1, 1)"]
        return self.pick(shapes)

    def small(self, aliases: Aliases) -> str:
        """A column of small numbers, so that overflow stays rare here."""
        known = ("t", "s", "id", "k", "p", "w")
        able = [
            f"{alias}.{name}" for alias, table in aliases for name in known if name in TABLES[table]
        ]
        return self.pick(able)

    def test(self, aliases: Aliases, depth: int = 1) -> str:
        kind, no = self.kind(aliases), self.pick(("", "NOT "))
        one, two = self.column(aliases, kind), self.column(aliases, kind)
        literal, more = self.pick(_LITERALS[kind]), self.pick(_LITERALS[kind])
        operator = self.pick(("=", "<>", "<", "<=", ">", ">=", "<=>"))
        tests = [
            f"{one} {operator} {self.pick((two, literal))}",
            f"{one} IS {no}NULL",
            f"{one} {no}IN ({literal}, {more}{self.pick(('', '', ', NULL'))})",
            f"{one} IS {no}DISTINCT FROM {two}",
        ]
        if kind != "boolean":
            tests.append(f"{one} {no}BETWEEN {literal} AND {self.pick(_LITERALS[kind])}")
        if depth > 0:
            inner, other = self.test(aliases, depth - 1), self.test(aliases, depth - 1)
            tests += [f"({inner} {self.pick(('AND', 'OR'))} {other})", f"(NOT ({inner}))"]
            tests.append(self.inner_test(aliases, no))
        return self.pick(tests)

    def inner_test(self, aliases: Aliases, no: str) -> str:
        table, alias = self.pick(tuple(TABLES)), f"z{self.draw.randrange(100, 999)}"
        kind = self.pick(("int", "string", "decimal", "date"))
        own, outer = self.column([(alias, table)], kind), self.column(aliases, kind)
        rows = f"FROM {table} {alias} WHERE {self.test([(alias, table)], 0)}"
        return self.pick(
            (
                f"{outer} {no}IN ({select(own, rows)})",
                f"{no}EXISTS ({select('1', f'{rows} AND {own} = {outer}')})",
                f"{outer} {self.pick('<>=')} ({select(f'max({own})', rows)})",
                f"{outer} >= ({select(f'min({own})', f'{rows} AND {own} = {outer}')})",
            )
        )

    def source(self) -> tuple[Aliases, str]:
        aliases: Aliases = [
            (f"t{at}", self.pick(tuple(TABLES))) for at in range(self.draw.choice((1, 1, 2, 2, 3)))
        ]
        first, *others = aliases
        text, known = f"{first[1]} {first[0]}", [first]
        if self.chance(0.2):
            some = select("*", f"FROM {first[1]} WHERE {self.test([(first[1], first[1])])}")
            text = f"({some}) {first[0]}"
        visible = list(known)
        for alias, table in others:
            kind = self.pick(("int", "string", "int", "decimal"))
            on = f"{self.column([(alias, table)], kind)} = {self.column(visible, kind)}"
            if self.chance(0.25):
                on += f" AND {self.test([*visible, (alias, table)], 0)}"
            how = self.pick(
                ("JOIN", "JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "LEFT SEMI JOIN",
                 "LEFT ANTI JOIN", "CROSS JOIN")
            )  # fmt: skip
            text += f" {how} {table} {alias}" + ("" if how == "CROSS JOIN" else f" ON {on}")
            if "SEMI" not in how and "ANTI" not in how:
                visible.append((alias, table))
        return visible, text

    def rest(self, aliases: Aliases, text: str) -> str:
        return f"FROM {text}" + (f" WHERE {self.test(aliases)}" if self.chance(0.6) else "")

    def aggregate(self, aliases: Aliases) -> str:
        kind = self.pick(("int", "decimal", "double", "string", "date"))
        value = self.value(aliases, kind)
        name = self.pick(("count", "min", "max", "count"))
        if kind in ("decimal", "double") and self.chance(0.5):
            name = self.pick(("sum", "avg"))
        if kind == "int" and self.chance(0.6):
            name, value = self.pick(("sum", "avg")), self.small(aliases)
        word = "DISTINCT " if self.chance(0.2) else ""
        tail = f" FILTER (WHERE {self.test(aliases, 0)})" if self.chance(0.15) else ""
        return self.pick((f"{name}({word}{value}){tail}", "count(*)"))

    def plain(self, aliases: Aliases, text: str, kinds: Sequence[str]) -> str:
        items = ", ".join(f"{self.value(aliases, kind)} AS c{at}" for at, kind in enumerate(kinds))
        word = "DISTINCT " if self.chance(0.25) else ""
        return select(f"{word}{items}", self.rest(aliases, text))

    def grouped(self, aliases: Aliases, text: str) -> str:
        kinds = [self.pick(("int", "string", "boolean", "date", "decimal")) for _ in "12"]
        keys = [self.value(aliases, kind) for kind in kinds[: self.draw.randint(1, 2)]]
        how = ", ".join(keys)
        if self.chance(0.2):
            how = self.pick((f"ROLLUP({how})", f"CUBE({how})", f"GROUPING SETS (({how}), ())"))
        heads = ", ".join(f"{key} AS k{at}" for at, key in enumerate(keys))
        made = select(
            f"{heads}, {self.aggregate(aliases)} AS a0, {self.aggregate(aliases)} AS a1",
            f"{self.rest(aliases, text)} GROUP BY {how}",
        )
        return made + self.pick(("", "", f" HAVING {self.aggregate(aliases)} IS NOT NULL",
                                 " HAVING count(*) > 1"))  # fmt: skip

    def ordered(self, inner: str, heads: Sequence[str]) -> str:
        """Ordered by every column, so that the order and what LIMIT keeps are certain."""
        keys = ", ".join(
            f"{head}{self.pick(('', ' DESC'))}{self.pick(('', '', ' NULLS FIRST', ' NULLS LAST'))}"
            for head in self.draw.sample(heads, len(heads))
        )
        tail = self.pick(("", " LIMIT 3", " LIMIT 4 OFFSET 2"))
        return select("*", f"FROM ({inner}) w ORDER BY {keys}{tail}")

    def window(self, aliases: Aliases, text: str) -> str:
        key = self.column(aliases, self.pick(("string", "boolean", "int")))
        unique = ", ".join(f"{alias}.id" for alias, _ in aliases)
        value = self.pick((self.small(aliases), self.column(aliases, "decimal")))
        call = self.pick((f"sum({value})", f"count({value})", f"max({value})", "row_number()",
                          f"lag({value})", f"avg({value})", f"first_value({value})"))  # fmt: skip
        over = f"{self.pick(('', f'PARTITION BY {key} '))}ORDER BY {unique}"
        items = f"{self.column(aliases)} AS c0, {call} OVER ({over}) AS c1"
        return select(items, self.rest(aliases, text))

    def statement(self) -> str:
        aliases, text = self.source()
        kinds = [self.kind(aliases) for _ in range(self.draw.randint(1, 3))]
        heads = [f"c{at}" for at in range(len(kinds))]
        shape = self.draw.randrange(8)
        if shape < 2:
            return self.ordered(self.plain(aliases, text, kinds), heads)
        if shape == 2:
            return self.plain(aliases, text, kinds)
        if shape < 5:
            return self.grouped(aliases, text)
        if shape == 5:
            return self.window(aliases, text)
        if shape == 6:
            others, more = self.source()
            kinds = [kind if self.columns(others, kind) else "int" for kind in kinds]
            word = self.pick(("UNION", "UNION ALL", "EXCEPT", "INTERSECT", "EXCEPT ALL"))
            first = self.plain(aliases, text, kinds)
            return f"{first} {word} {self.plain(others, more, kinds)}"
        inner = self.plain(aliases, text, kinds)
        return f"WITH w AS ({inner}) " + select(
            f"a.c0, count(*), max(b.{heads[-1]})",
            "FROM w a LEFT JOIN w b ON a.c0 = b.c0 GROUP BY a.c0",
        )


def select(what: str, rest: str) -> str:
    """A SELECT."""
    return " ".join(("SELECT", what, rest))


def statements(seed: int, count: int) -> list[str]:
    """Random statements."""
    writer = Statements(random.Random(seed))  # noqa: S311
    return [writer.statement() for _ in range(count)]
