"""Real kernels, started from the kernelspec."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest
from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.manager import KernelManager
from jupyter_client.provisioning.factory import KernelProvisionerFactory
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbformat.v4 import new_code_cell, new_notebook

from flowcat_jupyter.kernel.tokens import kernel_tokens
from tests.support.flowcat_http import FakeFlowcat, echo

ROOT = Path(__file__).parents[3]
KERNELSPEC = ROOT / "flowcat_jupyter" / "_config" / "kernels" / "flowcat"
SLOW = """
import polars as pl
n = 300_000
slow = (
    pl.LazyFrame({"a": range(n)})
    .join(pl.LazyFrame({"b": range(n)}), how="cross")
    .filter(pl.col("a") * pl.col("b") % 7 == 3)
    .select(pl.len())
)
"""


@dataclass
class Kernel:
    manager: KernelManager
    client: BlockingKernelClient

    def send(self, code: str) -> str:
        return str(self.client.execute(code))

    def reply(self, message: str, seconds: float = 30) -> dict[str, Any]:
        end = time.monotonic() + seconds
        while True:
            reply = self.client.get_shell_msg(timeout=max(0.1, end - time.monotonic()))
            if reply["parent_header"].get("msg_id") == message:
                return dict(reply["content"])

    def run(self, code: str, **options: Any) -> dict[str, Any]:
        reply: dict[str, Any] = {"status": "aborted"}
        # A request that comes while the kernel drops those queued behind an error is dropped too.
        while reply["status"] == "aborted":
            reply = self.reply(self.client.execute(code, **options))
        return reply

    def value(self, expression: str) -> Any:
        """What a Python expression is in the kernel."""
        result = self.run("", user_expressions={"v": expression})["user_expressions"]["v"]
        assert result["status"] == "ok", result
        return ast.literal_eval(result["data"]["text/plain"])

    def interrupt(self) -> None:
        self.manager.interrupt_kernel()

    def stopped(self, message: str, seconds: float = 10) -> str:
        self.interrupt()
        return str(self.reply(message, seconds)["ename"])

    def is_usable(self) -> bool:
        return self.value("1 + 1") == 2


@pytest.fixture
def jupyter_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernelspec and the provisioner, as an installation has them."""
    shutil.copytree(KERNELSPEC, tmp_path / "share" / "kernels" / "flowcat")
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "share"))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    point = EntryPoint(
        "flowcat-provisioner",
        "flowcat_jupyter.kernel.provisioner:FlowcatProvisioner",
        "jupyter_client.kernel_provisioners",
    )
    factory = KernelProvisionerFactory.instance()
    monkeypatch.setitem(factory.provisioners, point.name, point)


