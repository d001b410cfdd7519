"""The words that negate, quantify, condition, explain or hedge in English and German. Data only.

A row is (meanings, scope rule, alternatives). Meanings are `kind:sense` words; none means that the alternatives only
look like a marker («not only», «no doubt») and use up their characters. In a tie the earlier row wins. Alternatives
are regular expressions between word boundaries, a space standing for any white space and ' for both apostrophes; they
hold no capturing group. Scope rules are explained in `markers`.
"""

from typing import Final, NamedTuple

Row = tuple[str, str, str]


class LanguageMarkers(NamedTuple):
    """What `markers` needs to know about one language.

    Attributes:
        rows: the markers, see above.
        boundary: ends a clause.
        phrase_end: ends a noun phrase.
        spaced: whether words are separated by spaces.
    """

    rows: tuple[Row, ...]
    boundary: str
    phrase_end: str
    spaced: bool


# Ends a clause in every language written with spaces.
PUNCTUATION: Final = r"[;:!?()\[\]\n—…]|\.(?=\s|$)|\s[–-]\s"


def comma(last: str) -> str:
    """A comma that does not stand in a list ending with `last`, and not in a number."""
    item = r"(?:[\w'’-]+\s+){0,2}[\w'’-]+"
    return rf",(?!\d)(?!\s(?:{last})\s)(?!\s{item}(?:,\s{item})*,?\s(?:{last})\s)"


