"""What may stand at a place of a statement that need not be finished.

Only places are told that have words of their own; all others take what an expression takes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Kind = Literal["any", "relation", "schema", "catalog", "target column", "column", "keyword"]

MOST_WORDS = 4000
"""Characters of a statement's words that are looked at; a longer one is typed no more."""
GROUP = "#"
"""Stands for whatever is in closed parentheses, and for a finished CASE."""
_ENDS = {")": "(", "END": "CASE"}

_NAME = r"[^\s(),=]+"
_ALIAS = rf"(?: AS {_NAME}| (?!(?:AS|SET|USING|ON|WHERE)\b){_NAME})?"
_INSERT = r"INSERT (?:INTO|OVERWRITE)(?: TABLE)?"
_CREATE = r"CREATE(?: OR REPLACE)? TABLE(?: IF NOT EXISTS)?"
_CLAUSES = r"(?:(?! (?:AS|SELECT|WITH)\b).)*"
_DELETE = "DELETE FROM"
_MERGE = rf"MERGE INTO {_NAME}{_ALIAS}"
_THEN = r"(?: AND (?:(?!THEN\b).)*)? THEN"
_WHEN = "WHEN MATCHED THEN,WHEN NOT MATCHED THEN,WHEN NOT MATCHED BY SOURCE"
_QUERY = "SELECT,WITH,VALUES"
_KINDS = "(?:TABLE|VIEW|FUNCTION|SCHEMA)"
_VIEW = "CREATE (?:OR REPLACE )?(?:(?:GLOBAL )?TEMPORARY )?VIEW(?: IF NOT EXISTS)?"
_START = (
    "SELECT,WITH,INSERT INTO,INSERT OVERWRITE,UPDATE,DELETE FROM,MERGE INTO,CREATE TABLE,"
    "CREATE OR REPLACE TABLE,CREATE VIEW,CREATE OR REPLACE VIEW,CREATE TEMPORARY VIEW,"
    "CREATE FUNCTION,CREATE SCHEMA,ALTER TABLE,ALTER VIEW,COMMENT ON,DROP TABLE,DROP VIEW,"
    "DROP FUNCTION,DROP SCHEMA,TRUNCATE TABLE,OPTIMIZE,VACUUM,RESTORE TABLE,USE,DECLARE,"
    "SHOW TABLES,"
    "SHOW SCHEMAS,SHOW CATALOGS,SHOW COLUMNS,SHOW VIEWS,SHOW PARTITIONS,SHOW CREATE TABLE,"
    "SHOW FUNCTIONS,DESCRIBE,DESCRIBE HISTORY,DESCRIBE DETAIL,DESCRIBE SCHEMA,SET,RESET,EXPLAIN"
)

