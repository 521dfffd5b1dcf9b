"""What is removed for its age is removed by a clock that a wrong one cannot hurry."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from flowcat_jupyter.catalog.clocks import SLACK, TRUST, Careful

BEGIN = datetime(2026, 3, 1, tzinfo=UTC)
MINUTE, WEEK = timedelta(minutes=1), timedelta(weeks=1)


class Machine:
    """A machine's clock, and the seconds that really pass."""

    def __init__(self) -> None:
        self.said = BEGIN
        self.seconds = 0.0

    def now(self) -> datetime:
        return self.said

    def elapsed(self) -> float:
        return self.seconds

    def passes(self, time: timedelta) -> None:
        """Time goes by, and the clock goes with it."""
        self.said += time
        self.seconds += time.total_seconds()


@pytest.fixture
def machine() -> Machine:
    return Machine()


@pytest.fixture
def careful(machine: Machine) -> Careful:
    return Careful(machine, machine.elapsed)


def test_it_goes_with_a_clock_that_is_right(machine: Machine, careful: Careful) -> None:
    machine.passes(WEEK)
    assert careful.now() == BEGIN + WEEK


def test_a_clock_that_is_set_a_little_is_believed(machine: Machine, careful: Careful) -> None:
    machine.said += SLACK
    assert careful.now() == BEGIN + SLACK


def test_a_clock_that_leaps_ahead_hurries_nothing(machine: Machine, careful: Careful) -> None:
    machine.said += WEEK
    assert careful.now() == BEGIN
    machine.passes(TRUST - MINUTE)
    assert careful.now() == BEGIN + TRUST - MINUTE


def test_a_leap_that_still_stands_after_a_day_is_believed(
    machine: Machine, careful: Careful
) -> None:
    machine.said += WEEK
    assert careful.now() == BEGIN
    machine.passes(TRUST)
    assert careful.now() == BEGIN + WEEK + TRUST
    machine.passes(MINUTE)
    assert careful.now() == BEGIN + WEEK + TRUST + MINUTE


def test_each_leap_has_a_day_of_its_own_to_prove_itself(machine: Machine, careful: Careful) -> None:
    machine.said += WEEK
    careful.now()
    machine.passes(TRUST - MINUTE)
    machine.said += WEEK
    assert careful.now() == BEGIN + TRUST - MINUTE
    machine.passes(MINUTE)
    assert careful.now() == BEGIN + TRUST


def test_a_clock_that_is_set_right_again_is_followed(machine: Machine, careful: Careful) -> None:
    machine.said += WEEK
    assert careful.now() == BEGIN
    machine.said -= WEEK
    machine.passes(MINUTE)
    assert careful.now() == BEGIN + MINUTE


def test_it_is_never_ahead_of_a_clock_that_is_put_back(machine: Machine, careful: Careful) -> None:
    machine.passes(WEEK)
    machine.said = BEGIN
    assert careful.now() == BEGIN
