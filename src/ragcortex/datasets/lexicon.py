"""Small hand-written word lists of English that the synthetic edits draw on. Data only."""

from typing import Final


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


STOPWORDS: Final = frozenset(
    _words(
        """
    despite unlike throughout around along among across
    a about above after again against all also although am among an and any are as at be because been before being
    below between both but by can could did do does doing down during each either else etc even ever every few for
    from further had has have having he hence her here hers herself him himself his how however i if in include
    included includes including into is it its itself just like made make makes many may me might more most much
    must my neither no nor not of off often on once one only onto or other others our ours out over own per quite
    rather same several she should since so some such than that the their theirs them themselves then there
    therefore these they this those though through thus to too toward towards under until up upon us used use uses
    using very via was we were what when where whether which while who whom whose why will with within without
    would yes yet you your yours according additionally furthermore moreover passage passages context provided
    information
    """
    )
)

PRONOUN_STARTS: Final = frozenset(
    _words(
        """
    he she it they this these those his her its their such both there that here another other others then however
    but and so also thus therefore instead meanwhile still yet or one moreover furthermore additionally
    nevertheless consequently similarly finally later afterwards afterward him them or because which who two some
    as either neither first second third next lastly overall otherwise nonetheless hence
    """
    )
)

FIRST_PERSON: Final = frozenset(
    _words(
        """
    i we my our me us mine ours i'm we're i've we've i'd we'd i'll we'll let's
    """
    )
)

MONTHS: Final = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
WEEKDAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

# Words that begin a capitalised run without being part of a name.
NOT_NAMES: Final = frozenset(
    _words(
        """
    The A An In On At By For From With Of To As And But Or If When While After Before During Since Because
    Although Some Many Most Several All Both Each Every Any No Not Yes It He She They We You I This That These
    Those There Here His Her Its Their Our Your My What Which Who Where Why How Sure Based According Additionally
    Also However Overall Finally First Second Third Then Thus Therefore Other Another One Two Three Passage
    Passages Note New
    """
    )
)

UNIT_SWAPS: Final = (
    ("kilometers", "miles"),
    ("kilometres", "miles"),
    ("km", "miles"),
    ("meters", "feet"),
    ("metres", "feet"),
    ("centimeters", "inches"),
    ("pounds", "kilograms"),
    ("kg", "pounds"),
    ("grams", "ounces"),
    ("seconds", "minutes"),
    ("minutes", "hours"),
    ("hours", "days"),
    ("days", "weeks"),
    ("weeks", "months"),
    ("months", "years"),
    ("decades", "years"),
    ("centuries", "decades"),
    ("million", "billion"),
    ("thousand", "million"),
    ("dollars", "euros"),
    ("percent", "percentage points"),
    ("Fahrenheit", "Celsius"),
    ("teaspoons", "tablespoons"),
    ("cups", "tablespoons"),
    ("acres", "hectares"),
    ("gallons", "liters"),
)

ANTONYMS: Final = (
    ("more", "less"),
    ("more", "fewer"),
    ("higher", "lower"),
    ("highest", "lowest"),
    ("increase", "decrease"),
    ("increases", "decreases"),
    ("increased", "decreased"),
    ("increasing", "decreasing"),
    ("before", "after"),
    ("always", "rarely"),
    ("never", "often"),
    ("often", "rarely"),
    ("usually", "rarely"),
    ("many", "few"),
    ("both", "neither"),
    ("northern", "southern"),
    ("north", "south"),
    ("eastern", "western"),
    ("east", "west"),
    ("northeast", "southwest"),
    ("northwest", "southeast"),
    ("early", "late"),
    ("earlier", "later"),
    ("above", "below"),
    ("largest", "smallest"),
    ("larger", "smaller"),
    ("large", "small"),
    ("oldest", "youngest"),
    ("older", "younger"),
    ("longest", "shortest"),
    ("longer", "shorter"),
    ("best", "worst"),
    ("better", "worse"),
    ("started", "ended"),
    ("begins", "ends"),
    ("began", "ended"),
    ("opened", "closed"),
    ("hot", "cold"),
    ("warm", "cool"),
    ("male", "female"),
    ("father", "mother"),
    ("son", "daughter"),
    ("brother", "sister"),
    ("husband", "wife"),
    ("won", "lost"),
    ("bought", "sold"),
    ("buy", "sell"),
    ("safe", "dangerous"),
    ("positive", "negative"),
    ("public", "private"),
    ("inside", "outside"),
    ("maximum", "minimum"),
    ("easy", "difficult"),
    ("rich", "poor"),
    ("success", "failure"),
    ("successful", "unsuccessful"),
    ("common", "uncommon"),
    ("with", "without"),
    ("accepted", "rejected"),
    ("supported", "opposed"),
    ("include", "exclude"),
    ("includes", "excludes"),
    ("allowed", "forbidden"),
    ("legal", "illegal"),
    ("gained", "lost"),
    ("rise", "fall"),
    ("rose", "fell"),
    ("upper", "lower"),
    ("modern", "ancient"),
    ("summer", "winter"),
    ("freshwater", "saltwater"),
    ("internal", "external"),
    ("possible", "impossible"),
    ("rural", "urban"),
    ("strong", "weak"),
    ("domestic", "foreign"),
)

AUXILIARIES: Final = _words(
    """
    is are was were can could will would should must may might has have had does did do
    """
)

ONLY_WORDS: Final = ("only", "at least", "at most", "up to", "usually")

SUBORDINATORS: Final = ("if", "unless", "except", "only if", "as long as", "provided that", "until", "when")


CONTRACTIONS: Final = (
    ("is not", "isn't"),
    ("are not", "aren't"),
    ("was not", "wasn't"),
    ("were not", "weren't"),
    ("does not", "doesn't"),
    ("do not", "don't"),
    ("did not", "didn't"),
    ("cannot", "can't"),
    ("will not", "won't"),
    ("has not", "hasn't"),
    ("have not", "haven't"),
    ("would not", "wouldn't"),
    ("should not", "shouldn't"),
    ("it is", "it's"),
    ("It is", "It's"),
    ("they are", "they're"),
    ("They are", "They're"),
    ("you are", "you're"),
    ("You are", "You're"),
)

# Rewordings that leave the meaning as it is.
SYNONYMS: Final = (
    ("approximately", "about"),
    ("in order to", "to"),
    ("due to the fact that", "because"),
    ("situated", "located"),
    ("began", "started"),
    ("commenced", "began"),
    ("numerous", "many"),
    ("several", "a number of"),
    ("such as", "like"),
    ("however,", "but"),
    ("therefore", "so"),
    ("also known as", "also called"),
    ("for example", "for instance"),
    ("prior to", "before"),
    ("a number of", "several"),
    ("purchased", "bought"),
    ("obtain", "get"),
    ("require", "need"),
    ("requires", "needs"),
    ("utilize", "use"),
    ("roughly", "about"),
    ("additionally", "also"),
    ("received", "got"),
    ("the majority of", "most"),
    ("as well as", "and"),
    ("was established", "was founded"),
    ("was founded", "was established"),
    ("was released", "came out"),
    ("is composed of", "consists of"),
    ("film", "movie"),
    ("movie", "film"),
    ("primarily", "mainly"),
    ("mainly", "mostly"),
    ("is able to", "can"),
    ("are able to", "can"),
    ("currently", "at present"),
)
