"""What a statement did, or would do, in a few words."""

from __future__ import annotations

import pytest

from flowcat_jupyter.shared.outcomes import outcome


@pytest.mark.parametrize(
    ("counts", "told"),
    [
        ((3, 12, 0), "12 rows would be updated, 3 inserted; nothing was changed"),
        ((0, 0, 1), "1 row would be deleted; nothing was changed"),
        ((1234, 0, 0), "1,234 rows would be inserted; nothing was changed"),
        ((0, 0, 0), "MERGE would change no row"),
    ],
)
def test_a_dry_run_tells_what_would_be(counts: tuple[int, int, int], told: str) -> None:
    written = dict(zip(("inserted", "updated", "deleted"), counts, strict=True))
    assert outcome("MERGE", written, changed=False, dry_run=True) == told