# The first that the whole of the words before the cursor matches counts.
_RULES: tuple[tuple[str, Kind, str], ...] = (
    (r"", "keyword", _START),
    (r"EXPLAIN", "keyword", "SELECT,WITH,EXTENDED"),
    (r"EXPLAIN EXTENDED", "keyword", "SELECT,WITH"),
    (r"INSERT", "keyword", "INTO,OVERWRITE"),
    (_INSERT, "relation", "TABLE"),
    (rf"{_INSERT} {_NAME}", "keyword", f"BY NAME,{_QUERY}"),
    (rf"{_INSERT} {_NAME} BY", "keyword", "NAME"),
    (rf"{_INSERT} {_NAME} (?:BY NAME|{GROUP})", "keyword", _QUERY),
    (rf"{_INSERT} {_NAME} \((?! (?:SELECT|WITH|VALUES)\b)[^(]*", "target column", ""),
    (
        r"CREATE",
        "keyword",
        "TABLE,VIEW,SCHEMA,FUNCTION,OR REPLACE TABLE,OR REPLACE VIEW,TEMPORARY VIEW",
    ),
    (r"CREATE OR", "keyword", "REPLACE TABLE,REPLACE VIEW,REPLACE TEMPORARY VIEW,REPLACE FUNCTION"),
    (r"CREATE OR REPLACE", "keyword", "TABLE,VIEW,TEMPORARY VIEW,FUNCTION"),
    (rf"CREATE {_KINDS} IF", "keyword", "NOT EXISTS"),
    (rf"CREATE {_KINDS} IF NOT", "keyword", "EXISTS"),
    (_VIEW, "schema", "IF NOT EXISTS"),
    (rf"{_VIEW} {_NAME}{_CLAUSES} AS", "keyword", _QUERY),
    (rf"{_VIEW} {_NAME}{_CLAUSES}", "keyword", "AS SELECT,AS,COMMENT"),
    (r"ALTER", "keyword", "TABLE,VIEW"),
    (r"ALTER (?:TABLE|VIEW)", "relation", ""),
    (
        rf"ALTER TABLE {_NAME}",
        "keyword",
        "ADD COLUMN,ADD CONSTRAINT,ALTER COLUMN,DROP COLUMN,DROP CONSTRAINT,RENAME COLUMN,"
        "RENAME TO,SET TBLPROPERTIES",
    ),
    (rf"ALTER VIEW {_NAME}", "keyword", "AS SELECT,RENAME TO,SET TBLPROPERTIES"),
    (r"COMMENT", "keyword", "ON"),
    (r"COMMENT ON", "keyword", "TABLE,COLUMN,SCHEMA,CATALOG"),
    (r"OPTIMIZE|VACUUM|RESTORE TABLE", "relation", ""),
    (rf"OPTIMIZE {_NAME}", "keyword", "ZORDER BY"),
    (rf"VACUUM {_NAME}", "keyword", "DRY RUN,RETAIN"),
    (rf"RESTORE(?: TABLE)? {_NAME}", "keyword", "TO VERSION AS OF,TO TIMESTAMP AS OF"),
    (r"CREATE OR REPLACE TABLE", "relation", ""),
    (_CREATE, "schema", "IF NOT EXISTS"),
    (rf"{_CREATE} {_NAME}{_CLAUSES} USING", "keyword", "DELTA"),
    (rf"{_CREATE} {_NAME}{_CLAUSES} PARTITIONED", "keyword", "BY"),
    (rf"{_CREATE} {_NAME}{_CLAUSES} PARTITIONED BY \([^(]*", "column", ""),
    (rf"{_CREATE} {_NAME}{_CLAUSES} AS", "keyword", _QUERY),
    (
        rf"{_CREATE} {_NAME}{_CLAUSES}",
        "keyword",
        "AS SELECT,AS,USING DELTA,PARTITIONED BY,COMMENT",
    ),
    (r"CREATE SCHEMA(?: IF NOT EXISTS)?", "catalog", "IF NOT EXISTS"),
    (rf"CREATE SCHEMA(?: IF NOT EXISTS)? {_NAME}", "keyword", "COMMENT"),
    (r"DROP", "keyword", "TABLE,VIEW,FUNCTION,SCHEMA"),
    (rf"DROP {_KINDS} IF", "keyword", "EXISTS"),
    (r"DROP (?:TABLE|VIEW)(?: IF EXISTS)?", "relation", "IF EXISTS"),
    (r"DROP SCHEMA(?: IF EXISTS)?", "schema", "IF EXISTS"),
    (rf"DROP SCHEMA(?: IF EXISTS)? {_NAME}", "keyword", "CASCADE"),
    (r"TRUNCATE", "keyword", "TABLE"),
    (r"TRUNCATE TABLE", "relation", ""),
    (r"DELETE", "keyword", "FROM"),
    (_DELETE, "relation", ""),
    (rf"{_DELETE} {_NAME}{_ALIAS}", "keyword", "WHERE,AS"),
    (r"UPDATE", "relation", ""),
    (rf"UPDATE {_NAME}{_ALIAS}", "keyword", "SET,AS"),
    (rf"UPDATE {_NAME}{_ALIAS} SET(?: (?:(?! WHERE\b)[^(])*,)?", "target column", ""),
    (r"MERGE", "keyword", "INTO"),
    (r"MERGE INTO", "relation", ""),
    (_MERGE, "keyword", "USING,AS"),
    (rf"{_MERGE} USING", "relation", ""),
    (rf"{_MERGE} USING {_NAME}{_ALIAS}", "keyword", "ON,AS"),
    (rf"{_MERGE} USING {_NAME}{_ALIAS} ON [^(]*", "any", f"{_WHEN} THEN"),
    # Of a MERGE with clauses the last one alone is left.
    (r"WHEN", "keyword", "MATCHED,NOT MATCHED,NOT MATCHED BY SOURCE"),
    (r"WHEN NOT", "keyword", "MATCHED,MATCHED BY SOURCE"),
    (r"WHEN MATCHED", "keyword", "THEN,AND"),
    (r"WHEN NOT MATCHED", "keyword", "THEN,AND,BY SOURCE,BY TARGET"),
    (r"WHEN NOT MATCHED BY", "keyword", "SOURCE,TARGET"),
    (r"WHEN NOT MATCHED BY (?:SOURCE|TARGET)", "keyword", "THEN,AND"),
    (rf"WHEN NOT MATCHED(?: BY TARGET)?{_THEN}", "keyword", "INSERT,INSERT *"),
    (rf"WHEN (?:NOT )?MATCHED(?: BY SOURCE)?{_THEN}", "keyword", "UPDATE SET,UPDATE SET *,DELETE"),
    (rf"WHEN .*{_THEN} UPDATE", "keyword", "SET,SET *"),
    (rf"WHEN [^(]*{_THEN} UPDATE SET(?: [^(]*,)?", "target column", ""),
    (rf"WHEN [^(]*{_THEN} INSERT \([^(]*", "target column", ""),
    (rf"WHEN .*{_THEN} INSERT {GROUP}", "keyword", "VALUES"),
    (r"WHEN [^(]*", "any", f"THEN,{_WHEN}"),
    (
        r"SHOW",
        "keyword",
        "TABLES,SCHEMAS,CATALOGS,COLUMNS,VIEWS,TABLE EXTENDED,TBLPROPERTIES,PARTITIONS,"
        "CREATE TABLE,FUNCTIONS,CURRENT SCHEMA",
    ),
    (r"SHOW (?:TABLES|SCHEMAS|COLUMNS|VIEWS|TABLE EXTENDED)", "keyword", "IN,LIKE"),
    (r"SHOW (?:TABLES|VIEWS|TABLE EXTENDED) (?:IN|FROM)", "schema", ""),
    (r"SHOW (?:TBLPROPERTIES|PARTITIONS|CREATE TABLE)", "relation", ""),
    (r"SHOW SCHEMAS (?:IN|FROM)", "catalog", ""),
    (r"SHOW COLUMNS (?:IN|FROM)", "relation", ""),
    (r"DESC(?:RIBE)?", "relation", "HISTORY,DETAIL,SCHEMA,EXTENDED,FUNCTION,QUERY"),
    (r"DESC(?:RIBE)? SCHEMA", "schema", ""),
    (r"DESC(?:RIBE)? (?:HISTORY|DETAIL|EXTENDED|TABLE)", "relation", ""),
)
_COMPILED = tuple((re.compile(rule), kind, words) for rule, kind, words in _RULES)


