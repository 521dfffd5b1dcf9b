"""Catalog tables, read and written from a kernel."""

from __future__ import annotations

import time
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pandas as pd
import polars as pl
import pytest

from flowcat_jupyter.shared.errors import AlreadyExists, Conflict, Invalid, NotFound

pa = pytest.importorskip("pyarrow")


def rows(frame):
    return frame.collect().sort(pl.all()).rows()


def test_a_table_written_from_a_frame_reads_back_with_its_types(ctx):
    frame = pl.DataFrame(
        {"id": [1, 2], "small": [3, None], "name": ["a", None]},
        schema={"id": pl.Int64, "small": pl.Int16, "name": pl.String},
    )
    ref = ctx.write_catalog_table(frame, "t", description="numbers")
    assert (ref.full_name, ref.version, ref.row_count) == ("main.default.t", 0, 2)
    back = ctx.read_catalog_table("t")
    assert isinstance(back, pl.LazyFrame)
    assert back.collect_schema() == frame.schema
    assert rows(back) == [(1, 3, "a"), (2, None, None)]


def test_whoever_makes_a_table_with_naive_times_is_told_who_cannot_open_it(ctx):
    frame = pl.DataFrame({"at": [datetime(2024, 1, 1)]})  # noqa: DTZ001
    with pytest.warns(UserWarning, match="readers older than Delta 3") as told:
        ctx.write_catalog_table(frame, "naive")
    assert told[0].filename == __file__
    ctx.write_catalog_table(frame, "naive", write_mode="append")
    ctx.write_catalog_table(pl.DataFrame({"at": [1]}), "other")
    with pytest.warns(UserWarning, match="readers older than Delta 3"):
        ctx.write_catalog_table(frame, "other", write_mode="overwrite")


def test_a_frame_is_a_snapshot_however_late_it_is_collected(ctx):
    ref = ctx.write_catalog_table(pl.DataFrame({"v": [1]}), "t")
    before = ctx.read_catalog_table("t")
    ctx.write_catalog_table(pl.DataFrame({"v": [2]}), "t")
    assert rows(before) == [(1,)]
    assert rows(ctx.read_catalog_table("t")) == [(2,)]
    assert rows(ctx.read_catalog_table("t", version=0)) == [(1,)]
    assert rows(ctx.read_catalog_table(ref, delta_version=0)) == [(1,)]


def test_a_frame_as_of_a_time_is_the_version_that_was_current_then(ctx, fake):
    table = ctx.write_catalog_table(pl.DataFrame({"v": [1]}), "t")
    time.sleep(0.05)
    between = datetime.now(UTC)
    time.sleep(0.05)
    table.write(pl.DataFrame({"v": [2]}))
    in_tokyo = between.astimezone(ZoneInfo("Asia/Tokyo")).replace(tzinfo=None)
    for moment in (between, between.isoformat(), in_tokyo, str(in_tokyo)):
        assert rows(table.read(timestamp=moment)) == [(1,)]
    fake.stream_reads = True
    with pytest.raises(Invalid, match="cannot be read by time"):
        table.read(timestamp=between)


def test_a_time_is_written_as_in_sql(ctx):
    ctx.write_catalog_table(pl.DataFrame({"v": [1]}), "t")
    for early in ("2001", "2001-01-01", date(2001, 1, 1), "2001-01-01 00:00:00 Europe/Paris"):
        with pytest.raises(Invalid, match="no version as old as") as caught:
            ctx.read_catalog_table("t", timestamp=early)
        assert caught.value.condition == "DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION"
    with pytest.raises(Invalid, match="lies in the future"):
        ctx.read_catalog_table("t", timestamp=date(9999, 1, 1))


@pytest.mark.parametrize("moment", ["yesterday", "31.01.2024"])
def test_what_is_no_time_is_refused(ctx, moment):
    with pytest.raises(Invalid, match="is not a time"):
        ctx.read_catalog_table("t", timestamp=moment)


def test_filters_still_reach_the_files_of_columns_that_need_no_cast(ctx):
    ctx.write_catalog_table(pl.DataFrame({"v": [1], "s": ["x"]}), "t")
    plan = ctx.read_catalog_table("t").filter(pl.col("s") == "x").explain()
    assert "SELECTION" in plan


def test_a_table_that_may_only_be_streamed_reads_the_same(ctx, fake):
    ctx.write_catalog_table(pl.DataFrame({"v": [1, 2]}), "t")
    fake.stream_reads = True
    assert rows(ctx.read_catalog_table("t")) == [(1,), (2,)]


