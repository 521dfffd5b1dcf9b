"""The command line as processes of its own, as a person runs it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tests.support.live import clean_env, flowcat, live_server, select

CARRIERS = (
    "SELECT a.name, count(*) AS n FROM demo.nyc.flights f JOIN demo.nyc.airlines a "
    "ON f.carrier = a.carrier GROUP BY a.name ORDER BY n DESC LIMIT 3"
)
COUNTS = "SELECT count(*), count(arr_delay), round(avg(arr_delay), 6) FROM demo.nyc.flights"


def run(home: Path, *arguments: str, **env: str) -> str:
    """What a command that works prints."""
    done = flowcat(home, *arguments, **env)
    assert done.returncode == 0, done.stderr
    return str(done.stdout)


def fail(home: Path, *arguments: str, **env: str) -> str:
    """The one line that a command which fails prints."""
    done = flowcat(home, *arguments, **env)
    assert done.returncode != 0
    assert done.stdout == ""
    assert done.stderr.startswith("flowcat: ")
    assert done.stderr.count("\n") == 1, done.stderr
    return str(done.stderr)


def test_sql_answers_in_json(demo_home: Path):
    reply = json.loads(run(demo_home, "sql", CARRIERS, "--json"))
    assert reply["rows"] == [
        ["United Air Lines Inc.", 58665],
        ["JetBlue Airways", 54635],
        ["ExpressJet Airlines Inc.", 54173],
    ]
    counts = json.loads(run(demo_home, "sql", COUNTS, "--json"))
    assert counts["rows"] == [[336776, 327346, 6.895377]]


def test_sql_prints_a_table_with_null_apart_from_the_empty_text(demo_home: Path):
    text = run(demo_home, "sql", "SELECT 1 AS a, CAST(NULL AS STRING) AS n, '' AS e")
    lines = text.splitlines()
    assert lines[0].split() == ["a", "n", "e"]
    assert lines[2].split() == ["1", "NULL"]
    assert lines[3].startswith("(1 row, ")


@pytest.mark.parametrize("shape", ["csv", "arrow", "parquet", "json", "tsv", "ndjson", "xlsx"])
def test_sql_writes_files(demo_home: Path, tmp_path: Path, shape: str):
    target = tmp_path / f"out.{shape}"
    query = "SELECT carrier, name FROM demo.nyc.airlines ORDER BY carrier"
    run(demo_home, "sql", query, "--format", shape, "--output", str(target))
    if shape == "json":
        assert len(json.loads(target.read_text())["rows"]) == 16
        return
    read: dict[str, Callable[[Path], pl.DataFrame]] = {
        "csv": pl.read_csv,
        "tsv": partial(pl.read_csv, separator="\t"),
        "ndjson": pl.read_ndjson,
        "xlsx": pl.read_excel,
        "arrow": pl.read_ipc_stream,
        "parquet": pl.read_parquet,
    }
    frame = read[shape](target)
    assert frame.shape == (16, 2)
    assert frame.row(0)[0] == "9E"


def test_sql_takes_parameters_statements_and_standard_input(demo_home: Path):
    bound = run(
        demo_home,
        "sql",
        "SELECT :a AS a, :b AS b",
        "--param",
        "a=1",
        "--param",
        "b=x'; --",
        "--json",
    )
    assert json.loads(bound)["rows"] == [[1, "x'; --"]]
    done = subprocess.run(
        [sys.executable, "-m", "flowcat_jupyter.cli", "sql", "-", "--json"],
        input="SELECT 1; SELECT 2 AS two",
        env=clean_env(demo_home),
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout)["rows"] == [[2]]


def test_sql_says_when_a_result_is_cut(demo_home: Path):
    cut = run(demo_home, "sql", "SELECT * FROM demo.nyc.flights", "--max-rows", "2")
    assert "cut at 2" in cut
    reply = json.loads(
        run(demo_home, "sql", "SELECT year FROM demo.nyc.flights", "--max-rows", "5", "--json")
    )
    assert (reply["truncated"], len(reply["rows"])) == (True, 5)


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("SELECT * FROM read_csv('/etc/passwd')", ["line 1, column 15", "UNRESOLVABLE_TABLE"]),
        ("SELEC 1", ["PARSE_SYNTAX_ERROR"]),
        ("ALTER TABLE demo.nyc.airlines SET LOCATION '/x'", ["ALTER", "nothing was changed"]),
        ("SELECT * FROM demo.nyc.fligths", ["Did you mean demo.nyc.flights?"]),
        ("-- only a comment", ["nothing to run"]),
    ],
)
def test_a_mistake_is_one_clear_line(demo_home: Path, query: str, words: list[str]):
    line = fail(demo_home, "sql", query)
    for word in words:
        assert word in line


def test_failure_in_json_is_json(demo_home: Path):
    done = flowcat(demo_home, "show", "demo.nyc.none", "--json")
    assert done.returncode == 1
    assert json.loads(done.stderr)["error"]["condition"] == "TABLE_OR_VIEW_NOT_FOUND"


def test_ls_show_and_history(demo_home: Path):
    assert "demo" in run(demo_home, "ls")
    assert "nyc" in run(demo_home, "ls", "demo")
    tables = json.loads(run(demo_home, "ls", "demo.nyc", "--json"))
    assert [t["name"] for t in tables] == ["airlines", "airports", "flights", "planes", "weather"]
    shown = run(demo_home, "show", "demo.nyc.flights")
    assert "336,776 rows" in shown
    assert "time_hour" in shown
    assert "local" in run(demo_home, "history", "demo.nyc.flights")
    assert "There is no catalog nowhere" in fail(demo_home, "ls", "nowhere")


def test_import_then_append_then_overwrite(demo_home: Path, tmp_path: Path):
    one, two = tmp_path / "one.csv", tmp_path / "two.ndjson"
    one.write_text("id,zip\n1,02134\n")
    two.write_text('{"id": 2, "zip": "10001"}\n')
    run(demo_home, "import", str(one), "--table", "main.default.cli")
    assert "AlreadyExists" in json.dumps(
        json.loads(
            flowcat(demo_home, "import", str(one), "--table", "main.default.cli", "--json").stderr
        )
    )
    again = fail(demo_home, "import", str(one), "--table", "main.default.cli")
    assert "--mode append" in again
    assert re.search(r"1 rows?.* \d+(\.\d)? k?B ", run(demo_home, "show", "main.default.cli"))
    run(demo_home, "import", str(two), "--table", "main.default.cli", "--mode", "append")
    rows = json.loads(run(demo_home, "sql", "SELECT * FROM cli ORDER BY id", "--json"))["rows"]
    assert rows == [[1, "02134"], [2, "10001"]]
    (tmp_path / "three.csv").write_text("id,zip\n3,02134\n")
    run(
        demo_home,
        "import",
        str(one),
        str(tmp_path / "thr*"),
        "--table",
        "main.default.cli",
        "--mode",
        "overwrite",
        "--type",
        "id=bigint",
    )
    shown = json.loads(run(demo_home, "show", "main.default.cli", "--json"))
    assert (shown["row_count"], shown["columns"][0]["type"]) == (2, "bigint")


@pytest.mark.parametrize(
    ("name", "content", "word"),
    [
        ("missing.csv", None, "There is no file"),
        ("empty.csv", "", "empty"),
        ("ragged.csv", "a,b\n1\n1,2,3\n", "line"),
        ("binary.csv", "\x00\x01\x02PNG", ""),
    ],
)
def test_a_bad_file_fails_and_leaves_nothing(
    demo_home: Path, tmp_path: Path, name: str, content: str | None, word: str
):
    path = tmp_path / name
    if content is not None:
        path.write_text(content)
    line = fail(demo_home, "import", str(path), "--table", "main.default.bad_one")
    assert word in line
    assert "bad_one" not in run(demo_home, "ls", "main.default")


@pytest.mark.parametrize("table", ["a.b.c.d", "", "main.default.a/b", "main.nowhere.t"])
def test_a_table_that_cannot_be_is_refused(demo_home: Path, tmp_path: Path, table: str):
    path = tmp_path / "x.csv"
    path.write_text("a\n1\n")
    fail(demo_home, "import", str(path), "--table", table)


def test_convert_there_and_back(demo_home: Path, tmp_path: Path):
    notebook: dict[str, Any] = {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {},
        "cells": [
            {
                "cell_type": "code",
                "id": "a1",
                "metadata": {},
                "source": "%%catalog_sql r\nSELECT 1",
                "outputs": [],
                "execution_count": None,
            }
        ],
    }
    source = tmp_path / "a.ipynb"
    source.write_text(json.dumps(notebook))
    middle, back = tmp_path / "a.notebook.yaml", tmp_path / "b.ipynb"
    run(demo_home, "convert", str(source), str(middle))
    assert "type: sql" in middle.read_text()
    run(demo_home, "convert", str(middle), str(back))
    source_back = "".join(json.loads(back.read_text())["cells"][0]["source"])
    assert source_back == notebook["cells"][0]["source"]
    assert "already" in fail(demo_home, "convert", str(source), str(middle))


def test_doctor_and_db(demo_home: Path):
    report = json.loads(run(demo_home, "doctor", "--json"))
    assert {finding["what"] for finding in report["findings"]} >= {
        "kernelspec",
        "sqlglot",
        "storage",
        "database",
        "workers",
    }
    state = json.loads(run(demo_home, "db", "check", "--json"))
    assert state["ready"] is True
    run(demo_home, "db", "upgrade")


def test_the_demo_loads_once_and_can_be_removed(tmp_path: Path):
    home = tmp_path
    assert "367,687 rows" in run(home, "demo")
    assert "there already" in run(home, "demo")
    run(home, "demo", "--remove")
    assert "demo" not in run(home, "ls")
    run(home, "demo", "--remove")
    assert json.loads(run(home, "demo", "--json"))["loaded"]


def test_a_database_url_with_a_password_is_never_shown(tmp_path: Path):
    url = "postgresql://user:pass-word-1@127.0.0.1:1/nowhere"
    for command in (["ls"], ["doctor"], ["db", "check"]):
        done = flowcat(tmp_path, *command, FLOWCAT_DB_URL=url)
        assert done.returncode != 0
        assert "pass-word-1" not in done.stdout + done.stderr


def test_the_same_commands_speak_to_a_running_server(demo_home: Path, tmp_path: Path):
    file = tmp_path / "remote.csv"
    file.write_text("a\n1\n2\n")
    with live_server(demo_home, tmp_path) as server:
        remote = {"FLOWCAT_URL": server.url, "FLOWCAT_TOKEN": server.token}
        elsewhere = tmp_path / "elsewhere"
        elsewhere.mkdir()
        assert "demo" in run(elsewhere, "ls", **remote)
        assert "336,776" in run(elsewhere, "show", "demo.nyc.flights", **remote)
        table = "main.default.remote"
        run(elsewhere, "import", str(file), "--table", table, **remote)
        query = select("sum(a) AS s", table)
        assert json.loads(run(elsewhere, "sql", query, "--json", **remote))["rows"] == [[3]]
        csv = run(elsewhere, "sql", query, "--format", "csv", **remote)
        assert csv.splitlines() == ["s", "3"]
        assert "TABLE_OR_VIEW_NOT_FOUND" in fail(elsewhere, "sql", "SELECT * FROM nope", **remote)
        assert not (elsewhere / "flowcat").exists()
    gone = fail(elsewhere, "ls", **remote)
    assert "answer" in gone or "reach" in gone
