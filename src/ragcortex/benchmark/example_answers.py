"""Which answers of a run are shown as heat-maps, and what methods say of them."""

import numpy as np

from ragcortex.benchmark.assemble import Assembled
from ragcortex.benchmark.results.heat_map import AnswerHeatMap, ExampleAnswers, HeatRow

_MOST_TOKENS = 250


def example_answers(assembled: Assembled, n: int) -> ExampleAnswers | None:
    """Return n answers, half of them hallucinated where there are enough, drawn by a fixed seed; None for n = 0.

    Nothing is chosen by how well a method does; answers of more than 250 tokens are not drawn, for the page's sake.
    """
    if not n:
        return None
    answers = assembled.answers
    short = [at for at, tokens in enumerate(answers.tokens) if 0 < len(tokens) <= _MOST_TOKENS]
    order = np.random.default_rng(0).permutation(short).tolist()
    wrong = [at for at in order if answers.examples[at].answer_label == 1][: (n + 1) // 2]
    right = [at for at in order if answers.examples[at].answer_label != 1][: n - len(wrong)]
    chosen = sorted(wrong + right)
    main = {method.name: method.title for method in assembled.document.methods if method.failure is None}
    sentence = (
        f"{len(chosen)} of {len(answers.examples):,} test answers of at most {_MOST_TOKENS} tokens, drawn by a fixed "
        f"seed, {len(wrong)} of them hallucinated; smoothed scores."
    )
    maps = tuple(_heat_map(assembled, at, main) for at in chosen)
    return ExampleAnswers(assembled.document.title, sentence, maps)


def _heat_map(assembled: Assembled, at: int, main: dict[str, str]) -> AnswerHeatMap:
    example, tokens = assembled.answers.examples[at], assembled.answers.tokens[at]
    rows = []
    for name, title in main.items():
        test = assembled.gathered[name].test
        scores = None if test.smoothed is None else tuple(test.smoothed[at].tolist())
        reason = None if scores is not None else "it scores whole answers only"
        rows.append(HeatRow(title, scores, float(test.answers[at]), reason))
    spans = example.known_spans
    return AnswerHeatMap(
        id=example.id or f"answer {at + 1}",
        question=example.question,
        answer=example.answer,
        generator=example.generator,
        tokens=tokens.ranges,
        gold=None if spans is None else tuple((span.start, span.end) for span in spans),
        rows=tuple(rows),
        references=tuple(reference.text for reference in example.references),
    )
