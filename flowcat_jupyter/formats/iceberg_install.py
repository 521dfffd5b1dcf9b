"""How what Iceberg tables need comes to be there."""

from __future__ import annotations

# What has looked for pyarrow once, polars among it, does not find it before the next start.
INSTALL = "pip install 'flowcat-jupyter[iceberg]', then start the server again."
