"""SHOW, DESCRIBE and SET read from their text, before anything is looked up."""

from __future__ import annotations

from typing import Any

import pytest

from flowcat_jupyter.catalog.planning.describing import Describe
from flowcat_jupyter.catalog.planning.session_settings import SETTINGS, known, zone_name
from flowcat_jupyter.catalog.planning.settings_sql import ResetSetting, SetSetting
from flowcat_jupyter.catalog.planning.showing import Show
from flowcat_jupyter.catalog.planning.statements import Select, parse
from flowcat_jupyter.shared.errors import SqlError
from flowcat_jupyter.shared.settings import load


def only(text: str) -> Any:
    (statement,) = parse(text)
    return statement


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(a = 1)", (("a", "1"),)),
        ("(`a b` = 'it''s', c = 'x\\ty')", (("a b", "it's"), ("c", "x\ty"))),
        ("(a = -1.5, b = NULL, c = TRUE)", (("a", "-1.5"), ("b", None), ("c", "true"))),
        ("(d = DATE '2024-01-31')", (("d", "2024-01-31"),)),
        ("(d = 'NULL')", (("d", "NULL"),)),
    ],
)
def test_the_values_of_a_partition_are_read(text: str, expected: Any) -> None:
    show = only(f"SHOW PARTITIONS a.b.t PARTITION {text}")
    assert isinstance(show, Show)
    assert (show.within, show.partition) == (("a", "b", "t"), expected)
    described = only(f"DESCRIBE EXTENDED t PARTITION {text}")
    assert isinstance(described, Describe)
    assert (described.extended, described.partition) == (True, expected)


@pytest.mark.parametrize(
    "text",
    ["PARTITION", "PARTITION (", "PARTITION (a", "PARTITION (a =", "PARTITION (a = b)"],
)
def test_a_partition_that_is_cut_off_has_its_place(text: str) -> None:
    with pytest.raises(SqlError) as caught:
        parse(f"SELECT 1;\nSHOW PARTITIONS t {text}")
    assert (caught.value.condition, caught.value.line) == ("PARSE_SYNTAX_ERROR", 2)


def test_a_property_is_named_by_a_text_or_by_words() -> None:
    assert only("SHOW TBLPROPERTIES t ('a.b')").key == "a.b"
    assert only("SHOW TBLPROPERTIES t (a.b)").key == "a.b"
    assert only("SHOW TBLPROPERTIES t").key is None


@pytest.mark.parametrize(
    ("text", "scope", "like"),
    [
        ("SHOW FUNCTIONS", "ALL", None),
        ("SHOW USER FUNCTIONS IN s LIKE 'a*'", "USER", "a*"),
        ("SHOW SYSTEM FUNCTIONS 'a|b'", "SYSTEM", "a|b"),
        ("SHOW FUNCTIONS abs", "ALL", "abs"),
    ],
)
def test_functions_are_asked_for_by_whose_they_are(text: str, scope: str, like: str) -> None:
    show = only(text)
    assert (show.scope, show.like) == (scope, like)


def test_a_query_is_told_from_a_table_that_is_called_so() -> None:
    for text in ("DESCRIBE SELECT 1 AS a", "DESC QUERY WITH q AS (SELECT 1) SELECT * FROM q"):
        statement = only(text)
        assert isinstance(statement, Select)
        assert statement.described
    for text in ("DESCRIBE query", "DESCRIBE `select`", "DESCRIBE TABLE query", "DESC values"):
        assert isinstance(only(text), Describe)
    with pytest.raises(SqlError, match="DESCRIBE of"):
        parse("DESCRIBE QUERY SELECT 1; DESCRIBE WITH q AS (SELECT 1) INSERT INTO t SELECT 1")


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("SET", None, None),
        ("SET a.b", "a.b", None),
        ("SET a.b = c d", "a.b", "c d"),
        ("SET a.b='it''s'", "a.b", "it's"),
        ("SET `a b` = `c d`", "a b", "c d"),
        ("SET TIME ZONE 'UTC'", "spark.sql.session.timeZone", "UTC"),
        ("SET TIME ZONE INTERVAL '-3' HOURS", "spark.sql.session.timeZone", "-03:00"),
        ("SET TIME ZONE INTERVAL '10:30' HOUR TO MINUTE", "spark.sql.session.timeZone", "+10:30"),
    ],
)
def test_set_is_read(text: str, key: str | None, value: str | None) -> None:
    statement = only(text)
    assert isinstance(statement, SetSetting)
    assert (statement.key, statement.value) == (key, value)


def test_reset_and_verbose_are_read() -> None:
    assert only("RESET") == ResetSetting(only("RESET").piece)
    assert only("RESET a.b").key == "a.b"
    assert only("SET -v").verbose


@pytest.mark.parametrize(("offset", "zone"), [("+02:00", "Etc/GMT-2"), ("-3", "Etc/GMT+3")])
def test_an_offset_of_hours_has_a_name_in_the_database_of_zones(offset: str, zone: str) -> None:
    assert zone_name(offset) == zone


def test_what_a_setting_is_by_default_can_be_set(tmp_path: Any) -> None:
    defaults = load({"FLOWCAT_HOME": str(tmp_path)})
    for setting in SETTINGS:
        value = setting.default(defaults)
        assert setting.check(value) == value
        assert known(setting.name.upper()) is setting
