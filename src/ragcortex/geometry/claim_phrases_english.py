"""Sentences that claim nothing about the world, in English. Data only; see `claim_phrases`."""

from typing import Final

from ragcortex.geometry.claim_phrases import ClaimPhrases
from ragcortex.geometry.claim_refusals_english import DENIAL, FURTHER, INDIRECT, REFUSALS, RELATIVE, SOURCE

_JOINT: Final = r",| and | – | — | - "
# What help is offered with: an offer and not advice («if you have a fever, contact us»).
_ASK: Final = (
    r"(?=[^,]*\b(?:questions?|concerns?|doubts?|help|assistance|information|details?|anything|something|unclear"
    r"|issues?|problems?|queries|clarification|else|more)\b)"
)
_INVITE: Final = (
    r"(?:please )?(?:just |simply |always )?(?:let (?:me|us) know|ask(?: me| us)?|reach out(?: to (?:me|us))?"
    r"|get in touch|contact (?:me|us|support|our support team|customer service)|feel free to \w+(?: out)?(?: to)?(?: "
    r"(?:me|us))?|(?:do not|don't) hesitate to \w+(?: out)?(?: to)?(?: (?:me|us))?|(?:i'm|i am|we're|we are) "
    r"(?:always )?(?:here|happy|glad)(?: to help)?|write to (?:me|us)|message (?:me|us)|tell me)"
)