@pytest.mark.parametrize(
    "data",
    [
        pl.DataFrame({"v": [1, 2]}),
        pl.LazyFrame({"v": [1, 2]}),
        pl.Series("v", [1, 2]),
        pd.DataFrame({"v": [1, 2]}),
        pa.table({"v": [1, 2]}),
        pa.record_batch({"v": [1, 2]}),
    ],
    ids=lambda data: f"{type(data).__module__.split('.')[0]}-{type(data).__name__}",
)
def test_every_kind_of_frame_can_be_written(ctx, data):
    ctx.write_catalog_table(data, "t")
    assert rows(ctx.read_catalog_table("t")) == [(1,), (2,)]


def test_a_named_pandas_index_is_kept_as_a_column(ctx):
    frame = pd.DataFrame({"v": [1]}, index=pd.Index(["k"], name="key"))
    ctx.write_catalog_table(frame, "t")
    assert rows(ctx.read_catalog_table("t").select("key", "v")) == [("k", 1)]


def test_what_is_no_table_is_refused_before_anything_is_asked(ctx, fake):
    with pytest.raises(Invalid, match="str is not a table"):
        ctx.write_catalog_table("rows", "t")
    assert fake.seen == []


def test_a_type_delta_lacks_is_refused_before_anything_is_asked(ctx, fake):
    with pytest.raises(Invalid, match="took"):
        ctx.write_catalog_table(
            pl.DataFrame({"took": [pl.duration(days=1)]}).select(
                pl.lit(1).cast(pl.Duration).alias("took")
            ),
            "t",
        )
    assert fake.seen == []


def test_modes_append_upsert_update_and_delete_do_as_they_say(ctx):
    table = ctx.write_catalog_table(pl.DataFrame({"k": [1, 2], "v": ["a", "b"]}), "t")
    table.write(pl.DataFrame({"k": [3], "v": ["c"]}), write_mode="append")
    assert rows(table.read()) == [(1, "a"), (2, "b"), (3, "c")]
    changed = pl.DataFrame({"k": [3, 4], "v": ["C", "D"]})
    table.write(changed, write_mode="update", merge_keys=["k"])
    assert rows(table.read()) == [(1, "a"), (2, "b"), (3, "C")]
    table.write(changed, write_mode="upsert", merge_keys=["k"])
    assert rows(table.read()) == [(1, "a"), (2, "b"), (3, "C"), (4, "D")]
    table.write(pl.DataFrame({"k": [1, 2]}), write_mode="delete", merge_keys=["k"])
    assert rows(table.read()) == [(3, "C"), (4, "D")]


def test_an_overwrite_of_partitions_leaves_the_others(ctx):
    mode = {"write_mode": "overwrite_partitions"}
    rows = pl.DataFrame({"k": [1, 2, 3], "p": ["x", None, "y"]})
    ctx.write_catalog_table(rows, "t", partition_by=["p"], **mode)
    ctx.write_catalog_table(pl.DataFrame({"k": [9], "p": [None]}, rows.schema), "t", **mode)
    assert sorted(ctx.read_catalog_table("t").collect().rows()) == [(1, "x"), (3, "y"), (9, None)]
    ctx.write_catalog_table(rows.head(0), "t", **mode)
    assert ctx.read_catalog_table("t").collect().height == 3
    ctx.write_catalog_table(rows.head(1), "whole", **mode)
    ctx.write_catalog_table(rows.tail(1), "whole", **mode)
    assert ctx.read_catalog_table("whole").collect().rows() == [(3, "y")]


def test_a_table_can_be_overwritten_with_its_own_rows(ctx):
    table = ctx.write_catalog_table(pl.DataFrame({"v": [1, 2, 3]}), "t")
    table.write(table.read().filter(pl.col("v") > 1).with_columns(pl.col("v") * 10))
    assert rows(table.read()) == [(20,), (30,)]


def test_a_frame_of_many_batches_is_written_whole_and_in_order(ctx):
    frame = pl.DataFrame({"v": range(1_000_000)})
    table = ctx.write_catalog_table(frame.lazy(), "t")
    assert table.row_count == 1_000_000
    assert table.read().select(pl.col("v").sum()).collect().item() == frame["v"].sum()


def test_mode_error_leaves_a_table_that_is_there(ctx):
    ctx.write_catalog_table(pl.DataFrame({"v": [1]}), "t")
    with pytest.raises(AlreadyExists):
        ctx.write_catalog_table(pl.DataFrame({"v": [2]}), "t", write_mode="error")
    assert rows(ctx.read_catalog_table("t")) == [(1,)]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"write_mode": "truncate"}, "not a way to write"),
        ({"write_mode": "upsert"}, "matches rows by keys"),
        ({"merge_keys": ["v"]}, "uses no merge_keys"),
        ({"write_mode": "upsert", "merge_keys": "v"}, "is a text"),
    ],
)
def test_modes_and_keys_that_do_not_go_together_are_refused(ctx, fake, arguments, says):
    with pytest.raises(Invalid, match=says):
        ctx.write_catalog_table(pl.DataFrame({"v": [1]}), "t", **arguments)
    assert fake.seen == []


