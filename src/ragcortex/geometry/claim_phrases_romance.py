"""Sentences that claim nothing about the world, in French and Spanish. Data only; see `claim_phrases`."""

from typing import Final

from ragcortex.geometry.claim_phrases import ClaimPhrases

_JOINT: Final = r",| et | y | e | – | — | - "

FRENCH: Final = ClaimPhrases(
    lead=(
        r"malheureusement|(?:je suis )?(?:vraiment )?désolée?(?:,? mais)?|je m'excuse|excusez-moi|bien sûr"
        r"|certainement|oui|non|d'accord|alors"
        r"|(?:d'après|selon|sur la base de|en fonction de|au vu de) {source}|bonjour|merci|pour le moment"
        r"|actuellement|cependant|et|mais"
    ),
    source=(
        r"(?:(?:le|la|les|ce|cet|cette|ces|des|du|l'|vos|de) ?)*(?:textes?|passages?|documents?|contexte"
        r"|références?|sources?|informations?"
        r"|extraits?|articles?|documentation|base de connaissances)(?: (?:fournie?s?|donnée?s?|disponibles?"
        r"|ci-dessus|cité[es]*|présentée?s?))*"
    ),
    given="",
    yours=r"(?:votre|vos|vous)\b|(?:un|le|ce) (?:ticket|dossier|e-mail|courriel|message)",
    refusal=(
        r"je ne sais pas(?: {topic})?|je l'ignore|je ne (?:peux|suis pas en mesure de"
        r"|puis) (?:pas )?(?:vous )?(?:répondre|dire|fournir|trouver"
        r"|déterminer|confirmer|aider|préciser)(?: {topic})?",
        r"je n'ai (?:pas|aucune) (?:assez |suffisamment )?(?:d'|de |cette )?(?:informations?|réponse|précisions?"
        r"|données)(?: {topic})?",
        r"(?:il est )?impossible de (?:répondre|déterminer|dire)(?: {topic})?",
        r"{source} ne (?:mentionn|précis|indiqu|dis|abord|parl)\w* (?:pas|aucune?|rien)(?: {topic})?"
        r"|{source} ne dit (?:pas|rien)(?: {topic})?",
        r"{source} ne (?:contien(?:t|nent)|fourni(?:t|ssent)|donne(?:nt)?) (?:pas|aucune?) (?:d'|de |cette "
        r"|la )?(?:\w+ )?(?:informations?|réponse|détails?"
        r"|mention|précisions?)(?: {topic})?|{source} ne permet(?:tent)? pas de (?:répondre|déterminer|savoir"
        r"|dire)(?: {topic})?",
        r"{topic} n'(?:est|était) pas (?:mentionnée?|précisée?|indiquée?|abordée?|fournie?|donnée?) (?:dans"
        r"|par) {source}",
        r"{topic} ne (?:sont|figurent?) pas (?:(?:mentionné|précisé|indiqué|fourni)e?s? )?(?:dans|par) {source}",
        r"(?:cela|ce|cette information|la réponse) n'est pas (?:mentionnée?|précisée?|indiquée?|fournie?"
        r"|disponible)(?: (?:dans|par) {source})?",
        r"il n'y a (?:pas d'|aucune )(?:information|mention|précision|réponse)s?(?: {object})?"
        r"|aucune (?:information|mention|réponse)(?: {object})?",
    ),
    greeting=(
        r"(?:bonjour|bonsoir|salut|coucou|bienvenue|chère?s? (?:cliente?s?|{name}))(?: (?:à tous|madame|monsieur"
        r"|{name}))?",
        r"(?:comment|en quoi) puis-je vous (?:aider|être utile)(?: aujourd'hui)?|que puis-je faire pour vous",
        r"merci (?:de|pour) (?:nous avoir contactés?|votre (?:message|question|patience|demande))"
        r"|(?:c'est une )?(?:très )?bonne question",
        r"avec plaisir|bien sûr|certainement|d'accord|désolée?|pas de problème|entendu|très bien|je comprends"
        r"|enchantée?",
    ),
    closing=(
        r"n'hésitez pas(?: {topic})?|j'espère que (?:cela|ceci|ça|cette réponse) {topic}|(?:faites-le-moi"
        r"|faites-moi|dites-le-moi) savoir(?: {topic})?",
        r"(?:si vous avez|pour) (?:d'autres questions|toute (?:autre )?question|besoin) ?{topic}"
        r"|je reste à votre disposition(?: {topic})?",
        r"(?:je vous souhaite )?(?:une )?(?:bonne|excellente|agréable|belle) (?:journée|soirée|visite"
        r"|continuation)|bon (?:week-end|séjour|voyage)",
        r"(?:bien )?cordialement|au revoir|à bientôt|salutations|merci(?: beaucoup| bien)?(?: (?:pour"
        r"|de) {topic})?|je vous en prie|de rien"
        r"|bonne chance|puis-je vous aider (?:avec|pour) autre chose",
    ),
    action=(
        r"(?:j'ai|nous avons) (?:bien |aussi |également )?(?:transmis|transféré|envoyé|créé|mis à jour|ouvert"
        r"|enregistré|informé|notifié|annulé"
        r"|modifié|réinitialisé|réservé|signalé|fermé|escaladé|noté|ajouté|contacté) (?:{yours})(?: {object})?",
        r"(?:votre|la|cette) (?:demande|question|réclamation|requête) a (?:bien )?été (?:transmise|transférée"
        r"|enregistrée|envoyée|créée|mise à jour)"
        r"(?: {object})?|(?:votre|un|le) (?:ticket|message|dossier) a (?:bien )?été (?:créé|transmis|mis à jour"
        r"|enregistré|ouvert)(?: {object})?",
        r"je (?:transmets|transfère|vous mets en relation|vous transfère|vais transmettre) ?{object}"
        r"|un instant(?:,? s'il vous plaît)?",
    ),
    meta=(
        r"voici {heading}(?: {object})?|vous trouverez ci-dessous {heading}(?: {object})?|(?:ci-dessous"
        r"|ci-après) {heading}(?: {object})?",
        r"en résumé|en conclusion|pour résumer|en bref|par exemple|de plus|en outre|remarque|réponse|note|à noter"
        r"|(?:d'après|selon|sur la base de) {source}",
        r"(?:veuillez )?(?:suivez|suivre) (?:ces|les) (?:\w+ )?(?:étapes|instructions)(?: suivantes)?"
        r"|procédez comme suit",
    ),
    question=(
        r"(?:et |mais |ou )?(?:qui|que|qu'|quoi|quand|où|pourquoi|comment|combien|quel(?:le)?s?|lequel|laquelle"
        r"|est-ce|à quel(?:le)?"
        r"|de quel(?:le)?|pour quel(?:le)?|y a-t-il|puis-je|\w+-(?:vous|tu|je|nous|il|elle|on|ce|t-il|t-elle"
        r"|t-on))(?:\b|(?<='))"
        r"|autre chose\b|(?:la |le |les )?\w+ \w+-(?:elle|il|t-elle|t-il|elles|ils)\b"
    ),
    rhetorical=r"sav(?:ez|iez)-vous que|n'est-ce pas|, (?:non|oui|d'accord|hein|pas vrai)$|, qui |le saviez-vous",
    heading=(
        r"résumé|aperçu|introduction|contexte|conclusions?|points?|étapes?|ingrédients|instructions|réponses?"
        r"|notes?|détails|informations?"
        r"|sources?|exemples?|avantages|inconvénients|conditions|conseils|histoire|prix|horaires|livraison"
        r"|retours?|garantie|contact"
        r"|questions?|résultats?|explication|recette|liste|principaux|principales|bref|courte?|clés?|autres"
        r"|préparation|symptômes|causes"
        r"|traitements?|options|suivante?s?|importante?s?"
    ),
    linking=r"une?|le|la|les|l'|des?|du|d'|et|ou|pour|à|au|aux|en|vos|que|sur|quelques",
    turn=r"mais|cependant|toutefois|pourtant|bien que|tandis que|alors que|seulement|sauf|excepté|car|parce que"
    r"|puisque|donc|néanmoins|hormis",
    joint=_JOINT,
    finite=(
        r"est|sont|était|étaient|sera|seront|a|ont|peut|peuvent|doit|doivent|coûtent?|dure|mesure|ouvre|ferme"
        r"|commence|dont|sous \d+"
    ),
)

