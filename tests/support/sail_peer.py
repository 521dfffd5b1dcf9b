"""Sail, another engine with Delta tables, run in a process of its own to be measured."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from tests.support.usage import Usage

_SCRIPT = """
import json, resource, sys, time
from pysail.spark import SparkConnectServer
from pyspark.sql import SparkSession
server = SparkConnectServer("127.0.0.1", 0)
server.start(background=True)
host, port = server.listening_address
spark = SparkSession.builder.remote(f"sc://127.0.0.1:{port}").getOrCreate()
spark.sql("SELECT 1").collect()
wall, cpu = time.perf_counter(), time.process_time()
for statement in json.loads(sys.argv[1]):
    if isinstance(statement, str):
        spark.sql(statement).collect()
    else:
        spark.read.format("delta").load(statement[0]).write.format("delta").mode("append").save(
            statement[1]
        )
wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
spark.stop()
server.stop()
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
print("measured", json.dumps([wall, cpu, int(peak.split()[1]) * 1024]))
"""


def sail(venv: Path, *statements: str | tuple[str, str]) -> Usage:
    """What Sail uses, once it has started, for statements; a pair is a table's folder whose rows
    are appended to another's.
    """
    done = subprocess.run(  # noqa: S603 - words of our own
        [str(venv / "bin" / "python"), "-c", _SCRIPT, json.dumps(statements)],
        capture_output=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    said = next(line for line in done.stdout.decode().splitlines() if line.startswith("measured "))
    return Usage(*json.loads(said.removeprefix("measured ")))


def sail_version(venv: Path) -> str:
    """What is installed."""
    (found,) = venv.glob("lib/python*/site-packages/pysail-*.dist-info")
    return found.name.removesuffix(".dist-info").partition("-")[2]
