"""Whatever the dialect, nothing hidden, no file and no network comes through the gate."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlglot import exp

from flowcat_jupyter.catalog.planning.gate import Gate
from flowcat_jupyter.catalog.planning.resolver import Entry, Resolver
from flowcat_jupyter.catalog.planning.statements import Select, parse
from flowcat_jupyter.shared.errors import FlowcatError, Forbidden
from flowcat_jupyter.shared.names import name_key
from flowcat_jupyter.shared.wire import Column
from flowcat_jupyter.sql.dialect import DIALECTS
from flowcat_jupyter.sql.lowering import lower

HOSTILE = Path(__file__).with_name("hostile.txt").read_text().splitlines()
VISIBLE = Entry(1, ("main", "default", "t"), "delta", "/data/t")
COLUMNS = (Column("a", "bigint"), Column("b", "bigint"))


class OneTable:
    """A catalog in which ``t`` can be seen; a table called ``secret`` is hidden."""

    def tables_named(self, name: str) -> list[Entry]:
        return [VISIBLE] if name_key(name) == "t" else []

    def table_paths(self, limit: int) -> list[tuple[str, ...]]:
        return [VISIBLE.path]

    def path_table(self, format: str, path: str) -> Entry:
        raise Forbidden("read", "path", path)


def plan(text: str, dialect: str) -> list[str]:
    """What a text's queries are lowered to."""
    made = []
    for statement in parse(text, dialect):
        if not isinstance(statement, Select):
            continue
        resolver = Resolver(OneTable(), "main", "default")
        authorised = Gate(resolver, statement.piece).authorise(statement.tree)
        relations = {source.relation for source in authorised.sources}
        ctes = {cte.alias for cte in authorised.tree.find_all(exp.CTE)}
        for table in authorised.tree.find_all(exp.Table):
            assert isinstance(table.this, exp.Func) or table.name in relations | ctes, text
        made.append(lower(authorised.tree, dict.fromkeys(relations, COLUMNS)).sql)
    return made


@pytest.mark.parametrize("dialect", DIALECTS)
def test_no_text_reaches_what_it_should_not(dialect: str) -> None:
    came_through = {}
    for text in HOSTILE:
        try:
            came_through[text] = plan(text, dialect)
        except FlowcatError:
            # Refused, and not by an accident of ours.
            continue
    said = "".join(sql for texts in came_through.values() for sql in texts).lower()
    for word in ("secret", "read_", "scan_", "/", "@", "file", "url", "stage"):
        assert word not in said, came_through
