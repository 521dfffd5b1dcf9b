"""Files in the kernel, read and saved as SQL does."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import polars as pl
import pytest

from flowcat_jupyter.shared.errors import AlreadyExists, Invalid, NotFound

FRAME = pl.DataFrame({"id": [1, 2, 3], "day": [date(2024, 1, 2), None, date(2024, 1, 2)]})


@pytest.mark.parametrize("format", ["parquet", "csv", "json", "arrow", "avro"])
def test_rows_in_folders_by_their_values_come_back(ctx, tmp_path, format):
    writer = ctx.write(FRAME).format(format).partition_by("day")
    writer.save(tmp_path / "out")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "day=2024-01-02",
        "day=__HIVE_DEFAULT_PARTITION__",
    ]
    reader = (
        ctx.read.format(format)
        .option("pathGlobFilter", f"*.{format}")
        .schema("id bigint, day date")
    )
    assert reader.load(tmp_path / "out").sort("id").collect().equals(FRAME)


def test_modes_mean_what_they_mean_in_sql(ctx, tmp_path):
    place = tmp_path / "out"
    writer = ctx.write(FRAME).format("parquet").partition_by("day")
    assert writer.save(place) == place
    with pytest.raises(AlreadyExists):
        writer.save(place)
    writer.mode("ignore").save(place)
    assert ctx.read.parquet(place).collect().height == 3
    writer.mode("append").save(place)
    assert ctx.read.parquet(place).collect().height == 6
    writer.mode("overwrite").save(place)
    assert ctx.read.parquet(place).collect().height == 3


def test_formats_and_options_that_only_sql_has(ctx, tmp_path):
    (tmp_path / "a.csv").write_text("#c\n1,x\n2\n")
    reader = ctx.read.format("csv").options(comment="#", mode="PERMISSIVE")
    frame = reader.schema("id int, name string, _corrupt_record string").load(tmp_path / "a.csv")
    assert frame.collect().rows() == [(1, "x", None), (2, None, "2")]
    assert ctx.read.text(tmp_path / "a.csv").collect()["value"].to_list() == ["#c", "1,x", "2"]
    found = ctx.read.format("binaryFile").load(tmp_path).collect()
    assert found["content"].to_list() == [b"#c\n1,x\n2\n"]
    assert ctx.read.format("rate").option("rows", 3).load().collect()["value"].to_list() == [
        0,
        1,
        2,
    ]
    assert ctx.write(FRAME).format("noop").save() == 3
    with pytest.raises(Invalid, match="no option haeder") as caught:
        ctx.read.format("text").option("haeder", True).load(tmp_path)
    assert "Its options are" in (caught.value.hint or "")
    with pytest.raises(NotFound):
        ctx.read.text(tmp_path / "nope")


def test_a_folder_is_never_replaced_with_what_is_no_data_in_it(ctx, tmp_path):
    (tmp_path / "thesis.docx").write_text("mine")
    with pytest.raises(Invalid, match=r"thesis\.docx"):
        ctx.write(FRAME).format("parquet").mode("overwrite").save(tmp_path)
    assert (tmp_path / "thesis.docx").is_file()


def test_a_delta_folder_is_read_at_a_version(ctx, tmp_path):
    place = tmp_path / "t"
    FRAME.write_delta(place)
    FRAME.write_delta(place, mode="append")
    read = ctx.read.format("delta")
    assert read.load(place).collect().height == 6
    assert read.option("versionAsOf", 0).load(place).collect().height == 3
    with pytest.raises(Invalid, match="no option speed"):
        read.option("speed", 1).load(place)


def test_rows_are_saved_as_a_table(ctx):
    made = ctx.write(FRAME).save_as_table("main.default.t")
    assert made.full_name == "main.default.t"
    assert ctx.read.table("main.default.t").collect().height == 3
    with pytest.raises(AlreadyExists):
        ctx.write(FRAME).saveAsTable("main.default.t")
    ctx.write(FRAME).mode("ignore").saveAsTable("main.default.t")
    ctx.write(FRAME).mode("append").saveAsTable("main.default.t")
    assert ctx.read.table("main.default.t").collect().height == 6


def test_spark_names_are_the_same_methods(ctx, tmp_path: Path):
    ctx.write(FRAME).format("json").partitionBy("day").save(tmp_path / "out")
    assert (tmp_path / "out" / "day=2024-01-02").is_dir()
    with pytest.raises(AttributeError, match="bucketBy"):
        ctx.write(FRAME).bucketBy(4, "id")
