"""A score model of the geometric witness, fitted on a few hand-written answers, for tests of all that use one."""

from functools import cache

from made_embedder import WordEmbedder
from ragcortex.example import Example, Reference, Span
from ragcortex.geometry.embedders.embedder import Embedder
from ragcortex.geometry.model import GeometryModel
from ragcortex.training.geometry import fit_geometry, witnessed

# Group, references, grounded answer, hallucinated answer with its invented part between «».
_SOURCES = (
    (
        "lighthouse",
        ("The lighthouse at Cape Arden was built in 1874 by Mary Holt.", "It stands 41 metres above the sea."),
        "The lighthouse at Cape Arden was built in 1874. It is 41 metres above the sea.",
        "The lighthouse at Cape Arden was built in 1874. «It inspired a famous opera about two sailors.»",
    ),
    (
        "library",
        ("Books may be kept for three weeks.", "A late book costs 20 cents a day, but never more than 5 euros."),
        "You may keep a book for three weeks. A late book costs 20 cents a day.",
        "You may keep a book for three weeks. «Members receive free coffee in the reading room.»",
    ),
    (
        "bakery",
        ("The bakery opens at six in the morning.", "Rye bread is baked on Tuesdays and Fridays."),
        "Rye bread is baked on Tuesdays and Fridays. The bakery opens at six.",
        "The bakery opens at six. «Its owner learned the trade from an uncle in Portugal.»",
    ),
    (
        "glacier",
        ("The Orme glacier has lost a third of its length since 1950.", "Its meltwater feeds two lakes."),
        "Since 1950 the Orme glacier has lost a third of its length. Its meltwater feeds two lakes.",
        "The meltwater of the Orme glacier feeds two lakes. «Tourists visit an ice cave with colourful lamps there.»",
    ),
    (
        "train",
        ("Night trains to Lund leave at 22:10 from platform 4.", "Bicycles must be booked a day ahead."),
        "Night trains to Lund leave at 22:10 from platform 4.",
        "Night trains to Lund leave from platform 4. «A piano player entertains guests in the dining car.»",
    ),
    (
        "medicine",
        ("Adults take one tablet twice a day with water.", "Do not take the tablets with grapefruit juice."),
        "Adults take one tablet twice a day. Do not take the tablets with grapefruit juice.",
        "Adults take one tablet twice a day. «The capsules also whiten teeth and strengthen hair.»",
    ),
)  # fmt: skip


def labelled_answers() -> list[Example]:
    """Return twelve answers to six sources; one half of them have an invented sentence, whose span is known."""
    examples = []
    for group, texts, grounded, wrong in _SOURCES:
        references = tuple(map(Reference, texts))
        start, end = wrong.index("«"), wrong.index("»") - 1
        answer = wrong.replace("«", "").replace("»", "")
        examples.append(Example(None, references, grounded, spans=(), label=0, group=group))
        examples.append(Example(None, references, answer, spans=(Span(start, end),), label=1, group=group))
    return examples


def fitted(embedder: Embedder, name: str = "made") -> GeometryModel:
    """Return the score model that the twelve answers give with an embedder."""
    rows = witnessed(labelled_answers(), embedder)
    return fit_geometry(rows, embedder, name=name, data="twelve hand-written answers", training="hand-written")


@cache
def made_model() -> GeometryModel:
    """Return the model for `WordEmbedder`."""
    return fitted(WordEmbedder())


@cache
def encoder() -> Embedder:
    """Return the embedded encoder, loaded once for all tests."""
    from ragcortex.geometry.embedders.load import load_embedder

    return load_embedder("embedded")
