"""Questions to a model: the wording, what answers mean, and probabilities of Yes and No with the evidence read once."""

import dataclasses
import math
from pathlib import Path

import numpy as np
import pytest
import torch
from chat_server import ChatServer, said

from ragcortex.benchmark.chat_endpoint import ChatAnswer, ChatEndpoint
from ragcortex.benchmark.keyed_rows import KeyedRows
from ragcortex.benchmark.unanswered import Unanswered
from ragcortex.benchmark.yes_no import (
    ANSWER,
    SELF_CHECK,
    SENTENCE,
    EndpointJudge,
    Judgement,
    JudgementFile,
    ReaderJudge,
    score_of,
)
from ragcortex.errors import InputError, ReadingError
from ragcortex.readers.reader import Reader, ReaderOptions

EVIDENCE = ["The lighthouse was built in 1874.", "It stands 41 metres above {the} sea."]
STATEMENTS = ["It was built in 1874.", "Mary {question} Holt built it {references}.", "No."]


def test_the_wording() -> None:
    assert SENTENCE.whole(["a", "b"], "Why?", "c") == (
        "References:\na\n\nb\n\nQuestion: Why?\n\nSentence: c\n\n"
        "Is this sentence supported by the references? Answer Yes or No."
    )
    assert SELF_CHECK.whole(["a"], None, "c") == (
        "Context: a\n\nSentence: c\n\nIs the sentence supported by the context above? Answer Yes or No.\n\nAnswer: "
    )
    assert len({SENTENCE.digest, ANSWER.digest, SELF_CHECK.digest, dataclasses.replace(ANSWER, ask="?").digest}) == 4


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ("Yes", 0.0), ("no", 1.0), (" **No.** ", 1.0), ("'Yes'", 0.0), ("YES!", 0.0),
        ("Yes, it says so.", 0.0), ("No: the year is wrong", 1.0), ("No\nThe year is wrong.", 1.0),
        ('{"supported": true}', 0.0), ('{"answer": "No"}', 1.0), ('```json\n{"supported": false}\n```', 1.0),
        ("", None), ("Yes and no", None), ("Yes, but no.", None), ("Nothing says so", None), ("I cannot tell", None),
        ("The answer is yes", None), ('{"supported": "maybe"}', None), ('{"supported": null}', None), ("[true]", None),
        ('{"supported": true, "answer": "no"}', None), ("{", None), ("Yesterday", None), ("true", None),
    ],
)  # fmt: skip
def test_what_an_answer_means(text: str, score: float | None) -> None:
    """Anything that is not plainly one of the two has no score."""
    assert score_of(ChatAnswer(text, True)) == score


def test_probabilities_count_before_words() -> None:
    first = {"Yes": math.log(0.3), " yes": math.log(0.1), "No": math.log(0.2), "The": math.log(0.4)}
    assert score_of(ChatAnswer("Yes", True, first)) == pytest.approx(0.2 / 0.6)
    assert score_of(ChatAnswer("Yes", True, {"No": math.log(0.9), "Maybe": -3.0})) == 1.0
    assert score_of(ChatAnswer("Yes", True, {"The": -0.1})) == 0.0
    assert score_of(ChatAnswer("The", True, {"The": -0.1})) is None
    assert score_of(ChatAnswer("No", True, {"Yes": -math.inf})) == 1.0


@torch.inference_mode()
def plain_score(reader: Reader, evidence: list[str], statement: str, question: str | None) -> float:
    """Return P(No) / (P(Yes) + P(No)) from one whole pass over the whole prompt, a spelling at a time."""
    tokenizer, model = reader.loaded.tokenizer, reader.loaded.model
    text = f"<|im_start|>user\n{SENTENCE.whole(evidence, question, statement)}<|im_end|>\n<|im_start|>assistant\n"
    ids = tokenizer(text, add_special_tokens=False)["input_ids"]
    totals = {}
    for word in ("yes", "no"):
        spellings = {tuple(reader.tokenize(form).ids) for form in (word, f" {word}", word.title(), f" {word.title()}")}
        single = {spelling for spelling in spellings if len(spelling) == 1} or spellings
        totals[word] = 0.0
        for spelling in single:
            log_probs = torch.log_softmax(model(torch.tensor([[*ids, *spelling]])).logits[0].double(), dim=-1)
            steps = [float(log_probs[len(ids) - 1 + step, token]) for step, token in enumerate(spelling)]
            totals[word] += math.exp(sum(steps))
    return totals["no"] / (totals["yes"] + totals["no"])


@pytest.mark.parametrize("question", [None, "Who built {statement} it?"])
def test_the_reader_is_asked_by_its_probabilities(reader: Reader, question: str | None) -> None:
    got = [one.score for one in ReaderJudge(reader).judge(SENTENCE, EVIDENCE, question, STATEMENTS)]
    expected = [plain_score(reader, EVIDENCE, statement, question) for statement in STATEMENTS]
    np.testing.assert_allclose(got, expected, atol=1e-4, rtol=0)
    assert len(set(got)) == 3
    assert list(ReaderJudge(reader).judge(SENTENCE, EVIDENCE, question, [])) == []


