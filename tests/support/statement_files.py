"""Files of statements and of what they answer, in the language of ``tests/contract/statements``.

Nothing but the standard library is imported, so that a Python with Spark alone reads them too.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent.parent / "contract" / "statements"
FILES = ("parquet", "csv", "json", "arrow", "avro")
FORMATS = ("delta", "iceberg", *FILES)
_GROUPS = {"files": FILES, "lake": ("delta", "iceberg")}
_KNOWN = {*FORMATS, *_GROUPS, "spark"}
_EXPECTED = re.compile(r"^-->(?:\[([^\]]*)\])? ?(.*)$")
_UNLIKE = "-- unlike Spark: "
_FAULT = re.compile(r"^-- fault\[([^\]]*)\]: (.*)$")
_CASE = "-- case: "
_REFUSED = "refused "
_COUNT = re.compile(r"done$|nothing to do$|no rows$|\d+ (inserted|updated|deleted)")


@dataclass
class Step:
    """One statement, what it answers, and why Spark's answer is another one where it is."""

    text: str
    line: int
    expected: dict[str, list[str]] = field(default_factory=dict)
    unlike_spark: str = ""
    faulty: frozenset[str] = frozenset()

    def answer(self, format: str) -> list[str] | None:
        """The lines that are expected of ``format``: its own, else those of all."""
        own = self.own(format)
        return self.expected.get("") if own is None else own

    def own(self, name: str) -> list[str] | None:
        """The lines that are expected of ``name`` and not of all."""
        for told, lines in self.expected.items():
            if name in _members(told):
                return lines
        return None


@dataclass
class Case:
    """Statements of one session, in a schema of their own."""

    family: str
    name: str
    steps: list[Step]

    @property
    def formats(self) -> tuple[str, ...]:
        """The formats that the case is run with: all, or none where it names no format."""
        named = any("{format}" in step.text for step in self.steps)
        return FORMATS if named else ("",)


def is_refusal(answer: Sequence[str] | None) -> bool:
    """Whether the case ends with the error that is expected."""
    return answer is not None and len(answer) > 0 and answer[0].startswith(_REFUSED)


def is_count(answer: Sequence[str]) -> bool:
    """Whether it says what was done, where Spark says nothing."""
    return len(answer) == 1 and _COUNT.match(answer[0]) is not None


def cases(folder: Path = FOLDER) -> list[Case]:
    """All cases, by file and place."""
    return [case for path in sorted(folder.glob("*.sql")) for case in read(path)]


def read(path: Path) -> list[Case]:
    """The cases of one file.

    :raises ValueError: a line has no place in the language.
    """
    reader = _Reader(path)
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        reader.take(number, line)
    if reader.text:
        raise ValueError(f"{path.name}: the last statement does not end with a semicolon")
    return reader.found


class _Reader:
    """A file's lines as cases, and what is said of the statement that comes next."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.found: list[Case] = []
        self.text: list[str] = []
        self.unlike = ""
        self.faulty: frozenset[str] = frozenset()

    def take(self, number: int, line: str) -> None:
        """Read the next line."""
        if line.startswith(_CASE):
            self.found.append(Case(self.path.stem, line.removeprefix(_CASE).strip(), []))
        elif line.startswith(_UNLIKE):
            self.unlike = line.removeprefix(_UNLIKE).strip()
        elif fault := _FAULT.match(line):
            self.faulty = frozenset(_members(fault[1]))
        elif line.startswith("-->"):
            _expect(self.found, line, f"{self.path.name}:{number}")
        elif not line.startswith("--") and (line.strip() or self.text):
            self._statement(number, line)

    def _statement(self, number: int, line: str) -> None:
        self.text.append(line)
        if line.endswith(";"):
            whole = "\n".join(self.text).removesuffix(";")
            place = number - len(self.text) + 1
            self.found[-1].steps.append(Step(whole, place, {}, self.unlike, self.faulty))
            self.text, self.unlike, self.faulty = [], "", frozenset()


def _expect(found: list[Case], line: str, where: str) -> None:
    match = _EXPECTED.match(line)
    step = found[-1].steps[-1]
    if match is None or not step.text:
        raise ValueError(f"{where}: an expectation of nothing")
    told = match[1] or ""
    unknown = {*told.split()} - _KNOWN
    if unknown:
        raise ValueError(f"{where}: unknown {sorted(unknown)}")
    step.expected.setdefault(told, []).append(match[2].strip())


def _members(told: str) -> set[str]:
    return {name for word in told.split() for name in _GROUPS.get(word, (word,))}


def agrees(expected: Sequence[str], actual: Sequence[str]) -> bool:
    """Whether the lines say the same: ``*`` is any value, ``…`` any number of lines."""
    if not expected:
        return not actual
    if expected[0] == "…":
        return any(agrees(expected[1:], actual[at:]) for at in range(len(actual) + 1))
    return bool(actual) and _same_line(expected[0], actual[0]) and agrees(expected[1:], actual[1:])


def _same_line(expected: str, actual: str) -> bool:
    wanted = _parts(expected.replace(_REFUSED, "error ", 1) if is_refusal([expected]) else expected)
    got = _parts(actual)
    return len(wanted) == len(got) and all(
        one in ("*", two) for one, two in zip(wanted, got, strict=True)
    )


def _parts(line: str) -> list[str]:
    return [part.strip() for part in line.split(" | ")]


def table(columns: Iterable[tuple[str, str]], rows: Iterable[Sequence[Any]]) -> list[str]:
    """Rows as lines: a heading of names and types, then the values."""
    heading = " | ".join(f"{name} {type_}" for name, type_ in columns)
    return [heading, *(" | ".join(_cell(value) for value in row) for row in rows)]


def error(condition: str | None, sqlstate: str | None) -> list[str]:
    """An error as a line."""
    return [f"error {condition} {sqlstate}"]


def _cell(value: Any) -> str:
    told = plain(value)
    if told is None:
        return "NULL"
    if not isinstance(told, str):
        return json.dumps(told, ensure_ascii=False)
    odd = told in ("", "NULL", "*") or told != told.strip() or {"\n", "|"} & {*told}
    return json.dumps(told, ensure_ascii=False) if odd else told


def plain(value: Any) -> Any:
    """A value of Python's as the JSON of an answer over HTTP has it."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, (datetime, date)):
        return value.isoformat(*" " if isinstance(value, datetime) else "")
    if isinstance(value, (bytes, bytearray)):
        return bytes(value).hex()
    if hasattr(value, "asDict"):
        return {key: plain(item) for key, item in value.asDict().items()}
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value


def fill(text: str, **values: str) -> str:
    """``text`` with its ``{format}``, ``{schema}`` and the like filled in."""
    for name, value in values.items():
        text = text.replace(f"{{{name}}}", value)
    return text
