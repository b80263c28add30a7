"""The page of `keras-nmt demo` in Chromium.

`KERAS_NMT_SCREENSHOTS=FOLDER` writes pictures of the page. `KERAS_NMT_DEMO_MODELS=FIRST[:SECOND]` takes trained models
instead of tiny ones, and `KERAS_NMT_DEMO_TEXT` another text: the first model has one direction, shortcuts, composition
and roles; the second has none of these. Without a second, tests of two models are skipped.
"""

import contextlib
import os
import re
import signal
import subprocess
import sys
import urllib.parse
from pathlib import Path

import pytest
from chromium import browser, needs_chromium  # noqa: F401  a fixture

from keras_nmt.analysis import demo_systems
from keras_nmt.inference import Translator

pytestmark = [pytest.mark.nightly, needs_chromium]
# The first translation traces the model, which takes long where tests share the cores.
PATIENCE = 180_000
TEXT = os.environ.get("KERAS_NMT_DEMO_TEXT", "a small cat sat in old houses")
MAX_CHARACTERS, QUEUE = 90, 5
# A program that reports connections to other hosts.
WATCHED = """
import sys
def watch(event, arguments):
    if event == "socket.connect" and isinstance(arguments[1], tuple) and arguments[1][0] not in ("127.0.0.1", "::1"):
        print("OUTSIDE", arguments[1], file=sys.stderr, flush=True)
sys.addaudithook(watch)
from keras_nmt.cli.app import main
main()
"""


@pytest.fixture(scope="module")
def models(directories):
    """A model of one direction with shortcuts, composition and roles, and a model of two languages with a bridge."""
    if given := os.environ.get("KERAS_NMT_DEMO_MODELS"):
        return [Path(path) for path in given.split(":")]
    return [directories / "mixed", directories / "bridged"]


@pytest.fixture(scope="module")
def second(models):
    if len(models) < 2:
        pytest.skip("KERAS_NMT_DEMO_MODELS has one model")
    return Translator.from_directory(models[1])


@pytest.fixture
def beside(models, second):
    """The name of the second model in its first direction."""
    return next(iter(demo_systems({models[1].name: second}, MAX_CHARACTERS)))


@pytest.fixture(scope="module")
def url(models, tmp_path_factory):
    """The address of the page. At the end, the server ends by SIGTERM, and has connected to no other host."""
    pytest.importorskip("gradio", reason="Gradio is not installed: pip install 'keras_nmt[demo]'")
    log = tmp_path_factory.mktemp("server") / "log"
    options = ["--port", "0", "--max-characters", str(MAX_CHARACTERS), "--queue", str(QUEUE)]
    with open(log, "wb") as file:
        server = subprocess.Popen([sys.executable, "-c", WATCHED, "demo", *map(str, models), *options], stderr=file)
    while not (found := re.search(r"http://\S+", log.read_text())):
        with contextlib.suppress(subprocess.TimeoutExpired):
            server.wait(1)
        assert server.poll() is None, log.read_text()
    yield found[0]
    server.send_signal(signal.SIGTERM)
    assert server.wait(60) == 0
    assert "OUTSIDE" not in log.read_text()


@pytest.fixture
def open_page(browser, url):  # noqa: F811
    """Opens the page, and checks at the end that nothing was asked of another host and no script failed."""
    pages, requests, errors = [], [], []

    def opened(query=None, width=1280, height=900):
        page = browser.new_page(viewport={"width": width, "height": height})
        page.set_default_timeout(PATIENCE)
        page.on("request", lambda request: requests.append(request.url))
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(url if query is None else f"{url}?{urllib.parse.urlencode(query)}")
        page.get_by_role("button", name="Translate").wait_for()
        pages.append(page)
        return page

    yield opened
    for page in pages:
        page.close()
    assert requests or not pages
    others = [x for x in requests if not x.startswith((url, "data:", "blob:"))]
    assert not others
    assert not errors


def headings(page, column="#shown"):
    return page.locator(f"{column} h3").all_inner_texts()


def translations(page, column="#shown"):
    return page.locator(f"{column} td:nth-child(2)").all_inner_texts()


def translated(page, column="#shown"):
    """Waits for the results of a column."""
    page.locator(f"{column} table").wait_for()
    page.get_by_text("Link to this input").wait_for()


def picture(page, name, **options):
    """Writes a picture of the page, or of a part of the page, if asked."""
    if folder := os.environ.get("KERAS_NMT_SCREENSHOTS"):
        page.screenshot(path=Path(folder) / f"demo_{name}.png", **options)


def test_a_sentence_is_translated_and_every_mechanism_is_drawn(open_page, models):
    page = open_page(width=1100)
    page.get_by_label("Text", exact=True).fill(TEXT)
    page.keyboard.press("Enter")
    translated(page)
    (expected,) = Translator.from_directory(models[0], num_hypotheses=4).translate([TEXT])
    assert translations(page) == [x.text for x in expected.hypotheses]
    scores = [float(x) for x in page.locator("#shown td:first-child").all_inner_texts()]
    assert scores == pytest.approx([x.score for x in expected.hypotheses], abs=1e-3)
    sections = ["Translations", "Word alignment", "Gates of the shortcuts", "Roles", "Composition"]
    assert headings(page) == sections  # and no bridge
    for section in page.locator("#shown section").all():
        images = section.locator("img").all()
        assert bool(images) == (section.locator("h3").inner_text() not in ("Translations", "Roles"))
        for image in images:
            assert image.evaluate("image => image.complete && image.naturalWidth > 100")
            assert len(image.get_attribute("alt")) > 20
    assert page.locator("#shown .word").count() == len(TEXT.split()) + len(translations(page)[0].split())
    picture(page, "page")
    for section, heading in list(zip(page.locator("#shown section").all(), sections, strict=True))[1:]:
        picture(section, heading.split()[0].lower())


