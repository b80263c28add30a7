"""Generates the quickstart's parallel corpus: English, German, French and Czech sentences around numbers.

Every sentence comes from one of `TEMPLATES`, which says it in the four languages. Its slots (a date, a price, so many
apples) are drawn by the functions in `SLOTS`; each gives the same thing in the four languages at once, with the forms
that the grammar of each asks for. A sentence of one language has exactly one translation in each of the others: nothing
that one language leaves open (polite or familiar "you", "his" or "her") is said in another.

    python recipes/quickstart_data/generate.py

writes `{train,dev,test}.{en,de,fr,cs}` beside this file, byte for byte the files that are checked in.
"""

from __future__ import annotations

import argparse
import dataclasses
import random
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from num2words import num2words

LANGUAGES = ("en", "de", "fr", "cs")
SIZES = {"train": 7000, "dev": 200, "test": 200}
SEED = 1


@dataclasses.dataclass(frozen=True)
class Phrase:
    """A piece of a sentence in one language, which a template puts in as `{slot}`.

    `{slot:name}` puts in the form of that name; `{slot:a/b}` puts in the word that agrees with the phrase: `choice` is
    the position of its number or gender among those that the language tells apart (English, German, French: singular,
    plural or masculine, feminine; Czech: one, two to four, five and more, or masculine, feminine, neuter).
    """

    text: str
    choice: int = 0
    forms: dict[str, str] = dataclasses.field(default_factory=dict)

    def __str__(self) -> str:
        return self.text

    def __format__(self, spec: str) -> str:
        if "/" in spec:
            return spec.split("/")[self.choice]
        return self.forms[spec] if spec else self.text


Phrases = tuple[Phrase, ...]  # in the order of LANGUAGES
Slot = Callable[[random.Random], Phrases]


def table(text: str) -> list[list[list[str]]]:
    """Rows of `en | de | fr | cs` cells, each cell a list of forms separated by commas."""
    lines = text.strip().splitlines()
    rows = [[[form.strip() for form in cell.split(",")] for cell in line.split("|")] for line in lines]
    assert all(len(row) == len(LANGUAGES) for row in rows)
    return rows


def plain(text: str) -> Slot:
    """A slot whose phrases have one form each: the rows of a table, all equally likely."""
    rows = table(text)
    return lambda rng: only(rng.choice(rows))


def phrases(texts: Iterable[str]) -> Phrases:
    """One text in each language, without other forms."""
    return tuple(Phrase(text) for text in texts)


def with_form(name: str, texts: Phrases, forms: list[str]) -> Phrases:
    """The phrases with one more form each."""
    return tuple(
        Phrase(text.text, text.choice, {**text.forms, name: form}) for text, form in zip(texts, forms, strict=True)
    )


def only(row: list[list[str]]) -> Phrases:
    """The row of a table whose cells hold one form each."""
    return phrases(cell[0] for cell in row)


# Numbers


def words(number: int) -> list[str]:
    """The cardinal number in the four languages, as one counts."""
    english, german, french, czech = (num2words(number, lang=language) for language in LANGUAGES)
    # The library writes Czech hundreds as one word; spelling rules want two: "pět set".
    czech = re.sub(r"\b(dvě|tři|čtyři|pět|šest|sedm|osm|devět)(stě|sta|set)\b", r"\1 \2", czech)
    return [english.replace(",", ""), german, french, czech]


def label(number: int) -> list[str]:
    """The number in words as a name ("page eighty"): French then has no plural mark, "page quatre-vingt"."""
    english, german, french, czech = words(number)
    return [english, german, re.sub(r"(vingt|cent)s$", r"\1", french), czech]


def ordinals(number: int) -> list[str]:
    """The ordinal in English, German ("erste") and French (masculine)."""
    english, german, french = (num2words(number, lang=language, to="ordinal") for language in ("en", "de", "fr"))
    return [english, german, french.replace("vingtsième", "vingtième")]  # the library's slip at eighty


CZECH_ORDINALS = {
    **dict(enumerate(["první", "druh", "třetí", "čtvrt", "pát", "šest", "sedm", "osm", "devát", "desát"], start=1)),
    **dict(
        enumerate(
            ["jedenáct", "dvanáct", "třináct", "čtrnáct", "patnáct", "šestnáct", "sedmnáct", "osmnáct", "devatenáct"],
            start=11,
        )
    ),
    **dict(zip(range(20, 60, 10), ["dvacát", "třicát", "čtyřicát", "padesát"], strict=True)),
    **dict(zip(range(60, 100, 10), ["šedesát", "sedmdesát", "osmdesát", "devadesát"], strict=True)),
}


def czech_ordinal(number: int, hard: str, soft: str) -> str:
    """The Czech ordinal with the ending of a case: `hard` for "druhý", `soft` for "první" and "třetí"."""
    if number > 20 and number % 10:
        return f"{czech_ordinal(number - number % 10, hard, soft)} {czech_ordinal(number % 10, hard, soft)}"
    stem = CZECH_ORDINALS[number]
    return stem[:-1] + soft if stem.endswith("í") else stem + hard


def czech_in(number: int) -> str:
    """The preposition "v" before a number, "ve" where its first sound asks for it: "ve tři hodiny", "ve 12:30"."""
    return "ve" if number in (2, 3, 4, 12, 13, 14) or 20 <= number < 25 else "v"


def draw_number(rng: random.Random, low: int = 1, high: int = 999) -> int:
    """A number for counting: small ones more often, large ones mostly round.

    Left out are 21, 22, 31, 101 and the like, where usage wavers (Czech "dvacet dva korun" or "dvacet dvě koruny",
    German "hundertein Bücher" or "hunderteins").
    """
    while True:
        number = rng.randint(low, min(high, rng.choice((low + 11, low + 11, max(low, 99), max(low, 99), high))))
        if number > 200:
            number = number // 50 * 50
        if number <= 20 or number % 10 not in (1, 2) or number % 100 in (11, 12):
            return number


def spell(rng: random.Random, number: int) -> list[str] | None:
    """Words for small numbers, words or figures for others. None: figures."""
    return None if number > 9 and rng.random() < 0.35 else words(number)


GERMAN_ONE = {"der": "ein einen einem", "die": "eine eine einer", "das": "ein ein einem"}
CZECH_ONE = {"i": "jeden jeden", "a": "jeden jednoho", "f": "jedna jednu", "n": "jedno jedno"}


def count(rng: random.Random, row: list[list[str]], number: int) -> Phrases:
    """So many of a thing: nominative as the default form, accusative as `:acc`, German dative as `:dat`.

    `row` is a row of a table of nouns: English singular and plural; German singular with its article and plural; French
    singular with its article and plural; Czech gender (i, a: masculine inanimate, animate), nominative and accusative
    singular, nominative and genitive plural, and the accusative plural where it differs from the nominative.
    """
    (english, english_plural), (german, german_plural), (french, french_plural), czech = row
    spelled = spell(rng, number) or [str(number)] * 4
    many = int(number != 1)
    article, german = german.split(" ", 1)
    plural_dative = german_plural + ("" if german_plural[-1] in "ns" else "n")
    if many:
        in_german = [f"{spelled[1]} {noun}" for noun in (german_plural, german_plural, plural_dative)]
    else:
        in_german = [f"{one} {german}" for one in GERMAN_ONE[article].split()]
    gender, nominative, accusative, plural, genitive_plural = czech[:5]
    group = 0 if number == 1 else 1 if number < 5 else 2
    if group == 0:
        in_czech = [
            f"{one} {noun}" for one, noun in zip(CZECH_ONE[gender].split(), (nominative, accusative), strict=True)
        ]
    elif group == 1:
        numeral = "dvě" if number == 2 and gender in "fn" else spelled[3]
        in_czech = [f"{numeral} {plural}", f"{numeral} {czech[5] if len(czech) > 5 else plural}"]
    else:
        in_czech = [f"{spelled[3]} {genitive_plural}"] * 2
    return (
        Phrase(f"{spelled[0]} {english_plural if many else english}", many, {"noun": english}),
        Phrase(in_german[0], many, {"acc": in_german[1], "dat": in_german[2]}),
        Phrase(f"{spelled[2]} {french_plural}" if many else french, many),
        Phrase(in_czech[0], group, {"acc": in_czech[1]}),
    )


