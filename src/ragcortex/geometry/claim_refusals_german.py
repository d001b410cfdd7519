"""How a refusal is put in German, built from its parts: who, does not, say, what. Data only; see `claim_phrases`."""

from typing import Final

SOURCE: Final = (
    r"(?:(?:der|die|das|den|dem|diese[nrms]?|des|im|am|zum|ihre[mn]?|meine[nm]?|mir) )?(?:(?:bereitgestellten?"
    r"|gegebenen?"
    r"|bereitgestellte[smr]|vorliegende[nsmr]?|verfügbare[nr]?|angegebenen?|obige[nr]?|vorhandene[nr]?|genannten?"
    r"|zur verfügung gestellte[nsr]?|mitgelieferten?|angehängten?|zitierten?|mir vorliegenden) ){0,2}"
    r"(?:texte?n?|textes|passagen?|dokument(?:e|en|s|es)?|kontext(?:es|s)?|quellen?|informationen|abschnitt(?:e|en|s)?"
    r"|(?:text)?ausz[uü]g(?:e|en|s)?|artikel[ns]?|unterlagen|textstellen|textauszüge[n]?|referenzen"
    r"|wissensdatenbank|materials?"
    r"|materialien|packungsbeilage|handbuch(?:s|es)?|anleitung|bedienungsanleitung|gebrauchsanweisung|broschüre"
    r"|merkblatts?|(?:rückgabe|datenschutz)?richtlinien?|leitfadens?|webseite|website|seiten?|dokumentation|tabelle)"
    r"(?: oben| unten)?"
)
_P: Final = (
    r"(?:(?:leider|bedauerlicherweise|hierzu|dazu|darüber|daher|momentan|derzeit|jedoch|aber|explizit|ausdrücklich"
    r"|genau"
    r"|konkret|eindeutig|auch|direkt|näher|selbst|mir|uns|ihnen|ihnen das|das|es|diese frage|die frage|hier|hier dazu"
    r"|nichts dazu) )*"
)
_NEWS: Final = (
    r"(?:(?:\w+en|\w+e|\w+er) )?(?:informationen|information|angaben?|auskunft|auskünfte|hinweise?|antwort(?:en)?|daten"
    r"|aussagen?|details|erwähnung|erklärung|einzelheiten|erläuterung|anleitung|beschreibung)"
)
_NO: Final = r"(?:kein(?:e|en|erlei)?|nicht genügend|nicht genug|zu wenige?|nicht ausreichend)"
_HOLD: Final = (
    r"(?:enth[aä]lt|enthalten|gib?t|geben|mach(?:t|en)|liefer[tn]|biete[tn]|hat|haben|beinhalte[tn]|umfass(?:t|en))"
)
_TELL: Final = (
    r"(?:erwähn(?:t|en)|nenn(?:t|en)|sag(?:t|en)|beschreib(?:t|en)|erklär(?:t|en)|erläuter[tn]|beantworte[tn]"
    r"|behandel[tn]|verr[aä]t|verraten|präzisier(?:t|en)|spezifizier(?:t|en)|besag(?:t|en)|klär(?:t|en))"
)
_TOLD: Final = (
    r"(?:erwähnt|genannt|angegeben|beschrieben|enthalten|behandelt|gesagt|erklärt|erläutert|beantwortet|aufgeführt"
    r"|angesprochen|thematisiert|zu finden|ausgeführt|abgedeckt|spezifiziert|festgelegt|dargelegt)"
)
_SAY: Final = (
    r"(?:beantworten|sagen|bestimmen|finden|feststellen|beurteilen|helfen|weiterhelfen|bestätigen|nennen|mitteilen"
    r"|ermitteln"
    r"|entnehmen|erkennen|ableiten|herausfinden|klären)"
)
_BY: Final = (
    r"(?:(?:anhand|auf (?:der )?(?:grundlage|basis)(?: von)?|mithilfe|mit|aus|nach|aufgrund|basierend auf|in|im|laut) "
    r"{source} )"
)
_IN: Final = r"(?:in|im|von|aus|laut) {source}"
_ON: Final = r"(?:zu|zum|zur|über|bezüglich|hinsichtlich|für|auf)"
_ASKED: Final = (
    r"(?:ob|wie|wann|wer|wen|wem|was|wo|woher|wohin|warum|weshalb|welche[rsmn]?|in welche[rm]|um wie|wofür|womit)"
)
_I: Final = r"(?:ich|wir)"
_CAN: Final = r"(?:kann|können|konnte|konnten)"

