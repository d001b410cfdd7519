"""How a refusal is put in Spanish, built from its parts: who, does not, say, what. Data only; see `claim_phrases`."""

from typing import Final

SOURCE: Final = (
    r"(?:(?:el|la|los|las|este|esta|estos|estas|esos|esas|del|de|al|mis|sus) )*(?:textos?|pasajes?|documentos?|contexto"
    r"|referencias?|fuentes?|información|fragmentos?|artículos?|documentación|base de conocimientos?|prospectos?"
    r"|manual(?:es)?"
    r"|folletos?|páginas?|política de (?:devoluci(?:ón|ones)|reembolsos?|privacidad|envíos?|cambios)|material"
    r"(?:es)?|sección|sitio|párrafos?|extractos?|instrucciones)"
    r"(?: (?:proporcionad[oa]s?|dad[oa]s?|disponibles?|facilitad[oa]s?|anteriores?|citad[oa]s?|suministrad[oa]s?"
    r"|adjunt[oa]s?"
    r"|de (?:arriba|que dispongo)|que (?:me|nos) (?:ha|han|has) (?:dado|facilitado|proporcionado)))*"
)
_NOT: Final = r"no (?:(?:me|nos|le|lo|la|se lo|me lo|explícitamente|claramente|\w+mente) )*"
_TELL: Final = (
    r"(?:mencionan?|especifican?|indican?|dicen?|tratan?|explican?|describen?|abordan?|responden?|aclaran?"
    r"|detallan?|hablan?"
    r"|precisan?|señalan?|revelan?)"
)
_HOLD: Final = r"(?:contienen?|proporcionan?|incluyen?|ofrecen?|dan?|aportan?|tienen?|facilitan?|presentan?)"
_NEWS: Final = (
    r"(?:(?:ningun[oa]?|ningún|esa|esta|suficiente|más|la|el|esos|datos|una|un|dicha|alguna|mayores|los|las) )*"
    r"(?:información|informaciones|respuestas?|detalles?|datos|mención|indicaci(?:ón|ones)|explicaci(?:ón|ones)"
    r"|referencia)"
)
_TOLD: Final = (
    r"(?:mencionad|incluid|especificad|indicad|descrit|proporcionad|tratad|detallad|abordad|explicad|disponibl"
    r"|recogid)[oae]s?"
)
_IN: Final = r"(?:en|por|según|con|a partir de|dentro de) {source}"
_ON: Final = r"(?:sobre|acerca de|respecto (?:a|de)|en cuanto a|relativ[oa]s? a|de|para)"
_ASKED: Final = r"(?:si|cuándo|cómo|por qué|cuánt[oa]s?|dónde|quién|quiénes|qué|cuál|cuáles|en qué|a qué|de qué)"
_KNOW: Final = (
    r"(?:responder|contestar|determinar|decir|saber|encontrar|confirmar|verificar|indicar|precisar|afirmar"
    r"|establecer|ayudar)"
    r"(?:lo|le|la|selo|te|les)?"
)
_KNOWN: Final = r"(?:decírselo|decírtelo|saberlo)"

