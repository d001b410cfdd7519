"""What the pages say of a verdict in English is what the report says, and other languages say all of it."""

import re
from dataclasses import replace

import pytest
from made_reports import ANSWER, OPENED, REFERENCES, THRESHOLDS, check, report, tower

from ragcortex.rendering.explanations import Signs, name_evidence
from ragcortex.rendering.explanations import explain_reasons as english_reasons
from ragcortex.rendering.words import explain_spans as english_spans
from ragcortex.rendering.words import explain_verdict as english_verdict
from ragcortex.report import FlaggedSpan, Note, Report, unjudged_report
from ragcortex.service.pages.report_view import marked_pieces, passages, references, report_of, sentences
from ragcortex.service.pages.scale import scale_of
from ragcortex.service.pages.verdict_words import explain_reasons, explain_spans, explain_verdict, name_span_text
from ragcortex.service.pages.wording import texts_in

ENGLISH = texts_in("en")
NOTE = Note("unread", "The references could not be read.")
SPAN = FlaggedSpan(0, 3, "The", 0.6, ("low_support",))


def verdict_of(judged: Report) -> str:
    return explain_verdict(
        ENGLISH,
        judged.verdict,
        judged.score,
        judged.thresholds,
        marked=bool(judged.spans),
        has_notes=bool(judged.notes),
    )


@pytest.mark.parametrize(
    "judged",
    [
        tower(),
        report(ANSWER, score=0.2),
        report(ANSWER, score=0.2, spans=[SPAN]),
        report(ANSWER, score=0.5),
        report(ANSWER, score=0.9),
        unjudged_report(ANSWER, "no_claim", (), tower().detector),
        unjudged_report(ANSWER, "not_verifiable", (), tower().detector),
        unjudged_report(ANSWER, "not_verifiable", (NOTE,), tower().detector),
    ],
    ids=lambda judged: f"{judged.verdict}-{len(judged.spans)}",
)
def test_verdicts_and_marks_are_explained_as_in_the_report(judged: Report) -> None:
    assert verdict_of(judged) == english_verdict(judged)
    assert explain_spans(ENGLISH, judged) == english_spans(judged)


def test_reasons_are_explained_as_in_the_report() -> None:
    judged = tower()
    shown = ["; ".join(explain_reasons(ENGLISH, judged, span)) for span in judged.spans]
    assert shown == [english_reasons(judged, span, Signs()) for span in judged.spans]
    assert shown == [
        "a name differs: «Berlin» in the answer, «Paris» in the reference",
        "no reference has this date or time; no reference says this",
    ]


def test_reasons_of_older_reports_and_of_several_references() -> None:
    first, second = tower().spans
    older = tower(spans=(replace(first, differences=()), second))
    several = tower(spans=(replace(first, evidence=(*first.evidence, OPENED)), second))
    unsaid = tower(spans=(replace(first, differences=(replace(first.differences[0], reason=None),)), second))
    for judged in (older, several, unsaid):
        shown = ["; ".join(explain_reasons(ENGLISH, judged, span)) for span in judged.spans]
        assert shown == [english_reasons(judged, span, Signs()) for span in judged.spans]


def test_evidence_is_named_as_in_the_report() -> None:
    judged = tower()
    for span in judged.spans:
        for one in span.evidence:
            assert name_span_text(ENGLISH, judged, span, one) == name_evidence(judged, span, one)
    assert name_span_text(ENGLISH, judged, judged.spans[1], OPENED) == "nearest is reference 2, guide.pdf"


@pytest.mark.parametrize("language", ["ja", "zh"])
def test_other_languages_say_it_without_english(language: str) -> None:
    t, judged = texts_in(language), tower()
    said = [
        explain_verdict(t, "hallucinated", 0.9, THRESHOLDS, marked=True, has_notes=False),
        explain_spans(t, judged),
        *(text for span in judged.spans for text in explain_reasons(t, judged, span)),
        *(one.name for passage in passages(t, judged) for one in passage.evidence),
    ]
    for text in said:
        assert not re.search(r"[a-z]{3}", re.sub(r"Berlin|Paris|guide\.pdf", "", text)), text


def test_the_answer_is_divided_at_its_marks() -> None:
    pieces = marked_pieces(tower())
    assert "".join(piece.text for piece in pieces) == ANSWER
    assert [(piece.text, piece.number, piece.last) for piece in pieces if piece.number] == [
        ("Berlin", 1, True),
        ("1890", 2, True),
    ]


def test_a_mark_over_two_sentences_ends_in_the_second_only() -> None:
    span = FlaggedSpan(20, 34, ANSWER[20:34], 0.9, ("low_support",))
    shown = sentences(ENGLISH, tower(spans=(span,)))
    marked = [[(piece.text, piece.last) for piece in one["pieces"] if piece.number] for one in shown]
    # A part that goes on in the next sentence ends there as far as this sentence can tell.
    assert marked == [[("Berlin.", True)], [("It was", True)]]


def test_sentences_show_sources_only_where_they_are_supported() -> None:
    shown = sentences(ENGLISH, tower())
    assert [one["sources"] for one in shown] == [[], []]
    supported = replace(tower().sentences[1], state="supported", score=0.1)
    shown = sentences(ENGLISH, report(ANSWER, sentences=[tower().sentences[0], supported]))
    assert [source.name for source in shown[1]["sources"]] == ["Reference 2, guide.pdf"]


def test_references_show_where_evidence_lies_and_what_differs() -> None:
    judged = tower()
    shown = references(check(judged), judged)
    assert ["".join(piece.text for piece in one.pieces) for one in shown] == list(REFERENCES)
    first, second = shown
    assert [(piece.text, piece.spans, piece.differs) for piece in first.pieces] == [
        ("The tower stands in ", (1,), ()),
        ("Paris", (1,), (1,)),
        (" (France).", (1,), ()),
    ]
    assert [(piece.text, piece.spans) for piece in second.pieces] == [
        ("It was opened in 1889,", (2,)),
        (" and is 330 metres tall.", ()),
    ]
    assert (first.spans, second.spans) == ((1,), (2,))


def test_without_references_the_evidence_of_a_corpus_is_shown() -> None:
    judged = tower()
    shown = references(check(judged, references=()), judged)
    assert [(one.number, one.source, one.spans) for one in shown] == [(1, "", (1,)), (2, "guide.pdf", (2,))]
    assert [(piece.text, piece.differs) for piece in shown[0].pieces] == [
        ("The tower stands in ", ()),
        ("Paris", (1,)),
        (" (France).", ()),
    ]


def test_a_kept_report_is_read_back() -> None:
    assert report_of(check(tower())) == tower()
    assert report_of(check(tower(), report=None)) is None


def test_the_scale_lies_as_the_thresholds_do() -> None:
    scale = scale_of(ENGLISH, 0.9, 0.4, 0.8)
    assert scale is not None
    assert [(zone.tone, zone.left, zone.width) for zone in scale.zones] == [
        ("good", "0.00", "40.00"),
        ("warn", "40.00", "40.00"),
        ("bad", "80.00", "20.00"),
    ]
    assert [tick.label for tick in scale.ticks] == ["0", "0.40", "0.80", "1"]
    assert (scale.needle, scale.spoken[:10]) == ("90.00", "Score 0.90")
    # Labels that would lie on each other are left out: 0.45 is within 0.09 of 0.5, and 0.97 of the end.
    narrow = scale_of(ENGLISH, 0.5, 0.45, 0.5)
    assert narrow is not None
    assert [tick.label for tick in narrow.ticks] == ["0", "0.50", "1"]
    assert scale_of(ENGLISH, None, None, None) is None
