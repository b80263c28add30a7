"""`keras-nmt translate --document` and `--keep`, on a trained model."""

import pytest

pytestmark = pytest.mark.slow


def test_a_document_of_several_lines_keeps_its_indentation(trained, tmp_path, keras_nmt):
    page = "<html>\n  <p>\n    3 <b>0\n    7</b>\n    <code>1\n 2</code>\n  </p>\n  <p>1</p>\n</html>\n"
    expected = page.replace("3 <b>0\n    7", "three <b>zero seven").replace("<p>1", "<p>one")
    found = keras_nmt("translate", trained, "--markup", "html", "--document", stdin=page)
    assert (found.stdout.decode(), found.stderr) == (expected, b"")
    (tmp_path / "page").write_bytes(page.removesuffix("\n").replace("\n", "\r\n").encode())
    keras_nmt(
        "translate", trained, "--markup=html", "--document", f"--input={tmp_path}/page", f"--output={tmp_path}/out"
    )
    assert (tmp_path / "out").read_bytes() == expected.encode()
    tree = "<r><t>3</t><t>0 <x/>7</t></r>"
    found = keras_nmt("translate", trained, "--markup", "xml", "--document", stdin=tree)
    assert found.stdout.decode() == "<r><t>three</t><t>zero <x/>seven</t></r>\n"
    assert keras_nmt("translate", trained, "--markup", "xml", "--document").stdout == b""
    found = keras_nmt("translate", trained, "--markup", "html", "--document", stdin="<p>3</p>\n<script>\n7")
    assert found.stderr == b"The document ends inside a tag, a comment or an element whose contents stay.\n"


def test_spans_of_lines_stay(trained, keras_nmt):
    lines = "3 {n} 0, http://a.b/c\n\n1 %s\n"
    found = keras_nmt("translate", trained, "--keep", "placeholders", "--keep", "http:[^ ]*", stdin=lines)
    assert [x.count("{n}") + x.count("http://a.b/c") for x in found.stdout.decode().split("\n")] == [2, 0, 0, 0]
    assert found.stdout.decode().split("\n")[1:] == ["", "one %s", ""]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--document"], "--document goes with --markup"),
        (["--document", "--markup", "html", "--scores"], "no effect with --document. Received: --scores"),
        (["--document", "--markup", "html", "--n-best", 2], "no effect with --document. Received: --n-best"),
        (["--keep", "("], "must be a regular expression, or placeholders or urls"),
        (["--keep", "urls", "--alignments", "out"], "--keep excludes --alignments."),
        (["--keep", "urls", "--alternatives", 2], "no effect with --alternatives. Received: --keep"),
    ],
)
def test_options_without_effect_are_refused(arguments, message, trained, tmp_path, keras_nmt):
    refused = keras_nmt("translate", trained, *arguments, stdin="1\n")
    assert refused.returncode == 2
    assert message in refused.stderr.decode()
