"""JSON in its three shapes, and the types its values are given."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flowcat_jupyter.formats import files_json, json_objects
from flowcat_jupyter.formats.files import read_files
from flowcat_jupyter.shared.errors import Invalid, NotFound
from flowcat_jupyter.shared.types import MAX_DEPTH

ReadText = Callable[..., Any]


def lines(*rows: object) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


class TestShapes:
    @pytest.mark.parametrize(
        ("text", "format"),
        [
            ('[{"a":1},{"a":2}]', "json"),
            ('\n [\n {"a":1}\n,\n{"a":2}\n]\n', "json"),
            ('{"a":1}\n{"a":2}\n', "ndjson"),
            ('{"a":1}\r\n\r\n{"a":2}', "ndjson"),
        ],
    )
    def test_rows_come_from_arrays_and_from_lines(
        self, text: str, format: str, read: ReadText
    ) -> None:
        found = read(text)
        assert found.reading.format == format
        assert found.rows == [(1,), (2,)]

    def test_one_object_is_one_row(self, read: ReadText) -> None:
        found = read('{\n "a": 1,\n "b": {"c": true}\n}\n')
        assert found.rows == [(1, {"c": True})]

    @pytest.mark.parametrize("text", ["[]", "{}", "[{}]", "{}\n{}\n"])
    def test_no_keys_at_all_are_refused(self, text: str, read: ReadText) -> None:
        with pytest.raises(Invalid, match="no objects that have keys"):
            read(text)

    @pytest.mark.parametrize(
        ("text", "told"),
        [
            ('[{"a":1},\n3]', "line 2: a number where an object was expected"),
            ('[{"a":1}\n{"a":2}]', "Line 2: a comma or ] was expected"),
            ('[{"a":1},\n{"a":', "Line 2: not JSON"),
            ('[{"a":1}', "the end of the file"),
            ('[{"a":1}]\n[', "Line 2: there is more after the end"),
            ("[1,2]", "a number where an object"),
            ('[{"a":' + "[" * 100_000, "nested too deeply|not JSON"),
        ],
    )
    def test_what_is_wrong_with_an_array_is_told_with_its_line(
        self, text: str, told: str, read: ReadText
    ) -> None:
        with pytest.raises(Invalid, match=told):
            read(text)

    def test_elements_that_are_no_objects_may_be_skipped(self, read: ReadText) -> None:
        found = read('[{"a":1},\n3,\n{"a":2,"a":3},{"a":4}]', bad_rows="skip")
        assert found.rows == [(1,), (4,)]
        assert (found.reading.rows, found.reading.rejected) == (2, 2)
        assert [(item.line, item.text) for item in found.reading.bad[0].first] == [
            (2, "3"),
            (3, '{"a":2,"a":3}'),
        ]

    def test_values_that_do_not_fit_may_be_skipped_or_kept_as_text(self, read: ReadText) -> None:
        text = '{"a":1,"b":"x"}\n{"a":"y","b":"z"}\n'
        found = read(text, types={"a": "int"}, bad_rows="skip")
        assert (found.rows, found.reading.rejected) == ([(1, "x")], 1)
        assert found.reading.bad[0].first[0].text == '{"a": "y", "b": "z"}'
        assert read(text, types={"a": "int"}, bad_rows="text").column("a") == ["1", "y"]

    def test_an_array_is_parsed_in_pieces(
        self, monkeypatch: pytest.MonkeyPatch, read: ReadText
    ) -> None:
        monkeypatch.setattr(json_objects, "BLOCK_CHARS", 7)
        monkeypatch.setattr(files_json, "CHUNK_ROWS", 10)
        rows = [{"n": i, "s": "x" * (i % 40)} for i in range(100)]
        assert read(json.dumps(rows, indent=1)).rows == [(r["n"], r["s"]) for r in rows]


class TestBadLines:
    TEXT = '{"a":1}\n{"a":\n[1]\n{"a":"\\ud800"}\n{"a":2}\n'

    def test_the_import_stops_and_names_the_lines(self, read: ReadText) -> None:
        with pytest.raises(Invalid) as caught:
            read(self.TEXT)
        for told in ("line 2: not JSON", "line 3: an array where", "line 4: half of a surrogate"):
            assert told in caught.value.message

    def test_skipped_lines_and_loaded_lines_are_all_lines(self, read: ReadText) -> None:
        found = read(self.TEXT, bad_rows="skip")
        assert found.rows == [(1,), (2,)]
        assert found.reading.rows + found.reading.rejected == 5

    @pytest.mark.parametrize("number", ["1e400", "-1E+309", "9" * 309 + ".5"])
    @pytest.mark.parametrize("shape", ['[{{"a":{}}}]', '{{"a":{}}}\n{{"a":1.5}}\n'])
    def test_a_number_beyond_every_double_is_refused_and_not_infinite(
        self, number: str, shape: str, read: ReadText
    ) -> None:
        with pytest.raises(Invalid, match="larger than any"):
            read(shape.format(number))

    def test_large_exponents_that_a_double_holds_are_numbers(self, read: ReadText) -> None:
        assert read('{"a":1e300,"b":"1e999"}\n{"a":1.5,"b":"x"}\n').rows == [
            (1e300, "1e999"),
            (1.5, "x"),
        ]

    @pytest.mark.parametrize("line", ['{"a":1,"a":2}', '{"a" : 1, "a" : 2}', '{"b":{"a":1,"a":2}}'])
    def test_a_repeated_key_is_never_dropped_silently(self, line: str, read: ReadText) -> None:
        with pytest.raises(Invalid, match="line 2: the key 'a' is repeated"):
            read('{"a":1}\n' + line + "\n")


class TestColumns:
    def test_a_key_first_seen_late_is_a_column(self, read: ReadText) -> None:
        rows = [{"a": i} for i in range(100)] + [{"a": i, "b": i} for i in range(100)]
        found = read(lines(*rows))
        assert found.types == {"a": "int", "b": "int"}
        assert sum(value is not None for value in found.column("b")) == 100

    def test_a_key_seen_only_in_a_later_chunk_is_a_column(
        self, monkeypatch: pytest.MonkeyPatch, read: ReadText
    ) -> None:
        monkeypatch.setattr(files_json, "CHUNK_ROWS", 3)
        found = read(lines(*[{"a": 1}] * 10, {"b": "2024-01-01"}))
        assert found.types == {"a": "int", "b": "date"}
        assert found.column("b") == [None] * 10 + [date(2024, 1, 1)]

    def test_a_key_that_is_always_null_is_text_with_the_reason(self, read: ReadText) -> None:
        found = read('{"a":null,"b":1}\n')
        assert found.rows == [(None, 1)]
        assert found.types["a"] == "string"
        assert "no values" in found.reasons["a"]

    def test_keys_that_differ_only_by_case_are_told_apart(self, read: ReadText) -> None:
        found = read('{"id":1,"ID":2}\n{"id":3}\n')
        assert found.names == ["id", "ID_2"]
        assert found.rows == [(1, 2), (3, None)]
        assert "ID_2" in found.warnings

    def test_data_used_as_keys_are_refused(
        self, monkeypatch: pytest.MonkeyPatch, read: ReadText
    ) -> None:
        monkeypatch.setattr(files_json, "MAX_COLUMNS", 20)
        with pytest.raises(Invalid, match="more than 20 different keys"):
            read(json.dumps([{f"k{i}": i} for i in range(30)]))


class TestTypes:
    @pytest.mark.parametrize(
        ("values", "ddl", "expected"),
        [
            ([1, -2], "int", [1, -2]),
            ([2**31], "bigint", [2**31]),
            ([12345678901234567890], "decimal(20,0)", [Decimal(12345678901234567890)]),
            ([10**40], "string", [str(10**40)]),
            ([1, 2.5], "double", [1.0, 2.5]),
            ([2**53 + 1, 0.5], "string", [str(2**53 + 1), "0.5"]),
            ([True, None], "boolean", [True, None]),
            (["x", None], "string", ["x", None]),
            (["02134", "1"], "string", ["02134", "1"]),
            (["NA", "1"], "string", ["NA", "1"]),
            (["2024-01-31", None], "date", [date(2024, 1, 31), None]),
            (["2024-01-01T10:00:00Z"], "timestamp", [datetime(2024, 1, 1, 10, tzinfo=UTC)]),
            (["2024-01-31", "x"], "string", ["2024-01-31", "x"]),
            ([1, "a", True], "string", ["1", "a", "true"]),
            ([{"a": 1}, [1]], "string", ['{"a": 1}', "[1]"]),
            ([{}], "string", ["{}"]),
            ([[], [1, None]], "array<int>", [[], [1, None]]),
            ([[]], "array<string>", [[]]),
            ([[1, "a"]], "array<string>", [["1", "a"]]),
            ([[1, 2.5]], "array<double>", [[1.0, 2.5]]),
            (
                [{"a": 1}, {"b": [{"c": "é"}]}],
                "struct<a:int,b:array<struct<c:string>>>",
                [{"a": 1, "b": None}, {"a": None, "b": [{"c": "é"}]}],
            ),
            ([{"a": 1, "A": 2}], "string", ['{"a": 1, "A": 2}']),
            ([{"a\0b": 1}], "string", ['{"a\\u0000b": 1}']),
            (
                [{"n": 2**64}, {"n": None}],
                "struct<n:decimal(20,0)>",
                [{"n": Decimal(2**64)}, {"n": None}],
            ),
        ],
    )
    def test_a_key_gets_the_one_type_that_takes_all_its_values(
        self, values: list[Any], ddl: str, expected: list[Any], read: ReadText
    ) -> None:
        found = read(lines(*[{"k": 1, "x": value} for value in values]))
        assert found.types["x"] == ddl
        assert found.column("x") == expected

    @pytest.mark.parametrize(
        ("values", "told"),
        [
            ([1, "a"], "numbers and texts mixed; as JSON text"),
            ([{"a": 1}, [1]], "arrays and objects mixed; as JSON text"),
            ([10**40], "no numeric type keeps exactly"),
            ([{}], "without usable keys"),
            ([2**63], "beyond 64 bits"),
        ],
    )
    def test_the_reason_says_what_was_seen(
        self, values: list[Any], told: str, read: ReadText
    ) -> None:
        assert told in read(lines(*[{"x": value} for value in values])).reasons["x"]

    @pytest.mark.parametrize(
        ("value", "ddl", "expected"),
        [
            ("0.1234567890123456789", "string", "0.1234567890123456789"),
            ("-123456789.123456789e-5", "string", "-1234.56789123456789"),
            ("0.30000000000000004", "double", 0.30000000000000004),
            ("1000000000000000000.000", "double", 1e18),
            ("[0.1234567890123456789]", "array<string>", ["0.1234567890123456789"]),
            (
                '{"n": [0.1234567890123456789], "": null}',
                "string",
                '{"n": [0.1234567890123456789], "": null}',
            ),
        ],
    )
    @pytest.mark.parametrize("text", ['{{"x": {0}}}\n{{"x": null}}\n', '[{{"x": {0}}}]'])
    def test_digits_that_a_double_would_lose_are_kept(
        self, text: str, value: str, ddl: str, expected: Any, read: ReadText
    ) -> None:
        found = read(text.format(value))
        assert found.types["x"] == ddl
        assert found.column("x")[0] == expected

    def test_a_number_of_many_digits_is_a_decimal_when_asked(self, read: ReadText) -> None:
        found = read('{"x": 0.1234567890123456789}\n{"x": 1}\n', types={"x": "decimal(20,19)"})
        assert found.column("x") == [Decimal("0.1234567890123456789"), Decimal(1)]

    @pytest.mark.parametrize("depth", [51, 400])
    def test_what_is_deeper_than_types_go_is_text_inside(self, depth: int, read: ReadText) -> None:
        nested = '{"x":' * depth + "1" + "}" * depth
        found = read(nested + "\n" + nested + "\n")
        assert found.types["x"].count("struct<") == MAX_DEPTH - 1
        (value, _) = found.column("x")
        while isinstance(value, dict):
            (value,) = value.values()
        assert json.loads(value)["x"]

    @pytest.mark.parametrize("depth", [600, 900])
    def test_what_is_deeper_than_can_be_written_is_refused(
        self, depth: int, read: ReadText
    ) -> None:
        with pytest.raises(Invalid, match="line 1: nested too deeply"):
            read('{"x":' * depth + "1" + "}" * depth + '\n{"x": 1}\n')

    def test_a_nul_in_a_key_becomes_a_space(self, read: ReadText) -> None:
        assert read('{"a\\u0000b": 1}\n{"c": 1}\n').names == ["a b", "c"]

    def test_types_asked_are_read_from_the_text_of_the_value(self, read: ReadText) -> None:
        found = read(
            lines({"a": "7", "b": 1.5, "c": {"d": 1}, "e": 3}),
            types={"a": "int", "b": "decimal(5,2)", "c": "string", "e": "double"},
        )
        assert found.rows == [(7, Decimal("1.50"), '{"d": 1}', 3.0)]

    def test_a_value_that_does_not_fit_is_named_with_its_line(self, read: ReadText) -> None:
        with pytest.raises(Invalid, match="Line 2, column a: 'x' is not a value of type int"):
            read(lines({"a": "1"}, {"a": "x"}), types={"a": "int"})

    def test_a_column_that_is_not_there_is_named(self, read: ReadText) -> None:
        with pytest.raises(NotFound, match="no column z"):
            read(lines({"a": 1}), types={"z": "int"})

    def test_options_of_delimited_files_are_refused(self, read: ReadText) -> None:
        with pytest.raises(Invalid, match="'delimiter' is not an option of ndjson files"):
            read(lines({"a": 1}, {"a": 2}), delimiter=";")


SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text('ab\0\n"é🙂', max_size=5),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "b", "c"]), inner, max_size=3)
    ),
    max_leaves=6,
)


@settings(max_examples=150, deadline=None)
@given(rows=st.lists(st.fixed_dictionaries({"k": st.just(1), "x": VALUES}), min_size=2, max_size=5))
def test_any_json_can_be_read(rows: list[dict[str, Any]], tmp_path_factory: Any) -> None:
    path = tmp_path_factory.mktemp("json") / "any.ndjson"
    path.write_text(lines(*rows))
    with read_files([path]) as reading:
        found = [row for frame in reading.frames() for row in frame.iter_rows()]
    assert len(found) == len(rows)
    x = [column.name for column in reading.columns].index("x")
    exact = reading.columns[x].type in ("int", "bigint", "boolean")
    for row, values in zip(rows, found, strict=True):
        if exact or row["x"] is None or isinstance(row["x"], str):
            assert str(values[x]) == str(row["x"])