ENGLISH: Final = LanguageMarkers(
    rows=(
        (
            "",
            "",
            r"not (?:only|just|merely|simply|solely|to mention|least)|no (?:doubt|wonder|sooner|matter"
            r"|problem)",
        ),
        ("", "", r"(?:not?|none) (?:(?:more|less|fewer|later|earlier|longer|older|higher|lower) than|other than)"),
        ("", "", r"not (?:exceeding|to exceed)|not-for-profit|(?:whether )?or not|why not|if not(?=,)|even if|as if"),
        (
            "",
            "",
            r"(?-i:No)\.? (?=\d)|in any case|at (?:all|most)|in all|after all|above all|what if|if any"
            r"|all right|free will",
        ),
        ("", "", r"for all (?:its|his|her|their)|(?:once|all) again|at once|in all likelihood|would rather"),
        ("", "", r"(?:not|(?:is|are|was|were|do|does|did|will|ca|wo|can)n't|cannot)(?= (?:[\w'’-]+ ){0,3}until\b)"),
        ("negation:not", "after", r"no longer|by no means|in no way|not (?:any more|anymore|at all)"),
        ("quantifier:only", "phrase", r"nothing but"),
        ("negation:not quantifier:none", "after", r"none|no one|no-one|nobody|nothing|neither of"),
        ("negation:not modal:can", "after", r"cannot|can't"),
        ("negation:not modal:will", "after", r"won't|shan't"),
        ("negation:not modal:must", "after", r"mustn't|needn't"),
        ("negation:not modal:may", "after", r"couldn't|mightn't"),
        ("negation:not modal:should", "after", r"shouldn't"),
        (
            "negation:not",
            "after",
            r"(?:is|are|was|were|do|does|did|has|have|had|would|ai)n't|not|never|without"
            r"|nowhere",
        ),
        ("negation:not", "after", r"neither|no(?!-)(?! [\d.])"),
        ("negation:not", "concord", r"nor"),
        ("condition:only_if", "after", r"only (?:if|when|where|after|once|with|upon)|not unless"),
        ("condition:unless", "after", r"unless"),
        ("condition:if", "after", r"provided (?:that|you|it|they|the)|providing (?:that|you)|(?:as|so) long as"),
        (
            "condition:if",
            "after",
            r"on (?:the )?condition that|in (?:the )?(?:case|event)(?: of| that)|subject to"
            r"|if",
        ),
        ("condition:except", "after", r"except(?:ing)?(?: for| that| when| if)?|excluding|other than|apart from"),
        ("condition:except", "after", r"aside from|with the exception of|save for|(?:all|everything|anything) but"),
        ("condition:until", "after", r"until|(?:up )?till(?= (?:the|you|it|they))"),
        ("condition:when", "after", r"whenever|as soon as|(?:when|once|after)(?= (?:you|your|one)\b)"),
        (
            "condition:when",
            "after",
            r"(?:when|once)(?= (?:\w+ing|necessary|needed|possible|available|required"
            r"|approved)\b)",
        ),
        (
            "quantifier:most",
            "phrase",
            r"(?:almost|nearly|virtually) (?:all|every(?:one|thing)?)|the majority of"
            r"|most of",
        ),
        ("quantifier:most", "phrase", r"(?<!the )(?<!its )(?<!our )most(?= (?:people|children|men|women)\b)"),
        (
            "quantifier:most",
            "phrase",
            r"(?<!the )(?<!its )(?<!our )most(?= (?!\w*ous\b)(?:\w+ )?(?!is|was|has"
            r"|as)\w+(?<!s)(?<!u)s\b)",
        ),
        ("quantifier:most", "phrase", r"mostly|mainly|primarily|predominantly|largely|for the most part"),
        ("quantifier:only", "phrase", r"only(?! (?:if|when)\b)|solely|exclusively|merely|just(?= \d)"),
        (
            "quantifier:all",
            "self",
            r"daily|hourly|nightly|weekly|monthly|yearly|annually|everywhere|everybody"
            r"|everyone",
        ),
        ("quantifier:all", "phrase", r"all|each|every|always|everything|invariably|without exception"),
        ("quantifier:both", "phrase", r"both"),
        ("quantifier:some", "phrase", r"some(?! \d)|several|certain(?= \w+s\b)|a (?:few|couple of|number of|lot of)"),
        ("quantifier:some", "phrase", r"many|numerous|lots of|sometimes|occasionally|partly|partially|part of"),
        ("quantifier:few", "phrase", r"few(?!er)|hardly(?: any| ever)?|scarcely|barely|rarely|seldom"),
        ("quantifier:any", "phrase", r"any|anyone|anybody|anything|whichever|whatever"),
        (
            "cause:cause",
            "after",
            r"because(?: of)?|due to|owing to|thanks to|on account of|as a (?:result"
            r"|consequence)(?: of)?",
        ),
        (
            "cause:cause",
            "after",
            r"caus(?:es?|ed|ing)|leads? to|led to|leading to|result(?:s|ed|ing)? in"
            r"|results? from",
        ),
        (
            "cause:cause",
            "after",
            r"therefore|thus|hence|consequently|so that|that is why|which is why"
            r"|for this reason",
        ),
        ("modal:may", "after", r"(?-i:may|might|could)|(?-i:May|Might|Could)(?= (?:I|we|you|they|he|she|it|one)\b)"),
        ("modal:may", "after", r"perhaps|possibly|maybe|probably|(?:is|are) likely to"),
        ("modal:must", "after", r"must(?!-)|(?:has|have|had)(?: got)? to|needs? to|needed to"),
        (
            "modal:must",
            "after",
            r"(?:required|obliged|obligated) to|(?<=is )(?:required|mandatory|compulsory"
            r"|obligatory)",
        ),
        ("modal:must", "after", r"(?<=are )(?:required|mandatory|compulsory|obligatory)"),
        ("modal:should", "after", r"should|ought to|supposed to"),
        ("modal:can", "after", r"(?<!\ba )(?<!the )(?<!per )can(?! of\b)|(?:is|are|was|were|be) able to"),
        (
            "modal:will",
            "after",
            r"(?<!\ba )(?<!the )(?<!his )(?<!her )(?-i:will|shall)|(?-i:Will|Shall)(?= (?:I|we"
            r"|you)\b)",
        ),
        ("modal:usually", "after", r"usually|often|typically|generally|normally|commonly|frequently|in most cases"),
        ("modal:usually", "after", r"as a rule|tends? to|in general"),
    ),
    boundary=(
        PUNCTUATION + "|" + comma("or|nor") + r"|\b(?:but|because|although|though|while|whereas|if|unless|when"
        r"|until|which|who|whose|however|except|yet|due to|as long as|provided that|so that"
        r"|and(?=\s(?:i|we|you|they|he|she|it|there|this|these|those|that|the|a|an|its|their|our|is|are|was|were|has"
        r"|have|can|may|must|will)\b))\b"
    ),
    phrase_end=(
        r"\b(?:is|are|was|were|be|been|has|have|had|can|cannot|may|might|must|will|shall|should|could|would|do"
        r"|does|did"
        r"|that|which|who|if|when|because|but|not|never|only|by|to)\b|n['’]t\b"
    ),
    spaced=True,
)