@pytest.fixture
def start(jupyter_path: None) -> Iterator[Any]:
    started: list[Kernel] = []

    def start(
        env: dict[str, str] | None = None, name: str = "flowcat", parent: Any = None
    ) -> Kernel:
        manager = KernelManager(kernel_name=name, parent=parent)
        manager.start_kernel(
            env={**os.environ, **(env or {})}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        client = manager.blocking_client()
        client.start_channels()
        kernel = Kernel(manager, client)
        started.append(kernel)
        client.wait_for_ready(timeout=60)
        return kernel

    yield start
    for kernel in started:
        kernel.client.stop_channels()
        if kernel.manager.has_kernel:
            kernel.manager.shutdown_kernel(now=True)
        kernel.manager.context.destroy(linger=0)


def address_of(fake: FakeFlowcat) -> dict[str, str]:
    return {"FLOWCAT_URL": fake.url, "FLOWCAT_TOKEN": "kernel-token"}


def test_a_kernel_has_the_catalog_without_any_import(start, fake):
    kernel = start(address_of(fake))
    assert kernel.run("flowfile_ctx.write_catalog_table")["status"] == "ok"
    assert kernel.value("'flowfile_ctx' in get_ipython().run_line_magic('who_ls', '')") is False
    assert kernel.run("%%catalog_sql got\nSELECT '{x}', '$y'")["status"] == "ok"
    assert kernel.value("got['query'].item()") == "SELECT '{x}', '$y'\n"


def test_a_kernel_starts_without_any_of_the_heavy_libraries(start):
    kernel = start()
    heavy = "polars", "deltalake", "pandas", "pyarrow", "pydantic", "sqlglot", "jupyter_server"
    assert kernel.value(f"[m for m in {heavy} if m in __import__('sys').modules]") == []


def test_loading_the_extension_takes_no_time_worth_naming():
    code = (
        "import time, ipykernel.kernelapp\n"
        "from IPython.core.interactiveshell import InteractiveShell\n"
        "shell = InteractiveShell.instance()\n"
        "begin = time.process_time()\n"
        "shell.extension_manager.load_extension('flowcat_jupyter')\n"
        "print(time.process_time() - begin)\n"
    )
    env = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    times = [
        float(
            subprocess.run(  # noqa: S603
                [sys.executable, "-c", code], check=True, capture_output=True, cwd=ROOT, env=env
            ).stdout
        )
        for _ in range(4)
    ]
    assert min(times) < 0.03


def test_without_a_server_a_kernel_works_and_says_what_is_missing(start):
    kernel = start()
    reply = kernel.run("flowfile_ctx.list_catalogs()")
    assert reply["ename"] == "Unavailable"
    reply = kernel.run("%%catalog_sql\nSELECT 1")
    assert reply["ename"] == "SqlCellError"
    assert "FLOWCAT_URL" in "".join(reply["traceback"])
    assert kernel.is_usable()


def test_an_error_shows_the_users_lines_and_the_reason_alone(start, fake):
    kernel = start(address_of(fake))
    reply = kernel.run("def mine():\n    flowfile_ctx.read_catalog_table('no_such_table')\nmine()")
    assert reply["status"] == "error"
    shown = "\n".join(reply["traceback"])
    assert "mine()" in shown
    assert "no_such_table" in shown
    assert "flowcat_jupyter/" not in shown
    assert "direct cause" not in shown
    kernel.run("%unload_ext flowcat_jupyter")
    assert kernel.value("get_ipython().custom_exceptions") == ()


def test_without_a_server_an_address_that_was_given_is_kept(start):
    kernel = start(
        {"FLOWCAT_URL": "http://x/flowcat/", "FLOWCAT_TOKEN": "mine", "JUPYTERHUB_API_TOKEN": "h"}
    )
    assert kernel.value("__import__('os').environ['FLOWCAT_TOKEN']") == "mine"
    assert kernel.value("'JUPYTERHUB_API_TOKEN' in __import__('os').environ") is False


def test_run_all_stops_at_a_sql_cell_that_fails(jupyter_path, fake, monkeypatch):
    for name, value in address_of(fake).items():
        monkeypatch.setenv(name, value)
    book = new_notebook(
        cells=[
            new_code_cell("%%catalog_sql got\nSELECT 1"),
            new_code_cell("%%catalog_sql a b\nSELECT 1"),
            new_code_cell("print('never')"),
        ],
        metadata={"kernelspec": {"name": "flowcat", "display_name": "Python 3 (Flowcat)"}},
    )
    with pytest.raises(CellExecutionError, match="comes after the name"):
        NotebookClient(book, timeout=60).execute()
    assert "text/html" in book.cells[0].outputs[0].data
    assert book.cells[0].outputs[0].output_type == "execute_result"
    assert book.cells[2].outputs == []


class ServerApp(KernelManager):
    """Stands for the Jupyter server among a kernel manager's parents."""

    base_url, port, ip, sock, certfile, web_app = "/", 1, "", "", "", None


def test_a_kernels_token_survives_a_restart_and_ends_with_the_kernel(start):
    kernel = start(
        dict.fromkeys(
            ["FLOWCAT_TOKEN", "JUPYTERHUB_API_TOKEN", "JUPYTER_TOKEN", "JPY_API_TOKEN"], "secret"
        ),
        parent=ServerApp(),
    )
    environ = (
        "{k: v for k, v in __import__('os').environ.items() if 'TOKEN' in k or 'FLOWCAT' in k}"
    )
    before = kernel.value(environ)
    kernel_id = before["FLOWCAT_KERNEL_ID"]
    assert set(before) == {"FLOWCAT_URL", "FLOWCAT_TOKEN", "FLOWCAT_KERNEL_ID"}
    assert before["FLOWCAT_URL"] == "http://127.0.0.1:1/flowcat/"
    assert kernel_tokens.kernel_of(before["FLOWCAT_TOKEN"]) == kernel_id
    kernel.manager.restart_kernel(now=True)
    kernel.client.wait_for_ready(timeout=60)
    assert kernel.value(environ) == before
    assert kernel_tokens.kernel_of(before["FLOWCAT_TOKEN"]) == kernel_id
    kernel.client.stop_channels()
    kernel.manager.shutdown_kernel(now=True)
    assert kernel_tokens.kernel_of(before["FLOWCAT_TOKEN"]) is None


def test_an_interrupt_stops_the_query_on_the_server_and_leaves_the_kernel_usable(start, fake):
    kernel = start(address_of(fake))
    fake.answer = fake.block
    kernel.run("import polars")
    for presses in (1, 2):
        fake.stop.clear()
        message = kernel.send("%%catalog_sql got\nSELECT slow")
        assert fake.running.wait(20)
        pressed = time.monotonic()
        for _ in range(presses):
            kernel.interrupt()
            time.sleep(0.1)
        reply = kernel.reply(message)
        told = "Nothing was changed: the statement was cancelled."
        assert (reply["ename"], reply["evalue"]) == ("KeyboardInterrupt", told)
        assert len(reply["traceback"]) == 1, "and nothing of Python's"
        assert time.monotonic() - pressed < 3
        assert fake.stop.wait(5), "the server was told"
        assert kernel.is_usable()
    assert len(fake.cancelled) == 2
    assert kernel.value("'got' in globals()") is False
    fake.answer = echo
    assert kernel.run("%%catalog_sql got\nSELECT 1")["status"] == "ok"


def test_an_interrupt_tells_that_the_statement_was_done_all_the_same(start, fake):
    kernel = start(address_of(fake))
    fake.answer = fake.finish
    for code in ("%%catalog_sql got\nINSERT …", "flowfile_ctx.sql('INSERT …')"):
        fake.stop.clear()
        message = kernel.send(code)
        assert fake.running.wait(20)
        kernel.interrupt()
        reply = kernel.reply(message)
        told = "The statement was done before it could be stopped: 3 rows inserted."
        assert (reply["ename"], reply["evalue"]) == ("KeyboardInterrupt", told)
        assert "socket.py" not in "".join(reply["traceback"])
        assert kernel.is_usable()
    assert kernel.value("'got' in globals()") is False


@pytest.mark.parametrize("name", ["flowcat", "python3"])
def test_a_polars_query_stops_at_an_interrupt_in_every_cell(start, name):
    kernel = start(name=name)
    kernel.run("%load_ext flowcat_jupyter")
    kernel.run(SLOW)
    for gap in (None, 0.0, 0.3):
        message = kernel.send("slow.collect()")
        time.sleep(1.5)
        pressed = time.monotonic()
        kernel.interrupt()
        if gap is not None:
            time.sleep(gap)
            kernel.interrupt()
        assert kernel.reply(message, 10)["ename"] == "KeyboardInterrupt"
        assert time.monotonic() - pressed < 3
        assert kernel.is_usable()
    kernel.interrupt()
    assert kernel.is_usable(), "an interrupt between cells does nothing"


@pytest.mark.parametrize("rows", ["slow", "many"])
def test_an_interrupted_write_leaves_no_table(start, fake, rows):
    kernel = start(address_of(fake))
    kernel.run(SLOW + "side = pl.LazyFrame({'a': range(n)})\nmany = side.join(side, how='cross')")
    message = kernel.send(f"flowfile_ctx.write_catalog_table({rows}, 't')")
    time.sleep(2.5)
    assert kernel.stopped(message, 30) == "KeyboardInterrupt"
    assert fake.aborted == ["w0"]
    assert kernel.is_usable()
    message = kernel.send("while True: pass")
    time.sleep(1.2)
    assert kernel.stopped(message) == "KeyboardInterrupt"
    assert not list(fake.root.glob("*/_delta_log/*.json")), "nor does a later interrupt make one"


def test_an_interrupt_between_batches_never_commits_a_part(start, fake):
    kernel = start(address_of(fake))
    kernel.run(
        SLOW + "side = pl.LazyFrame({'a': range(20_000)})\nmany = side.join(side, how='cross')"
    )
    kernel.run("flowfile_ctx.write_catalog_table(pl.DataFrame({'a': [1], 'a_right': [2]}), 't')")
    message = kernel.send("flowfile_ctx.write_catalog_table(many, 't', write_mode='append')")
    time.sleep(1)
    assert kernel.stopped(message, 30) == "KeyboardInterrupt"
    time.sleep(1)
    assert [p.stem[-1] for p in fake.root.glob("*/_delta_log/*.json")] == ["0"]
    assert kernel.value("flowfile_ctx.read_catalog_table('t').collect().height") == 1
    message = kernel.send("slow.collect()")
    time.sleep(1.5)
    assert kernel.stopped(message) == "KeyboardInterrupt", "polars hears again"


def test_a_blocking_read_stops_at_an_interrupt_after_polars_is_imported(start):
    kernel = start()
    kernel.run("import os, polars; reading, _ = os.pipe()")
    message = kernel.send("os.read(reading, 1)")
    time.sleep(0.7)
    assert kernel.stopped(message) == "KeyboardInterrupt"


def test_python_code_stops_at_every_interrupt_also_while_it_handles_one(start):
    kernel = start()
    message = kernel.send("try:\n while True: pass\nexcept KeyboardInterrupt:\n while True: pass")
    time.sleep(1.3)
    kernel.interrupt()
    time.sleep(1.3)
    assert kernel.stopped(message) == "KeyboardInterrupt"
    assert kernel.is_usable()


def test_a_flood_of_interrupts_never_loses_a_reply(start):
    kernel = start()
    kernel.run("import time")
    for _ in range(5):
        message = kernel.send("while True: time.sleep(0.01)")
        time.sleep(0.4)
        for _ in range(20):
            kernel.interrupt()
            time.sleep(0.004)
        assert kernel.reply(message, 10)["ename"] == "KeyboardInterrupt"
        assert kernel.is_usable()


def test_a_cell_that_runs_others_can_be_interrupted_to_its_end(start):
    kernel = start()
    message = kernel.send("get_ipython().run_cell('1 + 1')\nwhile True: pass")
    time.sleep(1.2)
    assert kernel.stopped(message) == "KeyboardInterrupt"


def test_the_cell_that_imports_polars_can_be_interrupted_in_a_query(start, fake):
    kernel = start(address_of(fake))
    fake.answer = fake.block
    message = kernel.send("import polars\nflowfile_ctx.sql('SELECT slow')")
    assert fake.running.wait(20)
    assert kernel.stopped(message) == "KeyboardInterrupt"


def test_unloading_gives_the_interrupt_back_to_the_kernel(start):
    kernel = start()
    kernel.run("%unload_ext flowcat_jupyter")
    message = kernel.send("while True: pass")
    time.sleep(0.7)
    assert kernel.stopped(message) == "KeyboardInterrupt"
    assert kernel.is_usable()
    kernel.interrupt()
    assert kernel.is_usable()


@pytest.mark.parametrize("change", ["load", "unload"])
def test_the_cell_that_loads_or_unloads_can_be_interrupted(start, change):
    kernel = start(name="python3" if change == "load" else "flowcat")
    message = kernel.send(f"%{change}_ext flowcat_jupyter\nwhile True: pass")
    time.sleep(1.5)
    assert kernel.stopped(message) == "KeyboardInterrupt"
    assert kernel.is_usable()
    kernel.interrupt()
    assert kernel.is_usable()
