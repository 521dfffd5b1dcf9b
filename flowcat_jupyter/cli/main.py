"""Parse, run, print; one clear line when it fails."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Sequence

from flowcat_jupyter.cli import commands, output
from flowcat_jupyter.cli.parser import build_parser
from flowcat_jupyter.shared.errors import FlowcatError

INTERRUPTED = 130
BROKEN_PIPE = 141


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0, 1 when it failed, 2 when misused."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments[:1] == ["lab"]:
        return commands.lab(arguments[1:])
    options = build_parser().parse_args(arguments)
    try:
        answer = asyncio.run(commands.run(options))
        sys.stdout.write(output.render(answer, as_json=options.json))
        sys.stdout.flush()
        return answer.exit_code
    except FlowcatError as error:
        sys.stderr.write(_failure(error, as_json=options.json))
        return 1
    except KeyboardInterrupt:
        sys.stderr.write("flowcat: interrupted\n")
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of our output is gone; nothing of it is left to be flushed at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE


def _failure(error: FlowcatError, *, as_json: bool) -> str:
    if as_json:
        return json.dumps({"error": error.to_wire()}) + "\n"
    place = f" (line {error.line}, column {error.column})" if error.line else ""
    condition = f" [{error.condition}]" if error.condition else ""
    hint = f" {error.hint}" if error.hint else ""
    end = "" if error.message.endswith((".", "!", "?", ":")) or not hint else "."
    return f"flowcat: {error.message}{end}{hint}{place}{condition}\n"
