"""Whatever is sent to a route is answered soon, in the shape the interface describes, and is no
fault of the server.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from tests.support.fuzz import OPERATIONS, Fuzzed, requests_of, send, verify

EXAMPLES = int(os.environ.get("FLOWCAT_FUZZ_EXAMPLES", "8"))
"""Requests of each route; more of them look longer."""


@pytest.mark.slow
@pytest.mark.timeout(0)
@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_no_request_is_a_fault(fuzzed: Fuzzed, method: str, path: str) -> None:
    fuzzed.renew()

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        phases=[Phase.generate, Phase.shrink] if EXAMPLES > 50 else [Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(request=requests_of(method, path))
    def ask(request) -> None:
        case, twist = request
        verify(case, send(case, twist, fuzzed))

    ask()
    assert fuzzed.server.process.poll() is None