@dataclass(frozen=True)
class Expected:
    """What belongs at a place: things of a ``kind``, and ``keywords``, the likeliest first.

    A *target column* is one of the table that the statement writes to.
    """

    kind: Kind
    keywords: tuple[str, ...] = ()


ANYTHING = Expected("any")


def expected(words: str) -> Expected:
    """What belongs after such `words_before` a cursor."""
    if len(words) > MOST_WORDS:
        return ANYTHING
    place = _last_clause(words)
    for rule, kind, keywords in _COMPILED:
        if rule.fullmatch(place):
            return Expected(kind, tuple(filter(None, keywords.split(","))))
    return ANYTHING


def _last_clause(words: str) -> str:
    """The last WHEN of a MERGE and what follows; other words, and a MERGE without, as they are.

    One after what is not closed yet is part of that.
    """
    if not words.startswith("MERGE "):
        return words
    closed = re.split(r" (?:\(|CASE\b)", words, maxsplit=1)[0]
    begins = closed.rfind(" WHEN")
    return words if begins < 0 else words[begins + 1 :]


def words_before(pieces: Iterable[str]) -> str:
    """The words and marks of a statement up to a place, a space between any two.

    Dotted names are one word, and what is closed is a `GROUP`.
    """
    words: list[str] = []
    opened: list[int] = []
    glued = False
    for piece in pieces:
        if words and (glued or piece == "."):
            words[-1] += piece
            glued = piece == "."
            continue
        if piece in _ENDS.values():
            opened.append(len(words))
        elif opened and words[opened[-1]] == _ENDS.get(piece):
            del words[opened.pop() :]
            words.append(GROUP)
            continue
        words.append(piece)
    return " ".join(words)