def test_evidence_beyond_the_window_is_read_in_windows_and_one_that_supports_is_enough(reader: Reader) -> None:
    short = Reader(reader.loaded, options=ReaderOptions(window=256))
    many = [f"Passage {number} says that {number} ships passed the lighthouse at night." for number in range(30)]
    judge = ReaderJudge(short)
    (alone,) = judge.judge(SENTENCE, many, None, STATEMENTS[:1])
    assert alone.score is not None
    prompter = judge._prompters[SENTENCE.digest]
    windows = judge._prompts(prompter, many, [SENTENCE.after_evidence(None, text) for text in STATEMENTS], 4)
    assert len({len(prompts) for prompts in windows}) == 1
    assert len(windows[0]) > 3
    assert max(len(ids) for prompts in windows for ids in prompts) + 4 <= 256
    # Every window of one statement shares its evidence with the same window of the others.
    for prompts in zip(*windows, strict=True):
        texts = [short._loaded.tokenizer.decode(ids).split("Sentence:")[0] for ids in prompts]
        assert len(set(texts)) == 1
    whole = "".join(short._loaded.tokenizer.decode(ids) for ids in windows[0])
    assert all(passage in whole for passage in many)
    with pytest.raises(InputError):
        list(judge.judge(SENTENCE, many, None, ["word " * 300]))


def test_an_endpoint_is_asked_in_words_or_probabilities(server: ChatServer) -> None:
    server.usual = lambda text: (
        said("No", {"No": math.log(0.6), "Yes": math.log(0.2)}) if "1874." in text.split("Sentence:")[1] else said("?")
    )
    endpoint = ChatEndpoint(server.url, "m", first_wait=0.001)
    judge = EndpointJudge(endpoint)
    found = list(judge.judge(SENTENCE, EVIDENCE, "When?", STATEMENTS))
    assert [one.said for one in found] == ["No", "?", "?"]
    assert [one.score for one in found] == [pytest.approx(0.75), None, None]
    assert sorted(server.messages) == sorted(SENTENCE.whole(EVIDENCE, "When?", text) for text in STATEMENTS)
    assert {(one["temperature"], one["max_tokens"], one["logprobs"]) for one in server.requests} == {(0.0, 16, True)}
    server.replies = [(413, b"", {})]
    (refused,) = judge.judge(SENTENCE, EVIDENCE, None, ["a"])
    endpoint.close()
    assert refused.score is None
    assert refused.said.endswith("answered 413 with nothing")


def test_judgements_are_kept_and_only_those_without_a_score_asked_again(server: ChatServer, tmp_path: Path) -> None:
    endpoint = ChatEndpoint(server.url, "m")
    path = tmp_path / "judgements.jsonl"
    server.usual = lambda text: said("Yes" if "1874." in text.split("Sentence:")[1] else "Perhaps")
    first = JudgementFile(EndpointJudge(endpoint), KeyedRows(path)).of(SENTENCE, EVIDENCE, None, STATEMENTS)
    assert [one.score for one in first] == [0.0, None, None]
    server.usual = lambda _: said("No")
    again = JudgementFile(EndpointJudge(endpoint), KeyedRows(path))
    assert [one.score for one in again.of(SENTENCE, EVIDENCE, None, STATEMENTS)] == [0.0, 1.0, 1.0]
    assert len(server.requests) == 5
    again.of(SENTENCE, EVIDENCE, None, STATEMENTS * 2)
    assert len(server.requests) == 5
    # Whatever may change a judgement makes it another one.
    again.of(ANSWER, EVIDENCE, None, STATEMENTS[:1])
    again.of(SENTENCE, EVIDENCE[::-1], None, STATEMENTS[:1])
    again.of(SENTENCE, EVIDENCE, "Why?", STATEMENTS[:1])
    JudgementFile(EndpointJudge(endpoint, log_probs=False), again.rows).of(SENTENCE, EVIDENCE, None, STATEMENTS[:1])
    other = ChatEndpoint(server.url, "other")
    JudgementFile(EndpointJudge(other), again.rows).of(SENTENCE, EVIDENCE, None, STATEMENTS[:1])
    assert len(server.requests) == 10
    endpoint.close()
    other.close()


def test_what_was_not_answered_is_an_error_or_a_counted_half(tmp_path: Path) -> None:
    rows = KeyedRows(tmp_path / "rows.jsonl")
    strict, half = Unanswered("m", rows, "error"), Unanswered("m", rows, "half")
    for one in (strict, half):
        assert [one.score(Judgement(0.25)), one.score(Judgement(None, "Perhaps"))] == [0.25, 0.5]
        assert (one.n_asked, one.n_unanswered) == (2, 1)
    half.settle()
    with pytest.raises(ReadingError) as caught:
        strict.settle()
    assert str(caught.value) == (
        f"m: 1 of 2 questions got no usable Yes or No, the first 'Perhaps'; all are kept in {str(rows.path)!r}. Run "
        "again to ask only these again, or set the option unparsable to 'half' to score them 0.5"
    )
