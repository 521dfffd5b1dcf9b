"""Views as they are read from a statement, and as steps of the queries that name them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from flowcat_jupyter.catalog.planning.gate import Authorised, Gate
from flowcat_jupyter.catalog.planning.relations import BEYOND, MAX_SOURCES
from flowcat_jupyter.catalog.planning.resolver import Entry, Resolver
from flowcat_jupyter.catalog.planning.statements import Select, parse
from flowcat_jupyter.catalog.planning.using_views import CreateFileView
from flowcat_jupyter.catalog.planning.variables import Declare, DropVariable, SetVariables
from flowcat_jupyter.catalog.planning.view_reading import AlterView, CreateView, DropView
from flowcat_jupyter.catalog.planning.view_steps import told
from flowcat_jupyter.catalog.planning.views import SessionViews, ViewText
from flowcat_jupyter.shared.errors import SqlError
from flowcat_jupyter.shared.names import name_key
from flowcat_jupyter.sql.dialect import House
from tests.support.live import select


@dataclass
class Known:
    """A directory of one schema: tables ``t`` and ``u``, and some views."""

    views: dict[str, str] = field(default_factory=dict)
    told: bool = True

    def tables_named(self, name: str) -> Sequence[Entry]:
        key = name_key(name)
        path = ("main", "s", key)
        if key in ("t", "u"):
            return [Entry(1 if key == "t" else 2, path, "delta", f"/data/{key}")]
        if key not in self.views:
            return []
        number = 100 + list(self.views).index(key)
        text = ViewText(path, self.views[key], "house", "main", "s", id=number, told=self.told)
        return [Entry(number, path, "view", "", view=text)]

    def table_paths(self, limit: int) -> Sequence[tuple[str, ...]]:
        return []

    def path_table(self, format: str, path: str) -> Entry:
        raise AssertionError(path)


def gated(
    query: str, views: dict[str, str] | None = None, session: SessionViews | None = None
) -> Authorised:
    (statement,) = parse(query)
    assert isinstance(statement, Select)
    resolver = Resolver(Known(views or {}), "main", "s", session or SessionViews())
    return Gate(resolver, statement.piece).authorise(statement.tree)


def sql(query: str, **views: str) -> str:
    return gated(query, views).tree.sql(dialect=House)


def refusal(query: str, known: Known) -> SqlError:
    (statement,) = parse(query)
    assert isinstance(statement, Select)
    with pytest.raises(SqlError) as failed:
        Gate(Resolver(known, "main", "s"), statement.piece).authorise(statement.tree)
    return failed.value


def test_a_view_is_one_step_however_often_it_is_named() -> None:
    made = gated("SELECT v.a FROM v JOIN v AS w ON v.a = w.a", {"v": "SELECT a FROM t"})
    assert made.tree.sql(dialect=House).startswith(
        "WITH `v` AS (SELECT a FROM `r1` AS `t`) SELECT v.a FROM `v` AS `v` JOIN `v` AS w"
    )
    assert (made.tables, len(made.sources)) == ((1,), 1)


def test_steps_stand_inner_first_and_before_the_querys_own() -> None:
    text = sql(
        "WITH c AS (SELECT 1 AS a) SELECT * FROM w, c", w="SELECT a FROM v", v="SELECT a FROM t"
    )
    order = [text.index(name) for name in ("`v` AS (", "`w` AS (", "c AS (")]
    assert order == sorted(order)


def test_a_step_has_a_name_that_nothing_in_any_query_has() -> None:
    views = {
        "v": "WITH r1 AS (SELECT a FROM t), w AS (SELECT a FROM r1) SELECT a FROM w",
        "w": "SELECT a FROM u",
    }
    text = sql("SELECT t.a FROM t JOIN w ON t.a = w.a JOIN v ON v.a = w.a", **views)
    assert "`w_2` AS (SELECT a FROM" in text
    assert "FROM `r2` AS `t`" in text
    assert "w AS (SELECT a FROM r1)" in text


def test_an_expression_without_a_name_is_called_what_was_typed() -> None:
    assert "a  +  1 AS `a  +  1`" in sql("SELECT * FROM v", v="SELECT a  +  1 FROM t").replace(
        "a + 1 AS", "a  +  1 AS"
    )


def test_what_is_wrong_in_a_view_has_a_line_beyond_those_of_the_text() -> None:
    made = gated("SELECT *\nFROM v", {"v": "SELECT nope FROM t"})
    (step,) = made.tree.args["with_"].expressions
    column = step.this.expressions[0]
    assert column.this.meta["line"] == BEYOND
    error = told(SqlError("There is no column nope.", line=BEYOND, column=1), made.views)
    assert error.message == "In the view main.s.v: There is no column nope."
    assert (error.line, error.column) == (2, 6)


def test_who_may_not_know_is_told_only_that_a_view_cannot_be_read() -> None:
    views = {"v": "SELECT a FROM hidden", "w": "SELECT a FROM v"}
    errors = [
        refusal(query, Known(views, told=False)) for query in ("SELECT a FROM v", "SELECT a FROM w")
    ]
    for name, error in zip(views, errors, strict=True):
        assert error.condition == "TABLE_OR_VIEW_NOT_FOUND"
        assert f"main.s.{name}" in error.message
        assert "hidden" not in f"{error.message}{error.hint}"
    assert "main.s.v" not in errors[1].message
    assert "hidden" in refusal("SELECT a FROM w", Known(views)).message


def test_views_that_go_round_or_too_deep_are_refused() -> None:
    around = {"v": "SELECT * FROM w", "w": "SELECT * FROM v"}
    error = refusal("SELECT 1, (SELECT max(a) FROM v)", Known(around))
    assert error.condition == "RECURSIVE_VIEW"
    assert "main.s.v → main.s.w → main.s.v" in error.message
    assert (error.line, error.column) == (1, 31)
    deep = {f"v{n}": select("*", f"v{n + 1}") for n in range(1, 6)} | {"v6": "SELECT * FROM t"}
    assert refusal("SELECT * FROM v1", Known(deep)).condition == "VIEW_EXCEED_MAX_NESTED_DEPTH"
    assert gated("SELECT * FROM v2", deep).tables == (1,)


def test_views_count_among_what_a_statement_may_read() -> None:
    many = {f"v{n}": "SELECT 1 AS a" for n in range(MAX_SOURCES + 1)}
    error = refusal(select("1", ", ".join(many)), Known(many))
    assert error.condition == "STATEMENT_TOO_LARGE"


def test_a_temporary_view_sees_those_it_used_when_it_was_made_and_no_others() -> None:
    one = ViewText(("t",), "SELECT 1 AS a", "house", "main", "s")
    two = ViewText(("two",), "SELECT a FROM t", "house", "main", "s")
    session = SessionViews({"t": one, "two": two})
    assert gated("SELECT a FROM two", session=session).tables == (1,)
    assert session.used == {(False, "two")}
    three = ViewText(("two",), two.text, "house", "main", "s", uses=frozenset({(False, "t")}))
    assert gated("SELECT a FROM two", session=SessionViews({"t": one, "two": three})).tables == ()


@pytest.mark.parametrize(
    ("text", "kind", "name"),
    [
        ("CREATE VIEW v AS SELECT 1", "VIEW", ("v",)),
        (
            "create or replace view a.b.`c d` (x, y comment 'z') as select 1",
            "VIEW",
            ("a", "b", "c d"),
        ),
        ("CREATE TEMP VIEW IF NOT EXISTS v AS (SELECT 1)", "TEMPORARY VIEW", ("v",)),
        (
            "CREATE GLOBAL TEMPORARY VIEW v COMMENT 'x' AS WITH a AS (SELECT 1) SELECT * FROM a",
            "GLOBAL TEMPORARY VIEW",
            ("v",),
        ),
        ("CREATE /* AS */ VIEW v -- AS SELECT 2\n AS SELECT 1", "VIEW", ("v",)),
    ],
)
def test_create_view_is_read_word_by_word(text: str, kind: str, name: tuple[str, ...]) -> None:
    (statement,) = parse(text)
    assert isinstance(statement, CreateView)
    assert (statement.kind, statement.name) == (kind, name)
    assert text.endswith(statement.query.piece.text)


def test_other_statements_on_views_and_variables_are_read() -> None:
    kinds = [
        type(statement)
        for statement in parse(
            "ALTER VIEW v AS SELECT 1; ALTER VIEW v RENAME TO w; DROP VIEW IF EXISTS v; "
            "CREATE TEMP VIEW f (a INT) USING csv OPTIONS (path '/x'); DECLARE v INT = 5; "
            "SET VAR v = 1, w = DEFAULT; SET VARIABLE (v, w) = (SELECT 1, 2); "
            "DROP TEMPORARY VARIABLE v"
        )
    ]
    assert kinds == [
        AlterView,
        AlterView,
        DropView,
        CreateFileView,
        Declare,
        SetVariables,
        SetVariables,
        DropVariable,
    ]
