"""What forms send, taken as it was meant, and refused with the place where it is wrong."""

import json

import pytest
from starlette.datastructures import FormData

from ragcortex.errors import InputError
from ragcortex.service.pages.calibration_view import ReviewedWitness, asked_thresholds
from ragcortex.service.pages.check_form import CheckForm, wrong_field
from ragcortex.service.pages.history_view import HistoryFilter
from ragcortex.service.pages.key_pages import _end_of, _rate
from ragcortex.service.pages.queue_view import QueueFilter
from ragcortex.service.pages.review_form import ReviewForm
from ragcortex.service.pages.sign_in_pages import own_path
from ragcortex.service.schemas import CheckIn


def check_form(*pairs: tuple[str, str]) -> CheckForm:
    return CheckForm.of(FormData(list(pairs)))


def review_form(*pairs: tuple[str, str]) -> ReviewForm:
    return ReviewForm.of(FormData(list(pairs)))


def texts(request: CheckIn) -> list[str] | None:
    given = request.references
    return None if given is None else [one if isinstance(one, str) else one.text for one in given]


def test_a_check_is_asked_for_as_it_was_typed() -> None:
    form = check_form(
        ("question", " Where?\r\n"), ("reference", "In\r\nParis.  "), ("reference", " \r\n"),
        ("answer", "\r\n Paris.\r\n"), ("generator", "  gen "), ("policy", ""),
    )  # fmt: skip
    request = form.request()
    # Browsers send line breaks as two characters; spaces around the answer are part of it.
    assert (request.answer, texts(request), request.question) == ("\n Paris.\n", ["In\nParis.  "], "Where?")
    assert (request.generator, request.policy, request.corpus, request.witness) == ("gen", None, None, None)


def test_without_references_there_were_none_unless_a_corpus_is_asked() -> None:
    assert texts(check_form(("answer", "Paris.")).request()) == []
    assert texts(check_form(("answer", "Paris."), ("corpus", "towns")).request()) is None
    both = check_form(("answer", "Paris."), ("corpus", "towns"), ("reference", "In Paris.")).request()
    assert (texts(both), both.corpus) == (["In Paris."], "towns")


@pytest.mark.parametrize("answer", ["", "  \r\n "])
def test_an_empty_answer_is_refused(answer: str) -> None:
    with pytest.raises(InputError, match=r"answer: is empty; paste the text to be checked") as caught:
        check_form(("answer", answer)).request()
    assert wrong_field(caught.value) == "answer"


def test_a_witness_that_is_none_is_refused_at_its_field() -> None:
    with pytest.raises(InputError) as caught:
        check_form(("answer", "Paris."), ("witness", "<b>")).request()
    assert wrong_field(caught.value) == "witness"


def test_fields_for_references_are_added_and_removed_without_a_script() -> None:
    form = check_form(("reference", "a"), ("reference", "b"), ("answer", "x"))
    assert form.changed("add").references == ("a", "b", "")
    assert form.changed("remove-0").references == ("b",)
    assert form.changed("remove-0").changed("remove-0").references == ("",)
    for change in ("remove-7", "remove-x", "remove--1", "other", "remove-１"):
        assert form.changed(change) == form
    assert CheckForm().references == ("",)


def test_which_field_an_error_is_about() -> None:
    assert wrong_field(InputError("references[3].text", "is missing")) == "references"
    assert wrong_field(InputError("row", "is wrong")) == wrong_field(TimeoutError()) == ""


def test_marks_of_the_script_and_of_the_fields() -> None:
    by_script = review_form(("decision", "accept"), ("marks", "[[0,3],[5,9]]"), ("start", "1"), ("end", "2"))
    assert by_script.spans(9) == ({"start": 0, "end": 3}, {"start": 5, "end": 9})
    by_fields = review_form(
        ("decision", "accept"), ("marks", ""), ("start", "0"), ("end", "3"), ("start", " 5 "), ("end", "9"),
        ("start", ""), ("end", " "), ("remove", "0"),
    )  # fmt: skip
    assert by_fields.spans(9) == ({"start": 5, "end": 9},)


def test_accepting_says_hallucinated_exactly_where_something_is_marked() -> None:
    marked = review_form(("decision", "accept"), ("marks", "[[0,3]]"), ("comment", " why "))
    unmarked = review_form(("decision", "accept"), ("marks", "[]"))
    grounded = review_form(("decision", "grounded"), ("marks", "[[0,3]]"))
    made = [form.review("c" * 32, "anna", 9) for form in (marked, unmarked, grounded)]
    assert [(one.label, one.spans, one.comment) for one in made] == [
        (1, ({"start": 0, "end": 3},), "why"),
        (0, (), None),
        (0, (), None),
    ]


