#!/usr/bin/env bash
# Guess: a selector of Fluent takes the plural form of the number as it is shown; int, float and Decimal are numbers alike, as documented.
# Behaviour: a Decimal never matches a variant: 1 is "1 stars" in English, 5 takes the default form in Polish, and [0] is not taken either;
# the function that compares knows int and float only. And the options of NUMBER() have no influence, though Fluent asks that the formatted
# number choose the form: with minimumFractionDigits: 1, one is "1.0 star", with maximumFractionDigits: 0, 1.2 is "1 stars".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile fluent.runtime==0.4.0 babel==2.19.0
"$folder/venv/bin/python" - <<'PY'
import sys
from decimal import Decimal
from importlib.metadata import version

from babel import Locale
from fluent.runtime import FluentBundle, FluentResource

print(*(f"{name} {version(name)}" for name in ("fluent.runtime", "babel")))
ENGLISH = """
stars = { $n ->
    [0] no stars
    [one] { $n } star
   *[other] { $n } stars
 }
one-digit = { NUMBER($n, minimumFractionDigits: 1) ->
    [one] { NUMBER($n, minimumFractionDigits: 1) } star
   *[other] { NUMBER($n, minimumFractionDigits: 1) } stars
 }
no-digit = { NUMBER($n, maximumFractionDigits: 0) ->
    [one] { NUMBER($n, maximumFractionDigits: 0) } star
   *[other] { NUMBER($n, maximumFractionDigits: 0) } stars
 }
"""
POLISH = """
stars = { $n ->
    [one] { $n } gwiazdka
    [few] { $n } gwiazdki
    [many] { $n } gwiazdek
   *[other] { $n } gwiazdki (other)
 }
"""


def bundle(language, resource):
    made = FluentBundle([language], use_isolating=False)
    made.add_resource(FluentResource(resource))
    return lambda message, n: made.format_pattern(made.get_message(message).value, {"n": n})


english, polish = bundle("en", ENGLISH), bundle("pl", POLISH)
cases = [
    (english, "stars", 0, "no stars"),
    (english, "stars", Decimal(0), "0 stars"),
    (english, "stars", 1, "1 star"),
    (english, "stars", Decimal(1), "1 stars"),
    (polish, "stars", 5, "5 gwiazdek"),
    (polish, "stars", Decimal(5), "5 gwiazdki (other)"),
    (english, "one-digit", 1, "1.0 star"),
    (english, "no-digit", 1.2, "1 stars"),
]
changed = False
for form, message, n, expected in cases:
    text, errors = form(message, n)
    print(f"{message} of {n!r}: {text!r}, errors {errors}")
    changed |= text != expected or bool(errors)
forms = [Locale(language).plural_form(Decimal(number)) for language, number in (("en", "1"), ("en", "1.0"), ("pl", "5"))]
print("the rules of CLDR have for 1, 1.0 and 5 (Polish):", *forms)
if changed or forms != ["one", "other", "many"]:
    sys.exit("fluent.runtime changed")
PY