REFUSALS: Final = (
    r"(?:das |dies )?weiß ich (?:leider )?nicht|ich weiß (?:es |das )?(?:leider )?nicht(?:,? {topic})?",
    r"(?:da )?(?:bin ich|ich bin)(?: mir)? (?:da )?(?:leider )?nicht sicher(?:,? {topic})?|keine ahnung",
    # who has no information
    r"(?:dazu|darüber|hierzu|hierüber|darauf|daran) (?:habe ich|haben wir|liegen mir|liegen uns|gibt es|find(?:e"
    r"|en) (?:ich"
    rf"|wir)|findet sich|finden sich|{_HOLD} {{source}}|gibt {{source}}|steht) {_P}(?:{_IN} )?{_P}"
    rf"(?:{_NO} {_NEWS}|nichts)(?: vor)?(?: {_IN})?(?: {{topic}})?",
    rf"(?:dazu|darüber|hierzu|darauf) {_CAN} {_I} {_P}(?:{_BY})?{_P}(?:{_NO} {_NEWS}|nichts|nicht) ?{_SAY}",
    rf"{_I} (?:habe|haben|finde|finden) (?:darauf )?{_P}(?:{_IN} )?{_P}{_NO} {_NEWS}(?: {{topic}})?",
    rf"{_I} (?:habe|haben) {_P}{_NO} zugriff(?: {{topic}})?|(?:habe ich|haben wir) {_P}{_NO} zugriff(?: {{topic}})?",
    rf"(?:habe|finde) ich {_P}(?:{_IN} )?{_P}{_NO} {_NEWS}(?: {{topic}})?",
    rf"(?:mir|uns) liegen {_P}{_NO} {_NEWS}(?: {{object}})? vor|liegen (?:mir|uns) {_P}{_NO} {_NEWS}(?: "
    r"{object})? vor",
    rf"{_I} verfüge(?:n)? {_P}(?:nicht )?über {_P}(?:diese|keine|die nötigen|ausreichende) {_NEWS}(?: {{topic}})?",
    rf"{_I} {_CAN} (?:{{topic}} )?(?:nicht|nichts)(?: \w+)? {_SAY}|{_I} {_CAN} {_P}{_NO} {_NEWS}(?: {{topic}})? {_SAY}",
    rf"{_I} {_CAN} {_P}(?:{{source}} |{_BY}){_P}(?:{_NO} {_NEWS}(?: {{topic}})?|nicht|nichts) {_SAY}",
    rf"{_CAN} {_I} {_P}(?:{_BY})?(?:{{topic}} )?(?:nicht|nichts|{_NO} {_NEWS})(?: \w+)? {_SAY}(?:,? {_ASKED} "
    r"{topic})?",
    rf"das {_CAN} {_I} {_P}(?:{_BY})?{_P}nicht {_SAY}",
    # a question that cannot be answered
    rf"(?:diese|die|ihre|deine) frage (?:kann|lässt sich) (?:ich |leider )*(?:{_BY})?(?:{{topic}} )?nicht "
    r"(?:beantworten"
    r"|beantwortet werden)",
    rf"(?:l[aä]ss(?:t|en) sich|kann) (?:das|dies|diese frage|die frage) {_P}(?:{_BY})?nicht (?:sicher )?(?:{_SAY}"
    r"|(?:beantwortet|gesagt|bestimmt|festgestellt) werden)",
    rf"{{source}} (?:l[aä]ss(?:t|en) sich|ist|sind) {_P}(?:nichts?|{_NO} {_NEWS}) (?:zu )?(?:entnehmen|ableiten)"
    r"(?:,? {topic})?",
    rf"{_BY}(?:lässt sich|lassen sich|kann man|ist) {_P}(?:nichts?|{_NO} {_NEWS}) (?:zu )?{_SAY}(?:,? {{topic}})?",
    # what the sources do not say
    rf"{{source}} {_HOLD} {_P}(?:{_NO} {_NEWS})(?:,? {{topic}})?",
    rf"{{source}} {_TELL} {_P}(?:nichts?|nirgends|{_NO} {_NEWS})(?:,? {{topic}})?|{{source}} {_TELL} {{topic}} nicht",
    rf"{{source}} {_TELL} {_P}kein(?:e|en|er|erlei) {{topic}}",
    rf"{{source}} gib?t {_P}nicht an(?:,? {{topic}})?|{{source}} geben {_P}nicht an(?:,? {{topic}})?",
    rf"{{source}} (?:schweigt|schweigen)(?: sich)? ?{_P}(?:{_ON} {{topic}}|dazu|hierzu|darüber)?(?: aus)?",
    rf"{{source}} (?:reicht|reichen) {_P}nicht aus,? um {{topic}}zu {_SAY}|{{source}} (?:reicht|reichen) (?:dafür"
    rf"|hierfür|für eine antwort) {_P}nicht(?: aus)?",
    rf"(?:{_HOLD}|{_TELL}) {{source}} {_P}(?:{_NO} {_NEWS}|nichts?)(?:,? {{topic}})?",
    r"(?:fehl(?:t|en) )(?:in|im) {source} {topic}|(?:in|im) {source} fehl(?:t|en) {topic}",
    rf"kein(?:e[rs]?)? (?:der|dieser|von den) {{source}} (?:{_TELL}|{_HOLD} {_NEWS})(?:,? {{topic}})?",
    rf"weder {{source}} noch {{source}} {_TELL}(?:,? {{topic}})?",
    # what stands nowhere
    rf"(?!{_ASKED} ){{object}} (?:wird|werden|ist|sind) {_P}{_IN} {_P}nicht(?: \w+)? {_TOLD}",
    rf"(?:{_ASKED} {{topic}}, |das |dies )(?:wird|werden|ist|sind|steht) {_P}{_IN} {_P}(?:nicht|nirgends)(?: {_TOLD})?",
    rf"(?:{_ASKED} {{topic}}, |das |dies )(?:steht|ist) {_P}nicht (?:in|im) {{source}}",
    rf"(?:es )?(?:wird|ist) {_P}(?:{_IN} )?{_P}nicht(?: \w+)? (?:erwähnt|angegeben|genannt|beschrieben|gesagt"
    rf"|spezifiziert)(?:,? {_ASKED} {{topic}})?",
    r"(?:zu |zum |zur |über ){topic} (?:wird|werden|gibt es|finde[nt]? sich|steht|finde ich|liegen|enthalten "
    r"{source}"
    rf"|enthält {{source}}) {_P}{_IN} {_P}(?:nichts|{_NO} {_NEWS})(?: {_TOLD})?",
    rf"(?:zu |zum |zur |über ){{topic}} (?:enthalten|enthält|macht|machen|liefern|liefert) {{source}} {_P}(?:{_NO} "
    rf"{_NEWS})",
    rf"(?:das |dies |es )?geht {_P}(?:das |es )?{_P}aus {{source}} {_P}nicht(?: \w+)? hervor(?:,? {_ASKED} {{topic}})?",
    rf"aus {{source}} geht {_P}nicht(?: \w+)? hervor(?:,? {_ASKED} {{topic}})?|{_ASKED} {{topic}}, geht aus "
    r"{source} nicht"
    r" hervor",
    rf"(?:in|im) {{source}} (?:wird|werden|ist|sind|steht|gibt es|finde[nt] sich|finde ich|wurde|wurden) {_P}(?:"
    r"{topic} )?"
    rf"(?:nichts?(?: {_ON} {{topic}})?(?: {_TOLD})?|{_NO} {_NEWS})(?:,? {{topic}})?",
    r"(?:in|im) {source} ist (?:davon|von {topic}) keine rede|davon ist (?:in|im) {source} keine rede",
    rf"(?:es gibt|es liegen|es finden sich) {_P}{_IN} {_P}{_NO} {_NEWS}(?: vor)?(?: {{object}})?",
    rf"(?:es gibt|es liegen) (?:leider |hierzu |dazu )+{_NO} {_NEWS}(?: vor)?|{_NO} {_NEWS}(?: möglich)?(?: "
    r"{object})?",
    r"um (?:das|dies|diese frage|ihre frage|{object}) zu (?:beantworten|klären|sagen),? (?:benötige|brauche"
    r"|bräuchte) ich "
    r"(?:weitere|mehr) (?:informationen|angaben|details|kontext)",
)
DENIAL: Final = r"\b(?:nicht|nichts|nirgends|kein\w*|weder|fehl\w+|schweig\w+|zu wenige?|weitere|mehr)\b"
FURTHER: Final = (
    r"er|sie|es|wir|man|dort|dies|alles|wurde|gewann|kam|ging|gab|fand|baute|kaufte|starb|erreicht|misst|wiegt|bietet"
    r"|enthält|gehört|befindet|bleibt|kommt|geht|gibt|macht|zeigt|lebt|braucht|sollte|sollten|könnte|habe|haben|nehmen"
    r"|\w+(?:te|ten)"
)
INDIRECT: Final = (
    rf",(?: und| oder)? {_ASKED}\b|,(?: und| oder)? (?:dass|um|wenn|falls|sollten|zum beispiel|etwa|wie etwa)\b| und "
    rf"{_ASKED}\b"
)
RELATIVE: Final = r"\b(?:welche[rs]?) (?:ist|sind|war|waren|wurde|wurden|hat)\b"
