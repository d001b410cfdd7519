"""What stands beside a number and says whether it is a year or an amount («1500 people», «rose to 1500»)."""

from typing import Final

import regex

from ragcortex.geometry.facts.calendar_words import word_set
from ragcortex.geometry.facts.fact import Language

# A year of the common era without further words, and one that «BC» or «AD» makes a year.
YEAR: Final = r"(?:1\d{3}|20\d{2})(?!\d|[.,:]\d|[%‰°$€£¥])"
# The era after a year or century; the group `bc` is set where it is before the common era.
ERA: Final = (
    r"(?:\s?(?:(?P<bc>BCE?\b|B\.\s?C\.(?:\s?E\.)?|v\.\s?Chr\.|v\.\s?u\.\s?Z\.|vor Christus|av\.\s?J\.?-C\.?"
    r"|avant J[ée]sus-Christ|avant notre ère|a\.\s?(?:de\s)?C\.|antes de Cristo)"
    r"|(?:CE|AD)\b|A\.D\.|C\.E\.|n\.\s?Chr\.|nach Christus|apr?\.\s?J\.?-C\.?|après J[ée]sus-Christ"
    r"|d\.\s?(?:de\s)?C\.|después de Cristo))"
)
_LONGEST_LOOK_BACK: Final = 48

_COUNTED: Final[frozenset[str]] = (
    # English
    word_set(
        """
    people persons person men women children adults visitors inhabitants residents citizens members employees
    workers students pupils users customers soldiers troops deaths cases times copies units items pages words
    characters square cubic percent per million billion thousand hundred bn dozen mph kph rpm bhp horsepower hp nits
    lumens or more fewer less of
    """
    )
    # German
    | word_set(
        """
    menschen personen besucher einwohner mitarbeiter kunden stück prozent millionen tausend tonnen stunden tage
    jahre wochen monate minuten sekunden quadratmeter kubikmeter mal exemplare seiten
    """
    )
    # French
    | word_set(
        """
    personnes visiteurs habitants employés salariés clients euros heures jours ans années mois semaines minutes
    secondes mètres kilomètres pour tonnes fois exemplaires
    """
    )
    # Spanish
    | word_set(
        """
    personas visitantes habitantes empleados clientes horas días años meses semanas minutos segundos metros
    kilómetros toneladas veces ejemplares por millones mil
    """
    )
    # units and currencies
    | word_set(
        """
    m km cm mm kg g mg t l ml ha kw mw w v kwh mwh gb mb kb tb hz khz mhz ghz ft feet foot in inches inch mi miles
    mile yards lb lbs oz meter metre meters metres kilometer kilometre gram grams kilo kilos litre liter liters watt
    watts volt volts usd eur gbp chf jpy cny euro dollar dollars pounds yen yuan franken francs calories kcal
    kilometern metern gramm kilogramm
    """
    )
) - {"in"}
# English lower-case words in -s that are no plural nouns.
_NO_PLURAL: Final[frozenset[str]] = word_set(
    """
    is was has does as this its his us yes thus plus always sometimes perhaps across besides versus towards
    afterwards
    """
)
_NEXT_WORD: Final = regex.compile(r"[ \u00a0\u202f-]?([\p{L}\p{M}]+)")
# Words after which a bare number is an amount: a change, a total, a limit, a price.
_AMOUNT_BEFORE: Final = regex.compile(
    r"(?:\b(?:totals?|sums?|numbers?|averages?|maximum|minimum|capacity|population|length|height|weight|distance|speed"
    r"|prices?|costs?|fees?|amounts?|limits?|values?|scores?|range|area|depth|width|budget|fine|rose|rises?|risen|grew"
    r"|grown|increased?|fell|fallen|dropped|decreased?|declined|reduced|raised|cut|jumped|went|up|down|than|over|under"
    r"|nearly|almost|approximately|roughly|exactly|only|least|most|paid|pays?|spent|sold|counted|numbered|reached"
    r"|room|flight|model|serial|part|item|order|page|version|code|pin|no|nr|postcode|zip|article|section"
    r"|rund|etwa|ungefähr|fast|knapp|mehr als|weniger als|insgesamt|nur|kostete?n?|beträgt|betrug|bis zu|mindestens"
    r"|höchstens|nummer|plz|stieg|sank|fiel auf|zählte?|umfasst"
    r"|environ|presque|plus de|moins de|total|prix|coûte|coûtait|montant|numéro|seulement"
    r"|unos|unas|casi|más de|menos de|precio|cuesta|costaba|importe|número|sólo|solo|aproximadamente)\b|[#№]|n°"
    r")(?:[\s.:]+(?:of|to|by|from|at|the|an?|about|\d[\d.,]*|auf|um|von|de|à|a|en|is|was))*[\s.:]*$",
    flags=regex.IGNORECASE,
)


def is_counted(text: str, end: int, language: Language) -> bool:
    """Return whether the number that ends at `end` counts or measures what follows it, as in «1500 people»."""
    match = _NEXT_WORD.match(text, end)
    if match is None:
        return False
    word = match[1]
    if word in _COUNTED or (word.casefold() in _COUNTED and len(word) > 1):
        return not _opens_clause(language, word)
    if language == "de":
        return False
    plural = word.islower() and len(word) > 3 and word.endswith("s") and not word.endswith("ss")
    return language == "en" and plural and word not in _NO_PLURAL


def _opens_clause(language: Language, word: str) -> bool:
    return word == "or" or (word == "of" and language != "en") or (language != "fr" and word == "pour")


def is_amount(text: str, start: int) -> bool:
    """Return whether the words before `start` make a bare number an amount, as in «rose to 1500»."""
    return _AMOUNT_BEFORE.search(text[max(0, start - _LONGEST_LOOK_BACK) : start]) is not None


def year_of(digits: str, match: regex.Match[str]) -> int:
    """Return the year, negative where the match has a group `bc` that is set."""
    year = int(digits)
    return -year if match.groupdict().get("bc") else year
