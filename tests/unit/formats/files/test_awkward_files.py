"""Files that people really get, and what each must be read as.

`scripts/awkward_files.py` makes them.
"""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from flowcat_jupyter.formats.files import read_files
from flowcat_jupyter.shared.errors import FlowcatError

FOLDER = Path(__file__).parents[3] / "data" / "awkward"
NAMED = {"id": "int", "name": "string"}
JOSE = (1, "José")

# file, rows loaded, lines rejected, types, first row
READ: list[tuple[str, int, int, dict[str, str], tuple[Any, ...]]] = [
    ("ambiguous_days.csv", 2, 0, {"d": "string"}, ("01/02/2024",)),
    ("bad_elements.json", 2, 2, {"a": "int"}, (1,)),
    ("bad_lines.ndjson", 2, 3, {"a": "int"}, (1,)),
    ("beyond_38.csv", 1, 0, {"id": "string"}, ("9" * 39,)),
    ("blank_lines.csv", 2, 0, NAMED, (1, "a")),
    ("bom.csv", 2, 0, NAMED, JOSE),
    (
        "book.xlsx",
        2,
        0,
        {"id": "int", "day": "date", "code": "string", "total": "double", "share": "double"},
        (1, date(2024, 1, 1), "100", 1.5, None),
    ),
    ("cr_only.csv", 2, 0, NAMED, JOSE),
    ("crlf.csv", 2, 0, NAMED, JOSE),
    ("cyrillic.csv", 6, 0, {"город": "string", "n": "int"}, ("Москва и Санкт-Петербург", 1)),
    ("day_first.csv", 2, 0, {"d": "date"}, (date(2024, 12, 31),)),
    ("decimal_comma.csv", 2, 0, {"a": "int", "b": "double"}, (1, 2.5)),
    (
        "duplicate_names.csv",
        1,
        0,
        {"a": "int", "A_2": "int", "column_3": "int", "a_3": "int"},
        (1, 2, 3, 4),
    ),
    ("footer.csv", 2, 1, {"a": "int", "b": "int"}, (1, 2)),
    ("gzip_named.csv", 2, 0, NAMED, JOSE),
    (
        "html_names.csv",
        1,
        0,
        {"<img src=x onerror=alert(1)>": "string", "b": "int"},
        ("<b>1</b>", 2),
    ),
    ("huge.ndjson", 2, 0, {"id": "decimal(20,0)"}, (Decimal("12345678901234567890"),)),
    ("huge_int.csv", 2, 0, {"id": "decimal(20,0)"}, (Decimal("9223372036854775808"),)),
    ("late_key.ndjson", 151, 0, {"a": "int", "b": "int"}, (1, None)),
    ("late_marker.csv", 151, 0, {"x": "int"}, (7,)),
    ("late_text.csv", 151, 0, {"x": "string"}, ("7",)),
    ("late_type.csv", 151, 0, {"x": "double"}, (7.0,)),
    ("latin1.csv", 2, 0, NAMED, JOSE),
    ("leading_zeros.csv", 2, 0, {"zip": "string", "n": "int"}, ("02134", 1)),
    ("long_fraction.csv", 2, 0, {"x": "decimal(20,19)"}, (Decimal("0.1234567890123456789"),)),
    ("members.csv.gz", 2, 0, NAMED, (1, "a")),
    ("mixed.ndjson", 3, 0, {"a": "string"}, ("1",)),
    (
        "nested.ndjson",
        2,
        0,
        {"a": "struct<b:array<double>>", "c": "string", "d": "array<string>", "e": "date"},
        ({"b": [1.0, 2.5]}, None, None, None),
    ),
    ("no_header.csv", 2, 0, {"column_1": "int", "column_2": "string"}, (1, "x")),
    ("no_last_newline.csv", 2, 0, NAMED, JOSE),
    ("nul.csv", 1, 0, {"a": "string", "b": "int"}, ("x\0y", 1)),
    ("one.zip", 2, 0, NAMED, JOSE),
    ("one_object.json", 1, 0, {"a": "int", "b": "array<boolean>"}, (1, [True])),
    ("pipes.txt", 2, 0, {"a": "int", "b": "string"}, (1, "x,y")),
    ("plain.csv", 2, 0, NAMED, JOSE),
    ("plain.csv.bz2", 2, 0, NAMED, JOSE),
    ("plain.csv.xz", 2, 0, NAMED, JOSE),
    ("plain.csv.zst", 2, 0, NAMED, JOSE),
    ("quoted_numbers.csv", 2, 0, {"id": "int", "n": "double"}, (1, 2.5)),
    ("quotes.csv", 4, 2, {"a": "int", "b": "string"}, (1, 'x "y"')),
    ("ragged.csv", 2, 2, {"a": "int", "b": "string"}, (1, "x")),
    ("sep_line.csv", 1, 0, {"a": "int", "b": "int"}, (1, 2)),
    ("spaces.csv", 2, 0, {"a": "int", "b": "string"}, (1, " x")),
    *(
        (
            name,
            2,
            0,
            {"id": "bigint", "when": "date", "at": "string"},
            (1, date(2024, 1, 5), "10:30:00"),
        )
        for name in ("table.arrow", "table.arrows", "table.parquet", "table.parquet.gz")
    ),
    ("table.avro", 2, 0, {"id": "bigint", "when": "date"}, (1, date(2024, 1, 5))),
    ("tabs.csv", 2, 0, {"a": "int", "b": "string"}, (1, "x")),
    ("thousands.csv", 2, 0, {"n": "string", "m": "string"}, ("1,234", "1 234")),
    (
        "trailing_delimiter.csv",
        2,
        0,
        {"a": "int", "b": "int", "column_3": "string"},
        (1, 2, None),
    ),
    ("two.zip", 3, 0, {"id": "double", "name": "string", "extra": "string"}, (1.0, "a", None)),
    ("utf16.csv", 2, 0, NAMED, JOSE),
    ("utf16_no_bom.csv", 2, 0, NAMED, JOSE),
]
REFUSED = [
    ("cut.csv.gz", "damaged or was cut short"),
    ("cut.json", "not JSON"),
    ("empty.csv", "is empty"),
    ("header_only.csv", "a header and no rows"),
    ("image.csv", "a PNG image"),
]


