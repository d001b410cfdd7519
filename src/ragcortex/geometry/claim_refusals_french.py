"""How a refusal is put in French, built from its parts: who, does not, say, what. Data only; see `claim_phrases`."""

from typing import Final

SOURCE: Final = (
    r"(?:(?:le|la|les|ce|cet|cette|ces|des|du|l'|vos|votre|mes|de|aux?) ?)*(?:textes?|passages?|documents?|contexte"
    r"|références?|sources?|informations?|extraits?|articles?|documentation|base de connaissances|notices?|manuels?"
    r"|brochures?|mode d'emploi|pages?|politique (?:de |d')(?:retours?|remboursement|confidentialité|livraison"
    r"|échange)s?|matériels?|section|site|foire aux questions"
    r"|paragraphes?)"
    r"(?: (?:fournie?s?|donnée?s?|disponibles?|ci-dessus|cité[es]*|présentée?s?|dont je dispose|à ma disposition"
    r"|que vous (?:m'|nous )?avez (?:fournis?|donnée?s?|envoyée?s?)))*"
)
_NE: Final = r"n(?:e |')(?:(?:me|nous|vous|le|la|les|lui|en|y|l'|m') ?)*"
_NOT: Final = r"(?: (?:pas|rien|aucune?|nulle part|guère|point|jamais))(?: (?:explicitement|clairement|précisément))?"
_TELL: Final = (
    r"(?:mentionne(?:nt)?|précise(?:nt)?|indique(?:nt)?|di(?:t|sent)|aborde(?:nt)?|traite(?:nt)?|évoque(?:nt)?"
    r"|explique(?:nt)?|spécifie(?:nt)?|répond(?:ent)?|parle(?:nt)?|décri(?:t|vent)|détaille(?:nt)?|révèle(?:nt)?)"
)
_HOLD: Final = (
    r"(?:contien(?:t|nent)|fourni(?:t|ssent)|donne(?:nt)?|comporte(?:nt)?|offre(?:nt)?|apporte(?:nt)?|compren(?:d|nent)"
    r"|inclu(?:t|ent))"
)
_NEWS: Final = (
    r"(?:\w+ )?(?:informations?|réponses?|détails?|mention|précisions?|indications?|renseignements?|explications?"
    r"|éléments?)"
)
_SOME: Final = r"(?:d'|de |cette |la |l'|les |assez d'|suffisamment d')?"
_TOLD: Final = (
    r"(?:mentionné|précisé|indiqué|abordé|fourni|donné|traité|évoqué|spécifié|expliqué|décrit|inclus|cité|détaillé)"
    r"(?:e|s|es)?"
)
_IN: Final = r"(?:dans|par|d'après|selon|sur|avec|à partir d[eu]s?|au sein d[eu]) ?{source}"
_ON: Final = r"(?:sur|concernant|à propos d[eu]s?|au sujet d[eu]s?|relatives? à|quant (?:à|au)|à ce sujet|pour)"
_ASKED: Final = (
    r"(?:si|s'|quand|comment|pourquoi|combien|où|qui|ce que|ce qu'|quel(?:le)?s?|à quel(?:le)?|de quel(?:le)?|lequel)"
)
_KNOW: Final = (
    r"(?:(?:vous |le |la |les |y |en |me )*(?:répondre|dire|fournir|trouver|déterminer|confirmer|aider|préciser"
    r"|savoir|vérifier"
    r"|indiquer|établir|affirmer))"
)

