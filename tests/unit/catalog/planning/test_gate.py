from dataclasses import dataclass

import pytest
from sqlglot import exp

from flowcat_jupyter.catalog.planning.gate import Authorised, Gate
from flowcat_jupyter.catalog.planning.headings import headings
from flowcat_jupyter.catalog.planning.resolver import Entry, Resolver
from flowcat_jupyter.catalog.planning.statements import Select, parse
from flowcat_jupyter.shared.errors import Invalid, SqlError
from flowcat_jupyter.shared.names import name_key


@dataclass
class FakeDirectory:
    """Tables by full name, all visible."""

    paths: tuple[tuple[str, str, str], ...]

    def tables_named(self, name):
        return [
            Entry(number, path, "delta", f"/data/{number}")
            for number, path in enumerate(self.paths)
            if name_key(path[-1]) == name_key(name)
        ]

    def table_paths(self, limit):
        return self.paths[:limit]

    def path_table(self, format, path):
        raise Invalid("That path is not allowed.", condition="PATH_NOT_ALLOWED")


TABLES = (
    ("demo", "nyc", "flights"),
    ("demo", "nyc", "airlines"),
    ("main", "default", "t"),
    ("other", "nyc", "t"),
    ("other", "x", "Read_CSV"),
    ("other", "x", "twice"),
    ("main", "y", "twice"),
)


def authorise(
    text: str, catalog: str = "main", schema: str = "default", **frames: str
) -> Authorised:
    (statement,) = parse(text)
    assert isinstance(statement, Select)
    resolver = Resolver(FakeDirectory(TABLES), catalog, schema)
    return Gate(resolver, statement.piece, frames=frames).authorise(statement.tree)


def names(authorised: Authorised) -> list[tuple[str, ...]]:
    return [source.name for source in authorised.sources]


def test_each_table_becomes_an_identifier_that_names_one_source():
    result = authorise("SELECT * FROM demo.nyc.flights f JOIN demo.nyc.airlines USING (carrier)")
    assert names(result) == [TABLES[0], TABLES[1]]
    tables = list(result.tree.find_all(exp.Table))
    assert [table.name for table in tables] == ["r1", "r2"]
    assert [table.alias for table in tables] == ["f", "airlines"]
    assert not any(table.args.get("db") for table in tables)


def test_a_table_used_twice_is_one_source_pinned_once():
    result = authorise("SELECT * FROM t a JOIN t b ON a.id = b.id WHERE EXISTS (SELECT 1 FROM T)")
    assert names(result) == [TABLES[2]]


def test_versions_are_taken_out_of_the_text_and_kept_apart():
    result = authorise("SELECT * FROM t VERSION AS OF 3 a JOIN t b ON a.id = b.id")
    assert [source.version for source in result.sources] == [3, None]
    assert result.tree.find(exp.Version) is None


def test_a_timestamp_becomes_an_instant_in_utc():
    result = authorise("SELECT * FROM t TIMESTAMP AS OF '2024-01-01'")
    assert result.sources[0].timestamp == "2024-01-01 00:00:00+00:00"


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * FROM t VERSION AS OF x",
        "SELECT * FROM t VERSION AS OF 1.5",
    ],
)
def test_a_version_that_is_no_literal_is_refused(text):
    with pytest.raises(SqlError) as caught:
        authorise(text)
    assert caught.value.condition in ("INVALID_TIME_TRAVEL_SPEC", "PARSE_SYNTAX_ERROR")


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM (SELECT * FROM read_csv('/etc/passwd')) x",
        "WITH x AS (SELECT * FROM read_parquet('/etc/passwd')) SELECT * FROM x",
        "EXPLAIN SELECT * FROM read_csv('/etc/passwd')",
        "SELECT (SELECT count(*) FROM read_csv('/etc/passwd'))",
        "SELECT 1 WHERE EXISTS (SELECT * FROM scan_ndjson('/x'))",
        "SELECT 1 UNION ALL SELECT * FROM read_ipc('/x')",
        "SELECT * FROM t, LATERAL (SELECT * FROM read_json('/x')) l",
        "SELECT * FROM glob('/etc/*')",
        "SELECT * FROM identifier('t')",
    ],
)
def test_functions_that_could_read_files_cannot_stand_in_from(text):
    with pytest.raises(SqlError) as caught:
        authorise(text)
    error = caught.value
    assert error.condition == "UNRESOLVABLE_TABLE_VALUED_FUNCTION"
    assert error.line == 1
    assert error.column is not None
    assert text[error.column - 1 :].startswith(("read_", "scan_", "glob", "identifier"))


