import pytest

from flowcat_jupyter.catalog.planning.cursor import Cursor, read_cursor


def at(text: str) -> Cursor:
    """The cursor at the bar, which is not part of the text."""
    position = text.index("|")
    return read_cursor(text.replace("|", "", 1), position)


def test_the_word_under_the_cursor_is_what_gets_replaced():
    cursor = at("SELECT car| FROM flights")
    assert (cursor.word, cursor.start, cursor.end) == ("car", 7, 10)
    assert cursor.scope == (("flights", ("flights",)),)
    assert not cursor.wants_relation


def test_after_from_a_relation_is_wanted():
    assert at("SELECT * FROM |").wants_relation
    assert at("SELECT * FROM fl|").wants_relation
    assert at("SELECT * FROM a x, |").wants_relation
    assert at("SELECT * FROM a JOIN demo.n|").wants_relation
    assert not at("SELECT * FROM a WHERE |").wants_relation
    assert not at("SELECT a, |").wants_relation
    assert at("DESCRIBE de|").wants_relation


def test_finished_parts_of_a_dotted_name_are_kept_apart():
    cursor = at("SELECT f.ca| FROM demo.nyc.flights AS f JOIN `odd name` o ON true")
    assert cursor.before == ("f",)
    assert cursor.word == "ca"
    assert cursor.scope == (("f", ("demo", "nyc", "flights")), ("o", ("odd name",)))
    assert at("SELECT * FROM demo.nyc.|").before == ("demo", "nyc")


def test_only_the_statement_with_the_cursor_counts():
    assert at("SELECT * FROM a; SELECT | FROM b; SELECT * FROM c").scope == (("b", ("b",)),)


@pytest.mark.parametrize("text", ["SELECT 'it| is'", "SELECT 'open |", "SELECT 1 -- no|te\n"])
def test_text_and_comments_are_left_alone(text):
    assert at(text).in_text


def test_a_semicolon_in_a_string_ends_no_statement():
    assert at("SELECT ';' , | FROM t").scope == (("t", ("t",)),)


def test_positions_count_utf_16_units():
    cursor = read_cursor("SELECT '🙂', ab", 15)
    assert (cursor.word, cursor.start, cursor.end) == ("ab", 13, 15)


def test_an_open_quote_is_a_word_being_typed():
    cursor = at("SELECT * FROM `my ta|")
    assert cursor.word == "my ta"
    assert cursor.wants_relation


def test_a_position_outside_the_text_is_its_end():
    assert read_cursor("SELECT a", 999).word == "a"
