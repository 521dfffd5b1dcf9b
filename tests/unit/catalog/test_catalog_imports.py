"""Imports: what is remembered of a source, what drifted, and what is rejected."""

from __future__ import annotations

from dataclasses import replace

import pytest

from flowcat_jupyter.catalog.access import LOCAL, SYSTEM, Actor
from flowcat_jupyter.catalog.importing import REJECTS_KEPT, source_of
from flowcat_jupyter.catalog.services.imports import ImportTarget
from flowcat_jupyter.shared.errors import (
    Conflict,
    Forbidden,
    Invalid,
    NotFound,
)
from flowcat_jupyter.shared.wire import (
    Drift,
    DriftColumn,
    PreviewImportJob,
)
from tests.support.catalog import World
from tests.support.catalog_imports import (
    JUNE,
    MAY,
    PROPOSAL,
    counted,
    imported,
    last_job,
    lose,
    settled,
    spec,
)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ([MAY], [JUNE], True),
        (["/in/2024"], ["/in/2025/"], True),
        ([MAY, JUNE], ["/in/sales_2023-01.csv"], True),
        (["/in/a.csv", "/in/b.csv"], ["/in/b.csv", "/in/a.csv"], True),
        (["/in1/a.csv"], ["/in2/a.csv"], False),
        (["/in/sales_.csv"], [MAY], False),
        (["/in/*.csv"], ["/in/a.csv"], False),
    ],
)
def test_files_whose_names_differ_in_digits_are_of_one_source(
    one: list[str], other: list[str], same: bool
) -> None:
    assert (source_of(one) == source_of(other)) is same


async def test_what_an_import_was_told_is_where_the_next_of_its_source_begins(
    world: World,
) -> None:
    await world.schema()
    told = replace(spec(decimal=",", delimiter=";"), format="csv", types={"Zip": "string"})
    assert (await imported(world, told)).state == "succeeded"

    asked = replace(spec(JUNE, delimiter="|"), types={"zip": "int", "n": "bigint"})
    assert (await imported(world, asked)).state == "succeeded"

    job = last_job(world)
    assert job.format == "csv"
    assert job.options == {"decimal": ",", "delimiter": "|"}
    assert job.types == {"zip": "int", "n": "bigint"}
    assert job.paths == (JUNE,)


async def test_a_file_whose_name_is_no_text_is_imported_and_remembered(world: World) -> None:
    await world.schema()
    odd = "/in/caf\udce9_1.csv"
    assert (await imported(world, spec(odd, delimiter=";"))).state == "succeeded"
    assert last_job(world).paths == (odd,)
    assert await world.catalog().imports.forget(source_of([odd.replace("1", "22")])) == 1


async def test_a_preview_says_that_it_began_with_what_is_remembered(world: World) -> None:
    await world.schema()
    await imported(world, spec(delimiter=";"))
    imports = world.catalog().imports
    world.executor.proposals = [PROPOSAL] * 4

    seen = await imports.preview(spec(JUNE))
    assert seen.remembered
    job = world.executor.jobs[-1]
    assert isinstance(job, PreviewImportJob)
    assert job.options == {"delimiter": ";"}
    assert not (await imports.preview(spec(JUNE), use_remembered=False)).remembered
    assert (await imports.preview(replace(spec(JUNE), format="json"))).remembered
    assert not (await imports.preview(spec("/in/other.csv"))).remembered


async def test_what_was_said_of_one_format_is_not_said_of_another(world: World) -> None:
    await world.schema()
    await imported(world, replace(spec(delimiter=";"), format="csv"))
    world.executor.proposals = [PROPOSAL]

    seen = await world.catalog().imports.preview(replace(spec(JUNE), format="json"))

    assert not seen.remembered
    job = world.executor.jobs[-1]
    assert isinstance(job, PreviewImportJob)
    assert (job.format, job.options) == ("json", {})


async def test_what_does_not_suit_a_file_any_more_is_left_out_of_its_preview(
    world: World,
) -> None:
    await world.schema()
    await imported(world, replace(spec(), types={"gone": "int"}))
    world.executor.proposals = [NotFound("column", "gone"), PROPOSAL]

    seen = await world.catalog().imports.preview(spec(JUNE))

    assert not seen.remembered
    assert "There is no column gone" in seen.proposal.warnings[0]
    job = world.executor.jobs[-1]
    assert isinstance(job, PreviewImportJob)
    assert job.types == {}


