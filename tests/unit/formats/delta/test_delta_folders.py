"""Tables work in any folder people have, and refuse by name the few that cannot work."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pytest

from flowcat_jupyter.shared.errors import Forbidden, Gone, Invalid, NotFound

FOLDERS = [
    "my José dir",
    "日本",
    "a#b",
    "{x}",
    "trail ",
    "it's",
    "(work)",
    "what?",
    '"q"',
    "50% off",
    "a=b",
    "ü;x",
    "a&b",
    "a*b",
    "a:b",
    "$HOME",
    "~x",
]


@pytest.mark.parametrize("folder", FOLDERS)
def test_everything_works_in_a_folder_called(make_table, tmp_path, folder):
    table = make_table(folder, "t")
    table.write(pl.DataFrame({"id": [1, 2], "p": ["a b", None]}), partition_by=["p"])
    assert table.write(pl.LazyFrame({"id": [3], "p": ["ü/%"]}), "append") == 1
    assert table.rows() == [(1, "a b"), (2, None), (3, "ü/%")]
    assert table.rows(version=0) == [(1, "a b"), (2, None)]
    assert table.write(pl.DataFrame({"id": [2]}), "delete", merge_keys=["id"]) == 2
    assert table.facts().row_count == 2
    assert table.history().total == len(table.history().entries) == 3
    assert table.facts().data_files_version == 2
    assert table.scan(timestamp=datetime.now(UTC).isoformat()).version == 2
    assert [path.name for path in tmp_path.iterdir()] == [folder]


@pytest.mark.parametrize("folder", ["a%41", "a%20b", "[1]", "x]", "a^b", "a|b", "tail\\", "a\tb"])
def test_a_folder_the_library_would_lose_is_refused_before_anything_is_made(
    make_table, tmp_path, folder
):
    table = make_table(folder, "t")
    with pytest.raises(Invalid, match="No Delta table can lie under"):
        table.write(pl.DataFrame({"a": [1]}))
    with pytest.raises(Invalid, match="No Delta table can lie under"):
        table.scan()
    assert list(tmp_path.iterdir()) == []


def test_a_bucket_is_refused_by_what_it_is(make_table):
    table = make_table("t")
    table.location = "s3://bucket/t"
    with pytest.raises(Invalid, match="own file system"):
        table.scan()


@pytest.mark.parametrize(
    "value",
    ["a b", "a/b", "a%b", "x%20y", "a=b", "ü", "日", "O'Brien", "..", " lead", "trail ", "#?{}"],
)
def test_a_partition_value_comes_back_and_selects_exactly_its_rows(table, value):
    table.write(pl.DataFrame({"id": [1, 2, 3], "p": [value, None, "other"]}), partition_by=["p"])
    assert table.rows("id") == [(1, value), (2, None), (3, "other")]
    found = table.scan().frame.filter(pl.col("p") == value).collect()
    assert found.rows() == [(1, value)]


def test_an_empty_text_as_a_partition_value_is_refused_and_null_stays_null(table):
    frame = pl.DataFrame({"id": [1], "p": [""]})
    with pytest.raises(Invalid, match="Partition column p has an empty text"):
        table.write(frame, partition_by=["p"])
    assert not table.path.exists()
    table.write(pl.DataFrame({"id": [1], "p": [None]}, schema_overrides={"p": pl.String}))
    assert table.rows() == [(1, None)]


def test_typed_partition_values_come_back_typed(table):
    frame = pl.DataFrame(
        {
            "v": [1, 2],
            "d": ["2020-01-31", None],
            "b": [True, False],
            "i": [7, -7],
            "t": ["2020-01-01T12:34:56.000005", "2020-01-01T00:00:00"],
            "m": ["150", "-5"],
        }
    ).with_columns(
        pl.col("d").str.to_date(),
        pl.col("i").cast(pl.Int16),
        pl.col("t").str.to_datetime(time_unit="us").dt.replace_time_zone("UTC"),
        pl.col("m").cast(pl.Decimal(10, 0)),
    )
    table.write(frame, partition_by=["d", "b", "i", "t", "m"])
    back = table.scan()
    assert back.frame.collect().sort("v").equals(frame.with_columns(pl.col("i").cast(pl.Int64)))
    assert back.declared().collect().sort("v").equals(frame)


@pytest.mark.parametrize(
    "values",
    [
        pl.Series([1.5, 2.5]),
        pl.Series([b"a", b"b"]),
        pl.Series(["-1.50", "1.50"]).cast(pl.Decimal(10, 2)),
        pl.Series([[1], [2]]),
    ],
    ids=lambda series: str(series.dtype),
)
def test_a_column_that_makes_no_sound_folder_name_is_refused(table, values):
    with pytest.raises(Invalid, match="cannot be partitioned by column p"):
        table.write(pl.DataFrame({"p": values, "v": [1, 2]}), partition_by=["P"])
    assert not table.path.exists()


@pytest.mark.parametrize(
    ("wanted", "condition", "sqlstate"),
    [
        (["nope"], "COLUMN_NOT_DEFINED_IN_TABLE", "42703"),
        (["p", "p"], "COLUMN_ALREADY_EXISTS", "42711"),
        (["p", "P"], "COLUMN_ALREADY_EXISTS", "42711"),
        (["p", "v"], "ALL_PARTITION_COLUMNS_NOT_ALLOWED", "KD005"),
    ],
)
def test_columns_to_partition_by_are_there_once_and_leave_one(table, wanted, condition, sqlstate):
    with pytest.raises(Invalid) as failed:
        table.write(pl.DataFrame({"p": ["x"], "v": [1]}), partition_by=wanted)
    assert (failed.value.condition, failed.value.sqlstate) == (condition, sqlstate)
    assert failed.value.hint
    assert not table.path.exists()


def test_no_table_is_not_found_and_a_vacuumed_version_is_gone(table):
    with pytest.raises(NotFound, match=r"table data main.`?default"):
        table.scan()
    table.write(pl.DataFrame({"a": [1]}))
    table.write(pl.DataFrame({"a": [2]}), "overwrite")
    for file in table.path.glob("*.parquet"):
        if table.actions("add")[0]["path"] == file.name:
            file.unlink()
    assert table.rows() == [(2,)]
    with pytest.raises(Gone, match="version 0"):
        table.scan(version=0)


@pytest.mark.parametrize("how", ["absolute", "file URL", "relative", "link"])
def test_a_log_cannot_name_files_outside_its_folder(make_table, tmp_path, how):
    victim, table = make_table("victim", "t"), make_table("own", "t")
    victim.write(pl.DataFrame({"a": [42]}))
    table.write(pl.DataFrame({"a": [1]}))
    (secret,) = Path(victim.location).glob("*.parquet")
    (mine,) = Path(table.location).glob("*.parquet")
    named = {
        "absolute": str(secret),
        "file URL": f"file://{secret}",
        "relative": f"../../victim/t/{secret.name}",
        "link": mine.name,
    }[how]
    if how == "link":
        mine.unlink()
        mine.symlink_to(secret)
    log = Path(table.location) / "_delta_log" / f"{0:020}.json"
    log.write_text(log.read_text().replace(f'"path":"{mine.name}"', f'"path":"{named}"'))
    with pytest.raises(Forbidden):
        table.rows()
