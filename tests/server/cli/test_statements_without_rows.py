"""What ``flowcat sql`` says and writes when its statement gives no rows."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.live import flowcat


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home of a catalog with one table."""
    made = tmp_path_factory.mktemp("rowless")
    done = flowcat(made, "sql", "CREATE TABLE t AS SELECT 1 AS a")
    assert done.returncode == 0, done.stderr
    return made


@pytest.fixture(params=["csv", "table"])
def shape(request: pytest.FixtureRequest) -> Iterator[str]:
    """Forms in which rows are written: for programs and for people."""
    yield str(request.param)


def test_no_file_is_written_and_what_was_done_is_said(home: Path, tmp_path: Path, shape: str):
    target = tmp_path / "out"
    target.write_text("kept")
    query = "INSERT INTO t VALUES (2)"
    done = flowcat(home, "sql", query, "--format", shape, "--output", str(target))
    assert done.returncode == 0, done.stderr
    said = done.stdout.splitlines()
    assert said[0].startswith("1 row inserted (")
    assert said[1] == f"There are no rows: {target} was not written."
    assert target.read_text() == "kept"


def test_standard_output_is_left_to_rows(home: Path):
    query = "DROP TABLE IF EXISTS none; INSERT INTO t VALUES (2)"
    done = flowcat(home, "sql", query, "--format", "csv")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.startswith("1 row inserted (")
    assert done.stderr.splitlines()[1:] == ["Note: There is no table none."]


def test_what_would_change_is_told_and_not_done(home: Path):
    query = "DELETE FROM t WHERE a = 1"
    done = flowcat(home, "sql", query, "--dry-run")
    assert done.stdout.startswith("1 row would be deleted; nothing was changed (")
    assert flowcat(home, "sql", "DROP TABLE t", "--dry-run").returncode != 0
    counted = flowcat(home, "sql", "SELECT count(*) AS n FROM t WHERE a = 1", "--format", "csv")
    assert counted.stdout.split() == ["n", "1"]


def test_json_is_the_whole_answer_with_or_without_rows(home: Path, tmp_path: Path):
    target = tmp_path / "out.json"
    query = "DELETE FROM t WHERE a IS NULL"
    done = flowcat(home, "sql", query, "--format", "json", "--output", str(target))
    assert done.stdout.startswith("0 rows deleted (")
    assert done.stdout.endswith(f"; the answer is in {target}.\n")
    assert json.loads(target.read_text())["written"]["deleted"] == 0


def test_a_table_for_people_is_written_to_a_file_too(home: Path, tmp_path: Path):
    target = tmp_path / "out.txt"
    done = flowcat(home, "sql", "SELECT 7 AS a", "--output", str(target))
    assert done.stdout == f"1 row written to {target}.\n"
    assert target.read_text(encoding="utf-8").splitlines()[:3] == ["a", "─", "7"]


def test_a_server_that_is_gone_is_told_in_two_sentences(home: Path):
    env = {"FLOWCAT_URL": "http://127.0.0.1:1/flowcat/", "FLOWCAT_TOKEN": "x"}
    done = flowcat(home, "ls", **env)
    assert done.returncode == 1
    assert f"{os.strerror(errno.ECONNREFUSED)}. Start the Jupyter server" in done.stderr