def test_the_words_of_a_forbidden_function_are_fine_as_text_and_as_names():
    authorise("SELECT 'read_csv(''/etc/passwd'')'")
    authorise("SELECT read_csv FROM t")
    assert names(authorise("SELECT * FROM other.x.read_csv")) == [TABLES[4]]


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * FROM '/etc/passwd'",
        "SELECT * FROM orc.`/etc/passwd`",
        "SELECT * FROM `/etc/passwd`",
    ],
)
def test_a_path_is_not_a_table(text):
    with pytest.raises(SqlError) as caught:
        authorise(text)
    assert caught.value.condition == "TABLE_OR_VIEW_NOT_FOUND"
    assert caught.value.column is not None


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * FROM delta.`/other/table`",
        "SELECT * FROM csv.`/etc/passwd`",
        "SELECT * FROM text.`~/.aws/credentials`",
    ],
)
def test_a_path_of_a_known_format_is_asked_for_by_its_rules(text):
    with pytest.raises(SqlError, match="That path is not allowed"):
        authorise(text)


def test_functions_that_only_make_rows_are_let_through():
    authorise("SELECT * FROM range(3)")
    authorise("SELECT * FROM explode(sequence(1, 3))")
    authorise("SELECT * FROM VALUES (1, 2) AS x(a, b)")
    authorise("SELECT x FROM t LATERAL VIEW explode(arr) e AS x")


class TestCtes:
    def test_a_cte_hides_a_table_of_its_name_after_its_definition_only(self):
        result = authorise("WITH t AS (SELECT * FROM t) SELECT * FROM t")
        assert names(result) == [TABLES[2]]
        assert [table.name for table in result.tree.find_all(exp.Table)].count("t") == 1

    def test_a_later_cte_sees_an_earlier_one(self):
        result = authorise("WITH a AS (SELECT 1 AS x), b AS (SELECT x FROM A) SELECT * FROM b")
        assert result.sources == ()

    def test_a_recursive_cte_sees_itself(self):
        result = authorise(
            "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 4) "
            "SELECT * FROM r"
        )
        assert result.sources == ()

    def test_a_cte_of_a_subquery_is_unknown_outside_it(self):
        with pytest.raises(SqlError, match="There is no table inner_one"):
            authorise(
                "SELECT * FROM (WITH inner_one AS (SELECT 1) SELECT * FROM inner_one) x, inner_one"
            )

    def test_a_cte_named_like_an_identifier_of_ours_cannot_shadow_a_source(self):
        result = authorise("WITH r1 AS (SELECT 1 AS x) SELECT * FROM r1, t")
        assert [source.relation for source in result.sources] == ["r2"]


