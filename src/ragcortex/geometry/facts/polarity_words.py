"""Words that decide whether two sentences of opposite polarity contradict each other. Patterns only."""

from typing import Final

import regex

# Words that negate without being a negation: a claim with another one of them may say the same as a negated sentence.
NEGATING: Final = regex.compile(
    r"\b(prevent|avoid|keep|kept|stop|refrain|refus|den(?:y|ied)|forb|prohibit|lack|fail|instead|rather|unless|except"
    r"|otherwise|unlike|verhinder|vermeid|verbot|statt|sonst|évit|empêch|interdi|au lieu|sinon|evit|impid|prohib"
    r"|en lugar|salvo)|(避免|防止|禁止|拒绝|而不是|防ぐ|避け|代わり)",
    flags=regex.IGNORECASE,
)
# «Not before the meal but after it»: the negation is part of a contrast.
CONTRAST: Final = regex.compile(
    r"\b(?:not|never|n't)\b[^.;]*\bbut\b|\b(?:nicht|kein\w*)\b[^.;]*\bsondern\b|\bpas\b[^.;]*\bmais\b"
    r"|\bno\b[^.;]*\bsino\b|不是[^。；]*而是|ではなく",
    flags=regex.IGNORECASE,
)
# What follows it is the case in which a negated sentence does not hold: «do not salt it before it is soft».
UNLESS: Final = regex.compile(
    r"\b(?:before|until|till|without|unless|except|other than|bevor|bis|ohne|außer|avant|jusqu\w*|sans|sauf|antes|hasta"
    r"|sin|salvo|excepto)\b|之前|以前|除非|除了|未经|まで|なしに|以外",
    flags=regex.IGNORECASE,
)
# Opposites that put two things in order hold of many things in one text: only before the same word do they contradict.
ORDERS: Final = regex.compile(
    r"before|after|first|last|earl\w+|late\w*|prior|subsequent\w*|former|latter|more|less|above|below|over|under|up|down"
    r"|vor|nach|erste\w*|letzte\w*|früher\w*|später\w*|mehr|weniger|über|unter|avant|après|premi\w+|derni\w+|plus|moins"
    r"|antes|después|primer\w*|últim\w+|más|menos|前|后|後|以前|以后|以後|之前|之后|最初|最後",
    flags=regex.IGNORECASE,
)
# Opposite events both happen, one after the other.
EVENTS: Final = regex.compile(
    r"arriv|depart|leav|left|open|clos|start|begin|beg[au]n|end|finish|stop|enter|exit|join|b[uo]|s[eo]l|born|die|send|receiv"
    r"|öffn|schließ|beginn|end|ankomm|abfahr|kauf|ouvr|ferm|commenc|fini|part|arriv|achet|vend|abr|cierr|empi|termin|lleg|sal"
    r"|compr|开|关|到|出|買|売|开始|结束|開|閉",
    flags=regex.IGNORECASE,
)
# Words of a sentence about how often something occurs that another one says with «is».
OCCURRING: Final = frozenset(
    ("occur", "happen", "appear", "auftret", "vorkomm", "survenir", "surven", "ocurr", "aparec")
)
# Compares two things with each other.
COMPARING: Final = regex.compile(
    r"\b(?:than|compared|as \w+ as|als|so \w+ wie|que|comparé\w*|comparad\w*)\b|比|より", flags=regex.IGNORECASE
)
