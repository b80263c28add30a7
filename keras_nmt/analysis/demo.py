"""The page of `keras-nmt demo` in the browser, in Gradio, and its server. Needs the extra `demo`."""

from __future__ import annotations

import socket
import threading
import time
import urllib.parse
from collections.abc import Iterator, Mapping
from typing import Any

import fastapi
import gradio
import uvicorn

from keras_nmt.analysis.model_trace import DemoSystem
from keras_nmt.errors import UserError

NONE = "none"
# The names of the inputs in a link.
INPUTS = ("text", "beginning", "model", "beside")
# The address of the page becomes the link, so that reloading and bookmarks keep the input.
LINK_SCRIPT = """() => {
    const link = document.querySelector("#status a");
    if (link) history.replaceState(null, "", link.href);
}"""
# A screen reader says when translations are there.
LOAD_SCRIPT = """() => document.getElementById("status")?.setAttribute("aria-live", "polite")"""
# Fonts of the system, since those of Gradio's themes may come from other hosts.
FONT, FONT_MONO = ("system-ui", "sans-serif"), ("ui-monospace", "monospace")
SECONDS_TO_END = 2  # then open connections of browsers are closed


def demo_page(systems: Mapping[str, DemoSystem], *, queue_size: int = 16) -> gradio.Blocks:
    """Makes the page: a text, its translations by one or two models, and the insides of the models.

    The page sends nothing to other hosts: no telemetry, no fonts. A link such as `?text=A+man&beginning=Ein` fills the
    page and translates. One sentence at a time is computed.

    Args:
        systems: Mapping from names to `DemoSystem`, as `demo_systems` returns it.
        queue_size: Integer, how many requests may wait; further requests are refused. Defaults to 16.

    Returns:
        The page, `gradio.Blocks`, for `DemoServer`.
    """
    names = list(systems)
    longest = next(iter(systems.values())).max_characters

    def translate(text: str, prefix: str, model: str, beside: str) -> tuple[Any, ...]:
        if not text.strip():
            return "", "", gradio.update(visible=False), "Type a text to translate."
        start = time.monotonic()
        shown = systems[model].show(text, prefix)
        shown_beside = "" if beside == NONE else systems[beside].show(text, prefix)
        query = urllib.parse.urlencode(dict(zip(INPUTS, (text, prefix, model, beside), strict=True)))
        status = f'Translated in {time.monotonic() - start:.1f} s. <a href="?{query}">Link to this input</a>'
        return shown, shown_beside, gradio.update(visible=beside != NONE), status

    def open_link(request: gradio.Request) -> Iterator[tuple[Any, ...]]:
        text, prefix, model, beside = (request.query_params.get(name, "") for name in INPUTS)
        unchanged = (gradio.skip(),) * 4
        if not text.strip():
            yield unchanged * 2  # a visitor may be typing already
            return
        model, beside = model if model in systems else names[0], beside if beside in systems else NONE
        given = text[:longest], prefix[:longest], model, beside
        yield *given, *unchanged
        yield *unchanged, *translate(*given)

    with gradio.Blocks(title="Inside translation", analytics_enabled=False, fill_width=True) as page:
        gradio.Markdown("# Inside translation")
        text = gradio.Textbox(
            label="Text", max_lines=6, max_length=longest, autofocus=True, elem_id="text", placeholder="One sentence"
        )
        prefix = gradio.Textbox(label="The translation begins with (optional)", max_length=longest, elem_id="beginning")
        with gradio.Row():
            model = gradio.Dropdown(names, value=names[0], label="Model", elem_id="model")
            beside = gradio.Dropdown([NONE, *names], value=NONE, label="Beside", elem_id="beside")
        button = gradio.Button("Translate", variant="primary")
        status = gradio.HTML(elem_id="status")
        with gradio.Row():
            with gradio.Column(min_width=320):
                shown = gradio.HTML(elem_id="shown")
            with gradio.Column(min_width=320, visible=False) as column:
                shown_beside = gradio.HTML(elem_id="shown_beside")

        inputs, outputs = [text, prefix, model, beside], [shown, shown_beside, column, status]
        # One model computes at a time, whichever event asks.
        options: dict[str, Any] = {"concurrency_limit": 1, "concurrency_id": "models", "api_visibility": "private"}
        translated = gradio.on([button.click, text.submit, prefix.submit], translate, inputs, outputs, **options)
        translated.then(None, js=LINK_SCRIPT, api_visibility="private")
        opened = page.load(open_link, None, [*inputs, *outputs], **options)
        opened.then(None, js=LINK_SCRIPT, api_visibility="private")
    page.queue(max_size=queue_size, api_open=False)
    return page


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
            js=LOAD_SCRIPT,
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
    """Opens a socket that listens on an address."""
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
