"""Generates the quickstart's parallel corpus: English, German, French and Czech sentences around numbers.

Every sentence comes from a template of `templates.txt`, in four languages. The functions in `SLOTS` draw the slots of a
template (a date, a price, a number of apples) from the words in `words.txt`. Each function gives the same content in
all four languages, in the forms that each grammar needs. A sentence has exactly one translation in each other language:
no template contains a distinction that another language leaves open (polite or familiar "you", "his" or "her").

    python recipes/quickstart_data/generate.py

writes `{train,dev,test}.{en,de,fr,cs}` into `keras_nmt/quickstart_data`, byte for byte the committed files.
"""

from __future__ import annotations

import argparse
import random
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path

from num2words import num2words
from phrases import (
    WORDS,
    Phrase,
    Phrases,
    Slot,
    count,
    counted,
    czech_in,
    czech_ordinal,
    definite,
    draw_number,
    forms_of,
    joined,
    label,
    name_number,
    named,
    ordinals,
    phrases,
    plain,
    same,
    units,
    with_form,
    words,
)

from keras_nmt.quickstart_data import FOLDER, LANGUAGES

SIZES = {"train": 7000, "dev": 200, "test": 200}
SEED = 1


def thing(*tables: str) -> Slot:
    """A slot of a thing, sometimes with its colour."""
    rows = [row for table in tables for row in WORDS[table]]
    return lambda rng: definite(rng.choice(rows), rng.choice(WORDS["COLOURS"]) if rng.random() < 0.4 else None)


def place(rng: random.Random) -> Phrases:
    """A place as the subject of a sentence; "in the place" as `:in`."""
    row = rng.choice(WORDS["PLACES"])
    return with_form("in", definite(row), forms_of(row, -1))


def plurals(rng: random.Random) -> Phrases:
    """Goods as a kind: "the shirts"."""
    (_, english), (_, german), (_, french), czech = rng.choice(WORDS["GOODS"] + WORDS["FURNITURE"])
    return phrases((f"the {english}", f"die {german}", f"les {french}", czech[3]))


def holding(rng: random.Random) -> Phrases:
    """Things that an institution has, with the institution as `:owner`."""
    index = rng.randrange(len(WORDS["HELD"]))
    number = draw_number(rng, 15, 3000)
    return with_form("owner", count(rng, WORDS["HOLDINGS"][index], number), forms_of(WORDS["HELD"][index]))


def money(low: int = 1, high: int = 3000) -> Slot:
    """A slot of an amount of money, in the accusative if the language has an accusative."""

    def slot(rng: random.Random) -> Phrases:
        row = rng.choice(WORDS["CURRENCIES"])
        if rng.random() < 0.2:
            amount = f"{rng.randint(2, 40)}.{rng.randrange(10, 100, 5)}"
            nouns = row[0][1], row[1][1], row[2][1], row[3][6]  # Czech: the genitive singular after a fraction
            return joined([amount, *[amount.replace(".", ",")] * 3], nouns)
        english, german, french, czech = count(rng, row, draw_number(rng, low, high))
        return english, Phrase(f"{german:acc}"), french, Phrase(f"{czech:acc}")

    return slot


def degrees(rng: random.Random) -> Phrases:
    above = count(rng, WORDS["DEGREES"][0], draw_number(rng, 2, 35))
    if above[0].text[0].isdigit() or rng.random() < 0.6:
        return above
    return joined(("minus", "minus", "moins", "minus"), above)


def ingredients(rng: random.Random) -> Phrases:
    """A number of grams of something solid and a number of litres of something liquid."""
    weights = (50, 80, 100, 150, 200, 250, 300, 350, 400, 450, 500, 600, 750, 800)
    grams = count(rng, WORDS["GRAMS"][0], rng.choice(weights))
    litres = count(rng, WORDS["LITRES"][0], rng.randint(1, 12))
    solid, liquid = plain("SOLIDS")(rng), plain("LIQUIDS")(rng)
    return joined(grams, solid, ("and", "und", "et", "a"), litres, liquid)