def name_number(rng: random.Random, number: int) -> Phrases:
    """A number that names something: in words or in figures."""
    return phrases([str(number)] * 4 if rng.random() < 0.5 else label(number))


# Things

GOODS = table("""
    book, books | das Buch, Bücher | un livre, livres | f, kniha, knihu, knihy, knih
    apple, apples | der Apfel, Äpfel | une pomme, pommes | n, jablko, jablko, jablka, jablek
    bottle, bottles | die Flasche, Flaschen | une bouteille, bouteilles | f, láhev, láhev, láhve, lahví
    lamp, lamps | die Lampe, Lampen | une lampe, lampes | f, lampa, lampu, lampy, lamp
    cup, cups | die Tasse, Tassen | une tasse, tasses | i, šálek, šálek, šálky, šálků
    egg, eggs | das Ei, Eier | un œuf, œufs | n, vejce, vejce, vejce, vajec
    flower, flowers | die Blume, Blumen | une fleur, fleurs | f, květina, květinu, květiny, květin
    shirt, shirts | das Hemd, Hemden | une chemise, chemises | f, košile, košili, košile, košil
    hat, hats | der Hut, Hüte | un chapeau, chapeaux | i, klobouk, klobouk, klobouky, klobouků
    key, keys | der Schlüssel, Schlüssel | une clé, clés | i, klíč, klíč, klíče, klíčů
    ball, balls | der Ball, Bälle | un ballon, ballons | i, míč, míč, míče, míčů
    knife, knives | das Messer, Messer | un couteau, couteaux | i, nůž, nůž, nože, nožů
    spoon, spoons | der Löffel, Löffel | une cuillère, cuillères | f, lžíce, lžíci, lžíce, lžic
    lemon, lemons | die Zitrone, Zitronen | un citron, citrons | i, citron, citron, citrony, citronů
    potato, potatoes | die Kartoffel, Kartoffeln | une pomme de terre, pommes de terre | f, brambora, bramboru, brambory, brambor
    magazine, magazines | die Zeitschrift, Zeitschriften | un magazine, magazines | i, časopis, časopis, časopisy, časopisů
    pencil, pencils | der Bleistift, Bleistifte | un crayon, crayons | f, tužka, tužku, tužky, tužek
    postcard, postcards | die Postkarte, Postkarten | une carte postale, cartes postales | f, pohlednice, pohlednici, pohlednice, pohlednic
""")  # noqa: E501
FURNITURE = table("""
    table, tables | der Tisch, Tische | une table, tables | i, stůl, stůl, stoly, stolů
    chair, chairs | der Stuhl, Stühle | une chaise, chaises | f, židle, židli, židle, židlí
    bicycle, bicycles | das Fahrrad, Fahrräder | un vélo, vélos | n, kolo, kolo, kola, kol
    coat, coats | der Mantel, Mäntel | un manteau, manteaux | i, kabát, kabát, kabáty, kabátů
    carpet, carpets | der Teppich, Teppiche | un tapis, tapis | i, koberec, koberec, koberce, koberců
    computer, computers | der Computer, Computer | un ordinateur, ordinateurs | i, počítač, počítač, počítače, počítačů
    picture, pictures | das Bild, Bilder | un tableau, tableaux | i, obraz, obraz, obrazy, obrazů
    suitcase, suitcases | der Koffer, Koffer | une valise, valises | i, kufr, kufr, kufry, kufrů
""")
TICKETS = table("""
    ticket, tickets | die Fahrkarte, Fahrkarten | un billet, billets | f, jízdenka, jízdenku, jízdenky, jízdenek
""")
DISHES = table("""
    coffee, coffees | der Kaffee, Kaffee | un café, cafés | f, káva, kávu, kávy, káv
    tea, teas | der Tee, Tee | un thé, thés | i, čaj, čaj, čaje, čajů
    beer, beers | das Bier, Bier | une bière, bières | n, pivo, pivo, piva, piv
    soup, soups | die Suppe, Suppen | une soupe, soupes | f, polévka, polévku, polévky, polévek
    salad, salads | der Salat, Salate | une salade, salades | i, salát, salát, saláty, salátů
    pizza, pizzas | die Pizza, Pizzen | une pizza, pizzas | f, pizza, pizzu, pizzy, pizz
    cake, cakes | der Kuchen, Kuchen | un gâteau, gâteaux | i, dort, dort, dorty, dortů
""")
PEOPLE = table("""
    student, students | der Student, Studenten | un étudiant, étudiants | a, student, studenta, studenti, studentů
    child, children | das Kind, Kinder | un enfant, enfants | n, dítě, dítě, děti, dětí
    tourist, tourists | der Tourist, Touristen | un touriste, touristes | a, turista, turistu, turisté, turistů
    woman, women | die Frau, Frauen | une femme, femmes | f, žena, ženu, ženy, žen
    man, men | der Mann, Männer | un homme, hommes | a, muž, muže, muži, mužů
    guest, guests | der Gast, Gäste | un invité, invités | a, host, hosta, hosté, hostů
    doctor, doctors | der Arzt, Ärzte | un médecin, médecins | a, lékař, lékaře, lékaři, lékařů
""")
ANIMALS = table("""
    cat, cats | die Katze, Katzen | un chat, chats | f, kočka, kočku, kočky, koček
    dog, dogs | der Hund, Hunde | un chien, chiens | a, pes, psa, psi, psů, psy
    horse, horses | das Pferd, Pferde | un cheval, chevaux | a, kůň, koně, koně, koní, koně
    cow, cows | die Kuh, Kühe | une vache, vaches | f, kráva, krávu, krávy, krav
    sheep, sheep | das Schaf, Schafe | un mouton, moutons | f, ovce, ovci, ovce, ovcí
    bird, birds | der Vogel, Vögel | un oiseau, oiseaux | a, pták, ptáka, ptáci, ptáků, ptáky
""")
CURRENCIES = table("""
    euro, euros | der Euro, Euro | un euro, euros | n, euro, euro, eura, eur, eura, eura
    crown, crowns | die Krone, Kronen | une couronne, couronnes | f, koruna, korunu, koruny, korun, koruny, koruny
    dollar, dollars | der Dollar, Dollar | un dollar, dollars | i, dolar, dolar, dolary, dolarů, dolary, dolaru
    franc, francs | der Franken, Franken | un franc, francs | i, frank, frank, franky, franků, franky, franku
""")  # the last Czech form is the genitive singular, which follows a decimal fraction
MINUTES, HOURS, DAYS, WEEKS, MONTH_COUNT, YEARS = table("""
    minute, minutes | die Minute, Minuten | une minute, minutes | f, minuta, minutu, minuty, minut
    hour, hours | die Stunde, Stunden | une heure, heures | f, hodina, hodinu, hodiny, hodin
    day, days | der Tag, Tage | un jour, jours | i, den, den, dny, dní
    week, weeks | die Woche, Wochen | une semaine, semaines | i, týden, týden, týdny, týdnů
    month, months | der Monat, Monate | un mois, mois | i, měsíc, měsíc, měsíce, měsíců
    year, years | das Jahr, Jahre | un an, ans | i, rok, rok, roky, let
""")
KILOMETRES, METRES, KILOGRAMS, GRAMS, LITRES, DEGREES = table("""
    kilometre, kilometres | der Kilometer, Kilometer | un kilomètre, kilomètres | i, kilometr, kilometr, kilometry, kilometrů
    metre, metres | der Meter, Meter | un mètre, mètres | i, metr, metr, metry, metrů
    kilogram, kilograms | das Kilogramm, Kilogramm | un kilogramme, kilogrammes | i, kilogram, kilogram, kilogramy, kilogramů
    gram, grams | das Gramm, Gramm | un gramme, grammes | i, gram, gram, gramy, gramů
    litre, litres | der Liter, Liter | un litre, litres | i, litr, litr, litry, litrů
    degree, degrees | der Grad, Grad | un degré, degrés | i, stupeň, stupeň, stupně, stupňů
""")  # noqa: E501
HELD = table("""
    the hotel | das Hotel | l'hôtel | hotel
    the school | die Schule | l'école | škola
    the library | die Bibliothek | la bibliothèque | knihovna
    the theatre | das Theater | le théâtre | divadlo
    the village | das Dorf | le village | vesnice
    the street | die Straße | la rue | ulice
    the garden | der Garten | le jardin | zahrada
""")
HOLDINGS = table("""
    room, rooms | das Zimmer, Zimmer | une chambre, chambres | i, pokoj, pokoj, pokoje, pokojů
    pupil, pupils | der Schüler, Schüler | un élève, élèves | a, žák, žáka, žáci, žáků, žáky
    book, books | das Buch, Bücher | un livre, livres | f, kniha, knihu, knihy, knih
    seat, seats | der Platz, Plätze | une place, places | n, místo, místo, místa, míst
    inhabitant, inhabitants | der Einwohner, Einwohner | un habitant, habitants | a, obyvatel, obyvatele, obyvatelé, obyvatel
    house, houses | das Haus, Häuser | une maison, maisons | i, dům, dům, domy, domů
    tree, trees | der Baum, Bäume | un arbre, arbres | i, strom, strom, stromy, stromů
""")  # noqa: E501  # what each of HELD has, in the same order
COLOURS = table("""
    red | rote | rouge, rouge | červený, červená, červené
    blue | blaue | bleu, bleue | modrý, modrá, modré
    green | grüne | vert, verte | zelený, zelená, zelené
    white | weiße | blanc, blanche | bílý, bílá, bílé
    black | schwarze | noir, noire | černý, černá, černé
    yellow | gelbe | jaune, jaune | žlutý, žlutá, žluté
    grey | graue | gris, grise | šedý, šedá, šedé
""")
# Singular, definite, and where one is in it; the Czech gender agrees with adjectives.
PLACES = table("""
    museum, at the museum | das Museum, im Museum | un musée, au musée | n, muzeum, v muzeu
    library, at the library | die Bibliothek, in der Bibliothek | une bibliothèque, à la bibliothèque | f, knihovna, v knihovně
    theatre, at the theatre | das Theater, im Theater | un théâtre, au théâtre | n, divadlo, v divadle
    cinema, at the cinema | das Kino, im Kino | un cinéma, au cinéma | n, kino, v kině
    town hall, at the town hall | das Rathaus, im Rathaus | une mairie, à la mairie | f, radnice, na radnici
    hotel, at the hotel | das Hotel, im Hotel | un hôtel, à l'hôtel | i, hotel, v hotelu
    restaurant, at the restaurant | das Restaurant, im Restaurant | un restaurant, au restaurant | f, restaurace, v restauraci
    café, at the café | das Café, im Café | un café, au café | f, kavárna, v kavárně
    bank, at the bank | die Bank, in der Bank | une banque, à la banque | f, banka, v bance
    school, at the school | die Schule, in der Schule | une école, à l'école | f, škola, ve škole
    station, at the station | der Bahnhof, am Bahnhof | une gare, à la gare | n, nádraží, na nádraží
    market, at the market | der Markt, auf dem Markt | un marché, au marché | i, trh, na trhu
    park, in the park | der Park, im Park | un parc, dans le parc | i, park, v parku
    castle, at the castle | das Schloss, im Schloss | un château, au château | i, zámek, na zámku
""")  # noqa: E501
EVENTS = table("""
    meeting | die Besprechung | une réunion | f, porada
    concert | das Konzert | un concert | i, koncert
    exam | die Prüfung | un examen | f, zkouška
    lecture | der Vortrag | une conférence | f, přednáška
    wedding | die Hochzeit | un mariage | f, svatba
    party | die Feier | une fête | f, oslava
    match | das Spiel | un match | i, zápas
    film | der Film | un film | i, film
    performance | die Vorstellung | un spectacle | n, představení
    course | der Kurs | un cours | i, kurz
    excursion | der Ausflug | une excursion | i, výlet
""")
WOMEN = ["Anna", "Eva", "Laura", "Nina", "Emma", "Sara", "Julia", "Maria", "Lea", "Nora", "Ida", "Clara"]
MEN = ["Martin", "David", "Daniel", "Adam", "Oliver", "Robert", "Simon", "Thomas", "Leo", "Viktor", "Max", "Norbert"]
TOWNS = [
    "Oslo",
    "Madrid",
    "Porto",
    "Bergen",
    "Dublin",
    "Ulm",
    "Rostock",
    "Dortmund",
    "Bonn",
    "Kiel",
    "Lyon",
    "Nantes",
    "Bordeaux",
    "Bristol",
    "Leeds",
    "York",
    "Oxford",
    "Cardiff",
    "Malmö",
    "Turku",
    "Calais",
    "Split",
]
# With the Czech dative, which says whose age it is; masculine first.
MALE_RELATIVES = table("""
    brother | Bruder | frère | bratr, bratrovi
    father | Vater | père | otec, otci
    son | Sohn | fils | syn, synovi
    uncle | Onkel | oncle | strýc, strýci
    grandfather | Großvater | grand-père | dědeček, dědečkovi
""")
FEMALE_RELATIVES = table("""
    sister | Schwester | sœur | sestra, sestře
    mother | Mutter | mère | matka, matce
    daughter | Tochter | fille | dcera, dceři
    aunt | Tante | tante | teta, tetě
    grandmother | Großmutter | grand-mère | babička, babičce
""")
WEEKDAYS = table("""
    Monday | Montag | lundi | v pondělí, každé pondělí, minulé pondělí, pondělí
    Tuesday | Dienstag | mardi | v úterý, každé úterý, minulé úterý, úterý
    Wednesday | Mittwoch | mercredi | ve středu, každou středu, minulou středu, středy
    Thursday | Donnerstag | jeudi | ve čtvrtek, každý čtvrtek, minulý čtvrtek, čtvrtka
    Friday | Freitag | vendredi | v pátek, každý pátek, minulý pátek, pátku
    Saturday | Samstag | samedi | v sobotu, každou sobotu, minulou sobotu, soboty
    Sunday | Sonntag | dimanche | v neděli, každou neděli, minulou neděli, neděle
""")
MONTHS = table("""
    January | Januar | janvier | ledna, lednu
    February | Februar | février | února, únoru
    March | März | mars | března, březnu
    April | April | avril | dubna, dubnu
    May | Mai | mai | května, květnu
    June | Juni | juin | června, červnu
    July | Juli | juillet | července, červenci
    August | August | août | srpna, srpnu
    September | September | septembre | září, září
    October | Oktober | octobre | října, říjnu
    November | November | novembre | listopadu, listopadu
    December | Dezember | décembre | prosince, prosinci
""")
# Said of "I", "we" and a third person. In German the verb, then what stands at the end of the sentence.
ROUTINES = table("""
    get up, gets up | stehe, stehen, steht, auf | me lève, nous levons, se lève | vstávám, vstáváme, vstává
    have breakfast, has breakfast | frühstücke, frühstücken, frühstückt, | prends le petit-déjeuner, prenons le petit-déjeuner, prend le petit-déjeuner | snídám, snídáme, snídá
    have lunch, has lunch | esse, essen, isst, zu Mittag | déjeune, déjeunons, déjeune | obědvám, obědváme, obědvá
    have dinner, has dinner | esse, essen, isst, zu Abend | dîne, dînons, dîne | večeřím, večeříme, večeří
    start work, starts work | fange, fangen, fängt, mit der Arbeit an | commence le travail, commençons le travail, commence le travail | začínám pracovat, začínáme pracovat, začíná pracovat
    come home, comes home | komme, kommen, kommt, nach Hause | rentre à la maison, rentrons à la maison, rentre à la maison | přicházím domů, přicházíme domů, přichází domů
""")  # noqa: E501
ACTIVITIES = table("""
    plays tennis | spielt, Tennis | joue au tennis | hraje tenis
    plays football | spielt, Fußball | joue au football | hraje fotbal
    plays chess | spielt, Schach | joue aux échecs | hraje šachy
    plays the piano | spielt, Klavier | joue du piano | hraje na klavír
    learns English | lernt, Englisch | apprend l'anglais | se učí anglicky
    swims | schwimmt, | nage | plave
    cooks | kocht, | fait la cuisine | vaří
    works | arbeitet, | travaille | pracuje
""")


