"""The form in which a language says which sentences claim nothing about the world; the languages lie beside this.

Every phrase is a regular expression of a whole sentence: lower case, ' for any apostrophe, one space for white space,
without its final punctuation and without markdown. `{source}` stands for the references («the provided passages»),
`{topic}` and `{object}` for free text, which `claims` checks for a second claim, an object more strictly; `{given}` for
references that cannot be anything else, `{yours}` for what an assistant acts on, `{heading}` for heading nouns.

A refusal is about the references or the speaker and never about a product: «the pool does not provide towels» claims
something. So its subject is a source or «I», and verbs that things have too («include», «cover») need a noun that only
references have («information») or a source that cannot be a thing (`given`).
"""

from typing import NamedTuple


class ClaimPhrases(NamedTuple):
    """What `claims` needs to know about one language.

    Attributes:
        lead: phrases that may stand before any other («Unfortunately,», «I'm sorry, but»).
        source, given, yours: see above.
        refusal, greeting, closing, action, meta: whole sentences of that kind.
        question: how a question begins; where that does not show in the language, what it contains.
        rhetorical: what a question holds that claims something («Did you know that», «, right»).
        heading: nouns and adjectives that headings consist of.
        linking: words a heading may have besides.
        turn: words after which a second claim begins («but», «because»).
        joint: what separates clauses within free text.
        finite: verb forms that show a clause.
        denial: what every refusal holds somewhere («not», «unable»), to tell other sentences quickly.
        further: words besides the finite ones that show a clause behind a joint («it», «won»).
        indirect: how a clause begins, its joint included, that only asks more («and whether»).
        relative: a clause that tells something within free text and has no joint before it («which is»).
    """

    lead: str
    source: str
    given: str
    yours: str
    refusal: tuple[str, ...]
    greeting: tuple[str, ...]
    closing: tuple[str, ...]
    action: tuple[str, ...]
    meta: tuple[str, ...]
    question: str
    rhetorical: str
    heading: str
    linking: str
    turn: str
    joint: str
    finite: str
    denial: str
    further: str
    indirect: str
    relative: str
