"""Every route under ``{base_url}flowcat/``."""

from __future__ import annotations

from jupyter_server.utils import url_path_join
from tornado.routing import Router
from tornado.web import Application, RequestHandler, _ApplicationRouter

from flowcat_jupyter.handlers import (
    changes,
    extensions,
    frames,
    imports,
    maintenance,
    namespaces,
    queries,
    results,
    runs,
    sql,
    tables,
    views,
    writes,
)
from flowcat_jupyter.handlers.base import FlowcatHandler, allowed
from flowcat_jupyter.handlers.pace import Pace
from flowcat_jupyter.shared.errors import NotFound

ID = r"(\d{1,18})"
KEY = r"([0-9A-Za-z-]{1,64})"
INDEX = r"(\d{1,9})"
NAME = r"([^/]+)"

ROUTES: list[tuple[str, type[RequestHandler]]] = [
    (r"catalog/status", changes.StatusHandler),
    (r"catalog/changes", changes.ChangesHandler),
    (r"catalog/extensions", extensions.MainExtensionHandler),
    (r"catalog/namespaces/tree", namespaces.TreeHandler),
    (r"catalog/namespaces", namespaces.MainNamespaceHandler),
    (rf"catalog/namespaces/{ID}", namespaces.NamespaceHandler),
    (r"catalog/search", namespaces.SearchHandler),
    (r"catalog/tables", tables.MainTableHandler),
    (r"catalog/tables/resolve", tables.ResolveHandler),
    (r"catalog/tables/register", tables.RegisterHandler),
    (r"catalog/tables/from-data", tables.FromDataHandler),
    (r"catalog/tables/dropped", tables.MainDroppedHandler),
    (rf"catalog/tables/dropped/{ID}/undrop", tables.UndropHandler),
    (r"catalog/tables/import", imports.ImportHandler),
    (r"catalog/tables/import/preview", imports.PreviewHandler),
    (r"catalog/tables/import/remembered", imports.RememberedHandler),
    (r"catalog/files/sql", imports.FileSqlHandler),
    (rf"catalog/tables/{ID}", tables.TableHandler),
    (rf"catalog/tables/{ID}/preview", results.TableRowsHandler),
    (rf"catalog/tables/{ID}/find", results.TableFindHandler),
    (rf"catalog/tables/{ID}/cell", results.TableCellHandler),
    (rf"catalog/tables/{ID}/columns/{NAME}/stats", results.TableStatsHandler),
    (rf"catalog/tables/{ID}/chart", results.TableChartHandler),
    (rf"catalog/tables/{ID}/export", results.TableExportHandler),
    (rf"catalog/tables/{ID}/data", tables.DataHandler),
    (rf"catalog/tables/{ID}/history", tables.HistoryHandler),
    (rf"catalog/tables/{ID}/diff", maintenance.DiffHandler),
    (rf"catalog/tables/{ID}/restore", maintenance.RestoreHandler),
    (rf"catalog/tables/{ID}/optimize", maintenance.OptimizeHandler),
    (rf"catalog/tables/{ID}/vacuum", maintenance.VacuumHandler),
    (rf"catalog/tables/{ID}/edits", tables.EditsHandler),
    (rf"catalog/tables/{ID}/refresh", tables.RefreshHandler),
    (rf"catalog/views/{ID}", views.ViewHandler),
    (r"catalog/uploads", imports.MainUploadHandler),
    (rf"catalog/uploads/{KEY}", imports.UploadHandler),
    (r"catalog/runs", runs.MainRunHandler),
    (rf"catalog/runs/{ID}", runs.RunHandler),
    (rf"catalog/runs/{ID}/cancel", runs.CancelHandler),
    (rf"catalog/runs/{ID}/rejects", runs.RejectsHandler),
    (r"catalog/demo", runs.DemoHandler),
    (r"catalog/sql/execute", sql.ExecuteHandler),
    (r"catalog/sql/explain", sql.ExplainHandler),
    (r"catalog/sql/complete", sql.CompleteHandler),
    (r"catalog/sql/frames", frames.MainFrameHandler),
    (rf"catalog/sql/frames/{KEY}", frames.FrameHandler),
    (rf"catalog/sql/{KEY}", sql.QueryHandler),
    (rf"catalog/sql/{KEY}/status", results.StatusHandler),
    (rf"catalog/sql/{KEY}/rows", results.ResultRowsHandler),
    (rf"catalog/sql/{KEY}/find", results.ResultFindHandler),
    (rf"catalog/sql/{KEY}/cell", results.ResultCellHandler),
    (rf"catalog/sql/{KEY}/columns/{INDEX}/summary", results.ResultSummaryHandler),
    (rf"catalog/sql/{KEY}/chart", results.ResultChartHandler),
    (rf"catalog/sql/{KEY}/export", results.ResultExportHandler),
    (r"catalog/queries", queries.MainSavedQueryHandler),
    (rf"catalog/queries/{ID}", queries.SavedQueryHandler),
    (r"catalog/reads", writes.ReadHandler),
    (r"catalog/writes", writes.MainWriteHandler),
    (rf"catalog/writes/{KEY}", writes.WriteHandler),
    (rf"catalog/writes/{KEY}/commit", writes.CommitHandler),
]


class UnknownHandler(FlowcatHandler):
    """Whatever else is asked for below ``flowcat/``."""

    @allowed("read", "flowcat:catalog")
    async def get(self) -> None:
        """There is nothing here."""
        raise NotFound("route", self.request.path)

    post = put = patch = delete = get


def router(application: Application) -> Router:
    """The routes, as a router of ``application``; all of them share one `Pace`."""
    application.settings["flowcat_pace"] = Pace()
    base_url = application.settings["base_url"]
    rules = [
        (url_path_join(base_url, "flowcat", pattern), handler)
        for pattern, handler in [*ROUTES, (".*", UnknownHandler)]
    ]
    return _ApplicationRouter(application, rules)
