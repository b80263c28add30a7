#!/usr/bin/env bash
# Guess: the text of a cell of an Excel file is the text that a person wrote and sees there.
# Behaviour: Excel's format writes a control character as _x000D_ (its code), and text that looks like such an escape with _x005F_ for its
# first underscore. openpyxl reads the first as seven characters of text, and removes "x005F_" wherever it stands, also where it is no
# escape. It writes without escapes: for all who read the file as the format says, "file_x0041_name" is "fileAname", and "_x000D_" the end
# of a line.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile openpyxl==3.1.5 xlsxwriter==3.3.1 python-calamine==0.9.1
cd "$folder"
venv/bin/python - <<'PY'
import sys
from importlib.metadata import version

import openpyxl
import xlsxwriter
from python_calamine import CalamineWorkbook

print(*(f"{name} {version(name)}" for name in ("openpyxl", "xlsxwriter", "python-calamine")))
texts = ["first\rsecond", "page\x0cbreak", "file_x0041_name", "write x005F_ before it"]


def with_openpyxl():
    return [row[0].value for row in openpyxl.load_workbook("file.xlsx").active.iter_rows()]


def with_calamine():
    return [row[0] for row in CalamineWorkbook.from_path("file.xlsx").get_sheet_by_index(0).to_python()]


def shown(written_by, written):
    seen = [with_openpyxl(), with_calamine()]
    for text, one, other in zip(written, *seen):
        print(f"{text!r}, written by {written_by}: openpyxl reads {one!r}, calamine {other!r}")
    return seen


with xlsxwriter.Workbook("file.xlsx") as book:
    sheet = book.add_worksheet()
    for row, text in enumerate(texts):
        sheet.write_string(row, 0, text)
of_xlsxwriter = shown("XlsxWriter", texts)
book = openpyxl.Workbook()
written = ["file_x0041_name", "the escape _x000D_"]
for text in written:
    book.active.append([text])
book.save("file.xlsx")
of_openpyxl = shown("openpyxl", written)
if of_xlsxwriter != [["first_x000D_second", "page_x000C_break", "file_x0041_name", "write  before it"], texts]:
    sys.exit("reading changed")
if of_openpyxl != [written, ["fileAname", "the escape \r"]]:
    sys.exit("writing changed")
PY