def french_definite(noun: str) -> str:
    """ "un livre" -> "le livre", "une église" -> "l'église": of the nouns above, none has an aspirated h."""
    article, noun = noun.split(" ", 1)
    first = unicodedata.normalize("NFD", noun)[0]
    return f"l'{noun}" if first in "aeiouhœ" else f"{'le' if article == 'un' else 'la'} {noun}"


def gender(french: str, czech: str) -> tuple[int, int]:
    """The positions of the genders of a French noun with its article and of a Czech one among those told apart."""
    return int(french.startswith("une ")), {"i": 0, "a": 0, "f": 1, "n": 2}[czech]


def definite(row: list[list[str]], colour: list[list[str]] | None = None) -> Phrases:
    """The thing of a row, "the (red) hat", as the subject of a sentence."""
    english, german, french, czech = row
    choices = gender(french[0], czech[0])
    english_noun, german_noun, french_noun, czech_noun = english[0], german[0], french_definite(french[0]), czech[1]
    if colour:
        english_noun = f"{colour[0][0]} {english_noun}"
        german_noun = german_noun.replace(" ", f" {colour[1][0]} ")
        french_noun = f"{french_noun} {colour[2][choices[0]]}"
        czech_noun = f"{colour[3][choices[1]]} {czech_noun}"
    subjects = Phrase(f"the {english_noun}"), Phrase(german_noun), Phrase(french_noun, choices[0])
    return *subjects, Phrase(czech_noun, choices[1])


