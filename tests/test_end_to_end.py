"""The shipped detectors on their real reader, as a user has them."""

import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import regex

from ragcortex.detectors.internal import InternalDetector
from ragcortex.detectors.registry import shipped
from ragcortex.example import Example
from ragcortex.readers.reader import Reader, ReaderOptions

pytestmark = pytest.mark.weights

DEMO = Path(__file__).parents[1] / "examples" / "demo"
REFERENCES = [
    "The lighthouse at Cape Arden was built in 1874 by the engineer Mary Holt. It is 41 metres high.",
    "Visitors may climb the tower from May to September; dogs are not allowed inside.",
]


@cache
def detector(name: str = "cortex") -> InternalDetector:
    return InternalDetector.load(name)


def demo_example() -> Example:
    texts = [(DEMO / f"reference-{number}.txt").read_text(encoding="utf-8") for number in (1, 2, 3)]
    question = (DEMO / "question.txt").read_text(encoding="utf-8").strip()
    return Example.of(question, texts, (DEMO / "answer.txt").read_text(encoding="utf-8").strip())


def test_the_detectors_that_ship() -> None:
    assert shipped() == ("attention-alignment", "cortex", "cortex-clean", "fusion", "fusion-clean", "reference-gain")


@pytest.mark.parametrize("name", ["cortex", "cortex-clean"])
def test_the_invented_sentence_of_the_demo_is_marked_and_its_neighbours_are_not(name: str) -> None:
    example = demo_example()
    report = detector(name).check_example(example)
    assert report.verdict in ("review", "hallucinated")
    flagged = [sentence.text for sentence in report.sentences if sentence.state == "unsupported"]
    assert any("vinegar" in text for text in flagged)
    by_text = {sentence.text: sentence.score or 0 for sentence in report.sentences}
    invented = next(score for text, score in by_text.items() if "vinegar" in text)
    assert all(score < invented for text, score in by_text.items() if "vinegar" not in text)


@pytest.mark.parametrize("name", ["cortex", "cortex-clean", "reference-gain"])
def test_a_copy_of_the_references_scores_lower_than_an_invention(name: str) -> None:
    question = "Tell me about the lighthouse."
    copied = detector(name).check(question, REFERENCES, REFERENCES[0])
    invented = detector(name).check(
        question, REFERENCES, "The lighthouse inspired a famous opera, and its lamp was a gift from the King of Norway."
    )
    assert copied.score is not None
    assert invented.score is not None
    assert copied.score < invented.score


ODD_ANSWERS = (
    "灯台は1874年に建てられ、高さは41メートルです。犬は入れません。",
    "The tower 👩‍👩‍👧‍👦 is 41 m high 🏴󠁧󠁢󠁷󠁬󠁳󠁿, naïve café, ﬁne … and Ｆｕｌｌ width.",
    "بُنيت المنارة عام 1874. ارتفاعها 41 مترا.",
    "  \tThe tower\u200b is\u0000 41\u00a0metres high.\r\n\r\nIt was built\x07 in 1874.  ",
    "It is 41 metres high, and 41 metres wide; it is 41 metres deep.",
    "According to [1], the tower is **41 metres** high [2].\n\n| height | 41 m |\n|---|---|\n* built: `1874`",
    "Control tokens: <|im_end|> <|im_start|>user <s> are text here.",
)


@pytest.mark.parametrize("answer", ODD_ANSWERS)
def test_every_span_is_the_text_at_its_place_and_splits_no_grapheme(answer: str) -> None:
    report = detector().check("What is the tower like?", REFERENCES, answer)
    assert "".join(token.text for token in report.tokens) == answer
    boundaries = {0, *(match.end() for match in regex.finditer(r"\X", answer))}
    for part in (*report.tokens, *report.spans, *report.sentences, *report.paragraphs):
        assert answer[part.start : part.end] == part.text
        assert {part.start, part.end} <= boundaries


def test_scores_are_the_same_alone_and_among_others_and_however_padded() -> None:
    long = Example.of("What is it?", [text * 6 for text in REFERENCES], " ".join(REFERENCES) * 3)
    examples = [demo_example(), long, *(Example.of("Q?", REFERENCES, answer) for answer in ODD_ANSWERS[:3])]
    alone = [detector().check_example(example) for example in examples]
    for padding_side in ("right", "left"):
        bundle, loaded = detector().bundle, detector().reader.loaded
        options = ReaderOptions(padding_side=padding_side, batch_tokens=8192)
        other = InternalDetector(bundle, Reader(loaded, template=bundle.template, options=options))
        for batch in (examples, examples[::-1]):
            outcomes = {id(outcome.example): outcome.report for outcome in other.check_many(batch)}
            for example, expected in zip(examples, alone, strict=True):
                report = outcomes[id(example)]
                assert report is not None
                scores = [[token.raw, token.score] for token in report.tokens]
                np.testing.assert_allclose(scores, [[t.raw, t.score] for t in expected.tokens], atol=1e-4)


MEMORY = """
import resource, sys, torch
from ragcortex.example import Example
from ragcortex.readers.reader import Reader
from ragcortex.readers.reading import ReadingSpec
reader = Reader.load("embedded")
sentence = "The glass stands on the table near the window, and its water is changed every second day. "
example = Example.of("Where?", [sentence * 120], (sentence * 38).strip())
if sys.argv[1] == "plain":
    answer = reader.tokenize(example.answer).ids
    ids = reader.prompter.prefix(example.question, [example.references[0].text]).ids + answer
    with torch.inference_mode():
        reader.loaded.model(input_ids=torch.tensor([ids]), use_cache=False, logits_to_keep=1)
else:
    reading = reader.read_one(example, ReadingSpec(layers=(20,), attention_layers=None, log_probs=True))
    ids = [0] * (reading.n_reference_tokens + len(reading.tokens))
print(len(ids), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def test_reading_three_thousand_tokens_takes_little_more_memory_than_a_plain_pass() -> None:
    peaks = {}
    for kind in ("plain", "reading"):
        run = subprocess.run([sys.executable, "-c", MEMORY, kind], capture_output=True, text=True, check=True)
        n_tokens, peaks[kind] = map(int, run.stdout.split())
        assert n_tokens > 2900
    assert peaks["reading"] < 1.5 * peaks["plain"]
