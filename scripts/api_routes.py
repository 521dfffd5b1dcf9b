"""What the code of the handlers does not say of itself: replies, and what query arguments mean.

Everything else in the OpenAPI file (paths, verbs, path parameters, bodies, summaries) is read from
``handlers/routes.py``. ``tests/docs`` holds this table to the handlers: every verb is here and
nothing else, with the very query arguments that its code reads.
"""

from __future__ import annotations

from dataclasses import dataclass

from flowcat_jupyter.handlers import schemas


@dataclass(frozen=True)
class Query:
    """A query argument; ``type`` is JSON Schema's name."""

    name: str
    text: str
    type: str = "integer"
    required: bool = False


@dataclass(frozen=True)
class Operation:
    """One verb of one route. ``rows`` answers Arrow when asked to, or always without ``reply``;
    ``place`` answers where a result lies when asked to; ``file`` answers a file to keep.
    """

    reply: type[schemas.Reply] | None
    status: int = 200
    query: tuple[Query, ...] = ()
    rows: bool = False
    place: bool = False
    file: bool = False
    raw_body: bool = False


LIMIT = Query("limit", "at most so many items")
AFTER = Query("after", "the cursor that the page before ended with", "string")
SCHEMA = Query("schema", "the schema that a short name is looked for in", "string")
CATALOG = Query("catalog", "the catalog that a short name is looked for in", "string")
VERSION = Query("version", "a version of the table; the newest by default")
PAGE = (
    Query("offset", "rows to skip"),
    Query("limit", "at most so many rows, up to 100,000"),
    Query("display", "1: Arrow made for a grid, with texts for what a browser rounds", "boolean"),
)
VIEW = (
    Query("desc", "1: the largest first", "boolean"),
    Query("filter", 'JSON: [{"column": 0, "op": "=", "value": "UA"}]; see FilterTerm', "string"),
)
RESULT = (
    *VIEW,
    Query("sort", "the column to sort by, counted from 0 since headings may repeat"),
)
TABLE = (*VIEW, VERSION, Query("sort", "the column to sort by", "string"))
FIND = (
    Query("text", "what to look for in the values as they are shown", "string", required=True),
    Query("after", "the row to go on from; -1, the default, begins at the start"),
    Query("backwards", "1: towards the first row", "boolean"),
    Query("case", "1: upper and lower case differ", "boolean"),
)
ROW = Query("row", "the row, counted from 0", required=True)
EXPORT = (
    Query("format", "csv, tsv, json, ndjson, parquet, arrow, xlsx or markdown", "string", True),
    Query("formula_safe", "1: a spreadsheet computes no text of CSV and TSV", "boolean"),
    Query("columns", "JSON: a list of the columns to write; all by default", "string"),
    Query("name", "what the file is called, without its ending", "string"),
)

