"""The page, in Gradio."""

from __future__ import annotations

import time
import urllib.parse
from collections.abc import Iterator, Mapping
from typing import Any

import gradio

from keras_nmt.demo.demo_systems import DemoSystem

NONE = "none"
# The names of the inputs in a link.
INPUTS = ("text", "beginning", "model", "beside")
# The address of the page becomes the link, so that reloading and bookmarks keep the input.
TO_ADDRESS = """() => {
    const link = document.querySelector("#status a");
    if (link) history.replaceState(null, "", link.href);
}"""


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
        translated.then(None, js=TO_ADDRESS, api_visibility="private")
        opened = page.load(open_link, None, [*inputs, *outputs], **options)
        opened.then(None, js=TO_ADDRESS, api_visibility="private")
    page.queue(max_size=queue_size, api_open=False)
    return page
