import json

import pytest

from flowcat_jupyter.shared import wire, wire_rows

MESSAGES = [
    wire.QueryJob(
        wire.QueryPlan(
            tree='["a", {"b": 1}]',
            sources=(wire.Source("r1", "table", ("a", "b"), "delta", "/x", version=3),),
            headings=(None, "1 + 1"),
            text="SELECT 1",
            params={"d": {"date": "2024-01-01"}, "n": None},
        ),
        spool="/s",
        max_rows=None,
        max_bytes=1 << 40,
    ),
    wire_rows.RowsJob(
        out="/o", offset=0, limit=5, filters=(wire_rows.FilterTerm(0, "in", values=("x", None)),)
    ),
    wire.ResultInfo(
        columns=(wire.Column("a", "int", nullable=False, comment="🙂"),),
        row_count=1,
        truncated=False,
        engine="polars",
        used_tables=(wire.UsedTable(("a",), None),),
        warnings=("careful",),
        worker_ms=1.5,
    ),
]


@pytest.mark.parametrize("message", MESSAGES, ids=lambda m: type(m).__name__)
def test_a_message_survives_its_journey(message):
    assert wire.decode(json.loads(json.dumps(wire.encode(message)))) == message


def test_every_job_has_a_kind_of_its_own():
    names = {**vars(wire), **vars(wire_rows)}
    jobs = [kind for kind in names.values() if isinstance(kind, type) and kind is not wire.Job]
    kinds = [kind.kind for kind in jobs if issubclass(kind, wire.Job)]
    assert all(kinds)
    assert len(set(kinds)) == len(kinds)


def test_a_message_of_no_known_class_is_refused():
    with pytest.raises(KeyError):
        wire.decode({"@": "os.system"})
