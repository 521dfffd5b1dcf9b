import pytest
from hypothesis import given
from hypothesis import strategies as st

from flowcat_jupyter.shared.errors import Invalid, SqlError
from flowcat_jupyter.shared.names import TableName, check_name, name_key, quote


@pytest.mark.parametrize(
    "name", ["flights", "2024_sales", "naïve", "数量", "🙂", "order date", "it's", 'a"b', "x" * 255]
)
def test_ordinary_and_odd_names_are_kept_as_they_are(name):
    assert check_name(name) == name


@pytest.mark.parametrize(
    "name",
    [
        "",
        " lead",
        "trail ",
        "a.b",
        "a/b",
        "a\\b",
        "..",
        "a\0b",
        "a\nb",
        "zero\u200bwidth",
        "right\u202eleft",
        "half\ud800",
        "x" * 256,
        "__flowcat_row",
        "__FLOWCAT_x",
    ],
)
def test_names_that_could_mislead_are_refused_with_the_rule(name):
    with pytest.raises(Invalid) as caught:
        check_name(name, "table")
    assert caught.value.condition == "INVALID_IDENTIFIER"
    assert "cannot be the name of a table" in caught.value.message


def test_names_are_compared_without_case_and_in_one_normal_form():
    assert name_key("Flights") == name_key("FLIGHTS")
    assert name_key("e\u0301") == name_key("\u00e9")
    assert name_key("straße") == name_key("STRASSE")
    assert name_key("a") != name_key("b")


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("t", ("t",)),
        ("a.b.t", ("a", "b", "t")),
        (" a . b ", ("a", "b")),
        ("`a.b`.c", ("a.b", "c")),
        ('"a""b".`c``d`', ('a"b', "c`d")),
    ],
)
def test_dotted_names_are_read_quotes_and_all(text, parts):
    assert TableName.parse(text).parts == parts


@pytest.mark.parametrize("text", ["", ".", "a.", ".a", "a..b", "a.b.c.d", "`a", '"a".', "`a`b"])
def test_what_is_no_name_is_an_error(text):
    with pytest.raises(SqlError):
        TableName.parse(text)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a", "a"),
        ("_x1", "_x1"),
        ("default", "default"),
        ("select", "`select`"),
        ("1a", "`1a`"),
        ("a b", "`a b`"),
        ("a`b", "`a``b`"),
    ],
)
def test_only_names_that_need_it_are_quoted(name, text):
    assert quote(name) == text


@given(st.lists(st.text(min_size=1, max_size=12), min_size=1, max_size=3))
def test_every_quoted_name_reads_back(parts):
    parts = [part for part in (p.strip() for p in parts) if part] or ["t"]
    name = TableName(tuple(parts))
    assert TableName.parse(name.sql) == name
