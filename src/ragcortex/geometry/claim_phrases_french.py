"""Sentences that claim nothing about the world, in French. Data only; see `claim_phrases`."""

from typing import Final

from ragcortex.geometry.claim_phrases import ClaimPhrases
from ragcortex.geometry.claim_refusals_french import DENIAL, FURTHER, INDIRECT, REFUSALS, RELATIVE, SOURCE

_JOINT: Final = r",| et | y | e | – | — | - "

FRENCH: Final = ClaimPhrases(
    lead=(
        r"malheureusement|(?:je suis )?(?:vraiment )?désolée?(?:,? mais)?|je m'excuse|excusez-moi|bien sûr"
        r"|certainement|oui|non|d'accord|alors"
        r"|(?:d'après|selon|sur la base de|en fonction de|au vu de) {source}|bonjour|merci|pour le moment"
        r"|actuellement|cependant|et|mais"
    ),
    source=SOURCE,
    given="",
    yours=r"(?:votre|vos|vous)\b|(?:un|le|ce) (?:ticket|dossier|e-mail|courriel|message)",
    refusal=REFUSALS,
    greeting=(
        r"merci (?:de|d')(?: nous)? ?(?:avoir (?:contacté|écrit)|votre \w+)(?: à)?(?: nous| notre {object})?|"
        r"(?:madame|monsieur|ch(?:er|ère)s?)(?:,? (?:madame|monsieur|cliente?s?))*|bonjour(?:,)? et bienvenue",
        r"je (?:serai[st]?|suis) (?:ravie?|heureuse|heureux) de (?:vous )?(?:aider|accueillir)(?: avec (?:cela"
        r"|ça))?|je peux vous aider(?: avec (?:cela|ça|ceci))?|(?:ravie?|enchantée?)(?: de (?:vous rencontrer"
        r"|faire votre connaissance))?|je suis votre assistante? ?(?:virtuelle?)?",
        r"(?:bonjour|bonsoir|salut|coucou|bienvenue|ch(?:er|ère)s? (?:cliente?s?|{name}))(?: (?:à tous|madame|monsieur"
        r"|{name}))?",
        r"(?:comment|en quoi) puis-je vous (?:aider|être utile)(?: aujourd'hui)?|que puis-je faire pour vous",
        r"merci (?:de|pour) (?:nous avoir contactés?|votre (?:message|question|patience|demande))"
        r"|(?:c'est une )?(?:très )?bonne question",
        r"avec plaisir|bien sûr|certainement|d'accord|désolée?|pas de problème|entendu|très bien|je comprends"
        r"|enchantée?",
    ),
    closing=(
        r"(?:si vous avez|en cas de|pour|si) (?=.*\b(?:questions?|besoin|doutes?|aide|renseignements?"
        r"|informations?|clair|autre chose)\b){topic},? (?:contactez-nous|contactez-moi|écrivez-nous|n'hésitez pas"
        r"|je (?:suis|reste)|nous (?:sommes|restons)|faites-(?:le-)?(?:moi|nous)|dites-(?:le-)?(?:moi|nous))(?: "
        r"{topic})?",
        r"(?:nous (?:restons|sommes)|je (?:reste|suis)) (?:toujours )?(?:à votre (?:entière )?disposition"
        r"|là pour vous aider)(?: {topic})?|(?:dites|faites)-(?:le-)?(?:moi|nous)(?: savoir)? si {topic}",
        r"j'espère (?:avoir (?:pu )?(?:répondu?|vous aider|vous avoir aidé)|vous avoir aidé|que (?:ces|cette|ma"
        r"|mes) (?:informations?|réponses?|explications?)) ?{topic}|(?:passez|je vous souhaite"
        r"|nous vous souhaitons)(?: une| un)? (?:bonne|excellente|agréable|bon|excellent) {object}",
        r"(?:bonne|excellente|belle) (?:journée|soirée|fin de journée)(?: à vous)?|bien à vous|au plaisir"
        r"(?: de vous aider| de vous lire)?|sincères salutations|dans l'attente de votre réponse|merci (?:de"
        r"|pour) votre (?:compréhension|patience|confiance|attention|aide)",
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
        r"je (?:vous ai|viens de vous|lui ai) (?:bien )?(?:envoyée?|envoyer|transmis|transmettre|créé|créer) "
        r"{object}|j'ai (?:bien )?(?:pris (?:bonne )?note de|ajouté (?:une note|un commentaire) à) (?:{yours})(?: "
        r"{object})?",
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
        r"voici ce que (?:j'ai trouvé|je sais|disent {source}|dit {source}|{source} (?:disent|dit|indiquent?))(?: "
        r"{object})?|(?:les |la |le )?{heading} (?:sont|est)(?: (?:les|la|le) suivante?s?)?|je (?:résume"
        r"|vais résumer|vous résume) {source}",
        r"voici {heading}(?: {object})?|vous trouverez ci-dessous {heading}(?: {object})?|(?:ci-dessous"
        r"|ci-après) {heading}(?: {object})?",
        r"en résumé|en conclusion|pour résumer|en bref|par exemple|de plus|en outre|remarque|réponse|note|à noter"
        r"|(?:d'après|selon|sur la base de) {source}",
        r"(?:veuillez )?(?:suivez|suivre) (?:ces|les) (?:\w+ )?(?:étapes|instructions)(?: suivantes)?"
        r"|procédez comme suit",
        r"(?:voir(?: aussi| également)?|cf|confer|se référer à)"
        r"(?: (?:{source}|(?:source|référence|document|page) \d{1,3}))?",
    ),
    question=(
        r"(?:dans|à|de|pour|avec|sur|en|par|chez) (?:quel(?:le)?s?|qui|quoi)\b|(?:et |mais |ou )?(?:qui|que|qu'"
        r"|quoi|quand|où|pourquoi|comment|combien|quel(?:le)?s?|lequel|laquelle"
        r"|est-ce|à quel(?:le)?"
        r"|de quel(?:le)?|pour quel(?:le)?|y a-t-il|puis-je|\w+-(?:vous|tu|je|nous|il|elle|on|ce|t-il|t-elle"
        r"|t-on))(?:\b|(?<='))"
        r"|autre chose\b|(?:la |le |les )?\w+ \w+-(?:elle|il|t-elle|t-il|elles|ils)\b"
    ),
    rhetorical=r"sav(?:ez|iez)-vous que|n'est-ce pas|, (?:non|oui|d'accord|hein|pas vrai)$|, qui |le saviez-vous",
    heading=(
        r"effets?|secondaires?|posologie|utilisation|interactions|paiement|caractéristiques|types?|raisons"
        r"|méthodes?|résumé|aperçu|introduction|contexte|conclusions?|points?|étapes?|ingrédients|instructions"
        r"|réponses?"
        r"|notes?|détails|informations?"
        r"|sources?|exemples?|avantages|inconvénients|conditions|conseils|histoire|prix|horaires|livraison"
        r"|retours?|garantie|contact"
        r"|questions?|résultats?|explication|recette|liste|principaux|principales|bref|courte?|clés?|autres"
        r"|préparation|symptômes|causes"
        r"|traitements?|options|suivante?s?|importante?s?"
    ),
    linking=r"une?|le|la|les|l'|des?|du|d'|et|ou|pour|à|au|aux|en|vos|que|sur|quelques",
    turn=(
        r"mais|cependant|toutefois|pourtant|bien qu[e']|tandis qu[e']|alors qu[e']|seulement|sauf|excepté|car"
        r"|parce qu[e']|puisqu[e']|donc|néanmoins|hormis"
    ),
    joint=_JOINT,
    finite=(
        r"est|sont|était|étaient|sera|seront|a|ont|peut|peuvent|doit|doivent|coûtent?|dure|mesure|ouvre|ferme"
        r"|commence|dont|sous \d+"
    ),
    denial=DENIAL,
    further=FURTHER,
    indirect=INDIRECT,
    relative=RELATIVE,
)
