#!/usr/bin/env bash
# Guess: a price such as 0.305 € for a kilowatt-hour or 0.008 $ for 1,000 tokens is below one; three digits behind a mark may be thousands only
# where something stands before it.
# Behaviour: three digits behind one mark are always thousands: 0.305 € is 305 €, $0.005 is 5 dollars, 1.599 € for a litre 1,599 €. Two and four
# digits are right, so that of a list of prices some are a thousand times as large. `decimal_separator="."` mends it. Factors and signs are
# not read: "1.5 Mio. €" is 1.5, "-5 €" is 5. In part known: https://github.com/scrapinghub/price-parser/issues/46
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile price-parser==0.5.1
"$folder/venv/bin/python" - <<'PY'
import sys
from decimal import Decimal
from importlib.metadata import version

from price_parser import Price

print("price-parser", version("price-parser"))
prices = {
    "0.30 €": "0.30", "0.305 €": "305", "0.3055 €": "0.3055", "0,305 €": "305", "$0.005": "5", "$0.0051": "0.0051", "1.599 €/l": "1599",
    "1.5 Mio. €": "1.5", "-5 €": "5",
}
for text, amount in prices.items():
    seen = Price.fromstring(text).amount
    print(f"{text} is {seen}")
    if seen != Decimal(amount):
        sys.exit("price-parser changed")
if Price.fromstring("0.305 €", decimal_separator=".").amount != Decimal("0.305"):
    sys.exit("not as expected")
PY
