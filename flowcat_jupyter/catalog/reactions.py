"""From an event to what follows, after the commit."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from threading import Lock

from flowcat_jupyter.shared.events import Event

log = logging.getLogger(__name__)
Subscriber = Callable[[Event], None]


class Reactions:
    """Who wants to hear of what.

    Subscribers are called one after the other in the thread that committed: they are quick and
    hop to their own loop or thread. One that fails is logged and stops no other.
    """

    def __init__(self) -> None:
        """Nobody listens yet."""
        self._subscribers: list[tuple[type[Event], Subscriber]] = []
        self._lock = Lock()

    def subscribe(self, subscriber: Subscriber, kind: type[Event] = Event) -> Callable[[], None]:
        """Call ``subscriber`` for every event of ``kind``; the result ends that."""
        entry = (kind, subscriber)
        with self._lock:
            self._subscribers.append(entry)

        def unsubscribe() -> None:
            with self._lock:
                if entry in self._subscribers:
                    self._subscribers.remove(entry)

        return unsubscribe

    def publish(self, events: Sequence[Event]) -> None:
        """Tell the subscribers, event by event."""
        with self._lock:
            subscribers = list(self._subscribers)
        for event in events:
            for kind, subscriber in subscribers:
                if isinstance(event, kind):
                    _tell(subscriber, event)


def _tell(subscriber: Subscriber, event: Event) -> None:
    try:
        subscriber(event)
    except Exception:
        log.exception("A reaction to %s failed.", event.kind)