def thing(rng: random.Random) -> Phrases:
    return definite(rng.choice(GOODS + FURNITURE), rng.choice(COLOURS) if rng.random() < 0.4 else None)


def furniture(rng: random.Random) -> Phrases:
    return definite(rng.choice(FURNITURE), rng.choice(COLOURS) if rng.random() < 0.4 else None)


def event(rng: random.Random) -> Phrases:
    return definite(rng.choice(EVENTS))


def place(rng: random.Random) -> Phrases:
    """A place as the subject of a sentence; being in it as `:in`."""
    row = rng.choice(PLACES)
    return with_form("in", definite(row), [cell[-1] for cell in row])


def plurals(rng: random.Random) -> Phrases:
    """Goods as a kind: "the shirts"."""
    (_, english), (_, german), (_, french), czech = rng.choice(GOODS + FURNITURE)
    return Phrase(f"the {english}"), Phrase(f"die {german}"), Phrase(f"les {french}"), Phrase(czech[3])


def counted(rows: list[list[list[str]]], low: int = 1, high: int = 100) -> Slot:
    return lambda rng: count(rng, rng.choice(rows), draw_number(rng, low, high))


def holding(rng: random.Random) -> Phrases:
    """What an institution has, with the institution as `:owner`."""
    index = rng.randrange(len(HELD))
    number = draw_number(rng, 15, 3000)
    owners = [cell[0] for cell in HELD[index]]
    return with_form("owner", count(rng, HOLDINGS[index], number), owners)


def money(rng: random.Random, low: int = 1, high: int = 3000) -> Phrases:
    """An amount of money, in the accusative where there is one."""
    row = rng.choice(CURRENCIES)
    if rng.random() < 0.2:
        amount = f"{rng.randint(2, 40)}.{rng.randrange(10, 100, 5)}"
        nouns = row[0][1], row[1][1], row[2][1], row[3][6]
        points = (".", ",", ",", ",")
        return phrases(f"{amount.replace('.', point)} {noun}" for point, noun in zip(points, nouns, strict=True))
    english, german, french, czech = count(rng, row, draw_number(rng, low, high))
    return english, Phrase(f"{german:acc}"), french, Phrase(f"{czech:acc}")


def duration(rng: random.Random) -> Phrases:
    unit, low, high = rng.choice(((MINUTES, 5, 59), (HOURS, 1, 12), (DAYS, 1, 20), (WEEKS, 1, 10)))
    return count(rng, unit, draw_number(rng, low, high))


def stay(rng: random.Random) -> Phrases:
    unit, high = rng.choice(((DAYS, 20), (WEEKS, 10), (MONTH_COUNT, 11), (YEARS, 12)))
    return count(rng, unit, draw_number(rng, 1, high))


def delay(rng: random.Random) -> Phrases:
    return count(rng, MINUTES, draw_number(rng, 2, 59))


def degrees(rng: random.Random) -> Phrases:
    above = count(rng, DEGREES, draw_number(rng, 2, 35))
    if above[0].text[0].isdigit() or rng.random() < 0.6:
        return above
    signs = ("minus", "minus", "moins", "minus")
    return phrases(f"{sign} {phrase}" for sign, phrase in zip(signs, above, strict=True))


# Time


