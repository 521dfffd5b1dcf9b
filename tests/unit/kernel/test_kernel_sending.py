"""Frames of a kernel in SQL: ``FROM :df``."""

from __future__ import annotations

import polars as pl
import pyarrow as pa
import pytest

from flowcat_jupyter.kernel.failure import SqlCellError
from flowcat_jupyter.shared.errors import Invalid, LimitExceeded, SqlError

ROWS = {"n": [1, 2], "s": ["a", None]}


def executed(fake):
    return [body for method, path, _, body in fake.seen if path == "catalog/sql/execute"]


def cell(shell, text, line=""):
    result = shell.run_cell(f"%%catalog_sql {line}\n{text}")
    return result


def test_a_cell_sends_the_frames_it_names_and_takes_them_back(shell, fake):
    shell.user_ns.update(df=pl.DataFrame(ROWS), other=pl.DataFrame({"x": [1]}))
    assert cell(shell, "SELECT * FROM :df d JOIN t ON d.n = t.n").success
    assert executed(fake)[0]["frames"] == {"df": "frame-1"}
    assert executed(fake)[0]["query"] == "SELECT * FROM :df d JOIN t ON d.n = t.n\n"
    assert fake.frames["frame-1"].to_dict(as_series=False) == ROWS
    assert list(fake.frames) == fake.frames_gone == ["frame-1"]


def test_a_text_that_names_no_frame_asks_nothing_of_it(shell, fake):
    shell.user_ns.update(df=pl.DataFrame(ROWS))
    assert cell(shell, "SELECT :df, ':df' -- FROM :df", "--param df=1").success
    assert [path for _, path, _, _ in fake.seen if "frames" in path or "status" in path] == []
    assert executed(fake)[0]["frames"] == {}


def test_a_frame_and_a_value_of_one_name_are_told_apart_by_their_places(shell, fake):
    shell.user_ns.update(df=pl.DataFrame(ROWS))
    assert cell(shell, "SELECT :df FROM :df WHERE n > :df", "--param df=1").success
    assert executed(fake)[0]["params"] == {"df": 1}
    assert executed(fake)[0]["frames"] == {"df": "frame-1"}


def test_a_frame_of_two_names_is_sent_once(shell, fake):
    df = pl.DataFrame(ROWS)
    shell.user_ns.update(df=df, same=df)
    assert cell(shell, "SELECT * FROM :df, :same; SELECT 2 FROM :df").success
    assert executed(fake)[0]["frames"] == {"df": "frame-1", "same": "frame-1"}
    assert len(fake.frames) == 1


@pytest.mark.parametrize(
    "make",
    [
        pl.LazyFrame,
        lambda rows: pl.DataFrame(rows).to_pandas(),
        pa.table,
        lambda rows: pa.table(rows).to_reader(max_chunksize=1),
        lambda rows: pa.table(rows).to_batches()[0],
    ],
)
def test_every_kind_of_frame_is_sent_as_it_is(shell, fake, make):
    shell.user_ns.update(df=make(ROWS))
    assert cell(shell, "SELECT * FROM :df").success
    assert fake.frames["frame-1"].to_dict(as_series=False) == ROWS


def test_a_frame_is_sent_as_it_is_when_the_cell_runs(shell, fake):
    df = pl.DataFrame({"n": [1]})
    shell.user_ns.update(df=df, lazy=df.lazy().select(pl.col("n") * 2))
    line = "%catalog_sql --quiet SELECT * FROM :df, :lazy"
    shell.run_cell(f"{line}\ndf[0, 'n'] = 5\n{line}")
    assert [frame.to_dicts() for frame in fake.frames.values()] == [
        [{"n": 1}],
        [{"n": 2}],
        [{"n": 5}],
        [{"n": 2}],
    ]


def test_a_name_that_is_not_there_is_told_with_its_place_and_what_is(shell, fake):
    shell.user_ns.update(sales=pl.DataFrame(ROWS), _hidden=pl.DataFrame(ROWS), n=3)
    result = cell(shell, "SELECT *\nFROM :sale")
    error = result.error_in_exec.__cause__
    assert isinstance(error, SqlError)
    assert (error.line, error.column) == (2, 6)
    assert error.message == "There is no frame sale here."
    assert str(error.hint).endswith("Frames here: sales.")
    assert fake.seen == []


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ({"a": [1]}, "A dict is not a table"),
        ([1, 2], "A list is not a table"),
        (3, "A int is not a table"),
        (pl.DataFrame(), "no columns"),
        (pl.DataFrame({"": [1]}), "no name"),
        (pl.DataFrame({"ok": [1], "t": [1]}, schema={"ok": pl.Int8, "t": pl.Time}), "Column t"),
        (pl.DataFrame({"o": [object()]}), "Column o"),
        (pl.LazyFrame({"a": [1]}).select("b"), "cannot be computed"),
        (pl.LazyFrame({"a": ["x"]}).select(pl.col("a").cast(int)), "cannot be computed"),
        (pl.scan_parquet("/nowhere/x.parquet"), "cannot be computed"),
    ],
)
def test_what_is_no_table_is_refused_by_name_and_nothing_runs(shell, fake, value, says):
    shell.user_ns.update(df=value)
    result = cell(shell, "SELECT * FROM :df")
    error = result.error_in_exec
    assert isinstance(error, SqlCellError)
    assert "The frame df cannot be queried" in str(error)
    assert says in str(error)
    assert executed(fake) == []


