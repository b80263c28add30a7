#!/usr/bin/env bash
# Guess: the plain text of a LaTeX text has its words and numbers, and the signs between them.
# Behaviour: of fractions, only \frac is one: \tfrac{1}{2} and \dfrac{1}{2} are 12, $3\frac{1}{2}$ is 31/2; ranges of siunitx lose what is between
# their ends, \SIrange{1}{2}{m} is 12m, 10\textsuperscript{3} is 103. Of the two names of one sign, \neq is ≠ and \ne nothing: "a b" for a ≠ b; p
# \textless{} 0.05 is "p 0.05", and \neg, \land and \implies are nothing. Words in \mbox, \texttt and \verb vanish: "Do \mbox{not} open" is
# "Do  open". Words in bold, accents and the other signs are right.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile pylatexenc==2.11
"$folder/venv/bin/python" - <<'PY'
import sys
from importlib.metadata import version

from pylatexenc.latex2text import LatexNodes2Text

print("pylatexenc", version("pylatexenc"))
right = {
    r"Do \textbf{not} open": "Do not open",
    r"$a \neq b$, $a \le b$": "a ≠ b, a ≤ b",
    r"$\frac{1}{2}$ m": "1/2 m",
    r"10$^{3}$ m": "10^3 m",
    r"caf\'e, 5\,\% --- na\"{\i}ve": "café, 5 % — naïve",
}
wrong = {
    r"$\tfrac{1}{2}$ or $\dfrac{1}{2}$ m": "12 or 12 m",
    r"$3\frac{1}{2}$ m": "31/2 m",
    r"\SIrange{1}{2}{m}": "12m",
    r"10\textsuperscript{3} m": "103 m",
    r"$a \ne b$": "a  b",
    r"p \textless{} 0.05": "p  0.05",
    r"$\neg A \land B \implies C$": " A  B  C",
    r"Do \mbox{not} open": "Do  open",
    r"Call \texttt{save} or \verb|load|.": "Call  or .",
}
texts = {latex: LatexNodes2Text().latex_to_text(latex) for latex in right | wrong}
for latex, text in texts.items():
    print(f"{latex}: {text!r}")
if any(texts[latex] != text for latex, text in right.items()):
    sys.exit("not as expected")
if any(texts[latex].split() != text.split() for latex, text in wrong.items()):
    sys.exit("pylatexenc changed")
PY
