"""Codes of languages: finds the code of a model, or of two letters, for the language that a user meant."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence

from keras_nmt.errors import UserError
from keras_nmt.text.lines import languages_of_lines

MOST_OFFERED = 5
# Codes of ISO 639-1 with those of ISO 639-2 and 639-3 for the language, or for the one that models mean by it.
_SAME = """
aa aar, ab abk, ae ave, af afr, ak aka, am amh, an arg, ar ara arb, as asm, av ava, ay aym, az aze azj, ba bak, be bel,
bg bul, bi bis, bm bam, bn ben, bo bod tib, br bre, bs bos, ca cat, ce che, ch cha, co cos, cr cre, cs ces cze, cu chu,
cv chv, cy cym wel, da dan, de deu ger, dv div, dz dzo, ee ewe, el ell gre, en eng, eo epo, es spa, et est ekk,
eu eus baq, fa fas per pes, ff ful, fi fin, fj fij, fo fao, fr fra fre, fy fry, ga gle, gd gla, gl glg, gn grn, gu guj,
gv glv, ha hau, he heb iw, hi hin, ho hmo, hr hrv, ht hat, hu hun, hy hye arm, hz her, ia ina, id ind in, ie ile,
ig ibo, ii iii, ik ipk, io ido, is isl ice, it ita, iu iku, ja jpn, jv jav, ka kat geo, kg kon, ki kik, kj kua, kk kaz,
kl kal, km khm, kn kan, ko kor, kr kau, ks kas, ku kur kmr, kv kom, kw cor, ky kir, la lat, lb ltz, lg lug, li lim,
ln lin, lo lao, lt lit, lu lub, lv lav lvs, mg mlg plt, mh mah, mi mri mao, mk mkd mac, ml mal, mn mon khk, mr mar,
ms msa may zsm, mt mlt, my mya bur, na nau, nb nob, nd nde, ne nep npi, ng ndo, nl nld dut, nn nno, no nor nob,
nr nbl, nv nav, ny nya, oc oci, oj oji, om orm gaz, or ori ory, os oss, pa pan, pi pli, pl pol, ps pus pbt, pt por,
qu que quy, rm roh, rn run, ro ron rum, ru rus, rw kin, sa san, sc srd, sd snd, se sme, sg sag, sh hbs, si sin,
sk slk slo, sl slv, sm smo, sn sna, so som, sq sqi alb als, sr srp, ss ssw, st sot, su sun, sv swe, sw swa swh, ta tam,
te tel, tg tgk, th tha, ti tir, tk tuk, tl tgl fil, tn tsn, to ton, tr tur, ts tso, tt tat, tw twi, ty tah, ug uig,
uk ukr, ur urd, uz uzb uzn, ve ven, vi vie, vo vol, wa wln, wo wol, xh xho, yi yid ydd ji, yo yor, za zha,
zh zho chi cmn, zu zul
"""
_GROUPS = [group.split() for group in _SAME.split(",")]


def near_languages(code: str, known: Iterable[str]) -> list[str]:
    """Returns the known codes of the language of a code, whatever their form, else those that are spelt alike.

    Example:

    >>> near_languages("de", ["fra_Latn", "deu_Latn"]), near_languages("zh-TW", ["zho_Hans", "zho_Hant", "deu"])
    (['deu_Latn'], ['zho_Hans', 'zho_Hant'])
    """
    names = list(known)
    meant = _languages(code)
    same = [name for name in names if meant & _languages(name)]
    return (same or difflib.get_close_matches(code, names))[:MOST_OFFERED]


def unknown_language(code: str, known: Iterable[str], side: str) -> str:
    """Returns the message of an error for a language that a model does not have.

    Example:

    >>> unknown_language("de", ["deu", "fra"], "target")
    "Unknown target language: did you mean deu? The model has deu, fra. Received: 'de'"
    """
    names = list(known)
    near = near_languages(code, names)
    offer = f": did you mean {' or '.join(near)}?" if near else "."
    return f"Unknown {side} language{offer} The model has {', '.join(names)}. Received: {code!r}"


def known_languages(languages: str | Iterable[str], count: int, side: str, known: Sequence[str]) -> list[str]:
    """Returns the language of each line, as `languages_of_lines`, and checks that all are known; "" may be one.

    Raises:
        UserError: There is not a language for each line, or a language is unknown.
    """
    names = languages_of_lines(languages, count, side)
    for name in (languages,) if isinstance(languages, str) else dict.fromkeys(names):
        if name not in known:
            raise UserError(unknown_language(name, filter(None, known), side))
    return names


def is_code(code: str) -> bool:
    """Tells whether a text has the form of a code: two or three letters, whatever its script and region.

    Example:

    >>> is_code("deu_Latn"), is_code("pt-BR"), is_code("German")
    (True, True, False)
    """
    return re.fullmatch("[a-z]{2,3}", _without_region(code)) is not None


def two_letter_code(code: str) -> str:
    """Returns the code of two letters for the language of a code, whatever its form; or that of three, without more.

    Example:

    >>> two_letter_code("deu_Latn"), two_letter_code("de-AT"), two_letter_code("DE"), two_letter_code("ast_Latn")
    ('de', 'de', 'de', 'ast')
    """
    language = _without_region(code)
    return next((group[0] for group in _GROUPS if language in group), language)


def _languages(code: str) -> set[str]:
    """Returns all codes of the language of a code, without script and region."""
    language = _without_region(code)
    return {language}.union(*(group for group in _GROUPS if language in group))


def _without_region(code: str) -> str:
    return re.split("[-_@]", code.lower().strip("_"), maxsplit=1)[0]
