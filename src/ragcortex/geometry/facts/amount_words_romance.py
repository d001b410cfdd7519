"""The number words of French and Spanish."""

from functools import partial
from typing import Final

from ragcortex.geometry.facts.amount_vocabulary import NEVER, vocabulary

FRENCH: Final = partial(
    vocabulary,
    words=r"(?:quatre-)?vingts?(?:-\p{L}+)*|(?:vingt|trente|quarante|cinquante|soixante|septante|huitante"
    r"|octante|nonante|dix)"
    r"(?:-\p{L}+)*|cents?|mille|deux|trois|quatre|cinq|six|sept|huit|neuf|onze|douze|treize|quatorze|quinze"
    r"|seize|une?|zéro"
    r"|premi(?:er|ère)s?|(?:deux|trois|quatr|cinqu|six|sept|huit|neuv|dix|onz|douz|treiz|quatorz|quinz|seiz|vingt|trent"
    r"|quarant|cinquant|soixant|cent|mill)ième",
    joints="et|virgule",
    phrases={
        r"(?P<number>(?:une? )?demi[es]?)(?P<unit>)(?=[ -](?:heure|journée|année|siècle|million|milliard|litre"
        r"|kilo|mètre|douzaine)\w*)": "0.5",
        r"(?P<number>la moitié)(?= (?:des?|du)\b| d['’])": "0.5",
        r"(?<=\b(?<!à )(?:la|le|au|du|sa|son) )seconde?(?P<rank>)\b": "2",
        r"une demi-douzaine\b": "6",
        r"une douzaine\b": "12",
        r"une dizaine\b": "10",
        r"une quinzaine\b": "15",
        r"une vingtaine\b": "20",
        r"une trentaine\b": "30",
        r"une quarantaine\b": "40",
        r"une cinquantaine\b": "50",
        r"une soixantaine\b": "60",
        r"une centaine\b": "100",
        r"un millier\b": "1000",
        r"(?P<number>une?)(?= (?:million|milliard|billion)\b)": "1",
    },
    numerators={
        "un": 1,
        "une": 1,
        "le": 1,
        "deux": 2,
        "trois": 3,
        "quatre": 4,
        "cinq": 5,
        "six": 6,
        "sept": 7,
        "huit": 8,
        "neuf": 9,
    },
    denominators={
        "tiers": 3,
        "quarts?": 4,
        "cinquièmes?": 5,
        "sixièmes?": 6,
        "septièmes?": 7,
        "huitièmes?": 8,
        "neuvièmes?": 9,
        "dixièmes?": 10,
        "centièmes?": 100,
    },
    fraction=(
        r"(?P<above>une?|deux|trois|quatre|cinq|six|sept|huit|neuf) "
        r"(?P<below>tiers|quarts?|cinquièmes?|sixièmes?|septièmes?|huitièmes?|neuvièmes?|dixièmes?"
        r"|centièmes?)\b(?! d['’]heure)"
        r"|(?P<above>le) (?P<below>tiers|quart)\b(?= (?:des?|du)\b| d['’])"
    ),
    magnitudes={"cent": 100, "cents": 100, "mille": 1000},
    article=r"",
    alone=NEVER,
    one=r"une?|zéro",
    # «Neuf» after a noun means new.
    no_number=r"neuf\b(?![ -](?!(?:et|ou|de|à|pour|qui|est|avec|dans|en|sur|au|aux|mais)\b)\p{L})",
    no_ordinal=NEVER,
    before_no_ordinal=r"\b(?:en|une fraction|un|une) $",
    after_no_ordinal=r" lieu\b",
)

SPANISH: Final = partial(
    vocabulary,
    words=r"(?:dieci|veinti)\p{L}+|uno|una?|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce|trece"
    r"|catorce|quince"
    r"|veinte|treinta|cuarenta|cincuenta|sesenta|setenta|ochenta|noventa|cien(?:to)?|(?:dos|tres|cuatro|seis"
    r"|sete|ocho|nove)"
    r"cient[oa]s|quinient[oa]s|mil|cero|primer[oa]?s?|tercer[oa]?s?|cuart[oa]|quint[oa]|sext[oa]|séptim[oa]"
    r"|octav[oa]|noven[oa]"
    r"|décim[oa]|vigésim[oa]|centésim[oa]",
    joints="y|coma|punto",
    phrases={
        r"(?P<number>medi[oa])(?P<unit>)(?= (?:hora|día|año|siglo|millón|kilo|litro|docena|metro|mes)\w*)": "0.5",
        r"(?P<number>la mitad)(?= (?:de|del)\b)": "0.5",
        r"(?<=\b(?:el|la|su|del|al|los|las) )segund[oa](?P<rank>)\b": "2",
        r"(?:una )?media docena\b": "6",
        r"una docena\b": "12",
        r"una decena\b": "10",
        r"una veintena\b": "20",
        r"un centenar\b": "100",
        r"un millar\b": "1000",
        r"(?P<number>un)(?= (?:millón|billón)\b)": "1",
    },
    numerators={
        "un": 1,
        "una": 1,
        "dos": 2,
        "tres": 3,
        "cuatro": 4,
        "cinco": 5,
        "seis": 6,
        "siete": 7,
        "ocho": 8,
        "nueve": 9,
    },
    denominators={
        "terc.*": 3,
        "cuart.*": 4,
        "quint.*": 5,
        "sext.*": 6,
        "séptim.*": 7,
        "octav.*": 8,
        "noven.*": 9,
        "décim.*": 10,
        "centésim.*": 100,
    },
    fraction=(
        r"(?P<above>dos|tres|cuatro|cinco|seis|siete|ocho|nueve) "
        r"(?P<below>(?:tercios|cuartos|quintos|sextos|séptimos|octavos|novenos|décimos)"
        r"|(?:terceras|cuartas|quintas|décimas|centésimas) partes)\b"
        r"|(?P<above>una?) (?P<below>tercio|cuarto(?= de)|quinto(?= de)|décimo(?= de)"
        r"|(?:tercera|cuarta|quinta|décima|centésima) parte)\b(?! de (?:hora|baño|estar))"
    ),
    magnitudes={"mil": 1000, "cien": 100},
    article=r"",
    alone=NEVER,
    one=r"un[oa]?|cero",
    no_number=r"miles\b",
    no_ordinal=r"(?:cuart|quint|octav|décim)[oa]s\b",
    before_no_ordinal=r"\b(?:un|una|el de|por|al|en) $",
    after_no_ordinal=r"(?<=(?:^|[.!?:;¿¡] ?)(?:Primero|Segundo|Tercero)), | que\b| de (?:todo|baño|estar)\b",
)