async def test_an_import_that_fails_says_which_of_its_options_were_remembered(
    world: World,
) -> None:
    await world.schema()
    await imported(world, replace(spec(sheet="May"), types={"a": "int"}))
    world.executor.import_failure = NotFound("sheet", "May", hint="There are: June.")

    failed = (await imported(world, spec(JUNE))).error or {}

    assert failed["code"] == "NotFound"
    assert failed["message"].startswith("There is no sheet May. This was not given, but remembered")
    assert failed["message"].endswith(": sheet = 'May', the type of a.")
    assert failed["hint"].startswith("There are: June. If that no longer holds")
    assert "--forget" in failed["hint"]
    given = (await imported(world, replace(spec(JUNE, sheet="May"), types={"a": "int"}))).error
    assert given == NotFound("sheet", "May", hint="There are: June.").to_wire()


async def test_a_fault_of_what_was_asked_is_not_hidden(world: World) -> None:
    await world.schema()
    world.executor.proposals = [Invalid("no such option")]
    with pytest.raises(Invalid):
        await world.catalog().imports.preview(spec(wrong="1"))


async def test_memory_can_be_cleared_and_is_nobody_elses(world: World) -> None:
    _, schema = await world.schema()
    await imported(world, spec(delimiter=";"))
    world.grant(schema, world.group("all", "ann"), "manage")
    ann = world.catalog(Actor("ann")).imports
    world.executor.proposals = [PROPOSAL] * 3

    assert not (await ann.preview(spec(JUNE))).remembered
    assert await ann.forget(source_of([MAY])) == 0
    assert await ann.forget(None) == 0
    mine = world.catalog().imports
    assert (await mine.preview(spec(JUNE))).remembered
    assert await mine.forget(source_of([JUNE])) == 1
    assert not (await mine.preview(spec(JUNE))).remembered


async def test_nothing_is_remembered_of_an_import_that_failed_or_said_nothing(
    world: World,
) -> None:
    await world.schema()
    await imported(world, spec())
    world.executor.import_failure = Invalid("bad")
    assert (await imported(world, spec(delimiter=";"))).state == "failed"
    world.executor.import_failure = None
    run = await world.catalog().imports.start(
        ImportTarget("t", "append"), spec(delimiter=";"), remember=False
    )
    await settled(world, run.id)
    assert await world.catalog().imports.forget(None) == 0


async def test_leaving_faulty_lines_out_once_is_no_rule_for_the_next_delivery(world: World) -> None:
    await world.schema()
    await imported(world, spec(bad_rows="skip"))
    assert await world.catalog().imports.forget(None) == 0
    await imported(world, spec(bad_rows="skip", delimiter=";"))
    await imported(world, spec(JUNE))
    assert last_job(world).options == {"delimiter": ";"}


async def test_a_preview_shows_the_drift_from_a_table_that_is_there(world: World) -> None:
    await world.schema()
    table = await world.table("t")
    drift = Drift(added=(DriftColumn("new", "int"),))
    world.executor.proposals = [replace(PROPOSAL, drift=drift), PROPOSAL, PROPOSAL]
    imports = world.catalog().imports

    seen = await imports.preview(spec(), target=ImportTarget("t"))
    assert seen.proposal.drift == drift
    job = world.executor.jobs[-1]
    assert isinstance(job, PreviewImportJob)
    assert job.location == (await world.catalog().tables.get(table)).location

    for unfinished in ("main.defa", "a.b.c.d"):
        await imports.preview(spec(), target=ImportTarget(unfinished))
        job = world.executor.jobs[-1]
        assert isinstance(job, PreviewImportJob)
        assert job.location is None


async def test_an_upsert_needs_keys_and_hands_them_to_the_worker(world: World) -> None:
    await world.schema()
    table = await world.table("t")
    imports = world.catalog().imports
    for bad in (ImportTarget("t", "upsert"), ImportTarget("t", "append", ("id",))):
        with pytest.raises(Invalid):
            await imports.start(bad, spec())

    target = ImportTarget("t", "upsert", ("id",), accept_drift=True)
    run = await settled(world, (await imports.start(target, spec())).id)

    assert run.state == "succeeded"
    job = last_job(world)
    assert (job.mode, job.merge_keys, job.accept_drift) == ("upsert", ("id",), True)
    assert (job.base_version, (await world.catalog().tables.get(table)).delta_version) == (0, 1)
    run = await settled(world, (await imports.start(replace(target, table="new"), spec())).id)
    assert (run.state, last_job(world).mode) == ("succeeded", "create")


async def test_drift_that_nobody_accepted_ends_the_run_with_a_conflict(world: World) -> None:
    await world.schema()
    table = await world.table("t")
    fault = Conflict("The columns differ.", hint="Accept it.")
    world.executor.import_failure = fault
    done = await imported(world, spec())
    assert (done.state, done.error) == ("failed", fault.to_wire())
    assert (await world.catalog().tables.get(table)).delta_version == 0


