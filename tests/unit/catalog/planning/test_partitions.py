"""What tables are partitioned by, as statements say it."""

from __future__ import annotations

import pytest

from flowcat_jupyter.catalog.planning.statements import parse
from flowcat_jupyter.catalog.planning.writes import CreateTable
from flowcat_jupyter.shared.errors import SqlError
from flowcat_jupyter.shared.partitioning import Partition, partition_of


def partitions(text: str, using: str = "iceberg") -> tuple[str, ...]:
    (made,) = parse(f"CREATE TABLE t USING {using} PARTITIONED BY ({text}) AS SELECT 1 AS a")
    assert isinstance(made, CreateTable)
    return made.partition_by


def test_columns_and_what_is_computed_of_them_are_read() -> None:
    assert partitions("a, days(b), HOURS(`c d`), months(e), years(f)") == (
        "a",
        "days(`b`)",
        "hours(`c d`)",
        "months(`e`)",
        "years(`f`)",
    )
    assert partitions("year(a), month(a), day(b), hour(c)") == (
        "years(`a`)",
        "months(`a`)",
        "days(`b`)",
        "hours(`c`)",
    )
    assert partitions("bucket(4, a), truncate(b, 10)") == ("bucket(4, `a`)", "truncate(`b`, 10)")
    assert partitions("bucket(a, 4), truncate(10, b)") == ("bucket(4, `a`)", "truncate(`b`, 10)")
    assert partitions("a", "delta") == ("a",)


@pytest.mark.parametrize(
    "text",
    [
        "days(a, b)",
        "days()",
        "bucket(a)",
        "bucket(1.5, a)",
        "bucket('4', a)",
        "truncate(a, b)",
        "days(a.b)",
        "days(date(a))",
        "a + 1",
        "upper(a)",
        "nope(a)",
        "1",
    ],
)
def test_anything_else_is_refused_by_name(text: str) -> None:
    with pytest.raises(SqlError) as raised:
        partitions(text)
    assert raised.value.condition in ("UNSUPPORTED_FEATURE.TABLE_OPERATION", "PARSE_SYNTAX_ERROR")


@pytest.mark.parametrize("text", ["days(a)", "bucket(4, a)", "truncate(a, 4)"])
def test_delta_tables_have_columns_alone(text: str) -> None:
    with pytest.raises(SqlError, match="USING delta"):
        partitions(text, "delta")


@pytest.mark.parametrize("name", ["a", "a b", "`", "a`b", "days(x)", "é"])
def test_a_partition_as_text_says_the_same_again(name: str) -> None:
    for made in (
        Partition(name, "days"),
        Partition(name, "bucket", 16),
        Partition(name, "truncate", 4),
    ):
        assert partition_of(made.text) == made
    assert partition_of(Partition(name).text, [name]) == Partition(name)
    column = Partition(name, "days").text
    assert partition_of(column, [column]) == Partition(column)