SPANISH: Final = ClaimPhrases(
    lead=(
        r"lamentablemente|desafortunadamente|desgraciadamente|lo siento(?:,? pero)?|lo lamento|disculpe|perdón"
        r"|claro(?: que sí)?|por supuesto|sí|no"
        r"|(?:según|de acuerdo con|basándome en|con base en|a partir de|en) {source}|hola|gracias|por el momento"
        r"|actualmente|sin embargo|y|pero"
    ),
    source=(
        r"(?:(?:el|la|los|las|este|esta|estos|estas|del|de) )*(?:textos?|pasajes?|documentos?|contexto"
        r"|referencias?|fuentes?|información"
        r"|fragmentos?|artículos?|documentación|base de conocimientos?)(?: (?:proporcionad[oa]s?|dad[oa]s?"
        r"|disponibles?|facilitad[oa]s?|anteriores?"
        r"|citad[oa]s?))*"
    ),
    given="",
    yours=r"(?:su|sus|tu|tus|le|te)\b|(?:un|el|este) (?:ticket|caso|correo|mensaje)|una incidencia",
    refusal=(
        r"no (?:lo )?sé(?: {topic})?|no (?:tengo|dispongo de|cuento con|encuentro) (?:suficiente |esa |ninguna "
        r"|esta )?(?:información|respuesta"
        r"|datos|detalles)(?: {topic})?",
        r"no (?:puedo|es posible|se puede|he podido) (?:responder|contestar|determinar|decir)(?: {topic})?"
        r"|no (?:puedo|he podido) (?:encontrar|confirmar"
        r"|ayudar\w*|proporcionar (?:esa |más |dicha )?información)(?: {topic})?",
        r"{source} no (?:\w+ )?(?:mencionan?|especifican?|indican?|dicen?|tratan?)(?: {topic})?",
        r"{source} no (?:contienen?|proporcionan?|incluyen?|ofrecen?) (?:\w+ )?(?:información|respuestas?|detalles"
        r"|datos)(?: {topic})?",
        r"{topic} no (?:se (?:menciona|especifica|indica|proporciona|describe)n?|est[áa]n? (?:mencionad|incluid"
        r"|especificad)[oa]s?) en {source}",
        r"(?:en {source} )?no se (?:menciona|especifica|indica)n?(?: {topic})?",
        r"no hay (?:suficiente |ninguna )?(?:información|mención|respuesta)(?: {object})?(?: en {source})?"
        r"|ninguna (?:información|mención)(?: {object})?",
    ),
    greeting=(
        r"(?:hola|buenos días|buenas (?:tardes|noches)|bienvenid[oa]s?|saludos|estimad[oa]s?(?: {name}"
        r"| clientes?)?)(?: (?:a todos|de nuevo|{name}))?",
        r"(?:cómo|en qué) (?:puedo|te puedo|le puedo) ?(?:ayudar(?:le|te)?|servir(?:le|te)?)(?: hoy)?"
        r"|qué puedo hacer por (?:usted|ti)",
        r"gracias por (?:contactarnos|escribirnos|su (?:mensaje|pregunta|paciencia|consulta)|tu (?:mensaje"
        r"|pregunta|paciencia|consulta))",
        r"con (?:mucho )?gusto|claro(?: que sí)?|por supuesto|de acuerdo|entendido|lo siento|muy bien"
        r"|buena pregunta|encantad[oa]|vale|perfecto",
    ),
    closing=(
        r"no dud(?:e|es) en {topic}|espero que (?:esto|esta (?:información|respuesta)|le|te) {topic}|(?:hága|haz"
        r"|házme|avíse|avísa|díga)(?:me|melo|nos)"
        r"(?: saber)?(?: {topic})?",
        r"(?:si (?:tiene|tienes|necesita|necesitas)|para) (?:alguna |cualquier |más |otra )+(?:preguntas?|dudas?"
        r"|consultas?|ayuda|cosa|información)"
        r"(?:,? {topic})?",
        r"(?:que )?(?:teng(?:a|as) )?(?:un |una )?(?:buen|buena|excelente|feliz|lindo) (?:día|tarde|noche"
        r"|fin de semana|viaje|estancia)",
        r"(?:un )?(?:cordial(?:es)? )?saludos?|atentamente|adiós|hasta (?:luego|pronto)"
        r"|(?:muchas )?gracias(?: por {topic})?|de nada|buena suerte"
        r"|(?:hay )?algo más en (?:lo )?que (?:le |te )?{topic}|(?:quedo|estoy"
        r"|estamos) a su disposición(?: {topic})?",
    ),
    action=(
        r"(?:he|hemos|ya he) (?:reenviado|enviado|transferido|creado|actualizado|abierto|registrado|informado"
        r"|notificado|cancelado|modificado"
        r"|restablecido|reservado|escalado|cerrado|remitido|anotado|añadido|contactado) (?:{yours})(?: {object})?",
        r"(?:su|tu|la|el) (?:solicitud|consulta|reclamación|ticket|mensaje|caso|pregunta) ha sido (?:reenviad"
        r"|enviad|transferid|registrad|cread"
        r"|actualizad|escalad|remitid|cerrad)[oa](?: {object})?|se ha (?:creado|enviado|actualizado"
        r"|registrado) (?:su|un|el|la|una) {object}",
        r"(?:le|te) (?:transfiero|paso|pongo en contacto) {object}|(?:voy a|procedo a) (?:transferir|enviar"
        r"|reenviar|consultar|escalar)\w* {object}"
        r"|un momento(?:,? por favor)?",
    ),
    meta=(
        r"aquí (?:está|están|tiene|tienes|hay) {heading}(?: {object})?|(?:a continuación"
        r"|abajo)(?: (?:se (?:muestra|presenta)n?|está|están|encontrará))?"
        r"(?: {heading}(?: {object})?)?",
        r"en resumen|en conclusión|para resumir|en general|por ejemplo|además|nota|respuesta|(?:según"
        r"|de acuerdo con|basándome en) {source}",
        r"(?:por favor,? )?(?:siga|sigue|seguir) (?:estos|los siguientes|estas|las siguientes) (?:pasos"
        r"|instrucciones)(?: siguientes)?",
        r"(?:este es|estos son|estas son|esta es) {heading}(?: {object})?",
    ),
    question=r"¿|(?:y |o |pero )?(?:qué|quién|quiénes|cuándo|dónde|cómo|cuál|cuáles|cuánt[oa]s?|por qué|para qué"
    r"|en qué|a qué|de qué)\b",
    rhetorical=r"sab(?:e|es|ía|ías) (?:usted )?que|, ¿|, (?:verdad|no|cierto|vale)$",
    heading=(
        r"resumen|introducción|contexto|conclusi(?:ón|ones)|puntos?|pasos?|ingredientes|instrucciones|respuestas?"
        r"|notas?|detalles|información"
        r"|fuentes?|ejemplos?|ventajas|desventajas|inconvenientes|beneficios|requisitos|consejos|historia|precios?"
        r"|horarios?|envíos?"
        r"|devoluci(?:ón|ones)|garantía|contacto|preguntas|resultados?|explicación|receta|lista|principales|breve"
        r"|corto|claves?|otros"
        r"|preparación|síntomas|causas|tratamientos?|opciones|siguientes?|importantes|solicitada"
    ),
    linking=r"un|una|unos|el|la|los|las|de|del|y|o|para|a|al|en|su|sus|que|sobre|algunos|algunas",
    turn=r"pero|sin embargo|aunque|mientras|solo|sólo|solamente|salvo|excepto|porque|pues|ya que|sino|así que"
    r"|no obstante|por lo tanto",
    joint=_JOINT,
    finite=(
        r"es|son|era|eran|fue|fueron|será|está|están|ha|han|tiene|tienen|puede|pueden|debe|cuestan?|tarda|mide"
        r"|abren?|cierran?|empieza|cuyo"
    ),
)
