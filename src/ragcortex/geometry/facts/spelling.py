"""One spelling for British and American English."""

import re
from typing import Final

# Hand-written patterns at or in the base form of a word, and what American English writes there.
_BRITISH: Final = (
    (
        re.compile(
            r"(arm|behavi|cand|clam|col|endeav|fav|ferv|flav|glam|harb|hon|hum|lab|neighb|od|parl|rig|rum|sav|savi|splend"
            r"|tum|val|vap|vig)our"
        ),
        r"\1or",
    ),
    (re.compile(r"(met|lit|cent|theat|fib|calib|spect|lust|somb|meag|sab|och)re$"), r"\1er"),
    (re.compile(r"(anal|paral|catal)yse"), r"\1yze"),
    (re.compile(r"(catal|dial|anal|monol|epil|prol)ogue"), r"\1og"),
    (re.compile(r"(def|off|lic|pret)ence$"), r"\1ense"),
    (re.compile(r"(travel|cancel|model|label|fuel|signal|level|channel|counsel|jewel|marvel|panel|total)l"), r"\1"),
    (re.compile(r"\b(p|orthop|encyclop)ae(d)"), r"\1e\2"),
    (re.compile(r"\b(an|h)ae(m)"), r"\1e\2"),
    (re.compile(r"\boe(dema|soph|strog)"), r"e\1"),
    (re.compile(r"\bprogramme"), "program"),
    (re.compile(r"\bgrey"), "gray"),
    (re.compile(r"\baluminium"), "aluminum"),
    (re.compile(r"\bjewell?ery"), "jewelry"),
    (re.compile(r"\baeroplane"), "airplane"),
    (re.compile(r"\bageing"), "aging"),
    (re.compile(r"\bcheque"), "check"),
    (re.compile(r"\btyre"), "tire"),
)
_ISE = re.compile(r"(\w{3,})is(e|er|ation)")
# Written with s on both sides of the Atlantic.
_ALWAYS_ISE: Final = """
advertise advise anise appraise apprise bruise chastise chemise circumcise clockwise comprise compromise concise
counterclockwise cruise demise despise devise disguise enterprise excise exercise expertise franchise improvise
incise likewise marquise merchandise mortise otherwise paradise porpoise praise precise premise prise promise raise
revise supervise surmise surprise televise tortoise treatise turquoise
"""


def american(word: str) -> str:
    """Return the American spelling of a lower-case dictionary form; the word itself where there is no other.

    >>> american("organisation"), american("advertise"), american("colour")
    ('organization', 'advertise', 'color')
    """
    ise = _ISE.fullmatch(word)
    if ise and f"{ise[1]}ise" not in _ALWAYS_ISE.split():
        word = f"{ise[1]}iz{ise[2]}"
    for british, spelling in _BRITISH:
        word = british.sub(spelling, word)
    return word
