"""INSERT in all its forms against a real server."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest

from tests.support.live import LiveServer, select

DYNAMIC = "SET spark.sql.sources.partitionOverwriteMode = dynamic; "


class Parted:
    """A schema with a table of four rows, partitioned by ``a`` and ``b``, one ``a`` being NULL."""

    def __init__(self, server: LiveServer, schema: str) -> None:
        self.server = server
        self.schema = schema
        self.name = f"{schema}.t"

    def run(self, text: str, *, dynamic: bool = False) -> Any:
        return self.server.sql((DYNAMIC if dynamic else "") + text.replace("{t}", self.name))

    def refused(self, text: str) -> Any:
        before = self.server.table(f"main.{self.name}")["delta_version"]
        reply = self.server.try_sql(text.replace("{t}", self.name))
        assert reply.status == 400, reply.json
        assert self.server.table(f"main.{self.name}")["delta_version"] == before
        return reply.json

    @property
    def rows(self) -> Any:
        return self.server.sql(f"{select('*', self.name)} ORDER BY x")["rows"]


ROWS = [[1, "p", 1, "u"], [2, "q", 1, "v"], [3, "r", 2, "u"], [4, "n", None, "u"]]


@pytest.fixture
def t(server: LiveServer) -> Iterator[Parted]:
    """The table."""
    name = f"s{uuid4().hex[:12]}"
    made = Parted(server, name)
    made.server.sql(f"CREATE SCHEMA {name}")
    made.run("CREATE TABLE {t} (x INT, y STRING, a INT, b STRING) PARTITIONED BY (a, b)")
    made.run("INSERT INTO {t} VALUES (1,'p',1,'u'), (2,'q',1,'v'), (3,'r',2,'u'), (4,'n',NULL,'u')")
    yield made
    server.sql(f"DROP SCHEMA IF EXISTS {name} CASCADE")


@pytest.mark.parametrize(
    ("statement", "row"),
    [
        ("INSERT INTO {t} PARTITION (a = 1, b = 'z') SELECT 9, 'k'", [9, "k", 1, "z"]),
        ("INSERT INTO {t} PARTITION (a = 1, b) SELECT 9, 'k', 'w'", [9, "k", 1, "w"]),
        ("INSERT INTO {t} PARTITION (a, b) SELECT 9, 'k', 3, 'w'", [9, "k", 3, "w"]),
        ("INSERT INTO {t} PARTITION (B = 'z', a) SELECT 9, 'k', 7", [9, "k", 7, "z"]),
        ("INSERT INTO {t} PARTITION (a = '2', b = 5) SELECT 9, 'k'", [9, "k", 2, "5"]),
        ("INSERT INTO {t} PARTITION (a = NULL, b = 'z') SELECT 9, 'k'", [9, "k", None, "z"]),
        ("INSERT INTO {t} PARTITION (a = -1, b = 'z') VALUES (9, 'k')", [9, "k", -1, "z"]),
        ("INSERT INTO {t} PARTITION (a = 1, b = 'z') (y, x) SELECT 'k', 9", [9, "k", 1, "z"]),
        ("INSERT INTO {t} PARTITION (a = 1, b = 'z') (x) SELECT 9", [9, None, 1, "z"]),
        ("INSERT INTO {t} PARTITION (a = 1, b = 'z') BY NAME SELECT 'k' Y, 9 x", [9, "k", 1, "z"]),
        (
            "WITH c AS (SELECT 9 AS x) INSERT INTO {t} BY NAME SELECT * FROM c",
            [9, None, None, None],
        ),
    ],
)
def test_partitions_have_their_values_in_the_statement_or_in_the_rows(
    t: Parted, statement: str, row: list[Any]
) -> None:
    done = t.run(statement)
    assert done["written"]["inserted"] == 1
    assert t.rows == [*ROWS, row]


@pytest.mark.parametrize(
    ("statement", "condition"),
    [
        ("INSERT INTO {t} PARTITION (x = 1) SELECT 9", "NON_PARTITION_COLUMN"),
        ("INSERT INTO {t} PARTITION (nope = 1) SELECT 9", "NON_PARTITION_COLUMN"),
        ("INSERT INTO {t} PARTITION (a = 1, A = 2, b) SELECT 9, 'k', 'w'", "DUPLICATE_KEY"),
        (
            "INSERT INTO {t} PARTITION (a = 1, b = 'z') SELECT 9",
            "INSERT_COLUMN_ARITY_MISMATCH.NOT_ENOUGH_DATA_COLUMNS",
        ),
        (
            "INSERT INTO {t} PARTITION (a = 1, b = 'z') SELECT 9, 'k', 1",
            "INSERT_COLUMN_ARITY_MISMATCH.TOO_MANY_DATA_COLUMNS",
        ),
        (
            "INSERT INTO {t} PARTITION (a = 1, b = 'z') (y, a) SELECT 'k', 9",
            "INCOMPATIBLE_DATA_FOR_TABLE.EXTRA_COLUMNS",
        ),
        ("INSERT INTO {t} PARTITION (a = 'x', b = 'z') SELECT 9, 'k'", "CAST_INVALID_INPUT"),
        (
            "INSERT INTO {t} PARTITION (a = 1.5, b = 'z') SELECT 9, 'k'",
            "INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_SAFELY_CAST",
        ),
        ("INSERT INTO {t} PARTITION (a = 1, b = '') SELECT 9, 'k'", "INVALID_PARTITION_VALUE"),
        ("INSERT OVERWRITE {t} PARTITION (a = 1, b = '') SELECT 9, 'k'", "INVALID_PARTITION_VALUE"),
        ("INSERT INTO {t} PARTITION (a = 1 + 1, b = 'z') SELECT 9, 'k'", "PARSE_SYNTAX_ERROR"),
        (
            "INSERT INTO {t} PARTITION (a = DEFAULT, b = 'z') SELECT 9, 'k'",
            "REF_DEFAULT_VALUE_IS_NOT_ALLOWED_IN_PARTITION",
        ),
        (
            "INSERT INTO {t} PARTITION (a = 1, b = 'z') IF NOT EXISTS SELECT 9, 'k'",
            "INVALID_STATEMENT_OR_CLAUSE",
        ),
        (
            "INSERT OVERWRITE {t} PARTITION (a = 1, b) IF NOT EXISTS SELECT 9, 'k', 'u'",
            "UNSUPPORTED_FEATURE.TABLE_OPERATION",
        ),
        (
            "INSERT OVERWRITE {t} PARTITION (a = 1) IF NOT EXISTS SELECT 9, 'k', 'u'",
            "UNSUPPORTED_FEATURE.TABLE_OPERATION",
        ),
        ("FROM {t} INSERT INTO {t} SELECT *", "UNSUPPORTED_FEATURE.TABLE_OPERATION"),
        ("INSERT INTO {t} DEFAULT VALUES", "UNSUPPORTED_FEATURE.TABLE_OPERATION"),
        ("INSERT INTO {t} REPLACE USING (a) SELECT 1", "UNSUPPORTED_FEATURE.TABLE_OPERATION"),
    ],
)
def test_what_a_partition_cannot_say_is_refused_by_name(
    t: Parted, statement: str, condition: str
) -> None:
    error = t.refused(statement)
    assert error["condition"] == condition, error
    assert error["line"] == 1


@pytest.mark.parametrize(
    ("statement", "dynamic", "left"),
    [
        ("PARTITION (a = 1, b = 'u') SELECT 9, 'k'", False, [2, 3, 4, 9]),
        ("PARTITION (a = 1, b) SELECT 9, 'k', 'u'", False, [3, 4, 9]),
        ("PARTITION (a = 1) SELECT 9, 'k', 'u'", False, [3, 4, 9]),
        ("PARTITION (a = NULL, b = 'u') SELECT 9, 'k'", False, [1, 2, 3, 9]),
        ("PARTITION (a = 1, b = 'u') SELECT 9, 'k' WHERE false", False, [2, 3, 4]),
        ("PARTITION (a, b) SELECT 9, 'k', 1, 'u'", False, [9]),
        ("SELECT 9, 'k', 1, 'u'", False, [9]),
        ("SELECT 9, 'k', 1, 'u'", True, [2, 3, 4, 9]),
        ("SELECT 9, 'k', NULL, 'u'", True, [1, 2, 3, 9]),
        ("SELECT 9, 'k', NULL, NULL", True, [1, 2, 3, 4, 9]),
        ("BY NAME SELECT 9 AS x, 'u' AS b", True, [1, 2, 3, 9]),
        ("PARTITION (a = 1, b) SELECT 9, 'k', 'u'", True, [2, 3, 4, 9]),
        ("PARTITION (a = 1, b = 'u') SELECT 9, 'k' WHERE false", True, [2, 3, 4]),
        ("PARTITION (a = 1, b) SELECT 9, 'k', 'u' WHERE false", True, [1, 2, 3, 4]),
        ("SELECT 9, 'k', 1, 'u' WHERE false", True, [1, 2, 3, 4]),
    ],
)
def test_an_overwrite_takes_the_partitions_that_it_says_and_no_others(
    t: Parted, statement: str, dynamic: bool, left: list[int]
) -> None:
    t.run(f"INSERT OVERWRITE {{t}} {statement}", dynamic=dynamic)
    assert [row[0] for row in t.rows] == left


def test_a_partition_is_written_unless_it_is_there(t: Parted) -> None:
    text = "INSERT OVERWRITE {t} PARTITION (a = 1, b = 'NEW') IF NOT EXISTS SELECT 9, 'k'"
    done = t.run(text.replace("NEW", "u"))
    assert (done["changed"], done["written"]["inserted"]) == (False, 0)
    assert done["warnings"] == ["The partition has rows already."]
    assert t.rows == ROWS
    done = t.run(text.replace("NEW", "zz"))
    assert (done["changed"], done["written"]["inserted"]) == (True, 1)
    assert t.rows == [*ROWS, [9, "k", 1, "zz"]]


def test_how_overwrites_are_meant_is_one_of_two_ways(t: Parted) -> None:
    error = t.refused(
        "SET spark.sql.sources.partitionoverwritemode = some; INSERT OVERWRITE {t} SELECT 1"
    )
    assert error["condition"].startswith("INVALID_CONF_VALUE")


@pytest.mark.parametrize(
    ("statement", "left", "written"),
    [
        ("REPLACE WHERE a = 1 SELECT 9, 'k', 1, 'u'", [3, 4, 9], (1, 2)),
        ("REPLACE WHERE a IS NULL SELECT 9, 'k', NULL, 'new'", [1, 2, 3, 9], (1, 1)),
        ("REPLACE WHERE x < 3 SELECT 0, 'k', 7, 'u'", [0, 3, 4], (1, 2)),
        ("REPLACE WHERE x < 3 AND y = 'p' VALUES (1, 'p', 1, 'u')", [1, 2, 3, 4], (1, 1)),
        ("REPLACE WHERE x > 100 SELECT 101, 'k', 7, 'u'", [1, 2, 3, 4, 101], (1, 0)),
        ("REPLACE WHERE a > 100 SELECT 9, 'k', 101, 'u'", [1, 2, 3, 4, 9], (1, 0)),
        ("REPLACE WHERE x < 3 SELECT 1, 'k', 7, 'u' WHERE false", [3, 4], (0, 2)),
        ("REPLACE WHERE true SELECT 9, 'k', 7, 'u'", [9], (1, 4)),
        ("REPLACE WHERE t.x = 1 OR y = 'n' (SELECT 1, 'k', 7, 'u')", [1, 2, 3], (1, 2)),
    ],
)
def test_rows_that_meet_a_condition_are_replaced(
    t: Parted, statement: str, left: list[int], written: tuple[int, int]
) -> None:
    before = t.server.table(f"main.{t.name}")["delta_version"]
    done = t.run(f"INSERT INTO {{t}} {statement}")
    assert [row[0] for row in t.rows] == left
    assert (done["written"]["inserted"], done["written"]["deleted"]) == written
    assert t.server.table(f"main.{t.name}")["delta_version"] == before + 1


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("REPLACE WHERE a = 1 SELECT 9, 'k', 2, 'u'", "a = 2"),
        ("REPLACE WHERE x < 3 VALUES (1, 'k', 1, 'u'), (3, 'm', 1, 'u')", "x = 3, y = 'm'"),
        ("REPLACE WHERE a = 1 SELECT 9, 'k', NULL, 'u'", "a = NULL"),
    ],
)
def test_a_new_row_that_does_not_meet_the_condition_is_refused(
    t: Parted, statement: str, told: str
) -> None:
    error = t.refused(f"INSERT INTO {{t}} {statement}")
    assert error["condition"] == "DELTA_REPLACE_WHERE_MISMATCH"
    assert told in error["message"]
    assert t.rows == ROWS


@pytest.mark.parametrize(
    ("statement", "condition"),
    [
        (
            "INSERT INTO {t} REPLACE WHERE x IN (SELECT x FROM {t}) SELECT 1, 'k', 1, 'u'",
            "UNSUPPORTED_FEATURE.OVERWRITE_BY_SUBQUERY",
        ),
        ("INSERT INTO {t} REPLACE WHERE nope = 1 SELECT 1, 'k', 1, 'u'", "UNRESOLVED_COLUMN"),
        ("INSERT INTO {t} REPLACE WHERE max(x) = 1 SELECT 1, 'k', 1, 'u'", "UNSUPPORTED_EXPR"),
        ("INSERT INTO {t} REPLACE WHERE SELECT 1, 'k', 1, 'u'", "PARSE_SYNTAX_ERROR"),
    ],
)
def test_a_condition_that_is_none_replaces_nothing(
    t: Parted, statement: str, condition: str
) -> None:
    assert t.refused(statement)["condition"].startswith(condition)
    assert t.rows == ROWS


def test_a_table_is_copied_by_its_name(t: Parted) -> None:
    t.run("CREATE TABLE {t}2 AS SELECT * FROM {t} LIMIT 0; INSERT INTO {t}2 TABLE {t}")
    assert t.server.sql(select("count(*)", f"{t.name}2"))["rows"] == [[4]]


def test_columns_that_a_query_brings_are_added_when_that_is_asked(t: Parted) -> None:
    t.refused("INSERT INTO {t} BY NAME SELECT 9 AS x, 1 AS more")
    t.run("INSERT WITH SCHEMA EVOLUTION INTO {t} BY NAME SELECT 9 AS X, 1 AS more")
    assert t.rows[-1] == [9, None, None, None, 1]
    t.refused("INSERT WITH SCHEMA EVOLUTION INTO {t} SELECT 9, 'k', 1, 'u', 2, 3")


def test_the_values_of_a_partition_may_be_parameters(t: Parted) -> None:
    text = f"INSERT INTO {t.name} PARTITION (a = :a, b = :b) SELECT 9, 'k'"
    t.server.sql(text, params={"a": 5, "b": "z"})
    assert t.rows[-1] == [9, "k", 5, "z"]


@pytest.mark.parametrize(
    ("before", "statement"),
    [
        ("", "INSERT OVERWRITE {t}i PARTITION (b = 'u') SELECT 9"),
        (DYNAMIC, "INSERT OVERWRITE {t}i SELECT 9, 'u'"),
    ],
)
def test_single_partitions_of_iceberg_tables_are_overwritten_alike(
    t: Parted, before: str, statement: str
) -> None:
    t.run("CREATE TABLE {t}i (x INT, b STRING) USING iceberg PARTITIONED BY (b)")
    t.run("INSERT INTO {t}i VALUES (1, 'u'), (2, 'v'), (3, NULL)")
    t.run(before + statement)
    found = t.server.sql(f"{select('*', t.name)}i ORDER BY x")["rows"]
    assert found == [[2, "v"], [3, None], [9, "u"]]


def test_a_replaced_row_is_judged_as_it_would_be_stored(t: Parted) -> None:
    t.run("INSERT INTO {t} REPLACE WHERE x = 7 SELECT '7', 'k', 1, 'u'")
    assert t.rows[-1][0] == 7
    error = t.refused("INSERT INTO {t} REPLACE WHERE x = 7 SELECT 7.5, 'k', 1, 'u'")
    assert error["condition"] == "INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_SAFELY_CAST"


def test_values_may_hold_what_only_functions_make(t: Parted) -> None:
    text = (
        "CREATE TABLE {n} (x INT, s STRUCT<a: INT, b: STRING>, l ARRAY<INT>, h BINARY); "
        "INSERT INTO {n} VALUES (1, named_struct('a', 1, 'b', 'x'), array(1, 2), X'00fF'), "
        "(2, NULL, NULL, x'F'), (3, named_struct('a', 2, 'b', 'y'), array(9), NULL); "
        "SELECT x, s.a, s.b, size(l), hex(h) FROM {n} ORDER BY x"
    )
    assert t.run(text.replace("{n}", f"{t.schema}.n"))["rows"] == [
        [1, 1, "x", 2, "00FF"],
        [2, None, None, None, "0F"],
        [3, 2, "y", 1, None],
    ]


def test_values_with_functions_are_a_table_with_names(t: Parted) -> None:
    text = "SELECT r.b, x FROM VALUES (array(1), 1), (array(2, 3), 2) AS r (b, x) ORDER BY x"
    assert t.run(text)["rows"] == [[[1], 1], [[2, 3], 2]]
    assert t.run("SELECT col1[0] FROM VALUES (array(7))")["rows"] == [[7]]


def test_many_values_with_functions_are_inserted(t: Parted) -> None:
    many = ", ".join(f"({n}, array({n}))" for n in range(300))
    text = (
        "CREATE TABLE {n} (x INT, l ARRAY<INT>); INSERT INTO {n} VALUES {many}; "
        "SELECT count(*), sum(x), sum(l[0]) FROM {n}"
    )
    found = t.run(text.replace("{n}", f"{t.schema}.n").replace("{many}", many))["rows"]
    assert found == [[300, 44850, 44850]]


def test_values_with_a_wrong_function_say_where(t: Parted) -> None:
    error = t.refused("INSERT INTO {t} VALUES (1, nope(2), 3, 'x')")
    assert (error["line"], error["column"]) == (1, 25 + len(t.name))
