"""Kernels of a real server, its catalog, its workers and its Delta tables."""

from __future__ import annotations

import time

import pytest


@pytest.fixture(scope="module")
def kernel(live):
    started = live.start_kernel()
    started.run("import polars as pl, os")
    return started


def test_a_table_goes_from_a_frame_to_sql_and_back(kernel):
    assert "TableRef" in kernel.text(
        "frame = pl.DataFrame({'k': [1, 2, 3], 'name': ['a', None, '<b>']})\n"
        "flowfile_ctx.write_catalog_table(frame, 'round', description='numbers')"
    )
    shown = kernel.run(
        "%%catalog_sql got --max-rows 2 --param least=1\n"
        "SELECT k, name, k * 2 AS twice FROM round WHERE k >= :least ORDER BY k"
    )
    assert shown["status"] == "ok", shown
    html = shown["outputs"][-1]["data"]["text/html"]
    assert "first 2 of 3 rows" in html
    assert kernel.text("got.rows()") == "[(1, 'a', 2), (2, None, 4), (3, '<b>', 6)]"
    assert kernel.text("flowfile_ctx.read_catalog_table('round').collect().equals(frame)") == "True"
    assert "round" in kernel.text("flowfile_ctx.list_catalog_tables()")


def test_every_write_mode_works_and_a_frame_stays_the_snapshot_it_was(kernel):
    assert (
        kernel.text(
            "t = flowfile_ctx.default_schema.table('modes')\n"
            "t.write(pl.DataFrame({'k': [1, 2], 'v': ['a', 'b']}), write_mode='error')\n"
            "before = t.read()\n"
            "t.write(pl.DataFrame({'k': [3], 'v': ['c']}), write_mode='append')\n"
            "t.write(pl.LazyFrame({'k': [3], 'v': ['C']}), write_mode='update', merge_keys=['k'])\n"
            "t.write(pl.DataFrame({'k': [4], 'v': ['d']}), write_mode='upsert', merge_keys=['k'])\n"
            "t.write(pl.DataFrame({'k': [1]}), write_mode='delete', merge_keys=['k'])\n"
            "rows = lambda frame: frame.sort('k').collect().rows()\n"
            "print(rows(before), rows(t.read()), t.version)\n"
            "print(t.read(version=0).collect().height, t.row_count)"
        )
        == "[(1, 'a'), (2, 'b')] [(2, 'b'), (3, 'C'), (4, 'd')] 4\n2 3\n"
    )


def test_a_write_that_fails_leaves_neither_table_nor_name(kernel):
    reply = kernel.run(
        "bad = pl.LazyFrame({'v': ['x']}).with_columns(pl.col('v').cast(pl.Int64))\n"
        "flowfile_ctx.write_catalog_table(bad, 'torn')"
    )
    assert reply["status"] == "error"
    assert kernel.text("flowfile_ctx.default_schema.table('torn').exists()") == "False"
    kernel.text("flowfile_ctx.write_catalog_table(pl.DataFrame({'v': [1]}), 'torn')")
    assert kernel.text("flowfile_ctx.sql('SELECT v FROM torn').item()") == "1"


def test_a_parameter_is_a_value_and_never_sql(kernel):
    kernel.text("flowfile_ctx.write_catalog_table(pl.DataFrame({'v': [1]}), 'safe')")
    kernel.text("""%%catalog_sql got --quiet --param v="x'; DROP TABLE safe"\nSELECT :v AS v""")
    assert kernel.text("print(got.item())") == "x'; DROP TABLE safe\n"
    assert kernel.text("flowfile_ctx.default_schema.table('safe').exists()") == "True"


def test_a_cell_that_writes_says_what_it_wrote(kernel):
    said = [
        kernel.text(f"%%catalog_sql\n{statement}").partition(" · ")[0]
        for statement in (
            "CREATE TABLE wrote AS SELECT 1 AS id, 'a' AS s",
            "INSERT INTO wrote BY NAME SELECT 'b' AS s, 2 AS id",
        )
    ]
    assert said == ["1 table created, 1 row", "1 row inserted"]
    assert kernel.text("flowfile_ctx.read_catalog_table('wrote').collect().height") == "2"
    dropped = kernel.text("%%catalog_sql\nDROP TABLE wrote; DROP TABLE IF EXISTS wrote")
    assert dropped.splitlines()[0] == "Warning: There is no table wrote."
    assert dropped.splitlines()[1].startswith("DROP TABLE: nothing changed")