def high(rng: random.Random) -> Phrases:
    """A thing and a measure; the adjective, which agrees with the subject, as `:is`."""
    row = rng.choice(WORDS["MEASURED"])
    return with_form("is", phrases(forms_of(row)), forms_of(row, 1))


# Time


def clock(rng: random.Random) -> Phrases:
    """A time of day with its preposition: "at half past three", "at 14:35"."""
    kind = rng.choice(("hour", "hour", "half", "past", "to", "minutes", "figures", "figures"))
    if kind == "figures":
        hour, minute = rng.randint(5, 23), rng.randrange(0, 60, 5)
        time = f"{hour}:{minute:02d}"
        return phrases((f"at {time}", f"um {time} Uhr", f"à {hour} h {minute:02d}", f"{czech_in(hour)} {time}"))
    hour = rng.randint(1, 11)
    if kind == "to":
        hour = rng.randint(2, 11)
    english, german, french, _ = words(hour)
    french = "une heure" if hour == 1 else f"{french} heures"
    if kind == "half":
        ordinal = czech_ordinal(hour + 1, "é", "í")
        german = words(hour + 1)[1]
        return phrases((f"at half past {english}", f"um halb {german}", f"à {french} et demie", f"v půl {ordinal}"))
    if kind == "past":
        czech = f"ve čtvrt na {czech_hour(hour + 1)}"
        return phrases((f"at quarter past {english}", f"um Viertel nach {german}", f"à {french} et quart", czech))
    if kind == "to":
        czech = f"ve tři čtvrtě na {czech_hour(hour)}"
        return phrases((f"at quarter to {english}", f"um Viertel vor {german}", f"à {french} moins le quart", czech))
    czech = f"{czech_in(hour)} {czech_hour(hour)} {'hodinu' if hour == 1 else 'hodiny' if hour < 5 else 'hodin'}"
    texts = f"at {english}", f"um {'ein' if hour == 1 else german} Uhr", f"à {french}", czech
    if kind == "hour":
        return joined(texts, (" o'clock", "", "", ""), by="")
    minutes = words(rng.choice((10, 20, 25, 35, 40, 50, 55)))
    return joined(texts, [*minutes[:3], f"{minutes[3]} minut"])


def czech_hour(hour: int) -> str:
    return {1: "jednu", 2: "dvě"}.get(hour) or words(hour)[3]


def opening(rng: random.Random) -> Phrases:
    """Opening hours in figures: "from 8:00 to 17:30"."""
    start, end = (f"{rng.randint(*hours)}:{rng.choice(('00', '15', '30', '45'))}" for hours in ((6, 11), (14, 23)))
    french = f"de {start} à {end}".replace(":", " h ")
    return phrases((f"from {start} to {end}", f"von {start} bis {end} Uhr", french, f"od {start} do {end}"))


def weekday(rng: random.Random) -> Phrases:
    """A day of the week: "on Monday"; "every Monday" as `:every`, "last Monday" as `:last`."""
    (english,), (german,), (french,), czech = rng.choice(WORDS["WEEKDAYS"])
    texts = phrases((f"on {english}", f"am {german}", french, czech[0]))
    texts = with_form("every", texts, (f"every {english}", f"jeden {german}", f"tous les {french}s", czech[1]))
    return with_form("last", texts, (f"last {english}", f"letzten {german}", f"{french} dernier", czech[2]))


def weekdays(rng: random.Random) -> Phrases:
    """A range of days of the week: "from Monday to Friday"."""
    first, last = (
        [*forms_of(WORDS["WEEKDAYS"][i])[:3], WORDS["WEEKDAYS"][i][3][3]] for i in sorted(rng.sample(range(7), 2))
    )
    return joined(("from", "von", "du", "od"), first, ("to", "bis", "au", "do"), last)


