"""What people hold rows in, and what cannot be turned into a table."""

from __future__ import annotations

import sys
from datetime import date, datetime
from decimal import Decimal
from uuid import UUID

import pandas as pd
import polars as pl
import pytest

from flowcat_jupyter.kernel.frames import as_form, as_polars
from flowcat_jupyter.shared.errors import Invalid, NotInstalled

NOON = datetime.fromisoformat("2024-01-31 12:00:00")


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ([1 + 2j], "Column a holds in row 0 a value that no table can hold, of type complex"),
        ([None, 1, "x"], "Column a holds numbers and, in row 2, text: 'x'"),
        ([True, 1], "Column a holds truth values and, in row 1, numbers: 1"),
        ([date(2024, 1, 1), NOON], "Column a holds dates and, in row 1, times"),
        ([[1], {"b": 1}], "Column a holds lists and, in row 1, structs"),
        (["x", b"x"], "Column a holds text and, in row 1, bytes"),
        ([UUID(int=1)], "of type UUID"),
        ([object()], "of type object"),
        ([2**70], "column a: "),
        ([[1, "x"]], "column a: "),
    ],
)
def test_a_column_of_no_one_type_is_refused_by_name(values: list[object], says: str) -> None:
    frame = pd.DataFrame({"fine": range(len(values)), "a": pd.Series(values, dtype=object)})
    with pytest.raises(Invalid, match=r"(?i)") as caught:
        as_polars(frame)
    assert says in caught.value.message
    assert caught.value.hint


def test_objects_of_one_kind_are_taken_with_their_holes() -> None:
    values = {
        "s": ["x", None, float("nan"), pd.NA],
        "d": [Decimal("0.10"), None, Decimal(3), None],
        "n": [1, 2.5, None, 3],
        "day": [date(1, 1, 1), None, None, date(9999, 12, 31)],
        "l": [[1], None, [], [None]],
    }
    frame = as_polars(pd.DataFrame({k: pd.Series(v, dtype=object) for k, v in values.items()}))
    assert isinstance(frame, pl.DataFrame)
    assert frame["s"].to_list() == ["x", None, None, None]
    assert frame["d"].to_list() == [Decimal("0.10"), None, Decimal(3), None]
    assert frame["day"].dtype == pl.Date


RESULT = pl.DataFrame(
    {
        "big": [2**63 - 1, None],
        "small": pl.Series([1, 2], dtype=pl.Int8),
        "yes": [True, None],
        "amount": pl.Series([Decimal("0.10"), None], dtype=pl.Decimal(38, 10)),
        "day": [date(1, 1, 1), None],
        "at": pl.Series(["2024-07-01", None]).str.to_datetime(time_zone="UTC"),
        "naive": [NOON, None],
        "parts": [[2**63 - 1, None], None],
        "pair": [{"a": 2**63 - 1}, None],
        "s": ["é", None],
    }
)


@pytest.mark.parametrize("form", ["pandas", "arrow"])
def test_every_form_holds_the_exact_values_and_gives_them_back(form: str) -> None:
    back = as_polars(as_form(RESULT, form))
    assert isinstance(back, pl.DataFrame)
    for column in RESULT.get_columns():
        assert back[column.name].to_list() == column.to_list(), column.name
    assert back.select("big", "day", "at", "naive", "parts").schema == {
        "big": pl.Int64,
        "day": pl.Date,
        "at": pl.Datetime("us", "UTC"),
        "naive": pl.Datetime("us"),
        "parts": pl.List(pl.Int64),
    }


def test_pandas_gets_its_own_types_where_they_are_exact() -> None:
    frame = as_form(RESULT, "pandas")
    kinds = {name: str(kind) for name, kind in frame.dtypes.items()}
    assert (kinds["big"], kinds["small"], kinds["yes"]) == ("Int64", "int8", "boolean")
    assert frame["amount"].tolist()[0] == Decimal("0.1000000000")
    assert frame["day"].tolist()[0] == date(1, 1, 1)


@pytest.mark.parametrize(("form", "module"), [("pandas", "pandas"), ("arrow", "pyarrow")])
def test_a_form_whose_library_is_missing_says_what_to_install(
    form: str, module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(NotInstalled, match=form) as caught:
        as_form(RESULT, form)
    assert "flowcat-jupyter[pandas]" in str(caught.value.hint)
