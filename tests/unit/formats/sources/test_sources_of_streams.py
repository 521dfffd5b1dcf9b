"""Sources that elsewhere never end, read as a bounded number of rows."""

from __future__ import annotations

import socket
from threading import Thread

import pytest

from flowcat_jupyter.formats.source_streams import RATE, SOCKET
from flowcat_jupyter.shared.errors import Forbidden, Invalid, Unavailable
from flowcat_jupyter.shared.wire import Source

from .conftest import layers


def scan(format, **options):
    source = Source("r1", "table", (), format.name, "", options=layers(options))
    return format.scan(source).declared().collect()


def test_a_clock_gives_as_many_rows_as_are_asked():
    frame = scan(RATE, rowsPerSecond="2", rows="3")
    assert frame["value"].to_list() == [0, 1, 2]
    steps = frame["timestamp"].diff().drop_nulls().dt.total_milliseconds().to_list()
    assert steps == [500, 500]
    assert scan(RATE, rowsPerSecond="4").height == 4
    with pytest.raises(Invalid, match="at most"):
        scan(RATE, rows="999999999999")


@pytest.fixture
def sender():
    """A program on this machine that sends three lines."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve():
            link, _ = listening.accept()
            with link:
                link.sendall(b"one\ntwo\r\nthree")

        thread = Thread(target=serve, daemon=True)
        thread.start()
        yield str(listening.getsockname()[1])
        thread.join(5)


def test_lines_of_a_program_on_this_machine(sender):
    assert scan(SOCKET, host="127.0.0.1", port=sender)["value"].to_list() == ["one", "two", "three"]


def test_no_more_lines_than_were_asked_for(sender):
    assert scan(SOCKET, host="localhost", port=sender, rows="2").height == 2


@pytest.mark.parametrize("host", ["10.0.0.1", "169.254.169.254", "[::ffff:10.0.0.1]"])
def test_other_hosts_are_refused_without_being_asked(host):
    with pytest.raises(Forbidden):
        scan(SOCKET, host=host, port="80")


def test_a_place_that_does_not_answer_says_so():
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = str(listening.getsockname()[1])
    with pytest.raises(Unavailable):
        scan(SOCKET, host="127.0.0.1", port=port, timeout="1")
    with pytest.raises(Invalid, match="host and port"):
        scan(SOCKET, host="localhost")
