"""`keras-nmt demo`: errors of the command, and what the page shows, without a browser."""

import sys
import types

import pytest

from keras_nmt import analysis
from keras_nmt.analysis import demo_systems


@pytest.mark.parametrize("package", ["gradio", "matplotlib"])
def test_without_the_extra_one_line_says_how_to_install_it(package, untrained, error_line, monkeypatch):
    for name in ("gradio", "matplotlib"):
        monkeypatch.setitem(sys.modules, name, None if name == package else types.ModuleType(name))
        if name != package:
            sys.modules[name].__spec__ = object()
    assert error_line("demo", untrained) == (
        f"Error: The page needs the extra `demo`: pip install 'keras_nmt[demo]'. Received: no module {package}\n"
    )


def test_the_package_needs_no_extra(monkeypatch):
    """All its names are imported; a module of None is one that is not installed."""
    for name in ("fastapi", "gradio", "uvicorn", "matplotlib", "conllu"):
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.delitem(sys.modules, "keras_nmt.analysis.demo", raising=False)
    assert all(getattr(analysis, name) for name in analysis.__all__)


def test_wrong_arguments_are_refused_before_anything_is_loaded(untrained, error_line, tmp_path):
    assert "must contain config.json" in error_line("demo", tmp_path)
    assert "Name each model directory once" in error_line("demo", untrained, untrained)
    assert "--n-best" in error_line("demo", untrained, "--n-best", 5, "--beam-size", 2)
    assert "--port" in error_line("demo", untrained, "--port", 70_000)
    assert "--max-characters" in error_line("demo", untrained, "--max-characters", 0)


def test_a_port_in_use_is_one_line(untrained, error_line):
    pytest.importorskip("gradio")
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert error_line("demo", untrained, "--port", port).endswith(
            f"choose another address or port. Received: 127.0.0.1:{port}\n"
        )


class Translators:
    """Stands in for translators where nothing is translated."""

    def __init__(self, *directions):
        self.directions, self.tags, self.target = directions, (), None


def test_every_direction_is_listed():
    many = Translators(("de", "fr"), ("fr", "de"))
    systems = demo_systems({"one": Translators(("source", "target")), "many": many}, 10)
    assert list(systems) == ["one", "many, de to fr", "many, fr to de"]
    assert (systems["one"].source_language, systems["one"].target_language) == (None, None)
    assert (systems["many, fr to de"].source_language, systems["many, fr to de"].target_language) == ("fr", "de")


def test_errors_of_the_user_are_shown_as_text():
    system = demo_systems({"<one>": Translators(("source", "target"))}, 10)["<one>"]
    for arguments in (("eleven char", ""), ("a", "eleven char")):
        shown = system.show(*arguments)
        assert shown.startswith("<h2>&lt;one&gt;</h2>")
        assert '<p role="alert">At most 10 characters. Received: 11 characters</p>' in shown
    assert "There is no text" in system.show("   ", "")
