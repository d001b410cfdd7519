"""Sentences that claim nothing about the world, in German. Data only; see `claim_phrases`."""

from typing import Final

from ragcortex.geometry.claim_phrases import ClaimPhrases
from ragcortex.geometry.claim_refusals_german import DENIAL, FURTHER, INDIRECT, REFUSALS, RELATIVE, SOURCE

GERMAN: Final = ClaimPhrases(
    lead=(
        r"bedauerlicherweise|es tut uns leid(?:,? aber)?|ich bedauere?(?:,? aber)?|soweit ich sehe(?:n kann)?"
        r"|leider|(?:es )?tut mir leid(?:,? aber)?|entschuldigung|entschuldigen sie|sorry|gerne?|natürlich"
        r"|selbstverständlich|ja|nein|klar"
        r"|(?:hallo|guten tag)|(?:basierend auf|auf (?:der )?(?:grundlage|basis)(?: von)?|laut|gemäß|nach"
        r"|anhand) {source}|bitte"
        r"|in diesem fall|momentan|derzeit|danke|vielen dank|allerdings|ok|okay"
    ),
    source=SOURCE,
    given="",
    yours="",
    refusal=REFUSALS,
    greeting=(
        r"(?:hallo|hi|guten tag),? schön,? dass (?:sie|du) da (?:sind|bist)|schön,? dass (?:sie|du) da (?:sind"
        r"|bist)|sehr geehrter? {name}|liebe[rs]? (?:kundin|kunde|kunden|{name})(?:,? (?:lieber|liebe|und) ?"
        r"(?:kunde|kundin|kunden))?",
        r"(?:vielen |herzlichen )?dank(?:e)? für (?:ihre|deine|die|ihr|dein|das) (?:nachricht|anfrage|frage"
        r"|kontaktaufnahme|interesse|e-mail|mail|schreiben|rückmeldung)|(?:vielen |herzlichen )?danke?,? dass "
        r"(?:sie|du) (?:uns|mich|sich|an uns|bei uns) ?(?:kontaktiert|geschrieben|gemeldet|gewandt"
        r"|an uns gewandt)? ?(?:haben|hast)?",
        r"womit (?:kann|darf) ich (?:ihnen|dir) (?:helfen|behilflich sein|dienen)|wie (?:kann|darf) ich (?:ihnen"
        r"|dir)(?: heute)? (?:helfen|behilflich sein|weiterhelfen)|(?:es )?freut mich(?:,? (?:sie"
        r"|dich) kennenzulernen)?",
        r"(?:ich bin|hier ist) (?:ihr|dein|der) (?:virtueller |digitaler )?(?:assistent|ki-assistent)|(?:natürlich"
        r"|gerne?|selbstverständlich),? (?:gerne?|natürlich)|das mache ich gerne?|dabei helfe ich (?:ihnen"
        r"|dir) gerne?",
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
        r"(?:wenn|falls|sollten|sollte) (?:sie|du|etwas|ihnen) (?=.*\b(?:fragen?|hilfe|unklar|unterstützung|etwas"
        r"|probleme|informationen|rückfragen)\b){topic},? (?:bitte )?(?:melden sie sich|stehe ich|stehen wir"
        r"|helfe ich|kontaktieren sie|wenden sie sich|lassen sie|fragen sie|sagen sie|schreiben sie|können sie)"
        r"(?:,? {topic})?",
        r"(?:bei|für) (?:weiteren? |anderen? )?(?:fragen|rückfragen|informationen) (?:stehe ich|stehen wir"
        r"|steht ihnen|bin ich|sind wir|melden|helfe ich|können sie sich|wenden)(?: {topic})?",
        r"(?:sagen|geben|lassen) sie (?:mir|uns|es mich|es uns|mich|uns) (?:einfach |gerne? |bitte |jederzeit )*"
        r"(?:bescheid|wissen|es wissen)(?:,? (?:wenn|falls|ob) {topic})?|ich hoffe,? (?:diese|die|meine|ich|das"
        r"|dies) ?(?:antwort|informationen|auskunft|erklärung)? {topic}",
        r"(?:wir danken|ich danke) (?:ihnen|dir) (?:sehr |herzlich )?(?:für {topic})?|alles (?:gute|liebe)|"
        r"(?:ich wünsche|wir wünschen) (?:ihnen|dir) {object}|ich freue mich (?:auf|von) {object}|(?:gute"
        r"|angenehme) (?:reise|fahrt|besserung)",
        r"(?:sie|du) (?:können|kannst) (?:sich|dich|mich|uns) (?:jederzeit |gerne? |immer )*(?:an (?:mich|uns) )?"
        r"(?:wenden|melden|fragen|kontaktieren)",
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
        r"(?:ich|wir) (?:habe|haben) (?:soeben |gerade |eben |nun |bereits )*(?:ein ticket|einen vermerk"
        r"|eine notiz|das|dies|es|ihr \w+|ihre \w+|ihren \w+|einen termin|eine anfrage) {object} ?(?:eröffnet"
        r"|erstellt|angelegt|weitergegeben|weitergeleitet|hinterlegt|notiert|gemeldet|übergeben|eingetragen)",
        r"(?:ich|wir) (?:werde|werden) (?:\w+ ){0,2}?(?:ihre?n?|das|dies|es|sie|deine?n?) {object} ?"
        r"(?:weiterleiten|weitergeben|prüfen|eskalieren|verbinden|melden|erstellen|übermitteln)|es wurde (?:ein"
        r"|das|ihr) ticket {object} ?(?:erstellt|angelegt|eröffnet)",
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
        r"(?:(?:der|die|das) )?{heading} (?:ist|sind|lauten|lautet)(?: wie folgt| folgende| folgendermassen)?|ich "
        r"(?:fasse|erkläre|erläutere) (?:{source}|das|dies|es|{heading}) ?(?:kurz )?(?:zusammen)?",
        r"folgendes (?:steht|geht|findet sich|habe ich gefunden)(?: (?:in|im|aus) {source})?(?: hervor)?"
        r"|kurz zusammengefasst|hier (?:ist|sind|finden sie) (?:die |eine )?(?:kurze )?{heading}(?: auf {object})?"
        r"|(?:bitte )?beachten sie {heading}|das (?:steht|sagen) (?:in )?{source}|hier ist,? was ich gefunden habe",
        r"hier (?:ist|sind|finden sie|folgt|folgen) {heading}(?: {object})?|(?:im folgenden|nachfolgend"
        r"|unten) (?:ist|sind|finden sie)"
        r" {heading}(?: {object})?",
        r"zusammenfassend|zusammengefasst|kurz gesagt|insgesamt|zum beispiel|beispielsweise|außerdem"
        r"|darüber hinaus|hinweis|antwort|fazit"
        r"|(?:basierend auf|laut|gemäß|auf (?:der )?grundlage) {source}|bitte beachten(?: sie)?",
        r"(?:bitte )?(?:folgen sie|befolgen sie|führen sie) (?:diesen?|den folgenden|die folgenden"
        r"|folgende) (?:schritten?|anweisungen)(?: aus)?",
        r"gehen sie (?:dazu |dafür )?(?:wie folgt|folgendermaßen) vor",
        r"(?:bitte )?(?:siehe|sieh|s|vgl|vergleiche)(?: (?:auch|dazu|hierzu))?"
        r"(?: (?:{source}|(?:quelle|referenz|dokument|seite|abschnitt) \d{1,3}))?",
    ),
    question=(
        r"(?:an|in|bei|mit|aus|von|für|über|um|zu|auf|nach) (?:welche[rsmn]?|wen|wem|was)\b|(?:und |aber |oder )?"
        r"(?:wer|wen|wem|was|wann|wo|woher|wohin|warum|wieso|welche[rsmn]?|wie|womit|wozu"
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
        r"nebenwirkungen|wechselwirkungen|dosierung|anwendung|lieferung|zahlung|kurzfassung|kernpunkte|folgenden"
        r"|merkmale|arten|gründe|zusammenfassung|überblick|übersicht|einleitung|einführung|hintergrund|fazit"
        r"|schlussfolgerung"
        r"|(?:\w+)?schritte?|zutaten|anleitung"
        r"|anweisungen|antwort(?:en)?|hinweise?|details|informationen|quellen?|beispiele?|vorteile|nachteile"
        r"|voraussetzungen|tipps|geschichte"
        r"|preise|öffnungszeiten|versand|rückgabe|garantie|kontakt|fragen|ergebnis(?:se)?|erklärung|rezept|liste"
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
    denial=DENIAL,
    further=FURTHER,
    indirect=INDIRECT,
    relative=RELATIVE,
)
