"""Spans of text that stay as they are, and noise around them."""

import pytest

from keras_nmt.data import SourceNoise
from keras_nmt.errors import UserError
from keras_nmt.text.kept_text import KeptText


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        ("placeholders", "%s %1$s %-5d, %.2f %05.1f %lu %@ %(name)s %%", "%s %1$s %-5d %.2f %05.1f %lu %@ %(name)s %%"),
        ("placeholders", "%s%d file%d.txt: 100%% of %name%", "%s %d %d %% %name%"),
        ("placeholders", "100% der, 5 % d, 10%d, 100%, 3%s", ""),
        ("placeholders", "{} {0:.2f}. {{name}} ${name} #{x} %{x} {a.b}", "{} {0:.2f} {{name}} ${name} #{x} %{x} {a.b}"),
        ("placeholders", "{{ a b }}|{0, number, #}|{n, plural, other {# dogs}}|{a dog}", "{{ a b }}|{0, number, #}"),
        ("urls", "see https://a.org/b?c=d&e=%20#f, or HTTP://X.", "https://a.org/b?c=d&e=%20#f HTTP://X"),
        ("urls", "(http://x.de/a_(b)), (www.x.de)", "http://x.de/a_(b) www.x.de"),
        ("urls", "www.a.org! “ftp://a/ä” a.b+c@d-e.co.uk. http://例.jp/あ。", "www.a.org ftp://a/ä a.b+c@d-e.co.uk http://例.jp/あ"),
        ("urls", "no. yes, a:b, http:// and @me", ""),
        (r"ACME \d+", "the ACME 3000 and ACME X", "ACME 3000"),
        ("x*", "axxb", "xx"),
    ],
)  # fmt: skip
def test_patterns_find_spans(pattern, text, found):
    spans = KeptText([pattern]).spans(text)
    between = "|" if "|" in found else "|" if "ACME" in found else " "
    assert between.join(text[start:stop] for start, stop in spans) == found


def test_spans_that_overlap_are_one():
    assert KeptText(["abc", "bcd", "e", r"\d+"]).spans("abcde 12") == [(0, 4), (4, 5), (6, 8)]


@pytest.mark.parametrize(
    ("keep", "message"),
    {
        "urls": "`keep` must be a list of patterns. Received: keep='urls'",
        ("(",): "must be a regular expression, or placeholders or urls. Received: '\\(' ",
        (3,): "must be a string that is not empty. Received: 3",
        ("",): "must be a string that is not empty. Received: ''",
    }.items(),
)
def test_wrong_patterns_are_refused(keep, message):
    with pytest.raises(UserError, match=message):
        KeptText(keep)
    with pytest.raises(UserError, match=message):
        SourceNoise(swap=0.1, keep=keep)


def test_noise_leaves_placeholders_addresses_and_own_patterns():
    text = "see https://a.org/bcd and {name} in ACME Rockets, %1$s."
    noise = SourceNoise(drop=0.5, uppercase=1.0, final_stop=1.0)
    for noisy in noise.apply([text] * 50, range(50), (1,)):
        words = noisy.split(" ")
        assert (words[1], words[3], words[7]) == ("https://a.org/bcd", "{name}", "%1$s")
        assert words[0] in ("SEE", "SE", "EE", "S", "E")
    assert SourceNoise(swap=0.9, keep=["ACME R.*s"]).apply([text], [0], (1,))[0].split(" ")[5:7] == ["ACME", "Rockets,"]
    assert SourceNoise(uppercase=1.0, keep=[]).apply(["to {name}"], [0], (1,)) == ["TO {NAME}"]
    assert SourceNoise(final_stop=1.0, keep=["etc\\."]).apply(["dogs etc."], [0], (1,)) == ["dogs etc."]
    made = SourceNoise.from_settings({"swap": 0.1, "keep": ["urls"]})
    assert made.keep == ["urls"]
