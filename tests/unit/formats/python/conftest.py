from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from flowcat_jupyter.formats.data_source import DataSource, DataSourceReader
from flowcat_jupyter.formats.python import PythonFormat


@pytest.fixture
def giving() -> Callable[..., PythonFormat]:
    """A format whose data source declares a schema and gives some items."""

    def made(schema: Any, items: Iterable[Any]) -> PythonFormat:
        class Reader(DataSourceReader):
            def read(self, partition: Any) -> Any:
                return iter(items)

        class Given(DataSource):
            def schema(self) -> Any:
                return schema

            def reader(self, schema: Any) -> Any:
                return Reader()

        return PythonFormat("given", Given)

    return made
