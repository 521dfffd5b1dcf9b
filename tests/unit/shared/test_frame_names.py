"""Which ``:name`` in a text are frames, and which are values."""

from __future__ import annotations

import pytest

from flowcat_jupyter.shared.frame_names import NamedFrame, named_frames


@pytest.mark.parametrize(
    ("text", "frames"),
    [
        ("SELECT * FROM :df", "df"),
        ("select * from\n  : df -- FROM :no", "df"),
        ("SELECT :a FROM t JOIN :df d ON d.x = :v, :e WHERE x IN (:f, :g)", "df e"),
        ("SELECT ':no', `FROM :no`, \"FROM :no\" FROM /* FROM :no */ :yes", "yes"),
        ("SELECT extract(year FROM :d), trim(BOTH FROM :x), a IS DISTINCT FROM :y FROM :z", "z"),
        ("SELECT (SELECT 1 FROM :q), :r FROM (:s JOIN :t ON true), (SELECT :u FROM v)", "q s t"),
        (
            "SELECT x FROM t LEFT JOIN :a USING (k), :b ORDER BY x, :n; SELECT :c FROM d, :e",
            "a b e",
        ),
        ("WITH q AS (SELECT * FROM :a) SELECT * FROM q UNION ALL SELECT :n, 1 FROM :b", "a b"),
        ("EXPLAIN EXTENDED SELECT * FROM :df", "df"),
        ("SELECT a::int, b:c, s[1:n] FROM t", ""),
        ("SELECT 'it''s FROM :no' FROM :Ünï", "Ünï"),
        ("SELECT * FROM t WHERE x = (SELECT max(y) FROM :df WHERE y < :top)", "df"),
        ("))) FROM :df", "df"),
        ("", ""),
    ],
)
def test_a_frame_stands_where_a_table_may(text: str, frames: str) -> None:
    assert [named.name for named in named_frames(text)] == frames.split()


def test_a_frame_is_told_as_often_and_where_it_is_named() -> None:
    assert named_frames("FROM :a JOIN :a") == (NamedFrame("a", 5), NamedFrame("a", 13))


def test_a_long_text_is_read_in_time_that_grows_with_it() -> None:
    assert len(named_frames("SELECT * FROM :df, (" * 20_000)) == 20_000
