"""Facts, history and whole tables, through the registry of formats."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules

import polars as pl
import pytest

from flowcat_jupyter import shared
from flowcat_jupyter.formats.delta import DeltaFormat
from flowcat_jupyter.shared import wire
from flowcat_jupyter.shared.errors import NotFound
from flowcat_jupyter.worker.jobs import JOBS
from flowcat_jupyter.worker.jobs.inspect import run_history, run_inspect, run_stream
from flowcat_jupyter.worker.jobs.sources import open_source, open_sources, used_tables


def test_facts_and_history_survive_the_wire(context, delta_source):
    source = delta_source(pl.DataFrame({"a": [1, 2]}))
    facts = run_inspect(wire.InspectJob(source), context)
    assert (facts.row_count, facts.version, facts.data_files_version) == (2, 0, 0)
    history = run_history(wire.HistoryJob(source, 10), context)
    assert history.entries[0].version == 0
    for message in (facts, history):
        assert wire.decode(wire.encode(message)) == message


def test_a_format_nobody_has_is_not_found(context, delta_source):
    source = replace(delta_source(pl.DataFrame({"a": [1]})), format="hudi")
    with pytest.raises(NotFound, match="no format hudi"):
        run_inspect(wire.InspectJob(source), context)


def test_a_stream_is_the_whole_table_in_its_declared_types(tmp_path, context, delta_source):
    frame = pl.DataFrame(
        {"i": range(50_000), "s": ["ü"] * 50_000}, schema_overrides={"i": pl.Int32}
    )
    source = delta_source(frame)
    info = run_stream(wire.StreamJob(source, str(tmp_path / "out")), context)
    assert (info.row_count, info.total, info.version) == (50_000, 50_000, 0)
    assert pl.read_ipc(tmp_path / "out").equals(frame)


def test_one_table_named_twice_is_one_version_of_it(context, delta_source, tmp_path):
    first = delta_source(pl.DataFrame({"v": [1]}))

    class Racing:
        """Lets somebody else commit between any two openings."""

        def open(self, source):
            opened = DeltaFormat().open(source)
            DeltaFormat().write(
                pl.DataFrame({"v": [2]}),
                location=source.location,
                mode="append",
                base_version=None,
            )
            return opened

    context.formats.register("racing", Racing())
    one = replace(first, format="racing")
    two = replace(one, relation="r2")
    old = replace(first, relation="r3", version=0)
    scans = open_sources([one, two, old], context)
    assert scans["r1"].frame.collect().rows() == scans["r2"].frame.collect().rows() == [(1,)]
    used = used_tables([one, two, old], scans)
    assert used == (wire.UsedTable(first.name, 0),)


def test_an_inline_source_is_read_from_its_file(tmp_path, context):
    path = tmp_path / "x.arrow"
    pl.DataFrame({"u": [1]}, schema={"u": pl.UInt8}).write_ipc(path)
    source = wire.Source("r1", "inline", ("df",), "arrow", str(path))
    scan = open_source(source, context)
    assert scan.columns == (wire.Column("u", "smallint"),)
    assert used_tables([source], {"r1": scan}) == ()


def _below(kind: type[wire.Job]) -> Iterator[type[wire.Job]]:
    for below in kind.__subclasses__():
        yield below
        yield from _below(below)


def test_every_job_a_worker_can_be_asked_has_a_function():
    for found in iter_modules(shared.__path__, "flowcat_jupyter.shared."):
        import_module(found.name)
    kinds = {kind.kind for kind in _below(wire.Job)} - {""}
    assert kinds == set(JOBS)
    for target in JOBS.values():
        module, _, attribute = target.partition(":")
        if find_spec(module) and find_spec("flowcat_jupyter.engines.protocol"):
            assert callable(getattr(import_module(module), attribute))
