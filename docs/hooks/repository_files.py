"""A hook of MkDocs: pages and links of the site to files of the repository outside `docs/`.

The READMEs beside recipes and exports are pages of the site, without copies in `docs/`. A relative link means the same
on the site and in the repository: a link to any other file of the repository, such as a test, leads to a copy on the
site. A notebook is a page, whose code is shown.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[2]
HOME = ROOT / "README.md"
# The destination of a link or of a picture, up to `#`.
DESTINATION = re.compile(r"(?<=\]\()(?![a-z]+:|#)([^)#\s]+)|(?<=<img src=\")(?![a-z]+:)([^\"#]+)")
CODE = re.compile(r"^(?: {4}.*|```(?:.*\n)*?```)$", re.MULTILINE)


def pages() -> list[Path]:
    """The Markdown files outside `docs/` that are pages of the site."""
    folders = ("benchmarks", "keras_nmt", "recipes", "savedmodels")
    others = [*ROOT.glob("lab/*.md"), *(path for folder in folders for path in ROOT.glob(f"{folder}/**/README.md"))]
    return [HOME, ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md", *sorted(others)]


def site_path(path: Path) -> str:
    """The path on the site of a file of the repository."""
    if path == HOME:
        return "index.md"
    relative = path.relative_to(ROOT)
    if path.suffix == ".ipynb":
        relative = relative.with_suffix(".md")
    return relative.relative_to("docs").as_posix() if relative.parts[0] == "docs" else relative.as_posix()


def repository_path(source: str) -> Path:
    """The file of the repository that is at a path on the site."""
    if source == "index.md":
        return HOME
    inside = ROOT / "docs" / source
    return inside if inside.exists() else ROOT / source


def linked_files(path: Path) -> list[Path]:
    """The files of the repository to which a Markdown file links."""
    text = CODE.sub("", path.read_text(encoding="utf-8"))
    found = [Path(os.path.normpath(path.parent / "".join(groups))) for groups in DESTINATION.findall(text)]
    return [file for file in found if file.is_file() and file.is_relative_to(ROOT)]


def rewrite_links(markdown: str, source: str) -> str:
    """The text of a page with relative links to the files' paths on the site."""
    page = repository_path(source)

    def destination(match: re.Match[str]) -> str:
        file = Path(os.path.normpath(page.parent / match.group(0)))
        if not file.is_file() or not file.is_relative_to(ROOT):
            return match.group(0)
        return os.path.relpath(site_path(file), os.path.dirname(source))

    return DESTINATION.sub(destination, markdown)


def notebook_page(path: Path) -> str:
    """The text and the code of a notebook as Markdown; outputs are left out."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    texts = [("".join(cell["source"]), cell["cell_type"] == "code") for cell in cells]
    heading, *parts = (f"```python\n{text}\n```" if is_code else text for text, is_code in texts)
    return "\n\n".join([heading, f"[This page as a notebook]({path.name})", *parts])


def on_files(files: Files, *, config: Any) -> Files:
    """Adds pages outside `docs/`, and the files that pages link to."""
    own = [ROOT / "docs" / file.src_uri for file in files.documentation_pages()]
    wanted = [*pages(), *(file for page in [*own, *pages()] for file in linked_files(page))]
    for path in dict.fromkeys(wanted):
        if files.get_file_from_path(site_path(path)) is None:
            of_file = {"content": notebook_page(path)} if path.suffix == ".ipynb" else {"abs_src_path": str(path)}
            files.append(File.generated(config, site_path(path), **of_file))
    return files


def on_page_markdown(markdown: str, *, page: Any, config: Any, files: Files) -> str:
    """Rewrites the links of a page."""
    return rewrite_links(markdown, page.file.src_uri)
