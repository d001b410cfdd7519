"""Sentences that claim nothing about the world, in German. Data only; see `claim_phrases`."""

from typing import Final

from ragcortex.geometry.claim_phrases import ClaimPhrases

GERMAN: Final = ClaimPhrases(
    lead=(
        r"leider|(?:es )?tut mir leid(?:,? aber)?|entschuldigung|entschuldigen sie|sorry|gerne?|natürlich"
        r"|selbstverständlich|ja|nein|klar"
        r"|(?:hallo|guten tag)|(?:basierend auf|auf (?:der )?(?:grundlage|basis)(?: von)?|laut|gemäß|nach"
        r"|anhand) {source}|bitte"
        r"|in diesem fall|momentan|derzeit|danke|vielen dank|allerdings|ok|okay"
    ),
    source=(
        r"(?:(?:der|die|das|den|dem|diese[nrms]?|des|im|ihrem|ihren) )?(?:(?:bereitgestellten?|gegebenen?"
        r"|vorliegenden?|verfügbaren?"
        r"|angegebenen?|obigen?|vorhandenen?|genannten?|zur verfügung gestellten?) ){0,2}(?:texte?n?|textes"
        r"|passagen?|dokumente?n?"
        r"|kontext(?:es)?|quellen?|informationen|abschnitte?n?|auszüge?n?|artikeln?|unterlagen|textstellen"
        r"|referenzen|wissensdatenbank)"
    ),
    given="",
    yours="",
    refusal=(
        r"(?:das |dies )?weiß ich (?:leider )?nicht|ich weiß (?:es )?(?:leider )?nicht(?:,? {topic})?",
        r"(?:dazu|darüber|hierzu) (?:habe ich|haben wir|liegen mir|liegen uns|gibt es|finde ich|enthalten {source}"
        r"|enthält {source})"
        r" (?:leider )?keine (?:\w+ )?(?:informationen|angaben?|auskunft|daten)(?: vor)?(?: {topic})?",
        r"(?:ich|wir) (?:habe|haben|finde|finden) (?:leider )?keine (?:\w+ )?(?:informationen|angaben?|antwort"
        r"|daten|hinweise?)"
        r"(?: {topic})?",
        r"(?:ich|wir) (?:kann|können|konnte|konnten) (?:{topic} )?nicht (?:beantworten|sagen|bestimmen|finden"
        r"|feststellen"
        r"|beurteilen|helfen|weiterhelfen|bestätigen)",
        r"(?:diese|die|ihre) frage (?:kann|lässt sich) (?:ich |leider )*(?:{topic} )?nicht (?:beantworten"
        r"|beantwortet werden)",
        r"das kann ich (?:leider )?(?:{topic} )?nicht (?:beantworten|sagen|beurteilen|bestätigen)",
        r"kann ich (?:leider )?(?:{topic} )?nicht (?:beantworten|sagen|beurteilen|bestätigen)",
        r"{source} (?:enthalten|enthält|erwähnen|erwähnt|nennen|nennt|geben|gibt|machen|macht|liefern|liefert"
        r"|bieten|bietet)"
        r" (?:leider |hierzu |dazu )*(?:kein(?:e|en)? (?:\w+ )?(?:informationen|angaben?|auskunft|hinweise?"
        r"|antwort|daten)|nicht)(?:,? {topic})?",
        r"{source} (?:erwähnen|erwähnt|nennen|nennt) {topic} nicht",
        r"{topic} (?:wird|werden|ist|sind) (?:in|im|von) {source} nicht (?:erwähnt|genannt|angegeben|beschrieben"
        r"|enthalten|behandelt)",
        r"in {source} (?:wird|werden|ist|sind|steht|gibt es|finden sich"
        r"|findet sich) (?:{topic} )?(?:nicht(?:s)?(?: (?:erwähnt|genannt"
        r"|angegeben|enthalten|beschrieben))?|keine (?:\w+ )?(?:informationen|angaben?|hinweise?))(?: {topic})?",
        r"(?:es gibt|es liegen) (?:leider |hierzu |dazu |in {source} )+keine (?:\w+ )?(?:informationen|angaben?"
        r"|hinweise?)(?: vor)?"
        r"(?: {object})?|keine (?:angaben?|informationen?|antwort)(?: möglich)?(?: {object})?",
    ),
    greeting=(
        r"(?:hallo|hi|guten (?:tag|morgen|abend)|grüß gott|moin|willkommen|herzlich willkommen"
        r"|servus)(?: (?:zusammen|{name}))?"
        r"|sehr geehrte (?:damen und herren|{name})",
        r"wie (?:kann|darf) ich (?:ihnen|dir)(?: heute)?(?: weiter)? ?helfen|was kann ich für (?:sie|dich) tun",
        r"(?:vielen )?dank für (?:ihre|deine|die) (?:nachricht|anfrage|frage)|(?:das ist eine )?gute frage",
        r"gerne?(?: helfe ich ihnen(?: weiter| dabei)?)?|ich helfe (?:ihnen|dir) gerne?(?: weiter| dabei)?"
        r"|natürlich|selbstverständlich"
        r"|klar|kein problem|ok|okay|verstanden|alles klar",
    ),
    closing=(
        r"ich hoffe,? (?:das|dies|ich) {topic}|(?:bitte )?(?:melden sie sich|lassen sie (?:es )?(?:mich"
        r"|uns) wissen|sagen sie (?:mir )?bescheid"
        r"|zögern sie nicht|sprechen sie uns an)(?: (?:gerne?|jederzeit|einfach|bitte))*(?:,? {topic})?",
        r"(?:bei|für) (?:weiteren |weitere |anderen )?(?:fragen|rückfragen)(?: {topic})?"
        r"|wenn sie (?:noch )?(?:weitere )?(?:fragen|hilfe)"
        r" {topic}|falls sie (?:noch )?(?:weitere )?(?:fragen|hilfe) {topic}",
        r"(?:ich wünsche (?:ihnen|dir) )?(?:einen|ein|noch einen) (?:schönen|guten|angenehmen|schönes) (?:tag"
        r"|abend|wochenende|aufenthalt)(?: noch)?",
        r"(?:mit )?(?:freundlichen|besten|herzlichen|freundliche|beste|viele|liebe|herzliche) grüßen?"
        r"|auf wiedersehen|tschüss|bis bald",
        r"(?:vielen |herzlichen )?dank(?: für {topic})?|danke(?: schön)?(?: für {topic})?|gern geschehen"
        r"|viel (?:erfolg|spaß|glück)"
        r"|(?:kann ich )?(?:ihnen )?(?:sonst )?noch (?:etwas|mit etwas) {topic}",
    ),
    action=(
        r"(?:ich|wir) (?:habe|haben) (?:\w+ ){0,2}?(?:ihre[nrm]?|ihr|ihnen|deine[nrm]?|dein|dir|(?:ein|das) ticket"
        r"|einen rückruf)(?: {object})?"
        r" ?(?:weitergeleitet|erstellt|aktualisiert|gesendet|geschickt|geöffnet|angelegt|eskaliert|informiert"
        r"|benachrichtigt|vermerkt"
        r"|notiert|storniert|geändert|zurückgesetzt|gebucht|reserviert|übermittelt|weitergegeben|eingetragen"
        r"|geschlossen|erfasst|verbunden)",
        r"(?:ihre|die|deine) (?:anfrage|nachricht|beschwerde|frage|bitte|meldung) wurde (?:\w+ )?{object}"
        r" ?(?:weitergeleitet|erfasst|übermittelt|registriert|aktualisiert|weitergegeben|eskaliert)",
        r"(?:ein|ihr|das) ticket wurde (?:{object} )?(?:erstellt|angelegt|eröffnet|aktualisiert|geschlossen)",
        r"ich (?:leite|gebe|verbinde|sende|schicke) (?:sie|ihre|ihnen|das|den|die|es) {object}"
        r"|einen moment(?: bitte)?",
    ),
    meta=(
        r"hier (?:ist|sind|finden sie|folgt|folgen) {heading}(?: {object})?|(?:im folgenden|nachfolgend"
        r"|unten) (?:ist|sind|finden sie)"
        r" {heading}(?: {object})?",
        r"zusammenfassend|zusammengefasst|kurz gesagt|insgesamt|zum beispiel|beispielsweise|außerdem"
        r"|darüber hinaus|hinweis|antwort|fazit"
        r"|(?:basierend auf|laut|gemäß|auf (?:der )?grundlage) {source}|bitte beachten(?: sie)?",
        r"(?:bitte )?(?:folgen sie|befolgen sie|führen sie) (?:diesen?|den folgenden|die folgenden"
        r"|folgende) (?:schritten?|anweisungen)(?: aus)?",
        r"gehen sie (?:dazu |dafür )?(?:wie folgt|folgendermaßen) vor",
    ),
    question=(
        r"(?:und |aber |oder )?(?:wer|wen|wem|was|wann|wo|woher|wohin|warum|wieso|welche[rsmn]?|wie|womit|wozu"
        r"|um welche[sn]?|ist|sind|war|waren"
        r"|haben|hat|habt|kann|können|könnten|darf|dürfen|dürfte|möchten|möchtest|wollen|soll|sollen|gibt|brauchen"
        r"|benötigen|hätten|würden"
        r"|suchen|meinen|kennen|wissen|geht|handelt|soll|in welche[mr]|für welche[ns]?|bei welche[mr]|sonst noch)\b"
    ),
    rhetorical=(
        r"(?:wissen|wussten|wusstest) (?:sie|du)(?: schon)?,? dass|, (?:oder|richtig|nicht wahr|ja|gell|stimmt's)$"
        r"|oder nicht$"
        r"|, (?:der|die|das) (?:\w+ )*(?:ist|sind|war|hat)$"
    ),
    heading=(
        r"zusammenfassung|überblick|übersicht|einleitung|einführung|hintergrund|fazit|schlussfolgerung"
        r"|(?:\w+)?schritte?|zutaten|anleitung"
        r"|anweisungen|antworten?|hinweise?|details|informationen|quellen?|beispiele?|vorteile|nachteile"
        r"|voraussetzungen|tipps|geschichte"
        r"|preise|öffnungszeiten|versand|rückgabe|garantie|kontakt|fragen|ergebnisse?|erklärung|rezept|liste"
        r"|punkte|wichtigste[nr]?"
        r"|wichtige|kurze|weitere|allgemeine|möglichen?|folgende[nr]?|symptome|ursachen|behandlung|fakten|optionen"
        r"|möglichkeiten|zubereitung"
    ),
    linking=r"ein|eine|einen|der|die|das|des|dem|den|von|vom|zu|zum|zur|und|oder|für|ihre|im|in",
    turn=(
        r"aber|jedoch|allerdings|obwohl|während|sondern|dennoch|nur|stattdessen|außer|weil|denn|da|doch|deshalb"
        r"|daher|sofern|lediglich"
    ),
    joint=r",| und | – | — | - ",
    finite=(
        r"ist|sind|war|waren|wird|werden|wurde|wurden|hat|hatte|kann|können|muss|müssen|darf|dürfen|kostet|kosten"
        r"|dauert|beträgt|liegt"
        r"|steht|öffnet|schließt|beginnt|endet|gilt|innerhalb"
    ),
)
