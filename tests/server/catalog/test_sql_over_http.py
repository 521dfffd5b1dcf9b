from __future__ import annotations

import json
import threading
import time
from uuid import uuid4

import polars as pl
import pytest

from tests.support.live import ARROW, LiveServer

CARRIERS = (
    "SELECT a.name, count(*) AS n FROM demo.nyc.flights f "
    "JOIN demo.nyc.airlines a ON f.carrier = a.carrier GROUP BY a.name ORDER BY n DESC LIMIT 3"
)
RUNAWAY = (
    "SELECT count(*) FROM demo.nyc.flights a JOIN demo.nyc.flights b ON a.origin = b.origin "
    "JOIN demo.nyc.flights c ON b.dest = c.dest WHERE a.distance + b.distance + c.distance < 0"
)


def test_a_join_of_real_tables(server: LiveServer):
    reply = server.sql(CARRIERS)
    assert reply["rows"] == [
        ["United Air Lines Inc.", 58665],
        ["JetBlue Airways", 54635],
        ["ExpressJet Airlines Inc.", 54173],
    ]
    assert [(c["name"], c["type"]) for c in reply["columns"]] == [
        ("name", "string"),
        ("n", "bigint"),
    ]
    assert {t["name"]: t["version"] for t in reply["used_tables"]} == {
        "demo.nyc.flights": 0,
        "demo.nyc.airlines": 0,
    }
    assert reply["truncated"] is False


def test_counts_and_averages_are_exact(server: LiveServer):
    query = "SELECT count(*), count(arr_delay), round(avg(arr_delay), 6) FROM demo.nyc.flights"
    reply = server.sql(query)
    assert reply["rows"] == [[336776, 327346, 6.895377]]
    headings = [column["name"] for column in reply["columns"]]
    assert headings == ["count(*)", "count(arr_delay)", "round(avg(arr_delay), 6)"]


def test_arrow_comes_with_an_envelope_that_is_ready_before_the_body_ends(server: LiveServer):
    query_id = str(uuid4())
    body = {"query": CARRIERS, "query_id": query_id}
    reply = server.request("POST", "sql/execute", body, headers={"Accept": ARROW})
    assert reply.headers["Content-Type"] == ARROW
    frame = pl.read_ipc_stream(reply.body)
    assert frame.shape == (3, 2)
    envelope = server.get(f"sql/{query_id}")
    assert [column["name"] for column in envelope["columns"]] == ["name", "n"]
    assert envelope["rows"] is None


def test_a_cut_result_says_that_it_was_cut(server: LiveServer):
    reply = server.sql("SELECT * FROM demo.nyc.flights", max_rows=10)
    assert (reply["row_count"], reply["truncated"], len(reply["rows"])) == (10, True, 10)
    whole = server.sql("SELECT * FROM demo.nyc.airlines", max_rows=16)
    assert (whole["row_count"], whole["truncated"]) == (16, False)


def test_a_result_is_paged_sorted_and_filtered_where_it_lies(server: LiveServer):
    query_id = str(uuid4())
    body = {"query": "SELECT carrier, name FROM demo.nyc.airlines", "query_id": query_id}
    assert server.request("POST", "sql/execute", body).status == 200
    page = server.get(f"sql/{query_id}/rows", offset=2, limit=2, sort=0, desc=1)
    assert page["total"] == 16
    assert [row[0] for row in page["rows"]] == ["VX", "US"]
    terms = json.dumps([{"column": 1, "op": "contains", "value": "Air Lines"}])
    found = server.get(f"sql/{query_id}/rows", filter=terms)
    assert {row[0] for row in found["rows"]} == {"DL", "UA"} & {row[0] for row in found["rows"]}
    assert found["total"] == len(found["rows"]) < 16
    broken = server.request("GET", f"sql/{query_id}/rows", filter="[1]")
    assert broken.status == 400


def test_parameters_are_values_and_never_text(server: LiveServer):
    hostile = "x'; DROP TABLE demo.nyc.airlines; --"
    assert server.sql("SELECT :v AS v", params={"v": hostile})["rows"] == [[hostile]]
    reply = server.sql("SELECT name FROM demo.nyc.airlines WHERE carrier = :c", params={"c": "UA"})
    assert reply["rows"] == [["United Air Lines Inc."]]
    missing = server.try_sql("SELECT :nope")
    assert missing.status == 400
    assert "nope" in missing.json["message"]


