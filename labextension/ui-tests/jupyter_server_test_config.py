"""A JupyterLab with an empty catalog of its own, for the browser tests."""

import os
from tempfile import mkdtemp

from jupyterlab.galata import configure_jupyter_server

c = get_config()  # noqa: F821

configure_jupyter_server(c)
c.ServerApp.ip = "127.0.0.1"
c.ServerApp.port = int(os.environ.get("FLOWCAT_UI_PORT", "8891"))
c.ServerApp.base_url = os.environ.get("FLOWCAT_UI_BASE") or "/"
c.ServerApp.allow_root = os.geteuid() == 0
c.LabApp.news_url = None
c.Flowcat.home = os.environ.get("FLOWCAT_UI_HOME") or mkdtemp(prefix="flowcat-ui-")