def test_types_that_tables_lack_become_what_tables_have(shell, fake):
    frame = pl.DataFrame(
        {"c": ["x"], "u": [2**64 - 1], "none": [None], "w": [[1]]},
        schema={"c": pl.Categorical, "u": pl.UInt64, "none": pl.Null, "w": pl.Array(pl.UInt8, 1)},
    )
    shell.user_ns.update(df=frame)
    assert cell(shell, "SELECT * FROM :df").success
    assert fake.frames["frame-1"].schema == {
        "c": pl.String,
        "u": pl.Decimal(20, 0),
        "none": pl.Null,
        "w": pl.List(pl.Int16),
    }


def test_an_index_is_kept_with_its_name_and_else_left_out_and_said(shell, fake, capsys):
    frame = pl.DataFrame(ROWS).to_pandas()
    shell.user_ns.update(df=frame[frame["n"] > 1], named=frame.rename_axis("key"))
    assert cell(shell, "SELECT * FROM :df, :named", "--quiet").success
    assert fake.frames["frame-1"].columns == ["n", "s"]
    assert fake.frames["frame-2"].columns == ["key", "n", "s"]
    assert "The index of df has no name and is left out" in capsys.readouterr().out


LARGE = {"n": range(20_000)}


@pytest.mark.parametrize(
    "make",
    [
        pl.DataFrame,
        lambda rows: pl.LazyFrame(rows),
        lambda rows: pa.table(pl.DataFrame(rows).to_arrow()).to_reader(max_chunksize=100),
        lambda rows: pl.DataFrame({"l": [list(rows["n"])]}),
    ],
)
def test_a_frame_beyond_the_limit_is_not_sent(shell, fake, make):
    fake.result_max_bytes = 100_000
    shell.user_ns.update(df=make(LARGE))
    result = cell(shell, "SELECT * FROM :df")
    error = result.error_in_exec.__cause__
    assert isinstance(error, LimitExceeded)
    assert "result_max_bytes" in error.message
    assert fake.frames == {}


def test_a_few_rows_of_a_large_frame_are_few(shell, fake):
    fake.result_max_bytes = 100_000
    large = pl.DataFrame({"s": ["x" * 100] * 20_000})
    shell.user_ns.update(df=large.head(3), lazy=large.lazy().tail(2))
    assert cell(shell, "SELECT * FROM :df, :lazy").success


def test_the_context_reads_frames_given_by_name(ctx, fake):
    ctx.sql("SELECT * FROM :df WHERE n > :least", df=pl.DataFrame(ROWS), least=1)
    assert executed(fake)[0]["params"] == {"least": 1}
    assert executed(fake)[0]["frames"] == {"df": "frame-1"}
    with pytest.raises(SqlError, match="There is no frame df") as caught:
        ctx.sql("SELECT * FROM :df", other=pl.DataFrame(ROWS))
    assert "sql(query, df=df)" in str(caught.value.hint)
    with pytest.raises(Invalid, match="cannot be bound") as misplaced:
        ctx.sql("SELECT :df", df=pl.DataFrame(ROWS))
    assert misplaced.value.hint == "A frame stands after FROM or JOIN alone: FROM :df."


def test_the_context_answers_in_the_form_that_is_asked_for(ctx, fake):
    assert type(ctx.sql("SELECT 1", as_="pandas")).__module__.startswith("pandas")
    assert isinstance(ctx.sql("SELECT 1", as_="arrow"), pa.Table)
    seen = len(fake.seen)
    with pytest.raises(Invalid, match="'arrows' is no form"):
        ctx.sql("SELECT 1", as_="arrows")
    assert len(fake.seen) == seen, "a wrong form is told before anything runs"


def test_a_query_that_fails_leaves_no_frame_behind(ctx, fake):
    def fail(_body):
        raise SqlError("No.")

    fake.answer = fail
    with pytest.raises(SqlError):
        ctx.sql("SELECT * FROM :df", df=pl.DataFrame(ROWS))
    assert fake.frames_gone == ["frame-1"]


@pytest.mark.parametrize(
    ("text", "column", "told"),
    [
        ("SELECT * FROM df", 15, "is read as :df"),
        ("SELECT * FROM df.x", 15, "SHOW TABLES"),
        ("SELECT * FROM gone", 15, "SHOW TABLES"),
    ],
)
def test_a_frame_that_is_named_like_a_table_is_told_with_its_colon(shell, fake, text, column, told):
    shell.user_ns["df"] = pl.DataFrame(ROWS)

    def missing(_body):
        raise SqlError(
            "There is no such table.",
            condition="TABLE_OR_VIEW_NOT_FOUND",
            line=1,
            column=column,
            hint="SHOW TABLES lists what there is.",
        )

    fake.answer = missing
    assert told in str(cell(shell, text).error_in_exec.hint)
