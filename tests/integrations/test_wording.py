"""What is said of a judged answer to its reader, to the model that wrote it, and to a developer."""

import made_detectors as made
from ragcortex.integrations import wording
from ragcortex.report import FlaggedSpan, Report, SentenceScore, Thresholds

INFO = made.geometric().info
WORDS = ["one", "two", "three", "four", "five", "six", "seven"]


def report(verdict="hallucinated", n_spans=7, **changes):
    """Return a report on seven words, each marked as far as there are spans."""
    answer = " ".join(WORDS)
    spans, start = [], 0
    for word in WORDS[:n_spans]:
        spans.append(FlaggedSpan(start, start + len(word), word, 0.9, ("low_support",)))
        start += len(word) + 1
    judged = verdict in ("grounded", "review", "hallucinated")
    state = "unsupported" if judged else "no_claim"
    values = {
        "tokens": (),
        "spans": tuple(spans) if judged else (),
        "paragraphs": (),
        "detector": INFO,
        "sentences": (SentenceScore(0, len(answer), answer, 0.9 if judged else None, state),),
        "thresholds": Thresholds(0.2, 0.4, 0.6) if judged else None,
    }
    return Report(answer, verdict, 0.9 if judged else None, **{**values, **changes})


def test_five_passages_are_named_at_most():
    assert wording.hint(report()).count(" in «one two three") == 5
    assert wording.feedback(report()).endswith("«five»: no reference says this. 2 more passages are marked.")
    assert "more passages" not in wording.feedback(report(n_spans=5))


def test_a_long_passage_is_cut_and_lines_are_joined():
    answer = "word\n" * 60 + "end"
    span = FlaggedSpan(0, len(answer), answer, 0.9, ("low_support",))
    sentence = SentenceScore(0, len(answer), answer, 0.9, "unsupported")
    one = Report(answer, "review", 0.5, (), (span,), (sentence,), (), INFO, thresholds=Thresholds(0.2, 0.4, 0.6))
    assert wording.hint(one).count("…») ") == 0
    assert f"«{' '.join(['word'] * 40)}…»" in wording.hint(one)
    assert "\n" not in wording.hint(one)


def test_an_answer_of_which_nothing_stands_out_gets_a_note():
    doubtful = report("review", 0)
    assert (
        wording.annotated(doubtful, ("[", "]"))
        == f"{doubtful.answer}\n\nNote: the sources may not support this answer."
    )
    assert wording.hint(doubtful).startswith("Your previous answer is not well supported by the sources. Write")
    assert wording.annotated(report("grounded", 0), ("[", "]")) == doubtful.answer


def test_marks_stand_around_each_passage():
    assert wording.annotated(report(n_spans=2), ("<", ">")) == (
        "<one> <two> three four five six seven\n\n< > marks what the sources do not support."
    )