def date(rng: random.Random) -> Phrases:
    """A day of the year in words or figures; `:bare` is the form after a weekday."""
    index = rng.randrange(12)
    english, german, french, czech = forms_of(WORDS["MONTHS"][index])
    day = rng.randint(1, (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)[index])
    if rng.random() < 0.4:
        bare = [f"{day} {english}", f"{day}. {german}", f"{'1er' if day == 1 else day} {french}", f"{day}. {czech}"]
    else:
        in_english, in_german, in_french = ordinals(day)
        in_french = in_french if day == 1 else words(day)[2]
        in_czech = czech_ordinal(day, "ého", "ího")
        bare = [
            f"the {in_english} of {english}",
            f"{in_german}n {german}",
            f"{in_french} {french}",
            f"{in_czech} {czech}",
        ]
    return with_form("bare", joined(("on ", "am ", "le ", ""), bare, by=""), bare)


def year_forms(rng: random.Random, number: int) -> Phrases:
    """A year as it follows a date; alone as `:in`."""
    if rng.random() < 0.6:
        texts = [str(number)] * 4
    else:
        texts = [num2words(number, lang=language, to="year") for language in ("en", "de")] + label(number)[2:]
    return with_form("in", phrases(texts), map(str, joined(("in", "im Jahr", "en", "v roce"), texts)))


def year(rng: random.Random) -> Phrases:
    return year_forms(rng, rng.choice((rng.randint(1950, 1999), rng.randint(1950, 1999), rng.randint(2000, 2024))))


def old_year(rng: random.Random) -> Phrases:
    # Not 1805, which has several readings in English.
    return year_forms(rng, 100 * rng.randint(16, 19) + rng.randint(10, 99))


def day(rng: random.Random) -> Phrases:
    """A day to which a time can be added: "tomorrow", "on Monday", "on the third of May"."""
    kind = rng.random()
    if kind < 0.2:
        return plain("TODAY")(rng)
    return weekday(rng) if kind < 0.55 else date(rng)


def session(rng: random.Random) -> Phrases:
    """A day or a part of a day: "on Monday afternoon"."""
    if rng.random() < 0.5:
        return day(rng)
    return joined(weekday(rng), (" ", "", " ", " "), plain("DAY_PARTS")(rng), by="")


def past(rng: random.Random) -> Phrases:
    if rng.random() < 0.5:
        return plain("PAST")(rng)
    return phrases(f"{phrase:last}" for phrase in weekday(rng))


def month(rng: random.Random) -> Phrases:
    row = rng.choice(WORDS["MONTHS"])
    return joined(("in", "im", "en", "v"), [*forms_of(row)[:3], row[3][1]])


# People and names


def name(rng: random.Random) -> Phrases:
    """A first name with its gender."""
    choice = rng.randrange(2)
    return (Phrase(rng.choice(WORDS[("MEN", "WOMEN")[choice]][0][0]), choice),) * 4


MY = (
    ("my", "mein meine", "mon ma", "můj moje", "mému mé"),
    ("our", "unser unsere", "notre", "náš naše", "našemu naší"),
)


def relative(rng: random.Random) -> Phrases:
    """A relative: "my sister", "our uncle"; the Czech dative, for the person's age, as `:dat`."""
    choice = rng.randrange(2)
    row = rng.choice(WORDS[("MALE_RELATIVES", "FEMALE_RELATIVES")[choice]])
    *my, dative = (words.split()[choice % len(words.split())] for words in MY[0 if rng.random() < 0.5 else 1])
    texts = [f"{own} {noun}" for own, noun in zip(my, forms_of(row), strict=True)]
    czech = Phrase(texts[3], choice, {"dat": f"{dative} {row[3][1]}"})
    return *(Phrase(text, choice) for text in texts[:3]), czech


def age(rng: random.Random) -> Phrases:
    """A number of years; the person of this age, in Czech in the dative, as `:who`."""
    kin = relative(rng)
    young = kin[0].text.split()[1] in ("son", "daughter", "brother", "sister")
    years = count(rng, WORDS["YEARS"][0], draw_number(rng, *((1, 30) if young else (40, 90))))
    return with_form("who", years, [*(phrase.text for phrase in kin[:3]), kin[3].forms["dat"]])