@pytest.mark.parametrize(("name", "loaded", "rejected", "types", "first"), READ)
def test_an_awkward_file_is_read_as_what_it_is(
    name: str, loaded: int, rejected: int, types: dict[str, str], first: tuple[Any, ...]
) -> None:
    with read_files([FOLDER / name], options={"bad_rows": "skip"}) as reading:
        rows = [row for frame in reading.frames() for row in frame.iter_rows()]
        assert (reading.rows, reading.rejected) == (loaded, rejected)
        assert {column.name: column.type for column in reading.columns} == types
        assert (len(rows), rows[0]) == (loaded, first)
        assert reading.head(1).rows() == [first]
        assert all(found.reason.endswith(".") for found in reading.detected)
        assert set(reading.options) >= {found.option for found in reading.detected} - {
            "compression",
            "date_order",
        }


@pytest.mark.parametrize(("name", "told"), REFUSED)
def test_what_cannot_be_read_says_why(name: str, told: str) -> None:
    with pytest.raises(FlowcatError, match=told), read_files([FOLDER / name]):
        pass


def test_every_awkward_file_is_in_one_of_the_tables() -> None:
    assert {path.name for path in FOLDER.iterdir()} == {row[0] for row in [*READ, *REFUSED]}


@pytest.mark.parametrize("row", READ, ids=lambda row: row[0])
def test_the_options_and_types_of_a_proposal_take_the_same_reading_again(row: Any) -> None:
    with read_files([FOLDER / row[0]], options={"bad_rows": "skip"}) as found:
        options, rows = found.options, found.rows
    with read_files([FOLDER / row[0]], options=options) as again:
        assert (again.rows, again.options) == (rows, options)


def attempt(path: Path) -> None:
    try:
        with read_files([path], options={}) as reading:
            reading.head(5)
            reading.all_warnings()
            assert reading.rows >= 0
            if not reading.rejected:
                assert sum(frame.height for frame in reading.frames()) == reading.rows
    except FlowcatError as error:
        assert error.message


SMALL = sorted(path for path in FOLDER.iterdir() if path.stat().st_size < 20_000)


@settings(max_examples=300, deadline=None)
@given(content=st.one_of(st.binary(max_size=300), st.text(max_size=200).map(str.encode)))
@example(content=b"\xff\xff\xff\xff")
@example(content=b"ARROW1")
@example(content=b"Obj\x01\x04\x14avro.codec")
@example(content=b"PAR1PAR1")
@example(content=b"PK\x03\x04")
@example(content=b"\xd0\xcf\x11\xe0" + bytes(600))
@example(content=b"\xef\xbb\xbf")
@example(content=b"\xff\xfe")
@example(content=b"sep=,")
@example(content=b'"')
def test_any_bytes_give_a_proposal_or_a_clear_error(
    content: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / "any"
    path.write_bytes(content)
    attempt(path)


@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_a_damaged_file_gives_a_proposal_or_a_clear_error(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    content = bytearray(data.draw(st.sampled_from(SMALL)).read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(content)))
        cut = data.draw(st.integers(0, 8))
        content[at : at + cut] = data.draw(st.binary(max_size=8))
    path = tmp_path_factory.getbasetemp() / "damaged"
    path.write_bytes(bytes(content))
    attempt(path)


def test_the_workbook_tells_what_a_table_cannot_show() -> None:
    with read_files([FOLDER / "book.xlsx"]) as reading:
        told = "\n".join(reading.all_warnings())
        options = {found.option: found.value for found in reading.detected}
        assert options == {"sheet": "Data", "header_row": "3"}
        assert reading.choices["sheet"] == ("Empty", "Data", "Hidden")
    assert "above the names in row 3" in told
    assert re.search(r"1 cell holds an error .*column E", told)
    assert "merged (A1:D1)" in told
