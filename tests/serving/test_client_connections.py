"""The client's connections: deadlines, kept connections, TLS."""

import json
import socket
import ssl
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from types import SimpleNamespace

import pytest
from raw_servers import http, listening, receive, relay

from keras_nmt.errors import UserError
from keras_nmt.serving import Client


def _answer(text):
    return http([{"translation": text, "score": -1.0, "cut_off": False, "truncated": False}])


ANSWER = _answer("b")


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """A server's TLS context, whose certificate clients of this module trust."""
    folder = tmp_path_factory.mktemp("tls")
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=localhost"]
    command += ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", key, "-out", certificate]
    try:
        subprocess.run(command, check=True, capture_output=True)
    except FileNotFoundError:
        pytest.skip("There is no openssl to make a certificate with")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SSL_CERT_FILE", str(certificate))
        yield context


# Deadlines

_DRIPS = {  # what is sent at once, and what is then sent again and again; in bodies, the client ends the connection
    "the status line": (b"HTTP/1.1 200 ", b"x"),
    "headers": (b"HTTP/1.1 200 OK\r\n", b"x-a: 1\r\n"),
    "100 Continue": (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "a body to the connection's end": (b"HTTP/1.1 200 OK\r\n\r\n", b"x"),
    "a body of chunks": (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n"),
    "an error's body": (b"HTTP/1.1 503 Busy\r\nContent-Length: 9999\r\n\r\n", b"x"),
}


def _check_deadline(talk, lines=("a",), is_closed=True):
    """Checks that the deadline limits the whole call, and that the only connection of the request ends.

    `talk(connection, is_over)` sends and receives, also after the call, which sets the event `is_over`.
    """
    gone, is_over, made = threading.Event(), threading.Event(), SimpleQueue()

    def watched(connection):
        made.put(connection)
        try:
            talk(connection, is_over)
        except OSError:
            gone.set()

    start = time.monotonic()
    with listening(watched) as url, Client(url, "model", timeout=0.4, retries=2) as client:
        with pytest.raises(TimeoutError, match=r"did not answer in 0\.4 s: the answer has not arrived in full\. Rec"):
            client.translate(lines)
        assert 0.4 <= time.monotonic() - start < 30
        is_over.set()
        assert not is_closed or gone.wait(30)
        made.get(timeout=30)
        assert made.empty()


def test_the_deadline_holds_for_slow_answers_and_while_a_request_is_sent():
    def check(part):
        def drip(connection, is_over):
            connection.sendall(_DRIPS[part][0])
            while "body" in part or not is_over.is_set():
                connection.sendall(_DRIPS[part][1])
                time.sleep(0.05)

        _check_deadline(drip, is_closed="body" in part)

    def check_request():
        def talk(connection, is_over):
            is_over.wait()
            while connection.recv(2**20):
                pass
            raise OSError

        _check_deadline(talk, lines=["word " * 2_000_000])

    with ThreadPoolExecutor(len(_DRIPS) + 1) as pool:
        request = pool.submit(check_request)
        list(pool.map(check, _DRIPS))
        request.result()


def test_the_deadline_holds_during_the_name_lookup(monkeypatch):
    done = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_: done.wait() and [])
    start = time.monotonic()
    with Client("http://localhost:1", "model", timeout=0.4) as client, pytest.raises(TimeoutError):
        client.translate(["a"])
    assert time.monotonic() - start < 30
    done.set()


def test_a_connection_past_its_deadline_is_not_used_again():
    """Else the next answer would be the rest of the one before."""
    is_over = threading.Event()

    def talk(connection):
        while request := receive(connection):
            is_over.wait()
            connection.sendall(_answer("late" if b"late" in request else "b"))

    with listening(talk) as url, Client(url, "model", timeout=0.3, retries=0) as client:
        with pytest.raises(TimeoutError):
            client.translate(["late"])
        is_over.set()
        client.timeout = 60
        assert client.translate(["a"])[0].text == "b"


# Connections


def test_a_slow_connection_is_not_a_lost_connection(server, api, monkeypatch):
    """As one far away, or busy: a proxy lets nothing through for longer than the first wait between attempts."""
    monkeypatch.setattr("keras_nmt.serving.client.transports.FIRST_WAIT", 0.02)

    def prepare(connection):
        time.sleep(0.1)
        return connection

    with relay(getattr(server, api), prepare) as url, Client(url, "echo", retries=0, timeout=30) as client:
        assert client.translate(["a"])[0].text == "a"


def test_a_request_names_model_and_version_behind_the_path_of_the_url():
    received = []

    def talk(connection):
        received.append(receive(connection).decode())
        connection.sendall(ANSWER)

    for path, options, found in (
        ("/", {}, "/v1/models/m%2F%C3%B6"),
        ("/a b/%C3%BC/", {}, "/a%20b/%C3%BC/v1/models/m%2F%C3%B6"),
        ("", {"version": 3}, "/v1/models/m%2F%C3%B6/versions/3"),
    ):
        with listening(talk) as url, Client(url + path, "m/ö", **options) as client:
            assert client.translate(["a"])[0].text == "b"
        assert received[-1].startswith(f"POST {found}:predict HTTP/1.1\r\n")
        assert "\r\nContent-Type: application/json\r\n" in received[-1]


def test_an_ipv6_address_works(server, api):
    try:
        with socket.create_server(("::1", 0), family=socket.AF_INET6):
            pass
    except OSError:
        pytest.skip("There is no IPv6 here")
    with relay(getattr(server, api), lambda connection: connection, address="::1") as url:
        assert "://[::1]:" in url
        with Client(url, "echo", retries=0) as client:
            assert client.translate(["a"])[0].text == "a"


def test_a_request_that_may_have_killed_a_server_is_not_sent_to_the_next(monkeypatch):
    monkeypatch.setattr("keras_nmt.serving.client.transports.FIRST_WAIT", 0.001)

    def receive_grpc(connection):
        connection.sendall(b"\0\0\0\4\0\0\0\0\0")  # SETTINGS
        received = b""
        while b"serving_default" not in received:
            received += connection.recv(2**16)
        return received

    for scheme, answer, told in (
        ("http", b"HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n{", r"IncompleteRead\("),
        ("http", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n{", "IncompleteRead|InvalidChunkLength"),
        ("http", b"HTTP", "Connection aborted"),
        ("http", b"", "Connection aborted"),
        ("grpc", b"", ""),
    ):
        requests = []

        def talk(connection, answer=answer, requests=requests, read=receive if scheme == "http" else receive_grpc):
            requests.append(read(connection))
            connection.sendall(answer)

        with listening(talk, scheme) as url, Client(url, "model", retries=3, timeout=20) as client:
            with pytest.raises(ConnectionError, match=rf"^The connection to .* failed: .*({told}).*Received"):
                client.translate(["a"])
            assert len(requests) == 1


def test_a_request_on_a_kept_connection_that_ends_is_sent_again(monkeypatch):
    """The server may have closed it when the request was under way."""
    monkeypatch.setattr("keras_nmt.serving.client.transports.FIRST_WAIT", 0.001)
    requests = []

    def talk(connection):
        while request := receive(connection):
            requests.append(request)
            if len(requests) == 2:
                return
            connection.sendall(ANSWER)

    with listening(talk) as url, Client(url, "model", retries=1) as client:
        assert [client.translate(["a"])[0].text for _ in range(2)] == ["b", "b"]
        assert len(requests) == 3


def test_a_server_may_refuse_a_request_before_it_has_read_all_of_it():
    """As a proxy does that limits the size of requests, and closes the connection."""

    def talk(connection):
        connection.recv(100)
        connection.sendall(b"HTTP/1.1 413 Too large\r\nContent-Length: 7\r\n\r\ntoo big")
        connection.shutdown(socket.SHUT_WR)

    with listening(talk) as url, Client(url, "model", retries=0) as client:  # noqa: SIM117
        with pytest.raises(UserError, match=r"answered HTTP 413: too big\. Received"):
            client.translate(["word " * 2_000_000])


def _wait_until_closed(connections):
    """The relay closes its sides of connections after the client has closed its own."""
    end = time.monotonic() + 30
    while any(connection.fileno() >= 0 for connection in connections):
        assert time.monotonic() < end
        time.sleep(0.01)


def _echoing(made):
    """A server that keeps its connections open, which it adds to a list, and gives each text as its translation."""

    def talk(connection):
        made.append(connection)
        while request := receive(connection):
            connection.sendall(_answer(json.loads(request[request.index(b"{") :])["instances"][0]["text"]))

    return listening(talk)


def test_connections_are_kept_and_shared_by_threads():
    made, texts = [], [f"text {i}" for i in range(40)]
    with _echoing(made) as url, Client(url, "echo", retries=0) as client:
        assert [client.translate([text])[0].text for text in texts] == texts
        assert len(made) == 1
        with ThreadPoolExecutor(4) as pool:
            assert [found[0].text for found in pool.map(lambda text: client.translate([text]), texts)] == texts
        assert len(made) <= 4
        assert all(connection.fileno() >= 0 for connection in made)
    _wait_until_closed(made)


def test_close_ends_the_connection(server, api):
    made = []

    def prepare(connection):
        made.append(connection)
        return connection

    with _echoing(made) if api == "rest_url" else relay(server.grpc_url, prepare) as url:
        client = Client(url, "echo", retries=0)
        client.translate(["a"])
        (connection,) = made
        assert connection.fileno() >= 0
        client.close()
        _wait_until_closed(made)
        with pytest.raises(UserError, match=r"^The client is closed: make a new one\. Received: .*model='echo'$"):
            client.translate(["a"])
        client.close()


@pytest.mark.slow
def test_a_refused_grpc_connection_is_retried_after_the_clients_waits(server, monkeypatch):
    for name, value in (("FIRST_WAIT", 0.05), ("LONGEST_WAIT", 0.05)):
        monkeypatch.setattr(f"keras_nmt.serving.client.transports.{name}", value)

    def seconds(refusals):
        refused = []

        def prepare(connection):
            if len(refused) < refusals:
                refused.append(time.monotonic())
                raise OSError  # the connection is closed
            return connection

        with relay(server.grpc_url, prepare) as url, Client(url, "echo", retries=99, timeout=30) as client:
            assert client.translate(["a"])[0].text == "a"
            assert len(refused) == refusals
            return time.monotonic() - refused[0]

    # gRPC's own waits grow, the first is at least 0.8 and 9 are 5 in all. Other processes may delay one.
    assert any(seconds(1) < 0.6 for _ in range(3))
    assert any(seconds(9) < 2.5 for _ in range(3))


def test_https_checks_certificates(server, certificate, monkeypatch):
    def prepare(connection):
        return certificate.wrap_socket(connection, server_side=True)

    with relay(server.rest_url, prepare, "https") as url:
        for host in ("127.0.0.1", "localhost"):
            with Client(url.replace("127.0.0.1", host), "echo") as client:
                assert client.translate(["a"])[0].text == "a"
        monkeypatch.delenv("SSL_CERT_FILE")
        clock = SimpleNamespace(monotonic=time.monotonic)  # a wait before another attempt would be an error
        monkeypatch.setattr("keras_nmt.serving.client.time", clock)
        with Client(url, "echo", timeout=30) as client, pytest.raises(ConnectionError, match="VERIFY_FAILED"):
            client.translate(["a"])


def test_proxies_of_the_environment_have_no_effect(server, api, monkeypatch):
    for name in ("http_proxy", "https_proxy", "grpc_proxy", "all_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with Client(getattr(server, api), "echo", retries=0, timeout=10) as client:
        assert client.translate(["a"])[0].text == "a"


FORKS = """
import os, sys
from keras_nmt.serving import Client
client = Client(sys.argv[1], "echo", timeout=30)
client.translate(["before"])
children = [pid for pid in (os.fork() for _ in range(2)) if pid]
texts = [f"{os.getpid()} {i}" for i in range(100)]
assert [client.translate([text])[0].text for text in texts] == texts
if len(children) == 2:
    assert [os.waitpid(pid, 0)[1] for pid in children] == [0, 0]
"""


@pytest.mark.slow
def test_forked_processes_get_the_answers_to_their_own_requests(server, api):
    """A connection that two processes share would mix their answers."""
    done = subprocess.run([sys.executable, "-c", FORKS, getattr(server, api)], capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr[-2000:]
