"""The server of the page."""

from __future__ import annotations

import socket
import threading

import fastapi
import gradio
import uvicorn

from keras_nmt.errors import UserError

# A screen reader says when translations are there.
ON_LOAD = """() => document.getElementById("status")?.setAttribute("aria-live", "polite")"""
# Fonts of the system, since those of Gradio's themes may come from other hosts.
FONT, FONT_MONO = ("system-ui", "sans-serif"), ("ui-monospace", "monospace")
SECONDS_TO_END = 2  # then open connections of browsers are closed


class DemoServer:
    """Serves a page of `demo_page` until `stop`, or the end of a `with` block.

    Gradio's own `launch` reads options from the environment, and requests the page from itself, through a proxy if the
    environment names one. The server here does neither, so that nothing leaves the machine.

    Args:
        page: `gradio.Blocks`.
        host: String, the address to listen on. Defaults to the loopback address.
        port: Integer, the port; 0 for a free one. Defaults to 7860.

    Attributes:
        url: String, the address of the page.

    Raises:
        UserError: The address or the port cannot be used.
    """

    def __init__(self, page: gradio.Blocks, host: str = "127.0.0.1", port: int = 7860) -> None:
        self._socket = _bound(host, port)
        shown = f"[{host}]" if ":" in host else host
        self.url = f"http://{shown}:{self._socket.getsockname()[1]}/"
        app = fastapi.FastAPI(openapi_url=None)
        gradio.mount_gradio_app(
            app,
            page,
            path="/",
            footer_links=[],
            run_history=False,
            enable_monitoring=False,
            mcp_server=False,
            pwa=False,
            ssr_mode=False,
            show_error=False,
            max_file_size=1,  # the page takes no files
            theme=gradio.themes.Default(font=FONT, font_mono=FONT_MONO),
            js=ON_LOAD,
        )
        options = uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=SECONDS_TO_END)
        self._server = uvicorn.Server(options)
        self._thread = threading.Thread(target=self._server.run, args=[[self._socket]], daemon=True)
        self._thread.start()

    def wait(self) -> None:
        """Waits until the server is stopped."""
        while self._thread.is_alive():
            self._thread.join(1)  # with a limit: else signals would have to wait

    def stop(self) -> None:
        """Ends the server."""
        self._server.should_exit = True
        self._thread.join()
        self._socket.close()

    def __enter__(self) -> DemoServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def _bound(host: str, port: int) -> socket.socket:
    """A socket that listens on an address."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        bound = socket.socket(family, kind, protocol)
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(address)
        bound.listen()
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UserError(
            f"The page cannot be served there, {reason}: choose another address or port. Received: {host}:{port}"
        ) from None
    return bound