ENGLISH: Final = ClaimPhrases(
    lead=(
        r"sadly|regrettably|(?:my )?apologies|i'm afraid(?: that)?|i am afraid(?: that)?|i regret(?: to say)?"
        r"(?: that)?|as far as i (?:can see|can tell|know)|unfortunately|(?:i am|i'm|we are|we're)? ?(?:very "
        r"|so )?sorry(?: about that)?(?:,? but)?"
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
    source=SOURCE,
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
    refusal=REFUSALS,
    greeting=(
        r"welcome to (?:our|the|my) {object}|thank(?:s| you) for (?:contacting|getting in touch with"
        r"|reaching out to|writing to) (?:us|me|our {object})",
        r"thank(?:s| you) for (?:your|the) (?:message|question|e-?mail|inquiry|enquiry|interest|request|feedback)",
        r"(?:yes,? )?i can (?:certainly |definitely )?(?:help|assist) (?:you )?(?:with (?:that|this|it))?|"
        r"(?:this is|i'm|i am) (?:your|the) (?:virtual |digital |ai |support |online )*(?:assistant|agent)",
        r"(?:i'm|i am|i'd be|i would be|we're|we'd be) (?:so |very |more than )?(?:happy|glad|pleased"
        r"|delighted) to (?:help|assist)(?: you)?(?: with (?:that|this|it))?(?: today)?|(?:nice|good|great"
        r"|pleased) to (?:meet|see|hear from) you",
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
        rf"(?:if|should|in case|whenever) {_ASK}{{topic}},? (?:{_INVITE})",
        rf"(?:{_INVITE}) (?:if|should|in case|whenever) {_ASK}{{topic}}|(?:{_INVITE})",
        r"(?:i'd be |i'm |i am |i would be |we're |we'd be )?(?:always |more than )?(?:happy|glad|pleased"
        r"|here) to (?:help|assist|answer|clarify|explain)(?: you)?(?: (?:with|any|further) {object})?",
        r"(?:i'm|i am|we're|we are) here (?:if|whenever) you need {object}|(?:we|i) (?:really )?appreciate your "
        r"(?:patience|understanding|feedback|time|interest|support|cooperation)",
        r"(?:have|enjoy) (?:a|the rest of your|your) (?:(?:very|lovely|great|nice|good|wonderful|pleasant|safe) )*"
        r"(?:day|evening|weekend|week|trip|stay|flight)(?: ahead)?",
        r"(?:wish(?:ing)?|i wish) you (?:a (?:\w+ ){1,2}(?:day|stay|trip|week|weekend|evening)|all the best|"
        r"(?:good luck|success)(?: with {object})?)|all the best|with (?:best|kind) (?:regards|wishes)",
        r"you can (?:always|also|of course) (?:ask|contact|reach|write to|message) (?:me|us)(?: again)?(?: (?:if"
        rf"|whenever) {_ASK}{{topic}})?",
        r"(?:i'm |i am |we're |i |we )?look(?:ing)? forward to (?:hearing from you|your (?:reply|answer|message"
        r"|response|visit)|(?:helping|assisting|seeing|welcoming) you)(?: (?:again|soon|further))?",
        r"(?:please )?let (?:me|us) know(?: {topic})?|(?:please )?feel free to (?:ask|contact|reach out|let"
        r"|message|write|call"
        r"|get in touch)(?: {topic})?",
        r"(?:please )?(?:do not|don't) hesitate to (?:ask|contact|reach out|let|get in touch|write"
        r"|call)(?: {topic})?",
        r"(?:i )?hope (?:this|that|it) (?:helps?|is helpful|was helpful|answers|clarifies|clears)(?: {topic})?"
        r"|i hope you (?:enjoy|have a) {topic}",
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
        r"(?:i've|i have|i'll|i will) (?:just |also |now )?(?:taken?|ma[dk]e) (?:a )?note of (?:{yours}|that|this"
        r"|it)|(?:i'll|i will) (?:pass|forward|send|escalate) (?:this|that|it) (?:on )?to {object}",
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
        r"here(?:'s| is| are) what (?:i (?:found|know|could find|have)|{source} (?:say|tell|mention|state"
        r"|contain)s?(?: us)?)(?: (?:about|on|regarding) {object})?",
        r"(?:below|in the following) (?:you will|you'll|you can) find {heading}(?: {object})?|let me "
        r"(?:summari[sz]e|explain|clarify|elaborate|break (?:it|this|that|them) down|walk you through|go through"
        r"|list|outline|start)(?: (?:{source}|it|this|that|these|them|{heading}))?(?: for you| below)?",
        r"(?:the following )?{heading} (?:(?:should|can|must) be followed|(?:is|are)(?: as follows)?)|(?:in this "
        r"(?:answer|response),? )?i(?:'ll| will) (?:now )?(?:summari[sz]e|answer|respond|list|explain)(?: "
        r"(?:based on|from|using))? ?(?:{source}|this|your question|the question)(?: (?:based on|from|using) "
        r"{source})?(?: below)?",
        r"(?:please )?(?:see|refer to|find|read|check|review|note) {heading}(?: (?:below|above))?",
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
        r"to {object},? (?:you (?:can|should|need to|must|may|will need to) |please |simply )?follow (?:these"
        r"|the following|the) (?:\w+ ){0,2}(?:steps"
        r"|instructions|tips)"
        r"(?: below)?",
        r"(?:it|they|this) (?:is|are) as follows|let's (?:begin|start|take a look"
        r"|dive in)",
        r"i(?:'ll| will| have| can)? summari[sz]ed? {source}(?: (?:below|for you))?",
        r"(?:please |for (?:(?:more|further) )?(?:details|information),? (?:please )?)?"
        r"(?:see(?: also)?|cf|compare|refer to)"
        r"(?: (?:{source}|(?:passage|reference|source|document|page|section)s? \d{1,3}))?"
        r"(?: for (?:(?:more|further) )?(?:details|information))?",
    ),
    question=(
        r"(?:please,? )?(?:in|to|for|at|with|on|from|by|of) (?:which|what|whom|whose)\b|please (?:could|can"
        r"|would) you\b|(?:(?:and|so|but|or|also|then),? )?(?:who|whom|whose|what|what's|when|where|why|which|how"
        r"|is|are|was"
        r"|were|do|does|did|can"
        r"|could|would|will|shall|should|may|might|have|has|am|in which|for which|at what|to what|with which)\b"
        r"|(?:anything|something|more|any|your)\b"
    ),
    rhetorical=(
        r"(?:would|do) you (?:like|want) to know that|(?:are|were) you aware that|(?:did|do|have) you (?:know"
        r"|realize|realise|notice|ever (?:heard|wondered))|isn't|aren't|wasn't|weren't"
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
    denial=DENIAL,
    further=FURTHER,
    indirect=INDIRECT,
    relative=RELATIVE,
)
