"""Heat-maps of example answers: grounds and underlining where they belong, text escaped, contrast enough."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser
from test_plots import luminance
from test_result_document import words

from ragcortex.benchmark.results.heat_map import AnswerHeatMap, ExampleAnswers, HeatRow
from ragcortex.benchmark.results.heat_page import HEAT_STYLE, render_examples
from ragcortex.errors import InputError
from ragcortex.rendering.inert import inert
from ragcortex.rendering.page import STYLE


def heat(**changes):
    fields = {
        "id": "a-1", "question": "How high?", "answer": "It is 63 m.", "generator": "gpt", "gold": ((6, 8),),
        "tokens": ((0, 2), (2, 5), (5, 8), (8, 11)), "rows": (HeatRow("NLL", (0.0, 0.26, 1.0, 0.04), 0.9),),
    }  # fmt: skip
    return AnswerHeatMap(**{**fields, **changes})


def page(*answers, title="A run"):
    return render_examples(ExampleAnswers(title, "Drawn with seed 0.", answers))


def pieces(html, at=0):
    """Return tag, class and text of each piece of an answer."""
    box = LexborHTMLParser(html).css(".heat")[at]
    return [(one.tag, one.attributes.get("class"), one.text()) for one in box.iter(include_text=True)]


def test_grounds_follow_the_scores_and_annotated_text_is_underlined():
    # Scores 0, .26, 1 and .04 are steps 0, 3, 10 and 0; characters 6 to 8 are annotated.
    assert pieces(page(heat())) == [
        ("-text", None, "It"), ("span", "h3", " is"), ("span", "h10", " "), ("u", "h10", "63"), ("-text", None, " m."),
    ]  # fmt: skip
    assert 'title="1.000">63</u>' in page(heat())
    assert "answer .900; highest 1.000 at “63”" in page(heat())


def test_a_ground_never_ends_inside_a_character_that_people_see_as_one():
    family = "👩‍👩‍👧"
    html = page(heat(answer=family + "x", gold=((0, 1),), tokens=((0, 2), (2, 5), (5, 6)),
                     rows=(HeatRow("a", (0.1, 0.9, 0.0)),)))  # fmt: skip
    assert pieces(html) == [("u", "h9", family), ("-text", None, "x")]


@given(answer=words, question=words, title=words)
def test_any_text_is_shown_as_text(answer, question, title):
    tokens = ((0, len(answer)),)
    one = heat(answer=answer, question=question, gold=None, tokens=tokens, rows=(HeatRow(title, (1.0,)),))
    tree = LexborHTMLParser(page(one, title=title))
    assert "".join(node.text() for node in tree.css(".heat span")) == inert(answer)
    assert tree.css_first(".question").text() == inert(question)
    assert not tree.css("script")


def test_markup_is_escaped():
    odd = "<script>alert(1)</script>"
    html = page(heat(id=odd, answer=odd, generator=odd, question=odd, gold=(), tokens=((0, 25),),
                     rows=(HeatRow(odd, (0.5,)), HeatRow("b", None, reason=odd))), title=odd)  # fmt: skip
    assert "<script" not in html
    assert html.count("&lt;script&gt;alert(1)&lt;/script&gt;") == 9


def test_methods_without_token_scores_answers_without_tokens_and_unknown_spans_say_so():
    rows = (HeatRow("verify", None, 0.7, "it scores whole answers only"), HeatRow("nll", ()))
    html = page(heat(answer="", tokens=(), gold=None, question=None, rows=rows))
    assert "answer .700; no token scores: it scores whole answers only" in html
    assert "the answer has no tokens" in html
    assert "not annotated" in html
    assert not LexborHTMLParser(html).css(".heat")


@pytest.mark.parametrize(
    ("answer", "scores", "said"),
    [
        ("It is 63 m.", (0.1, 0.2, 0.3, 0.9), "highest .900 at “m.”"),
        ("It   63 m.x", (0.1, 0.9, 0.3, 0.2), "highest .900 at the white space before “63”"),
        ("It is      ", (0.1, 0.2, 0.9, 0.3), "highest .900"),
    ],
)
def test_the_highest_token_is_named_by_what_can_be_seen(answer, scores, said):
    html = page(heat(answer=answer, gold=(), rows=(HeatRow("a", scores),)))
    assert LexborHTMLParser(html).css_first(".who span").text() == said


@pytest.mark.parametrize(
    ("score", "said"),
    [
        (0.0, "answer .000"), (1.0, "answer 1.000"), (-26.31, "answer score −26.3, of its own scale"),
        (1.2, "answer score 1.2, of its own scale"), (-12345.6, "answer score −12,346, of its own scale"),
    ],
)  # fmt: skip
def test_a_score_of_an_answer_that_is_no_probability_is_said_to_be_of_its_own_scale(score, said):
    html = page(heat(rows=(HeatRow("a", None, score, "whole answers"),)))
    assert LexborHTMLParser(html).css_first(".who span").text() == f"{said}; no token scores: whole answers"


def test_references_are_folded_away_and_shown_as_text():
    odd = "<b>one</b>\n\u202etwo"
    tree = LexborHTMLParser(page(heat(references=(odd, "second")), heat(references=("one",)), heat()))
    folded = tree.css("details")
    assert [one.css_first("summary").text() for one in folded] == ["2 references", "1 reference"]
    assert all("open" not in one.attributes for one in folded)
    assert [one.text() for one in folded[0].css("p")] == [inert(odd), "second"]
    assert not tree.css("details b")


def test_the_page_needs_no_script_and_loads_nothing():
    html = page(heat())
    assert "http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src 'self' file:;" in html
    assert not re.search(r"<(script|link|iframe|img)|style=|on\w+=|https?:", html.split("</style>")[1])
    assert html == page(heat())


def contrast(first, second):
    high, low = sorted((luminance(first), luminance(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_ink_can_be_read_on_every_ground_and_grounds_rise_in_steps():
    inks = re.findall(r"--paper: (#\w+); --ink: (#\w+);", STYLE)
    grounds = re.findall(r"\.h\d+ \{ background: (#\w+); \}", HEAT_STYLE)
    light, dark = grounds[:10], grounds[10:]
    assert len(dark) == 10
    for (paper, ink), steps in zip(inks, (light, dark), strict=False):
        assert min(contrast(ink, ground) for ground in steps) > 4.5
        apart = [contrast(paper, ground) for ground in steps]
        assert apart == sorted(apart)


def test_examples_equal_themselves_after_a_round_trip():
    examples = ExampleAnswers(
        "A run", "All of them.", (heat(references=("x", "")), heat(gold=None, question=None, generator=None))
    )
    assert ExampleAnswers.from_dict(json.loads(json.dumps(examples.to_dict()))) == examples


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"tokens": ((0, 12),)}, "tokens[0]: must lie in the answer's 0..11, got 0..12"),
        ({"gold": ((3, 2),)}, "gold[0]: must lie in the answer's 0..11, got 3..2"),
        ({"tokens": ((0, 2),)}, "rows[0].scores: must be one a token, 1, got 4"),
    ],
)
def test_ranges_outside_the_answer_are_refused(changes, message):
    with pytest.raises(InputError) as caught:
        heat(**changes)
    assert str(caught.value) == message


def test_a_row_has_scores_or_a_reason():
    with pytest.raises(InputError) as caught:
        HeatRow("a", None)
    assert str(caught.value) == "reason: must be given exactly where there are no token scores"
    with pytest.raises(InputError) as caught:
        HeatRow("a", (0.5, 1.2))
    assert str(caught.value) == "scores[1]: must be a number in [0, 1], got 1.2"


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_every_character_stands_on_the_page_once(scores):
    answer = "abcdefgh"[: len(scores)]
    tokens = tuple((at, at + 1) for at in range(len(scores)))
    found = pieces(page(heat(answer=answer, tokens=tokens, gold=(), rows=(HeatRow("a", tuple(scores)),))))
    assert "".join(text for _, _, text in found) == answer
    expected = [f"h{round(score * 10)}" if round(score * 10) else None for score in scores]
    assert [name for _, name, text in found for _ in text] == expected
