"""Sentences that claim nothing about the world, in English. Data only; other languages in modules beside this.

Every entry is a regular expression of a whole sentence: lower case, ' for any apostrophe, one space for white space,
without its final punctuation and without markdown. `{source}` stands for the references («the provided passages»),
`{topic}` and `{object}` for free text, which `claims` checks for a second claim, an object more strictly; `{given}` for
references that cannot be anything else, `{yours}` for what an assistant acts on, `{heading}` for heading nouns.
"""

from typing import Final, NamedTuple


class ClaimPhrases(NamedTuple):
    """What `claims` needs to know about one language.

    Attributes:
        lead: phrases that may stand before any other («Unfortunately,», «I'm sorry, but»).
        source, given, yours: see above.
        refusal, greeting, closing, action, meta: whole sentences of that kind.
        question: how a question begins; where that does not show in the language, what it contains.
        rhetorical: what a question holds that claims something («Did you know that», «, right»).
        heading: nouns and adjectives that headings consist of.
        linking: words a heading may have besides.
        turn: words after which a second claim begins («but», «because»).
        joint: what separates clauses within free text.
        finite: verb forms that show a clause.
    """

    lead: str
    source: str
    given: str
    yours: str
    refusal: tuple[str, ...]
    greeting: tuple[str, ...]
    closing: tuple[str, ...]
    action: tuple[str, ...]
    meta: tuple[str, ...]
    question: str
    rhetorical: str
    heading: str
    linking: str
    turn: str
    joint: str
    finite: str


_JOINT: Final = r",| and | – | — | - "

