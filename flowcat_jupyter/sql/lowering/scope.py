"""Names: which column of which source a name means."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches

from sqlglot import exp

from flowcat_jupyter.shared.errors import SqlError
from flowcat_jupyter.shared.names import name_key, quote
from flowcat_jupyter.shared.types import DataType
from flowcat_jupyter.sql.dialect import place
from flowcat_jupyter.sql.hints import looks_like
from flowcat_jupyter.sql.lowering.steps import Steps

_SUGGESTIONS = 3


@dataclass(slots=True, eq=False)
class Column:
    """A column that can be named: ``sql`` is how the generated text refers to it.

    ``hidden`` columns were merged by USING into a ``merged`` one, and answer only to a
    qualified name.
    """

    name: str
    type: DataType
    sql: str
    id: str
    used: bool = False
    hidden: bool = False
    merged: bool = False


@dataclass(slots=True, eq=False)
class Source:
    """Something in FROM. ``qualifiers`` are the names it answers to, as keys, longest first."""

    label: str
    qualifiers: tuple[tuple[str, ...], ...]
    columns: list[Column]


@dataclass(slots=True, eq=False)
class Scope:
    """The sources a name is looked up in, and the scope around them.

    ``steps`` are the columns that can be added to the sources' rows.
    """

    sources: list[Source] = field(default_factory=list)
    parent: Scope | None = None
    outer_used: bool = False
    steps: Steps | None = None
    references: Counter[str] = field(default_factory=Counter)
    """How often each relation that is shared has been read in this FROM."""
    _index: dict[str, list[tuple[Source, Column]]] = field(default_factory=dict)
    _indexed: int = 0

    def add(self, source: Source) -> None:
        """Make a source's columns visible."""
        self.sources.append(source)

    def columns_named(self, name: str) -> list[tuple[Source, Column]]:
        """Every column of that name here, whatever its source."""
        if self._indexed != len(self.sources):
            for source in self.sources[self._indexed :]:
                for column in source.columns:
                    self._index.setdefault(name_key(column.name), []).append((source, column))
            self._indexed = len(self.sources)
        return self._index.get(name_key(name), [])

    def resolve(self, parts: Sequence[str], node: exp.Expression) -> tuple[Column, list[str]]:
        """The column that ``parts`` begin with, and the parts that are left for struct fields.

        :raises SqlError: there is no such column, or more than one.
        """
        here: Scope | None = self
        passed: list[Scope] = []
        while here is not None:
            found = here._find(parts, node)
            if found is not None:
                for scope in passed:
                    scope.outer_used = True
                found[0].used = True
                return found
            passed.append(here)
            here = here.parent
        raise self.unknown(parts, node)

    def _find(self, parts: Sequence[str], node: exp.Expression) -> tuple[Column, list[str]] | None:
        for length in range(len(parts) - 1, -1, -1):
            matches = list(self._matches(parts[:length], parts[length]))
            if len(matches) > 1:
                names = [column.name for _, column in matches]
                if len({id(source) for source, _ in matches}) == 1 and len(set(names)) > 1:
                    raise by_case(parts, matches[0][0], names, node)
                raise ambiguous(parts, [source for source, _ in matches], node)
            if matches:
                return matches[0][1], list(parts[length + 1 :])
        return None

    def _matches(self, prefix: Sequence[str], name: str) -> Iterator[tuple[Source, Column]]:
        key = tuple(name_key(part) for part in prefix)
        for source, column in self.columns_named(name):
            if (key in source.qualifiers) if key else not column.hidden:
                yield source, column

    def source_named(self, parts: Sequence[str], node: exp.Expression) -> Source:
        """The source a qualified star names.

        :raises SqlError: there is none, or more than one.
        """
        key = tuple(name_key(part) for part in parts)
        found = [source for source in self.sources if key in source.qualifiers]
        if len(found) == 1:
            return found[0]
        if found:
            raise ambiguous(parts, found, node)
        raise self.unknown([*parts, "*"], node)

    def unknown(self, parts: Sequence[str], node: exp.Expression) -> SqlError:
        """The error for a name that is nothing here."""
        written = ".".join(part if part == "*" else quote(part) for part in parts)
        close = self._suggestions(parts[-1])
        known = f" Did you mean {' or '.join(close)}?" if close else ""
        suffix = "WITH_SUGGESTION" if close else "WITHOUT_SUGGESTION"
        line, column = place(node)
        return SqlError(
            f"There is no column {written}.{known}",
            condition=f"UNRESOLVED_COLUMN.{suffix}",
            sqlstate="42703",
            line=line,
            column=column,
            hint=_hint(parts, node),
        )

    def _suggestions(self, name: str) -> list[str]:
        names: dict[str, str] = {}
        here: Scope | None = self
        while here is not None:
            for source in here.sources:
                names.update({name_key(item.name): item.name for item in source.columns})
            here = here.parent
        close = get_close_matches(name_key(name), names, n=_SUGGESTIONS, cutoff=0.7)
        return [quote(names[key]) for key in close]


def _hint(parts: Sequence[str], node: exp.Expression) -> str | None:
    odd = next((hint for part in parts if (hint := looks_like(part))), None)
    if odd:
        return odd
    # Back-ticks leave no trace in the tree, so the hint is for both kinds of quotes.
    if len(parts) == 1 and isinstance(node, exp.Column) and node.this.args.get("quoted"):
        return f"Use single quotes for text: '{parts[0]}'."
    return None


def by_case(
    parts: Sequence[str], source: Source, names: Sequence[str], node: exp.Expression
) -> SqlError:
    """The error for a name that one source has several times, in upper and lower case."""
    line, column = place(node)
    return SqlError(
        f"{'.'.join(quote(part) for part in parts)} is ambiguous: {source.label} has the columns "
        f"{' and '.join(quote(name) for name in names)}.",
        condition="AMBIGUOUS_REFERENCE",
        sqlstate="42704",
        line=line,
        column=column,
        hint="SQL tells no upper from lower case in names; read them with *, or rename one in "
        "the data.",
    )


def ambiguous(parts: Sequence[str], sources: list[Source], node: exp.Expression) -> SqlError:
    """The error for a name that several sources have."""
    name = quote(parts[-1])
    choices = " or ".join(f"{source.label}.{name}" for source in sources)
    line, column = place(node)
    return SqlError(
        f"{'.'.join(quote(part) for part in parts)} is ambiguous: {choices}.",
        condition="AMBIGUOUS_REFERENCE",
        sqlstate="42704",
        line=line,
        column=column,
        hint="Write the table's name or alias before the column, as one of those.",
    )
