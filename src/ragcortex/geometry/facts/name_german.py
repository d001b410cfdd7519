"""Proper names of German text, where every noun has a capital: only what other signs make a name."""

from typing import Final

import regex

from ragcortex.geometry.facts.calendar_words import word_set
from ragcortex.geometry.facts.fact import Fact
from ragcortex.geometry.facts.name_places import adjectives, is_place
from ragcortex.geometry.facts.name_tokens import Token, fact_of
from ragcortex.geometry.facts.name_words import COMMON_CAPITALS, FIRST_NAMES, OPENERS, calendar_words

_PLACE_BEFORE: Final = frozenset({"in", "aus", "nach", "von", "bei", "ab", "über", "uber", "stadt", "firma", "konzern"})
_CONNECTORS: Final = frozenset({"von", "van", "der", "zu", "am", "de", "du", "la", "di", "da"})
# Endings of common nouns; of place names.
_NOUN: Final = regex.compile(
    r"(?:ung|ungen|heit|heiten|keit|keiten|schaft|schaften|tion|tionen|sion|sionen|ität|itäten|nis|nisse|nissen|tum|ment|mente|"
    r"ismus|anz|enz|ur|ik|ie|er|ern|en|eln|el|ling|chen|lein|sel|zeit|grund|gründen|fall|fällen|form|art|weise|stoff|"
    r"preis|geld|jahr|tag|woche|monat|stunde|teil|werk|kraft|wert|recht|dienst|bau|gang|satz|betrieb|verkehr|handel|zahl)$"
)
_TOWN: Final = regex.compile(
    r"(?:burg|berg|stadt|dorf|heim|hausen|ingen|furt|furth|bach|itz|ow|hafen|münde|kirchen|brück|brücken|stedt|weiler|hofen"
    r"|stein|land|stan|ien|slo|ville|ton|sk|grad|polis|shire|ford|mouth|pool|ague|ona|ille|aux)$"
)
_COMMON_TOWN_LIKE: Final = word_set(
    """
    berg burg stadt dorf heim hafen bach stein land ausland inland festland vaterland bundesland gestein innenstadt
    altstadt kleinstadt großstadt hauptstadt deutschland medien ferien studien linien serien familien kriterien
    materialien aktien folien batterien kopien richtlinien prinzipien technologien strategien kategorien garantien
    energien theorien ton beton karton edelstein ziegelstein karten person million
    """
)
# After a preposition without article, and yet no place: «in Betrieb», «aus Holz», «nach Plan».
_SET_PHRASES: Final = word_set(
    """
    form betrieb kraft bezug summe gefahr eile haft kürze zukunft frage not ruhe ordnung höhe länge breite tiefe
    größe form sachen sicht anbetracht folge gang kauf mode rente schuld sorge sicherheit teilzeit vollzeit raten
    papier holz stahl gold silber glas beton wolle leder metall eisen kupfer plastik stein stoff baumwolle aluminium
    gummi plan bedarf ablauf angabe angaben art wunsch haus hause maß vorschrift erhalt eingang kauf abzug schätzung
    ansicht hand beginn anfang ende herzen fuß natur geburt beruf hitze kälte regen schnee nacht tag sicht gründen
    liebe angst spaß versehen erfahrung mangel protest trotz neugier rache sicherheitsgründen euro dollar prozent
    grad meter kilometer kilogramm gramm liter tonnen stück watt volt stunden tagen wochen monaten jahren minuten
    sekunden mitte teilen gruppen paaren reihe verbindung zusammenarbeit abstimmung richtung stunde bau arbeit
    absprache anspruch aussicht erinnerung erfüllung kontakt umlauf urlaub verzug vertretung wahrheit wirklichkeit
    zweifel nutzung buch druck
    """
)
_NO_FIRST_OF_PAIR: Final = regex.compile(
    r"(?:ende|anfang|mitte|prozent|euro|dollar|millionen|milliarden|tausend|kilogramm|gramm|liter|tonnen|meter|kilometer"
    r"|stück|grad|uhr|watt|volt|stunden|tage|wochen|monate|jahre|seite|kapitel|abschnitt|nummer|herr|frau)$"
)