REFUSALS: Final = (
    r"je ne sais pas(?: {topic})?|je l'ignore|je n'en sais rien|(?:je )?(?:n'ai )?aucune idée|je n'en ai aucune idée",
    r"je ne suis pas (?:sûre?|certaine?)(?: {topic})?",
    rf"je ne (?:peux|puis|saurais|pourrais)(?: malheureusement)?(?: pas)? {_KNOW}(?:,? {{topic}})?",
    rf"je (?:ne suis pas en mesure|suis dans l'impossibilité|suis incapable) d[e'] ?{_KNOW}(?:,? {{topic}})?",
    rf"je n'ai (?:pas|aucune?) (?:assez |suffisamment |trouvé )?{_SOME}{_NEWS}(?: {{topic}})?",
    rf"je n'ai (?:pas |rien )?(?:pu )?(?:trouvée?|trouver)(?: aucune?| de| d'| cette| la)? ?(?:{_NEWS})?(?: "
    r"{topic})?",
    rf"je ne (?:trouve|vois) (?:pas|aucune?|rien) ?{_SOME}(?:{_NEWS})?(?: {{topic}})?",
    rf"je ne dispose (?:pas|d'aucune?) (?:de |d')?(?:cette |ces |assez d'|suffisamment d'|l')?{_NEWS}(?: {{topic}})?",
    r"je n'ai pas (?:d')?accès (?:à|aux?) {topic}",
    rf"(?:il (?:m')?(?:est|serait) )?impossible (?:pour moi )?d[e'] ?{_KNOW}(?:,? {{topic}})?",
    rf"on ne (?:sait|peut) pas (?:{_KNOW} )?{_IN}(?:,? {{topic}})?",
    rf"{{source}} {_NE}{_TELL}{_NOT}(?:,? {{topic}})?",
    rf"{{source}} {_NE}{_HOLD} (?:pas|aucune?) {_SOME}{_NEWS}(?: {{topic}})?",
    r"{source} ne (?:fait|font) (?:pas|aucune) (?:de )?(?:mention|référence|état)(?: {topic})?",
    rf"{{source}} ne (?:me |nous )?permet(?:tent)? pas d[e'] ?{_KNOW}(?:,? {{topic}})?",
    rf"{{source}} (?:est|sont) (?:insuffisant|insuffisante)(?:e|s|es)? pour {_KNOW}(?:,? {{topic}})?",
    rf"{{source}} ne (?:suffit|suffisent|sont|est) pas ?(?:suffisante?s?)? ?(?:pour|à) {_KNOW}(?:,? {{topic}})?",
    rf"aucune? (?:des|de ces|de) ?{{source}} {_NE}(?:{_TELL}|{_HOLD} {_NEWS})(?:,? {{topic}})?",
    rf"(?:rien|aucun (?:passage|document|texte|extrait)|aucune source)(?: {_IN})? {_NE}{_TELL}(?:,? {{topic}})?",
    rf"{{object}} n(?:'est|'était|e sont) pas {_TOLD}(?: {{object}})? ?{_IN}",
    rf"{{object}} n(?:'est|e sont) {_TOLD} (?:dans|par) aucune? (?:des|de ces|de) ?{{source}}|{{source}} reste"
    rf"(?:nt)? mue(?:t|tte)s?(?: {_ON}(?: {{topic}})?)?",
    rf"{{object}} ne (?:figure(?:nt)?|se trouve(?:nt)?|sont|apparaît|apparaissent) pas (?:{_TOLD} )?{_IN}",
    rf"(?:cela|ce|ceci|ce point|cette information|la réponse|cette question) n'est pas (?:{_TOLD}|disponible)(?: "
    rf"{_IN})?"
    rf"|(?:cette information|la réponse)(?: à {{object}})? ne (?:figure|se trouve|apparaît) pas {_IN}",
    rf"il n'est (?:pas|nulle part) {_TOLD}(?: {_IN})?(?:,? {_ASKED} ?{{topic}})?",
    rf"(?:cette|votre|la) question reste sans réponse(?: {_IN})?",
    r"il n'y a (?:pas d'|pas assez d'|aucune )(?!.*\bà )(?:information|mention|précision|réponse)s?(?: {object})?",
    rf"il n'y a rien {_IN} {_ON} ?{{topic}}|il n'y a rien {_ON} {{object}} {_IN}",
    rf"aucune (?:information|mention|réponse|précision)(?: {_ON}(?: {{object}})?)?(?: n'est (?:{_TOLD}"
    rf"|disponible))?(?: {_IN})?",
    rf"aucune (?:mention|référence) n'est faite (?:d[eu]s?|à|aux?) {{object}}(?: {_IN})?",
    r"(?:j'aurais|j'ai) besoin de plus (?:d'informations|de détails|de contexte)(?: pour {topic})?",
)
DENIAL: Final = (
    r"\bn(?:e\b|')|\b(?:muet\w*|aucune?|impossible|l'ignore|insuffisant\w*|rien|sans réponse|besoin|incapable"
    r"|impossibilité)\b"
)
FURTHER: Final = (
    r"il|elle|ils|elles|nous|on|cela|tout|fait|font|va|vont|vient|viennent|gagna|gagné|reste|pèse|arrive|prend"
    r"|prenez|sert"
    r"|contient|permet|utilise|existe|qui|avait|avaient|fut|furent"
)
INDIRECT: Final = rf",(?: et| ni| ou)? (?:si|comment|pourquoi|combien|quel(?:le)?s?)\b| (?:et|ni|ou) {_ASKED}"
RELATIVE: Final = (
    r"(?<=\w) (?<!\bsavoir )(?<!\bsur )(?<!\bde )(?<!\bdit )qui (?:est|sont|a|ont|mesure|était|étaient|fut|coûte)\b"
)