def test_a_review_sent_twice_is_one() -> None:
    own = "0123456789abcdef" * 2
    assert review_form(("decision", "accept"), ("review", own)).id == own
    for other in ("", "x" * 32, own.upper(), own + "0"):
        assert len(review_form(("decision", "accept"), ("review", other)).id) == 32
        assert review_form(("decision", "accept"), ("review", other)).id != other


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([("marks", "[[0,10]]")], "spans[0]: must satisfy 0 <= start < end <= 9, got 0 and 10"),
        ([("marks", "[[3,3]]")], "spans[0]: must satisfy 0 <= start < end <= 9, got 3 and 3"),
        ([("marks", "[[-1,3]]")], "spans[0]: must satisfy 0 <= start < end <= 9, got -1 and 3"),
        ([("start", "one"), ("end", "2")], "spans[0]: must be two whole numbers, got 'one' and '2'"),
        ([("start", "1"), ("end", "")], "spans[0]: must be two whole numbers, got '1' and ''"),
        ([("marks", "{")], "marks: must be a JSON list of pairs of whole numbers"),
        ([("marks", "[1]")], "marks: must be a JSON list of pairs of whole numbers"),
        ([("marks", '[["a", "b"]]')], "marks: must be a JSON list of pairs of whole numbers"),
        ([("marks", json.dumps([[0, 1]] * 1001))], "marks: must be at most 1000, got 1001"),
    ],
)
def test_marks_that_cannot_be_are_refused(pairs: list[tuple[str, str]], message: str) -> None:
    with pytest.raises(InputError) as caught:
        review_form(("decision", "accept"), *pairs).spans(9)
    assert str(caught.value) == message


def test_a_review_needs_a_decision() -> None:
    with pytest.raises(InputError) as caught:
        review_form(("decision", "perhaps"))
    assert str(caught.value) == "decision: must be one of accept, grounded; use the buttons of the page"


def test_filters_take_what_they_know() -> None:
    asked = HistoryFilter.of(
        {"verdict": "grounded", "action": "<b>", "label": "1", "since": "2030-05-01", "until": "2030-05-01"}
    )
    assert (asked.values["verdict"], asked.values["action"], asked.wrong) == ("grounded", "", "")
    assert (asked.wanted.label, asked.wanted.action) == (1, None)
    # The last day is part of the period.
    assert asked.wanted.since is not None
    assert asked.wanted.until is not None
    assert (asked.wanted.until - asked.wanted.since).total_seconds() == 24 * 3600
    assert asked.link("a~b") == ("/history?verdict=grounded&label=1&since=2030-05-01&until=2030-05-01&cursor=a~b")
    wrong = HistoryFilter.of({"since": "yesterday"})
    assert (wrong.wrong, wrong.wanted.since, wrong.values["since"]) == ("since", None, "yesterday")
    assert QueueFilter.of({"why": "nobody", "everybody": "yes"}) == QueueFilter()
    assert QueueFilter.of({"why": "block", "everybody": "1", "group": " a "}) == QueueFilter(
        "block", group="a", everybody=True
    )


@pytest.mark.parametrize(
    ("target", "taken"),
    [
        ("/", "/"),
        ("/review/next?after=1#main", "/review/next?after=1#main"),
        ("//elsewhere.example", "/"),
        ("/\\elsewhere.example", "/"),
        ("\\\\elsewhere.example", "/"),
        ("https://elsewhere.example/", "/"),
        ("javascript:alert(1)", "/"),
        ("/a\r\nSet-Cookie: x=y", "/"),
        ("/\t/elsewhere.example", "/"),
        ("", "/"),
    ],
)
def test_after_signing_in_one_stays_on_this_site(target: str, taken: str) -> None:
    assert own_path(target) == taken


def test_keys_take_whole_numbers_and_days() -> None:
    assert (_rate(""), _rate("60"), _end_of("")) == (None, 60, None)
    assert str(_end_of("2030-12-31")) == "2031-01-01 00:00:00+00:00"
    for call, text, message in (
        (_rate, "many", "rate_per_minute: must be a whole number, got 'many'"),
        (_end_of, "soon", "expires_at: must be a day such as 2030-12-31, got 'soon'"),
    ):
        with pytest.raises(InputError) as caught:
            call(text)
        assert str(caught.value) == message


def test_thresholds_that_are_tried_are_in_order() -> None:
    known = ReviewedWitness((), 0.4, 0.8, "", ())
    unknown = ReviewedWitness((), None, None, "", ())

    def tried(known: ReviewedWitness, **given: str) -> tuple[float, float]:
        found = asked_thresholds(given, known)
        return found.review, found.hallucinated

    assert tried(known) == (0.4, 0.8)
    assert tried(known, hallucinated="0.3") == (0.3, 0.3)
    assert tried(known, review="0.9", hallucinated="0.7") == (0.7, 0.7)
    assert tried(known, review="-1", hallucinated="nan") == (0.4, 0.8)
    assert tried(unknown) == (0.5, 0.5)