GERMAN: Final = LanguageMarkers(
    rows=(
        (
            "",
            "",
            r"nicht (?:nur|allein|zuletzt|wahr|(?:mehr|weniger|länger|später|höher|älter) als)"
            r"|ohne (?:weiteres|zweifel)",
        ),
        ("", "", r"kein wunder|keine (?:ursache|frage)|oder nicht|vor allem|trotz allem|am meisten|außer betrieb"),
        ("", "", r"auch wenn|selbst wenn|als wenn|wenn auch|weniger als|allerdings|über alles|nichts anderes als"),
        ("condition:only_if", "after", r"nur (?:wenn|falls|dann|unter der bedingung|sofern|mit|nach)|erst wenn"),
        ("condition:unless", "after", r"es sei denn|außer wenn|sofern nicht"),
        ("negation:not quantifier:none", "after", r"niemand(?:e[mn])?|nichts|keine[rs] (?:von|der)"),
        (
            "negation:not",
            "after",
            r"nicht(?: mehr)?|nie(?:mals)?|nirgend(?:s|wo)|keine?[rsmn]?|keinerlei"
            r"|keinesfalls",
        ),
        ("negation:not", "after", r"keineswegs|ohne|weder"),
        ("condition:if", "after", r"wenn|falls|sofern|solange|vorausgesetzt|im fall(?:e)?|unter der bedingung"),
        (
            "condition:except",
            "after",
            r"außer|ausgenommen|mit ausnahme|abgesehen von|bis auf(?! weiteres)"
            r"|ausschließlich der",
        ),
        ("condition:until", "after", r"bis(?= (?:zur|zum|ende|auf weiteres|sie|du|die|der|das|es|er)\b)(?! zum? \d)"),
        ("condition:when", "after", r"sobald|nachdem(?= (?:sie|du|man)\b)"),
        (
            "quantifier:most",
            "phrase",
            r"(?:fast|nahezu|beinahe) (?:alle[rsnm]?|jede[rsnm]?)|(?:die|der"
            r"|den) meisten|meist(?:ens)?",
        ),
        ("quantifier:most", "phrase", r"größtenteils|überwiegend|hauptsächlich|vorwiegend|(?:die|der) mehrheit"),
        ("quantifier:all", "self", r"(?:tag)?täglich(?:e[rsnm]?)?|stündlich|wöchentlich|monatlich|jährlich|überall"),
        (
            "quantifier:all",
            "phrase",
            r"alle[rsnm]?|sämtliche[rsnm]?|jede[rsnm]?|jegliche[rsnm]?|immer|stets"
            r"|ausnahmslos",
        ),
        ("quantifier:both", "phrase", r"beide[rsnm]?|sowohl"),
        ("quantifier:few", "phrase", r"(?:nur )?wenige[nms]?|kaum|selten"),
        ("quantifier:only", "phrase", r"nur|lediglich|ausschließlich|bloß|einzig"),
        ("quantifier:some", "phrase", r"einige[rsnm]?|manche[rsnm]?|mehrere[rsnm]?|etliche[rsnm]?|viele[rsnm]?"),
        ("quantifier:some", "phrase", r"zahlreiche[rsnm]?|teilweise|zum teil|manchmal|gelegentlich|bestimmte[rn]?"),
        ("quantifier:any", "phrase", r"irgendein(?:e[rsnm]?)?|irgendwelche[rsnm]?|beliebige[rsnm]?"),
        (
            "cause:cause",
            "after",
            r"weil|wegen|aufgrund|auf grund|infolge|dank|(?<=, )(?:da|denn)|deshalb|deswegen"
            r"|daher",
        ),
        (
            "cause:cause",
            "after",
            r"darum|somit|folglich|sodass|so dass|führ(?:t|en|te|ten) zu[rm]?|verursach(?:t"
            r"|te|en|ten)",
        ),
        ("cause:cause", "after", r"bewirk(?:t|te|en|ten)"),
        ("modal:may", "after", r"könnten?|dürften?|darf(?:st)?|dürfen|vielleicht|möglicherweise|eventuell"),
        ("modal:may", "after", r"wahrscheinlich|vermutlich"),
        ("modal:can", "after", r"kann(?:st)?|können|könnt"),
        ("modal:must", "after", r"muss(?:t|te|ten)?|müssen|müsst|mussten?|ist verpflichtet|sind verpflichtet"),
        ("modal:must", "after", r"(?<=ist )(?:erforderlich|verpflichtend|vorgeschrieben|obligatorisch)"),
        ("modal:must", "after", r"(?<=sind )(?:erforderlich|verpflichtend|vorgeschrieben|obligatorisch)"),
        ("modal:should", "after", r"soll(?:en|te|ten)?"),
        ("modal:usually", "after", r"in der regel|normalerweise|üblicherweise|gewöhnlich|oft|häufig|typischerweise"),
        ("modal:usually", "after", r"im allgemeinen"),
    ),
    boundary=(
        PUNCTUATION + "|" + comma("oder|noch") + r"|\b(?:aber|sondern|weil|obwohl|während|wenn|falls|sofern|jedoch"
        r"|außer|und(?=\s(?:ich|wir|sie|er|es|der|die|das|ein|eine|ist|sind|wird|werden|wurde|hat|kann|darf"
        r"|muss)\b))\b"
    ),
    phrase_end=(
        r"\b(?:ist|sind|war|waren|wird|werden|wurden?|hat|haben|kann|können|darf|dürfen|muss|müssen|soll|sollen|gilt"
        r"|gelten|die|der|wenn|weil|aber|nicht|zu)\b"
    ),
    spaced=True,
)
