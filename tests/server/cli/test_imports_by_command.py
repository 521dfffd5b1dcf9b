"""``flowcat import`` as a person uses it, and what a killed process must not lose."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from flowcat_jupyter.catalog.background import Background
from flowcat_jupyter.catalog.store.engine import connect, open_engine
from tests.support.live import flowcat, live_server

TABLE = "main.default.sales"
UNUSED: Any = None


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture(autouse=True)
def made(home: Path) -> None:
    home.mkdir()


def run(home: Path, *arguments: str, **env: str) -> Any:
    """What a command that works answers."""
    done = flowcat(home, *arguments, "--json", **env)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def fail(home: Path, *arguments: str, **env: str) -> dict[str, str]:
    """The error of a command that fails."""
    done = flowcat(home, *arguments, "--json", **env)
    assert done.returncode == 1, done.stdout
    error: dict[str, str] = json.loads(done.stderr)["error"]
    return error


def rows(home: Path, columns: str = "*", order: str = "1") -> list[list[Any]]:
    query = " ".join(["SELECT", columns, "FROM", TABLE, "ORDER BY", order])
    answer: list[list[Any]] = run(home, "sql", query)["rows"]
    return answer


def deliveries(folder: Path) -> Path:
    """Two months of sales, in a folder with what does not belong to them."""
    folder.mkdir()
    (folder / "sales_2024-05.csv").write_text("id;price\n1;2,5\n2;3,5\n")
    (folder / "sales_2024-06.csv").write_text("id;price\n3;4,5\n")
    (folder / ".hidden.csv").write_text("id;price\n9;9,5\n")
    return folder


def test_a_folder_and_a_pattern_are_one_import_in_one_version(home: Path, tmp_path: Path):
    folder = deliveries(tmp_path / "in")
    answer = run(home, "import", str(folder), "--table", TABLE)
    (result,) = answer["imports"]
    assert (result["row_count"], result["version"], result["lines"]) == (3, 0, 3)
    assert rows(home) == [[1, 2.5], [2, 3.5], [3, 4.5]]
    again = run(home, "import", f"{folder}/*-06.csv", "--table", TABLE, "--mode", "append")
    assert again["imports"][0]["row_count"] == 4
    error = fail(home, "import", f"{folder}/*.txt", "--table", TABLE)
    assert error["code"] == "NotFound"


def test_a_preview_changes_nothing_and_tells_types_and_drift(home: Path, tmp_path: Path):
    folder = deliveries(tmp_path / "in")
    run(home, "import", str(folder / "sales_2024-05.csv"), "--table", TABLE)
    (folder / "next.csv").write_text("id;colour\n7;red\n")
    seen = run(home, "import", str(folder / "next.csv"), "--preview", "--table", TABLE)
    types = {column["name"]: column["type"] for column in seen["columns"]}
    assert types == {"id": "int", "colour": "string"}
    assert [c["name"] for c in seen["drift"]["added"]] == ["colour"]
    assert [c["name"] for c in seen["drift"]["missing"]] == ["price"]
    assert seen["files"][0]["name"].endswith("next.csv")
    shown = flowcat(home, "import", str(folder / "next.csv"), "--preview", "--table", TABLE)
    assert "New column colour" in shown.stdout
    assert rows(home, "count(*)") == [[2]]


def test_drift_is_refused_until_it_is_accepted(home: Path, tmp_path: Path):
    first, second = tmp_path / "a.csv", tmp_path / "b.csv"
    first.write_text("id,price\n1,2\n")
    second.write_text("id,colour\n2,red\n")
    run(home, "import", str(first), "--table", TABLE)
    error = fail(home, "import", str(second), "--table", TABLE, "--mode", "append")
    assert error["code"] == "Conflict"
    assert "colour" in error["message"]
    run(home, "import", str(second), "--table", TABLE, "--mode", "append", "--accept-drift")
    assert rows(home, "id, price, colour") == [[1, 2, None], [2, None, "red"]]


def test_an_upsert_updates_by_key_and_refuses_doubtful_keys(home: Path, tmp_path: Path):
    first, second, twice = (tmp_path / name for name in ("a.csv", "b.csv", "c.csv"))
    first.write_text("id,price\n1,2\n2,3\n")
    second.write_text("id,price\n2,30\n3,40\n")
    twice.write_text("id,price\n4,1\n4,2\n")
    run(home, "import", str(first), "--table", TABLE)
    upsert = ("--table", TABLE, "--mode", "upsert", "--key")
    run(home, "import", str(second), *upsert, "id")
    assert rows(home) == [[1, 2], [2, 30], [3, 40]]
    assert "4" in fail(home, "import", str(twice), *upsert, "id")["message"]
    fail(home, "import", str(second), *upsert, "nope")
    assert rows(home) == [[1, 2], [2, 30], [3, 40]]


def test_rejected_lines_are_counted_and_shown(home: Path, tmp_path: Path):
    path = tmp_path / "ragged.csv"
    path.write_text("a,b\n1,2\n3\n4,5,6\n7,8\n")
    options = ("--table", TABLE, "--option", "bad_rows=skip")
    answer = run(home, "import", str(path), *options, "--rejects", "1")
    (result,) = answer["imports"]
    counts = (result["rows_loaded"], result["rows_rejected"], result["lines"])
    assert counts == (2, 2, 4)
    assert len(answer["rejects"]) == 1
    assert answer["rejects"][0][1] == 3
    told = flowcat(home, "import", str(path), *options, "--mode", "overwrite").stdout
    assert "2 lines were rejected" in told
    assert "4,5,6" in told
    report = run(home, "doctor")
    assert [f["well"] for f in report["findings"] if f["what"] == "rejected lines"] == [True]


def test_a_source_is_remembered_and_can_be_forgotten(home: Path, tmp_path: Path):
    folder = deliveries(tmp_path / "in")
    may, june = (str(folder / f"sales_2024-{month}.csv") for month in ("05", "06"))
    run(home, "import", may, "--table", TABLE, "--type", "id=string")
    seen = run(home, "import", june, "--preview")
    assert (seen["remembered"], seen["columns"][0]["type"]) == (True, "string")
    seen = run(home, "import", june, "--preview", "--no-remembered")
    assert (seen["remembered"], seen["columns"][0]["type"]) == (False, "int")
    assert run(home, "import", june, "--forget") == {"forgotten": 1}
    assert run(home, "import", june, "--preview")["remembered"] is False


def test_the_same_through_a_server(home: Path, tmp_path: Path):
    folder = deliveries(tmp_path / "in")
    root = tmp_path / "root"
    root.mkdir()
    with live_server(home, root) as server:
        env = {"FLOWCAT_URL": server.url, "FLOWCAT_TOKEN": server.token}
        answer = run(home, "import", str(folder), "--table", TABLE, "--option", "decimal=,", **env)
        assert answer["imports"][0]["lines"] == 3
        (folder / "sales_2024-07.csv").write_text("id;price\n1\n5;6,5\n")
        july = (str(folder / "sales_2024-07.csv"), "--table", TABLE)
        seen = run(home, "import", *july, "--preview", **env)
        assert (seen["remembered"], seen["drift"]) == (True, None)
        answer = run(home, "import", *july, "--mode", "append", "--option", "bad_rows=skip", **env)
        assert [row[1] for row in answer["rejects"]] == [2]
        assert run(home, "import", july[0], "--forget", **env) == {"forgotten": 1}
        assert not list((home / "flowcat" / "uploads").iterdir())


def database(home: Path, *statements: str, **values: Any) -> list[Any]:
    """Run statements on the catalog's database; the last one's rows, if it has any."""
    engine = open_engine(f"sqlite:///{home / 'flowcat' / 'catalog.db'}")
    with connect(engine, write=True) as connection, connection.begin():
        found: list[Any] = []
        for statement in statements:
            wanted = {name: value for name, value in values.items() if f":{name}" in statement}
            result = connection.execute(text(statement), wanted)
            found = list(result) if result.returns_rows else []
    engine.dispose()
    return found


@pytest.mark.parametrize("mode", ["append", "overwrite", "upsert"])
def test_an_import_killed_between_commit_and_record_is_whole_at_the_next_start(
    home: Path, tmp_path: Path, mode: str
):
    path = tmp_path / "a.csv"
    path.write_text("id,price\n1,2\n")
    run(home, "import", str(path), "--table", TABLE)
    path.write_text("id,price\n2,3\n3,4\n")
    key = ("--key", "id") if mode == "upsert" else ()
    answer = run(home, "import", str(path), "--table", TABLE, "--mode", mode, *key)
    (result,) = answer["imports"]
    whole = rows(home)
    # As the process would have left it: committed, and nothing of that on record.
    machine = Background(UNUSED, UNUSED).holder.partition(":")[0]
    run_id = result["run_id"]
    database(
        home,
        "UPDATE runs SET state = 'running', result = NULL, lease_holder = :holder WHERE id = :run",
        "UPDATE write_tickets SET state = 'open' WHERE run_id = :run",
        "UPDATE tables SET delta_version = 0, data_files_version = 0, row_count = 1",
        run=run_id,
        holder=f"{machine}:{2**22 - 1}:x",
    )

    shown = run(home, "show", TABLE)

    assert shown["delta_version"] == result["version"]
    assert shown["row_count"] == result["row_count"]
    assert rows(home) == whole
    assert run(home, "doctor")["ok"] is True
    (found,) = database(home, "SELECT state, result FROM runs WHERE id = :run", run=run_id)
    assert found[0] == "succeeded"
    assert json.loads(found[1])["rows_loaded"] == 2
