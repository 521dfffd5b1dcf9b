"""Tables that Sail wrote: its own answers, or a refusal that names what stands in the way."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from deltalake import DeltaTable, QueryBuilder

from flowcat_jupyter.registries import formats
from flowcat_jupyter.shared.conditions import Condition
from flowcat_jupyter.shared.errors import FlowcatError, Invalid
from flowcat_jupyter.shared.wire import Source
from tests.support.live import LiveServer, live_server, select
from tests.support.sail_tables import ANSWERS, as_answered, unpacked

REFUSED = {
    ("delta", "widened"): "typeWidening",
    ("delta", "variant"): "variant of column v",
    ("iceberg", "equality_deletes"): "equality deletes",
}
TABLES = [(kind, name) for kind in ("delta", "iceberg") for name in ANSWERS[kind]]
READ = [table for table in TABLES if table not in REFUSED]


def source(kind: str, name: str, folder: Path, **options: Any) -> Source:
    return Source("r1", "table", ("main", "sail", name), kind, str(folder), **options)


@pytest.fixture
def short(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder whose path leaves room for that of a recorded one."""
    return tmp_path_factory.mktemp("s")


@pytest.mark.parametrize(("kind", "name"), READ)
class TestRows:
    def test_a_table_has_the_rows_that_sail_reads(self, short: Path, kind: str, name: str) -> None:
        asked, answer = source(kind, name, unpacked(kind, name, short)), ANSWERS[kind][name]
        scan = formats().get(kind).open(asked).scan()
        assert as_answered(scan.declared().collect()) == answer
        assert formats().get(kind).facts(asked).row_count == len(answer)

    def test_a_filter_finds_the_same_rows_though_files_are_left_out(
        self, short: Path, kind: str, name: str
    ) -> None:
        opened = formats().get(kind).open(source(kind, name, unpacked(kind, name, short)))
        key = opened.columns[0].name
        for row in ANSWERS[kind][name]:
            if row[0] is None:
                continue
            scan = opened.scan(((Condition(key, "=", (row[0],)),),))
            found = scan.declared().filter(pl.col(key) == row[0]).collect()
            assert as_answered(found) == [row]


@pytest.mark.parametrize(("kind", "name"), REFUSED)
def test_what_would_be_misread_is_refused_by_name(short: Path, kind: str, name: str) -> None:
    asked = source(kind, name, unpacked(kind, name, short))
    with pytest.raises(Invalid, match=REFUSED[kind, name]) as caught:
        formats().get(kind).open(asked).scan().frame.collect()
    assert caught.value.condition in ("DELTA_UNSUPPORTED_FEATURES_FOR_READ", "UNSUPPORTED_FEATURE")
    assert caught.value.hint


def test_every_version_of_a_table_with_deletion_vectors_is_read(short: Path) -> None:
    folder = unpacked("delta", "deletion_vectors", short)
    delta = formats().get("delta")
    found = [
        delta.scan(source("delta", "t", folder, version=version)).frame.sort("id").collect().rows()
        for version in range(6)
    ]
    all_rows = [(at, f"n{at}") for at in range(1, 13)]
    deleted = [row for row in all_rows if row[0] not in (2, 5, 12)]
    updated = sorted([*[row for row in deleted if row[0] not in (3, 4)], (3, "N3"), (4, "N4")])
    merged = [row for row in updated if row[0] not in (1, 6, 7)]
    merged = sorted([*merged, (6, "six"), (100, "new")])
    last = [row for row in merged if row[0] != 3]
    assert found == [[], all_rows, deleted, updated, merged, last]


def test_columns_of_iceberg_that_were_renamed_and_moved_keep_their_values(short: Path) -> None:
    folder = unpacked("iceberg", "position_deletes", short)
    metadata = json.loads((folder / "metadata" / "v4.metadata.json").read_text("utf-8"))
    old = metadata["schemas"][-1]
    one, two, three = old["fields"]
    fields = [{**two, "name": "id"}, {**one, "name": "number", "type": "long"}, three]
    metadata["schemas"].append({**old, "schema-id": 7, "fields": fields})
    metadata["current-schema-id"] = 7
    (folder / "metadata" / "v5.metadata.json").write_text(json.dumps(metadata), "utf-8")
    (folder / "metadata" / "version-hint.text").write_text("5", "utf-8")
    scan = formats().get("iceberg").open(source("iceberg", "t", folder)).scan()
    assert [(column.name, column.type) for column in scan.columns] == [
        ("id", "string"),
        ("number", "bigint"),
        ("p", "string"),
    ]
    assert as_answered(scan.declared().collect()) == [
        ["again", 1, "x"],
        ["b", 2, "x"],
        [None, 3, None],
    ]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    """A server whose root has room for recorded tables, with a schema ``sail``."""
    with live_server(tmp_path_factory.mktemp("h"), tmp_path_factory.mktemp("r")) as running:
        running.sql("CREATE SCHEMA sail")
        yield running


