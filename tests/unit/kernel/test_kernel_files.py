"""Files in the kernel's own reach."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import polars as pl
import pytest

from flowcat_jupyter.shared.errors import AlreadyExists, Invalid, NotFound

FRAME = pl.DataFrame({"id": [1, 2], "name": ["é;x", None], "x": [0.5, 1.5]})


@pytest.mark.parametrize("name", ["a.csv", "a.json", "a.ndjson", "a.jsonl", "a.parquet", "a.arrow"])
def test_each_format_reads_back_what_was_written(ctx, tmp_path, name):
    path = ctx.write(FRAME).save(tmp_path / name)
    assert ctx.read.load(path).collect().equals(FRAME)


def test_options_of_csv_have_sparks_names(ctx, tmp_path):
    path = tmp_path / "a.txt"
    ctx.write(FRAME).format("csv").option("sep", ";").option("nullValue", "NA").save(path)
    assert path.read_text().splitlines() == ["id;name;x", '1;"é;x";0.5', "2;NA;1.5"]
    reader = ctx.read.format("csv").option("sep", ";").option("nullValue", "NA")
    assert reader.load(path).collect().equals(FRAME)
    texts = reader.option("inferSchema", False).load(path)
    assert set(texts.collect_schema().dtypes()) == {pl.String}
    assert reader.option("header", "false").option("inferSchema", False).load(
        path
    ).collect().shape == (3, 3)


def test_a_schema_is_written_as_in_spark(ctx, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("day,amount,code\n2024-01-31,0.10,007\n")
    frame = ctx.read.schema("day date, amount decimal(10,2), code string").load(path).collect()
    assert frame.rows() == [(date(2024, 1, 31), Decimal("0.10"), "007")]


def test_types_are_inferred_from_the_whole_file(ctx, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("v\n" + "1\n" * 5000 + "x\n")
    assert ctx.read.load(path).collect_schema() == {"v": pl.String}


def test_a_file_that_is_there_is_kept_unless_told_otherwise(ctx, tmp_path):
    path = ctx.write(FRAME).save(tmp_path / "a.csv")
    with pytest.raises(AlreadyExists):
        ctx.write(FRAME.head(1)).save(path)
    assert ctx.read.load(path).collect().height == 2
    ctx.write(FRAME.head(1)).mode("overwrite").save(path)
    assert ctx.read.load(path).collect().height == 1


def test_a_write_that_fails_leaves_the_old_file_and_no_other(ctx, tmp_path):
    path = ctx.write(FRAME).save(tmp_path / "a.csv")
    nested = pl.DataFrame({"v": [[1]]})
    with pytest.raises(pl.exceptions.ComputeError):
        ctx.write(nested).mode("overwrite").save(path)
    assert ctx.read.load(path).collect().equals(FRAME)
    assert list(tmp_path.iterdir()).count(path) == 1
    assert {entry.name for entry in tmp_path.iterdir()} <= {"a.csv", "storage"}


def test_a_readers_steps_do_not_change_it(ctx, tmp_path):
    path = ctx.write(FRAME).save(tmp_path / "a.csv")
    reader = ctx.read.format("csv")
    reader.option("sep", ";")
    assert reader.load(path).collect().width == 3


@pytest.mark.parametrize(
    ("use", "says"),
    [
        (lambda c, p: c.read.format("xml"), "no file format"),
        (lambda c, p: c.read.option("speed", 1).load(p / "a.csv"), "no option of csv"),
        (lambda c, p: c.read.format("parquet").option("sep", 1).load(p / "a.csv"), "none"),
        (lambda c, p: c.read.option("header", "maybe").load(p / "a.csv"), "true or false"),
        (lambda c, p: c.read.schema("id nope").load(p / "a.csv"), "not a data type"),
        (lambda c, p: c.write(FRAME).save(p / "b.dat"), "not clear from its name"),
        (lambda c, p: c.write(FRAME).mode("append"), "no way to write"),
        (lambda c, p: c.write(FRAME).option("compression", "rar").save(p / "b.parquet"), "rar"),
    ],
)
def test_what_does_not_fit_is_refused(ctx, tmp_path, use, says):
    ctx.write(FRAME).save(tmp_path / "a.csv")
    with pytest.raises(Invalid) as caught:
        use(ctx, tmp_path)
    assert says in f"{caught.value} {caught.value.hint}"


def test_a_file_that_is_not_there_is_not_found(ctx, tmp_path):
    with pytest.raises(NotFound):
        ctx.read.load(tmp_path / "a.csv")


def test_lines_of_the_log_carry_their_level(ctx, capsys):
    ctx.log("a")
    ctx.log_info("b")
    ctx.log_warning("c")
    ctx.log_error("d")
    captured = capsys.readouterr()
    assert captured.out == "INFO: a\nINFO: b\n"
    assert captured.err == "WARNING: c\nERROR: d\n"


def test_a_notebook_is_never_a_dry_run(ctx):
    assert ctx.is_dry_run() is False
