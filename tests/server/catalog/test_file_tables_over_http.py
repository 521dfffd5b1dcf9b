"""Tables of files by SQL, against a real server."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from flowcat_jupyter.kernel.client import Client
from flowcat_jupyter.kernel.context import FlowfileContext
from flowcat_jupyter.kernel.server import Server
from flowcat_jupyter.shared.errors import FlowcatError
from tests.support.asking import refused, rows
from tests.support.live import LiveServer, select


def test_files_that_are_there_become_a_table(server: LiveServer, schema: str, folder: Path) -> None:
    (folder / "a.csv").write_text("id,name\n1,x\n2,\n")
    server.sql(
        f"CREATE TABLE {schema}.t USING csv OPTIONS (path '{folder}', header 'true', "
        "inferSchema true) COMMENT 'mine'"
    )
    assert rows(server, f"{schema}.t") == [[1, "x"], [2, None]]
    table = server.table(f"main.{schema}.t")
    assert (table["format"], table["table_type"], table["description"]) == (
        "csv",
        "external",
        "mine",
    )
    described = server.sql(f"DESCRIBE {schema}.t")["rows"]
    assert [row[:2] for row in described] == [["id", "int"], ["name", "string"]]
    server.sql(f"DROP TABLE {schema}.t")
    assert (folder / "a.csv").is_file()


def test_the_folders_names_are_columns_of_the_types_their_values_have(
    server: LiveServer, schema: str, folder: Path
) -> None:
    for day, part in (("2024-01-02", "1"), ("__HIVE_DEFAULT_PARTITION__", "2")):
        place = folder / f"day={day}" / f"n={part}"
        place.mkdir(parents=True)
        (place / "a.json").write_text('{"v": 1.5}\n')
    server.sql(f"CREATE TABLE {schema}.t USING json LOCATION '{folder}'")
    assert rows(server, f"{schema}.t", "n") == [[1.5, "2024-01-02", 1], [1.5, None, 2]]
    assert rows(server, f"{schema}.t WHERE n > 1 AND day IS NULL") == [[1.5, None, 2]]
    assert [row[:2] for row in server.sql(f"DESCRIBE {schema}.t")["rows"]][:3] == [
        ["v", "double"],
        ["day", "date"],
        ["n", "int"],
    ]


@pytest.mark.parametrize("format", ["parquet", "csv", "json", "arrow", "avro"])
def test_a_table_whose_files_the_catalog_keeps_takes_rows(
    server: LiveServer, schema: str, format: str
) -> None:
    table = f"{schema}.t"
    server.sql(
        f"CREATE TABLE {table} (id INT, name STRING, p DATE) USING {format} PARTITIONED BY (p)"
    )
    assert rows(server, table) == []
    done = server.sql(
        " ".join(("INSERT INTO", table, "VALUES (1, 'a', DATE'2024-01-02'), (2, NULL, NULL)"))
    )
    assert done["affected_rows"] == 2
    server.sql(" ".join(("INSERT INTO", table, "(name, id) VALUES ('c', 3)")))
    assert rows(server, table) == [[1, "a", "2024-01-02"], [2, None, None], [3, "c", None]]
    server.sql(" ".join(("INSERT OVERWRITE", table, "SELECT id + 10, name, p FROM", table)))
    assert [row[0] for row in rows(server, table)] == [11, 12, 13]
    assert server.table(f"main.{table}")["table_type"] == "managed"


def test_a_value_that_does_not_fit_leaves_the_files_as_they_were(
    server: LiveServer, schema: str
) -> None:
    table = f"{schema}.t"
    server.sql(f"CREATE TABLE {table} (id TINYINT) USING csv")
    server.sql(" ".join(("INSERT INTO", table, "VALUES (1)")))
    status, _, told = refused(server, " ".join(("INSERT OVERWRITE", table, "VALUES (2), (300)")))
    assert status == 400
    assert "300" in told
    assert rows(server, table) == [[1]]


@pytest.mark.parametrize("format", ["parquet", "csv", "json", "arrow", "avro"])
def test_texts_come_back_just_as_they_were(server: LiveServer, schema: str, format: str) -> None:
    table = f"{schema}.t"
    server.sql(f"CREATE TABLE {table} (n INT, v STRING) USING {format}")
    texts = ["", None, " s ", "a,b", 'q"q', "l\nm", "\\", "é🙂", "null", "#"]
    params = {f"v{at}": text for at, text in enumerate(texts)}
    values = ", ".join(f"({at}, :v{at})" for at in range(len(texts)))
    server.sql(" ".join(("INSERT INTO", table, "VALUES", values)), params=params)
    assert [row[1] for row in rows(server, table)] == texts


def test_a_table_is_made_of_a_query(server: LiveServer, schema: str, folder: Path) -> None:
    server.sql(f"CREATE TABLE {schema}.t USING parquet AS SELECT 1 AS a, 'x' AS b")
    assert rows(server, f"{schema}.t") == [[1, "x"]]
    place = folder / "new"
    server.sql(f"CREATE TABLE {schema}.u USING json LOCATION '{place}' AS SELECT 1 AS a")
    assert rows(server, f"{schema}.u") == [[1]]
    assert rows(server, f"json.`{place}`") == [[1]]
    status, condition, _ = refused(
        server, f"CREATE TABLE {schema}.v USING csv LOCATION '{place}' AS SELECT 1 AS a"
    )
    assert (status, condition) == (400, "PATH_ALREADY_EXISTS")
    assert server.try_sql(select("*", f"{schema}.v")).status == 400


def test_a_query_that_fails_leaves_no_table_and_no_files(
    server: LiveServer, schema: str, folder: Path
) -> None:
    place = folder / "new"
    query = select("1 / (id - 3) AS a", "range(5)")
    for where in ("", f"LOCATION '{place}'"):
        text = f"CREATE TABLE {schema}.t USING csv {where} AS {query}"
        assert refused(server, text)[:2] == (400, "DIVIDE_BY_ZERO")
    assert not place.exists()
    server.sql(f"CREATE TABLE {schema}.t USING csv LOCATION '{place}' AS SELECT 1 AS a")


def test_an_option_that_is_unknown_is_named_and_so_is_the_nearest_one(
    server: LiveServer, schema: str, folder: Path
) -> None:
    (folder / "a.csv").write_text("1\n")
    text = f"CREATE TABLE {schema}.t USING csv OPTIONS (path '{folder}', %s)"
    status, condition, told = refused(server, text % "haeder 'true'")
    assert (status, condition) == (400, "INVALID_OPTIONS")
    assert "haeder" in told
    assert "Did you mean header?" in told
    status, condition, told = refused(server, text % "mode 'LOOSE'")
    assert condition == "INVALID_PARAMETER_VALUE"
    assert "FAILFAST" in told
    assert refused(server, text % "password 'x'")[1] == "UNSUPPORTED_FEATURE.SECRET_OPTION"
    assert server.try_sql(select("*", f"{schema}.t")).status == 400


def test_rows_that_do_not_fit_are_treated_as_the_mode_says(
    server: LiveServer, schema: str, folder: Path
) -> None:
    (folder / "a.csv").write_text("1,2\nx,3\n4\n5,6,7\n")
    make = (
        f"CREATE TABLE {schema}.%s (a INT, b INT%s) USING csv OPTIONS (mode '%s') "
        f"LOCATION '{folder}'"
    )
    server.sql(make % ("p", ", _corrupt_record STRING", "PERMISSIVE"))
    assert rows(server, f"{schema}.p", "b NULLS FIRST") == [
        [4, None, "4"],
        [1, 2, None],
        [None, 3, "x,3"],
        [5, 6, "5,6,7"],
    ]
    server.sql(make % ("d", "", "DROPMALFORMED"))
    assert rows(server, f"{schema}.d") == [[1, 2]]
    server.sql(make % ("f", "", "FAILFAST"))
    status, condition, told = refused(server, select("*", f"{schema}.f"))
    assert (status, condition) == (400, "MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION")
    assert "x,3" in told


def test_paths_are_read_by_the_name_of_their_format(server: LiveServer, folder: Path) -> None:
    (folder / "a.csv").write_text("1\n")
    (folder / "b.csv").write_text("2\n")
    (folder / "c.txt").write_text("one\ntwo\n")
    assert rows(server, f"csv.`{folder}/*.csv`") == [["1"], ["2"]]
    assert rows(server, f"csv.`{folder}/{{a,b}}.csv`") == [["1"], ["2"]]
    assert rows(server, f"csv.`{folder}/a.csv,{folder}/b.csv`") == [["1"], ["2"]]
    assert rows(server, f"text.`{folder}/c.txt`") == [["one"], ["two"]]
    found = server.sql(select("length", f"binaryFile.`{folder}/c.txt`"))["rows"]
    assert found == [[8]]
    assert refused(server, select("*", f"csv.`{folder}/nope`"))[1] == "PATH_NOT_FOUND"


def test_no_path_leads_out_of_the_allowed_folders(server: LiveServer, folder: Path) -> None:
    for path in (
        "/etc/passwd",
        f"{folder}/../../../../../../../etc/passwd",
        f"{folder}/a,/etc/passwd",
        f"{folder}/{{a,../../../../../../../../../../etc/passwd}}",
    ):
        assert server.try_sql(select("*", f"text.`{path}`")).status in (400, 403, 404)
    (folder / "link").symlink_to("/etc")
    assert server.try_sql(select("*", f"text.`{folder}/link/passwd`")).status in (400, 403)
    assert server.try_sql(select("*", f"text.`{folder}/*/passwd`")).status in (400, 403)


def test_a_query_is_saved_in_a_folder(server: LiveServer, folder: Path) -> None:
    place = folder / "out"
    done = server.sql(
        f"INSERT OVERWRITE DIRECTORY '{place}' USING csv OPTIONS (header 'true', sep = '|') "
        "SELECT 1 AS a, 'x' AS b"
    )
    assert done["affected_rows"] == 1
    (file,) = place.glob("*.csv")
    assert file.read_text() == "a|b\n1|x\n"
    server.sql(f"INSERT OVERWRITE LOCAL DIRECTORY '{place}' USING parquet SELECT 2 AS a")
    assert [path.suffix for path in place.iterdir()] == [".parquet"]
    assert pl.read_parquet(place).rows() == [(2,)]
    assert server.try_sql("INSERT OVERWRITE DIRECTORY '/etc/x' USING csv SELECT 1").status == 403
    (place / "notes.txt.bak").write_text("mine")
    status, _, told = refused(server, f"INSERT OVERWRITE DIRECTORY '{place}' USING csv SELECT 1")
    assert status == 400
    assert "notes.txt.bak" in told


@pytest.mark.parametrize(
    "text",
    [
        "DELETE FROM {t} WHERE id = 1",
        "UPDATE {t} SET id = 2",
        "MERGE INTO {t} USING {t} AS s ON s.id = {t}.id WHEN MATCHED THEN DELETE",
        "OPTIMIZE {t}",
        "VACUUM {t}",
        "RESTORE TABLE {t} TO VERSION AS OF 0",
        "INSERT INTO {t} REPLACE WHERE id = 1 SELECT 1",
        "ALTER TABLE {t} ADD COLUMN b INT",
    ],
)
def test_what_only_lakes_can_do_is_refused_and_says_what_to_do(
    server: LiveServer, schema: str, text: str
) -> None:
    table = f"{schema}.t"
    server.sql(f"CREATE TABLE {table} USING csv AS SELECT 1 AS id")
    status, condition, told = refused(server, text.format(t=table))
    assert (status, condition) == (400, "UNSUPPORTED_FEATURE.TABLE_OPERATION")
    assert "csv" in told
    assert "CREATE TABLE … AS SELECT" in told
    assert rows(server, table) == [["1"]] or rows(server, table) == [[1]]


def test_files_have_no_versions(server: LiveServer, schema: str) -> None:
    table = f"{schema}.t"
    server.sql(f"CREATE TABLE {table} USING csv AS SELECT 1 AS id")
    status, condition, _ = refused(server, select("*", f"{table} VERSION AS OF 0"))
    assert (status, condition) == (400, "UNSUPPORTED_FEATURE.TIME_TRAVEL")


def test_the_screens_of_a_table_show_its_rows_and_that_it_has_no_history(
    server: LiveServer, schema: str, folder: Path
) -> None:
    (folder / "a.csv").write_text("id,at\n1,2024-07-01 12:00:00\n2,x\n")
    server.sql(
        f"CREATE TABLE {schema}.t (id INT, at TIMESTAMP) USING csv OPTIONS (header true) "
        f"LOCATION '{folder}'"
    )
    known = server.table(f"main.{schema}.t")
    assert known["size_bytes"] > 0
    page = server.get(f"tables/{known['id']}/preview", limit=10)
    assert [row[0] for row in page["rows"]] == [1, 2]
    assert [row[1] for row in page["rows"]][1] is None
    reply = server.request("GET", f"tables/{known['id']}/history")
    assert (reply.status, reply.json["condition"]) == (
        400,
        "UNSUPPORTED_FEATURE.TABLE_OPERATION",
    )
    assert refused(server, f"DESCRIBE HISTORY {schema}.t")[0] == 400
    made = server.sql(f"SHOW CREATE TABLE {schema}.t")["rows"][0][0]
    assert "csv" in made
    explained = server.sql(f"EXPLAIN {select('id', f'{schema}.t')}")["rows"]
    assert any("csv files" in line for (line,) in explained)
    assert (
        rows(server, f"{schema}.t")
        == server.sql(f"{select('*', f'{schema}.t')} ORDER BY 1", engine="duckdb")["rows"]
    )


def test_a_table_of_files_is_looked_at_again(server: LiveServer, schema: str, folder: Path) -> None:
    (folder / "a.csv").write_text("id\n1\n")
    table = f"{schema}.t"
    server.sql(
        f"CREATE TABLE {table} USING csv OPTIONS (header 'true') LOCATION '{folder}' "
        "TBLPROPERTIES ('team' = 'north')"
    )
    (folder / "a.csv").write_text("id,more\n1,x\n")
    known = server.table(f"main.{table}")
    fresh = server.post(f"tables/{known['id']}/refresh")
    assert [column["name"] for column in fresh["columns"]] == ["id", "more"]
    assert rows(server, table) == [["1", "x"]]
    told = server.sql(f"SHOW TBLPROPERTIES {table}")["rows"]
    assert ["team", "north"] in told


def test_bounded_rows_of_a_clock(server: LiveServer, schema: str) -> None:
    server.sql(f"CREATE TABLE {schema}.t USING rate OPTIONS (rows 3)")
    assert server.sql(f"{select('value', f'{schema}.t')} ORDER BY 1")["rows"] == [[0], [1], [2]]
    assert refused(server, f"CREATE TABLE {schema}.n USING noop")[0] == 400
    status, condition, _ = refused(server, f"CREATE TABLE {schema}.n USING orc LOCATION '/x'")
    assert (status, condition) == (400, "DATA_SOURCE_NOT_FOUND")


def test_a_kernel_saves_rows_as_a_table_of_files(server: LiveServer, schema: str) -> None:
    client = Client(lambda: Server(server.url, server.token), dict)
    ctx = FlowfileContext(client)
    frame = pl.DataFrame({"id": [1, 2], "p": ["a", None]})
    writer = ctx.write(frame).format("csv").option("header", True).partition_by("p")
    made = writer.save_as_table(f"main.{schema}.t")
    assert made.full_name == f"main.{schema}.t"
    writer.mode("append").saveAsTable(f"main.{schema}.t")
    assert ctx.read.table(f"main.{schema}.t").collect().height == 4
    writer.mode("overwrite").saveAsTable(f"main.{schema}.t")
    assert rows(server, f"{schema}.t") == [[1, "a"], [2, None]]
    with pytest.raises(FlowcatError, match="already"):
        writer.saveAsTable(f"main.{schema}.t")


def test_two_tables_over_one_file_are_each_read_in_their_own_way(
    server: LiveServer, schema: str, folder: Path
) -> None:
    (folder / "a.csv").write_text("id\n1\n")
    server.sql(
        f"CREATE TABLE {schema}.h USING csv OPTIONS (header true) LOCATION '{folder}'; "
        f"CREATE TABLE {schema}.n USING csv LOCATION '{folder}'"
    )
    counted = " UNION ALL ".join(select("count(*)", f"{schema}.{name}") for name in "hn")
    assert server.sql(counted)["rows"] == [[1], [2]]


def test_times_in_files_are_in_the_sessions_zone(
    server: LiveServer, schema: str, folder: Path
) -> None:
    (folder / "a.csv").write_text("2024-07-01 12:00:00\n")
    server.sql(
        f"CREATE TABLE {schema}.t (at TIMESTAMP) USING csv "
        f"OPTIONS (timeZone 'Europe/Paris') LOCATION '{folder}'"
    )
    found = server.sql(select("unix_timestamp(at)", f"{schema}.t"))["rows"]
    assert found == [[1719828000]]
