"""`keras-nmt translate --document` and `--keep`, on a trained model."""

import pytest


@pytest.mark.slow
def test_a_document_of_several_lines_keeps_its_indentation(trained, tmp_path, keras_nmt):
    page = "<html>\n  <p>\n    3 <b>0\n    7</b>\n    <code>1\n 2</code>\n  </p>\n  <p>1 2</p>\n</html>\n"
    expected = page.replace("3 <b>0\n    7", "le <b>ka ne").replace("<p>1 2", "<p>ke la")
    html = ["translate", trained, "--markup", "html", "--document"]
    assert keras_nmt(*html, stdin=page) == (expected, "")
    for end in ("", "\r\n"):
        lines, wanted = (x.replace("\n", "\r\n").removesuffix("\r\n") + end for x in (page, expected))
        (tmp_path / "page").write_bytes(lines.encode())
        keras_nmt(*html, f"--input={tmp_path}/page", f"--output={tmp_path}/out")
        assert (tmp_path / "out").read_bytes() == wanted.encode()
    xml = ["translate", trained, "--markup", "xml", "--document"]
    texts = ("<t>3 1</t><t>0 <x/>7</t>", "<t>le ke</t><t>ka <x/>ne</t>")
    tree, expected = (f"<r>{text * 99}</r>" for text in texts)  # in one line, which would be cut as one text
    assert keras_nmt(*xml, stdin=tree) == (expected, "")
    assert keras_nmt(*xml).output == ""
    told = "The document ends inside a tag, a comment or an element whose contents stay.\n"
    assert keras_nmt(*html, stdin="<p>3</p>\n<script>\n7").error == told


@pytest.mark.slow
def test_spans_of_lines_stay(trained, keras_nmt):
    lines = "3 {n} 0, http://a.b/c\n\n1 2 %s\n"
    found = keras_nmt("translate", trained, "--keep", "placeholders", "--keep", "http:[^ ]*", stdin=lines).output
    assert [x.count("{n}") + x.count("http://a.b/c") for x in found.split("\n")] == [2, 0, 0, 0]
    assert found.split("\n")[1:] == ["", "ke la %s", ""]


def test_options_without_effect_are_refused(untrained, error_line):
    for arguments, message in (
        (["--document"], "--document goes with --markup"),
        (["--document", "--markup", "html", "--scores"], "no effect with --document. Received: --scores"),
        (["--document", "--markup", "html", "--n-best", 2], "no effect with --document. Received: --n-best"),
        (["--keep", "("], "must be a regular expression, or placeholders or urls"),
        (["--keep", "urls", "--alignments", "out"], "--keep excludes --alignments."),
        (["--keep", "urls", "--alternatives", 2], "no effect with --alternatives. Received: --keep"),
    ):
        assert message in error_line("translate", untrained, *arguments)
