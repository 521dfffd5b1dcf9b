"""The template package, installed beside a real server: seen, read and written."""

from __future__ import annotations

import json
from pathlib import Path

from tests.server.extensions.conftest import Place
from tests.support.kernels import LiveKernel
from tests.support.live import LiveServer, flowcat


def test_what_packages_add_is_listed_and_whether_it_works(server: LiveServer) -> None:
    known = {item["name"]: item for item in server.get("extensions")["items"]}
    template = known["jsonl_demo"]
    assert template == {
        "kind": "data source",
        "name": "jsonl_demo",
        "target": "flowcat_template.jsonl:JsonLines",
        "distribution": "flowcat-template-extension",
        "version": "0.1.0",
        "state": "loaded",
        "reason": None,
    }
    assert known["broken"]["state"] == "failed"
    assert "broken-extension 3.1 cannot be used: ModuleNotFoundError" in known["broken"]["reason"]
    assert (known["delta"]["kind"], known["delta"]["state"]) == ("format", "built in")


def test_the_doctor_says_what_is_added_and_what_is_broken(place: Place, tmp_path: Path) -> None:
    done = flowcat(tmp_path, "doctor", "--json", PYTHONPATH=place.path)
    told = [f for f in json.loads(done.stdout)["findings"] if f["what"] == "extensions"]
    assert done.returncode == 1
    assert [finding["well"] for finding in told] == [True, False]
    assert "jsonl_demo (flowcat-template-extension 0.1.0)" in told[0]["detail"]
    assert "broken of broken-extension 3.1" in told[1]["detail"]


def test_a_kernel_reads_and_writes_it(kernel: LiveKernel, tmp_path: Path) -> None:
    folder = str(tmp_path / "visits")
    wrote = kernel.text(
        "frame = pl.DataFrame({'id': [1, 2], 'place': ['Oslo', None]})\n"
        f"where = {folder!r}\n"
        "print(flowfile_ctx.write(frame).format('jsonl_demo').save(where))\n"
        "print(flowfile_ctx.write(frame).format('JSONL_demo').mode('append').save(where))"
    )
    assert wrote.split() == ["2", "2"]
    read = "flowfile_ctx.read.format('jsonl_demo')"
    assert kernel.text(f"{read}.load(where).collect().rows()") == str(
        [(1, "Oslo"), (2, None), (1, "Oslo"), (2, None)]
    )
    declared = kernel.text(f"{read}.option('path', where).schema('id INT').load().collect().schema")
    assert "Int32" in declared
    failed = kernel.run(f"{read}.schema('place INT').load(where).collect()")
    assert failed["status"] == "error"
    assert "Column place of the data source jsonl_demo is int" in failed["evalue"]
