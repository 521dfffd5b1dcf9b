"""Jobs that a test asks a real worker to do: misbehaviour on request, and an echo."""

from __future__ import annotations

import ctypes
import os
import re
import signal
import sys
import time

import numpy

from flowcat_jupyter.shared.errors import NotFound
from flowcat_jupyter.shared.registry import Registry
from flowcat_jupyter.shared.wire import InspectJob, PreviewImportJob
from flowcat_jupyter.worker.context import JobContext, WorkerRegistries

HOARD: list[object] = []


def registries() -> WorkerRegistries:
    jobs: Registry = Registry("job")
    jobs.register("preview_import", act)
    jobs.register("inspect", inspect)
    return WorkerRegistries(jobs, Registry("engine"), Registry("format"), ("json",))


def broken() -> WorkerRegistries:
    raise RuntimeError("no such luck")


def slow_start() -> WorkerRegistries:
    time.sleep(30)
    return registries()


def act(job: PreviewImportJob, context: JobContext):
    return ACTIONS[job.path](job.options, context)


def inspect(job: InspectJob, context: JobContext):
    time.sleep(float(job.source.location or 0))
    return {"pid": os.getpid(), "name": job.source.name}


def echo(options, context):
    return {"pid": os.getpid(), **options}


def sleep(options, context):
    began = time.monotonic()
    time.sleep(float(options["s"]))
    return {"pid": os.getpid(), "began": began, "ended": time.monotonic()}


def spin(options, context):
    """Hold the interpreter's lock inside C for ages."""
    re.match(r"(a+)+$", "a" * 60 + "b")


def grow(options, context):
    blocks = []
    while True:
        blocks.append(numpy.ones(4 << 20))


def polars_join(options, context):
    import polars

    frame = polars.DataFrame({"k": [1] * 60_000})
    return {"rows": frame.join(frame, on="k").height}


def hoard(options, context):
    HOARD.append(numpy.ones(int(options["mb"]) << 17))
    return {"pid": os.getpid()}


def far_date(options, context):
    import polars as pl

    return pl.Series([2**31 - 1], dtype=pl.Int32).cast(pl.Date).to_list()


def far_instant(options, context):
    import polars as pl

    return pl.Series([2**63 - 1]).cast(pl.Datetime("us", "UTC")).to_list()


def memory_error(options, context):
    raise MemoryError


def exit_silently(options, context):
    os._exit(3)


def exit_talking(options, context):
    sys.stderr.write("first line\ncannot read /home/ada/secret.csv key=abc: disk on fire\n")
    sys.stderr.flush()
    os._exit(7)


def segfault(options, context):
    ctypes.string_at(0)


def killed(options, context):
    os.kill(os.getpid(), signal.SIGKILL)


def leave(options, context):
    raise SystemExit(1)


def bug(options, context):
    raise ZeroDivisionError("a private detail")


def missing(options, context):
    raise NotFound("table", "a.b", hint="Look again.")


def chatter(options, context):
    sys.stdout.write("noise" * 10_000)
    return "said"


def verbose(options, context):
    return "x" * (int(options["mb"]) << 20)


def progress(options, context):
    for done in range(1, 2001):
        context.progress(done, 2000, "rows", "reading")
    return "counted"


def environ(options, context):
    return {"env": dict(os.environ), "path": sys.path, "sid": os.getsid(0), "pid": os.getpid()}


def unsendable(options, context):
    return {"bad": object()}


ACTIONS = {
    item.__name__: item
    for item in (
        echo,
        sleep,
        spin,
        grow,
        polars_join,
        hoard,
        far_date,
        far_instant,
        memory_error,
        exit_silently,
        exit_talking,
        segfault,
        killed,
        leave,
        bug,
        missing,
        chatter,
        progress,
        verbose,
        environ,
        unsendable,
    )
}
