"""Plain functions: a decorator guards what a function answers. DSPy modules have it on their `forward`."""

from ragcortex import Detector
from ragcortex.integrations.functions import grounded
from ragcortex.integrations.policy import GuardedAnswer, GuardPolicy

PASSAGES = [
    {"text": "Orders above $50 ship free.", "source": "shipping.md"},
    {"text": "A parcel takes three to five working days.", "source": "shipping.md"},
]
DETECTOR = Detector.load(witness="geometry")


def tell(guarded: GuardedAnswer) -> None:
    """Print what was tried."""
    print(*[f"  tried: {report.verdict}: {report.answer}" for report in guarded.attempts], sep="\n")


@grounded(question="question", references="passages", detector=DETECTOR, on_checked=tell)
def answer(question: str, passages: list[dict[str, str]], hint: str = "") -> str:
    """Answer as a language model would; with a hint it is more careful."""
    del question
    return passages[1]["text"] if hint else f"{passages[1]['text']} Couriers ride white horses."


@grounded(references="found", answer="text", detector=DETECTOR, policy=GuardPolicy(hallucinated="annotate"))
def search_and_answer(question: str) -> dict[str, object]:
    """Find passages and answer: references and answer are in what is returned."""
    del question
    return {"text": "Orders above $80 ship free.", "found": PASSAGES}


print("Shown:", answer("How long does a parcel take?", PASSAGES))
print("Shown:", search_and_answer("What ships free?")["text"])