def test_a_statement_that_writes_gives_its_counts(kernel):
    kernel.text("%%catalog_sql made\nCREATE TABLE counted AS SELECT id FROM range(3)")
    assert kernel.text("made.rows()") == "[(3, 3, 0, 0)]"
    frame = kernel.text("flowfile_ctx.sql('DELETE FROM counted WHERE id > :n', n=0).to_dicts()")
    assert "'num_deleted_rows': 2" in frame
    kernel.text("%%catalog_sql made\nDROP TABLE counted")
    assert kernel.text("made.rows()") == "[(None, None, None, None)]"


def test_an_interrupted_statement_says_that_nothing_was_changed(live, kernel):
    kernel.text("flowfile_ctx.write_catalog_table(pl.DataFrame({'a': range(200_000)}), 'wide')")
    slow = "SELECT count(*) AS n FROM wide x CROSS JOIN wide y WHERE x.a * y.a % 7 = 3"
    message = kernel.send(" ".join(("%%catalog_sql made\nCREATE TABLE never AS", slow)))
    time.sleep(2)
    live.ask("POST", f"api/kernels/{kernel.id}/interrupt")
    reply = kernel.wait(message)
    assert reply["ename"] == "KeyboardInterrupt", reply
    assert reply["evalue"] == "Nothing was changed: the statement was cancelled."
    assert len("\n".join(reply["traceback"]).splitlines()) == 1
    assert kernel.text("flowfile_ctx.default_schema.table('never').exists()") == "False"


def test_a_frame_becomes_a_table_by_sql(kernel):
    kernel.text("mine = pl.DataFrame({'k': [1, 2], 'v': ['a', None]})")
    kernel.text("%%catalog_sql\nCREATE OR REPLACE TABLE of_mine AS SELECT * FROM :mine")
    rows = kernel.text("flowfile_ctx.read_catalog_table('of_mine').collect().sort('k').rows()")
    assert rows == "[(1, 'a'), (2, None)]"


def test_an_error_points_at_its_place_and_fails_the_cell(kernel):
    reply = kernel.run("%%catalog_sql\nSELECT 1 AS a,\n  b\nFROM nowhere_at_all")
    assert reply["status"] == "error"
    text = "\n".join(reply["traceback"])
    assert "nowhere_at_all" in text
    assert "TABLE_OR_VIEW_NOT_FOUND" in text
    assert "    FROM nowhere_at_all\n         ^" in text
    assert len(text.splitlines()) <= 6


def test_columns_of_one_name_and_text_that_looks_like_templates(kernel):
    said = kernel.text("%%catalog_sql got\nSELECT 1 AS x, 2 AS x, '{a} $b 50%' AS t")
    assert "x → x_2" in said
    assert kernel.text("got.row(0)") == "(1, 2, '{a} $b 50%')"


def test_the_kernels_token_opens_flowcat_and_nothing_else(live):
    kernel = live.start_kernel()
    token = kernel.text("import os; print(os.environ['FLOWCAT_TOKEN'])").strip()
    assert kernel.text("print('JUPYTERHUB_API_TOKEN' in os.environ)") == "False\n"
    assert isinstance(live.ask("GET", "flowcat/catalog/namespaces/tree", token=token), dict)
    assert live.ask("GET", "api/contents", token=token) == 403
    assert live.ask("GET", "api/kernels", token=token) == 403
    live.ask("POST", f"api/kernels/{kernel.id}/restart")
    kernel.wait_until_ready()
    assert kernel.text("import os; print(os.environ['FLOWCAT_TOKEN'])").strip() == token
    assert "main" in kernel.text("flowfile_ctx.list_catalogs()")
    live.ask("DELETE", f"api/kernels/{kernel.id}")
    assert live.ask("GET", "flowcat/catalog/namespaces/tree", token=token) == 403


def test_any_kernel_of_the_server_may_load_the_extension(live):
    kernel = live.start_kernel("python3")
    assert "main" in kernel.text("%load_ext flowcat_jupyter\nflowfile_ctx.list_catalogs()")


def test_an_interrupt_ends_a_long_query_on_the_worker_too(live, kernel):
    kernel.text("flowfile_ctx.write_catalog_table(pl.DataFrame({'a': range(200_000)}), 'wide')")
    for presses in (1, 2):
        message = kernel.send(
            "%%catalog_sql\nSELECT count(*) FROM wide x CROSS JOIN wide y WHERE x.a * y.a % 7 = 3"
        )
        time.sleep(2)
        pressed = time.monotonic()
        for _ in range(presses):
            live.ask("POST", f"api/kernels/{kernel.id}/interrupt")
        reply = kernel.wait(message)
        assert reply["ename"] == "KeyboardInterrupt", reply
        assert time.monotonic() - pressed < 3
        assert kernel.text("1 + 1") == "2"
    assert kernel.text("flowfile_ctx.sql('SELECT 1 AS one').item()") == "1"