def clock(rng: random.Random) -> Phrases:
    """A time of day with its preposition: "at half past three", "at 14:35"."""
    kind = rng.choice(("hour", "hour", "half", "past", "to", "minutes", "figures", "figures"))
    if kind == "figures":
        hour, minute = rng.randint(5, 23), rng.randrange(0, 60, 5)
        time = f"{hour}:{minute:02d}"
        texts = f"at {time}", f"um {time} Uhr", f"à {hour} h {minute:02d}", f"{czech_in(hour)} {time}"
        return phrases(texts)
    hour = rng.randint(1, 11)
    english, german, french, _ = words(hour)
    french = "une heure" if hour == 1 else f"{french} heures"
    if kind == "half":
        texts = (
            f"at half past {english}",
            f"um halb {words(hour + 1)[1]}",
            f"à {french} et demie",
            f"v půl {czech_ordinal(hour + 1, 'é', 'í')}",
        )
    elif kind == "past":
        texts = (
            f"at quarter past {english}",
            f"um Viertel nach {german}",
            f"à {french} et quart",
            f"ve čtvrt na {czech_hour(hour + 1)}",
        )
    elif kind == "to":
        hour = rng.randint(2, 11)
        english, german, french, _ = words(hour)
        texts = (
            f"at quarter to {english}",
            f"um Viertel vor {german}",
            f"à {french} heures moins le quart",
            f"ve tři čtvrtě na {czech_hour(hour)}",
        )
    else:
        noun = "hodinu" if hour == 1 else "hodiny" if hour < 5 else "hodin"
        german = "ein" if hour == 1 else german
        minutes = ["", "", "", ""]
        czech_minutes = english_end = ""
        if kind == "minutes":
            minutes = [f" {text}" for text in words(rng.choice((10, 20, 25, 35, 40, 50, 55)))]
            czech_minutes = " minut"
        else:
            english_end = " o'clock"
        texts = (
            f"at {english}{minutes[0]}{english_end}",
            f"um {german} Uhr{minutes[1]}",
            f"à {french}{minutes[2]}",
            f"{czech_in(hour)} {czech_hour(hour)} {noun}{minutes[3]}{czech_minutes}",
        )
    return phrases(texts)


def czech_hour(hour: int) -> str:
    return {1: "jednu", 2: "dvě"}.get(hour) or words(hour)[3]


def opening(rng: random.Random) -> Phrases:
    """From one time to another, in figures."""
    start, end = (f"{rng.randint(*hours)}:{rng.choice(('00', '15', '30', '45'))}" for hours in ((6, 11), (14, 23)))
    french = f"de {start} à {end}".replace(":", " h ")
    texts = f"from {start} to {end}", f"von {start} bis {end} Uhr", french, f"od {start} do {end}"
    return phrases(texts)


def weekday(rng: random.Random) -> Phrases:
    """On a day of the week; every week as `:every`, the last one as `:last`."""
    english, german, french, czech = rng.choice(WEEKDAYS)
    day, tag, jour = english[0], german[0], french[0]
    return (
        Phrase(f"on {day}", 0, {"every": f"every {day}", "last": f"last {day}"}),
        Phrase(f"am {tag}", 0, {"every": f"jeden {tag}", "last": f"letzten {tag}"}),
        Phrase(jour, 0, {"every": f"tous les {jour}s", "last": f"{jour} dernier"}),
        Phrase(czech[0], 0, {"every": czech[1], "last": czech[2]}),
    )


def weekdays(rng: random.Random) -> Phrases:
    """From one day of the week to another."""
    first, last = (WEEKDAYS[i] for i in sorted(rng.sample(range(7), 2)))
    texts = (
        f"from {first[0][0]} to {last[0][0]}",
        f"von {first[1][0]} bis {last[1][0]}",
        f"du {first[2][0]} au {last[2][0]}",
        f"od {first[3][3]} do {last[3][3]}",
    )
    return phrases(texts)


def date(rng: random.Random) -> Phrases:
    """A day of the year in words or figures; `:bare` has it without what would stand after a day of the week."""
    index = rng.randrange(12)
    month = MONTHS[index]
    day = rng.randint(1, (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)[index])
    if rng.random() < 0.4:
        texts = [f"{day}", f"{day}.", "1er" if day == 1 else f"{day}", f"{day}."]
        english = f"{day} {month[0][0]}"
    else:
        english, german, french = ordinals(day)
        texts = ["", f"{german}n", french if day == 1 else words(day)[2], czech_ordinal(day, "ého", "ího")]
        english = f"the {english} of {month[0][0]}"
    german, french, czech = (f"{text} {cell[0]}" for text, cell in zip(texts[1:], month[1:], strict=True))
    return (
        Phrase(f"on {english}", 0, {"bare": english}),
        Phrase(f"am {german}", 0, {"bare": german}),
        Phrase(f"le {french}", 0, {"bare": french}),
        Phrase(czech, 0, {"bare": czech}),
    )


def year(rng: random.Random) -> Phrases:
    """A year, to follow a date or (`:in`) to stand alone."""
    number = rng.choice((rng.randint(1950, 1999), rng.randint(1950, 1999), rng.randint(2000, 2024)))
    return year_forms(rng, number)


def old_year(rng: random.Random) -> Phrases:
    # No 1805: English says that in several ways.
    return year_forms(rng, 100 * rng.randint(16, 19) + rng.randint(10, 99))


def year_forms(rng: random.Random, number: int) -> Phrases:
    if rng.random() < 0.6:
        texts = [str(number)] * 4
    else:
        texts = [num2words(number, lang=language, to="year") for language in ("en", "de")] + label(number)[2:]
    prepositions = ("in", "im Jahr", "en", "v roce")
    return with_form("in", phrases(texts), [f"{word} {text}" for word, text in zip(prepositions, texts, strict=True)])


TODAY = table("""
    today | heute | aujourd'hui | dnes
    tomorrow | morgen | demain | zítra
""")


def day(rng: random.Random) -> Phrases:
    """A day to which a time can be added: "tomorrow", "on Monday", "on the third of May"."""
    kind = rng.random()
    if kind < 0.2:
        return only(rng.choice(TODAY))
    return weekday(rng) if kind < 0.55 else date(rng)


DAY_PARTS = table("""
    morning | morgen | matin | ráno
    afternoon | nachmittag | après-midi | odpoledne
    evening | abend | soir | večer
""")


def session(rng: random.Random) -> Phrases:
    """A day or a part of a day: "on Monday afternoon"."""
    if rng.random() < 0.5:
        return day(rng)
    english, german, french, czech = weekday(rng)
    part = rng.choice(DAY_PARTS)
    texts = f"{english} {part[0][0]}", f"{german}{part[1][0]}", f"{french} {part[2][0]}", f"{czech} {part[3][0]}"
    return phrases(texts)


PAST = table("""
    yesterday | gestern | hier | včera
    last week | letzte Woche | la semaine dernière | minulý týden
    last month | letzten Monat | le mois dernier | minulý měsíc
    last year | letztes Jahr | l'année dernière | loni
""")


def past(rng: random.Random) -> Phrases:
    if rng.random() < 0.5:
        return only(rng.choice(PAST))
    return phrases(f"{phrase:last}" for phrase in weekday(rng))


def month(rng: random.Random) -> Phrases:
    english, german, french, czech = rng.choice(MONTHS)
    return Phrase(f"in {english[0]}"), Phrase(f"im {german[0]}"), Phrase(f"en {french[0]}"), Phrase(f"v {czech[1]}")


# People and names


def name(rng: random.Random) -> Phrases:
    """A first name; it agrees in gender."""
    choice = rng.randrange(2)
    return (Phrase(rng.choice((MEN, WOMEN)[choice]), choice),) * 4


def relative(rng: random.Random) -> Phrases:
    """ "my sister", "our uncle"; the Czech dative as `:dat`."""
    choice = rng.randrange(2)
    english, german, french, czech = rng.choice((MALE_RELATIVES, FEMALE_RELATIVES)[choice])
    if rng.random() < 0.5:
        my = ("my", ("mein", "meine")[choice], ("mon", "ma")[choice], ("můj", "moje")[choice])
        dative = ("mému", "mé")[choice]
    else:
        my = ("our", ("unser", "unsere")[choice], "notre", ("náš", "naše")[choice])
        dative = ("našemu", "naší")[choice]
    return (
        Phrase(f"{my[0]} {english[0]}", choice),
        Phrase(f"{my[1]} {german[0]}", choice),
        Phrase(f"{my[2]} {french[0]}", choice),
        Phrase(f"{my[3]} {czech[0]}", choice, {"dat": f"{dative} {czech[1]}"}),
    )


