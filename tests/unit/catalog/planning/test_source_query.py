"""Merges that read nothing of the target but what ON compares: asked of the source alone."""

from __future__ import annotations

import pytest

from flowcat_jupyter.catalog.planning.row_changes import ChangeRows
from flowcat_jupyter.catalog.planning.row_query import RowQuery
from flowcat_jupyter.catalog.planning.source_query import source_query
from flowcat_jupyter.catalog.planning.statements import parse
from flowcat_jupyter.shared.wire import Column
from flowcat_jupyter.shared.wire_writes import RowAction

COLUMNS = (
    Column("Id", "int"),
    Column("a", "string"),
    Column("x", "double"),
    Column("s", "struct<f:int>"),
)
SET_ALL = "WHEN MATCHED THEN UPDATE SET *"


def asked(on: str, *whens: str) -> RowQuery | None:
    (change,) = parse(" ".join(("MERGE INTO m.t AS t USING u ON", on, *whens)))
    assert isinstance(change, ChangeRows)
    return source_query(change, COLUMNS)


@pytest.mark.parametrize(
    ("on", "whens", "keys"),
    [
        ("t.id = u.id", (SET_ALL,), ("Id",)),
        ("u.key + 1 = t.ID", ("WHEN MATCHED THEN DELETE",), ("Id",)),
        (
            "t.id = u.id AND t.a = upper(u.b)",
            (SET_ALL, "WHEN NOT MATCHED THEN INSERT *"),
            ("Id", "a"),
        ),
        ("T.id = u.id", ("WHEN MATCHED AND u.x > 1 THEN UPDATE SET a = u.b",), ("Id",)),
        ("t.id = 5", ("WHEN NOT MATCHED THEN INSERT (id, a) VALUES (5, u.a)",), ("Id",)),
    ],
)
def test_the_source_alone_is_asked(on: str, whens: tuple[str, ...], keys: tuple[str, ...]) -> None:
    query = asked(on, *whens)
    assert query is not None
    assert (query.shape.keys, query.shape.by_source) == (keys, True)
    assert " t " not in f" {query.tree.sql()} "


def test_the_sources_name_comes_before_a_struct_of_that_name() -> None:
    text = "MERGE INTO t USING u AS s ON t.id = s.id WHEN MATCHED THEN UPDATE SET a = s.a"
    (change,) = parse(text)
    assert isinstance(change, ChangeRows)
    assert source_query(change, COLUMNS) is not None


@pytest.mark.parametrize(
    ("on", "whens"),
    [
        ("t.id = u.id", ("WHEN MATCHED THEN UPDATE SET a = t.a || u.a",)),
        ("t.id = u.id", ("WHEN MATCHED AND t.x > 1 THEN DELETE",)),
        ("t.id = u.id", ("WHEN MATCHED THEN UPDATE SET a = x",)),
        ("t.id = u.id", (SET_ALL, "WHEN NOT MATCHED BY SOURCE THEN DELETE")),
        ("t.id > u.id", (SET_ALL,)),
        ("t.id = u.id OR t.a = u.a", (SET_ALL,)),
        ("t.id = u.id AND t.a LIKE u.a", (SET_ALL,)),
        ("t.id = u.id AND t.id = u.x", (SET_ALL,)),
        ("t.id = t.x", (SET_ALL,)),
        ("t.id + 1 = u.id", (SET_ALL,)),
        ("t.x = u.x", (SET_ALL,)),
        ("t.s = u.s", (SET_ALL,)),
        ("id = u.id AND a = a", (SET_ALL,)),
        # Only the other query can tell whose these are.
        ("id = u.w", (SET_ALL,)),
        ("m.t.id = u.id", (SET_ALL,)),
        ("t.id = u.id AND z.t.a = 'n'", (SET_ALL,)),
        ("t.id = (SELECT max(id) FROM v)", (SET_ALL,)),
        ("true", (SET_ALL,)),
    ],
)
def test_where_more_of_the_target_is_read_it_is_not(on: str, whens: tuple[str, ...]) -> None:
    assert asked(on, *whens) is None


def test_each_row_says_what_becomes_of_it_in_either_case() -> None:
    query = asked(
        "t.id = u.id",
        "WHEN MATCHED AND u.x = 0 THEN DELETE",
        "WHEN NOT MATCHED AND u.x = 1 THEN INSERT (a) VALUES (1 / u.x)",
        "WHEN MATCHED THEN UPDATE SET x = 1 / u.x",
    )
    assert query is not None
    assert query.shape.actions == (
        RowAction("delete", False, ()),
        RowAction("insert", True, ("a",)),
        RowAction("update", False, ("x",)),
    )
    there, new, added, updated = (item.this.sql() for item in query.tree.expressions[1:])
    assert (there.count("WHEN"), new.count("WHEN")) == (2, 1)
    # A clause is kept from the rows that an earlier one of its kind takes.
    assert added.count("THEN NULL") == 0
    assert updated.index("THEN NULL") < updated.index("1 / u.x")
