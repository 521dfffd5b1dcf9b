import pytest

from flowcat_jupyter.shared.errors import Invalid
from flowcat_jupyter.shared.types import parse_type


@pytest.mark.parametrize(
    ("text", "ddl"),
    [
        ("INT", "int"),
        ("integer", "int"),
        ("LONG", "bigint"),
        ("varchar(10)", "string"),
        ("decimal", "decimal(10,0)"),
        ("DECIMAL(5)", "decimal(5,0)"),
        ("decimal( 38 , 10 )", "decimal(38,10)"),
        ("array<int>", "array<int>"),
        ("map<string, array<int>>", "map<string,array<int>>"),
        ("struct<a:int,b:struct<c:string>>", "struct<a:int,b:struct<c:string>>"),
        ("struct<a int>", "struct<a:int>"),
        ("struct<`odd name`:int>", "struct<`odd name`:int>"),
        ("struct<>", "struct<>"),
        ("timestamp_ntz", "timestamp_ntz"),
    ],
)
def test_types_have_one_spelling(text, ddl):
    assert parse_type(text).ddl == ddl
    assert parse_type(ddl).ddl == ddl


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nope",
        "int int",
        "decimal(0)",
        "decimal(39,2)",
        "decimal(5,6)",
        "decimal(",
        "decimal(a)",
        "array<int",
        "array<>",
        "map<string>",
        "struct<a>",
        "array<" * 60 + "int" + ">" * 60,
    ],
)
def test_what_is_no_type_is_an_error(text):
    with pytest.raises(Invalid) as caught:
        parse_type(text)
    assert caught.value.condition == "UNSUPPORTED_DATATYPE"


def test_kinds_of_types():
    assert parse_type("bigint").is_integer
    assert parse_type("decimal(3,1)").is_numeric
    assert not parse_type("string").is_numeric
    assert parse_type("array<int>").is_nested
