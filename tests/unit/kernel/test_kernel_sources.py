"""Data sources of a kernel's own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import polars as pl
import pytest

from flowcat_jupyter.formats.data_source import DataSource, DataSourceReader, DataSourceWriter
from flowcat_jupyter.kernel.sources import SOURCES
from flowcat_jupyter.shared.errors import AlreadyExists, Invalid


class Shelf(DataSource):
    """Rows kept by the name of a shelf."""

    shelves: ClassVar[dict[str, list[tuple[Any, ...]]]] = {}

    @classmethod
    def name(cls) -> str:
        return "shelf"

    def schema(self) -> str:
        return "id BIGINT, name STRING"

    @property
    def shelf(self) -> str:
        return self.options["path"] + self.options.get("SUFFIX", "")

    def exists(self) -> bool:
        return self.shelf in self.shelves

    def reader(self, schema: Any) -> DataSourceReader:
        rows = self.shelves[self.shelf]

        class Reader(DataSourceReader):
            def read(self, partition: Any) -> Iterator[Any]:
                return iter(rows)

        return Reader()

    def writer(self, schema: Any, overwrite: bool) -> DataSourceWriter:
        kept = [] if overwrite else self.shelves.get(self.shelf, [])
        shelf = self.shelf

        class Writer(DataSourceWriter):
            def write(self, iterator: Iterator[Any]) -> list[Any]:
                return [tuple(row) for row in iterator]

            def commit(self, messages: list[Any]) -> None:
                Shelf.shelves[shelf] = [*kept, *messages[0]]

        return Writer()


@pytest.fixture
def shelf(ctx: Any) -> Iterator[str]:
    Shelf.shelves.clear()
    yield ctx.register_data_source(Shelf)
    SOURCES.forget(Shelf)


FRAME = pl.DataFrame({"id": [1, 2], "name": ["a", None]})


def test_a_class_of_the_notebook_is_read_and_written(ctx: Any, shelf: str) -> None:
    assert shelf == "shelf"
    assert ctx.write(FRAME).format("SHELF").save("s") == 2
    assert ctx.write(FRAME).format("shelf").mode("append").save("s") == 2
    assert ctx.read.format("shelf").load("s").collect().rows() == [*FRAME.rows(), *FRAME.rows()]
    with pytest.raises(AlreadyExists):
        ctx.write(FRAME).format("shelf").mode("ErrorIfExists").save("s")
    assert ctx.write(FRAME).format("shelf").mode("ignore").save("s") == 0
    assert ctx.write(FRAME).format("shelf").options(suffix="2").save("s") == 2
    assert ctx.read.option("suffix", 2).format("shelf").load("s").collect().height == 2


def test_what_a_data_source_is_not_told_is_refused(ctx: Any, shelf: str) -> None:
    writer = ctx.write(FRAME).format(shelf)
    with pytest.raises(Invalid, match="not partitioned"):
        writer.partitionBy("id").save("s")
    with pytest.raises(Invalid, match="USING shelf") as caught:
        writer.saveAsTable("t")
    assert "from a kernel" in caught.value.message


def test_a_schema_takes_the_place_of_the_classes_own(ctx: Any, shelf: str) -> None:
    ctx.write(FRAME).format(shelf).save("s")
    frame = ctx.read.format(shelf).schema("i INT, n STRING").load("s").collect()
    assert frame.schema == {"i": pl.Int32, "n": pl.String}


def test_a_cell_that_is_run_again_registers_its_class_again(ctx: Any, shelf: str) -> None:
    again = type("Shelf", (Shelf,), {"schema": lambda _self: "key BIGINT, name STRING"})
    ctx.register_data_source(again)
    ctx.write(FRAME).format(shelf).save("s")
    assert ctx.read.format(shelf).load("s").collect().columns == ["key", "name"]


@pytest.mark.parametrize("taken", ["csv", "Delta", "EXCEL"])
def test_a_formats_name_is_not_taken(ctx: Any, taken: str) -> None:
    held = type("Bold", (Shelf,), {"name": classmethod(lambda _cls: taken)})
    with pytest.raises(AlreadyExists, match=taken):
        ctx.register_data_source(held)


def test_what_is_no_class_of_data_sources_is_refused(ctx: Any) -> None:
    with pytest.raises(Invalid, match="no class of data sources"):
        ctx.register_data_source(object())
    with pytest.raises(Invalid, match="'nowhere'"):
        ctx.read.format("nowhere")
