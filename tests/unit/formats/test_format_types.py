"""Polars types and Spark DDL, there and back."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from flowcat_jupyter.formats.types import literal, polars_type, spark_columns, spark_type, widened
from flowcat_jupyter.shared.errors import Invalid

ATOMS = st.sampled_from(
    [
        "boolean",
        "tinyint",
        "smallint",
        "int",
        "bigint",
        "float",
        "double",
        "string",
        "binary",
        "date",
        "timestamp",
        "timestamp_ntz",
        "decimal(10,2)",
        "decimal(38,0)",
    ]
)
TYPES = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        inner.map(lambda ddl: f"array<{ddl}>"),
        st.lists(inner, min_size=1, max_size=3).map(
            lambda parts: f"struct<{','.join(f'f{i}:{part}' for i, part in enumerate(parts))}>"
        ),
    ),
    max_leaves=6,
)


@given(TYPES)
def test_a_type_comes_back_as_it_was(ddl):
    assert spark_type(polars_type(ddl), "c") == ddl


@given(TYPES)
def test_widening_leaves_nothing_narrow_and_keeps_the_shape(ddl):
    wide = spark_type(widened(polars_type(ddl)), "c")
    assert (
        wide
        == ddl.replace("tinyint", "bigint")
        .replace("smallint", "bigint")
        .replace(":int", ":bigint")
        .replace("<int", "<bigint")
        or ddl == "int"
    )


def test_a_map_is_a_list_of_entries():
    assert polars_type("map<string,int>") == pl.List(
        pl.Struct({"key": pl.String, "value": pl.Int32})
    )


def test_a_result_of_nothing_but_null_is_void():
    schema = pl.Schema({"n": pl.Null(), "l": pl.List(pl.Null), "u": pl.UInt32()})
    assert [column.type for column in spark_columns(schema)] == ["void", "array<void>", "bigint"]


def test_a_result_spark_has_no_type_for_is_refused_by_name():
    with pytest.raises(Invalid, match="Column wait"):
        spark_columns(pl.Schema({"wait": pl.Duration("us")}))


@pytest.mark.parametrize(
    ("text", "ddl"),
    [
        ("12", "bigint"),
        ("-1.50", "decimal(10,2)"),
        ("1e3", "double"),
        ("TRUE", "boolean"),
        ("2020-02-29", "date"),
        ("2020-01-01T10:00:00.000005Z", "timestamp"),
        ("2020-01-01 10:00:00", "timestamp_ntz"),
        ("x", "string"),
    ],
)
def test_a_literal_has_its_type(text, ddl):
    value = pl.select(literal(text, polars_type(ddl))).to_series()
    assert value.dtype == polars_type(ddl)
    assert value[0] is not None


@pytest.mark.parametrize(
    ("text", "ddl"), [("1.5", "bigint"), ("maybe", "boolean"), ("2020-02-30", "date")]
)
def test_text_that_is_no_value_of_the_type_is_refused(text, ddl):
    with pytest.raises(Invalid, match="is not a value of type"):
        literal(text, polars_type(ddl))
