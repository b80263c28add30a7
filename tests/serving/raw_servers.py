"""Servers of bare sockets, which do what no real server would, and the requests of a client."""

import contextlib
import json
import socket
import threading
import time
import urllib.parse
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import grpc


@contextlib.contextmanager
def listening(talk, scheme="http", address="127.0.0.1"):
    """The URL of a server that gives each connection to `talk`, in a thread of its own."""

    def talk_to(connection):
        with contextlib.suppress(OSError), connection:
            talk(connection)

    def accept(listener):
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=talk_to, args=[listener.accept()[0]], daemon=True).start()

    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.create_server((address, 0), family=family) as listener:
        threading.Thread(target=accept, args=[listener], daemon=True).start()
        yield f"{scheme}://{f'[{address}]' if ':' in address else address}:{listener.getsockname()[1]}"


def relay(url, prepare, scheme=None, address="127.0.0.1"):
    """The URL of a server in front of another, which prepares its side of a connection."""
    target = urllib.parse.urlsplit(url)

    def pipe(source, sink):
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)

    def talk(connection):
        with prepare(connection) as near, socket.create_connection((target.hostname, target.port)) as far:
            for end in (near, far):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            back = threading.Thread(target=pipe, args=(far, near), daemon=True)
            back.start()
            pipe(near, far)
            back.join()

    return listening(talk, scheme or target.scheme, address)


def receive(connection):
    """Receives a request as a whole; nothing if there is none."""
    with connection.makefile("rb") as file:  # a client sends no second request before the answer to the first
        head = b"".join(iter(file.readline, b"\r\n")) if file.peek() else b""
        length = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0] or 0)
        return head + file.read(length)


def http(content, status=200, header=""):
    """An HTTP answer with bytes or with the rows of predictions."""
    if not isinstance(content, bytes):
        content = json.dumps({"predictions": content}).encode()
    return f"HTTP/1.1 {status} Any\r\nContent-Length: {len(content)}\r\n{header}\r\n".encode() + content


@contextlib.contextmanager
def lying_server():
    """A server of both APIs that answers `rest` and `grpc`, whatever it is asked; a tuple is the code of an error."""
    state = SimpleNamespace(rest=b"", grpc=b"", times=[])

    def talk(connection):
        while receive(connection):
            state.times.append(time.monotonic())
            connection.sendall(state.rest)

    def answer(_, context):
        state.times.append(time.monotonic())
        return context.abort(*state.grpc) if isinstance(state.grpc, tuple) else state.grpc

    class Handler(grpc.GenericRpcHandler):
        def service(self, _):
            return grpc.unary_unary_rpc_method_handler(answer)

    server = grpc.server(ThreadPoolExecutor(2), [Handler()])
    state.grpc_url = f"grpc://127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    server.start()
    with listening(talk) as state.rest_url:
        yield state
    server.stop(None).wait()


def sent_by(client):
    """The signature and the inputs of each request that a client will send."""
    sent, predict = [], client._transport.predict

    def noted(signature, inputs, deadline):
        sent.append((signature, inputs))
        return predict(signature, inputs, deadline)

    client._transport.predict = noted
    return sent
