"""Sentences that claim nothing about the world, in Spanish. Data only; see `claim_phrases`."""

from typing import Final

from ragcortex.geometry.claim_phrases import ClaimPhrases
from ragcortex.geometry.claim_refusals_spanish import DENIAL, FURTHER, INDIRECT, REFUSALS, RELATIVE, SOURCE

_JOINT: Final = r",| et | y | e | – | — | - "

SPANISH: Final = ClaimPhrases(
    lead=(
        r"perdone(?:,? pero)?|disculpe(?:,? pero)?|me temo que|mis disculpas(?:,? pero)?|lamentablemente"
        r"|desafortunadamente|desgraciadamente|lo siento(?:,? pero)?|lo lamento|disculpe|perdón"
        r"|claro(?: que sí)?|por supuesto|sí|no"
        r"|(?:según|de acuerdo con|basándome en|con base en|a partir de|en|con) {source}|hola|gracias|por el momento"
        r"|actualmente|sin embargo|y|pero"
    ),
    source=SOURCE,
    given="",
    yours=r"(?:su|sus|tu|tus|le|te)\b|(?:un|el|este) (?:ticket|caso|correo|mensaje)|una incidencia",
    refusal=REFUSALS,
    greeting=(
        r"gracias por (?:ponerse en contacto|contactar|comunicarse|escribir)(?: con)?(?: nosotros| nuestr[oa] "
        r"{object})?|estimad[oa]s? (?:client[ea]s?|señora?|señores|{name})(?: {name})?",
        r"(?:con (?:mucho )?gusto|encantad[oa]),? (?:le|te) (?:ayudo|ayudaré)|(?:puedo|podría) ayudar(?:le|te) "
        r"(?:con (?:eso|ello|esto))?|estar(?:é|ía) encantad[oa] de ayudar(?:le|te)(?: {object})?|mucho gusto|soy "
        r"(?:su|tu|el) asistente(?: virtual)?|cómo (?:está|estás)(?: hoy)?",
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
        r"(?:si (?:tiene|tienes|necesita|necesitas|hay)|ante|para) (?=.*\b(?:preguntas?|dudas?|consultas?|ayuda"
        r"|algo|información|cosa)\b){topic},? (?:contáctenos|contáctame|escríbanos|no dude en|no dudes en|estoy"
        r"|estamos|quedo|avíseme|dígame|hágamelo|puede)(?: {topic})?",
        r"(?:estoy|estamos) (?:aquí|siempre aquí)(?: para (?:ayudar(?:le|te)|servir(?:le|te)))?(?: {topic})?"
        r"|espero haber(?:le|te)? (?:ayudado|respondido|resuelto|aclarado) ?{topic}|(?:le|te) deseo (?:un |una )?"
        r"{object}|(?:que )?(?:pase|tenga) (?:un |una )?(?:buen|buena|feliz) (?:día|tarde|noche|fin de semana)",
        r"ha sido un placer (?:ayudar(?:le|te)|atender(?:le|te))|saludos cordiales|gracias por (?:su|tu) "
        r"(?:paciencia|comprensión|confianza|colaboración|tiempo)|quedo (?:atent[oa]|a la espera)(?: {object})?"
        r"|dígame si {topic}",
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
        r"(?:le|te) (?:he|hemos) (?:enviado|mandado|creado|abierto|reservado|transferido) {object}|acabo de "
        r"(?:enviar|mandar|crear|abrir|actualizar|registrar)(?:le|te)? {object}|(?:he|hemos) (?:pasado|trasladado"
        r"|tomado nota de|elevado) (?:{yours})(?: {object})?",
        r"(?:he|hemos) (?:añadido|agregado|dejado) (?:una nota|un comentario) (?:a|en) (?:{yours})(?: {object})?|"
        r"(?:remito|traslado|reenvío|envío) (?:{yours}) {object}|(?:su|tu) (?:solicitud|consulta|reclamación"
        r"|pregunta|queja|caso) (?:se ha|ha sido|fue) (?:registrad|enviad|remitid|recibid|escalad|transferid)[oa]"
        r"(?: {object})?",
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
        r"esto es lo que (?:he encontrado|encontré|sé|dicen {source}|dice {source})(?: {object})?|(?:los |las |la "
        r"|el )?{heading} (?:son|es)(?: (?:los|las|la|el) siguientes?)?|(?:resumo|voy a resumir|le resumo) "
        r"{source}|proceda (?:de la siguiente manera|como sigue)",
        r"aquí (?:está|están|tiene|tienes|hay) {heading}(?: {object})?|(?:a continuación"
        r"|abajo)(?: (?:se (?:muestra|presenta)n?|está|están|encontrará))?"
        r"(?: {heading}(?: {object})?)?",
        r"en resumen|en conclusión|para resumir|en general|por ejemplo|además|nota|respuesta|(?:según"
        r"|de acuerdo con|basándome en) {source}",
        r"(?:por favor,? )?(?:siga|sigue|seguir) (?:estos|los siguientes|estas|las siguientes) (?:pasos"
        r"|instrucciones)(?: siguientes)?",
        r"(?:este es|estos son|estas son|esta es) {heading}(?: {object})?",
        r"(?:véase|véanse|ver|vea|cf|consulte|consultar)(?: (?:también|además))?"
        r"(?: (?:{source}|(?:fuente|referencia|documento|página) \d{1,3}))?",
    ),
    question=r"¿|(?:y |o |pero )?(?:qué|quién|quiénes|cuándo|dónde|cómo|cuál|cuáles|cuánt[oa]s?|por qué|para qué"
    r"|en qué|a qué|de qué)\b",
    rhetorical=r"sab(?:e|es|ía|ías) (?:usted )?que|, ¿|, (?:verdad|no|cierto|vale)$",
    heading=(
        r"efectos?|secundarios?|dosis|uso|interacciones|pago|características|tipos?|motivos|métodos?|resumen"
        r"|introducción|contexto|conclusi(?:ón|ones)|puntos?|pasos?|ingredientes|instrucciones|respuestas?"
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
    denial=DENIAL,
    further=FURTHER,
    indirect=INDIRECT,
    relative=RELATIVE,
)
