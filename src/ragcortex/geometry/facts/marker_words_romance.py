"""The words that negate, quantify, condition, explain or hedge in French and Spanish. Data only; see `marker_words`."""

from typing import Final

from ragcortex.geometry.facts.marker_words import PUNCTUATION, LanguageMarkers, comma

FRENCH: Final = LanguageMarkers(
    rows=(
        (
            "",
            "",
            r"(?:pas|non) (?:seulement|uniquement|plus (?:de|que|tard)|moins (?:de|que))|non plus"
            r"|n'importe(?! quel)",
        ),
        (
            "",
            "",
            r"pas (?:que|qu')|pas mal d[e']|pas à pas|sans (?:aucun )?doute|sans cesse|même si|comme si"
            r"|si bien que",
        ),
        (
            "",
            "",
            r"tout (?:de suite|à fait|en|d'abord|près|simplement|au plus|au moins)|en tout cas|du tout"
            r"|avant tout",
        ),
        ("", "", r"après tout|malgré tout|une? seule?(?! fois)|rien que|sous toutes réserves|cependant"),
        ("condition:unless", "after", r"sauf si|à moins (?:que|qu'|d'|de)"),
        ("condition:only_if", "after", r"(?:seulement|uniquement) (?:si|avec|après|en cas)|que si|qu'en cas d"),
        ("quantifier:only", "needs_ne_after", r"que|qu(?=['’])"),
        ("negation:not", "ne", r"(?<!\bun )(?<!\bau )(?<!\ble )(?<!\bles )(?<!\bdes )(?<!\bde )pas"),
        ("negation:not", "ne", r"jamais|aucune?|ni"),
        ("negation:not", "needs_ne", r"plus|rien|personne|guère|point|nulle part"),
        ("negation:not", "after", r"sans|non(?=[ -]\w)(?!,)"),
        (
            "condition:except",
            "after",
            r"sauf|excepté|hormis|hors(?= (?:taxes|jours|week|vacances|frais))"
            r"|à l'exception d[ue']?",
        ),
        (
            "condition:if",
            "after",
            r"si(?! (?:grande?|petite?|peu|bien|vite)\b)|s'(?=ils?\b)|pourvu qu[e']"
            r"|à condition (?:que|qu'|de|d')",
        ),
        ("condition:if", "after", r"tant qu[e']|en cas d[e']|dans le cas où"),
        ("condition:until", "after", r"jusqu'à ce qu[e']|jusqu'(?:au|à la|à la fin|à l'|à nouvel)(?! \d)"),
        ("condition:when", "after", r"dès qu[e']|une fois qu[e']|(?:lorsque|quand)(?= vous\b)"),
        ("quantifier:any", "phrase", r"n'importe quel(?:le)?s?"),
        ("quantifier:both", "phrase", r"tou(?:te)?s (?:les )?deux|les deux|à la fois"),
        (
            "quantifier:most",
            "phrase",
            r"presque tou(?:te)?s|la plupart|la majorité|principalement|essentiellement"
            r"|majoritairement",
        ),
        ("quantifier:all", "self", r"quotidiennement|partout|mensuellement|annuellement"),
        ("quantifier:all", "phrase", r"tou(?:s|te?s?)|chaque|chacune?|toujours|l'ensemble d[eu']"),
        (
            "quantifier:some",
            "phrase",
            r"quelques|certaine?s|plusieurs|de nombreu(?:x|ses)|parfois|beaucoup d[e']"
            r"|un peu d[e']",
        ),
        ("quantifier:some", "phrase", r"partiellement|en partie"),
        ("quantifier:few", "phrase", r"(?<!un )peu d[e']|rarement|à peine"),
        ("quantifier:only", "phrase", r"seule?s?|seulement|uniquement|exclusivement"),
        (
            "cause:cause",
            "after",
            r"parce qu[e']|à cause d[e']|à cause du|en raison d[e']|en raison du|grâce (?:à"
            r"|aux?)|du fait",
        ),
        (
            "cause:cause",
            "after",
            r"(?<=, )car|car(?= (?:il|elle|on|nous|vous|ils|elles|le|la|les|ce|cette)\b)"
            r"|puisqu[e']|donc",
        ),
        (
            "cause:cause",
            "after",
            r"c'est pourquoi|par conséquent|pour qu[e']|afin qu[e']|de sorte qu[e']"
            r"|condui(?:t|sent) à",
        ),
        ("cause:cause", "after", r"entraîn(?:e|ent|é|ée|ant)|provoqu(?:e|ent|é|ée|ant)|caus(?:e|ent|é|ée|ant)"),
        ("modal:may", "after", r"peut-être|probablement|pourr(?:ait|aient|iez|ions|ais)"),
        ("modal:can", "after", r"peut|peuvent|pouvez|pouvons|peux"),
        (
            "modal:must",
            "after",
            r"doit|doivent|devez|devons|dois|il faut|faut-il|obligatoires?|(?:est"
            r"|sont) (?:tenu|obligé)e?s?",
        ),
        ("modal:should", "after", r"devr(?:ait|aient|iez|ions|ais)"),
        (
            "modal:usually",
            "after",
            r"généralement|habituellement|normalement|d'habitude|souvent|en général"
            r"|typiquement",
        ),
    ),
    boundary=(
        PUNCTUATION + "|" + comma("ou|ni") + r"|\b(?:mais|parce que|car|bien que|tandis que|alors que|si|sauf|lorsque"
        r"|quand|qui|dont|cependant|toutefois"
        r"|et(?=\s(?:je|nous|vous|ils?|elles?|on|le|la|les|un|une|est|sont|a|ont|peut|doit|ne)\b))\b"
    ),
    phrase_end=(
        r"\b(?:est|sont|était|étaient|sera|seront|a|ont|peut|peuvent|doit|doivent|qui|que|si|mais|ne|n(?=['’])|pas"
        r"|pour)\b"
    ),
    spaced=True,
)

