"""Tables that other engines wrote: the right rows, or a refusal that names the reason."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from urllib.parse import quote

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable

from flowcat_jupyter.formats.delta import FORMAT
from flowcat_jupyter.formats.protocol import label_of
from flowcat_jupyter.shared.conditions import Condition
from flowcat_jupyter.shared.errors import Forbidden, Gone, Invalid
from tests.support.scans import told


def rows(table, by=None, **options) -> list[tuple]:
    frame = FORMAT.scan(table.source(**options)).frame.collect()
    return frame.sort(by or frame.columns, nulls_last=True).rows()


def ids(*values: int) -> pa.Table:
    return pa.table({"id": pa.array(values, pa.int64())})


def versions(table, count: int) -> None:
    """One row per version, with its number."""
    table.begin([("id", "long")])
    for at in range(1, count):
        table.commit(table.file(ids(at), f"{at}.parquet"), timestamp=at * 1000)


class TestCheckpoints:
    @pytest.fixture
    def table(self, make_foreign):
        table = make_foreign("José")
        versions(table, 4)
        return table

    def cleaned(self, table, before: int) -> None:
        for at in range(before):
            (table.log / f"{at:020}.json").unlink()

    @pytest.mark.parametrize("hint", [True, False])
    def test_a_log_cleaned_before_a_checkpoint(self, table, hint):
        DeltaTable(str(table.path)).create_checkpoint()
        if not hint:
            (table.log / "_last_checkpoint").unlink()
        table.commit(table.file(ids(4), "4.parquet"), timestamp=4000)
        self.cleaned(table, 3)
        assert rows(table) == [(1,), (2,), (3,), (4,)]
        assert rows(table, version=3) == [(1,), (2,), (3,)]
        with pytest.raises(Invalid, match="no version 2") as caught:
            rows(table, version=2)
        assert caught.value.hint == "Versions 3 to 4 can be read."
        assert FORMAT.open(table.source(timestamp="1970-01-01T00:00:03Z")).version == 3
        with pytest.raises(Invalid, match="no version as old") as caught:
            rows(table, timestamp="1970-01-01T00:00:02Z")
        assert "can be read is 3, of 1970-01-01T00:00:03" in str(caught.value.hint)
        assert FORMAT.facts(table.source()).row_count == 4

    def test_a_last_checkpoint_that_lies_is_told_with_what_to_do(self, table):
        DeltaTable(str(table.path)).create_checkpoint()
        (table.log / "_last_checkpoint").write_text('{"version": 77, "size": 3}')
        with pytest.raises(Invalid, match="cannot be read") as caught:
            rows(table)
        assert "delete that file" in str(caught.value.hint)

    @pytest.mark.parametrize("sidecar", [False, True])
    def test_a_checkpoint_of_the_second_kind(self, make_foreign, sidecar):
        table = make_foreign("v2", features=("v2Checkpoint",))
        versions(table, 4)
        protocol, meta = table.head([("id", "long")], ())
        adds: list[dict] = [{"add": add} for add in table.added]
        if sidecar:
            adds = [{"sidecar": self.sidecar(table)}]
        lines = [{"checkpointMetadata": {"version": 3}}, protocol, meta, *adds]
        name = f"{3:020}.checkpoint.80a083e8-7026-4e79-81be-64bd76c43a11.json"
        (table.log / name).write_text("\n".join(json.dumps(line) for line in lines))
        self.cleaned(table, 3)
        assert rows(table) == [(1,), (2,), (3,)]
        assert FORMAT.facts(table.source()).row_count == 3

    def sidecar(self, table) -> dict:
        folder = table.log / "_sidecars"
        folder.mkdir()
        path = folder / "016ae953-37a9-438e-8683-9a9a4a79a395.parquet"
        kind = pa.struct(
            [
                ("path", pa.string()),
                ("partitionValues", pa.map_(pa.string(), pa.string())),
                ("size", pa.int64()),
                ("modificationTime", pa.int64()),
                ("dataChange", pa.bool_()),
                ("stats", pa.string()),
            ]
        )
        adds = [{**add, "partitionValues": []} for add in table.added]
        pq.write_table(pa.table({"add": pa.array(adds, kind)}), path)
        size = path.stat().st_size
        return {"path": path.name, "sizeInBytes": size, "modificationTime": 1}


class TestPartitions:
    ODD = (
        "a b",
        "a/b",
        "a%b",
        "x%20y",
        "a=b",
        "ü",
        "日",
        "O'Brien",
        "..",
        " lead",
        "trail ",
        "#?{}",
    )

    @pytest.mark.parametrize("value", ODD)
    def test_a_value_selects_exactly_its_rows(self, make_foreign, value):
        table = make_foreign("José #1")
        table.begin([("id", "long"), ("p", "string")], ("p",))
        folder = "p=" + quote(value, safe="")
        name, other = f"{folder}/1.parquet", "p=zzz/2.parquet"
        table.commit(
            table.file(ids(1), name, {"p": value}, written=quote(name)),
            table.file(ids(2), other, {"p": "zzz"}),
        )
        assert rows(table) == [(1, value), (2, "zzz")]
        opened = FORMAT.open(table.source())
        scan = opened.scan(((Condition("p", "=", (value,)),),))
        assert told(scan).files_skipped == 1
        assert scan.frame.filter(pl.col("p") == value).collect().rows() == [(1, value)]

    def test_an_empty_text_means_null_and_null_stays_null(self, make_foreign):
        table = make_foreign()
        table.begin([("id", "long"), ("p", "string"), ("n", "integer")], ("p", "n"))
        table.commit(
            table.file(ids(1), "a/1.parquet", {"p": "", "n": ""}),
            table.file(ids(2), "b/2.parquet", {"p": None, "n": None}),
            table.file(ids(3), "c/3.parquet", {"p": "x", "n": "5"}),
        )
        assert rows(table) == [(1, None, None), (2, None, None), (3, "x", 5)]
        scan = FORMAT.open(table.source()).scan(((Condition("p", "is_null"),),))
        assert told(scan).files_skipped == 1
        assert scan.frame.collect().height == 2

    def test_values_come_from_the_log_and_not_from_the_folders(self, make_foreign):
        table = make_foreign()
        table.begin([("id", "long"), ("p", "string")], ("p",))
        table.commit(
            table.file(ids(1), "p=lies/1.parquet", {"p": "truth"}),
            table.file(ids(2), "flat.parquet", {"p": "b"}),
            table.file(ids(3), "x9/q=7/3.parquet", {"p": "c"}),
        )
        assert rows(table) == [(1, "truth"), (2, "b"), (3, "c")]
        frame = FORMAT.scan(table.source()).frame
        assert frame.filter(pl.col("p") == "truth").collect().rows() == [(1, "truth")]

    def test_values_of_every_type(self, make_foreign):
        half = datetime(2024, 1, 1, 0, 30, tzinfo=UTC)
        kinds = {
            "i": ("integer", "-5", -5),
            "d": ("date", "0202-02-03", date(202, 2, 3)),
            "ts": ("timestamp", "2024-01-01 00:30:00.5", half.replace(microsecond=500_000)),
            "z": ("timestamp", "2024-01-01T00:30:00.000000Z", half),
            "b": ("boolean", "true", True),
            "dec": ("decimal(5,2)", "-1.50", None),
        }
        table = make_foreign()
        table.begin([("id", "long"), *((k, v[0]) for k, v in kinds.items())], tuple(kinds))
        table.commit(table.file(ids(1), "f.parquet", {k: v[1] for k, v in kinds.items()}))
        (row,) = FORMAT.scan(table.source()).frame.collect().to_dicts()
        assert str(row.pop("dec")) == "-1.50"
        assert row == {"id": 1, **{k: v[2] for k, v in kinds.items() if k != "dec"}}


class TestPaths:
    def test_a_path_is_percent_encoded_once(self, make_foreign):
        table = make_foreign("a#b")
        table.begin([("id", "long")])
        table.commit(
            table.file(ids(1), "sp ace/ü%20x.parquet", written=quote("sp ace/ü%20x.parquet")),
            table.file(ids(2), "plain.parquet"),
        )
        assert rows(table) == [(1,), (2,)]

    @pytest.mark.parametrize("how", ["file://{}", "{}"])
    def test_an_absolute_path_inside_the_table_is_read(self, make_foreign, how):
        table = make_foreign("my José")
        table.begin([("id", "long")])
        path = how.format(quote(str(table.path / "1.parquet")))
        table.commit(table.file(ids(1), "1.parquet", written=path))
        assert rows(table) == [(1,)]

    @pytest.mark.parametrize("how", ["file://{}", "{}"])
    def test_an_absolute_path_outside_it_is_refused(self, make_foreign, tmp_path, how):
        other = make_foreign("other")
        other.begin([("id", "long")])
        other.commit(other.file(ids(1), "1.parquet"))
        table = make_foreign("clone")
        table.begin([("id", "long")])
        (add,) = other.added
        table.commit({"add": {**add, "path": how.format(other.path / "1.parquet")}})
        with pytest.raises(Forbidden, match="read"):
            rows(table)

    def test_a_file_that_is_gone_is_told(self, make_foreign):
        table = make_foreign()
        versions(table, 3)
        (table.path / "2.parquet").unlink()
        with pytest.raises(Gone, match="removed") as caught:
            rows(table)
        assert caught.value.condition == "DELTA_FILE_NOT_FOUND"
        assert rows(table, version=1) == [(1,)]


class TestTimes:
    def test_instants_of_any_year_and_unit(self, make_foreign):
        early = datetime(202, 1, 2, 3, 4, 5, 678, UTC)
        late = datetime(9999, 12, 31, tzinfo=UTC)
        moments = [early, late, None]
        table = make_foreign()
        table.begin([("ts", "timestamp")])
        for unit in ("us", "ms"):
            kind = pa.timestamp(unit, "UTC")
            kept = [m and (m if unit == "us" else m.replace(microsecond=0)) for m in moments]
            table.commit(table.file(pa.table({"ts": pa.array(kept, kind)}), f"{unit}.parquet"))
        found = [row[0] for row in rows(table)]
        assert found == [early.replace(microsecond=0), early, late, late, None, None]

    def test_wall_clocks_stay_without_a_zone(self, make_foreign):
        wall = datetime(2024, 3, 31, 2, 30)  # noqa: DTZ001
        table = make_foreign(features=("timestampNtz",))
        table.begin([("w", "timestamp_ntz")])
        table.commit(table.file(pa.table({"w": pa.array([wall], pa.timestamp("us"))}), "1.parquet"))
        scan = FORMAT.scan(table.source())
        assert scan.columns[0].type == "timestamp_ntz"
        assert scan.frame.collect().rows() == [(wall,)]


class TestFeatures:
    @pytest.mark.parametrize(
        "feature", ["typeWidening", "typeWidening-preview", "catalogManaged", "somethingNew"]
    )
    def test_one_nobody_here_knows_is_refused_by_name(self, make_foreign, feature):
        table = make_foreign(features=(feature,))
        table.begin([("id", "long")])
        for ask in (FORMAT.scan, FORMAT.facts):
            with pytest.raises(Invalid, match=feature) as caught:
                ask(table.source())
            assert caught.value.condition == "DELTA_UNSUPPORTED_FEATURES_FOR_READ"

    def test_a_column_of_a_type_nobody_here_knows_is_refused_by_name(self, make_foreign):
        table = make_foreign(features=("variantType",))
        table.begin([("id", "long"), ("v", "variant")])
        with pytest.raises(Invalid, match="variant") as caught:
            FORMAT.scan(table.source())
        assert caught.value.message.startswith(f"{label_of(table.source())} uses a Delta feature")

    def test_files_without_statistics_are_all_read_and_counted(self, make_foreign):
        table = make_foreign(features=("deletionVectors",))
        table.begin([("id", "long")])
        table.commit(
            table.file(ids(1, 2), "1.parquet", stats=False),
            table.file(ids(3, 4), "2.parquet", stats=False, deleted=[0]),
        )
        opened = FORMAT.open(table.source())
        scan = opened.scan(((Condition("id", ">", (3,)),),))
        assert (told(scan).files, told(scan).files_skipped, told(scan).rows) == (2, 0, None)
        assert rows(table) == [(1,), (2,), (4,)]
        assert FORMAT.facts(table.source()).row_count == 3

    def test_a_file_in_which_every_row_is_deleted_gives_none(self, make_foreign):
        table = make_foreign(features=("deletionVectors",))
        table.begin([("id", "long")])
        table.commit(table.file(ids(1, 2), "1.parquet", deleted=[0, 1]))
        assert rows(table) == []
        assert FORMAT.facts(table.source()).row_count == 0

    @pytest.mark.parametrize("mode", ["name", "id"])
    def test_mapped_columns_keep_odd_names_and_nested_ones(self, make_foreign, mode):
        table = make_foreign(mapping=mode)
        table.begin([('a "b"', "long"), ("*", "string"), ("^x$", "integer")])
        frame = pa.table(
            {
                'a "b"': pa.array([1, None], pa.int64()),
                "*": pa.array(["s", None]),
                "^x$": pa.array([7, None], pa.int32()),
            }
        )
        table.commit(table.file(frame, "1.parquet"))
        assert rows(table) == [(1, "s", 7), (None, None, None)]
        scan = FORMAT.scan(table.source())
        assert scan.frame.select(pl.len()).collect().item() == 2
        assert [column.type for column in scan.columns] == ["bigint", "string", "int"]