def age(rng: random.Random) -> Phrases:
    """A number of years; who is so old, in Czech in the dative, as `:who`."""
    kin = relative(rng)
    young = kin[0].text.split()[1] in ("son", "daughter", "brother", "sister")
    years = count(rng, YEARS, draw_number(rng, *((1, 30) if young else (40, 90))))
    return with_form("who", years, [*(phrase.text for phrase in kin[:3]), kin[3].forms["dat"]])


def who(rng: random.Random) -> Phrases:
    """Somebody, third person singular."""
    return name(rng) if rng.random() < 0.6 else relative(rng)


def town(rng: random.Random) -> Phrases:
    return (Phrase(rng.choice(TOWNS)),) * 4


def routine(rng: random.Random) -> Phrases:
    """What somebody does every day, with its subject; the German end of the sentence as `:end`."""
    english, german, french, czech = rng.choice(ROUTINES)
    person = rng.choice((0, 1, 2, 2))
    if person == 2:
        subjects = [f"{phrase}" for phrase in who(rng)]
    else:
        subjects = [("I", "we")[person], ("ich", "wir")[person], ("je", "nous")[person], ""]
    return (
        Phrase(f"{subjects[0]} {english[person // 2]}"),
        Phrase(f"{subjects[1]} {german[person]}", 0, {"end": german[3]}),
        Phrase(f"{subjects[2]} {french[person]}"),
        Phrase(f"{subjects[3]} {czech[person]}"),
    )


def activity(rng: random.Random) -> Phrases:
    english, german, french, czech = rng.choice(ACTIVITIES)
    return Phrase(english[0]), Phrase(german[0], 0, {"end": german[1]}), Phrase(french[0]), Phrase(czech[0])


# Ordinals, digits, sums


def floor(rng: random.Random) -> Phrases:
    number = rng.randint(1, 16)
    english, german, french = ordinals(number)
    texts = (
        f"on the {english} floor",
        f"im {german}n Stock",
        f"au {french} étage",
        f"{czech_in(number)} {czech_ordinal(number, 'ém', 'ím')} patře",
    )
    return phrases(texts)


def ordinal(low: int, high: int) -> Slot:
    """Which one: forms for a German masculine accusative, a French masculine or (`:f`) feminine, and Czech feminine
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
    spelled = [words(rng.randrange(10)) for _ in range(rng.randint(3, 4))]
    return phrases(" ".join(texts) for texts in zip(*spelled, strict=True))


def phone(rng: random.Random) -> Phrases:
    return (Phrase(f"{rng.randint(200, 799)} {rng.randint(100, 999)}"),) * 4


def score(rng: random.Random) -> Phrases:
    """The score of a match that was won: "three to one"."""
    lower = rng.randint(1, 5)
    higher = rng.randint(lower + 1, 8)
    numbers = zip(words(higher), (" to ", " zu ", " à ", " "), words(lower), strict=True)
    return phrases("".join(parts) for parts in numbers)


def named(low: int, high: int) -> Slot:
    return lambda rng: name_number(rng, rng.randint(low, rng.choice((min(high, 20), min(high, 99), high))))


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
    equals = ("is", "ist", "font", "je")
    parts = zip(words(first), signs, words(second), equals, words(result), strict=True)
    return phrases(" ".join(part) for part in parts)


def ingredients(rng: random.Random) -> Phrases:
    """So many grams of something solid and so many litres of something liquid."""
    grams = count(rng, GRAMS, rng.choice((50, 80, 100, 150, 200, 250, 300, 350, 400, 450, 500, 600, 750, 800)))
    litres = count(rng, LITRES, rng.randint(1, 12))
    parts = zip(
        grams, only(rng.choice(SOLIDS)), ("and", "und", "et", "a"), litres, only(rng.choice(LIQUIDS)), strict=True
    )
    return phrases(" ".join(map(str, part)) for part in parts)


SOLIDS = table("""
    of flour | Mehl | de farine | mouky
    of sugar | Zucker | de sucre | cukru
    of butter | Butter | de beurre | másla
    of rice | Reis | de riz | rýže
    of cheese | Käse | de fromage | sýra
    of meat | Fleisch | de viande | masa
""")
LIQUIDS = table("""
    of milk | Milch | de lait | mléka
    of water | Wasser | d'eau | vody
    of juice | Saft | de jus | džusu
    of oil | Öl | d'huile | oleje
    of wine | Wein | de vin | vína
""")


def high(rng: random.Random) -> Phrases:
    """A thing and how it measures: the adjective as `:is`, as its subject asks for."""
    row = rng.choice(MEASURED)
    return with_form("is", only(row), [cell[1] for cell in row])


MEASURED = table("""
    the tower, high | der Turm, hoch | la tour, de haut | věž, vysoká
    the wall, high | die Mauer, hoch | le mur, de haut | zeď, vysoká
    the tree, high | der Baum, hoch | l'arbre, de haut | strom, vysoký
    the bridge, long | die Brücke, lang | le pont, de long | most, dlouhý
    the tunnel, long | der Tunnel, lang | le tunnel, de long | tunel, dlouhý
    the ship, long | das Schiff, lang | le navire, de long | loď, dlouhá
    the garden, long | der Garten, lang | le jardin, de long | zahrada, dlouhá
    the river, wide | der Fluss, breit | la rivière, de large | řeka, široká
    the street, wide | die Straße, breit | la rue, de large | ulice, široká
