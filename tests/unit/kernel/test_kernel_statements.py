"""Statements that give no rows, in a shell and through the context."""

from __future__ import annotations

import polars as pl
import pytest

from flowcat_jupyter.kernel.client import Client
from flowcat_jupyter.kernel.queries import SqlOptions, run_sql
from flowcat_jupyter.kernel.server import Server
from flowcat_jupyter.kernel.stopping import Stopping
from flowcat_jupyter.shared.errors import Cancelled, Unavailable
from tests.support.flowcat_http import Answer

COUNTS = ["num_affected_rows", "num_inserted_rows", "num_updated_rows", "num_deleted_rows"]
MERGED = {"inserted": 1, "updated": 12, "deleted": 0}


def does(statement, written=None, *, changed=True):
    """A server whose answer is that of such a statement."""
    return lambda _body: Answer(None, statement=statement, written=written, changed=changed)


@pytest.mark.parametrize(
    ("answer", "row"),
    [
        (does("MERGE", MERGED), (13, 1, 12, 0)),
        (does("INSERT", {"inserted": 0, "updated": 0, "deleted": 0}), (0, 0, 0, 0)),
        (does("DROP TABLE"), (None, None, None, None)),
        (does("CREATE TABLE", changed=False), (0, 0, 0, 0)),
    ],
)
def test_the_context_gives_one_row_of_counts(ctx, fake, answer, row):
    fake.answer = answer
    frame = ctx.sql("MERGE …")
    assert frame.columns == COUNTS
    assert frame.rows() == [row]
    assert set(frame.dtypes) == {pl.Int64}


def test_counts_come_in_every_form(ctx, fake):
    fake.answer = does("MERGE", MERGED)
    assert ctx.sql("MERGE …", as_="pandas")["num_updated_rows"].tolist() == [12]
    assert ctx.sql("MERGE …", as_="arrow").column_names == COUNTS
    fake.answer = does("DROP TABLE")
    assert str(ctx.sql("DROP …", as_="pandas")["num_affected_rows"].dtype) == "Int64"


def test_the_name_of_a_cell_gets_the_counts_and_keeps_no_older_frame(shell, fake, capsys):
    shell.user_ns["made"] = pl.DataFrame({"old": [1]})
    fake.answer = does("CREATE TABLE", {"inserted": 3, "updated": 0, "deleted": 0})
    result = shell.run_cell("%%catalog_sql made\nCREATE TABLE t AS SELECT 1")
    assert result.success
    assert result.result is None
    assert shell.user_ns["made"].rows() == [(3, 3, 0, 0)]
    assert capsys.readouterr().out.splitlines() == [
        "1 table created, 3 rows · 12 ms",
        "The statement gives no rows: made holds how many it wrote.",
    ]


def test_the_counts_are_quiet_where_that_is_asked_for(shell, fake, capsys):
    fake.answer = does("MERGE", MERGED)
    shell.run_cell("%%catalog_sql made --quiet --as pandas\nMERGE …")
    assert shell.user_ns["made"]["num_affected_rows"].tolist() == [13]
    assert capsys.readouterr().out == ""


def pressing(client, at, path):
    """A client whose user interrupts when it is at one of its methods, for such a path."""
    real = getattr(client, at)

    def interrupted(*args, **options):
        if path in args[0]:
            raise KeyboardInterrupt
        return real(*args, **options)

    setattr(client, at, interrupted)
    return client


def test_an_interrupt_before_the_query_is_sent_says_that_it_has_not_run(client, fake):
    frames = {"df": pl.DataFrame({"a": [1]})}
    with pytest.raises(KeyboardInterrupt, match="has not run"):
        run_sql(pressing(client, "send", "frames"), "SELECT …", SqlOptions(frames=frames))
    assert not [path for _, path, _, _ in fake.seen if path.endswith("execute")]


def test_an_interrupt_while_the_answer_is_read_says_that_the_query_had_run(client):
    with pytest.raises(KeyboardInterrupt, match="had run; its rows were not fetched"):
        run_sql(pressing(client, "get", "catalog/sql/"), "SELECT 1", SqlOptions())


def test_what_nobody_can_know_is_not_made_up(client):
    stopping = Stopping(client, "q")
    stopping.sent = True
    assert "not known" in str(stopping.failed(Unavailable("The server does not answer.")))
    assert str(stopping.failed(Cancelled())) == "The query was cancelled."


def test_a_server_that_is_gone_is_told_in_sentences():
    client = Client(lambda: Server("http://127.0.0.1:1/flowcat/", "t"))
    with pytest.raises(Unavailable) as caught:
        client.get("catalog/status")
    assert caught.value.message.endswith("refused.")
