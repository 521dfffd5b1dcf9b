"""Tokens of kernels, and what a kernel's environment holds."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from flowcat_jupyter.kernel.provisioner import address, find_server_app, without_credentials
from flowcat_jupyter.kernel.tokens import KernelTokens


def test_a_kernel_keeps_its_token_until_it_is_revoked():
    tokens = KernelTokens()
    token = tokens.issue("k1")
    assert tokens.issue("k1") == token
    assert tokens.issue("k2") != token
    assert tokens.kernel_of(token) == "k1"
    tokens.revoke("k1")
    tokens.revoke("k1")
    assert tokens.kernel_of(token) is None
    assert tokens.issue("k1") != token


def test_a_kernel_belongs_to_whoever_had_it_started_first():
    tokens = KernelTokens()
    tokens.issue("k0")
    tokens.asking = lambda: "ann"
    tokens.issue("k1")
    tokens.asking = lambda: "bob"
    tokens.issue("k1")
    assert (tokens.owner_of("k0"), tokens.owner_of("k1")) == (None, "ann")
    tokens.revoke("k1")
    assert tokens.owner_of("k1") is None


@pytest.mark.parametrize("token", ["", "nope", "é"])
def test_no_other_text_is_a_token(token):
    tokens = KernelTokens()
    tokens.issue("k1")
    assert tokens.kernel_of(token) is None


def test_credentials_of_server_and_hub_stay_out_of_the_kernel():
    secrets = [
        "JUPYTERHUB_API_TOKEN",
        "JPY_API_TOKEN",
        "JUPYTER_TOKEN",
        "JUPYTER_GATEWAY_AUTH_TOKEN",
        "JUPYTERHUB_CRYPT_KEY",
        "JUPYTERHUB_CLIENT_SECRET",
        "CONFIGPROXY_AUTH_TOKEN",
    ]
    kept = ["PATH", "JUPYTERHUB_USER", "JUPYTER_PATH", "JPY_SESSION_NAME", "AWS_SECRET_ACCESS_KEY"]
    env = dict.fromkeys(secrets + kept, "x")
    assert sorted(without_credentials(env, frozenset())) == sorted(kept)
    assert "JUPYTER_TOKEN" in without_credentials(env, frozenset({"JUPYTER_TOKEN"}))


def server(**changes):
    values = {"base_url": "/a%40b/", "port": 8888, "ip": "localhost", "sock": "", "certfile": ""}
    return SimpleNamespace(**{**values, "web_app": None, **changes})


@pytest.mark.parametrize(
    ("changes", "url"),
    [
        ({}, "http://localhost:8888/a%40b/flowcat/"),
        ({"ip": ""}, "http://127.0.0.1:8888/a%40b/flowcat/"),
        ({"base_url": "/"}, "http://localhost:8888/flowcat/"),
        ({"sock": "/run/j s"}, "http+unix://%2Frun%2Fj%20s/a%40b/flowcat/"),
    ],
)
def test_a_kernel_is_told_where_its_server_is(changes, url):
    assert address(server(**changes)) == {"FLOWCAT_URL": url}


def test_a_kernel_is_told_the_certificate_of_its_server(tmp_path):
    certificate = str(tmp_path / "cert.pem")
    assert address(server(certfile=certificate)) == {
        "FLOWCAT_URL": "https://localhost:8888/a%40b/flowcat/",
        "FLOWCAT_CA_FILE": certificate,
    }


def test_the_server_is_found_among_a_kernel_managers_parents():
    found = server()
    manager = SimpleNamespace(parent=SimpleNamespace(parent=found))
    assert find_server_app(manager) is found
