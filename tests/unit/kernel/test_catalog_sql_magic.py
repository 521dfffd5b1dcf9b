"""``%%catalog_sql`` in a shell."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from decimal import Decimal

import polars as pl
import pytest

from flowcat_jupyter.kernel.failure import SqlCellError
from flowcat_jupyter.shared.errors import LimitExceeded, SqlError
from tests.support.flowcat_http import Answer

VERBATIM = [
    "SELECT '50%' AS p, '{% x %}', '{{not_a_var}}'",
    "SELECT '$HOME', '$$', $x FROM t WHERE a % 2 = 0",
    "SELECT s[1:2], 'a:b', a::bigint, {x} FROM t",
    "-- 100 % sure\n/* {name} */ SELECT '!ls', '%ls', 'a?'",
    "SELECT 'tab\there', 'é 日本 🦊', '\\n', '''' ",
    "  SELECT 1;\n\n  SELECT ';' AS s, '--no' AS c;\n-- ?",
    "SELECT 1 AS x\\\n  , 2",
    "%%catalog_sql\nSELECT 1",
]


def run(shell, cell):
    result = shell.run_cell(cell)
    return result


@pytest.mark.parametrize("text", VERBATIM)
def test_a_cell_is_sent_exactly_as_it_is_written(shell, fake, text):
    shell.user_ns.update(name="WRONG", x="WRONG", not_a_var="WRONG", HOME="WRONG")
    assert run(shell, f"%%catalog_sql\n{text}").success
    assert fake.seen[0][3]["query"].rstrip("\n") == text


@pytest.mark.parametrize("text", ["SELECT '{x}', '$x', '%x' -- 100 %", "SELECT '--max-rows 3'"])
def test_a_line_is_sent_exactly_as_it_is_written(shell, fake, text):
    shell.user_ns["x"] = "WRONG"
    assert run(shell, f"got = %catalog_sql --quiet {text}").success
    assert fake.seen[0][3]["query"] == text
    assert shell.user_ns["got"]["query"].item() == text


def test_parameters_are_expressions_whose_values_are_bound(shell, fake):
    shell.user_ns["base"] = 5
    line = """%%catalog_sql got --param lim=base*2 --param v="x'; DROP TABLE t" --param n=[1, 2]"""
    run(shell, f"{line}\nSELECT :lim, :v")
    assert fake.seen[0][3]["params"] == {"lim": 10, "v": "x'; DROP TABLE t", "n": [1, 2]}
    assert fake.seen[0][3]["query"] == "SELECT :lim, :v\n"


def test_a_number_of_numpy_is_bound_as_a_number(shell, fake):
    run(shell, "import numpy")
    run(shell, "%%catalog_sql --param n=numpy.int64(3)\nSELECT :n")
    assert fake.seen[0][3]["params"] == {"n": 3}


def test_dates_times_and_decimals_are_bound_with_their_types(ctx, fake):
    day, moment = date(2024, 1, 31), datetime(2024, 1, 31, 12, tzinfo=UTC)
    ctx.sql("SELECT :day, :moment, :amount", day=day, moment=moment, amount=Decimal("0.10"))
    assert fake.seen[0][3]["params"] == {
        "day": {"date": "2024-01-31"},
        "moment": {"timestamp": "2024-01-31 12:00:00+00:00"},
        "amount": {"decimal": "0.10"},
    }


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("--param d=b'x'", "cannot be bound"),
        ("--max-rows 3 --max-rows 4", "given twice"),
        ("--param a=1 --param a=2", "given twice"),
        ("--engine polars --engine polars", "given twice"),
        ("--param d=nope", "NameError"),
        ("--param d", "name=expression"),
        ("--max-rows many", "whole number"),
        ("--maxrows 3", "no option --maxrows"),
        ("a b", "comes after the name"),
        ("2a", "cannot be the name"),
        ("class", "cannot be the name"),
        ("--engine", "needs a value"),
        ("--param v='x", "quote is not closed"),
    ],
)
def test_a_line_that_is_not_clear_asks_the_server_nothing(shell, fake, line, says):
    result = run(shell, f"%%catalog_sql {line}\nSELECT 1")
    assert isinstance(result.error_in_exec, SqlCellError)
    assert says in str(result.error_in_exec)
    assert fake.seen == []


def test_options_reach_the_server(shell, fake):
    run(
        shell,
        "%%catalog_sql --dialect duckdb --engine polars --catalog demo --schema 'my schema'\nX",
    )
    body = fake.seen[0][3]
    wanted = ("duckdb", "polars", "demo", "my schema", None)
    assert tuple(body[k] for k in ("dialect", "engine", "catalog", "schema", "max_rows")) == wanted


def test_the_name_and_the_underscore_hold_every_row(shell, fake):
    fake.answer = lambda _body: Answer(pl.DataFrame({"n": range(300)}))
    result = run(shell, "%%catalog_sql flights --max-rows 5\nSELECT n FROM t;")
    assert shell.user_ns["flights"].equals(pl.DataFrame({"n": range(300)}))
    assert type(shell.user_ns["flights"]) is pl.DataFrame
    assert shell.user_ns["_"] is result.result is shell.user_ns["flights"]


def shown(shell, frame):
    return shell.display_formatter.format(frame)[0]


def test_the_grid_shows_the_first_rows_and_says_how_many_there_are(shell, fake):
    fake.answer = lambda _body: Answer(pl.DataFrame({"n": range(336_776)}))
    frame = shell.run_line_magic("catalog_sql", "--max-rows 5 SELECT n")
    bundle = shown(shell, frame)
    assert "first 5 of 336,776 rows · 12 ms · polars" in bundle["text/html"]
    assert "first 5 of 336,776 rows · 12 ms · polars" in bundle["text/plain"]
    assert bundle["text/html"].count("<tr>") == 6
    assert "shape:" in shown(shell, frame)["text/plain"], "later it is a frame like any other"


def test_a_hundred_rows_are_shown_by_default(shell, fake):
    fake.answer = lambda _body: Answer(pl.DataFrame({"n": range(101)}))
    frame = shell.run_line_magic("catalog_sql", "SELECT n")
    assert shown(shell, frame)["text/html"].count("<tr>") == 101


def test_quiet_sets_the_name_and_shows_nothing(shell, fake, capsys):
    run(shell, "%%catalog_sql got --quiet\nSELECT 1")
    assert shell.user_ns["got"].height == 1
    assert shell.user_ns["_"] is shell.user_ns["got"]
    assert "query" not in capsys.readouterr().out


def test_nothing_in_the_data_becomes_markup(shell, fake):
    evil = "<img src=x onerror=alert(1)>"
    fake.answer = lambda _body: Answer(pl.DataFrame({"c0": [evil, "</td>&"]}), headings=[evil])
    bundle = shown(shell, shell.run_line_magic("catalog_sql", "SELECT x"))
    assert "<img" not in bundle["text/html"]
    assert bundle["text/html"].count("&lt;img src=x onerror=alert(1)&gt;") == 2


def test_null_is_told_from_text_and_numbers_are_exact(shell, fake):
    frame = pl.DataFrame(
        {
            "s": ["NULL", None],
            "big": [9007199254740993, -1],
            "d": pl.Series(["0.10", "0.00"]).cast(pl.Decimal(38, 10)),
            "f": [float("nan"), 0.1],
            "b": [b"\x00\xff", None],
            "l": [[1, None], None],
        }
    )
    fake.answer = lambda _body: Answer(frame.clone())
    html = shown(shell, shell.run_line_magic("catalog_sql", "SELECT 1"))["text/html"]
    assert '<td class="">NULL</td>' in html
    assert '<td class=" z">NULL</td>' in html
    for text in ("9007199254740993", "0.1000000000", "0.0000000000", "nan", "0x00ff", "[1, NULL]"):
        assert f">{text}<" in html


def test_columns_of_one_name_are_told_apart_with_a_warning(shell, fake, capsys):
    fake.answer = lambda _body: Answer(
        pl.DataFrame({"a": [1], "b": [2], "c": [3], "d": [4]}), headings=["x", "x_2", "x", "y"]
    )
    run(shell, "%%catalog_sql got --quiet\nSELECT 1")
    assert shell.user_ns["got"].columns == ["x", "x_2", "x_3", "y"]
    assert "x → x_3" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("statement", "rows", "says"),
    [
        ("CREATE TABLE", None, "1 table created · 12 ms"),
        ("CREATE TABLE AS SELECT", (3, 0, 0), "1 table created, 3 rows · 12 ms"),
        ("INSERT", (1, 0, 0), "1 row inserted · 12 ms"),
        ("INSERT", (0, 0, 0), "0 rows inserted · 12 ms"),
        ("UPDATE", (0, 2, 0), "2 rows updated · 12 ms"),
        ("TRUNCATE TABLE", (0, 0, 2), "2 rows deleted · 12 ms"),
        ("MERGE", (1, 12, 0), "1 row inserted, 12 rows updated · 12 ms"),
        ("MERGE", (0, 0, 0), "0 rows changed · 12 ms"),
        ("DROP VIEW", None, "1 view dropped · 12 ms"),
        ("USE", None, "USE done · 12 ms"),
    ],
)
def test_a_statement_without_rows_says_what_it_did(shell, fake, capsys, statement, rows, says):
    written = dict(zip(("inserted", "updated", "deleted"), rows, strict=True)) if rows else None
    fake.answer = lambda _body: Answer(None, statement=statement, written=written)
    result = run(shell, "%%catalog_sql\nCREATE …")
    assert result.result is None
    assert capsys.readouterr().out.strip() == says


def test_a_statement_that_found_nothing_to_do_says_so(shell, fake, capsys):
    told = ("There is already a table main.default.t.",)
    fake.answer = lambda _body: Answer(None, statement="CREATE TABLE", warnings=told, changed=False)
    run(shell, "%%catalog_sql\nCREATE …")
    assert capsys.readouterr().out.splitlines() == [
        f"Warning: {told[0]}",
        "CREATE TABLE: nothing changed · 12 ms",
    ]


def test_a_dry_run_says_what_would_change(shell, fake, capsys):
    written = {"inserted": 3, "updated": 12, "deleted": 0}
    fake.answer = lambda _body: Answer(
        None, statement="MERGE", written=written, changed=False, dry_run=True
    )
    run(shell, "%%catalog_sql got --dry-run\nMERGE …")
    assert fake.seen[0][3]["dry_run"] is True
    assert capsys.readouterr().out.splitlines() == [
        "12 rows would be updated, 3 inserted; nothing was changed · 12 ms",
        "The statement gives no rows: got holds how many it would write.",
    ]
    assert shell.user_ns["got"].row(0) == (15, 3, 12, 0)


def test_what_use_made_current_is_sent_with_what_is_asked_next(shell, fake, capsys):
    asked = []

    def answer(body):
        asked.append((body["catalog"], body["schema"]))
        used = body["query"].startswith("USE")
        place = {"catalog": "demo", "schema": "nyc"} if used else None
        return Answer(None, statement="USE" if used else "INSERT", current=place)

    fake.answer = answer
    run(shell, "%%catalog_sql\nUSE demo.nyc")
    assert "demo.nyc is current" in capsys.readouterr().out
    for line in ("", "--schema other", "--catalog main", "--catalog main --schema s"):
        run(shell, f"%%catalog_sql {line}\nINSERT …")
    assert asked == [
        (None, None),
        ("demo", "nyc"),
        ("demo", "other"),
        ("main", None),
        ("main", "s"),
    ]


def test_all_that_a_kernel_asks_is_of_one_session(shell, fake):
    asked = []

    def answer(body):
        asked.append(body["session"])
        return Answer(None, statement="INSERT")

    fake.answer = answer
    run(shell, "%%catalog_sql\nINSERT …")
    run(shell, "%%catalog_sql --catalog main\nINSERT …")
    assert asked[0]
    assert asked[0] == asked[1]


def test_warnings_of_the_server_are_shown(shell, fake, capsys):
    fake.answer = lambda _body: Answer(pl.DataFrame({"a": [1]}), warnings=("AVG is approximate.",))
    run(shell, "%%catalog_sql --quiet\nSELECT 1")
    assert "Warning: AVG is approximate." in capsys.readouterr().out


def test_a_named_result_that_was_cut_fails_and_says_which_limit_it_met(shell, fake):
    fake.answer = lambda _body: Answer(pl.DataFrame({"n": [1, 2]}), truncated=True)
    result = run(shell, "%%catalog_sql got\nSELECT 1")
    assert isinstance(result.error_in_exec.__cause__, LimitExceeded)
    assert "result_max_bytes" in str(result.error_in_exec)
    assert "got" not in shell.user_ns


def test_an_unnamed_result_that_was_cut_says_so_below_the_grid(shell, fake):
    fake.answer = lambda _body: Answer(pl.DataFrame({"n": [1, 2]}), truncated=True)
    frame = shell.run_line_magic("catalog_sql", "SELECT 1")
    assert "there are more" in shown(shell, frame)["text/html"]


def failing(_body):
    raise SqlError(
        "There is no table nope.",
        condition="TABLE_OR_VIEW_NOT_FOUND",
        line=2,
        column=6,
        hint="Did you mean note?",
    )


def test_an_error_is_short_and_points_at_its_place(shell, fake, capsys):
    fake.answer = failing
    result = run(shell, "%%catalog_sql\nSELECT *\nFROM nope")
    assert not result.success
    out = capsys.readouterr().out
    assert "SqlError" in out
    assert "[TABLE_OR_VIEW_NOT_FOUND]: There is no table nope." in out
    assert "    FROM nope\n         ^" in out
    assert "Hint: Did you mean note?" in out
    assert "Traceback" not in out
    assert len(out.splitlines()) == 5


def test_the_context_raises_the_same_error_with_its_hint(ctx, fake):
    fake.answer = failing
    with pytest.raises(SqlError) as caught:
        ctx.sql("SELECT *\nFROM nope")
    assert (caught.value.line, caught.value.column) == (2, 6)
    assert caught.value.__notes__ == ["Hint: Did you mean note?"]


def test_the_context_binds_parameters_and_returns_a_frame(ctx, fake):
    frame = ctx.sql("SELECT :a", a="x'; DROP TABLE t", b=None)
    assert json.loads(frame["params"].item()) == {"a": "x'; DROP TABLE t", "b": None}


def test_a_number_json_cannot_carry_is_refused(shell, fake):
    result = run(shell, "%%catalog_sql --param v=float('nan')\nSELECT :v")
    assert "cannot be sent" in str(result.error_in_exec)


def test_an_answer_that_breaks_off_is_an_error_and_not_a_short_result(shell, fake):
    fake.cut_body = True
    result = run(shell, "%%catalog_sql got\nSELECT 1")
    assert "broke off" in str(result.error_in_exec)
    assert "got" not in shell.user_ns


def test_unloading_takes_the_magic_and_the_context_away(shell):
    from flowcat_jupyter.kernel.extension import unload

    assert shell.find_cell_magic("catalog_sql")
    assert "flowfile_ctx" in shell.user_ns
    assert "flowfile_ctx" in shell.user_ns_hidden
    unload(shell)
    assert shell.find_cell_magic("catalog_sql") is None
    assert shell.find_line_magic("catalog_sql") is None
    assert "flowfile_ctx" not in shell.user_ns


def test_the_variable_is_in_the_form_that_is_asked_for(shell, fake, capsys):
    fake.answer = lambda body: Answer(pl.DataFrame({"a": [1, 2], "t": ["x", None]}))
    result = run(shell, "%%catalog_sql got --as pandas --max-rows 1\nSELECT 1")
    pandas = shell.user_ns["got"]
    assert type(pandas).__module__.startswith("pandas")
    assert pandas["a"].tolist() == [1, 2]
    assert result.result is pandas
    assert "first 1 of 2 rows" in capsys.readouterr().out
    assert not hasattr(pandas, "_repr_mimebundle_"), "the grid is for the cell alone"

    run(shell, "%%catalog_sql got --as arrow --quiet\nSELECT 1")
    assert shell.user_ns["got"].column("a").to_pylist() == [1, 2]
    assert not run(shell, "%%catalog_sql got --as arrows\nSELECT 1").success
    assert not run(shell, "%%catalog_sql got --as arrow --as polars\nSELECT 1").success
