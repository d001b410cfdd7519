"""Overlap of characters against sets of positions, one character at a time."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_answers import example_of, tokens_of
from made_units import scored_answers

from ragcortex.align import AnswerTokens
from ragcortex.errors import ReadingError
from ragcortex.evaluation.bootstrap import resample_counts
from ragcortex.evaluation.operating_points import NOTHING_FLAGGED
from ragcortex.evaluation.resampling import Resamples
from ragcortex.evaluation.span_overlap import NOTHING_MARKED, CharacterIndex, marked_ranges
from ragcortex.example import Example, Span


def plain_marked(tokens: AnswerTokens, scores, threshold) -> set[int]:
    """Return the marked characters: visible ones of flagged tokens, and white space between two of them."""
    text = tokens.text
    flagged = {
        place
        for (start, end), score in zip(tokens.ranges, scores, strict=True)
        if score >= threshold
        for place in range(start, end)
        if not text[place].isspace()
    }
    visible = [place for place in range(len(text)) if not text[place].isspace()]
    between = {
        place
        for before, after in itertools.pairwise(visible)
        if {before, after} <= flagged
        for place in range(before, after)
    }
    return flagged | between


def gold(example: Example) -> set[int]:
    return {place for span in example.known_spans for place in range(span.start, span.end)}


@settings(deadline=None)
@given(rows=scored_answers(), steps=st.lists(st.integers(0, 9), min_size=5, max_size=5))
def test_counts_equal_those_of_sets_of_characters(rows, steps):
    examples, tokens, scores, _ = rows
    thresholds = np.array(steps[: len(examples)]) / 8
    index = CharacterIndex(examples, tokens)
    found = index.counts(scores, thresholds)
    assert index.known.tolist() == [place for place, one in enumerate(examples) if one.known_spans is not None]
    total = 0
    for position, answer in enumerate(index.known.tolist()):
        marked = plain_marked(tokens[answer], scores[answer], thresholds[answer])
        truth = gold(examples[answer])
        counts = (found.marked[position], found.hallucinated[position], found.common[position])
        assert counts == (len(marked), len(truth), len(marked & truth))
        iou = len(marked & truth) / len(marked | truth) if marked | truth else 1.0
        assert found.iou[position] == pytest.approx(iou)
        ranges = marked_ranges(tokens[answer], scores[answer], thresholds[answer])
        assert {place for start, end in ranges for place in range(start, end)} == marked
        assert all(before[1] <= after[0] for before, after in itertools.pairwise(ranges))
        total += len(examples[answer].answer)
    assert found.n_characters == total


def lettuce_style(predicted, annotated):
    """Return precision, recall and F1 over characters as LettuceDetect's evaluation adds them up, span by span."""
    overlap = n_predicted = n_annotated = 0
    for ours, theirs in zip(predicted, annotated, strict=True):
        n_predicted += sum(end - start for start, end in ours)
        n_annotated += sum(end - start for start, end in theirs)
        overlap += sum(max(0, min(a[1], b[1]) - max(a[0], b[0])) for a in ours for b in theirs)
    precision, recall = overlap / n_predicted, overlap / n_annotated
    return precision, recall, 2 * precision * recall / (precision + recall)


def made_answers():
    rng = np.random.default_rng(5)
    text = "The river is long and flows through seven lakes of the north"
    examples, scores = [], []
    for source in range(12):
        starts = rng.choice([4, 22, 36], size=2, replace=False)
        spans = tuple(Span(int(start), int(start) + 8) for start in sorted(starts)) if source % 3 else ()
        examples.append(Example(None, (), text, spans=spans, group=f"source {source // 2}"))
        scores.append(rng.random(12))
    return examples, [tokens_of(text)] * 12, scores


