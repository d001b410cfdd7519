"""The number words of English and German."""

from functools import partial
from typing import Final

from ragcortex.geometry.facts.amount_vocabulary import NEVER, vocabulary

_ENGLISH_UNITS: Final = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen "
    "nineteen twenty thirty forty fourty fifty sixty seventy eighty ninety hundred thousand zero "
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth "
    "sixteenth seventeenth eighteenth nineteenth twentieth thirtieth fortieth fiftieth sixtieth seventieth eightieth "
    "ninetieth hundredth thousandth"
)
ENGLISH: Final = partial(
    vocabulary,
    words="|".join(sorted(_ENGLISH_UNITS.split(), key=len, reverse=True)),
    joints="and|point",
    phrases={
        r"(?P<number>(?:an?|one)[ -](?:and a )?half)(?= (?:million|billion|trillion|dozen|hundred|thousand)\b)": "0.5",
        r"(?P<number>half(?: an?)?)(?=[ -](?:million|billion|trillion|dozen|hundred|thousand)\b)": "0.5",
        r"one and a half\b": "1.5",
        r"(?P<number>half(?: of)?(?: an?)?)(?=[ -](?:hour|day|year|month|century|mile|kilomet|pound|acre|pint"
        r"|litre|liter|cup|teaspoon|tablespoon|gallon|quart|ounce|metre|meter|gram|kilo|percent"
        r"|minute|second|decade|tonne|inch|dozen)\w*\b)": "0.5",
        r"(?:a half|one half|one-half|half)(?= (?:of|the|all|their|its|his|her|our|as)\b)": "0.5",
        r"(?:a|one|half a) couple dozen\b": "24",
        r"half a dozen\b|half-dozen\b": "6",
        r"(?:a|one) dozen\b": "12",
        r"twice(?= (?:as|the|a|per|every|in|its|daily|weekly|monthly|yearly)\b)": "2",
        r"thrice\b": "3",
        r"(?P<number>an?)(?P<unit>)(?= (?:hour|day|week|month|year|mile|century) and a half\b)": "1",
        r"(?P<number>an?)(?= (?:million|billion|trillion)\b)": "1",
        r"(?<=\b(?:for|within|in|after|under|over|than|takes?|took|lasts?|lasted|least|up to|nearly|almost|about) )"
        r"(?P<number>an?)(?P<unit>)(?= (?:year|month|week|day|hour|minute|decade|century|night|working day"
        r"|business day)\b)": "1",
    },
    numerators={
        "a": 1,
        "an": 1,
        "one": 1,
        "two": 2,
        "three": 3,
        "four": 4,
        "five": 5,
        "six": 6,
        "seven": 7,
        "eight": 8,
        "nine": 9,
    },
    denominators={
        "thirds?": 3,
        "quarters?": 4,
        "fourths?": 4,
        "fifths?": 5,
        "sixths?": 6,
        "sevenths?": 7,
        "eighths?": 8,
        "ninths?": 9,
        "tenths?": 10,
        "hundredths?": 100,
    },
    fraction=(
        r"(?P<above>one|two|three|four|five|six|seven|eight|nine)[ -]"
        r"(?P<below>thirds|fourths|fifths|sixths|sevenths|eighths|ninths|tenths|hundredths)\b"
        r"|(?P<above>three)[ -](?P<below>quarters)\b"
        r"|(?P<above>one)[ -](?P<below>third|quarter|fourth|fifth|sixth|seventh|eighth|ninth|tenth|hundredth)\b(?!-)"
        r"|(?P<above>an?) (?P<below>third|quarter|fifth|sixth|seventh|eighth|ninth|tenth|hundredth)\b"
        r"(?= (?:of|off|less|more)\b|$|[.,;)](?:\s|$))"
    ),
    magnitudes={"hundred": 100, "thousand": 1000},
    article=r"\b(?:a|an|one|per|several) $",
    alone=r"(?:hundred|thousand)(?:[ -].*)?|hundreds|thousands",
    one=r"one|zero",
    no_number=r"(?:hundreds|thousands)\b",
    no_ordinal=r"seconds|thirds|firsts|[a-z]+ths$",
    before_no_ordinal=r"(?:\b(?:at|a|per|each|every|split|one|half|any|from the) |[0-9][ -])$",
    after_no_ordinal=r"(?: of all\b|(?<=(?:^|[.!?:;] )(?:First|Second|Third)), | half\b(?= of the (?:game"
    r"|match))|[- ]?hand\b|-(?:class|rate"
    r"|generation)\b| thoughts?\b)",
)

