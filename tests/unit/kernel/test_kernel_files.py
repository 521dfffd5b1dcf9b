"""Files in the kernel's own reach."""

from __future__ import annotations

import gzip
from datetime import date
from decimal import Decimal

import polars as pl
import pytest

from flowcat_jupyter.shared.errors import AlreadyExists, Invalid, NotFound

FRAME = pl.DataFrame({"id": [1, 2], "name": ["é;x", None], "x": [0.5, 1.5]})


@pytest.mark.parametrize("name", ["a.csv", "a.json", "a.ndjson", "a.jsonl", "a.parquet", "a.arrow"])
def test_each_format_reads_back_what_was_written(ctx, tmp_path, name):
    path = ctx.write(FRAME).save(tmp_path / name)
    read = ctx.read.load(path).collect()
    assert read.cast({"id": pl.Int64}).equals(FRAME)


def test_options_have_sparks_names_or_an_imports(ctx, tmp_path):
    path = tmp_path / "a.txt"
    ctx.write(FRAME).format("csv").option("sep", ";").option("nullValue", "NA").save(path)
    assert path.read_text().splitlines() == ["id;name;x", '1;"é;x";0.5', "2;NA;1.5"]
    reader = ctx.read.format("csv").option("sep", ";").option("nullValue", "NA")
    assert reader.load(path).collect().cast({"id": pl.Int64}).equals(FRAME)
    same = ctx.read.option("delimiter", ";").option("null_values", "NA").load(path)
    assert same.collect().equals(reader.load(path).collect())
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
    assert ctx.read.schema("code int").load(path).collect().rows() == [(7,)]
    with pytest.raises(NotFound):
        ctx.read.schema("nope int").load(path)


def test_without_a_header_a_schema_goes_by_place(ctx, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("1,x\n2,y\n")
    reader = ctx.read.option("header", False)
    frame = reader.schema("id bigint, name string").load(path).collect()
    assert frame.equals(pl.DataFrame({"id": [1, 2], "name": ["x", "y"]}))
    with pytest.raises(Invalid, match="2 columns"):
        reader.schema("id bigint").load(path)


def test_types_are_inferred_from_the_whole_file_as_in_an_import(ctx, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("v,zip,day\n" + "1,02134,01/02/2024\n" * 5000 + "x,10001,03/04/2024\n")
    assert set(ctx.read.load(path).collect_schema().dtypes()) == {pl.String}


def test_a_line_that_does_not_fit_is_refused_left_out_or_looked_at(ctx, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a,b\n1,2\n3\n4,5\n")
    with pytest.raises(Invalid, match="line 3"):
        ctx.read.load(path)
    for reader in (ctx.read.option("bad_rows", "skip"), ctx.read.option("mode", "DROPMALFORMED")):
        with pytest.warns(UserWarning, match="line 3"):
            frame = reader.load(path)
        assert frame.collect().rows() == [(1, 2), (4, 5)]
        assert frame.select("b").head(1).collect().rows() == [(2,)]
        assert frame.filter(pl.col("a") > 1).collect().rows() == [(4, 5)]
    rejects = ctx.read.rejects(path)
    assert rejects.columns == ["file", "line", "reason", "text"]
    assert rejects.rows()[0][:2] == ("a.csv", 3)
    assert rejects["text"].to_list() == ["3"]
    assert ctx.read.rejects(ctx.write(FRAME).save(tmp_path / "b.csv")).is_empty()


def test_folders_patterns_and_lists_of_files_are_one_frame(ctx, tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    for number in (1, 2):
        (folder / f"{number}.csv").write_text(f"a\n{number}\n")
    (folder / ".hidden.csv").write_text("a\n3\n")
    for place in (folder, folder / "*.csv", [folder / "1.csv", folder / "2.csv"]):
        assert ctx.read.load(place).collect()["a"].to_list() == [1, 2]
    for number in (1, 2):
        ctx.write(FRAME).save(folder / f"{number}.parquet")
    assert ctx.read.load(folder / "*.parquet").collect().height == 4
    with pytest.raises(NotFound):
        ctx.read.load(folder / "*.json")


def test_packed_files_are_known_by_what_they_are(ctx, tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(gzip.compress(b"a\n1\n2\n"))
    frame = ctx.read.load(path)
    assert frame.collect()["a"].to_list() == [1, 2]
    assert frame.collect()["a"].to_list() == [1, 2]


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
    assert ctx.read.load(path).collect().cast({"id": pl.Int64}).equals(FRAME)
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
        (lambda c, p: c.read.option("speed", 1).load(p / "a.csv"), "not an option of csv"),
        (lambda c, p: c.read.format("parquet").load(p / "a.csv"), "parquet"),
        (lambda c, p: c.read.option("header", "maybe").load(p / "a.csv"), "header"),
        (lambda c, p: c.read.option("inferSchema", "so").load(p / "a.csv"), "true or false"),
        (lambda c, p: c.read.option("mode", "PERMISSIVE").load(p / "a.csv"), "DROPMALFORMED"),
        (lambda c, p: c.read.load([]), "no file"),
        (lambda c, p: c.read.schema("id nope").load(p / "a.csv"), "not a data type"),
        (lambda c, p: c.write(FRAME).save(p / "b.dat"), "not clear from its name"),
        (lambda c, p: c.write(FRAME).mode("upsert"), "no save mode"),
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
