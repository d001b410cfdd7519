"""How a refusal is put in English, built from its parts: who, does not, say, what. Data only; see `claim_phrases`."""

from typing import Final

_BEFORE: Final = (
    r"(?:(?:provided|given|retrieved|available|above|supplied|following|current|reference|search|other|cited|attached"
    r"|return|refund|shipping|privacy|policy|user|package|patient|product|help|source|same|present) ){0,3}"
)
_BEHIND: Final = (
    r"(?:,? (?:provided|given|above|here|supplied|available|below|at hand|at my disposal|in question|i have"
    r"(?: been given)?"
    r"|i was given|(?:that )?you(?:'ve| have)? (?:gave|given|provided|sent|supplied|shared|uploaded)(?: me| us)?)){0,2}"
    r"(?: \d)?"
)
SOURCE: Final = (
    r"(?:(?:any of |all of |each of )?(?:the|these|those|this|that|your|my|our|any|either) )?"
    + _BEFORE
    + r"(?:passages?"
    r"|documents?|context|texts?|references?|sources?|information|excerpts?|articles?|(?:(?:provided|given"
    r"|reference|source|supplied|available|cited) materials?|materials?(?=,? (?:provided|given|above|at hand"
    r"|supplied|i |you |available)))|knowledge base"
    r"|paragraphs?|snippets?|documentation|search results?|leaflets?|manuals?|handbooks?|brochures?|(?:return"
    r"|refund|shipping|privacy) polic(?:y|ies)"
    r"|(?:web ?)?pages?|sections?|faqs?|contents?|files?|website)" + _BEHIND
)
# What is more than a reference and may do all sorts of things, but tells facts as one does.
_RULES: Final = (
    r"(?:the|these|those|this|that|your) (?:polic(?:y|ies)|(?:user )?guide|(?:provided )?guidelines|terms|rules)"
)
# References that say what they say and nothing else: a policy covers damage, a guide gives lunch.
_PAPER: Final = (
    r"(?:the|these|those|this|that|your|my|our) "
    + _BEFORE
    + r"(?:passages?|documents|context|texts?|references|sources|excerpts?|materials? (?:provided|given|above)"
    r"|paragraphs?|snippets?|documentation|search results?|leaflet|manual|handbook|brochure)" + _BEHIND
)
_HOW: Final = r"(?:(?:\w+ly|also|even|yet|seem to|appear to|itself|themselves) )*"
_NOT: Final = (
    r"(?:(?:do|does|did|could|would|will|have|has)(?:n't| not)|can't|cannot|can not|fails? to|failed to) " + _HOW
)
# What states a fact by naming it: «does not mention that the tower is closed».
_FACTIVE: Final = r"(?:mention|explain|note|reveal|discuss|address|clarify|describe|disclose)"
_TELL: Final = (
    r"(?:"
    + _FACTIVE
    + r"(?!(?: the fact)? that )|say|state|tell|specify|indicate|answer|elaborate on|comment on|report"
    r"|refer to|go into|identify|define|list|name|detail|show"
    r"|make (?:any |a |clear )?(?:mention|reference)|let (?:me|us) know)"
)
_TELLS: Final = (
    r"(?:(?:mention|explain|discusse?|addresse?|clarifie|describe|say|state|tell|specifie|indicate|answer|report"
    r"|identifie|define|list|name|suggest|cover)s|mention|explain|discuss|address|describe|say|state|tell|specify"
    r"|answer"
    r"|cover|indicate)"
)
_HOLD: Final = r"(?:contain|provide|include|give|have|offer|present|supply|hold|feature)"
_SOME: Final = (
    r"(?:(?:any|the|enough|sufficient|specific|that|this|an?|more|further|direct|relevant|additional|adequate|clear"
    r"|exact|precise|explicit|necessary|useful|particular|much|of|to|such) )*"
)
_NEWS: Final = (
    r"(?:information|info|answers?|details?|mention|explanation|reference|description|guidance|specifics|indication"
    r"|instructions?)"
)
_ABOUT: Final = r"(?:about|on|regarding|concerning|of|as to|for|with regard to|with respect to|to|related to)"
_IN: Final = r"(?:in|from|by|within|with|using|based on|according to|anywhere in|given|on) {source}"
_STATED: Final = (
    r"(?:mentioned|specified|stated|provided|given|included|discussed|addressed|covered|available|found|described"
    r"|answered"
    r"|listed|shown|indicated|explained|detailed|disclosed|part|named|to be found)"
)
_ISNT: Final = r"(?:is|are|was|were|'s)(?:n't| not) " + _HOW
_KNOW: Final = (
    r"(?:answer|find|determine|say|tell|know|seem to find|identify|locate|confirm|verify|be (?:sure|certain)"
    r"|establish|infer|work out|figure out|deduce|conclude)"
)
_THAT: Final = (
    r"(?:it|this|that|the (?:question|answer|information)|(?:this|that|your) (?:question|information|detail))"
)
_ASKED: Final = r"(?:whether|if|how|what|who|when|where|why|which)"
_CANT: Final = r"(?:cannot|can't|can not|could not|couldn't|(?:am|was|are|were|'m|'re) (?:unable|not able) to) "
_TO_ANSWER: Final = r"(?: (?:to|in order to) (?:answer|determine|say|tell|know|confirm|help)(?:,? {topic})?)?"