def who(rng: random.Random) -> Phrases:
    """A person, third person singular."""
    return name(rng) if rng.random() < 0.6 else relative(rng)


def routine(rng: random.Random) -> Phrases:
    """An everyday activity with its subject; the German end of the sentence as `:end`."""
    english, german, french, czech = rng.choice(WORDS["ROUTINES"])
    person = rng.choice((0, 1, 2, 2))
    pronouns = (("I", "ich", "je", ""), ("we", "wir", "nous", ""))
    subjects = who(rng) if person == 2 else pronouns[person]
    texts = joined(subjects, (english[person // 2], german[person], french[person], czech[person]))
    return with_form("end", texts, ("", german[3], "", ""))


def activity(rng: random.Random) -> Phrases:
    row = rng.choice(WORDS["ACTIVITIES"])
    return with_form("end", phrases(forms_of(row)), ("", row[1][1], "", ""))


# Ordinals, digits, sums


def floor(rng: random.Random) -> Phrases:
    number = rng.randint(1, 16)
    english, german, french = ordinals(number)
    czech = f"{czech_in(number)} {czech_ordinal(number, 'ém', 'ím')} patře"
    return phrases((f"on the {english} floor", f"im {german}n Stock", f"au {french} étage", czech))


def ordinal(low: int, high: int) -> Slot:
    """An ordinal: forms for a German masculine accusative, a French masculine or (`:f`) feminine, and Czech feminine
    accusative (`:acc`), neuter locative (`:loc`) or plural accusative (`:plural`)."""

    def slot(rng: random.Random) -> Phrases:
        number = rng.randint(low, high)
        english, german, french = ordinals(number)
        feminine = "première" if number == 1 else french
        cases = {"acc": ("ou", "í"), "loc": ("ém", "ím"), "plural": ("é", "í")}
        czech = {case: czech_ordinal(number, *endings) for case, endings in cases.items()}
        in_german, in_french = Phrase(f"{german}n", 0, {"n": german}), Phrase(french, 0, {"f": feminine})
        return Phrase(english), in_german, in_french, Phrase("", 0, czech)

    return slot


def digits(rng: random.Random) -> Phrases:
    """Digits read out one by one."""
    return joined(*[words(rng.randrange(10)) for _ in range(rng.randint(3, 4))])


def score(rng: random.Random) -> Phrases:
    """The score of a won match: "three to one"."""
    lower = rng.randint(1, 5)
    higher = rng.randint(lower + 1, 8)
    return joined(words(higher), (" to ", " zu ", " à ", " "), words(lower), by="")


def calculation(rng: random.Random) -> Phrases:
    """A sum, a difference or a product, with its result."""
    kind = rng.randrange(3)
    first, second = rng.randint(1, 60), rng.randint(1, 39)
    if kind == 1:
        first += second
    elif kind == 2:
        first, second = rng.randint(2, 10), rng.randint(2, 10)
    result = (first + second, first - second, first * second)[kind]
    signs = ("plus plus plus plus", "minus minus moins minus", "times mal fois krát")[kind].split()
    return joined(words(first), signs, words(second), ("is", "ist", "font", "je"), words(result))


def read_templates() -> list[list[str]]:
    """The templates of `templates.txt`, each in the four languages."""
    blocks = (Path(__file__).parent / "templates.txt").read_text(encoding="utf-8").strip().split("\n\n")
    templates = [[line for line in block.splitlines() if not line.startswith("#")] for block in blocks]
    return [template for template in templates if template]


TEMPLATES = read_templates()
SLOTS: dict[str, Slot] = {
    **{table: plain(table) for table in WORDS if table.islower()},
    **{
        slot.__name__: slot
        for slot in (activity, age, calculation, clock, date, day, degrees, digits, floor, high, holding, ingredients)
    },
    **{slot.__name__: slot for slot in (month, old_year, opening, past, place, plurals, routine, score)},
    **{slot.__name__: slot for slot in (session, weekday, weekdays, who, year)},
    "animals": counted("ANIMALS", 1, 12),
    "birthday": ordinal(1, 99),
    "chapter": ordinal(1, 40),
    "cheap": money(2, 300),
    "delay": units(("MINUTES", 2, 59)),
    "dishes": counted("DISHES", 1, 6),
    "duration": units(("MINUTES", 5, 59), ("HOURS", 1, 12), ("DAYS", 1, 20), ("WEEKS", 1, 10)),
    "event": lambda rng: definite(rng.choice(WORDS["EVENTS"])),
    "flight": lambda rng: name_number(rng, rng.randint(100, 999)),
    "furniture": thing("FURNITURE"),
    "goods": counted("GOODS", 1, 40),
    "house": same(lambda rng: rng.randint(1, 120)),
    "kilograms": counted("KILOGRAMS", 1, 60),
    "kilometres": counted("KILOMETRES", 1, 900),
    "metres": counted("METRES", 2, 95),
    "money": money(),
    "page": named(1, 400),
    "people": counted("PEOPLE", 1, 60),
    "percent": lambda rng: phrases(words(rng.randrange(5, 75, 5))),
    "phone": same(lambda rng: f"{rng.randint(200, 799)} {rng.randint(100, 999)}"),
    "platform": named(1, 20),
    "rank": ordinal(1, 20),
    "rent": money(20, 3000),
    "room": named(1, 400),
    "stay": units(("DAYS", 1, 20), ("WEEKS", 1, 10), ("MONTH_COUNT", 1, 11), ("YEARS", 1, 12)),
    "thing": thing("GOODS", "FURNITURE"),
    "tickets": counted("TICKETS", 1, 30),
    "town": same(lambda rng: rng.choice(WORDS["TOWNS"][0][0])),
}


def sentence(rng: random.Random, template: list[str]) -> tuple[str, ...]:
    """One sentence of a template, in the four languages."""

    def said(drawn: Phrases) -> str:
        """The part in which two draws of a slot must differ: the counted thing, or the whole phrase."""
        return drawn[0].forms.get("noun", drawn[0].text)

    slots: dict[str, Phrases] = {}
    for name in dict.fromkeys(re.findall(r"{(\w+)", " ".join(template))):
        first = name.rstrip("0123456789")
        slots[name] = SLOTS[first](rng)
        while name != first and said(slots[name]) == said(slots[first]):
            slots[name] = SLOTS[first](rng)
    texts = []
    for i, text in enumerate(template):
        text = text.format(**{name: drawn[i] for name, drawn in slots.items()})
        text = re.sub(" +", " ", text).replace(" .", ".").strip()
        texts.append(unicodedata.normalize("NFC", text[0].upper() + text[1:]))
    return tuple(texts)


def sentences(seed: int) -> Iterator[tuple[str, ...]]:
    """An endless sequence of distinct sentences."""
    rng = random.Random(seed)
    seen = set()
    while True:
        texts = sentence(rng, rng.choice(TEMPLATES))
        if texts not in seen:
            seen.add(texts)
            yield texts


def generate(seed: int = SEED) -> dict[str, str]:
    """The text of each file of the corpus, by file name."""
    source = sentences(seed)
    corpus = {part: [next(source) for _ in range(size)] for part, size in SIZES.items()}
    return {
        f"{part}.{language}": "".join(f"{texts[i]}\n" for texts in lines)
        for part, lines in corpus.items()
        for i, language in enumerate(LANGUAGES)
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="Generates the quickstart's parallel corpus.")
    parser.add_argument("--seed", type=int, default=SEED, help="seed of the random draws (default: %(default)s)")
    parser.add_argument("--output-dir", type=Path, default=FOLDER, help="default: %(default)s")
    arguments = parser.parse_args()
    arguments.output_dir.mkdir(parents=True, exist_ok=True)
    for name, text in generate(arguments.seed).items():
        (arguments.output_dir / name).write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
