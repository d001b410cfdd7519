"""Sentences that claim nothing about the world, in Portuguese, the common ones. Data only; see `claim_phrases`."""

from typing import Final

from ragcortex.geometry.claim_phrases import ClaimPhrases

_NEWS: Final = r"(?:\w+ ){0,2}?(?:informaç(?:ão|ões)|respostas?|detalhes|menção|indicaç(?:ão|ões))(?: suficientes?)?"
_TELL: Final = (
    r"(?:mencionam?|especificam?|indicam?|diz|dizem|explicam?|descrevem?|informam?|respondem?|abordam?|falam?"
    r"|esclarecem?)"
)
_TOLD: Final = r"(?:mencionad|indicad|especificad|descrit|informad|incluíd|abordad)[oa]s?"
_IN: Final = r"(?:n[oa]s?|em|pel[oa]s?) {source}"

PORTUGUESE: Final = ClaimPhrases(
    lead=(
        r"infelizmente|lamento(?:,? mas)?|desculpe(?:,? mas)?|sinto muito(?:,? mas)?|peço desculpas?(?:,? mas)?"
        r"|claro|com certeza"
        r"|sim|não|olá|oi|obrigad[oa]|(?:com base n|de acordo com |segundo |conforme )[oa]?s? ?{source}|no momento"
    ),
    source=(
        r"(?:(?:o|a|os|as|este|esta|estes|estas|esse|essa|do|da|dos|das|no|na|nos|nas) )*(?:textos?|trechos?"
        r"|passage(?:m|ns)"
        r"|documentos?|contexto|fontes?|referências?|artigos?|manual|bula|informaç(?:ão|ões)|documentação|página"
        r"|material)"
        r"(?: (?:fornecid[oa]s?|dad[oa]s?|disponíve(?:l|is)|acima|citad[oa]s?))*"
    ),
    given="",
    yours=r"(?:a |o )?(?:sua|seu|suas|seus|tua|teu)\b|lhe\b|(?:um|o) (?:ticket|chamado|caso)",
    refusal=(
        r"não (?:o )?sei(?: {topic})?|não tenho (?:certeza|ideia)(?: {topic})?|não faço ideia",
        rf"não (?:tenho|disponho de|encontro|encontrei|vejo) {_NEWS}(?: {{topic}})?|não tenho acesso (?:a|à|ao|aos"
        r"|às) {topic}",
        r"não (?:posso|consigo|pude|sou capaz de) (?:responder|dizer|encontrar|determinar|confirmar|ajudar)(?: "
        r"{topic})?",
        rf"{{source}} não (?:(?:o|me|nos) )*{_TELL}(?:,? {{topic}})?",
        rf"{{source}} não (?:contém|contêm|fornecem?|incluem?|oferecem?|traz|trazem) {_NEWS}(?: {{topic}})?",
        rf"nenhum[a]? (?:de )?{{source}} {_TELL}(?:,? {{topic}})?",
        rf"{{object}} não (?:é|são|está|estão|foi|foram) {_TOLD} {_IN}|{{object}} não (?:consta|aparece)m? {_IN}",
        rf"não (?:é|está) {_TOLD}(?: {_IN})?,? (?:se|quando|como|quem|quant[oa]s?|onde) {{topic}}",
        rf"não há {_NEWS} (?:sobre|acerca d[oae]s?|a respeito d[oae]s?) {{object}} {_IN}",
    ),
    greeting=(
        r"(?:olá|oi|bom dia|boa tarde|boa noite|bem-vind[oa]s?)(?: {name})?|(?:como|em que) posso (?:ajudar"
        r"|ajudá-l[oa])(?: hoje)?",
        r"obrigad[oa] por (?:entrar em contato|contatar-nos|su?a (?:mensagem|pergunta))|claro|com certeza|tudo bem",
    ),
    closing=(
        r"não hesite em {topic}|espero que (?:isso|isto|estas informações) {topic}|(?:me )?(?:avise|informe)"
        r"(?:-me)?(?: {topic})?",
        r"(?:tenha )?(?:um |uma )?(?:bom|boa|ótimo|ótima|excelente) (?:dia|tarde|noite|fim de semana)"
        r"|atenciosamente|até (?:logo|breve)",
        r"(?:muito )?obrigad[oa](?: por {topic})?|de nada|cordialmente",
    ),
    action=(
        r"(?:já )?(?:encaminhei|enviei|criei|atualizei|abri|registrei|transferi|cancelei) (?:{yours})(?: {object})?",
        r"(?:a )?sua (?:solicitação|pergunta|reclamação|mensagem) foi (?:encaminhada|enviada|registrada"
        r"|transferida)(?: {object})?",
    ),
    meta=(
        r"aqui está[o]? {heading}(?: {object})?|em resumo|em conclusão|por exemplo|resumindo|(?:segundo"
        r"|de acordo com) {source}",
        r"(?:ver|veja|cf|consulte)(?: também)?(?: (?:{source}|(?:fonte|documento|página) \d{1,3}))?",
    ),
    question=(
        r"(?:e |ou |mas )?(?:quem|que|o que|quando|onde|como|por que|qual|quais|quant[oa]s?|pode|poderia|você quer"
        r"|gostaria|deseja"
        r"|tem|é|em que|a que|de que|posso)\b"
    ),
    rhetorical=r"s(?:abe|abia)s? que|, (?:certo|não|né|verdade|não é)$",
    heading=(
        r"resumo|visão geral|introdução|conclus(?:ão|ões)|pontos?|passos?|etapas?|ingredientes|instruções"
        r"|respostas?|notas?|detalhes"
        r"|informações|fontes?|exemplos?|vantagens|desvantagens|breve|principais"
    ),
    linking=r"um|uma|o|a|os|as|de|do|da|dos|das|e|ou|para|sobre",
    turn=(
        r"mas|porém|contudo|no entanto|embora|enquanto|apenas|só|somente|exceto|porque|pois|portanto|todavia"
        r"|entretanto|já que"
    ),
    joint=r",| e | – | — | - ",
    finite=r"é|são|era|eram|foi|foram|está|estão|tem|têm|pode|podem|deve|custa|custam|dura|mede|abre|fecha|fica|cujo|será",
    denial=r"\b(?:não|nenhuma?)\b",
    further=r"ele|ela|eles|elas|nós|isso|tudo|faz|vai|vem|ganhou|pesa|chega|serve|contém|que|há|havia|tome|existe",
    indirect=(
        r",(?: e| ou)? (?:se|como|quando|quant[oa]s?|quem|onde)\b| (?:e|ou|nem) (?:se|como|quando|quant[oa]s?|quem"
        r"|onde)\b"
    ),
    relative=r"(?<=\w) (?<!\bdiz )que (?:é|são|foi|era|mede|tem|custa|fica)\b",
)
