"""The comparison with Marian: where translations differ, and a short training of Marian itself."""

import numpy as np
import pytest

from keras_nmt.inference import Translator

pytestmark = pytest.mark.nightly
SCRIPT = "benchmarks/marian.py"


def test_a_line_that_differs_has_its_place_and_the_probabilities_there(script, make_model, source_tokenizer, lines):
    translator = Translator(make_model(), source_tokenizer, **{**script.OUR_GREEDY, "unknown": "write"})
    given = [line for line in lines if line.strip()][:4]
    ours = script.by_us(translator, given)
    # The second subword of the third translation becomes the next likely one.
    first = ours[2].pieces[0]
    likely = translator.alternatives([given[2]], [first.replace("▁", " ").strip()], count=2)[0]
    pieces = [first, likely[1].piece]
    theirs = [*ours[:2], script.Greedy(pieces, -1.0), ours[3]._replace(score=ours[3].score - 0.5)]
    row, different = script.compare("a model", translator, given, given, theirs)
    assert row[:4] == ["a model", "4", "75.0%", "5.0e-01"]
    ((_, line, place, marian, keras_nmt, gap, *scores),) = different
    assert (line, place, marian, keras_nmt) == ("3", "2", likely[1].piece, ours[2].pieces[1])
    assert float(gap) == pytest.approx(np.log(likely[0].probability / likely[1].probability), rel=0.1)
    assert scores == ["-1.0000", f"{ours[2].score:.4f}"]