def test_statements_run_in_order_and_the_last_one_answers(server: LiveServer):
    assert server.sql("SELECT 1 AS a; -- ;\nSELECT ';' AS s, '--no' AS c;")["rows"] == [
        [";", "--no"]
    ]
    failed = server.try_sql("SELECT 1;\n\nSELECT nope FROM demo.nyc.airlines")
    assert failed.json["message"].startswith("Statement 2, line 3")
    assert failed.json["line"] == 3


@pytest.mark.parametrize(
    ("query", "condition"),
    [
        ("SELECT FROM WHERE", "PARSE_SYNTAX_ERROR"),
        ("SELECT * FROM nowhere", "TABLE_OR_VIEW_NOT_FOUND"),
        ("SELECT nope FROM demo.nyc.airlines", "UNRESOLVED_COLUMN"),
        ("SELECT no_such_function(1)", "UNRESOLVED_ROUTINE"),
        ("SELECT 1/0", "DIVIDE_BY_ZERO"),
        ("SELECT CAST('x' AS INT)", "CAST_INVALID_INPUT"),
        (
            "ALTER TABLE demo.nyc.airlines SET LOCATION '/x'",
            "UNSUPPORTED_FEATURE.TABLE_OPERATION",
        ),
        ("SELECT * FROM read_csv('/etc/passwd')", "UNRESOLVABLE_TABLE_VALUED_FUNCTION"),
        ("SELECT * FROM demo.nyc.airlines VERSION AS OF 99", "DELTA_VERSION_NOT_FOUND"),
        ("", "PARSE_EMPTY_STATEMENT"),
    ],
)
def test_errors_carry_a_condition_and_a_state(server: LiveServer, query, condition):
    reply = server.try_sql(query)
    assert reply.status == 400, reply.body
    error = reply.json
    assert error["condition"].startswith(condition)
    assert len(error["sqlstate"]) == 5
    said = error["message"]
    for own in ("'/etc/passwd'", "'/x'", "1/0"):
        said = said.replace(own, "")
    assert "/" not in said


def test_what_is_refused_changes_nothing(server: LiveServer):
    for query in (
        "DELETE FROM demo.nyc.airlines VERSION AS OF 0",
        "TRUNCATE TABLE demo.nyc.airlines PARTITION (carrier = 'UA')",
    ):
        assert server.try_sql(query).status == 400
    assert server.sql("SELECT count(*) FROM demo.nyc.airlines")["rows"] == [[16]]


def test_forbidden_words_as_text_and_as_a_column_are_fine(server: LiveServer):
    reply = server.sql("SELECT 'read_csv(''/etc/passwd'')' AS t")
    assert reply["rows"] == [["read_csv('/etc/passwd')"]]
    assert server.sql("SELECT read_csv FROM (SELECT 1 AS read_csv) x")["rows"] == [[1]]


def test_show_and_describe(server: LiveServer):
    assert ["demo"] in server.sql("SHOW CATALOGS")["rows"]
    assert server.sql("SHOW SCHEMAS IN demo")["rows"] == [["nyc"]]
    tables = server.sql("SHOW TABLES IN demo.nyc LIKE 'a*'")["rows"]
    assert tables == [["nyc", "airlines", False], ["nyc", "airports", False]]
    described = server.sql("DESCRIBE demo.nyc.airlines")["rows"]
    assert [row[:2] for row in described] == [["carrier", "string"], ["name", "string"]]
    assert server.sql("DESCRIBE HISTORY demo.nyc.airlines")["rows"][0][0] == 0
    explained = server.sql("EXPLAIN SELECT carrier FROM demo.nyc.flights WHERE month = 1")
    assert any("flights" in row[0] for row in explained["rows"])
    assert explained["columns"][0]["name"] == "plan"


def test_explaining_says_the_same_in_parts_and_in_lines(server: LiveServer):
    query = "SELECT carrier, count(*) AS n FROM demo.nyc.flights WHERE month = 99 GROUP BY carrier"
    told = server.post("sql/explain", {"query": query})
    (source,) = told["sources"]
    assert (source["name"], source["format"], source["version"]) == ("demo.nyc.flights", "delta", 0)
    assert source["files"] == source["files_skipped"]
    assert source["rows"] == source["rows_skipped"] > 0
    assert source["columns"] == ["month", "carrier"]
    assert source["columns_total"] > 2
    assert [step["depth"] for step in told["steps"]] == [0, 1, 2]
    assert told["steps"][1]["text"] == "Keep the rows where month = 99"
    assert told["engine"] == "polars"
    assert told["reason"]
    lines = server.sql(f"EXPLAIN {query}")["rows"]
    assert [line for (line,) in lines] == told["lines"]
    assert server.sql(query)["rows"] == []


