"""Whether a text says exactly, about, at least or at most so much: the words before and after an amount."""

from functools import cache
from typing import Final

import regex

from ragcortex.geometry.facts.fact import Bound, Language

# Each list: words before the amount, then words after it. The earlier bound wins: «no more than» holds «more than».
_BEFORE: Final[dict[Language, tuple[tuple[Bound, str], ...]]] = {
    "en": (
        ("at_most", r"\b(?:no|not) (?:more|greater|longer|higher|larger|later) than|\b(?:not|never) (?:over"
        r"|exceeding|to exceed)"
                    r"|\bnot exceed|\bup to|\bat (?:the )?(?:very )?most|\bas (?:much|many|high|long) as"),
        ("at_least", r"\b(?:no|not) (?:less|fewer|shorter|lower|smaller|under) than|\bnot under|\bas (?:little"
        r"|few|low) as"),
        ("at_least", r"\b(?:more|greater|longer|higher|larger|bigger|older|taller|heavier|better) than"
        r"|\bat (?:the )?(?:very )?least"
                     r"|\b(?:over|above|exceed(?:s|ed|ing)?|minimum(?: of)?|min\.?|a minimum of|upwards? of"
                     r"|starting (?:at|from)|beyond)"),
        ("at_most", r"\b(?:less|fewer|shorter|lower|smaller|younger|cheaper|lighter) than"
                    r"|\b(?:under|below|within|maximum(?: of)?|max\.?|a maximum of|limited to|capped at|inside)"),
        ("about", r"\b(?:about|around|approximately|approx\.?|roughly|nearly|almost|circa|ca?\.|some|close to"
        r"|an estimated"
                  r"|estimated(?: at)?|in the region of|just (?:over|under)|more or less)"),
    ),
    "de": (
        ("at_most", r"\bnicht (?:mehr|größer|länger|höher) als|\b(?:bis zu|höchstens|maximal|max\.|nicht über)"),
        ("at_least", r"\bnicht (?:weniger|kleiner|kürzer|unter) als"),
        ("at_least", r"\b(?:mehr|größer|länger|höher|älter|schwerer) als|\b(?:über|mindestens|wenigstens"
        r"|minimal|zumindest|ab|min\.)"),
        ("at_most", r"\b(?:weniger|kleiner|kürzer|niedriger|jünger) als|\b(?:unter|innerhalb (?:von|der)?|binnen)"),
        ("about", r"\b(?:etwa|ungefähr|circa|ca\.|rund|zirka|fast|nahezu|knapp|annähernd|gut|schätzungsweise|um die)"),
    ),
    "fr": (
        ("at_most", r"\bpas plus d(?:e|['’])|\bjusqu['’]à|\b(?:au maximum|au plus|maximum|max\."
        r"|n['’]excédant pas|limité à)"),
        ("at_least", r"\bpas moins d(?:e|['’])"),
        ("at_least", r"\bplus d(?:e|['’])|\b(?:au moins|au minimum|minimum|min\.|à partir d(?:e|['’])|dès"
        r"|supérieure?s? à|au-delà d(?:e|['’]))"),
        ("at_most", r"\bmoins d(?:e|['’])|\b(?:sous|inférieure?s? à|dans (?:un délai de|les)|en deçà de)"),
        ("about", r"\b(?:environ|près d(?:e|['’])|à peu près|approximativement|quelque|presque|autour d(?:e"
        r"|['’])|env\.|vers)"),
    ),
    "es": (
        ("at_most", r"\bno más de|\bhasta|\b(?:como máximo|a lo sumo|máximo(?: de)?|máx\.|un máximo de|no superior a)"),
        ("at_least", r"\bno menos de|\bno inferior a"),
        ("at_least", r"\b(?:más de|al menos|por lo menos|como mínimo|mínimo(?: de)?|un mínimo de|a partir de"
        r"|desde|superior(?:es)? a"
                     r"|por encima de|mín\.)"),
        ("at_most", r"\b(?:menos de|por debajo de|inferior(?:es)? a|dentro de|en un plazo de)"),
        ("about", r"\b(?:aproximadamente|unos|unas|cerca de|alrededor de|casi|en torno a|aprox\.|más o menos)"),
    ),
    "zh": (
        ("at_most", r"不超过|不超過|不多于|不高于|不大于|不到|不足|至多|最多|最高|最长|未满|(?<!不)(?:少于|低于"
        r"|小于)|不晚于"),
        ("at_least", r"不少于|不低于|不小于|至少|最少|起码|超过|超過|逾|多于|高于|大于|最低"),
        ("about", r"大约|约为|约|約|大概|近|将近|接近|左右|差不多|估计"),
    ),
    "ja": (
        ("at_most", r"最大で?|最長で?|最高で?|せいぜい|多くても"),
        ("at_least", r"少なくとも|最低でも?|最低|最小|最短"),
        ("about", r"およそ|おおよそ|約|凡そ|だいたい|ほぼ|概ね|推定"),
    ),
}  # fmt: skip
_AFTER: Final[dict[Language, tuple[tuple[Bound, str], ...]]] = {
    "en": (
        ("at_least", r" ?\+(?![0-9])|,? (?:or|and) (?:more|over|above|older|longer|higher|up"
        r"|greater)\b(?! than)(?! [0-9$€£])|-?plus\b| at (?:the )?least\b"
                     r"| minimum\b| upwards?\b"),
        ("at_most", r",? (?:or|and) (?:less|fewer|under|below|younger|shorter|lower)\b(?! than)(?! [0-9$€£])"
        r"| at (?:the )?most\b| maximum\b| max\b| tops\b"),
        ("about", r",? or so\b| approximately\b|,? more or less\b"),
    ),
    "de": (
        ("at_least", r" ?\+(?![0-9])| (?:oder|und) (?:mehr|älter|länger|höher)\b(?! als)| aufwärts\b| mindestens\b"),
        ("at_most", r" (?:oder|und) (?:weniger|jünger|kürzer)\b(?! als)| höchstens\b| maximal\b"),
        ("about", r" ungefähr\b"),
    ),
    "fr": (
        ("at_least", r" ?\+(?![0-9])| (?:ou|et) plus\b(?! d)| au moins\b| minimum\b| au minimum\b"),
        ("at_most", r" (?:ou|et) moins\b(?! d)| au plus\b| maximum\b| au maximum\b"),
        ("about", r" environ\b"),
    ),
    "es": (
        ("at_least", r" ?\+(?![0-9])| (?:o|y) más\b(?! de)| como mínimo\b| al menos\b| por lo menos\b"),
        ("at_most", r" (?:o|y) menos\b(?! de)| como máximo\b| a lo sumo\b"),
        ("about", r" aproximadamente\b| más o menos\b"),
    ),
    "zh": (
        ("at_least", r" ?\+(?![0-9])|(?:及|或)?以上|(?:及|或)更多|有余|起"),
        ("at_most", r"(?:及|或)?以下|以内|之内|以內|内|不到"),
        ("about", r"左右|上下|前后"),
    ),
    "ja": (
        ("at_least", r" ?\+(?![0-9])|以上|超|を超え|から(?=[。、]|$)|より多"),
        ("at_most", r"以下|以内|未満|まで|弱"),
        ("about", r"程度|ほど|前後|くらい|ぐらい|強|余り|あまり"),
    ),
}  # fmt: skip
_SIGNS: Final[tuple[tuple[Bound, str], ...]] = (
    ("at_least", r">=|≥|≧|>|＞"), ("at_most", r"<=|≤|≦|<|＜"), ("about", r"~|≈|∼|≃|±"),
)  # fmt: skip
# Between a number and its unit: «10+ years», «30 or more days», «30多年», «10余个».
INFIX: Final[dict[Language, regex.Pattern[str]]] = {
    "en": regex.compile(r" ?\+(?![0-9])|(?:-| )plus\b| or more\b| or fewer\b| or less\b"),
    "de": regex.compile(r" ?\+(?![0-9])| oder mehr\b| oder weniger\b"),
    "fr": regex.compile(r" ?\+(?![0-9])| ou plus\b| ou moins\b"),
    "es": regex.compile(r" ?\+(?![0-9])| o más\b| o menos\b"),
    "zh": regex.compile(r" ?\+(?![0-9])|多|余|來|来"),
    "ja": regex.compile(r" ?\+(?![0-9])|余り|余"),
}
_INFIX_AT_MOST: Final = regex.compile("fewer|less|weniger|moins|menos")
_FROM_MONEY: Final = regex.compile(
    r"(?:^|[,;:(.] ?|\b(?:start(?:s|ing)?|price[sd]?|tickets?|available|rates?|costs?|rooms?|fares?|plans?|fees?) )"
    r"from[ \u00a0]$",
    regex.IGNORECASE,
)
_TO_FOLLOWS: Final = regex.compile(r" (?:to|up to)\b")
_LONGEST: Final = 26


