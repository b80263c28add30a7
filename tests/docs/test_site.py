"""The documentation site: its pages, links between files of the repository, and the form of docstrings."""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from chromium import browser, needs_chromium  # noqa: F401  a fixture

ROOT = Path(__file__).parents[2]


def load_hook(name):
    pytest.importorskip("mkdocs")
    spec = importlib.util.spec_from_file_location(f"hook_{name}", ROOT / "docs" / "hooks" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_links_lead_to_the_same_files_on_the_site():
    hook = load_hook("repository_files")
    assert hook.rewrite_links("[a](docs/models.md) ![b](docs/images/architecture.svg)", "index.md") == (
        "[a](models.md) ![b](images/architecture.svg)"
    )
    assert hook.rewrite_links("[a](../../README.md#train)", "how_to/compare.md") == "[a](../index.md#train)"
    page = "recipes/multi30k/README.md"
    assert hook.rewrite_links("[a](../benchmarks/README.md) [b](many.json)", page) == (
        "[a](../benchmarks/README.md) [b](many.json)"
    )
    same = "[a](https://example.org/x.md) [b](#here) [c](missing.md)"
    assert hook.rewrite_links(same, page) == same


def test_a_notebook_is_a_page_with_its_text_and_code_and_linked_files_are_found():
    hook = load_hook("repository_files")
    path = ROOT / "docs" / "notebooks" / "baseline_against_fusion.ipynb"
    page = hook.notebook_page(path)
    assert page.startswith("# Baseline against fusion\n")
    assert "```python\n%matplotlib inline\n" in page
    assert "(baseline_against_fusion.ipynb)" in page
    assert hook.site_path(path) == "notebooks/baseline_against_fusion.md"
    link = "[a](notebooks/baseline_against_fusion.ipynb)"
    assert hook.rewrite_links(link, "analysis.md") == "[a](notebooks/baseline_against_fusion.md)"
    # Links to files, outside code.
    assert ROOT / "docs" / "layers.md" in hook.linked_files(ROOT / "README.md")
    assert ROOT / "tests" / "serving" / "saved_model_run.c" in hook.linked_files(ROOT / "savedmodels" / "README.md")


def test_docstrings_become_sections():
    hook = load_hook("docstrings")
    text = "Adds.\n\nCall arguments:\n    x: Float.\n\nExample:\n\n>>> 1 + 1\n2\n\nReference:\n    A paper.\n"
    assert hook.as_sections(text) == (
        "Adds.\n\nOther Args: Call arguments\n    x: Float.\n\n**Example:**\n\n"
        "```pycon\n>>> 1 + 1\n2\n```\n\nReference:\n    A paper.\n"
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site, built without warnings."""
    pytest.importorskip("mkdocs")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", folder]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=False)
    assert run.returncode == 0, run.stderr.decode()
    return folder


@pytest.mark.nightly
def test_the_site_needs_no_other_host_and_has_every_public_name(site):
    pages = [*site.rglob("*.html")]
    assert len(pages) > 30
    elsewhere = re.compile(r'<(?:script|link rel="stylesheet"|img|iframe)[^>]*(?:src|href)="(?:https?:)?//')
    assert not [page for page in pages if elsewhere.search(page.read_text(encoding="utf-8"))]
    for page in (ROOT / "docs" / "reference").glob("*.md"):
        package = page.read_text(encoding="utf-8").split("::: ")[1].strip()
        reference = (site / "reference" / f"{page.stem}.html").read_text(encoding="utf-8")
        for name in importlib.import_module(package).__all__:
            assert f'id="{package}.{name}"' in reference, f"{package}.{name}"


@pytest.mark.nightly
@needs_chromium
def test_the_search_works_in_a_page_that_is_opened_as_a_file(site, browser):  # noqa: F811
    page = browser.new_page()
    errors, requests = [], []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("request", lambda request: requests.append(request.url))
    page.goto((site / "how_to" / "client.html").as_uri())
    page.locator(".md-search__input").click()
    page.keyboard.type("bilinear pooling")
    results = page.locator(".md-search-result__link")
    results.first.wait_for()
    assert any("concepts/composition.html" in link.get_attribute("href") for link in results.all())
    results.first.click()
    page.wait_for_url(re.compile("composition|layers"))
    assert not errors
    assert all(url.startswith(("file:", "data:", "about:")) for url in requests)
    page.close()
