#!/usr/bin/env bash
# Guess: a sheet or page converted to Markdown for a language model has the words and numbers of the original.
# Behaviour: a sheet goes through pandas with its default markers of missing values: NA, the code of Namibia, None, null and n/a become NaN, as
# do empty cells, and beside these, the whole numbers of the column get decimals: 5 is 5.0. In sheets and pages, a bar in a cell makes two
# cells of it; in CSV it is escaped. Of HTML, 10<sup>3</sup> becomes 103.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile 'markitdown[xlsx]==0.1.9' pandas==3.1.1 openpyxl==3.1.5
"$folder/venv/bin/python" - <<'PY'
import io
import sys
from importlib.metadata import version

import openpyxl
from markitdown import MarkItDown

print(*(f"{name} {version(name)}" for name in ("markitdown", "pandas", "openpyxl")))
SHEET = [["code", "country", "pieces", "note"], ["NA", "Namibia", 5, "None"], ["NO", "Norway", None, "null"], ["DE", "Germany", 3, "a|b"]]
book = openpyxl.Workbook()
for row in SHEET:
    book.active.append(row)
sheet = io.BytesIO()
book.save(sheet)
csv = "\n".join(",".join(str(cell or "") for cell in row) for row in SHEET).encode()
page = "<html><body><p>10<sup>3</sup> km, not 10<sup>-3</sup></p><table><tr><td>a|b</td></tr></table></body></html>".encode()


def markdown(content, extension):
    return MarkItDown().convert_stream(io.BytesIO(content), file_extension=extension).markdown


seen = {extension: markdown(content, extension) for extension, content in ((".xlsx", sheet.getvalue()), (".csv", csv), (".html", page))}
for extension, text in seen.items():
    print(extension, text.strip(), sep="\n")
expected = ["| NaN | Namibia | 5.0 | NaN |", "| NO | Norway | NaN | NaN |", "| DE | Germany | 3.0 | a|b |"]
if any(line not in seen[".xlsx"] for line in expected) or "103 km, not 10-3" not in seen[".html"] or "| a|b |" not in seen[".html"]:
    sys.exit("markitdown changed")
if "| NA | Namibia | 5 | None |" not in seen[".csv"] or "a\\|b" not in seen[".csv"]:
    sys.exit("CSV is not as expected")
PY
