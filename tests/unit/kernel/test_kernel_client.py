"""How a kernel finds its server and speaks to it."""

from __future__ import annotations

import json
import shutil
import socket
import socketserver
import ssl
import subprocess
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from flowcat_jupyter.kernel.client import Client
from flowcat_jupyter.kernel.server import Server, find_server, loopback_for
from flowcat_jupyter.shared.errors import Forbidden, NotFound, Unavailable

EVERYWHERE = "0.0.0.0"  # noqa: S104


def test_the_environment_names_the_server():
    env = {"FLOWCAT_URL": "http://127.0.0.1:1/flowcat", "FLOWCAT_TOKEN": "t", "JPY_PARENT_PID": "1"}
    assert find_server(env) == Server("http://127.0.0.1:1/flowcat/", "t", None)


@pytest.mark.parametrize(
    ("info", "url"),
    [
        ({"hostname": "localhost"}, "http://localhost:8888/a%40b/flowcat/"),
        ({"hostname": EVERYWHERE}, "http://127.0.0.1:8888/a%40b/flowcat/"),
        ({"hostname": "::"}, "http://[::1]:8888/a%40b/flowcat/"),
        ({"hostname": "::1", "secure": True}, "https://[::1]:8888/a%40b/flowcat/"),
        ({"sock": "/run/j s"}, "http+unix://%2Frun%2Fj%20s/a%40b/flowcat/"),
    ],
)
def test_any_other_kernel_finds_the_server_it_runs_in(tmp_path, info, url):
    known = {"base_url": "/a%40b/", "port": 8888, "token": "secret", "sock": "", **info}
    (tmp_path / "jpserver-42.json").write_text(json.dumps(known))
    assert find_server({"JPY_PARENT_PID": "42"}, tmp_path) == Server(url, "secret", None)


@pytest.mark.parametrize("env", [{}, {"JPY_PARENT_PID": "42"}, {"JPY_PARENT_PID": "../x"}])
def test_without_a_server_the_error_says_what_to_set(tmp_path, env):
    with pytest.raises(Unavailable) as caught:
        find_server(env, tmp_path)
    assert "FLOWCAT_URL" in (caught.value.hint or "")


def test_a_torn_runtime_file_is_no_server(tmp_path):
    (tmp_path / "jpserver-42.json").write_text('{"base_url"')
    with pytest.raises(Unavailable):
        find_server({"JPY_PARENT_PID": "42"}, tmp_path)


@pytest.mark.parametrize(
    ("ip", "host"),
    [
        ("", "127.0.0.1"),
        ("*", "127.0.0.1"),
        (EVERYWHERE, "127.0.0.1"),
        ("::", "[::1]"),
        ("127.0.0.1", "127.0.0.1"),
        ("fe80::1", "[fe80::1]"),
        ("localhost", "localhost"),
        ("node7.example", "node7.example"),
    ],
)
def test_a_server_on_every_interface_is_reached_at_home(ip, host):
    assert loopback_for(ip) == host


def test_a_token_is_not_shown():
    assert "secret" not in repr(Server("http://x/", "secret"))


def test_each_request_says_who_asks_and_where_it_comes_from(client, fake):
    client.get("catalog/status")
    _, _, headers, _ = fake.seen[0]
    assert headers["Authorization"] == "token kernel-token"
    assert headers["X-Flowcat-Protocol"] == "1"
    assert json.loads(headers["X-Flowcat-Origin"]) == {"notebook": "a.ipynb", "cell_id": "é1"}


def test_an_error_of_the_server_is_raised_as_it_was_there(client):
    with pytest.raises(NotFound) as caught:
        client.get("catalog/tables/resolve", name="nope")
    assert caught.value.condition == "TABLE_OR_VIEW_NOT_FOUND"
    assert caught.value.__notes__ == ["Hint: See flowfile_ctx.list_catalogs()."]


def test_a_refused_token_says_to_restart_the_kernel(fake):
    with pytest.raises(Forbidden) as caught:
        Client(lambda: Server(fake.url, "old")).get("catalog/status")
    assert "restart the kernel" in (caught.value.hint or "")


def test_a_server_that_is_gone_is_unavailable():
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    with pytest.raises(Unavailable, match="does not answer") as caught:
        Client(lambda: Server(f"http://127.0.0.1:{port}/flowcat/")).get("catalog/status")
    assert "FLOWCAT_URL" in (caught.value.hint or "")


def test_an_address_that_is_none_is_refused_clearly():
    with pytest.raises(Unavailable, match="not the address"):
        Client(lambda: Server("localhost:8888/")).get("catalog/status")


def test_asking_quietly_never_raises():
    Client(lambda: Server("http://127.0.0.1:9/flowcat/")).delete_quietly("catalog/writes/1")


class _Ok(BaseHTTPRequestHandler):
    def log_message(self, format, *args):
        """Keep quiet."""

    def do_GET(self):
        missing = self.path.endswith("missing")
        self.send_response(404 if missing else 200)
        self.end_headers()
        self.wfile.write(b"<html>" if missing else b'{"ok": true}')


@contextmanager
def listening(server):
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_server_without_flowcat_says_how_to_enable_it():
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Ok)
    with listening(server), pytest.raises(Unavailable, match="has no Flowcat") as caught:
        Client(lambda: Server(f"http://127.0.0.1:{server.server_port}/")).get("missing")
    assert "jupyter server extension enable" in (caught.value.hint or "")


def test_a_server_on_a_socket_is_reached(tmp_path):
    class UnixServer(socketserver.ThreadingUnixStreamServer):
        def get_request(self):
            request, _ = super().get_request()
            return request, ("local", 0)

    path = tmp_path / "j s"
    with listening(UnixServer(str(path), _Ok)):
        url = f"http+unix://{str(path).replace('/', '%2F').replace(' ', '%20')}/flowcat/"
        assert Client(lambda: Server(url)).get("catalog/status") == {"ok": True}


def test_a_server_with_its_own_certificate_is_trusted_by_that_certificate_alone(tmp_path):
    key, certificate = tmp_path / "key.pem", tmp_path / "cert.pem"
    make = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=lab"
    command = [str(shutil.which("openssl")), *make.split(), "-keyout", key, "-out", certificate]
    subprocess.run(command, check=True, capture_output=True)  # noqa: S603
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Ok)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    server.handle_error = lambda *_args: None  # type: ignore[method-assign]
    url = f"https://127.0.0.1:{server.server_port}/flowcat/"
    with listening(server):
        assert Client(lambda: Server(url, None, str(certificate))).get("x") == {"ok": True}
        with pytest.raises(Unavailable) as caught:
            Client(lambda: Server(url)).get("x")
    assert "FLOWCAT_CA_FILE" in (caught.value.hint or "")