async def test_rejected_lines_are_kept_with_their_run(world: World) -> None:
    _, schema = await world.schema()
    world.executor.outcome = {"loaded": 3, "rejected": 2, "lines": 5}
    run = await imported(world, spec())
    assert run.result is not None
    counts = {key: run.result[key] for key in ("rows_loaded", "rows_rejected", "lines")}
    assert counts == {"rows_loaded": 3, "rows_rejected": 2, "lines": 5}

    async with world.catalog().rejects.page(run.id, offset=0, limit=10, as_json=True) as page:
        assert page[1].total == 2
    world.grant(schema, world.group("all", "ann"), "manage")
    for other in (world.catalog(Actor("ann")), world.catalog()):
        run_id = run.id if other.actor.name == "ann" else run.id + 1
        with pytest.raises(NotFound):
            async with other.rejects.page(run_id, offset=0, limit=10, as_json=True):
                pass


async def test_a_run_that_stops_at_its_rejected_lines_keeps_them_too(world: World) -> None:
    await world.schema()
    world.executor.outcome = {"rejected": 2}
    world.executor.import_failure = Invalid("2 lines do not fit.")
    done = await imported(world, spec(), mode="error")

    assert done.state == "failed"
    assert done.result == {"rows_loaded": 0, "rows_rejected": 2}
    async with world.catalog().rejects.page(done.id, offset=0, limit=10, as_json=True) as page:
        assert page[1].total == 2
    assert (await world.catalog().tables.list()).total == 0


async def test_an_import_without_rejected_lines_leaves_no_record_of_any(world: World) -> None:
    await world.schema()
    run = await imported(world, spec())
    with world.begin(SYSTEM) as unit:
        assert unit.rejects.all() == ()
    with pytest.raises(NotFound):
        async with world.catalog().rejects.page(run.id, offset=0, limit=1, as_json=True):
            pass


async def test_rejected_lines_go_when_their_time_is_over(world: World) -> None:
    await world.schema()
    world.executor.outcome = {"rejected": 1}
    run = await imported(world, spec())
    rejects = world.catalog().rejects
    files = world.deps.rejects

    world.clock.forward(days=REJECTS_KEPT.days - 1)
    assert await rejects.sweep() == 0
    assert files.all() == (last_job(world).rejects,)
    world.clock.forward(days=2)
    assert await rejects.sweep() == 1
    assert files.all() == ()
    assert (await world.catalog().runs.get(run.id)).state == "succeeded"


async def test_the_doctor_finds_files_of_no_run_and_runs_without_their_file(world: World) -> None:
    await world.schema()
    world.executor.outcome = {"rejected": 1}
    for table in ("a", "b"):
        await imported(world, spec(), table)
    stray = lose(last_job(world))
    rejects = world.catalog().rejects

    strays = await rejects.strays()
    assert (strays.files, len(strays.missing)) == ((str(stray),), 1)
    assert await rejects.repair() == 2
    assert str(stray) not in world.deps.rejects.all()
    assert len(await rejects.strays()) == 0


async def test_files_of_tables_one_may_not_read_are_not_ones_to_import(world: World) -> None:
    _, schema = await world.schema()
    with world.begin(LOCAL, write=True) as unit:
        hidden = unit.securables.insert("table", schema, "secret", by="local", at=unit.now)
        unit.tables.insert(
            hidden, table_type="external", format="parquet", location="/allowed/secret"
        )
    ann = world.catalog(Actor("ann")).imports
    with pytest.raises(Forbidden):
        await ann.files(["/allowed/x.csv", "/allowed/secret/part.csv"])
    assert await ann.files(["/allowed/x.csv", "/allowed/x.csv"]) == ("/allowed/x.csv",)
    everything = await world.catalog().imports.files(["/allowed/secret/part.csv"])
    assert everything == ("/allowed/secret/part.csv",)


async def test_an_import_of_many_files_costs_no_more_statements_than_one_of_few(
    world: World,
) -> None:
    await world.schema()
    # What a first table's words add to the search is not the import's.
    await imported(world, replace(spec(delimiter=";"), paths=("/in/0.csv",)), "a b")
    counts = []
    for number, table in ((1, "a-b"), (2000, "b-a")):
        paths = tuple(f"/in/{n}.csv" for n in range(number))
        given = replace(spec(delimiter=";"), paths=paths)
        with counted(world) as statements:
            assert (await imported(world, given, table)).state == "succeeded"
        counts.append(len([s for s in statements if "lease" not in s]))
    assert counts[0] == counts[1]
