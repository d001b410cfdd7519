"""The input row: what is accepted, and the whole message of what is not."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcortex.errors import InputError
from ragcortex.example import Example, Reference, Span

ROW: dict[str, Any] = {"id": "r1", "question": "Where?", "references": ["Here."], "answer": "There."}


def test_a_full_row() -> None:
    row = {
        **ROW,
        "references": ["Here.", {"id": 7, "text": "There.", "source": "a.txt"}],
        "spans": [{"start": 0, "end": 5, "text": "There"}],
        "label": 1,
        "group": "g",
        "model": "some-model",
        "task": "qa",
        "unknown": {"is": "ignored"},
    }
    assert Example.from_row(row) == Example(
        question="Where?",
        references=(Reference("Here."), Reference("There.", "7", "a.txt")),
        answer="There.",
        id="r1",
        spans=(Span(0, 5),),
        label=1,
        group="g",
        generator="some-model",
        task="qa",
    )


def test_the_smallest_row() -> None:
    assert Example.from_row({"references": [], "answer": ""}) == Example(None, (), "")


@pytest.mark.parametrize(
    ("changes", "field", "value"),
    [
        ({"id": 12}, "id", "12"),
        ({"id": None}, "id", None),
        ({"generator": "a", "model": "b"}, "generator", "a"),
        ({"spans": None}, "spans", None),
        ({"spans": []}, "spans", ()),
        ({"label": None}, "label", None),
        ({"references": ["x", Reference("y")]}, "references", (Reference("x"), Reference("y"))),
        ({"references": ("x",)}, "references", (Reference("x"),)),
    ],
)
def test_accepted_forms(changes: dict[str, Any], field: str, value: Any) -> None:
    assert getattr(Example.from_row({**ROW, **changes}), field) == value


def test_context_stands_for_references() -> None:
    row = {"context": "Here.", "answer": "There."}
    assert Example.from_row(row).references == (Reference("Here."),)
    assert Example.from_row({**row, "references": ["x"]}).references == (Reference("x"),)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ([], "row: must be a JSON object, got list"),
        ({"references": []}, "answer: is missing; every row needs the text to be judged"),
        ({"answer": "x"}, "references: is missing; give the retrieved passages as a list, [] if there were none"),
        ({**ROW, "answer": None}, "answer: must be a string, got NoneType"),
        ({**ROW, "answer": 3}, "answer: must be a string, got int"),
        ({**ROW, "question": ["Where?"]}, "question: must be a string or null, got list"),
        ({**ROW, "id": 1.5}, "id: must be a string or null, got float"),
        ({**ROW, "id": True}, "id: must be a string or null, got bool"),
        ({**ROW, "group": 4}, "group: must be a string or null, got int"),
        ({**ROW, "task": {}}, "task: must be a string or null, got dict"),
        ({**ROW, "references": "Here."}, "references: must be a list of passages, got str"),
        ({**ROW, "references": {"text": "x"}}, "references: must be a list of passages, got dict"),
        ({**ROW, "references": None}, "references: must be a list of passages, got NoneType"),
        ({**ROW, "references": ["x", 3]}, "references[1]: must be a string or an object with text, got int"),
        ({**ROW, "references": [{"id": "a"}]}, "references[0].text: is missing"),
        ({**ROW, "references": [{"text": None}]}, "references[0].text: must be a string, got NoneType"),
        (
            {**ROW, "references": ["x", {"text": "x", "source": 3}]},
            "references[1].source: must be a string or null, got int",
        ),
        (
            {**ROW, "context": 3, "references": [None]},
            "references[0]: must be a string or an object with text, got NoneType",
        ),
        ({**ROW, "spans": "0-5"}, "spans: must be a list of objects with start and end, got str"),
        ({**ROW, "spans": [[0, 5]]}, "spans[0]: must be an object with start and end"),
        ({**ROW, "spans": [{"start": 0}]}, "spans[0]: must be an object with start and end"),
        ({**ROW, "spans": [{"start": "0", "end": 5}]}, "spans[0].start: must be a whole number of characters, got '0'"),
        ({**ROW, "spans": [{"start": 0, "end": True}]}, "spans[0].end: must be a whole number of characters, got True"),
        (
            {**ROW, "spans": [{"start": 3, "end": 3}]},
            "spans[0].start: must satisfy 0 <= start < end, got start=3, end=3",
        ),
        (
            {**ROW, "spans": [{"start": 0, "end": 1}, {"start": 0, "end": 99}]},
            "spans[1].end: must be at most the answer's length 6, got 99",
        ),
        ({**ROW, "label": 2}, "label: must be 0, 1 or null, got 2"),
        ({**ROW, "label": "1"}, "label: must be 0, 1 or null, got '1'"),
        ({**ROW, "label": True}, "label: must be 0, 1 or null, got True"),
        ({**ROW, "label": [1]}, "label: must be 0, 1 or null, got [1]"),
        (
            {**ROW, "label": 0, "spans": [{"start": 0, "end": 2}]},
            "label: is 0 although 1 spans are marked as hallucinated",
        ),
        (
            {**ROW, "answer": json.loads('"ab\\ud83d"')},
            "answer: has a lone surrogate at character 2, which is not text",
        ),
        (
            {**ROW, "references": [json.loads('"\\udc00"')]},
            "references[0].text: has a lone surrogate at character 0, which is not text",
        ),
    ],
)
def test_refused_rows(row: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        Example.from_row(row)
    assert str(caught.value) == message


def test_references_of_the_constructor_are_of_one_type() -> None:
    with pytest.raises(InputError) as caught:
        Example(None, ["x"], "y")  # type: ignore[arg-type]
    assert str(caught.value) == "references: must be a tuple of Reference; Example.of accepts plain strings"


def test_label_may_be_one_without_spans() -> None:
    assert Example.from_row({**ROW, "label": 1, "spans": []}).label == 1


FIELDS = ("id", "question", "references", "context", "answer", "spans", "label", "group", "generator", "model", "task")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


@given(st.fixed_dictionaries({}, optional=dict.fromkeys(FIELDS, JSON)))
def test_any_row_is_an_example_or_an_input_error(row: dict[str, Any]) -> None:
    """R3: a bad row never ends in another kind of error."""
    try:
        example = Example.from_row(row)
    except InputError as error:
        assert error.field  # noqa: PT017
    else:
        assert example.answer == row["answer"]


@pytest.mark.parametrize(
    ("label", "spans", "answer_label", "known_spans"),
    [
        (None, None, None, None),
        (0, None, 0, ()),
        (1, None, 1, None),
        (None, (), 0, ()),
        (1, (), 1, None),
        (None, (Span(0, 2),), 1, (Span(0, 2),)),
        (1, (Span(0, 2),), 1, (Span(0, 2),)),
    ],
)
def test_what_labels_and_spans_say_together(
    label: int | None,
    spans: tuple[Span, ...] | None,
    answer_label: int | None,
    known_spans: tuple[Span, ...] | None,
) -> None:
    example = Example(None, (), "There.", label=label, spans=spans)
    assert (example.answer_label, example.known_spans) == (answer_label, known_spans)