def registered(server: LiveServer, name: str) -> tuple[str, Path]:
    """A table of the catalog over a recorded one of Delta, made anew, and its folder."""
    folder = unpacked("delta", name, server.root)
    server.sql(f"DROP TABLE IF EXISTS sail.{name}")
    server.sql(f"CREATE TABLE sail.{name} USING delta LOCATION '{folder}'")
    return f"sail.{name}", folder


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("delta", "deletion_vectors"),
        ("delta", "mapped_by_name"),
        ("iceberg", "position_deletes"),
        ("iceberg", "third_version"),
    ],
)
def test_a_path_is_read_in_sql(server: LiveServer, kind: str, name: str) -> None:
    folder = unpacked(kind, name, server.root)
    told = server.sql(select("*", f"{kind}.`{folder}`"))
    plain = [[list(v.values()) if isinstance(v, dict) else v for v in r] for r in told["rows"]]
    assert sorted(plain, key=json.dumps) == ANSWERS[kind][name]


def test_a_path_that_would_be_misread_is_refused(server: LiveServer) -> None:
    for (kind, name), reason in REFUSED.items():
        folder = unpacked(kind, name, server.root)
        told = server.try_sql(select("*", f"{kind}.`{folder}`"))
        assert (told.status, reason in told.json["message"]) == (400, True), told.json
        if kind == "delta":
            told = server.try_sql(f"CREATE TABLE sail.{name} USING delta LOCATION '{folder}'")
            assert (told.status, reason in told.json["message"]) == (400, True), told.json


def files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


ANY = (
    "INSERT INTO {t} ({key}) VALUES (77)",
    "INSERT INTO {t} TABLE {t}",
    "INSERT OVERWRITE {t} TABLE {t}",
    "UPDATE {t} SET {key} = 5",
    "DELETE FROM {t}",
    "DELETE FROM {t} WHERE {key} < 1000",
    "MERGE INTO {t} AS t USING (SELECT 1 AS k) AS s ON t.{key} < 1000 WHEN MATCHED THEN DELETE",
    "TRUNCATE TABLE {t}",
    "ALTER TABLE {t} ADD COLUMN zz INT",
    "ALTER TABLE {t} DROP COLUMN {key}",
    "ALTER TABLE {t} SET TBLPROPERTIES ('a.b' = 'c')",
    "ALTER TABLE {t} ADD CONSTRAINT q CHECK ({key} > -5)",
    "OPTIMIZE {t}",
    "VACUUM {t}",
    "RESTORE TABLE {t} TO VERSION AS OF 0",
)
UNWRITTEN = {
    "mapped_by_name": ("id", "column mapping (mode name)", ANY),
    "mapped_by_id": ("id", "column mapping (mode id)", ANY),
    "identity": ("id", "identityColumns", ANY),
    "default": ("id", "allowColumnDefaults", ANY),
    "timed_commits": ("id", "inCommitTimestamp", (*ANY[:9], *ANY[10:])),
    "deletion_vectors": ("id", "deletion vectors", ("OPTIMIZE {t}", "VACUUM {t}", ANY[-1], ANY[9])),
    "generated": (
        "n",
        "generated",
        (
            "INSERT INTO {t} (n) VALUES (1)",
            "UPDATE {t} SET n = 5",
            "MERGE INTO {t} AS t USING (SELECT 1 AS k) AS s ON t.n = s.k "
            "WHEN MATCHED THEN UPDATE SET n = 3",
        ),
    ),
    "append_only": ("id", "delta.appendOnly", ("UPDATE {t} SET id = 5", *ANY[4:8], ANY[2])),
    "checked": (
        "id",
        "constraint",
        ("INSERT INTO {t} VALUES (0, 'z')", "UPDATE {t} SET id = -id"),
    ),
}


@pytest.mark.parametrize("name", UNWRITTEN)
def test_what_would_break_a_table_is_refused_by_name_and_changes_no_file(
    server: LiveServer, name: str
) -> None:
    key, reason, statements = UNWRITTEN[name]
    table, folder = registered(server, name)
    before = files(folder)
    for text in statements:
        told = server.try_sql(text.format(t=table, key=key))
        assert (text, told.status) == (text, 400), told.json
        assert reason in told.json["message"], (text, told.json)
        assert files(folder) == before, text


@pytest.mark.parametrize(
    "name", ["deletion_vectors", "checked", "without_zone", "second_checkpoint", "partitioned"]
)
def test_a_table_that_can_be_kept_as_it_is_can_be_written(server: LiveServer, name: str) -> None:
    table, folder = registered(server, name)
    kept = {row[0] for row in ANSWERS["delta"][name]}
    ids = sorted(kept)
    text = (
        "INSERT INTO {t} (id) VALUES (701), (702); UPDATE {t} SET id = 703 WHERE id = 701; "
        "DELETE FROM {t} WHERE id IN (702, {one}); "
        "MERGE INTO {t} AS t USING (SELECT {two} AS k UNION ALL SELECT 704) AS s ON t.id = s.k "
        "WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT (id) VALUES (s.k)"
    )
    server.sql(text.format(t=table, one=ids[0], two=ids[1]))
    wanted = (kept - set(ids[:2])) | {703, 704}
    assert {row[0] for row in server.sql(select("id", table))["rows"]} == wanted
    query = QueryBuilder().register("t", DeltaTable(str(folder)))
    foreign = pl.DataFrame(query.execute("SELECT id FROM t").read_all())
    assert sorted(foreign["id"]) == sorted(wanted)


def test_an_error_at_reading_leaves_the_folder_alone(short: Path) -> None:
    folder = unpacked("delta", "widened", short)
    before = files(folder)
    with pytest.raises(FlowcatError):
        formats().get("delta").scan(source("delta", "t", folder))
    assert files(folder) == before