""")

SLOTS: dict[str, Slot] = {
    "activity": activity,
    "age": age,
    "animals": counted(ANIMALS, 1, 12),
    "calculation": calculation,
    "clock": clock,
    "date": date,
    "day": day,
    "degrees": degrees,
    "delay": delay,
    "digits": digits,
    "dishes": counted(DISHES, 1, 6),
    "duration": duration,
    "event": event,
    "flight": lambda rng: name_number(rng, rng.randint(100, 999)),
    "floor": floor,
    "furniture": furniture,
    "goods": counted(GOODS, 1, 40),
    "high": high,
    "holding": holding,
    "house": lambda rng: (Phrase(str(rng.randint(1, 120))),) * 4,
    "ingredients": ingredients,
    "kilograms": counted([KILOGRAMS], 1, 60),
    "kilometres": counted([KILOMETRES], 1, 900),
    "metres": counted([METRES], 2, 95),
    "money": money,
    "month": month,
    "old_year": old_year,
    "opening": opening,
    "page": named(1, 400),
    "past": past,
    "people": counted(PEOPLE, 1, 60),
    "percent": lambda rng: phrases(words(rng.randrange(5, 75, 5))),
    "phone": phone,
    "place": place,
    "platform": named(1, 20),
    "plurals": plurals,
    "birthday": ordinal(1, 99),
    "chapter": ordinal(1, 40),
    "rank": ordinal(1, 20),
    "room": named(1, 400),
    "routine": routine,
    "session": session,
    "score": score,
    "stay": stay,
    "thing": thing,
    "tickets": counted(TICKETS, 1, 30),
    "town": town,
    "weekday": weekday,
    "weekdays": weekdays,
    "who": who,
    "year": year,
    "cheap": lambda rng: money(rng, 2, 300),
    "rent": lambda rng: money(rng, 20, 3000),
    "lock": plain("""
        the door | die Tür | de la porte | ke dveřím
        the safe | den Tresor | du coffre-fort | k sejfu
        the garage | die Garage | du garage | ke garáži
        the suitcase | den Koffer | de la valise | ke kufru
        the phone | das Telefon | du téléphone | k telefonu
        the cellar | den Keller | de la cave | ke sklepu
    """),
    "on": plain("""
        on the table | auf dem Tisch | sur la table | na stole
        on the floor | auf dem Boden | par terre | na podlaze
        on the chair | auf dem Stuhl | sur la chaise | na židli
        in the box | in der Kiste | dans la boîte | v krabici
        in the drawer | in der Schublade | dans le tiroir | v zásuvce
        in the kitchen | in der Küche | dans la cuisine | v kuchyni
        under the bed | unter dem Bett | sous le lit | pod postelí
        in the basket | im Korb | dans le panier | v košíku
    """),
    "printed": plain("""
        the answer | die Antwort | la réponse | odpověď
        the recipe | das Rezept | la recette | recept
        the map | die Karte | la carte | mapa
        the poem | das Gedicht | le poème | báseň
        the photo | das Foto | la photo | fotografie
        the list | die Liste | la liste | seznam
        the address | die Adresse | l'adresse | adresa
    """),
    "street": plain("""
        Station Street | Bahnhofstraße | rue de la Gare | Nádražní
        Garden Street | Gartenstraße | rue du Jardin | Zahradní
        School Street | Schulstraße | rue de l'École | Školní
        Forest Street | Waldstraße | rue de la Forêt | Lesní
        Church Street | Kirchstraße | rue de l'Église | Kostelní
        Bridge Street | Brückenstraße | rue du Pont | Mostní
        Mill Street | Mühlenstraße | rue du Moulin | Mlýnské
        Flower Street | Blumenstraße | rue des Fleurs | Květinové
        Castle Street | Schlossstraße | rue du Château | Zámecké
        Market Street | Marktstraße | rue du Marché | Tržní
    """),
    "per": plain("""
        a day | pro Tag | par jour | za den
        a week | pro Woche | par semaine | za týden
        a month | pro Monat | par mois | za měsíc
    """),
    "hired": plain("""
        the flat | die Wohnung | l'appartement | byt
        the room | das Zimmer | la chambre | pokoj
        the house | das Haus | la maison | dům
        the car | das Auto | la voiture | auto
        the bicycle | das Fahrrad | le vélo | kolo
        the garage | die Garage | le garage | garáž
        the boat | das Boot | le bateau | člun
    """),
    "vehicle": plain("""
        the train | der Zug | le train | vlak
        the bus | der Bus | le bus | autobus
        the tram | die Straßenbahn | le tramway | tramvaj
        the night train | der Nachtzug | le train de nuit | noční vlak
    """),
    "weather": plain("""
        warm | warm | chaud | teplé
        cold | kalt | froid | chladné
        sunny | sonnig | ensoleillé | slunečné
        cloudy | bewölkt | nuageux | oblačné
        windy | windig | venteux | větrné
        foggy | neblig | brumeux | mlhavé
        rainy | regnerisch | pluvieux | deštivé
        dry | trocken | sec | suché
        stormy | stürmisch | orageux | bouřlivé
        pleasant | angenehm | agréable | příjemné
    """),
}

# What a sentence says in English, German, French and Czech. A digit after a slot's name: a second, different draw.
TEMPLATES = [
    [line for line in block.splitlines() if not line.startswith("#")]
    for block in """
# Meetings and events
{event} is {day} {clock}.
{event} ist {day} {clock}.
{event} aura lieu {day} {clock}.
{event} je {day} {clock}.

{event} begins {weekday}, {date:bare}, {clock}.
{event} beginnt {weekday}, dem {date:bare}, {clock}.
{event} commence le {weekday} {date:bare} {clock}.
{event} začíná {weekday} {date:bare} {clock}.

{event} lasts {duration}.
{event} dauert {duration:acc}.
{event} dure {duration}.
{event} trvá {duration:acc}.

{event} begins in {duration}.
{event} beginnt in {duration:dat}.
{event} commence dans {duration}.
{event} začíná za {duration:acc}.

does {event} end {clock}?
endet {event} {clock}?
est-ce que {event} se termine {clock} ?
končí {event} {clock}?

{event} takes place {session} in room {room}.
{event} findet {session} in Raum {room} statt.
{event} a lieu {session} dans la salle {room}.
{event} se koná {session} v místnosti {room}.

{who} has an appointment {day} {clock}.
{who} hat {day} {clock} einen Termin.
{who} a rendez-vous {day} {clock}.
{who} má schůzku {day} {clock}.

we will meet {day} {clock} {place:in}.
wir treffen uns {day} {clock} {place:in}.
nous nous retrouverons {day} {clock} {place:in}.
sejdeme se {day} {clock} {place:in}.

# Travel
{vehicle} to {town} leaves {clock} from platform {platform}.
{vehicle} nach {town} fährt {clock} von Gleis {platform} ab.
{vehicle} pour {town} part {clock} du quai {platform}.
{vehicle} směr {town} odjíždí {clock} z nástupiště {platform}.

{vehicle} to {town} is {delay} late.
{vehicle} nach {town} hat {delay:acc} Verspätung.
{vehicle} pour {town} a {delay} de retard.
{vehicle} směr {town} má {delay:acc} zpoždění.

{vehicle} to {town} does not leave {clock} but {clock2}.
{vehicle} nach {town} fährt nicht {clock}, sondern {clock2} ab.
{vehicle} pour {town} ne part pas {clock}, mais {clock2}.
{vehicle} směr {town} neodjíždí {clock}, ale {clock2}.

flight {flight} to {town} lands {clock}.
Flug {flight} nach {town} landet {clock}.
le vol {flight} pour {town} atterrit {clock}.
let {flight} směr {town} přistává {clock}.

the road to {town} is {kilometres} long.
die Straße nach {town} ist {kilometres:acc} lang.
la route vers {town} fait {kilometres} de long.
silnice směr {town} je dlouhá {kilometres:acc}.

{tickets} to {town} {tickets:costs/cost} {money}.
{tickets} nach {town} {tickets:kostet/kosten} {money}.
{tickets} pour {town} {tickets:coûte/coûtent} {money}.
{tickets} do města {town} stojí {money}.

{who} will stay in {town} for {stay}.
{who} bleibt {stay:acc} in {town}.
{who} restera {stay} à {town}.
{who} zůstane {stay:acc} ve městě {town}.

{month} {who} travels to {town} for {stay}.
{month} fährt {who} für {stay:acc} nach {town}.
{month}, {who} part {stay} à {town}.
{month} jede {who} na {stay:acc} do města {town}.

# Shopping
{thing} costs {money}.
{thing} kostet {money}.
{thing} coûte {money}.
{thing} stojí {money}.

{who} buys {goods} for {money}.
{who} kauft {goods:acc} für {money}.
{who} achète {goods} pour {money}.
{who} kupuje {goods:acc} za {money}.

{who} bought {goods} and {goods2} {past}.
{who} hat {past} {goods:acc} und {goods2:acc} gekauft.
{who} a acheté {goods} et {goods2} {past}.
{who} {past} koupil{who:/a} {goods:acc} a {goods2:acc}.

how much {goods:does/do} {goods} cost?
wie viel {goods:kostet/kosten} {goods}?
combien {goods:coûte/coûtent} {goods} ?
kolik stojí {goods}?

{goods} and {goods2} cost {cheap} together.
{goods} und {goods2} kosten zusammen {cheap}.
{goods} et {goods2} coûtent {cheap} en tout.
{goods} a {goods2} stojí dohromady {cheap}.

{hired} costs {rent} {per}.
{hired} kostet {rent} {per}.
{hired} coûte {rent} {per}.
{hired} stojí {rent} {per}.

