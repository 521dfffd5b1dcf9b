"""Every command and option of ``flowcat``."""

from __future__ import annotations

import argparse
from typing import Any

FORMATS = ("table", "json", "csv", "tsv", "ndjson", "markdown", "arrow", "parquet", "xlsx")


def build_parser() -> argparse.ArgumentParser:
    """The parser; each command's function name is its ``command``."""
    parser = argparse.ArgumentParser(
        prog="flowcat",
        description="Browse, query and fill a data catalog.",
        epilog="The catalog is the one in FLOWCAT_HOME, or with FLOWCAT_URL and FLOWCAT_TOKEN "
        "that of a running server.",
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    _start_commands(commands)
    _import_command(commands)
    _data_commands(commands)
    _file_commands(commands)
    return parser


def _start_commands(commands: Any) -> None:
    lab = commands.add_parser("lab", help="start JupyterLab", add_help=False)
    lab.add_argument("arguments", nargs=argparse.REMAINDER, help="passed on to jupyter lab")
    demo = _command(commands, "demo", "load the demo catalog")
    demo.add_argument("--remove", action="store_true", help="drop it instead")
    doctor = _command(commands, "doctor", "check the installation and the catalog")
    doctor.add_argument("--repair", action="store_true", help="mend what can be mended")
    doctor.add_argument(
        "--grace",
        type=float,
        metavar="SECONDS",
        help="take what nobody touched for so long for left over (3600; uploads 86400). "
        "0 is for a catalog that nothing else works on at this moment",
    )
    database = _command(commands, "db", "look at or upgrade the metadata database")
    database.add_argument("action", choices=("check", "upgrade"))


def _import_command(commands: Any) -> None:
    load = _command(commands, "import", "ingest files into a table")
    load.add_argument("files", nargs="+", metavar="FILE", help="a file, a folder or a pattern")
    load.add_argument("--table", metavar="C.S.T", help="catalog.schema.table")
    load.add_argument("--format", help="csv, json, parquet, excel …; found out when left away")
    load.add_argument("--option", action="append", default=[], metavar="K=V", help="of the format")
    load.add_argument("--type", action="append", default=[], metavar="COLUMN=TYPE")
    load.add_argument("--mode", choices=("error", "append", "overwrite", "upsert"), default="error")
    load.add_argument(
        "--key", action="append", default=[], metavar="COLUMN", help="of upsert: matches rows"
    )
    load.add_argument(
        "--accept-drift", action="store_true", help="although columns differ from the table's"
    )
    load.add_argument("--preview", action="store_true", help="show what would be done, do nothing")
    load.add_argument("--rejects", type=int, default=10, metavar="N", help="rejected lines to show")
    load.add_argument(
        "--no-remembered", action="store_true", help="leave out what is remembered of the files"
    )
    load.add_argument(
        "--forget", action="store_true", help="forget what is remembered of the files, do no more"
    )


def _data_commands(commands: Any) -> None:
    sql = _command(commands, "sql", "run statements")
    sql.add_argument("query", help="the statements; - reads them from standard input")
    sql.add_argument("--max-rows", type=int, default=None, metavar="N", help="0: no limit")
    sql.add_argument("--dialect", help="how the text is read: house, duckdb, postgres …")
    sql.add_argument("--engine")
    sql.add_argument("--catalog")
    sql.add_argument("--schema")
    sql.add_argument("--param", action="append", default=[], metavar="K=V", help="binds :K")
    sql.add_argument(
        "--dry-run",
        action="store_true",
        help="tell what one INSERT, UPDATE, DELETE or MERGE would change, and change nothing",
    )
    sql.add_argument("--format", choices=FORMATS, default="table")
    sql.add_argument("--output", metavar="FILE", help="instead of standard output")
    sql.add_argument(
        "--formula-safe",
        action="store_true",
        help="in csv and tsv, mark texts that a spreadsheet would compute by an apostrophe",
    )
    listing = _command(commands, "ls", "list catalogs, schemas or tables")
    listing.add_argument("name", nargs="?", default="", metavar="NAME")
    show = _command(commands, "show", "describe a table")
    show.add_argument("name", metavar="NAME")
    history = _command(commands, "history", "list a table's versions")
    history.add_argument("name", metavar="NAME")
    history.add_argument("--limit", type=int, default=50)


def _file_commands(commands: Any) -> None:
    convert = _command(commands, "convert", "turn .ipynb into .notebook.yaml, or back")
    convert.add_argument("source", metavar="IN")
    convert.add_argument("target", metavar="OUT")
    convert.add_argument("--force", action="store_true", help="overwrite OUT")


def _command(commands: Any, name: str, text: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        name, help=text, description=text[0].upper() + text[1:] + "."
    )
    parser.add_argument("--json", action="store_true", help="answer in JSON")
    return parser