@cache
def _patterns(language: Language) -> tuple[tuple[tuple[Bound, regex.Pattern[str]], ...], ...]:
    """Compile what may stand before and after an amount in a language, when it is first needed."""
    if language in ("zh", "ja"):
        gap = r"[有为為是在达達]?[ \u00a0]*$"
    else:  # «more than the 30», «plus de 30»
        gap = r"(?:[ \u00a0](?:the|a|an|of|von|de|les|los|las|des)){0,2}[ \u00a0]*$"
    before = [(bound, f"(?:{words})[ \u00a0]*$") for bound, words in _SIGNS]
    before += [(bound, f"(?:{words}){gap}") for bound, words in _BEFORE[language]]
    after = [(bound, rf"[ \u00a0]?(?:{words})") for bound, words in _AFTER[language]]
    return tuple(
        tuple((bound, regex.compile(words, regex.IGNORECASE)) for bound, words in place) for place in (before, after)
    )


def bound_of(text: str, start: int, end: int, language: Language, *, money: bool = False) -> Bound:
    """Return how the words around `text[start:end]` bound the amount there.

    Args:
        text: a text with folded full-width forms.
        start, end: where number and unit stand.
        language: whose words to read; the signs are the same in all.
        money: whether it is a price, of which «from» tells the least.

    >>> bound_of("no more than 30 days", 13, 20, "en"), bound_of("10以上", 0, 2, "ja")
    ('at_most', 'at_least')
    """
    words_before, words_after = _patterns(language)
    before = text[max(0, start - _LONGEST) : start]
    preceding: Bound = next((bound for bound, words in words_before if words.search(before)), "exact")
    following: Bound = next((bound for bound, words in words_after if words.match(text, end)), "exact")
    if following in ("at_least", "at_most"):
        return following
    if preceding == "exact" and money and _FROM_MONEY.search(before) and not _TO_FOLLOWS.match(text, end):
        return "at_least"
    return preceding if preceding != "exact" else following


def infix_bound(words: str) -> Bound:
    """Return the bound that `INFIX` words between number and unit set."""
    return "at_most" if _INFIX_AT_MOST.search(words) else "at_least"