{plurals} cost {percent} percent less {session}.
{plurals} kosten {session} {percent} Prozent weniger.
{plurals} coûtent {percent} pour cent de moins {session}.
{plurals} stojí {session} o {percent} procent méně.

# Quantities
we need {goods}.
wir brauchen {goods:acc}.
il nous faut {goods}.
potřebujeme {goods:acc}.

we need {ingredients}.
wir brauchen {ingredients}.
il nous faut {ingredients}.
potřebujeme {ingredients}.

there {goods:is/are} {goods} {on}.
{on} {goods:liegt/liegen} {goods}.
il y a {goods} {on}.
{on} leží {goods}.

there {people:is/are} {people} {place:in}.
{place:in} {people:ist/sind} {people}.
il y a {people} {place:in}.
{place:in} {people:je/jsou/je} {people}.

{holding:owner} has {holding}.
{holding:owner} hat {holding:acc}.
{holding:owner} a {holding}.
{holding:owner} má {holding:acc}.

{who} has {animals} and {goods}.
{who} hat {animals:acc} und {goods:acc}.
{who} a {animals} et {goods}.
{who} má {animals:acc} a {goods:acc}.

I will have {dishes} and {dishes2}.
ich nehme {dishes:acc} und {dishes2:acc}.
je prends {dishes} et {dishes2}.
dám si {dishes:acc} a {dishes2:acc}.

{furniture} weighs {kilograms}.
{furniture} wiegt {kilograms:acc}.
{furniture} pèse {kilograms}.
{furniture} váží {kilograms:acc}.

{high} is {metres} {high:is}.
{high} ist {metres:acc} {high:is}.
{high} fait {metres} {high:is}.
{high} je {high:is} {metres:acc}.

# People
{who} celebrates {who:his/her} birthday {date}.
{who} feiert {date} Geburtstag.
{who} fête son anniversaire {date}.
{who} slaví narozeniny {date}.

{who} celebrates {who:his/her} {birthday} birthday {day}.
{who} feiert {day} {who:seinen/ihren} {birthday} Geburtstag.
{who} fête son {birthday} anniversaire {day}.
{who} slaví {day} {birthday:plural} narozeniny.

{who} was born {date} {year}.
{who} wurde {date} {year} geboren.
{who} est {who:né/née} le {date:bare} {year}.
{who} se narodil{who:/a} {date} {year}.

{age:who} is {age} old.
{age:who} ist {age:acc} alt.
{age:who} a {age}.
{age:who} {age:je/jsou/je} {age}.

{who} has the phone number {phone}.
{who} hat die Telefonnummer {phone}.
{who} a le numéro de téléphone {phone}.
{who} má telefonní číslo {phone}.

{who} lives at {house} {street}.
{who} wohnt in der {street} {house}.
{who} habite au {house}, {street}.
{who} bydlí v {street} ulici {house}.

{who} works {floor}.
{who} arbeitet {floor}.
{who} travaille {floor}.
{who} pracuje {floor}.

{who} {activity} {weekday:every} {clock}.
{who} {activity} {weekday:every} {clock} {activity:end}.
{who} {activity} {weekday:every} {clock}.
{who} {activity} {weekday:every} {clock}.

{routine} {clock}.
{routine} {clock} {routine:end}.
{routine} {clock}.
{routine} {clock}.

{who} is reading the {chapter} chapter.
{who} liest das {chapter:n} Kapitel.
{who} lit le {chapter} chapitre.
{who} čte {chapter:acc} kapitolu.

{who} won the match {score} {past}.
{who} hat das Spiel {past} {score} gewonnen.
{past}, {who} a gagné le match {score}.
{who} {past} vyhrál{who:/a} zápas {score}.

{who} finished in {rank} place {past}.
{who} hat {past} den {rank} Platz belegt.
{past}, {who} a terminé à la {rank:f} place.
{who} {past} skončil{who:/a} na {rank:loc} místě.

# The town
{place} opens {weekday:every} {clock}.
{place} öffnet {weekday:every} {clock}.
{place} ouvre {weekday:every} {clock}.
{place} otevírá {weekday:every} {clock}.

{place} is open {weekdays} {opening}.
{place} ist {weekdays} {opening} geöffnet.
{place} est {place:ouvert/ouverte} {weekdays} {opening}.
{place} je {place:otevřený/otevřená/otevřené} {weekdays} {opening}.

{place} is closed {session}.
{place} ist {session} geschlossen.
{place} est {place:fermé/fermée} {session}.
{place} je {session} {place:zavřený/zavřená/zavřené}.

{place} was built {old_year:in}.
{place} wurde {old_year:in} gebaut.
{place} a été {place:construit/construite} {old_year:in}.
{place} {place:byl postaven/byla postavena/bylo postaveno} {old_year:in}.

the weather in {town} will be {weather} {session}.
das Wetter in {town} wird {session} {weather}.
le temps à {town} sera {weather} {session}.
počasí ve městě {town} bude {session} {weather}.

the temperature in {town} is {degrees}.
die Temperatur in {town} beträgt {degrees}.
la température à {town} est de {degrees}.
teplota ve městě {town} je {degrees}.

# Numbers by themselves
the code for {lock} is {digits}.
der Code für {lock} ist {digits}.
le code {lock} est {digits}.
kód {lock} je {digits}.

{printed} is on page {page}.
{printed} steht auf Seite {page}.
{printed} se trouve à la page {page}.
{printed} je na straně {page}.

{calculation}.
{calculation}.
{calculation}.
{calculation}.
""".strip().split("\n\n")
]


def said(drawn: Phrases) -> str:
    """What two draws of a slot must differ in: the thing that is counted, or all."""
    return drawn[0].forms.get("noun", drawn[0].text)


def sentence(rng: random.Random, template: list[str]) -> tuple[str, ...]:
    """One sentence of a template, in the four languages."""
    names = dict.fromkeys(re.findall(r"{(\w+)", " ".join(template)))
    slots: dict[str, Phrases] = {}
    for name in names:
        first = name.rstrip("0123456789")
        slots[name] = SLOTS[first](rng)
        while name != first and said(slots[name]) == said(slots[first]):
            slots[name] = SLOTS[first](rng)
    texts = []
    for i, text in enumerate(template):
        text = text.format(**{name: phrases[i] for name, phrases in slots.items()})
        text = re.sub(" +", " ", text).replace(" .", ".").strip()
        texts.append(unicodedata.normalize("NFC", text[0].upper() + text[1:]))
    return tuple(texts)


def sentences(seed: int) -> Iterator[tuple[str, ...]]:
    """Sentences without end, none of them twice."""
    rng = random.Random(seed)
    seen = set()
    while True:
        texts = sentence(rng, rng.choice(TEMPLATES))
        if texts not in seen:
            seen.add(texts)
            yield texts


def generate(seed: int = SEED) -> dict[str, str]:
    """The files of the corpus: their text by their name."""
    source = sentences(seed)
    corpus = {part: [next(source) for _ in range(size)] for part, size in SIZES.items()}
    return {
        f"{part}.{language}": "".join(f"{texts[i]}\n" for texts in lines)
        for part, lines in corpus.items()
        for i, language in enumerate(LANGUAGES)
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="Generates the quickstart's parallel corpus.")
    parser.add_argument("--seed", type=int, default=SEED, help="of the random draws (default: %(default)s)")
    parser.add_argument("--output-dir", type=Path, default=Path(__file__).parent, help="default: beside this script")
    arguments = parser.parse_args()
    arguments.output_dir.mkdir(parents=True, exist_ok=True)
    for name, text in generate(arguments.seed).items():
        (arguments.output_dir / name).write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
