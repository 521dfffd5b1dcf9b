"""What people hold rows in, and what cannot be turned into a table."""

from __future__ import annotations

import pandas as pd
import pytest

from flowcat_jupyter.kernel.frames import as_polars
from flowcat_jupyter.shared.errors import Invalid


@pytest.mark.parametrize("values", [[1 + 2j], [1, "x"], [object()]])
def test_a_column_of_no_known_type_is_refused_in_our_words(values: list[object]) -> None:
    with pytest.raises(Invalid, match="cannot be turned into a table"):
        as_polars(pd.DataFrame({"a": values}))
