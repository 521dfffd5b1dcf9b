"""Which rows a delimited file has, and what happens to those that do not fit."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from flowcat_jupyter.formats import csv_blocks
from flowcat_jupyter.formats.csv_blocks import Blocks
from flowcat_jupyter.formats.csv_careful import Dialect
from flowcat_jupyter.formats.csv_plain import Marks, read_plain
from flowcat_jupyter.formats.csv_records import Records
from flowcat_jupyter.formats.files_rejects import BadRows
from flowcat_jupyter.shared.errors import Invalid

ReadText = Callable[..., Any]

RAGGED = 'a,b\n1,x\n1,2,3\n4\n5,5" pipe\n6,"y"z\n7,"never closed\n8,last\n'


class TestBadRows:
    def test_the_import_stops_and_names_the_lines(self, read: ReadText) -> None:
        with pytest.raises(Invalid) as caught:
            read(RAGGED)
        for told in ("4 rows", "line 3: 3 fields", "line 4: 1 field ", "line 6: a stray quote"):
            assert told in caught.value.message
        assert "line 7: a quote is never closed" in caught.value.message
        assert "skip" in (caught.value.hint or "")

    def test_skipped_rows_and_loaded_rows_are_all_rows(self, read: ReadText) -> None:
        found = read(RAGGED, bad_rows="skip")
        assert found.rows == [(1, "x"), (5, '5" pipe'), (8, "last")]
        assert found.reading.rows + found.reading.rejected == len(RAGGED.splitlines()) - 1
        assert "Of 7 rows, 4 rows do not fit" in found.warnings
        assert "Line 3: 1,2,3" in found.reading.all_warnings()

    def test_only_the_first_ten_lines_are_listed(self, read: ReadText) -> None:
        with pytest.raises(Invalid, match=r"25 rows do not fit .*line 12: .*; and 15 more\)"):
            read("a,b\n1,2\n" + "1\n" * 25)

    def test_an_open_quote_does_not_take_the_rest_of_the_file(self, read: ReadText) -> None:
        lines = [f"{i},x" for i in range(5000)]
        lines[10] = '10,"x'
        found = read("\n".join(["a,b", *lines]), bad_rows="skip")
        assert len(found.rows) == 4999
        (first,) = found.reading.bad[0].first
        assert (first.line, first.reason) == (12, "a quote is never closed")

    def test_an_open_quote_met_by_another_gives_up_one_line(self, read: ReadText) -> None:
        found = read('a,b\n1,"x\n2,y\n3,"z"\n', bad_rows="skip")
        assert found.column("a") == [2, 3]

    def test_a_file_of_bad_rows_only_still_says_which(self, read: ReadText) -> None:
        with pytest.raises(Invalid, match="line 2: 3 fields instead of 2"):
            read("a,b\n1,2,3\n")


class TestLines:
    def test_line_ends_inside_quotes_belong_to_the_value(self, read: ReadText) -> None:
        found = read('a,b\n"x\ny",1\n"p\r\nq",2\n')
        assert found.rows == [("x\ny", 1), ("p\r\nq", 2)]

    @pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
    @pytest.mark.parametrize("last", [True, False])
    def test_any_line_end_will_do_and_the_last_may_lack_it(
        self, end: str, last: bool, read: ReadText
    ) -> None:
        text = end.join(["a,b", "1,x", "2,y"]) + (end if last else "")
        assert read(text).rows == [(1, "x"), (2, "y")]

    def test_blank_lines_are_no_rows_and_are_told(self, read: ReadText) -> None:
        found = read("\n\na,b\n1,2\n\n3,4\n\n")
        assert found.rows == [(1, 2), (3, 4)]
        assert "Blank lines are no rows: there are 2." in found.warnings

    def test_a_nul_byte_is_kept(self, read: ReadText) -> None:
        assert read(b"a,b\nx\0y,1\n").rows == [("x\0y", 1)]

    def test_separators_that_only_python_calls_line_ends_are_text(self, read: ReadText) -> None:
        text = "a\u2028b\x85c\x0bd\x1ce"
        assert read(f'x,y\n{text},1\n"{text}",2\n').column("x") == [text, text]


class TestHeader:
    def test_repeated_and_empty_names_are_made_unique_and_told(self, read: ReadText) -> None:
        found = read(" x ,X,x,,x_2\n1,2,3,4,5\n")
        assert found.names == ["x", "X_3", "x_4", "column_4", "x_2"]
        assert "Column 2" in found.warnings
        assert "Column 4 has no name" in found.warnings

    def test_numbers_in_the_first_row_mean_that_there_is_no_header(self, read: ReadText) -> None:
        found = read("1,x\n2,y\n")
        assert found.reading.options["header"] == "false"
        assert found.names == ["column_1", "column_2"]
        assert "set the option header to true" in found.warnings
        assert len(found.rows) == 2

    def test_the_header_option_decides(self, read: ReadText) -> None:
        assert read("1,x\n2,y\n", header="true").names == ["1", "x"]
        assert len(read("a,b\nc,d\n", header="false").rows) == 2

    def test_a_line_end_in_a_name_becomes_a_space(self, read: ReadText) -> None:
        assert read('"total\namount",b\n1,2\n').names == ["total amount", "b"]

    def test_names_kept_for_the_catalog_are_refused(self, read: ReadText) -> None:
        with pytest.raises(Invalid, match="kept for the catalog"):
            read("__flowcat_row,b\n1,2\n")

    @pytest.mark.parametrize("text", ["a,b\n", "a,b", "a"])
    def test_a_header_alone_is_refused(self, text: str, read: ReadText) -> None:
        with pytest.raises(Invalid, match="holds a header and no rows"):
            read(text)


class TestDialect:
    @pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
    def test_the_delimiter_is_found(self, delimiter: str, read: ReadText) -> None:
        text = f'name{delimiter}note\nx{delimiter}"a, b; c | d"\ny{delimiter}e\n'
        found = read(text)
        assert found.names == ["name", "note"]
        assert found.reading.options["delimiter"] == ("\\t" if delimiter == "\t" else delimiter)
        assert read(text, **found.reading.options).rows == found.rows

    def test_delimiters_inside_quotes_do_not_count(self, read: ReadText) -> None:
        assert read('a;b\n"1,2,3";x\n"4,5,6";y\n').names == ["a", "b"]

    def test_one_column_needs_no_delimiter(self, read: ReadText) -> None:
        assert read("name\nBob\nEve\n").rows == [("Bob",), ("Eve",)]

    @pytest.mark.parametrize("end", ["\n", "\r\n"])
    def test_the_separator_line_of_excel_is_obeyed(self, end: str, read: ReadText) -> None:
        found = read(end.join(["sep=|", "a,b|c", "p,q|x", "3|4|5"]), bad_rows="skip")
        assert found.rows == [("p,q", "x")]
        assert found.reading.bad[0].first[0].line == 4

    def test_commas_in_prose_are_no_delimiters(self, read: ReadText) -> None:
        assert read("name\nSmith, John\nDoe, Jane\nCher\n").names == ["name"]

    def test_any_character_may_delimit_or_quote_when_asked(self, read: ReadText) -> None:
        assert read("a~b\n1~'x~y'\n", delimiter="~", quote="'").rows == [(1, "x~y")]
        assert read('a,b\n1,"x"\n', quote="").rows == [(1, '"x"')]
        assert read("a\tb\n1\t2\n", delimiter="tab").rows == [(1, 2)]

    @pytest.mark.parametrize(
        ("options", "told"),
        [
            ({"delimeter": ";"}, "'delimeter' is not an option of csv files"),
            ({"delimiter": "::"}, "must be one character"),
            ({"delimiter": ""}, "must be one character"),
            ({"delimiter": '"'}, "cannot be the same"),
            ({"quote": "ab"}, "must be one character"),
            ({"header": "maybe"}, "header cannot be 'maybe'"),
            ({"decimal": ";"}, "decimal cannot be ';'"),
            ({"bad_rows": "drop"}, "bad_rows cannot be 'drop'"),
            ({"encoding": "rot13"}, "is not an encoding"),
            ({"encoding": "klingon"}, "is not an encoding"),
        ],
    )
    def test_options_that_mean_nothing_are_refused(
        self, options: dict[str, str], told: str, read: ReadText
    ) -> None:
        with pytest.raises(Invalid, match=told):
            read("a,b\n1,2\n", **options)

    def test_an_unknown_option_names_the_known_ones(self, read: ReadText) -> None:
        with pytest.raises(Invalid) as caught:
            read("a,b\n1,2\n", sep=";")
        assert "delimiter, quote, encoding, header" in (caught.value.hint or "")


TEXT = st.text(
    st.one_of(
        st.sampled_from(list(",;|\t\"'\r\n \0\u2028\x85é🙂")),
        st.characters(codec="utf-8", exclude_characters="\ufeff"),
    ),
    max_size=12,
)


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    rows=st.lists(st.tuples(TEXT, st.one_of(st.none(), TEXT)), min_size=1, max_size=8),
    delimiter=st.sampled_from([",", ";", "\t", "|"]),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
)
def test_whatever_text_was_written_is_read_back(
    rows: list[tuple[str, str | None]], delimiter: str, end: str, read: ReadText
) -> None:
    def cell(value: str | None) -> str:
        return "" if value is None else '"' + value.replace('"', '""') + '"'

    lines = [delimiter.join(map(cell, row)) for row in [("first", "second"), *rows]]
    found = read(
        end.join(lines),
        types={"first": "string", "second": "string"},
        delimiter=delimiter,
        header="true",
        encoding="utf-8",
        format="csv",
    )
    assert found.rows == rows


PLAIN = st.text(
    st.one_of(st.sampled_from(list('a\ufeff\0 é\n\r,"')), st.characters(codec="utf-8")), max_size=6
)


def written(value: str, quoted: bool) -> str:
    if quoted:
        return '"' + value.replace('"', '""') + '"'
    return "".join(char for char in value if char not in ',"\r\n')


def all_records(
    data: bytes, *, careful: bool, size: int, quote: str | None = '"'
) -> tuple[list[Any], list[Any], int, int]:
    stream = io.BytesIO(data)
    bad = BadRows()
    # A little at a time, so that records lie across blocks.
    blocks = Blocks(lambda _: stream.read(size))
    records = Records(blocks, Dialect(quote=quote), bad, careful=careful)
    rows = [row for batch in records.batches(2) for row in batch.frame.rows()]
    return (
        rows,
        [(item.line, item.reason, item.text) for item in bad.first],
        bad.count,
        records.blank,
    )


@settings(max_examples=400, deadline=None)
@given(
    lines=st.lists(
        st.one_of(
            st.lists(st.builds(written, PLAIN, st.booleans()), min_size=1, max_size=3).map(
                ",".join
            ),
            st.just("1,2"),
            st.text(st.sampled_from(list('a,"\r\n é')), max_size=8),
        ),
        min_size=1,
        max_size=12,
    ),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
    last=st.booleans(),
    size=st.sampled_from([3, 17, 1 << 20]),
    quote=st.sampled_from(['"', None, "'"]),
)
def test_the_fast_way_never_differs_from_the_careful_way(
    lines: list[str], end: str, last: bool, size: int, quote: str | None
) -> None:
    data = (end.join(lines) + (end if last else "")).encode()
    careful = all_records(data, careful=True, size=1 << 20, quote=quote)
    assert all_records(data, careful=False, size=size, quote=quote) == careful


def test_good_lines_between_awkward_ones_are_all_read(read: ReadText) -> None:
    lines = [
        f'{i},"a\nb{i}"' if i % 10 == 3 else "7" if i % 10 == 6 else f"{i},x" for i in range(5000)
    ]
    found = read("\n".join(["id,v", *lines]), bad_rows="skip")
    assert found.column("id") == [i for i in range(5000) if i % 10 != 6]
    assert found.column("v")[3] == "a\nb3"
    assert found.reading.rejected == 500
    assert found.reading.bad[0].first[1].line == 2 + 16 + 2


@pytest.mark.parametrize(
    ("block", "fast"),
    [
        ('"a",b\n"c""d",\n', True),
        ('"a,b",\r\n"",x', True),
        ('a"b,c\n', False),
        ('"a"b,c\n', False),
        ('"a\nb",c\n', False),
        ("a,b\n\nc,d\n", False),
        ("a,b\rc,d\n", False),
        ("a\n", False),
        ("a,b,c\n", False),
        ("\ufeffa,b\n", False),
    ],
)
def test_only_what_reads_one_way_is_read_the_fast_way(block: str, fast: bool) -> None:
    assert (read_plain(block.encode(), Marks(",", '"'), 2) is not None) == fast


@pytest.mark.parametrize("width", [2, 250, 251, 600])
def test_quoted_fields_are_counted_in_records_of_any_width(width: int) -> None:
    line = ",".join(['"a, ""b"""', *["c"] * (width - 1)])
    whole, short = f"{line}\n{line}\n", f"{line}\n{line[:-2]}\n"
    marks = Marks(",", '"')
    frame = read_plain(whole.encode(), marks, width)
    assert frame is not None
    assert frame.row(1) == ('a, "b"', *["c"] * (width - 1))
    assert read_plain(short.encode(), marks, width) is None
    # What one line has too many does not make up for what another lacks.
    assert read_plain(f"{short}{line},d\n".encode(), marks, width) is None


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_bad_line_leaves_the_quoted_ones_around_it(end: str, read: ReadText) -> None:
    rows = [(f'say "{i}", please', i) for i in range(200)]
    lines = [f'"say ""{i}"", please",{i}' for i in range(200)]
    lines.insert(100, '"one",2,"too many"')
    found = read(end.join(["a,b", *lines]), bad_rows="skip")
    assert found.rows == rows
    assert [item.line for item in found.reading.bad[0].first] == [102]


def test_blocks_join_without_a_seam(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read: ReadText
) -> None:
    monkeypatch.setattr(csv_blocks, "BLOCK_BYTES", 7)
    rows = [(str(i), f"v{i}" if i % 5 else f'q\n"{i},') for i in range(200)]
    out = io.StringIO(newline="")
    csv.writer(out, lineterminator="\n").writerows([("k", "v"), *rows])
    assert read(out.getvalue(), types={"k": "string"}).rows == rows


def test_a_nul_in_a_header_becomes_a_space(read: Callable[..., Any]) -> None:
    assert read("a\0b,c\n1,2\n").names == ["a b", "c"]