_GERMAN_STEM: Final = (
    r"(?:(?:ein|zwei|zwo|drei|vier|fünf|sechs?|sieb(?:en)?|acht|neun)?(?:zehn|hundert|tausend)|elf|zwölf"
    r"|(?:ein|zwei|drei|vier|fünf|sechs?|sieb(?:en)?|acht|neun)(?:und)(?:zwanzig|drei(?:ß|ss)ig|vierzig|fünfzig"
    r"|sechzig|siebzig"
    r"|achtzig|neunzig)|zwanzig|drei(?:ß|ss)ig|vierzig|fünfzig|sechzig|siebzig|achtzig|neunzig"
    r"|eins?|zwei|zwo|drei|vier|fünf|sechs|sieben|acht|neun|und)"
)
GERMAN: Final = partial(
    vocabulary,
    words=rf"(?!und\b)(?:{_GERMAN_STEM})+(?:s?te[rnsm]?)?|eine[nmrs]?|(?:erste|zweite|dritte|siebte|achte)[rnsm]?"
    r"|(?:siebente)[rnsm]?|null",
    joints="Komma",
    phrases={
        r"anderthalb(?P<unit>)\b": "1.5",
        r"zweieinhalb\b": "2.5",
        r"dreieinhalb\b": "3.5",
        r"viereinhalb\b": "4.5",
        r"fünfeinhalb\b": "5.5",
        r"eineinhalb\b": "1.5",
        r"sechseinhalb\b": "6.5",
        r"siebeneinhalb\b": "7.5",
        r"achteinhalb\b": "8.5",
        r"(?P<number>(?:ein(?:e[nmrs]?)? )?halbe[nmrs]?|(?:ein )?halb)(?P<unit>)(?= (?:Stunde|Jahr|Tag|Monat"
        r"|Million|Milliarde"
        r"|Kilometer|Meter|Liter|Pfund|Jahrhundert|Dutzend|Kilo)\w*)": "0.5",
        r"(?:die |der )Hälfte\b": "0.5",
        r"(?:ein|das) halbes Dutzend\b": "6",
        r"(?:ein )?Dutzend\b": "12",
        r"zweimal\b": "2",
        r"dreimal\b": "3",
        r"viermal\b": "4",
        r"fünfmal\b": "5",
        r"(?P<number>eine[rn]?)(?= (?:Million|Milliarde|Billion|Billiarde)\b)": "1",
    },
    numerators={
        "ein": 1,
        "einem": 1,
        "einen": 1,
        "eines": 1,
        "zwei": 2,
        "drei": 3,
        "vier": 4,
        "fünf": 5,
        "sechs": 6,
        "sieben": 7,
        "acht": 8,
        "neun": 9,
    },
    denominators={
        "Drittel[ns]?": 3,
        "Viertel[ns]?": 4,
        "Fünftel[ns]?": 5,
        "Sechstel[ns]?": 6,
        "Siebtel[ns]?": 7,
        "Achtel[ns]?": 8,
        "Neuntel[ns]?": 9,
        "Zehntel[ns]?": 10,
        "Hundertstel[ns]?": 100,
    },
    fraction=(
        r"(?P<above>ein(?:em|en|es)?|zwei|drei|vier|fünf|sechs|sieben|acht|neun) "
        r"(?P<below>(?:Drittel|Viertel|Fünftel|Sechstel|Siebtel|Achtel|Neuntel|Zehntel|Hundertstel)[ns]?)\b"
    ),
    magnitudes={"hundert": 100, "tausend": 1000},
    article=r"",
    alone=NEVER,
    one=r"eins?|eine[nmrs]?|null",
    no_ordinal=r"achte\b(?!n)",
    before_no_ordinal=r"\b(?:fürs|am|zum) (?=achten)$",
)
