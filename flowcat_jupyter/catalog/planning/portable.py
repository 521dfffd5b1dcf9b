"""Conditions that every engine which writes Delta tables reads alike.

A CHECK constraint is kept as text in the table's log, and each writer judges by it in its own
SQL. What may stand in one here is what Spark, DataFusion and polars answer alike; whole numbers
that are computed with become decimals, because some of them wrap.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, cast

from sqlglot import exp

from flowcat_jupyter.catalog.planning.portable_text import (
    CHANGING,
    FUNCTIONS,
    LITTLE,
    bare,
    decimal_text,
    family_of,
)
from flowcat_jupyter.catalog.planning.refusals import shown
from flowcat_jupyter.shared.errors import SqlError
from flowcat_jupyter.shared.names import back_ticked, name_key
from flowcat_jupyter.shared.wire import Column
from flowcat_jupyter.sql.dialect import Piece, position

_NUMBER, _TEXT, _DATE = "number", "text", "date"
_TRUTH, _NULL, _OTHER = "boolean", "NULL", "value"
_WHOLE = ("tinyint", "smallint", "int", "bigint")
_COMPARED: dict[type[exp.Expr], str] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.GT: ">",
    exp.GTE: ">=",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.NullSafeEQ: "<=>",
}
_COMPUTED: dict[type[exp.Expr], str] = {exp.Add: "+", exp.Sub: "-", exp.Mul: "*"}
_JOINED: dict[type[exp.Expr], str] = {exp.And: "AND", exp.Or: "OR"}
_PLAIN_NUMBER = re.compile(r"[0-9]+(\.[0-9]*)?|\.[0-9]+")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


@dataclass(frozen=True)
class _Part:
    """A part of a condition: its text, what it is of, and whether it is a whole number."""

    text: str
    family: str
    whole: bool = False
    fixed: bool = False


@dataclass(frozen=True)
class Condition:
    """A condition as it is kept, and the columns that it reads, as the table spells them."""

    text: str
    columns: tuple[str, ...]


def portable(
    piece: Piece, tree: exp.Expression, columns: Sequence[Column], *, as_it_is: bool = False
) -> Condition:
    """The condition over a table's ``columns`` in words that all engines read alike.

    :raises SqlError: there is a part that they do not, with its place; or, with ``as_it_is``, one
        that they would only read alike in other words.
    """
    writer = _Writer(piece, columns, as_it_is)
    part = writer.part(tree)
    if part.family not in (_TRUTH, _NULL):
        writer.fault(
            tree,
            f"A condition is true or false, and {_shown(tree)} is a {part.family}",
            "DELTA_NON_BOOLEAN_CHECK_CONSTRAINT",
            "42621",
        )
    return Condition(bare(part.text), tuple(writer.read))


def portable_part(piece: Piece, tree: exp.Expression, columns: Sequence[Column]) -> tuple[str, str]:
    """Any expression over a table's ``columns`` in such words, and what it is: a number, text,
    date, timestamp or boolean.

    :raises SqlError: there is a part that engines do not read alike, with its place.
    """
    part = _Writer(piece, columns, as_it_is=False).part(tree)
    return part.text, part.family


def _is_whole(part: _Part) -> bool:
    return part.fixed and part.text.lstrip("-").isdecimal()


def _shown(node: exp.Expr) -> str:
    return shown(cast(exp.Expression, node))


class _Writer:
    def __init__(self, piece: Piece, columns: Sequence[Column], as_it_is: bool) -> None:
        self._piece = piece
        self._columns = {name_key(column.name): column for column in columns}
        self._as_it_is = as_it_is
        self._floating = False
        self.read: dict[str, None] = {}

    def part(self, node: exp.Expr) -> _Part:
        """A part of the condition, written anew."""
        for kinds, write in _PARTS:
            if isinstance(node, kinds):
                found: _Part = write(self, node)
                return found
        if isinstance(node, exp.Query) or node.find(exp.Query):
            self.fault(node, "A constraint cannot hold a sub-query")
        return self.refuse(node)

    def column(self, node: exp.Column) -> _Part:
        column = self._columns.get(name_key(node.name)) if len(node.parts) == 1 else None
        if column is None:
            self.fault(
                node,
                f"The table has no column {_shown(node)}",
                "UNRESOLVED_COLUMN.WITH_SUGGESTION",
                "42703",
                f"It has: {', '.join(item.name for item in self._columns.values())}.",
            )
        if self._as_it_is and column.name != node.name:
            self.refuse(node)
        self.read[column.name] = None
        family = family_of(column.type)
        return _Part(back_ticked(column.name), family, column.type in _WHOLE)

    def literal(self, node: exp.Literal) -> _Part:
        text = str(node.this)
        if node.is_string:
            if "'" in text or "\\" in text:
                self.fault(
                    node,
                    "A text with a quote or a backslash is spelled otherwise in other engines, and "
                    "cannot stand in a constraint",
                )
            return _Part(f"'{text}'", _TEXT, fixed=True)
        if not _PLAIN_NUMBER.fullmatch(text):
            return _Part(text, _NUMBER) if self._floating else self.refuse(node)
        if "." not in text:
            return _Part(text, _NUMBER, fixed=True)
        if self._floating or self._as_it_is:
            return _Part(text, _NUMBER, fixed=True)
        return _Part(decimal_text(text), _NUMBER, fixed=True)

    def compared(self, node: exp.Binary) -> _Part:
        left, right = self.alike(node, [node.this, node.expression])
        return _Part(f"({left} {_COMPARED[type(node)]} {right})", _TRUTH)

    def alike(self, node: exp.Expr, items: Sequence[exp.Expr]) -> list[str]:
        """Parts that are of one family."""
        before = self._floating
        named = [name_key(c.name) for item in items for c in item.find_all(exp.Column)]
        known = (self._columns.get(name) for name in named)
        self._floating = before or any(
            c is not None and c.type in ("float", "double") for c in known
        )
        parts = [self.part(item) for item in items]
        self._floating = before
        families = {part.family for part in parts} - {_NULL}
        if families == {_DATE, _TEXT}:
            parts = [self._day(item, part) for item, part in zip(items, parts, strict=True)]
            families = {_DATE}
        if len(families) > 1 or _OTHER in families:
            of = " with ".join(sorted(families))
            self.fault(
                node,
                f"{_shown(node)} compares {of}",
                "DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES",
                "42K09",
                "Write both sides as the same type of value.",
            )
        return [part.text for part in parts]

    def _day(self, node: exp.Expr, part: _Part) -> _Part:
        if part.family != _TEXT or self._as_it_is:
            return part
        if not (part.fixed and _DAY.fullmatch(part.text[1:-1])):
            self.fault(node, f"{_shown(node)} is no date", hint="Write it as DATE '2026-01-31'.")
        return _Part(f"CAST({part.text} AS DATE)", _DATE)

    def joined(self, node: exp.Connector) -> _Part:
        items = [self.truth(item) for item in node.flatten()]
        return _Part(f"({f' {_JOINED[type(node)]} '.join(items)})", _TRUTH)

    def truth(self, node: exp.Expr) -> str:
        part = self.part(node)
        if part.family not in (_TRUTH, _NULL):
            self.fault(
                node,
                f"{_shown(node)} is a {part.family}, where true or false is wanted",
                "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
                "42K09",
            )
        return part.text

    def negated(self, node: exp.Not) -> _Part:
        inner = node.this
        if isinstance(inner, exp.Is) and isinstance(inner.expression, exp.Null):
            return _Part(f"({self.part(inner.this).text} IS NOT NULL)", _TRUTH)
        return _Part(f"(NOT {self.truth(inner)})", _TRUTH)

    def paren(self, node: exp.Paren) -> _Part:
        return self.part(node.this)

    def boolean(self, node: exp.Boolean) -> _Part:
        return _Part("TRUE" if node.this else "FALSE", _TRUTH)

    def null(self, _: exp.Null) -> _Part:
        return _Part("NULL", _NULL)

    def is_(self, node: exp.Is) -> _Part:
        if isinstance(node.expression, exp.Null):
            return _Part(f"({self.part(node.this).text} IS NULL)", _TRUTH)
        if isinstance(node.expression, exp.Boolean):
            said = "TRUE" if node.expression.this else "FALSE"
            return _Part(f"({self.truth(node.this)} IS {said})", _TRUTH)
        return self.refuse(node)

    def in_(self, node: exp.In) -> _Part:
        if any(node.args.get(key) for key in ("query", "unnest", "field")):
            self.fault(node, "A constraint cannot hold a sub-query")
        first, *rest = self.alike(node, [node.this, *node.expressions])
        return _Part(f"({first} IN ({', '.join(rest)}))", _TRUTH)

    def between(self, node: exp.Between) -> _Part:
        if node.args.get("symmetric"):
            return self.refuse(node)
        value, low, high = self.alike(node, [node.this, node.args["low"], node.args["high"]])
        return _Part(f"({value} BETWEEN {low} AND {high})", _TRUTH)

    def like(self, node: exp.Like) -> _Part:
        pattern = node.expression
        if not isinstance(pattern, exp.Literal) or set(node.args) - {"this", "expression"} - {
            key for key, value in node.args.items() if not value
        }:
            return self.refuse(node)
        value, text = self.alike(node, [node.this, pattern])
        return _Part(f"({value} LIKE {text})", _TRUTH)

    def negative(self, node: exp.Neg) -> _Part:
        part = self.number(node.this)
        return _Part(
            f"-{part.text}" if part.fixed else f"(-{part.text})", _NUMBER, fixed=part.fixed
        )

    def number(self, node: exp.Expr) -> _Part:
        """A number to compute with; what may wrap in another engine is a decimal."""
        part = self.part(node)
        if part.family not in (_NUMBER, _NULL):
            self.fault(
                node,
                f"{_shown(node)} is a {part.family}, where a number is wanted",
                "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
                "42K09",
            )
        if not part.whole or self._floating:
            return part
        if self._as_it_is:
            self.refuse(node)
        return _Part(f"CAST({part.text} AS DECIMAL(20,0))", _NUMBER)

    def computed(self, node: exp.Binary) -> _Part:
        left, right = self.number(node.this), self.number(node.expression)
        return _Part(f"({left.text} {_COMPUTED[type(node)]} {right.text})", _NUMBER)

    def rest(self, node: exp.Mod) -> _Part:
        value, divisor = self.part(node.this), self.part(node.expression)
        whole = value.whole and divisor.fixed and divisor.text.isdecimal() and int(divisor.text)
        if not whole:
            return self.refuse(node)
        return _Part(f"({value.text} % {divisor.text})", _NUMBER, whole=True)

    def case(self, node: exp.Case) -> _Part:
        if node.this is not None:
            return self.refuse(node)
        default = node.args.get("default")
        values = [item.args["true"] for item in node.args["ifs"]]
        values += [default] if default is not None else []
        parts = [self.part(value) for value in values]
        family = next((part.family for part in parts if part.family != _NULL), _NULL)
        texts = self.alike(node, values)
        said = [
            f"WHEN {self.truth(item.this)} THEN {text}"
            for item, text in zip(node.args["ifs"], texts, strict=False)
        ]
        said += [f"ELSE {texts[-1]}"] if default is not None else []
        whole = all(p.family == _NULL or p.whole or _is_whole(p) for p in parts)
        return _Part(f"CASE {' '.join(said)} END", family, whole=whole and family == _NUMBER)

    def cast(self, node: exp.Cast) -> _Part:
        """The casts that are written here, and DATE '…'."""
        if isinstance(node, exp.TryCast):
            return self.refuse(node)
        kind = node.to.sql(dialect="spark").upper().replace(" ", "")
        part = self.part(node.this)
        if kind == "DATE" and part.family == _TEXT and part.fixed:
            day = self._day(node.this, part)
            return _Part(f"CAST({part.text} AS DATE)", _DATE) if day is part else day
        if kind.startswith("DECIMAL(") and (part.whole or part.fixed):
            return _Part(f"CAST({part.text} AS {kind})", _NUMBER, fixed=part.fixed)
        return self.refuse(node)

    def trimmed(self, node: exp.Trim) -> _Part:
        if any(value for key, value in node.args.items() if key != "this"):
            return self.refuse(node)
        return self._called(node, "trim", [node.this], (_TEXT, _TEXT))

    def called(self, node: exp.Anonymous) -> _Part:
        name = str(node.this).lower()
        if name == "coalesce" and node.expressions:
            items = self.alike(node, node.expressions)
            families = [self.part(item).family for item in node.expressions]
            family = next((item for item in families if item != _NULL), _NULL)
            return _Part(f"coalesce({', '.join(items)})", family)
        if name in CHANGING:
            self.fault(
                node,
                f"{name} gives another answer each time, and cannot stand in a constraint",
                "NON_DETERMINISTIC_CHECK_CONSTRAINT",
                "42621",
            )
        known = FUNCTIONS.get(name)
        if known is None or len(node.expressions) != 1:
            return self.refuse(node)
        return self._called(node, name, node.expressions, known)

    def _called(
        self, node: exp.Expr, name: str, given: Sequence[exp.Expr], known: tuple[str, str]
    ) -> _Part:
        wanted, family = known
        part = self.number(given[0]) if wanted == _NUMBER else self.part(given[0])
        if part.family not in (wanted, _NULL):
            self.fault(
                node,
                f"{name} wants a {wanted}, and {_shown(given[0])} is a {part.family}",
                "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
                "42K09",
            )
        return _Part(f"{name}({part.text})", family, whole=wanted == _TEXT and family == _NUMBER)

    def refuse(self, node: exp.Expr) -> NoReturn:
        """Refuse what engines do not read alike."""
        self.fault(node, f"{_shown(node)} cannot stand in a constraint", hint=LITTLE)

    def fault(
        self,
        node: exp.Expr,
        message: str,
        condition: str = "UNSUPPORTED_FEATURE",
        sqlstate: str = "0A000",
        hint: str | None = None,
    ) -> NoReturn:
        """Say what is wrong, at its place."""
        line, column = position(self._piece, cast(exp.Expression, node))
        raise SqlError(
            f"{message}.",
            condition=condition,
            sqlstate=sqlstate,
            line=line,
            column=column,
            hint=hint,
        )


_PARTS: tuple[tuple[Any, Any], ...] = (
    (exp.Paren, _Writer.paren),
    (exp.Column, _Writer.column),
    (exp.Literal, _Writer.literal),
    (exp.Boolean, _Writer.boolean),
    (exp.Null, _Writer.null),
    (tuple(_JOINED), _Writer.joined),
    (exp.Not, _Writer.negated),
    (tuple(_COMPARED), _Writer.compared),
    (exp.Is, _Writer.is_),
    (exp.In, _Writer.in_),
    (exp.Between, _Writer.between),
    (exp.Like, _Writer.like),
    (exp.Neg, _Writer.negative),
    (tuple(_COMPUTED), _Writer.computed),
    (exp.Mod, _Writer.rest),
    (exp.Case, _Writer.case),
    (exp.Cast, _Writer.cast),
    (exp.Trim, _Writer.trimmed),
    (exp.Anonymous, _Writer.called),
)