SPANISH: Final = LanguageMarkers(
    rows=(
        (
            "",
            "",
            r"no (?:s[oó]lo|solamente|únicamente|obstante|(?:más|menos) (?:de|que|tarde))|sin (?:duda|embargo"
            r"|falta)",
        ),
        (
            "",
            "",
            r"nada más|sobre todo|del todo|ante todo|si bien|incluso si|como si|aun si|una? sol[oa]|o no"
            r"|por qué no",
        ),
        ("condition:unless", "after", r"a menos que|salvo (?:que|si)|excepto si|a no ser que"),
        ("condition:only_if", "after", r"(?:s[oó]lo|solamente|únicamente) (?:si|cuando|con|después|en caso)"),
        (
            "condition:if",
            "after",
            r"siempre (?:que|y cuando)|con la condición de|a condición de|en (?:el )?caso de"
            r"|si",
        ),
        ("negation:not", "after", r"no(?! \d)|sin"),
        ("negation:not", "concord", r"ya no|nunca|jamás|ning[uú]n[oa]?s?|tampoco|nadie|nada|ni"),
        ("condition:except", "after", r"excepto|salvo|con (?:la )?excepción de|a excepción de|aparte de|excluyendo"),
        ("condition:until", "after", r"hasta(?= (?:que|nuevo|agotar|fin|finales|completar)\b)"),
        ("condition:when", "after", r"una vez que|en cuanto|cuando(?= (?:usted|el cliente|esté|sea|haya)\b)"),
        ("quantifier:most", "phrase", r"casi tod[oa]s?|la mayoría|mayoritariamente|principalmente"),
        ("quantifier:all", "self", r"diariamente|a diario|mensualmente|anualmente|semanalmente"),
        ("quantifier:all", "phrase", r"tod[oa]s?|cada|siempre"),
        ("quantifier:both", "phrase", r"amb[oa]s|los dos|las dos(?! de la)"),
        (
            "quantifier:some",
            "phrase",
            r"alg[uú]n|algun[oa]s?|vari[oa]s|much[oa]s|ciert[oa]s|numeros[oa]s|a veces"
            r"|parcialmente",
        ),
        ("quantifier:some", "phrase", r"un poco de|en parte"),
        ("quantifier:few", "phrase", r"poc[oa]s|rara vez|raramente|apenas"),
        ("quantifier:only", "phrase", r"s[oó]lo|solamente|únicamente|exclusivamente"),
        ("quantifier:any", "phrase", r"cualquiera?"),
        (
            "cause:cause",
            "after",
            r"porque|debido a|a causa de|por culpa de|gracias a|ya que|puesto que|dado que"
            r"|así que",
        ),
        (
            "cause:cause",
            "after",
            r"por (?:lo )?tanto|por (?:eso|ello)|para que|de modo que|como resultado"
            r"|en consecuencia",
        ),
        ("cause:cause", "after", r"caus(?:a|an|ó|aron|ado)|provoc(?:a|an|ó|aron)|conduc(?:e|en) a|ocasion(?:a|an|ó)"),
        ("modal:may", "after", r"podría[ns]?|quizás?|tal vez|posiblemente|probablemente|a lo mejor"),
        ("modal:can", "after", r"puede[ns]?|podemos|podrá[ns]?"),
        (
            "modal:must",
            "after",
            r"deben?|debes|debemos|deberá[ns]?|tiene[ns]? que|hay que|es (?:obligatori[oa]"
            r"|necesario)",
        ),
        ("modal:must", "after", r"son obligatori[oa]s|está[ns]? obligad[oa]s?"),
        ("modal:should", "after", r"debería[ns]?|conviene"),
        (
            "modal:usually",
            "after",
            r"normalmente|generalmente|por lo general|suelen?|habitualmente|a menudo"
            r"|frecuentemente",
        ),
        ("modal:usually", "after", r"con frecuencia|típicamente"),
    ),
    boundary=(
        PUNCTUATION + "|" + comma("o|ni") + r"|\b(?:pero|sino|porque|aunque|mientras|si|salvo|excepto|cuando"
        r"|y(?=\s(?:yo|usted|ustedes|él|ella|ellos|ellas|el|la|los|las|un|una|es|son|está|están|se|puede|debe"
        r"|no)\b))\b"
    ),
    phrase_end=(
        r"\b(?:es|son|era|eran|fue|fueron|está|están|será|serán|ha|han|tiene|tienen|puede|pueden|debe|deben|que|si"
        r"|pero"
        r"|no|se|para)\b"
    ),
    spaced=True,
)