class TestNames:
    def test_one_part_is_the_current_schema_then_the_only_one_of_that_name(self):
        assert names(authorise("SELECT * FROM t")) == [TABLES[2]]
        assert names(authorise("SELECT * FROM Flights")) == [TABLES[0]]

    def test_one_part_that_several_schemas_have_is_ambiguous(self):
        with pytest.raises(SqlError, match=r"ambiguous: main\.y\.twice, other\.x\.twice") as caught:
            authorise("SELECT * FROM twice")
        assert caught.value.condition == "AMBIGUOUS_TABLE_NAME"

    def test_two_parts_are_a_schema_of_the_current_catalog_first(self):
        assert names(authorise("SELECT * FROM nyc.t", catalog="other")) == [TABLES[3]]
        assert names(authorise("SELECT * FROM nyc.flights")) == [TABLES[0]]

    def test_a_dotted_name_in_one_pair_of_quotes_is_one_part(self):
        with pytest.raises(SqlError) as caught:
            authorise("SELECT * FROM `demo.nyc.flights`")
        assert caught.value.condition == "TABLE_OR_VIEW_NOT_FOUND"

    def test_an_unknown_name_offers_the_nearest(self):
        with pytest.raises(SqlError) as caught:
            authorise("SELECT *\nFROM demo.nyc.fligths")
        assert caught.value.hint == "Did you mean demo.nyc.flights?"
        assert (caught.value.line, caught.value.column) == (2, 6)

    def test_more_than_three_parts_are_refused(self):
        with pytest.raises(SqlError, match="more than three parts"):
            authorise("SELECT * FROM a.b.c.d")

    def test_a_column_may_be_qualified_by_the_whole_name(self):
        result = authorise(
            "SELECT demo.nyc.flights.carrier, nyc.flights.year FROM demo.nyc.flights"
        )
        columns = list(result.tree.find_all(exp.Column))
        assert [(c.table, c.name) for c in columns] == [("flights", "carrier"), ("flights", "year")]

    def test_two_tables_of_one_name_stay_apart(self):
        result = authorise(
            "SELECT main.default.t.id, other.nyc.t.id FROM main.default.t, other.nyc.t"
        )
        tables = [column.table for column in result.tree.find_all(exp.Column)]
        assert len(set(tables)) == 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT length(carrier) - 5 FROM t", ("length(carrier) - 5",)),
        ("SELECT count(*), sum( x ) FROM t", ("count(*)", "sum( x )")),
        ("SELECT id, a AS b, *, t.* FROM t", (None, None, None, None)),
        ("WITH x AS (SELECT 1, 2) SELECT DISTINCT f(a, b), 'a,b' FROM x", ("f(a, b)", "'a,b'")),
        ("(SELECT 1+1) UNION SELECT 2", ("1+1",)),
        ("SELECT (SELECT max(a) FROM t), 1", ("(SELECT max(a) FROM t)", "1")),
        ("SELECT CASE WHEN a THEN 1 END -- note\n, 2", ("CASE WHEN a THEN 1 END", "2")),
        ("SELECT a[1], b[x + 1]", ("a[1]", "b[x + 1]")),
    ],
)
def test_headings_are_the_users_own_text(text, expected):
    (statement,) = parse(text)
    assert isinstance(statement, Select)
    found = headings(statement.tree, statement.piece.text)
    assert len(found) == len(expected)
    for got, wanted in zip(found, expected, strict=True):
        assert got == wanted or wanted is None


def test_a_frame_that_was_sent_is_a_source_of_its_own():
    result = authorise(
        "SELECT df.x, :df, t.y FROM t JOIN :df ON t.id = df.id JOIN :df again", df="/spool/1"
    )
    assert [(s.kind, s.name, s.location) for s in result.sources] == [
        ("table", TABLES[2], "/data/2"),
        ("inline", ("df",), "/spool/1"),
    ]
    tables = list(result.tree.find_all(exp.Table))
    assert [(t.name, t.alias) for t in tables] == [("r1", "t"), ("r2", "df"), ("r2", "again")]
    assert result.tables == (2,)
    assert [p.name for p in result.tree.find_all(exp.Placeholder)] == ["df"], "a value stays one"


def test_two_frames_and_a_table_of_one_name_keep_their_names_apart():
    result = authorise("SELECT * FROM t, :t, (SELECT * FROM :u) u", t="/spool/1", u="/spool/2")
    assert [source.location for source in result.sources] == ["/data/2", "/spool/1", "/spool/2"]
    assert [table.alias for table in result.tree.find_all(exp.Table)] == ["t", "r2", "u"]


@pytest.mark.parametrize(
    ("text", "line", "column", "says"),
    [
        ("SELECT :df,\n 1 FROM :other", 2, 9, "No frame was sent as :other"),
        ("SELECT * FROM :DF", 1, 15, "No frame was sent as :DF"),
        ("SELECT * FROM :df.part", 1, 15, "has no parts"),
        ("SELECT * FROM demo.:df", 1, 1, "parts"),
        ("SELECT * FROM :df VERSION AS OF 1", 1, 15, "has no versions"),
    ],
)
def test_what_is_no_frame_is_refused_at_its_place(text, line, column, says):
    with pytest.raises(SqlError, match=says) as caught:
        authorise(text, df="/spool/1")
    assert (caught.value.line, caught.value.column) == (line, column)


def test_a_cte_does_not_hide_a_frame_nor_a_frame_a_table():
    result = authorise("WITH df AS (SELECT 1 AS a) SELECT * FROM df, :df AS f", df="/spool/1")
    assert [source.kind for source in result.sources] == ["inline"]
    assert [source.kind for source in authorise("SELECT * FROM t", t="/spool/1").sources] == [
        "table"
    ]