def german_names(text: str, tokens: list[Token], common: frozenset[str] | set[str]) -> list[Fact]:
    """Return the names of German text: known places, acronyms, persons with a first name or title, «in Lyon».

    Args:
        text: the text.
        tokens: its words.
        common: words known to be no names, folded.
    """
    facts = []
    position = 0
    while position < len(tokens):
        length = _length_at(text, tokens, position, common)
        fact = fact_of(text, tokens[position : position + length]) if length else None
        if fact is not None:
            facts.append(fact)
        position += max(1, length)
    return facts


def _length_at(text: str, tokens: list[Token], position: int, common: frozenset[str] | set[str]) -> int:
    """How many words from `position` on make a name, 0 for none."""
    token = tokens[position]
    if not _may_be_name(token):
        return 0
    previous = tokens[position - 1] if position and _adjacent(text, tokens[position - 1], token) else None
    run = _run_length(text, tokens, position)
    if is_place(" ".join(part.text for part in tokens[position : position + run])):
        return run
    if previous is not None and previous.is_title and previous.capital and token.folded not in common:
        return run
    if token.folded in FIRST_NAMES or (len(token.text) == 2 and token.text.endswith(".")):
        return run if run > 1 or not token.opens else 0
    return _length_of_word(token, previous, run, common)


def _length_of_word(token: Token, previous: Token | None, run: int, common: frozenset[str] | set[str]) -> int:
    """How long the name is that begins with a word which is no person's, 0 for none."""
    if token.folded in adjectives("de"):
        return 0 if token.opens else min(run, 2)  # «Deutsche Bank»
    if is_place(token.text) or (token.acronym and token.folded not in COMMON_CAPITALS):
        return 1
    return _place_after_preposition(token, previous, common)


def _place_after_preposition(token: Token, previous: Token | None, common: frozenset[str] | set[str]) -> int:
    """1 for a place that is not known but stands as one: after «in», «aus», «nach» without article."""
    if previous is None or previous.folded not in _PLACE_BEFORE or token.folded in common:
        return 0
    lower = token.text.lower()
    if lower in _SET_PHRASES or lower in _COMMON_TOWN_LIKE:
        return 0
    if _TOWN.search(lower):
        return 1
    return int(
        previous.folded in ("in", "nach") and len(lower) > 2 and _NOUN.search(lower) is None and not _is_compound(lower)
    )


def _is_compound(word: str) -> bool:
    """Whether a word is as long as German compounds are and names seldom."""
    return len(word) > 9 or word.endswith(("e", "t", "s", "ß"))


def _run_length(text: str, tokens: list[Token], position: int) -> int:
    """How many capitalised words stand in a row, with «von» and the like between them."""
    length = 1
    while position + length < len(tokens):
        following = tokens[position + length]
        if not _adjacent(text, tokens[position + length - 1], following):
            break
        if _may_be_name(following) and not following.opens and _NOUN.search(following.text) is None:
            length += 1
        elif _may_be_name(following) and not following.opens and length == 1 and tokens[position].folded in FIRST_NAMES:
            length += 1  # «Angela Becker»: after a first name an ending proves nothing
        elif following.folded in _CONNECTORS and tokens[position].folded in FIRST_NAMES:
            after = tokens[position + length + 1 : position + length + 2]
            if not after or not _may_be_name(after[0]) or not _adjacent(text, following, after[0]):
                break
            length += 2
        else:
            break
    return length


def _may_be_name(token: Token) -> bool:
    if not token.capital or token.folded in calendar_words("de") or token.is_title:
        return False
    if _NO_FIRST_OF_PAIR.match(token.text.lower()) or (len(token.text) == 1):
        return False
    return token.acronym or (token.folded not in OPENERS and token.folded not in COMMON_CAPITALS)


def _adjacent(text: str, before: Token, token: Token) -> bool:
    return text[before.end : token.start] in (" ", "\u00a0", "", ". ")
