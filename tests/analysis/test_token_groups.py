"""Groups of tokens: tags of treebanks, and bins of frequency."""

import numpy as np
import pytest

from keras_nmt.analysis import TaggedSentence, by_frequency, hidden_states, read_conllu
from keras_nmt.errors import UserError

CONLLU = """# text = Don't stop.
1-2\tDon't\t_\t_\t_\t_\t_\t_\t_\t_
1\tDo\tdo\tAUX\t_\t_\t3\taux\t_\t_
2\tn't\tnot\tPART\t_\t_\t3\tadvmod\t_\t_
3\tstop\tstop\tVERB\t_\t_\t0\troot\t_\tSpaceAfter=No
4\t.\t.\tPUNCT\t_\t_\t3\tpunct\t_\t_

1\tthe\tthe\tDET\t_\t_\t2\tdet\t_\t_
2\tcat\tcat\tNOUN\t_\t_\t0\troot\t_\t_
"""


def test_conllu_gives_text_and_tags(tmp_path):
    (tmp_path / "text.conllu").write_text(CONLLU)
    first, second = read_conllu(tmp_path / "text.conllu")
    assert first == TaggedSentence("Don't stop.", (0, 6, 10), ("AUX", "VERB", "PUNCT"))
    assert second.text == "the cat"
    word = next(line for line in CONLLU.splitlines() if line.startswith("1\t"))
    seven_columns, range_alone = word.rsplit("\t", 3)[0], word.replace("1\t", "1-2\t", 1)
    for content in ("no table", "", seven_columns, range_alone):
        (tmp_path / "other").write_text(content + "\n")
        reasons = r"(and has no sentences|of ten columns\. Received: [^\n]+$)"
        with pytest.raises(UserError, match=rf"^[^\n]*other must be CoNLL-U, {reasons}"):
            read_conllu(tmp_path / "other")


def test_bins_of_frequency_have_equally_many_types(plain, lines):
    groups = by_frequency(plain, lines)
    counts = np.zeros(60, int)
    for line in lines:
        np.add.at(counts, plain.tokenizers["source"].tokenize([line])[0].numpy(), 1)
    largest, types = {}, {}
    for batch in hidden_states(plain, lines):
        for i, label in zip(batch.source.ids, groups(batch.source), strict=True):
            if i <= 3:
                assert label == ""
                continue
            largest.setdefault(int(label), set()).add(int(counts[i]))
            types.setdefault(int(label), set()).add(int(i))
    assert max(map(len, types.values())) - min(map(len, types.values())) <= 1
    for low, high in zip(sorted(largest), sorted(largest)[1:], strict=False):
        assert max(largest[low]) <= min(largest[high])
