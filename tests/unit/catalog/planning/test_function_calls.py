from dataclasses import dataclass, field

import pytest
from sqlglot import exp

from flowcat_jupyter.catalog.planning.function_reading import CreateFunction
from flowcat_jupyter.catalog.planning.functions import FunctionText
from flowcat_jupyter.catalog.planning.gate import Authorised, Gate
from flowcat_jupyter.catalog.planning.resolver import Entry, Resolver
from flowcat_jupyter.catalog.planning.statements import Select, parse
from flowcat_jupyter.shared.errors import Invalid, SqlError
from flowcat_jupyter.shared.wire import Column
from flowcat_jupyter.sql.dialect import House


@dataclass
class Tables:
    """Tables ``t`` (id, name) and ``u``, whose columns nobody knows."""

    def tables_named(self, name):
        known = {"t": ("id", "name"), "u": ()}
        columns = tuple(Column(item, "int") for item in known.get(name, ()))
        path = ("main", "default", name)
        return [Entry(1, path, "delta", f"/{name}", columns)] if name in known else []

    def table_paths(self, limit):
        return ()

    def path_table(self, format, path):
        raise Invalid("That path is not allowed.", condition="PATH_NOT_ALLOWED")


@dataclass
class Routines:
    """Functions of main.default, each by what stands after CREATE FUNCTION."""

    texts: tuple[str, ...]
    readable: bool = True
    found: dict[str, FunctionText] = field(init=False)

    def __post_init__(self):
        self.found = {}
        for number, text in enumerate(self.texts):
            (made,) = parse(f"CREATE FUNCTION {text}")
            assert isinstance(made, CreateFunction)
            self.found[made.name[-1]] = FunctionText(
                ("main", "default", made.name[-1]),
                made.parameters,
                made.returns,
                made.body,
                "house",
                "main",
                "default",
                id=number,
                readable=self.readable,
            )

    def find(self, path):
        return self.found.get(path[-1]) if path[:2] == ("main", "default") else None


def authorise(text: str, *functions: str, readable: bool = True) -> Authorised:
    (statement,) = parse(text)
    assert isinstance(statement, Select)
    routines = Routines(functions, readable)
    resolver = Resolver(Tables(), "main", "default", routines=routines)
    return Gate(resolver, statement.piece).authorise(statement.tree)


def expanded(text: str, *functions: str) -> str:
    return authorise(text, *functions).tree.sql(dialect=House)


def refused(text: str, *functions: str, readable: bool = True) -> SqlError:
    with pytest.raises(SqlError) as failed:
        authorise(text, *functions, readable=readable)
    return failed.value


def test_a_call_becomes_the_body_with_its_arguments_in_the_declared_types():
    made = expanded("SELECT f(a, b)", "f(x INT, y STRING) RETURNS BIGINT RETURN x || y")
    assert made == "SELECT CAST((CAST((a) AS INT) || CAST((b) AS STRING)) AS BIGINT)"


def test_a_parameter_is_named_alone_by_the_function_or_by_a_field_of_it():
    made = expanded("SELECT f(a)", "f(x STRUCT<i: INT>) RETURN x.i + f.x.i")
    assert made.count("CAST((a) AS STRUCT<i: INT>).`i`") == 2


def test_columns_around_a_call_are_not_taken_for_those_of_the_body():
    body = "f(x INT) RETURN (SELECT max(name) FROM t WHERE id = x)"
    tree = authorise("SELECT f(id) FROM t", body).tree
    inner = next(select for select in tree.find_all(exp.Select) if select is not tree)
    own = inner.args["from_"].this.alias
    sides = inner.args["where"].this
    assert sides.this.table == own != "t"
    assert next(sides.expression.find_all(exp.Column)).table == "t"


def test_a_column_of_a_sub_query_goes_before_a_parameter_of_the_same_name():
    body = "f(id INT) RETURN (SELECT max(id) FROM t WHERE id = f.id)"
    tree = authorise("SELECT f(7)", body).tree
    (seven,) = tree.find_all(exp.Literal)
    assert isinstance(seven.find_ancestor(exp.EQ), exp.EQ)


def test_what_might_be_a_column_or_a_parameter_is_refused():
    error = refused("SELECT f(1)", "f(x INT) RETURN (SELECT max(x) FROM u)")
    assert error.condition == "AMBIGUOUS_REFERENCE"
    assert "SELECT" in expanded("SELECT f(1)", "f(x INT) RETURN (SELECT max(f.x) FROM u)")


def test_an_argument_that_does_not_say_what_it_is_of_is_refused_in_a_sub_query():
    body = "f(x INT) RETURN (SELECT max(name) FROM t WHERE id = x)"
    error = refused("SELECT f(id) FROM u", body)
    assert (error.condition, error.line, error.column) == ("UNSUPPORTED_FEATURE", 1, 8)
    assert "CAST((u.id) AS INT)" in expanded("SELECT f(u.id) FROM u", body)


def test_a_query_is_an_argument_where_no_sub_query_reads_it():
    made = expanded("SELECT f((SELECT max(id) FROM t))", "f(x INT) RETURN x + 1")
    assert made == "SELECT (CAST(((SELECT MAX(id) FROM `r1` AS `t`)) AS INT) + 1)"
    body = "f(x INT) RETURN (SELECT max(name) FROM t WHERE id = x)"
    assert refused("SELECT f((SELECT 1))", body).condition == "UNSUPPORTED_FEATURE"


def test_a_body_reads_no_column_of_the_statement():
    error = refused("SELECT f(1), secret FROM t", "f(x INT) RETURN name")
    assert error.condition == "UNRESOLVED_COLUMN.WITHOUT_SUGGESTION"
    assert error.message.startswith("In the function main.default.f:")


def test_tables_of_a_body_are_authorised_for_who_calls():
    assert authorise("SELECT f()", "f() RETURN (SELECT max(id) FROM t)").tables == (1,)
    error = refused("SELECT 1,\n f()", "f() RETURN (SELECT max(id) FROM hidden)")
    assert (error.condition, error.line, error.column) == ("TABLE_OR_VIEW_NOT_FOUND", 2, 2)


def test_a_function_that_may_only_be_seen_is_not_used():
    error = refused("SELECT f()", "f() RETURN 1", readable=False)
    assert "use" in (error.hint or "")


def test_functions_that_lead_back_to_themselves_or_grow_without_end_are_refused():
    error = refused("SELECT f(1)", "f(x INT) RETURN g(x)", "g(x INT) RETURN f(x)")
    assert error.condition == "RECURSIVE_FUNCTION"
    assert "main.default.f → main.default.g → main.default.f" in error.message
    many = [f"f{n}(x INT) RETURN f{n + 1}(x) + f{n + 1}(x)" for n in range(19)]
    error = refused("SELECT f0(1)", *many, "f19(x INT) RETURN x + x")
    assert error.condition == "STATEMENT_TOO_LARGE"
    deep = [f"f{n}(x INT) RETURN f{n + 1}(x)" for n in range(30)]
    assert refused("SELECT f0(1)", *deep).condition == "FUNCTION_EXCEED_MAX_NESTED_DEPTH"
