"""WiCE from its official files: claims, supporting sentences, and runs of unsupported tokens as spans."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from official_helpers import marked, told, write_json_lines

from ragcortex.datasets.wice import load, token_spans
from ragcortex.errors import InputError


def row(identifier="dev1", label="supported", support=((1, 2), (0,)), **fields):
    return {
        "label": label,
        "supporting_sentences": [list(choice) for choice in support],
        "claim": "It opened in 1874 .",
        "evidence": ["Title", "The bridge opened.", "That was in 1874."],
        "meta": {"id": identifier, "claim_title": "Bridge", "claim_section": "x", "claim_context": "y"},
    } | fields


def tokens(identifier="dev1-0", flags=(False, False, True, True, False), **fields):
    words = {"claim_tokens": ["It", "opened", "in", "1874", "."], "non_supported_spans": list(flags)}
    return row(identifier, "partially_supported") | words | fields


@pytest.fixture
def folder(tmp_path):
    """Return a folder with all parts, each of another number of rows."""
    data = tmp_path / "data"
    labels = ("supported", "partially_supported", "not_supported")
    support = {"not_supported": [[]]}
    claims = [row(f"c{i}", label, support.get(label, ((1, 2),))) for i, label in enumerate(labels)]
    write_json_lines(data / "entailment_retrieval" / "claim" / "dev.jsonl", claims, mark=True)
    write_json_lines(data / "entailment_retrieval" / "claim" / "test.jsonl", [row("t")])
    write_json_lines(data / "entailment_retrieval" / "subclaim" / "train.jsonl", [row("s")])
    write_json_lines(data / "non_supported_tokens" / "train.jsonl", [tokens()])
    return tmp_path


def test_claims(folder):
    loaded = load(folder)

    assert [(e.id, e.label, e.known_spans) for e in loaded.examples] == [
        ("c0", 0, ()),
        ("c1", 1, None),
        ("c2", 1, None),
        ("t", 0, ()),
    ]
    assert loaded.splits == ("validation",) * 3 + ("test",)
    first = loaded.examples[0]
    assert (first.question, first.group, first.task) == ("Bridge", "Bridge", "claim")
    assert [r.text for r in first.references] == ["Title\nThe bridge opened.\nThat was in 1874."]


def test_the_sentences_that_annotators_chose(folder):
    loaded = load(folder, evidence="supporting")

    assert [r.text for r in loaded.examples[0].references] == ["The bridge opened.", "That was in 1874."]
    assert [(n.reason, n.ids) for n in loaded.dropped] == [("no supporting sentence", ("c2",))]


def test_parts_are_told_by_their_folder(folder):
    for path in (folder, folder / "data"):
        assert [e.id for e in load(path, part="subclaim").examples] == ["s"]
        assert [e.id for e in load(path, part="tokens").examples] == ["dev1-0"]
    own = folder / "data" / "entailment_retrieval" / "subclaim"
    assert [e.id for e in load(own, part="subclaim").examples] == ["s"]
    with pytest.raises(InputError) as error:
        load(own, part="claim")
    assert str(error.value) == (
        f"path: {own} holds no data/entailment_retrieval/claim/*.jsonl; give the folder of the download"
    )


def test_unsupported_tokens_are_spans(folder):
    loaded = load(folder, part="tokens")
    assert (marked(loaded, "dev1-0"), loaded.examples[0].label, loaded.splits) == (["in 1874"], 1, ("train",))


def test_tokens_that_do_not_make_up_the_claim_drop_the_row(tmp_path):
    rows = [
        tokens("a"),
        tokens("b", claim="It was opened in 1874 ."),
        tokens("c", flags=[True]),
        tokens("d", flags=[0, 0, 1, 1, 0]),
        tokens("e", claim="It opened in 1874 . Then"),
        tokens("f", claim_tokens=["It", "opened", "in", "1874", ""]),
        tokens("g", flags=[False] * 5, evidence=[" "]),
        tokens("a"),
        tokens("h", flags=[False] * 5),
    ]
    file = write_json_lines(tmp_path / "data" / "non_supported_tokens" / "test.jsonl", rows)
    loaded = load(file.parent, part="tokens")

    assert [(e.id, e.label) for e in loaded.examples] == [("a", 1), ("h", 0)]
    assert told(loaded.dropped) == {
        "tokens not one after the other in the claim": 5,
        "no reference that is not blank": 1,
        "repeats the id of an earlier row": 1,
    }


@given(
    parts=st.lists(
        st.tuples(
            st.text(st.sampled_from("ab😀,é"), min_size=1, max_size=4), st.sampled_from(["", " ", "\n "]), st.booleans()
        ),
        min_size=1,
        max_size=8,
    )
)
def test_spans_cover_the_marked_tokens_and_only_them(parts):
    text = "".join(token + gap for token, gap, _ in parts)
    spans = token_spans(text, [token for token, _, _ in parts], [flag for _, _, flag in parts])

    covered, position = {index for span in spans for index in range(span.start, span.end)}, 0
    for token, gap, flag in parts:
        assert all((position + offset in covered) == flag for offset in range(len(token)))
        position += len(token) + len(gap)
    assert all(not text[span.start].isspace() and not text[span.end - 1].isspace() for span in spans)


def test_what_is_refused(tmp_path):
    file = write_json_lines(tmp_path / "data" / "entailment_retrieval" / "claim" / "dev.jsonl", [row(support=[[9]])])
    cases = (
        (
            {"evidence": "supporting"},
            f"supporting_sentences: must be indices of the 3 sentences, got 9 ({file}, line 1)",
        ),
        ({"part": "word"}, "part: must be one of claim, subclaim, tokens, got 'word'"),
        ({"evidence": "all"}, "evidence: must be one of article, supporting, got 'all'"),
    )
    for options, message in cases:
        with pytest.raises(InputError) as error:
            load(tmp_path, **options)
        assert str(error.value) == message
    write_json_lines(file, [row(label="unknown")])
    with pytest.raises(InputError) as error:
        load(tmp_path)
    assert str(error.value) == (
        f"label: must be one of supported, partially_supported, not_supported, got 'unknown' ({file}, line 1)"
    )