@pytest.mark.parametrize(
    ("clause", "condition"),
    [
        ("TIMESTAMP AS OF '2001-01-01'", "DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION"),
        ("TIMESTAMP AS OF :ts", "DELTA_TIMESTAMP_GREATER_THAN_COMMIT"),
        ("VERSION AS OF :v", "DELTA_VERSION_NOT_FOUND"),
        ("TIMESTAMP AS OF 'soon'", "INVALID_TIME_TRAVEL_TIMESTAMP_EXPR.INPUT"),
    ],
)
def test_an_old_version_that_is_not_there_is_an_error(server: LiveServer, clause, condition):
    text = " ".join(("SELECT count(*) FROM demo.nyc.airlines", clause))
    given = {"ts": {"timestamp": "9999-01-01"}, "v": 99}
    params = {name: value for name, value in given.items() if f":{name}" in text}
    answer = server.try_sql(text, params=params)
    assert (answer.status, answer.json["condition"]) == (400, condition)
    assert answer.json["hint"]


def test_a_version_is_asked_for_by_time_and_parameter(server: LiveServer):
    for clause in (
        "TIMESTAMP AS OF current_timestamp()",
        "VERSION AS OF :v",
        "FOR VERSION AS OF 0",
    ):
        text = " ".join(("SELECT count(*) FROM demo.nyc.airlines", clause, "AS a"))
        answer = server.sql(text, params={"v": 0} if ":v" in text else {})
        assert answer["rows"] == [[16]]
        assert answer["used_tables"] == [{"name": "demo.nyc.airlines", "version": 0}]


def test_names_resolve_from_a_current_schema(server: LiveServer):
    reply = server.sql("SELECT count(*) FROM airlines", catalog="demo", schema="nyc")
    assert reply["rows"] == [[16]]
    wrong = server.try_sql("SELECT * FROM demo.nyc.fligths")
    assert "demo.nyc.flights" in wrong.json["hint"]


def test_cancel_reaches_a_running_query_and_the_next_one_is_served(server: LiveServer):
    query_id = str(uuid4())
    answers = []

    def work() -> None:
        body = {"query": RUNAWAY, "query_id": query_id}
        answers.append(server.request("POST", "sql/execute", body))

    thread = threading.Thread(target=work)
    thread.start()
    time.sleep(1.5)
    began = time.monotonic()
    assert server.request("DELETE", f"sql/{query_id}").status == 204
    thread.join(10)
    assert not thread.is_alive()
    assert time.monotonic() - began < 3, "the promise is three seconds"
    assert answers[0].json["code"] == "Cancelled"
    assert server.sql("SELECT 1 AS one")["rows"] == [[1]]


def test_a_query_cancelled_before_it_arrives_never_runs(server: LiveServer):
    query_id = str(uuid4())
    assert server.request("DELETE", f"sql/{query_id}").status == 204
    reply = server.request("POST", "sql/execute", {"query": "SELECT 1", "query_id": query_id})
    assert reply.json["code"] == "Cancelled"


def test_a_query_id_is_used_once_and_is_never_a_path(server: LiveServer):
    query_id = str(uuid4())
    body = {"query": "SELECT 1", "query_id": query_id}
    assert server.request("POST", "sql/execute", body).status == 200
    assert server.request("POST", "sql/execute", body).status == 409
    hostile = server.request("POST", "sql/execute", {**body, "query_id": "../../x"})
    assert (hostile.status, hostile.json["code"]) == (400, "Invalid")


def test_completion_proposes_what_is_there_quoted(server: LiveServer):
    text = "SELECT f.arr_ FROM demo.nyc.flights f"
    reply = server.post("sql/complete", {"text": text, "position": 13})
    assert [item["label"] for item in reply["items"]][:2] == ["arr_time", "arr_delay"]
    assert (reply["start"], reply["end"]) == (9, 13)
    tables = server.post("sql/complete", {"text": "SELECT * FROM demo.nyc.", "position": 23})
    labels = {item["label"] for item in tables["items"]}
    assert labels == {"airlines", "airports", "flights", "planes", "weather"}


def test_big_integers_and_odd_floats_survive_strict_json(server: LiveServer):
    reply = server.sql(
        "SELECT 9007199254740993 AS big, CAST('NaN' AS DOUBLE) AS nan, "
        "CAST('0.10' AS DECIMAL(10,2)) AS d, CAST(NULL AS INT) AS n, '' AS e"
    )
    assert reply["rows"] == [["9007199254740993", "NaN", "0.10", None, ""]]