def test_a_link_keeps_the_input(open_page):
    page = open_page()
    page.get_by_label("Text", exact=True).fill(TEXT)
    page.get_by_label("begins with").fill("old")
    page.get_by_role("button", name="Translate").click()
    translated(page)
    assert all(x.startswith("old") for x in translations(page))  # the forced beginning
    link = page.get_by_role("link", name="Link to this input").get_attribute("href")
    page.wait_for_url(f"**/{link}")  # the address became the link
    query = dict(urllib.parse.parse_qsl(link[1:]))
    other = open_page(query)
    translated(other)
    assert other.get_by_label("Text", exact=True).input_value() == TEXT
    assert other.get_by_label("begins with").input_value() == "old"
    assert translations(other) == translations(page)


def test_two_models_stand_side_by_side_with_their_own_mechanisms(open_page, models, second, beside):
    page = open_page({"text": TEXT, "model": models[0].name, "beside": beside})
    translated(page, "#shown_beside")
    assert page.locator("h2").all_inner_texts() == [models[0].name, beside]
    own = "Attention bridge" if second.has_bridge else "Word alignment"
    assert headings(page, "#shown_beside") == ["Translations", own]
    assert page.locator("#shown_beside img").evaluate("image => image.complete && image.naturalWidth > 100")
    first, second = (page.locator(column).bounding_box() for column in ("#shown", "#shown_beside"))
    assert first["x"] + first["width"] <= second["x"]
    assert first["y"] == second["y"]
    picture(page, "two")
    if own == "Attention bridge":
        picture(page.locator("#shown_beside section").last, "bridge")


def test_the_keyboard_suffices(open_page, beside):
    page = open_page()
    focused = "document.activeElement"
    page.get_by_label("Text", exact=True).wait_for()
    assert page.evaluate(f"{focused}.closest('#text') !== null")  # focused from the start
    page.keyboard.type(TEXT)
    assert page.get_by_label("Text", exact=True).input_value() == TEXT
    for name in ("beginning", "model", "beside"):
        page.keyboard.press("Tab")
        assert page.evaluate(f"{focused}.closest('#{name}') !== null"), name
    page.keyboard.type(beside)
    page.get_by_role("option", name=beside).wait_for()
    page.keyboard.press("Enter")
    assert page.get_by_label("Beside").input_value() == beside
    page.wait_for_timeout(1000)  # Gradio takes the choice over a moment later
    page.keyboard.press("Tab")
    assert page.evaluate(f"{focused}.innerText") == "Translate"
    page.keyboard.press("Enter")
    translated(page, "#shown_beside")
    assert page.locator("#shown_beside h2").inner_text() == beside
    assert page.locator("#status").get_attribute("aria-live") == "polite"


def test_nothing_is_wider_than_a_phone_which_shows_two_models_one_below_the_other(open_page, beside):
    phone = {"width": 375, "height": 720}
    page = open_page({"text": TEXT}, **phone)
    translated(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= phone["width"]
    picture(page, "phone")
    page = open_page({"text": TEXT, "beside": beside}, **phone)
    translated(page, "#shown_beside")
    assert page.evaluate("document.documentElement.scrollWidth") <= phone["width"]
    first, second = (page.locator(column).bounding_box() for column in ("#shown", "#shown_beside"))
    assert first["x"] == second["x"]
    assert first["y"] + first["height"] <= second["y"]


def test_long_texts_and_text_that_looks_like_code_are_only_text(open_page):
    page = open_page()
    box = page.get_by_label("Text", exact=True)
    assert box.get_attribute("maxlength") == str(MAX_CHARACTERS)
    box.fill("<img src=x onerror=alert(1)> ${1+1} {{value}} <b>&")
    page.keyboard.press("Enter")
    translated(page)
    assert page.locator("#shown img[src=x]").count() == 0
    # A request that does not come from the page has the same limit.
    box.evaluate("box => box.removeAttribute('maxlength')")
    box.fill("cat " * MAX_CHARACTERS)
    page.keyboard.press("Enter")
    assert f"At most {MAX_CHARACTERS} characters" in page.get_by_role("alert").first.inner_text()


def test_requests_beyond_the_queue_are_refused(open_page, models):
    page = open_page()
    ask = """data => Promise.all([...Array(20).keys()].map(number => fetch("gradio_api/queue/join", {
        method: "POST",
        headers: {"Content-Type": "application/json"},
        body: JSON.stringify({data, fn_index: 0, session_hash: `visitor${number}`}),
    }).then(answer => answer.status)))"""
    statuses = page.evaluate(ask, [TEXT, "", models[0].name, "none"])
    assert 1 <= statuses.count(200) <= QUEUE + 2  # one or two were taken from the queue meanwhile
    assert statuses.count(503) == 20 - statuses.count(200)