def test_figures_are_those_of_the_published_definitions():
    examples, tokens, scores = made_answers()
    index = CharacterIndex(examples, tokens)
    found = index.overlap(index.counts(scores, 0.5), Resamples(index.groups, seed=1, n_resamples=30))
    predicted = [marked_ranges(own, row, 0.5) for own, row in zip(tokens, scores, strict=True)]
    annotated = [[(span.start, span.end) for span in one.spans] for one in examples]
    assert (found.precision.value, found.recall.value, found.f1.value) == pytest.approx(
        lettuce_style(predicted, annotated)
    )
    ious = []
    for ours, theirs in zip(predicted, annotated, strict=True):
        first, second = ({place for pair in ranges for place in range(*pair)} for ranges in (ours, theirs))
        ious.append(len(first & second) / len(first | second) if first | second else 1.0)
    assert found.iou.value == pytest.approx(np.mean(ious))
    assert (found.iou.metric.n, found.iou.metric.base_rate) == (12, pytest.approx(8 / 12))
    assert found.f1.metric.n == 12 * len(examples[0].answer)
    values = []
    for counts in resample_counts(6, 30, seed=1):
        rows = [row for group in np.repeat(np.arange(6), counts) for row in np.flatnonzero(index.groups == group)]
        f1 = lettuce_style([predicted[row] for row in rows], [annotated[row] for row in rows])[2]
        values.append((f1, np.mean([ious[row] for row in rows])))
    expected = np.percentile(values, [2.5, 97.5], axis=0).T
    for estimate, (low, high) in zip((found.f1, found.iou), expected, strict=True):
        assert (estimate.interval.low, estimate.interval.high) == (pytest.approx(low), pytest.approx(high))


def test_a_worked_example():
    # «seven lakes» (11) is hallucinated; marked is «through seven» (13): 5 in common; union 19.
    example = example_of("It flows through seven lakes", "seven lakes")
    index = CharacterIndex([example], [tokens_of(example.answer)])
    scores = [[0.1, 0.1, 0.9, 0.8, 0.2]]
    found = index.counts(scores, 0.5)
    assert (found.marked.tolist(), found.hallucinated.tolist(), found.common.tolist()) == ([13], [11], [5])
    assert found.iou.tolist() == [5 / 19]
    assert marked_ranges(tokens_of(example.answer), scores[0], 0.5) == ((9, 22),)


def test_overlapping_annotations_count_once():
    example = Example(None, (), "one two", spans=(Span(0, 3), Span(0, 7)))
    index = CharacterIndex([example], [tokens_of("one two")])
    found = index.counts([[0.9, 0.1]], 0.5)
    assert (found.marked.tolist(), found.hallucinated.tolist(), found.common.tolist()) == ([3], [7], [3])


def test_where_nothing_is_marked_or_labelled_the_reason_is_given():
    grounded = example_of("one two", "")
    unknown = example_of("one two", None, label=1)
    index = CharacterIndex([grounded, unknown], [tokens_of("one two")] * 2)
    resamples = Resamples(index.groups, seed=0, n_resamples=5)
    clean = index.overlap(index.counts([[0.1, 0.1], [0.9, 0.9]], 0.5), resamples)
    for one in (clean.precision, clean.recall, clean.f1):
        assert (one.value, one.metric.reason) == (None, NOTHING_MARKED)
    assert (clean.iou.value, clean.iou.metric.n, clean.n_left_out) == (1.0, 1, 1)
    assert clean.iou.interval.reason == "all rows are of one group"
    assert index.overlap(index.counts([[0.9, 0.1], [0.9, 0.9]], 0.5), resamples).iou.value == 0
    index = CharacterIndex([example_of("one two", "two")], [tokens_of("one two")])
    missed = index.overlap(index.counts([[0.1, 0.1]], 0.5), resamples)
    assert missed.precision.metric.reason == NOTHING_FLAGGED
    assert (missed.recall.value, missed.f1.value, missed.iou.value) == (0, 0, 0)
    nothing = CharacterIndex([unknown], [tokens_of("one two")])
    empty = nothing.overlap(nothing.counts([[0.9, 0.9]], 0.5), Resamples(nothing.groups, seed=0, n_resamples=5))
    assert (empty.f1.metric.reason, empty.iou.metric.reason) == (NOTHING_MARKED, "no answer has known spans")
    later = nothing.without_threshold("no validation", 0)
    assert (later.f1.metric.reason, later.iou.metric.reason) == ("no validation", "no validation")


def test_scores_that_do_not_fit_are_refused():
    index = CharacterIndex([example_of("one two", "two")], [tokens_of("one two")])
    with pytest.raises(ReadingError) as error:
        index.counts([[0.1]], 0.5)
    assert str(error.value) == "token_scores[0]: expected 2 scores, one a token, got shape (1,)"