ENGLISH: Final = ClaimPhrases(
    lead=(
        r"unfortunately|(?:i am|i'm|we are|we're)? ?(?:very |so )?sorry(?: about that)?(?:,? but)?"
        r"|i apologi[sz]e(?:,? but)?|sure"
        r"|(?:yes|no|okay|ok|well|so|and|also|please)|of course|certainly|absolutely|thank you|thanks|hello|hi"
        r"|hi there"
        r"|(?:based on|according to|from|given|in|using) {source}(?: alone| only)?|to answer your question"
        r"|as an ai(?: \w+){0,3}"
        r"|at (?:this time|the moment)|currently|then|great|alright|however|therefore|additionally"
        r"|it seems (?:that )?"
        r"|i understand|if (?:so|not)|finally|first|next|similarly|(?:please )?note(?: that)?|passage \d"
        r"|it(?:'s| is) (?:important|worth) (?:to note|noting) that"
    ),
    source=(
        r"(?:(?:any of |all of )?(?:the|these|those|this|that|your|my|our) )?(?:(?:provided|given|retrieved"
        r"|available|above|supplied"
        r"|following|current|reference|search|other|cited) ){0,2}(?:passages?|documents?|context|texts?"
        r"|references?|sources?"
        r"|information|excerpts?|articles?|materials?|knowledge base|paragraphs?|snippets?|documentation"
        r"|search results?)"
        r"(?: (?:provided|given|above|here|supplied|available|below))?(?: \d)?"
    ),
    given=(
        r"(?:(?:the|these|those|this|that|your) )?(?:(?:provided|given|retrieved|available|above|supplied|cited) "
        r"(?:passages?|documents?|context|texts?|references?|sources?|information|excerpts?|articles?|materials?)"
        r"|passages?|context|excerpts?|snippets?|knowledge base)"
    ),
    yours=(
        r"you|(?:the |a )?ticket(?: (?:number |no\.? ?)?[#\w-]*\d[\w-]*)?|(?:your|the|this|that|an?|our|my"
        r"|all) (?:[\w-]+ ){0,3}?(?:request|ticket|case"
        r"|message|inquiry|enquiry|question|feedback"
        r"|complaint|issue|concern|account|order|subscription|password|appointment|reservation|booking|e-?mail"
        r"|details|address"
        r"|manager|colleague|agent|support|team|department|reminder|callback|conversation|chat|call)"
    ),
    refusal=(
        r"i (?:do not|don't|really don't) know(?: {topic})?|i'?m? (?:am )?not sure(?: {topic})?",
        r"i (?:do not|don't) have (?:any |enough |sufficient |the |that |specific |access to )*(?:information"
        r"|answer|details|context"
        r"|knowledge)(?: {topic})?|i have no (?:information|idea|details|answer)(?: {topic})?",
        r"(?:i am|i'm|we are|we're)? ?(?:unable|not able) to (?:answer|find|determine|say|tell|confirm|verify"
        r"|locate|identify)"
        r"(?: {topic})?",
        r"(?:i|we) (?:cannot|can't|can not|could not|couldn't) (?:answer|find|determine|say|tell|confirm|verify"
        r"|locate|identify)"
        r"(?: {topic})?",
        r"(?:i am|i'm)? ?(?:unable|not able) to (?:provide|give|help|assist)(?: (?:you )?(?:with )?(?:an?|any|the"
        r"|that|this|more|specific"
        r"|further)?(?: \w+){0,2} ?(?:information|answer|details|response|question|request)(?: {topic})?)?",
        r"i (?:cannot|can't|can not|could not|couldn't) (?:provide|give|help|assist)(?: (?:you )?(?:with )?(?:an?"
        r"|any|the|that|this|more"
        r"|specific|further)?(?: \w+){0,2} ?(?:information|answer|details|response|question|request)(?: {topic})?)?",
        r"(?:it|this|that|the (?:question|answer)) (?:cannot|can't|can not|could not|couldn't) be (?:answered"
        r"|determined)"
        r"(?: {topic})?",
        r"{source} (?:do|does|did) ?(?:not|n't) (?:\w+ly )?(?:mention|specify|say|state|discuss|address|describe"
        r"|answer|explain"
        r"|indicate)(?: {topic})?",
        r"{source} (?:do|does|did) ?(?:not|n't) (?:\w+ly )?(?:contain|provide|include|give|have|offer)"
        r" (?:any |the |enough |sufficient |specific |that |this |an )*(?:information|answers?|details|mention"
        r"|explanation)(?: {topic})?",
        r"{given} (?:do|does|did) ?(?:not|n't) (?:\w+ly )?(?:contain|provide|include|give|cover|have"
        r"|list)(?: {topic})?",
        r"{source} (?:is|are) (?:not sufficient|insufficient|not enough) to (?:answer|determine)(?: {topic})?",
        r"{source} (?:makes? no mention of|(?:has|have|contains?|gives?|provides?|includes?) no (?:information"
        r"|mention|details|answer))"
        r"(?: {topic})?",
        r"(?:there (?:is|are|was) )?(?:no|not any|not enough|insufficient) (?:specific |further |direct |relevant "
        r"|additional )?"
        r"(?:information|mention|answer|details) (?:about|on|regarding|concerning|of|as to|for) {topic} (?:in"
        r"|from) {source}",
        r"(?:there (?:is|are|was) )?(?:no|not any|not enough|insufficient) (?:specific |further |direct |relevant "
        r"|additional )?"
        r"(?:information|mention|answer|details)(?: (?:available|given|provided))?(?: (?:in|from) {source})"
        r"(?: (?:about|on|regarding|concerning|of|to|as to|for) {topic})?",
        r"(?:there (?:is|are|was) )?(?:no|not any|not enough|insufficient) (?:specific |further |direct |relevant "
        r"|additional )?"
        r"(?:information|mention|answer|details)(?: (?:available|given|provided))?(?: (?:about|on|regarding"
        r"|concerning|of|to|as to|for)"
        r" {object})?(?: (?:is|are|was) (?:available|given|provided|mentioned|included|found))?(?: (?:in"
        r"|from) {source})?",
        r"{object} (?:is|are|was|were) ?(?:not|n't) (?:\w+ly )?(?:mentioned|specified|stated|provided|given"
        r"|included|discussed"
        r"|addressed|covered|available|found|described|answered)(?: anywhere)? (?:in|by|within) {source}",
        r"(?:it|this|that) (?:is|was) ?(?:not|n't) (?:\w+ly )?(?:mentioned|specified|stated|clear)(?: (?:in|from"
        r"|by) {source})?"
        r"(?: (?:whether|if|how|what|who|when|where|why|which|that) {topic})?",
        r"(?:this|that|the) (?:information|answer|detail) (?:is|was) ?(?:not|n't) (?:\w+ly )?(?:mentioned"
        r"|specified|stated|provided"
        r"|given|available|included|found)(?: (?:in|from|by) {source})?",
        r"(?:the )?answer (?:is )?not (?:found|available|given)(?: in {source})?|not (?:mentioned|specified"
        r"|stated)(?: in {source})?"
        r"|more (?:information|context) is (?:needed|required)(?: to (?:answer|determine) {topic})?",
    ),
    greeting=(
        r"(?:hello|hi|hey|greetings|good (?:morning|afternoon|evening|day)|dear)(?: (?:there|again|everyone|all"
        r"|and welcome|customer"
        r"|sir|madam|{name}))?|welcome(?: back)?",
        r"thank you for (?:reaching out|contacting (?:us|me|support)|your (?:question|message|interest|inquiry"
        r"|enquiry)"
        r"|asking|getting in touch)|thanks for (?:reaching out|asking|contacting us|your (?:question|message))",
        r"nice to meet you|(?:that's a |that is a )?(?:great|good|excellent) question|how are you(?: today| doing)?",
        r"(?:how|what) (?:can|may) (?:i|we) (?:help|assist|do for)(?: you)?(?: (?:today|with that|further))?",
        r"(?:i'd|i would|i'll|i will|i'm|i am) (?:be )?(?:happy|glad|pleased) to (?:help"
        r"|assist)(?: you)?(?: with (?:that|this))?",
        r"(?:i understand|sorry (?:to hear (?:that|this)|for the (?:inconvenience|trouble|delay|confusion)))",
        r"i(?: am|'m) (?:your |a |the )?(?:virtual |digital |ai |support )*assistant|my name is {name}",
        r"sure(?: thing)?|of course|certainly|absolutely|no problem|okay|ok|great|(?:i'm |i am )?(?:very )?sorry"
        r"|got it|understood|i see|alright",
    ),
    closing=(
        r"(?:please )?let (?:me|us) know(?: {topic})?|(?:please )?feel free to (?:ask|contact|reach out|let"
        r"|message|write|call"
        r"|get in touch)(?: {topic})?",
        r"(?:please )?(?:do not|don't) hesitate to (?:ask|contact|reach out|let|get in touch|write"
        r"|call)(?: {topic})?",
        r"(?:i )?hope (?:this|that|it) (?:helps?|is helpful|was helpful|answers|clarifies|clears)(?: {topic})?"
        r"|i hope you (?:enjoy|have a) {topic}",
        r"(?:if you (?:have|need|want|would like|require|are looking for) {topic}|should you (?:have|need"
        r"|require) {topic}),?"
        r" (?:please )?(?:let (?:me|us) know|(?:feel free|do not hesitate|don't hesitate) to (?:ask|contact"
        r"|reach out|get in touch"
        r"|let)|just ask|i'm (?:here|happy) to help|contact us|reach out)(?: {topic})?",
        r"(?:have|wish you) a (?:very )?(?:great|nice|good|wonderful|lovely|pleasant) (?:day|evening|weekend|time"
        r"|trip|stay|one)",
        r"(?:thank you|thanks)(?: (?:so|very) much| a lot)?(?: again)?(?: for {topic})?|you're welcome"
        r"|you are welcome",
        r"(?:best|kind|warm)(?:est)? (?:regards|wishes)|(?:yours )?sincerely|cheers|take care|goodbye|bye"
        r"|see you(?: soon)?",
        r"(?:is there )?anything else(?: (?:i|we|you) {topic})?|(?:i'm|i am|we're|we are) (?:always "
        r"|still )?(?:here|happy) to help"
        r"(?: {topic})?|happy to help|my pleasure|good luck|enjoy(?: your (?:day|meal|stay|trip|visit))?|stay safe",
    ),
    action=(
        r"(?:i|we have|we've)(?:'ve|'ll|'m| have| will| just| also| now| already| am)* (?:forwarded|forwarding"
        r"|forward|passed|passing"
        r"|pass|escalated|escalating|escalate|transferred|transferring|transfer|sent|sending|send|submitted|submit"
        r"|created|creating"
        r"|create|opened|open|logged|log|updated|update|updating|closed|reopened|recorded|noted|notified|notify"
        r"|informed|inform"
        r"|contacted|assigned|connected|connecting|connect|flagged|registered|scheduled|booked|reserved|cancelled"
        r"|canceled"
        r"|changed|reset|added|removed|saved|filed|raised|processed) (?:{yours})(?: {object})?",
        r"(?:your|this) (?:\w+ )?(?:request|ticket|case|message|inquiry|enquiry|question|feedback|complaint|issue"
        r"|concern)"
        r" (?:has|have) (?:now |just |also )?been (?:forwarded|escalated|passed|submitted|created|opened|logged"
        r"|updated|recorded"
        r"|transferred|registered|noted|closed|assigned|received|sent)(?: {object})?",
        r"(?:a|the) (?:support |service )?ticket has been (?:created|opened|submitted|logged|raised)(?: for you"
        r"| on your behalf)?",
        r"(?:let me|i'll|i will) (?:check|look into|look up|find out|see)(?: {object})?|(?:please wait"
        r"|one moment(?: please)?)",
    ),
    meta=(
        r"here(?: is|'s| are) {heading}(?: {object})?|(?:below|the following|these) (?:is"
        r"|are) {heading}(?: {object})?",
        r"(?:in summary|in conclusion|to summari[sz]e|to conclude|overall|in short|in general|for (?:example"
        r"|instance)|additionally"
        r"|furthermore|moreover|however|therefore|note(?: that)?"
        r"|please note(?: that)?|answer"
        r"|to sum up|on the other hand|in other words|also|that is|as follows)",
        r"(?:based on|according to|from) {source}(?: {heading})?|based on this|to answer your question",
        r"(?:you can |please |simply |just )?(?:follow|use|try|consider|see|take)"
        r" (?:these|the following) (?:\w+ ){0,2}(?:steps?|instructions|tips|options|methods|points|ways|guidelines)"
        r"(?: (?:below|to {object}|for {object}))?",
        r"to {object},? (?:you can |please |simply )?follow (?:these|the following|the) (?:\w+ ){0,2}(?:steps"
        r"|instructions|tips)"
        r"(?: below)?",
        r"{heading} (?:is|are) as follows|(?:it|they|this) (?:is|are) as follows|let's (?:begin|start|take a look"
        r"|dive in)",
        r"i(?:'ll| will| have| can)? summari[sz]ed? {source}(?: (?:below|for you))?",
    ),
    question=(
        r"(?:(?:and|so|but|or|also|then),? )?(?:who|whom|whose|what|what's|when|where|why|which|how|is|are|was"
        r"|were|do|does|did|can"
        r"|could|would|will|shall|should|may|might|have|has|am|in which|for which|at what|to what|with which)\b"
        r"|(?:anything|something|more|any|your)\b"
    ),
    rhetorical=(
        r"(?:did|do|have) you (?:know|realize|realise|notice|ever (?:heard|wondered))|isn't|aren't|wasn't|weren't"
        r"|don't|doesn't|didn't"
        r"|, (?:right|correct|ok|okay|yes|no|huh)$|, (?:is|are|was|were|do|does|did|has|have|can|will) (?:it|they"
        r"|he|she|we|you)$"
        r"|, (?:which|who|whose)\b|who would have|how (?:great|amazing)|given that|considering|who knew"
        r"|what if i told"
    ),
    heading=(
        r"summary|overview|introduction|background|conclusions?|points?|steps?|ingredients?|instructions?"
        r"|directions?|answers?|notes?|details?|information|info|passages?|sources?|references?|examples?|pros"
        r"|cons|advantages?|disadvantages?|benefits?|features?|requirements?|prerequisites?|materials?|tips?"
        r"|history|locations?|prices?|pricing|shipping|returns?|warranty|contact|faqs?|questions?|results?"
        r"|response|breakdown|explanation|recipe|guide|facts?|comparison|outline|ways?|options?|methods?|list"
        r"|description|procedure|process|method|usage|dosage|side effects|symptoms|causes|treatments?|types?"
        r"|definition|purpose|table of contents|abstract|discussion|reasons?|factors?|opening hours|hours"
    ),
    linking=(
        r"a|an|the|of|and|or|for|to|from|in|on|your|my|you|what|how|that|&|key|main|important|brief|short|quick"
        r"|possible|general|additional|relevant|further|opening|final|simple|easy|detailed|concise|step-by-step"
        r"|bulleted|numbered|complete|common|some|few|several|two|three|four|five|six|seven|ten|following"
    ),
    turn=(
        r"but|however|although|though|while|whereas|yet|nevertheless|only|instead|except|because|since|so|just"
        r"|apart from|other than"
        r"|unless|given that|as|whose|beyond|besides"
    ),
    joint=_JOINT,
    finite=(
        r"is|are|was|were|has|have|had|will|can|must|may|involves?|consists?|contains?|uses|makes?|causes?|costs?"
        r"|takes?|opens?|closes?|starts?|ends?|begins?|gets?"
        r"|stands?|lies|became"
        r"|becomes|includes?|requires?|offers?|allows?|covers?|provides?|which|who|it's|that's|they're|located"
        r"|built|within"
    ),
)