OPERATIONS: dict[tuple[str, str], Operation] = {
    ("get", "catalog/status"): Operation(schemas.StatusReply),
    ("get", "catalog/extensions"): Operation(schemas.ExtensionList),
    ("get", "catalog/changes"): Operation(
        schemas.ChangesReply,
        query=(
            Query("after", "the newest sequence number the client knows"),
            Query("wait", "seconds to wait for a change when there is none, up to 25"),
        ),
    ),
    ("get", "catalog/namespaces/tree"): Operation(
        schemas.NodeList,
        query=(
            Query("parent", "id of a catalog or schema; the catalogs without it"),
            LIMIT,
            AFTER,
            Query("q", "only names that hold this text", "string"),
        ),
    ),
    ("post", "catalog/namespaces"): Operation(schemas.Node, 201),
    ("get", "catalog/namespaces/{namespace_id}"): Operation(schemas.Node),
    ("patch", "catalog/namespaces/{namespace_id}"): Operation(schemas.Node),
    ("delete", "catalog/namespaces/{namespace_id}"): Operation(
        None, 204, query=(Query("cascade", "1: with all that is in it", "boolean"),)
    ),
    ("get", "catalog/search"): Operation(
        schemas.SearchReply,
        query=(
            Query("q", "words that a name, tag, column or comment holds", "string"),
            LIMIT,
            Query("kinds", "only these, between commas: catalog, schema, table, view", "string"),
        ),
    ),
    ("get", "catalog/tables"): Operation(
        schemas.TableList,
        query=(Query("schema", "id of a schema; every table without it"), LIMIT, AFTER),
    ),
    ("get", "catalog/tables/resolve"): Operation(
        schemas.TableReply,
        query=(
            Query("name", "a table's name of one to three parts", "string", required=True),
            CATALOG,
            SCHEMA,
        ),
    ),
    ("post", "catalog/tables/register"): Operation(schemas.TableReply, 201),
    ("post", "catalog/tables/from-data"): Operation(schemas.TableReply, 201),
    ("get", "catalog/tables/dropped"): Operation(schemas.DroppedList),
    ("post", "catalog/tables/dropped/{dropped_id}/undrop"): Operation(schemas.TableReply),
    ("post", "catalog/tables/import"): Operation(schemas.RunReply, 202),
    ("post", "catalog/tables/import/preview"): Operation(schemas.ImportPreview),
    ("delete", "catalog/tables/import/remembered"): Operation(
        schemas.ForgottenReply,
        query=(
            Query("path", "a file, folder or pattern; may be given several times", "string"),
            Query("name", "an upload's name; may be given several times", "string"),
            Query("all", "1: whatever is remembered", "boolean"),
        ),
    ),
    ("get", "catalog/files/sql"): Operation(
        schemas.FileSqlReply,
        query=(Query("path", "a file or folder of the file browser", "string", required=True),),
    ),
    ("get", "catalog/tables/{table_id}"): Operation(schemas.TableReply),
    ("patch", "catalog/tables/{table_id}"): Operation(schemas.TableReply),
    ("delete", "catalog/tables/{table_id}"): Operation(schemas.DropReply),
    ("get", "catalog/tables/{table_id}/preview"): Operation(
        schemas.PageReply, query=(*PAGE, *TABLE), rows=True
    ),
    ("get", "catalog/tables/{table_id}/find"): Operation(schemas.FindReply, query=(*FIND, *TABLE)),
    ("get", "catalog/tables/{table_id}/cell"): Operation(
        schemas.CellReply, query=(ROW, Query("column", "the column", "string", True), *TABLE)
    ),
    ("get", "catalog/tables/{table_id}/columns/{name}/stats"): Operation(
        schemas.ColumnSummary, query=TABLE
    ),
    ("post", "catalog/tables/{table_id}/chart"): Operation(schemas.ChartReply, query=TABLE),
    ("get", "catalog/tables/{table_id}/export"): Operation(
        None, query=(*EXPORT, *TABLE), file=True
    ),
    ("get", "catalog/tables/{table_id}/data"): Operation(
        None,
        query=(
            VERSION,
            Query("timestamp", "the version that was current then; ISO 8601", "string"),
        ),
        rows=True,
    ),
    ("get", "catalog/tables/{table_id}/history"): Operation(schemas.HistoryReply, query=(LIMIT,)),
    ("get", "catalog/tables/{table_id}/diff"): Operation(
        schemas.DiffReply,
        query=(
            Query("from", "a version; without it the one before `to`"),
            Query("to", "a version; without it the newest"),
        ),
    ),
    ("post", "catalog/tables/{table_id}/restore"): Operation(schemas.UpkeepReply),
    ("post", "catalog/tables/{table_id}/optimize"): Operation(schemas.UpkeepReply),
    ("post", "catalog/tables/{table_id}/vacuum"): Operation(schemas.UpkeepReply),
    ("get", "catalog/tables/{table_id}/edits"): Operation(schemas.EditList, query=(LIMIT,)),
    ("post", "catalog/tables/{table_id}/refresh"): Operation(schemas.TableReply),
    ("get", "catalog/views/{view_id}"): Operation(schemas.ViewReply),
    ("patch", "catalog/views/{view_id}"): Operation(schemas.ViewReply),
    ("delete", "catalog/views/{view_id}"): Operation(None, 204),
    ("post", "catalog/uploads"): Operation(
        schemas.UploadReply, 201, query=(Query("name", "the file's name", "string"),)
    ),
    ("put", "catalog/uploads/{upload_id}"): Operation(
        schemas.UploadReply,
        query=(Query("offset", "bytes received so far; a chunk is at most 4 MiB"),),
        raw_body=True,
    ),
    ("delete", "catalog/uploads/{upload_id}"): Operation(None, 204),
    ("get", "catalog/queries"): Operation(schemas.SavedQueryList, query=(LIMIT, AFTER)),
    ("post", "catalog/queries"): Operation(schemas.SavedQueryReply, 201),
    ("get", "catalog/queries/{query_id}"): Operation(schemas.SavedQueryReply),
    ("patch", "catalog/queries/{query_id}"): Operation(schemas.SavedQueryReply),
    ("delete", "catalog/queries/{query_id}"): Operation(None, 204),
    ("get", "catalog/runs"): Operation(
        schemas.RunList,
        query=(LIMIT, AFTER, Query("active", "1: only what has not ended", "boolean")),
    ),
    ("get", "catalog/runs/{run_id}"): Operation(schemas.RunReply),
    ("post", "catalog/runs/{run_id}/cancel"): Operation(schemas.RunReply),
    ("get", "catalog/runs/{run_id}/rejects"): Operation(
        schemas.PageReply,
        query=(
            Query("offset", "lines to skip"),
            Query("limit", "at most so many lines, up to 10,000"),
        ),
        rows=True,
    ),
    ("post", "catalog/demo"): Operation(schemas.RunList, 202),
    ("delete", "catalog/demo"): Operation(None, 204),
    ("post", "catalog/sql/execute"): Operation(schemas.SqlReply, rows=True, place=True),
    ("post", "catalog/sql/explain"): Operation(schemas.ExplainReply),
    ("post", "catalog/sql/complete"): Operation(schemas.CompleteReply),
    ("post", "catalog/sql/frames"): Operation(schemas.FrameReply, 201, raw_body=True),
    ("delete", "catalog/sql/frames/{frame_id}"): Operation(None, 204),
    ("get", "catalog/sql/{query_id}"): Operation(schemas.SqlReply, rows=True, place=True),
    ("delete", "catalog/sql/{query_id}"): Operation(None, 204),
    ("get", "catalog/sql/{query_id}/status"): Operation(schemas.ResultStatus),
    ("get", "catalog/sql/{query_id}/rows"): Operation(
        schemas.PageReply, query=(*PAGE, *RESULT), rows=True
    ),
    ("get", "catalog/sql/{query_id}/find"): Operation(schemas.FindReply, query=(*FIND, *RESULT)),
    ("get", "catalog/sql/{query_id}/cell"): Operation(
        schemas.CellReply,
        query=(ROW, Query("column", "the column, counted from 0", required=True), *RESULT),
    ),
    ("get", "catalog/sql/{query_id}/columns/{index}/summary"): Operation(
        schemas.ColumnSummary, query=RESULT
    ),
    ("post", "catalog/sql/{query_id}/chart"): Operation(schemas.ChartReply, query=RESULT),
    ("get", "catalog/sql/{query_id}/export"): Operation(None, query=(*EXPORT, *RESULT), file=True),
    ("post", "catalog/reads"): Operation(schemas.ReadReply),
    ("post", "catalog/writes"): Operation(schemas.WriteTicket, 201),
    ("delete", "catalog/writes/{write_id}"): Operation(None, 204),
    ("post", "catalog/writes/{write_id}/commit"): Operation(schemas.TableReply),
}
