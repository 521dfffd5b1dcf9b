"""Whose turn it is."""

from __future__ import annotations

import asyncio

import pytest

from flowcat_jupyter.worker.waiting import Slots, Ticket


@pytest.fixture
async def ticket():
    loop = asyncio.get_running_loop()

    def make(name: str, *, short: bool = False) -> Ticket:
        return Ticket(name, "query", short, b"", loop.create_future())

    return make


def taken(slots: Slots) -> list[str]:
    names = []
    while (ticket := slots.take()) is not None:
        names.append(ticket.job_id)
    return names


async def test_long_jobs_never_get_the_short_slot(ticket):
    slots = Slots(2, 1)
    for name in "abc":
        slots.join(ticket(name))
    assert taken(slots) == ["a", "b"]
    slots.join(ticket("s", short=True))
    assert taken(slots) == ["s"]


async def test_short_jobs_use_free_slots_of_any_kind_in_their_turn(ticket):
    slots = Slots(1, 1)
    for name in "st":
        slots.join(ticket(name, short=True))
    slots.join(ticket("long"))
    assert taken(slots) == ["s", "t"]
    assert slots.position("long") == 1


async def test_a_slot_given_up_goes_to_the_next(ticket):
    slots = Slots(1, 0)
    first, second, third = ticket("a"), ticket("b"), ticket("c")
    for one in (first, second, third):
        slots.join(one)
    assert taken(slots) == ["a"]
    slots.leave(second)
    slots.leave(first)
    slots.leave(first)
    assert taken(slots) == ["c"]
    assert (slots.running, slots.waiting) == (1, 0)


async def test_a_short_job_that_leaves_frees_the_short_slot(ticket):
    slots = Slots(0, 1)
    first, second = ticket("a", short=True), ticket("b", short=True)
    slots.join(first)
    slots.join(second)
    assert taken(slots) == ["a"]
    slots.leave(first)
    assert taken(slots) == ["b"]


async def test_a_job_that_leaves_late_does_not_take_its_namesake_with_it(ticket):
    slots = Slots(1, 0)
    dead = ticket("a")
    slots.join(dead)
    assert taken(slots) == ["a"]
    slots.leave(dead)
    slots.join(ticket("a"))
    slots.leave(dead)
    assert taken(slots) == ["a"]
