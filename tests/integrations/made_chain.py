"""A small world for real pipelines: passages with metadata, and a careless generator that answers from its prompt."""

import re

PASSAGES = (
    ("The lighthouse at Cape Arden was built in 1874.", {"source": "capes.pdf", "page": 3, "page_label": "iv"}),
    ("It stands 41 metres above the sea.", {"source": "capes.pdf", "page": 4}),
    ("Books may be kept for three weeks.", {"source": "library.md"}),
)
QUESTION = "When was the lighthouse at Cape Arden built?"
GROUNDED = "The lighthouse at Cape Arden was built in 1874."
INVENTED = "Members receive free coffee in the reading room."
PROMPT = "Answer from the sources.\n{sources}\nQuestion: {question}\n{hint}"


def prompt_of(sources: list[str], question: str, hint: str = "") -> str:
    """Return a prompt, one source a line."""
    return PROMPT.format(sources="\n".join(f"- {source}" for source in sources), question=question, hint=hint)


def generated(prompt: str) -> str:
    """Answer as a careless model does: the source nearest to the question and an invention, unless it is told off."""
    sources = [line[2:] for line in prompt.splitlines() if line.startswith("- ")]
    question = next(line for line in prompt.splitlines() if line.startswith("Question:"))
    nearest = max(sources, key=lambda source: len(_words(source) & _words(question)))
    return nearest if "do not support" in prompt else f"{nearest} {INVENTED}"


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))


def embedded(text: str, dimension: int = 64) -> list[float]:
    """Return counts of words in hashed places: texts that share words are near each other."""
    counts = [0.0] * dimension
    for word in re.findall(r"\w+", text.lower()):
        counts[sum(word.encode()) * 7 % dimension] += 1.0
    return counts