def test_a_write_that_fails_gives_its_ticket_back_and_leaves_no_table(ctx, fake):
    broken = pl.LazyFrame({"v": ["x"]}).with_columns(pl.col("v").cast(pl.Int64))
    with pytest.raises((Invalid, pl.exceptions.PolarsError)):
        ctx.write_catalog_table(broken, "t")
    assert fake.aborted == ["w0"]
    assert not list(fake.root.glob("*/_delta_log/*"))
    with pytest.raises(NotFound):
        ctx.read_catalog_table("t")


def test_a_write_the_server_will_not_record_gives_its_ticket_back(ctx, fake):
    fake.fail_commit = Conflict("The table moved from version 3 to 4.")
    with pytest.raises(Conflict):
        ctx.write_catalog_table(pl.DataFrame({"v": [1]}), "t")
    assert fake.aborted == ["w0"]


def test_a_ticket_asks_with_the_schema_the_keys_and_the_cell(ctx, fake):
    frame = pl.DataFrame({"k": [1], "d": ["x"]})
    ctx.write_catalog_table(frame, "t", schema="my_schema", partition_by=["d"])
    body = fake.tickets["w0"]["body"]
    assert body["table"] == "my_schema.t"
    assert [(c["name"], c["type"]) for c in body["columns"]] == [("k", "bigint"), ("d", "string")]
    assert body["partition_by"] == ["d"]
    assert body["origin"] == {"notebook": "a.ipynb", "cell_id": "é1"}
    assert fake.tables[("main", "my_schema", "t")].joinpath("d=x").is_dir()


@pytest.mark.parametrize(
    ("table", "schema", "asked"),
    [
        ("t", None, "t"),
        ("t", "s", "s.t"),
        ("my t", "c.s", "c.s.`my t`"),
        ("c.s.t", None, "c.s.t"),
        ('"my t"', "s", "s.`my t`"),
    ],
)
def test_names_are_put_together_and_quoted(ctx, fake, table, schema, asked):
    with pytest.raises(NotFound):
        ctx.read_catalog_table(table, schema=schema)
    assert fake.seen[-1][3]["table"] == asked


@pytest.mark.parametrize(("table", "schema"), [("s.t", "s"), ("t", "a.b.c")])
def test_two_schemas_are_refused(ctx, table, schema):
    with pytest.raises(Invalid, match="is not a table's name"):
        ctx.read_catalog_table(table, schema=schema)


def test_a_version_is_given_once(ctx):
    with pytest.raises(Invalid):
        ctx.read_catalog_table("t", version=1, delta_version=1)
    with pytest.raises(Invalid):
        ctx.read_catalog_table("t", version=1, timestamp="2024-01-01")


def test_handles_walk_the_whole_tree_page_by_page(ctx):
    ctx.write_catalog_table(pl.DataFrame({"v": [1]}), "a")
    ctx.write_catalog_table(pl.DataFrame({"v": [1]}), "b")
    assert [c.name for c in ctx.list_catalogs()] == ["demo", "main"]
    assert [s.full_name for s in ctx.list_schemas()] == [
        "demo.nyc",
        "main.default",
        "main.`my schema`",
    ]
    assert [t.full_name for t in ctx.list_catalog_tables()] == [
        "main.default.a",
        "main.default.b",
    ]
    assert ctx.list_catalog_tables("MAIN.default") == ctx.default_schema.list_tables()
    assert [s.name for s in ctx.list_schemas("main")] == ["default", "my schema"]
    with pytest.raises(NotFound):
        ctx.get_catalog("nope")


def test_a_table_handle_tells_what_is_there(ctx):
    table = ctx.default_schema.table("t")
    assert not table.exists()
    table.write(pl.DataFrame({"v": [1]}))
    assert table.exists()
    assert table.columns == {"v": "bigint"}
    assert repr(table) == "TableRef(catalog='main', schema='default', name='t')"


def test_delta_folders_already_there_are_taken_in_and_refreshed(ctx, tmp_path):
    folder = tmp_path / "storage" / "mine"
    pl.DataFrame({"v": [1]}).write_delta(folder)
    table = ctx.from_data(folder, "t")
    assert table.row_count == 1
    pl.DataFrame({"v": [2]}).write_delta(folder, mode="append")
    assert ctx.refresh("t").row_count == 2