_SOURCES_SAY: Final = (
    rf"{{source}} {_NOT}{_TELL}(?:,? {{topic}})?",
    rf"{{source}} {_NOT}{_HOLD} {_SOME}{_NEWS}(?: {{topic}})?",
    rf"{_RULES} {_NOT}(?:say|state|specify|tell (?:me|us)|indicate|mention(?!(?: the fact)? that ))(?:,? {{topic}})?",
    rf"(?:{{given}}|{_PAPER}) {_NOT}cover(?: {{topic}})?",
    rf"{{given}} {_NOT}{_HOLD}(?: {{topic}})?",
    rf"{{source}} (?:(?:make|give|contain|provide|include|offer|show|hold)s?|has|have) no {_SOME}{_NEWS}(?: "
    r"{topic})?",
    rf"{{source}} lacks? {_SOME}{_NEWS}(?: {{topic}})?|{{source}} says? nothing {_ABOUT} {{topic}}",
    r"{source} (?:is|are|remains?) silent (?:on|about|regarding) {topic}",
    r"{source} (?:is|are)(?: not|n't) (?:relevant|related) to (?:the|this|your|that) (?:question|query|topic)",
    r"{source} (?:is|are) (?:irrelevant|unrelated) to (?:the|this|your|that) (?:question|query|topic)",
    rf"{{source}} (?:(?:is|are) (?:not sufficient|insufficient|not enough)|{_NOT}suffice) (?:to|in order to) "
    r"(?:answer|determine|say|tell|know)(?:,? {topic})?",
    rf"(?:none|neither|not one) of {{source}} (?:{_TELLS}|{_HOLD}s? {_SOME}{_NEWS})(?:,? {{topic}})?",
    rf"(?:neither|no|not one) (?:passage|document|text|source|excerpt|reference|article) {_TELLS}(?:,? {{topic}})?",
    rf"(?:there (?:is|'s|was) )?nothing {_IN} {_TELLS}(?:,? {{topic}})?",
    rf"there(?: is|'s| was) nothing {_IN} {_ABOUT} {{topic}}|there(?: is|'s) nothing {_ABOUT} {{object}} {_IN}",
    rf"{_THAT} (?:is|was)(?: not|n't) something (?:that )?{{source}} {_TELLS}",
)
_NOTHING_THERE: Final = (
    rf"(?:there (?:is|are|was) |there's )?(?:no|not any|not enough|insufficient) {_SOME}{_NEWS}"
    rf"(?: (?:available|given|provided|here))? {_ABOUT} {{topic}} {_IN}",
    rf"(?:there (?:is|are|was) |there's )?(?:no|not any|not enough|insufficient) {_SOME}{_NEWS}"
    rf"(?: (?:available|given|provided))? {_IN}(?: {_ABOUT} {{topic}})?{_TO_ANSWER}",
    rf"(?:there (?:is|are|was) |there's )?(?:no|not any|not enough|insufficient) {_SOME}(?!mention|reference"
    rf"|instruc|answers?){_NEWS}"
    r"(?: (?:available|given|provided|here))?(?: (?:about|on|regarding|concerning|as to|related to) {object})?"
    rf"(?: (?:is|are|was) (?:available|given|provided|mentioned|included|found))?(?: {_IN})?{_TO_ANSWER}",
    rf"there (?:isn't|aren't|wasn't) (?:any|enough|sufficient) {_SOME}{_NEWS}(?: here| {_IN})?"
    rf"(?: {_ABOUT} {{object}})?{_TO_ANSWER}(?: {_IN})?",
    rf"no (?:mention|reference) is made (?:of|to) {{object}}(?: {_IN})?",
    rf"{_ASKED} {{topic}} {_ISNT}{_STATED}(?: anywhere)? (?:in|by|within|from) {{source}}",
    rf"(?!(?:whether|how|when|where|who|what|why|which) ){{object}} {_ISNT}{_STATED}(?: anywhere)? (?:in|by|within"
    r"|from|of) {source}",
    rf"(?:it|this|that) ?{_ISNT}(?:mentioned|specified|stated|indicated)(?: {_IN})?(?: (?:{_ASKED}|that) {{topic}})?",
    rf"(?:it|this|that) ?(?:{_ISNT}(?:clear|known|evident|obvious|possible to (?:tell|say|determine|know))|(?:is|'s"
    r"|remains)"
    rf" (?:unclear|impossible to (?:tell|say|determine|know))) {_IN}(?:,? {_ASKED} {{topic}})?",
    rf"(?:this|that|the|such) (?:information|answer|detail|question)s? ?{_ISNT}{_STATED} {_IN}",
    rf"(?:this|that|the) (?:information|answer|detail) ?{_ISNT}(?:mentioned|specified|stated|provided|given"
    r"|available|included|found)",
    rf"{_THAT} (?:cannot|can't|can not|could not|couldn't) be (?:(?:answered|determined)(?: {_IN})?|(?:found"
    rf"|established|confirmed|inferred) {_IN})"
    rf"(?: alone)?(?:,? {_ASKED} {{topic}})?",
    rf"(?:the )?answer (?:to (?:this|that|your) question )?(?:is )?not (?:found|available|given)(?: {_IN})?",
    rf"not (?:mentioned|specified|stated)(?: {_IN})?|more (?:information|context) is (?:needed|required){_TO_ANSWER}",
)
_SPEAKER: Final = (
    r"i (?:do not|don't|really don't|wouldn't|would not) know(?: {topic})?|i(?:'m| am)? (?:not sure|unsure)(?: "
    r"{topic})?",
    rf"(?:i|we) (?:do not|don't) (?:currently )?have {_SOME}(?:access to )?{_SOME}(?:information|info|answer|details"
    r"|context|knowledge)(?: {topic})?",
    r"i (?:do not|don't) have (?:direct |any )?access to {topic}|i have no (?:information|idea|details|answer)(?: "
    r"{topic})?",
    r"i have no (?:way of (?:knowing|telling)|means of (?:knowing|telling)|access to)(?: {topic})?",
    rf"i ?{_CANT}{_HOW}{_KNOW}(?: {{topic}})?|(?:unable|not able) to {_KNOW}(?: {{topic}})?",
    rf"we ?{_CANT}{_HOW}(?:answer|find|determine|say|tell|know)(?: {{topic}})?",
    rf"we ?{_CANT}{_HOW}(?:confirm|verify|identify|locate) (?:that|whether|if|this|it)(?: {{topic}})?",
    rf"(?:i ?{_CANT}|(?:unable|not able) to )(?:provide|give|help|assist)(?: (?:you )?(?:with )?(?:an?|any|the|that"
    r"|this"
    r"|more|specific|further)?(?: \w+){0,2} ?(?:information|answer|details|response|question|request)(?: {topic})?)?",
    rf"i (?:do not|don't|did not|didn't|cannot|can't|couldn't|could not) (?:see|find) (?:anything|any {_SOME}"
    rf"{_NEWS}|that"
    rf"|this|it|an answer)(?: {_ABOUT} {{topic}})?(?: {_IN})?",
    rf"(?:i|we)(?:'d| would)? need (?:some )?(?:more|further|additional) (?:information|context|details){_TO_ANSWER}",
)
REFUSALS: Final = _SOURCES_SAY + _NOTHING_THERE + _SPEAKER
DENIAL: Final = (
    r"\b(?:not|no|cannot|unable|unclear|unsure|impossible|insufficient|lacks?|fails?|failed|silent|none|nothing|neither"
    r"|need(?:ed)?|required|irrelevant|unrelated)\b|n't\b"
)
FURTHER: Final = (
    r"it|he|she|they|we|there|this|these|everything|nothing|(?!united|based|related|provided|required|used|needed"
    r"|separated|mentioned|given|called)\w+ed|won|lost|went|came|said|says|got|made|took|gave|found"
    r"|bought|sold|began|ran|wrote|led|held|kept|left|met|paid|sent|thought|grew|fell|rose|beat|drew|works?|lives?"
    r"|exists?"
    r"|needs?|means?|weighs?|measures?|who|whose|which|do|does|did|could|would|should|might|goes|go|gives?|shows?"
    r"|remains?"
)
INDIRECT: Final = (
    r",(?: and| or)? (?:whether|how (?:many|much|long|often|far|old|high|deep|to)|why|if|in case|should you"
    r"|such as|including|for example)\b"
    r"| and (?:whether|how|why|when|where|who|what|which|if)\b"
)
RELATIVE: Final = (
    r"(?<!\babout)(?<!\bon)(?<!\bof)(?<!\bor)(?<!\bto)(?<!\bregarding)(?<!\band)\s(?:which|who) (?:is|are|was|were|has"
    r"|had)\b"
)