REFUSALS: Final = (
    r"no (?:lo |le |se lo )?(?:sé|sabría)(?: decir(?:le|lo|te)?)?(?: {topic})?|lo (?:desconozco|ignoro)"
    r"|no (?:tengo|tengo ni) (?:ni |la menor )?idea|no estoy segur[oa](?: {topic})?",
    r"no (?:tengo|dispongo de|cuento con|encuentro|encontré|veo|he encontrado|he podido encontrar|hallé) (?:"
    rf"{_NEWS}|nada)"
    r"(?: {topic})?",
    r"no tengo acceso (?:a|al) {topic}",
    rf"no (?:puedo|he podido|pude|podría) (?:{_KNOW}|{_KNOWN})(?:,? {{topic}})?"
    r"|no (?:puedo|he podido) proporcionar (?:esa |más |dicha )?información(?: {topic})?",
    r"no (?:es posible|se puede) (?:responder|contestar|determinar|decir|saber)(?:lo)?(?:,? {topic})?",
    rf"no estoy en (?:condiciones|posición) de (?:{_KNOW}|{_KNOWN})(?:,? {{topic}})?",
    rf"(?:me )?(?:es|resulta) imposible (?:responder|saber|determinar|decir|contestar|{_KNOWN})(?:,? {{topic}})?",
    rf"(?:esta|la|esa|su) pregunta no (?:se puede|puede) (?:responder|contestar|ser respondida)(?:se)?(?: {_IN})?",
    rf"{{source}} {_NOT}{_TELL}(?:,? {{topic}})?",
    rf"{{source}} {_NOT}{_HOLD} {_NEWS}(?: {{topic}})?",
    r"{source} no (?:hacen?|hace) (?:ninguna )?(?:mención|referencia)(?: {topic})?|{source} no dicen? nada(?: "
    r"{topic})?",
    rf"{{source}} no (?:me |nos )?permiten? (?:{_KNOW}|{_KNOWN})(?:,? {{topic}})?",
    rf"{{source}} (?:no (?:es|son) suficientes?|(?:es|son) insuficientes?|no bastan?) para {_KNOW}(?:,? {{topic}})?",
    rf"{{source}} (?:carecen?) de {_NEWS}(?: {{topic}})?",
    rf"ningun[oa] de {{source}} (?:{_TELL}|{_HOLD} {_NEWS})(?:,? {{topic}})?",
    rf"(?:nada {_IN}|ningún (?:pasaje|documento|texto|fragmento)|ninguna fuente) {_TELL}(?:,? {{topic}})?",
    r"{object} no (?:se (?:menciona|especifica|indica|proporciona|describe|detalla|explica|trata)n?"
    rf"|(?:está|están|es|son) {_TOLD}|aparecen?|figuran?|se encuentran?) {_IN}",
    r"(?:esa|esta|dicha|la) (?:información|respuesta) no (?:está disponible|se encuentra|figura|aparece"
    r"|se proporciona)"
    rf"(?: {_IN})?",
    rf"(?:{_IN} |eso |esto |ello )?no se (?:menciona|especifica|indica|detalla)n?(?: {_IN})?(?:,? {_ASKED} {{topic}})?",
    rf"{_IN} no se (?:menciona|especifica|indica|detalla)n?(?: {{topic}})?",
    rf"no se (?:proporciona|ofrece|da|incluye)n? {_NEWS}(?: {_ON} {{object}})?(?: {_IN})?",
    rf"no se hace (?:ninguna )?(?:mención|referencia)(?: {{object}})?(?: {_IN})?",
    rf"(?:{_IN},? )?no hay (?:suficiente |ninguna )?(?:información|mención|respuesta)(?: {_ON} {{object}})?(?: {_IN})?"
    r"|ninguna (?:información|mención)(?: {object})?",
    rf"(?:{_IN},? )?no hay (?:datos|detalles) {_ON} {{object}} {_IN}",
    rf"no hay nada {_IN} {_ON} {{topic}}|no hay nada {_ON} {{object}} {_IN}",
    r"necesito más (?:información|detalles|contexto)(?: para {topic})?",
)
DENIAL: Final = r"\b(?:no|ningun[oa]|ningún|nada|desconozco|ignoro|imposible|insuficientes?|carecen?|necesito)\b"
FURTHER: Final = (
    r"él|ella|ellos|nosotros|esto|eso|todo|hace|hacen|va|van|viene|ganó|queda|pesa|llega|tome|sirve|contiene"
    r"|permite|usa"
    r"|existe|quien|que|había|hay|admiten?|murió|nació|\w+(?:aron|ieron)"
)
INDIRECT: Final = rf",(?: y| o| ni)? {_ASKED}\b| (?:y|e|o|ni) {_ASKED}\b"
RELATIVE: Final = (
    r"(?<=\w) (?<!\bdice )(?<!\bindica )que (?:fue|es|mide|está|tiene|son|fueron|cuesta|era)\b|\b(?:el|la) cual\b"
)
