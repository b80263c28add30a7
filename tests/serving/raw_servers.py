"""Servers of bare sockets, which do what no real server would."""

from __future__ import annotations

import contextlib
import socket
import threading
import urllib.parse
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager


@contextlib.contextmanager
def listening(
    talk: Callable[[socket.socket], object], scheme: str = "http", address: str = "127.0.0.1"
) -> Iterator[str]:
    """The URL of a server that gives each connection to `talk`, in a thread of its own."""

    def talk_to(connection: socket.socket) -> None:
        with contextlib.suppress(OSError), connection:
            talk(connection)

    def accept(listener: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=talk_to, args=[listener.accept()[0]], daemon=True).start()

    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.create_server((address, 0), family=family) as listener:
        threading.Thread(target=accept, args=[listener], daemon=True).start()
        yield f"{scheme}://{f'[{address}]' if ':' in address else address}:{listener.getsockname()[1]}"


def relay(
    url: str, prepare: Callable[[socket.socket], socket.socket], scheme: str | None = None, address: str = "127.0.0.1"
) -> AbstractContextManager[str]:
    """The URL of a server in front of another, which prepares its side of a connection."""
    target = urllib.parse.urlsplit(url)

    def pipe(source: socket.socket, sink: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)

    def talk(connection: socket.socket) -> None:
        with prepare(connection) as near, socket.create_connection((target.hostname, target.port)) as far:
            for end in (near, far):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            back = threading.Thread(target=pipe, args=(far, near), daemon=True)
            back.start()
            pipe(near, far)
            back.join()

    return listening(talk, scheme or target.scheme, address)


def receive(connection: socket.socket) -> bytes:
    """Receives a request as a whole; nothing if there is none."""
    with connection.makefile("rb") as file:  # a client sends no second request before the answer to the first
        head = b"".join(iter(file.readline, b"\r\n")) if file.peek() else b""
        length = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0] or 0)
        return head + file.read(length)
