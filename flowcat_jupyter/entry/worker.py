"""The process entry of a worker; only the worker pool starts it."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import cast

from flowcat_jupyter.worker import child
from flowcat_jupyter.worker.context import JobContext, Progress, WorkerRegistries
from flowcat_jupyter.worker.limits import limit_this_process


def main(argv: list[str] | None = None) -> None:
    """Run one worker until the server that started it is gone."""
    options = _parser().parse_args(argv)
    channel = child.open_channel(options.channel)
    child.die_with_parent(options.parent)
    # The server reads standard error; a library that prints must not find a closed pipe.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr)
    registries = _registries(options.registries)
    child.preload(registries.preload)
    limit_this_process(options.memory)
    child.serve(channel, registries.jobs, partial(_context, registries))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--channel", type=int, required=True, help="inherited socket")
    parser.add_argument("--parent", type=int, required=True, help="the server's process id")
    parser.add_argument("--memory", type=int, required=True, help="ceiling in bytes")
    parser.add_argument("--registries", required=True, help="module:function")
    return parser


def _registries(target: str) -> WorkerRegistries:
    module, _, attribute = target.partition(":")
    make = cast(Callable[[], WorkerRegistries], getattr(import_module(module), attribute))
    return make()


def _context(registries: WorkerRegistries, progress: Progress) -> JobContext:
    return JobContext(registries.engines, registries.formats, progress)


if __name__ == "__main__":
    main()
