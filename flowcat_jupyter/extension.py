"""The Jupyter Server extension: link, load, start, stop.

Link and load stay light (JupyterLab's own start waits for them); the catalog itself is imported
and opened from a thread a moment after the server runs, and requests wait for it.
"""

from __future__ import annotations

import gc
from importlib import import_module
from pathlib import Path
from typing import Any, cast

from jupyter_events import EventLogger
from jupyter_server.base.call_context import CallContext
from jupyter_server.extension.application import ExtensionApp
from jupyter_server.serverapp import ServerApp
from jupyter_server.utils import url_path_join
from tornado.httputil import HTTPMessageDelegate, HTTPServerRequest
from tornado.routing import PathMatches, Router, Rule
from tornado.web import Application
from traitlets import Any as AnyValue
from traitlets import Bool

from flowcat_jupyter.bootstrap import Runtime
from flowcat_jupyter.contents import bridge
from flowcat_jupyter.shared import settings

EVENT_SCHEMA = Path(__file__).parent / "handlers" / "changes.event.yaml"
CHANGES_EVENT = "https://schemas.flowcat.dev/events/changes/v1"


class _Options(ExtensionApp):
    """Every option of `settings.OPTIONS` as a trait, so that ``--Flowcat.…`` sets it too."""

    locals().update(
        {
            option.name: AnyValue(None, allow_none=True, help=option.help).tag(config=True)
            for option in settings.OPTIONS
        }
    )


class Flowcat(_Options):
    """``jupyter flowcat``, and the part of ``jupyter lab`` that serves the catalog."""

    name = "flowcat"
    app_name = "Flowcat"
    description = "The data catalog JupyterLab lacks."
    extension_url = "/lab"
    load_other_extensions = True
    open_browser = Bool(True, help="Open a browser when started as an application.").tag(
        config=True
    )
    runtime: Runtime

    def _link_jupyter_server_extension(self, serverapp: ServerApp) -> None:
        super()._link_jupyter_server_extension(serverapp)
        # Before any contents manager exists: see contents/bridge.py.
        bridge.install(serverapp)

    def initialize_settings(self) -> None:
        """Hand the runtime to the handlers."""
        server = self._server
        said = {option.name: getattr(self, option.name) for option in settings.OPTIONS}
        # The traits hold what the files say as well, which yields to the environment.
        in_files = settings.in_files()
        overrides = {name: value for name, value in said.items() if value != in_files.get(name)}
        loaded = settings.load(overrides=overrides)
        self.runtime = Runtime(
            loaded, roots=(Path(server.root_dir),), notify=self._emit, opened=_settle
        )
        self.runtime.tokens.asking = _asking
        self.settings["flowcat"] = self.runtime

    def initialize_handlers(self) -> None:
        """Route everything below ``flowcat/`` to handlers that are imported when first needed."""
        application = cast(Any, self._server.web_app)
        prefix = url_path_join(application.settings["base_url"], "flowcat/")
        rule = Rule(PathMatches(f"{prefix}.*"), _LateRoutes(application))
        # Tornado's own method: Jupyter's would ask the router for its verbs, which come later. That
        # every one of them is authenticated is for tests/server/catalog/test_routes.py to see.
        Application.add_handlers(application, ".*$", [rule])

    async def _start_jupyter_server_extension(self, serverapp: ServerApp) -> None:
        self.runtime.start_soon()

    async def stop_extension(self) -> None:
        """Stop runs, workers and threads."""
        await self.runtime.stop()

    def current_activity(self) -> int | None:
        """What keeps the server from being culled: queries and runs under way."""
        return self.runtime.activity() or None

    @property
    def _server(self) -> ServerApp:
        return cast(ServerApp, self.serverapp)

    @staticmethod
    def _events(serverapp: ServerApp) -> EventLogger:
        return cast(EventLogger, serverapp.event_logger)

    def _emit(self, seq: int) -> None:
        events = self._events(self._server)
        if CHANGES_EVENT not in events.schemas:
            # Checking a schema takes a while that a server's start should not wait for.
            events.register_event_schema(EVENT_SCHEMA)
        events.emit(schema_id=CHANGES_EVENT, data={"seq": seq})


def _settle() -> None:
    """Leave what is loaded by now out of the garbage collections to come.

    A full one holds every thread, the event loop's among them, while it walks all that JupyterLab
    and the catalog have imported: over a tenth of a second, for objects that never become garbage.
    """
    gc.freeze()


def _asking() -> str | None:
    """The name of the user whose request is being served, a kernel's start among them."""
    handler = CallContext.get(CallContext.JUPYTER_HANDLER)
    user = getattr(handler, "current_user", None)
    return getattr(user, "username", None)


class _LateRoutes(Router):
    """Imports the handlers at the first request, when the start hook's thread has not yet."""

    def __init__(self, application: Application) -> None:
        self._application = application
        self._routes: Router | None = None

    def find_handler(self, request: HTTPServerRequest, **kwargs: Any) -> HTTPMessageDelegate | None:
        if self._routes is None:
            routes = import_module("flowcat_jupyter.handlers.routes")
            self._routes = routes.router(self._application)
        return self._routes.find_handler(request, **kwargs)


main = Flowcat.launch_instance
