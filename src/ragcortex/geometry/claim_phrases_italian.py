"""Sentences that claim nothing about the world, in Italian, the common ones. Data only; see `claim_phrases`."""

from typing import Final

from ragcortex.geometry.claim_phrases import ClaimPhrases

_NEWS: Final = r"(?:\w+ ){0,2}?(?:informazion[ei]|rispost[ae]|dettagli|menzione|indicazion[ei])"
_TELL: Final = (
    r"(?:menziona(?:no)?|specifica(?:no)?|indica(?:no)?|dice|dicono|spiega(?:no)?|descriv(?:e|ono)|precisa(?:no)?"
    r"|rispond(?:e|ono)|parla(?:no)?)"
)
_TOLD: Final = r"(?:menzionat|indicat|specificat|descritt|riportat|precisat|inclus)[oaie]"

ITALIAN: Final = ClaimPhrases(
    lead=(
        r"purtroppo|mi dispiace(?:,? ma)?|mi scuso(?:,? ma)?|scusi|certo|certamente|sì|no|salve|buongiorno|ciao|grazie"
        r"|(?:in base a|secondo|sulla base d[ei]|stando a) ?{source}|al momento"
    ),
    source=(
        r"(?:(?:il|lo|la|l'|i|gli|le|quest[oaie]|del|dello|della|dei|degli|delle|nel|nei|nella|al|ai) ?)*"
        r"(?:test[oi]|passagg[io]+"
        r"|document[oi]|contesto|font[ei]|riferiment[oi]|articol[oi]|estratt[oi]|manuale|foglio illustrativo"
        r"|informazioni"
        r"|documentazione|pagina)(?: (?:fornit[oaie]|dat[oaie]|disponibil[ei]|sopra|citat[oaie]))*"
    ),
    given="",
    yours=r"(?:la (?:sua|tua)|il (?:suo|tuo)|le|ti)\b|(?:un|il) (?:ticket|caso|messaggio)",
    refusal=(
        r"non (?:lo )?so(?: {topic})?|non (?:ne )?sono sicur[oa](?: {topic})?|non ne ho idea",
        rf"non (?:ho|dispongo di|trovo|ho trovato|vedo) {_NEWS}(?: {{topic}})?|non ho accesso (?:a|ai|alle?|al) "
        r"{topic}",
        r"non (?:posso|sono in grado di|riesco a) (?:rispondere|dire|dirlo|trovare|determinare|confermare"
        r"|aiutar\w+)(?: {topic})?",
        rf"{{source}} non (?:(?:lo|mi|ne|ci) )*{_TELL}(?:,? {{topic}})?|{{source}} non dic(?:e|ono) nulla(?: "
        r"{topic})?",
        rf"{{source}} non (?:contien[ei]|contengono|fornisc(?:e|ono)|include|includono|offr(?:e|ono)) {_NEWS}(?: "
        r"{topic})?",
        rf"nessun[oa]? (?:dei|delle|di) ?{{source}} {_TELL}(?:,? {{topic}})?",
        rf"{{object}} non (?:è|sono|viene|vengono) {_TOLD} (?:in |da )?{{source}}",
        rf"non (?:è|viene) {_TOLD}(?: (?:in )?{{source}})?,? (?:se|quando|come|chi|quant[oaie]|dove) {{topic}}",
        rf"non (?:ci sono|c'è) {_NEWS} (?:su|sul|sulla|sui|sulle|sullo|riguardo|circa) ?{{object}} (?:in )?{{source}}",
    ),
    greeting=(
        r"(?:ciao|salve|buongiorno|buonasera|benvenut[oaie])(?: {name})?|come posso (?:aiutar(?:la|ti|vi)"
        r"|essere utile)(?: oggi)?",
        r"grazie (?:per|di) (?:aver(?:ci|mi) contattato|il (?:suo|tuo) messaggio|la (?:sua|tua) domanda)|certo"
        r"|certamente|va bene",
    ),
    closing=(
        r"non esit(?:i|are|ate) a {topic}|spero che (?:questo|ciò|queste informazioni) {topic}|(?:mi )?facci?a?"
        r"(?:mi)? sapere(?: {topic})?",
        r"(?:le auguro )?(?:una )?buon[ao]?(?: \w+)? ?(?:giornata|serata)|(?:cordiali|distinti) saluti|arrivederci"
        r"|a presto",
        r"(?:molte |tante )?grazie(?: mille)?(?: per {topic})?|prego",
    ),
    action=(
        r"ho (?:già |appena )?(?:inoltrato|inviato|creato|aggiornato|aperto|registrato|trasferito|annullato) (?:"
        r"{yours})(?: {object})?",
        r"la (?:sua|tua) (?:richiesta|domanda|segnalazione) è stata (?:inoltrata|inviata|registrata|trasferita)"
        r"(?: {object})?",
    ),
    meta=(
        r"ecco {heading}(?: {object})?|in sintesi|in conclusione|per esempio|ad esempio|riassumendo|(?:in base a"
        r"|secondo) ?{source}",
        r"(?:vedi|si veda|cfr|cf)(?: anche)?(?: (?:{source}|(?:fonte|documento|pagina) \d{1,3}))?",
    ),
    question=(
        r"(?:e |o |ma )?(?:chi|che|cosa|quando|dove|come|perché|qual[ei]?|quant[oaie]|può|puoi|potrebbe|vuole|vuoi"
        r"|desidera"
        r"|ha|hai|è|sono|in quale|a quale|di quale|posso)\b"
    ),
    rhetorical=r"s(?:a|ai|apev[ai]) che|, (?:vero|no|giusto)$",
    heading=(
        r"riassunto|sintesi|panoramica|introduzione|conclusion[ei]|punt[io]|passagg[io]+|ingredienti|istruzioni"
        r"|rispost[ae]|note?"
        r"|dettagli|informazioni|font[ei]|esemp[io]+|vantaggi|svantaggi|breve|principali"
    ),
    linking=r"un[oa]?|il|lo|la|i|gli|le|di|del|della|dei|delle|e|o|per|su",
    turn=(
        r"ma|però|tuttavia|sebbene|anche se|mentre|solo|soltanto|solamente|tranne|eccetto|perché|poiché|quindi|bensì"
        r"|eppure"
    ),
    joint=r",| e | ed | – | — | - ",
    finite=r"è|sono|era|erano|fu|ha|hanno|può|possono|deve|costa|costano|dura|misura|apre|chiude|cui|sarà",
    denial=r"\b(?:non|nessun[oa]?)\b",
    further=r"lui|lei|essa|esso|loro|noi|tutto|fa|fanno|va|viene|vinse|resta|pesa|arriva|serve|contiene|che|c'è|prenda",
    indirect=r"(?:,(?: e| o)?| e| o| né) (?:se|come|quando|quant[oaie]|chi|dove)\b",
    relative=r"(?<=\w) (?<!\bdice )che (?:è|sono|fu|era|misura|ha|costa)\b",
)
