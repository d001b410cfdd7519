"""Several sampled answers to one question: clusters by meaning, entropy, agreement, and what differs."""

import itertools
import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from letter_embedder import LetterEmbedder

from ragcortex.errors import InputError
from ragcortex.geometry.consistency import LIMITATION, Consistency, consistency
from ragcortex.geometry.consistency_clusters import complete_linkage, semantic_entropy
from ragcortex.geometry.consistency_facts import Profile, contradictions
from ragcortex.geometry.facts.extract import facts_of
from ragcortex.report_parts import Note

TOWER = "The Eiffel Tower is 330 metres tall."


def compared(*answers: str, similarity: float = 0.6) -> Consistency:
    return consistency(answers, LetterEmbedder(), similarity=similarity)


def naive_clusters(similarities: np.ndarray, same: np.ndarray) -> set[frozenset[int]]:
    """Join clusters one after another, comparing all pairs of all clusters with a loop each time."""
    clusters = [frozenset((index,)) for index in range(len(similarities))]
    while True:
        best: tuple[float, int, int] | None = None
        for one, two in itertools.combinations(sorted(clusters, key=min), 2):
            pairs = [(i, j) for i in one for j in two]
            if not all(same[pair] for pair in pairs):
                continue
            least = min(similarities[pair] for pair in pairs)
            candidate = (-least, min(one), min(two))
            if best is None or candidate < best:
                best = candidate
        if best is None:
            return set(clusters)
        joined = [cluster for cluster in clusters if min(cluster) in best[1:]]
        clusters = [cluster for cluster in clusters if cluster not in joined] + [joined[0] | joined[1]]


@settings(max_examples=60, deadline=None)
@given(n=st.integers(0, 9), seed=st.integers(0, 999), share=st.floats(0, 1), coarse=st.booleans())
def test_clusters_are_those_of_a_loop_over_pairs(n: int, seed: int, share: float, coarse: bool) -> None:
    random = np.random.default_rng(seed)
    values = random.integers(0, 4, (n, n)) / 4 if coarse else random.random((n, n))  # ties, or none
    similarities = np.maximum(values, values.T)
    same = similarities >= 1 - share
    same &= random.random((n, n)) < 0.9
    same &= same.T
    clusters = complete_linkage(similarities, same)

    assert {frozenset(cluster) for cluster in clusters} == naive_clusters(similarities, same)
    assert list(clusters) == sorted(clusters)
    for cluster in clusters:
        assert all(same[pair] for pair in itertools.combinations(cluster, 2))


def test_clusters_are_those_of_scipy_where_nothing_is_equal() -> None:
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import squareform

    for seed in range(20):
        values = np.random.default_rng(seed).random((12, 12))
        similarities = (values + values.T) / 2
        distances = 1 - similarities
        np.fill_diagonal(distances, 0)
        numbers = fcluster(linkage(squareform(distances), "complete"), 0.5, "distance")
        expected = {frozenset(np.nonzero(numbers == number)[0].tolist()) for number in set(numbers)}

        assert {frozenset(each) for each in complete_linkage(similarities, similarities >= 0.5)} == expected


@pytest.mark.parametrize(
    ("sizes", "entropy"),
    [
        ([5], 0.0),
        ([2, 2], 0.6931471805599453),  # log 2
        # −3/5 log 3/5 − 2 · 1/5 log 1/5 = 0.6 · 0.510826 + 0.4 · 1.609438 = 0.306495 + 0.643775
        ([3, 1, 1], 0.9502705392332347),
        ([1] * 7, 1.9459101490553132),  # log 7
    ],
)
def test_entropy_by_hand(sizes: list[int], entropy: float) -> None:
    assert semantic_entropy(sizes) == pytest.approx(entropy, abs=1e-12)


def test_a_worked_example() -> None:
    result = compared(
        TOWER,
        "The Eiffel Tower is 330 m tall.",
        "The Eiffel Tower is 330 metres tall!",
        "The Eiffel Tower is 324 metres tall.",
        "I don't know.",
    )

    assert result.clusters == ((0, 1, 2), (3,), (4,))
    assert result.refusals == 2
    assert result.largest_share == 0.6
    # 0.950271 nats as above; divided by log 5 = 1.609438
    assert result.entropy == pytest.approx(0.950271, abs=1e-6)
    assert result.score == result.normalized_entropy == pytest.approx(0.590436, abs=1e-6)
    assert result.agreement == (0.5, 0.5, 0.5, 0.0, 0.0)
    assert result.notes == ()
    assert result.limitation == LIMITATION
    (difference,) = result.disagreements
    assert difference.kind == "quantity"
    assert (difference.found.answer, difference.found.text) == (3, "324 metres")
    assert difference.majority.answer in (0, 1, 2)
    assert difference.majority.text in ("330 m", "330 metres")
    assert result.answers[3][difference.found.start : difference.found.end] == "324 metres"


_SENTENCES = (
    TOWER,
    "The Eiffel Tower is 324 metres tall.",
    "The Eiffel Tower was finished in 1889.",
    "The Eiffel Tower was finished in 1898.",
    "It was finished on 31 March 1889.",
    "Smoking is allowed inside the tower.",
    "Smoking is not allowed inside the tower.",
    "I don't know.",
    "",
)


@settings(max_examples=50, deadline=None)
@given(data=st.data())
def test_the_order_of_the_answers_changes_only_the_indices(data: st.DataObject) -> None:
    answers = data.draw(st.lists(st.sampled_from(_SENTENCES), min_size=2, max_size=8))
    order = data.draw(st.permutations(range(len(answers))))
    first = compared(*answers)
    second = compared(*(answers[index] for index in order))

    def of_first(cluster: tuple[int, ...]) -> frozenset[int]:
        return frozenset(order[index] for index in cluster)

    assert {of_first(cluster) for cluster in second.clusters} == {frozenset(cluster) for cluster in first.clusters}
    assert (second.entropy, second.score, second.largest_share) == (first.entropy, first.score, first.largest_share)
    assert [first.agreement[index] for index in order] == list(second.agreement)
    assert {(order[each.found.answer], each.found.start, each.majority.text) for each in second.disagreements} == {
        (each.found.answer, each.found.start, each.majority.text) for each in first.disagreements
    }
    assert 0 <= first.normalized_entropy <= 1
    assert compared(*answers).to_json() == first.to_json()


@pytest.mark.parametrize(
    ("first", "second", "kinds"),
    [
        (TOWER, "The tower is 324 m high.", {"quantity"}),
        (TOWER, "The tower is 33,000 cm high.", set()),
        (TOWER, "The tower is about 330 m high.", set()),
        (TOWER, "The tower is 330 metres tall and 125 metres wide.", set()),
        ("It cost $1,200.00.", "It cost 1200 dollars.", set()),
        ("It cost 1,200 euros.", "It cost 1,200 dollars.", {"money"}),
        ("It was finished in 1889.", "It was finished on 31 March 1889.", set()),
        ("It was finished on 31 March 1889.", "It was finished on 13 March 1889.", {"date"}),
        ("It was finished in 1889.", "It was finished in 1898.", {"date"}),
        ("The share is 85 %.", "The share is 85 percent.", set()),
        ("The share is 85 %.", "The share is 58 percent.", {"percentage"}),
        ("It opens at 9:00.", "It opens at 9:30.", {"time"}),
        ("The tower stands in Paris.", "The tower stands in Lyon.", {"name"}),
        ("Marlowe wrote it.", "It was written by Shakespeare.", {"name"}),
        ("It was finished in 1889 for Queen Victoria.", "It was finished in Paris in 1889.", set()),
        ("Gustave Eiffel designed it in 1887.", "Stephen Sauvestre designed it in 1887.", {"name"}),
        ("The tower stands in Paris, France.", "The tower stands in Paris.", set()),
        ("Smoking is allowed inside.", "Smoking is not allowed inside.", {"negation"}),
        ("Smoking is not allowed inside.", "Smoking isn't permitted inside.", set()),
        ("The tower stands in Paris, not in Lyon.", "The tower stands in Paris.", set()),
        ("The tower is open. Children under six do not pay.", "The tower is open.", set()),
        ("It is 330 m tall [3].", "It is 330 m tall [4].", set()),
    ],
)
def test_which_facts_contradict(first: str, second: str, kinds: set[str]) -> None:
    one, two = Profile.of(first, facts_of), Profile.of(second, facts_of)

    assert {each.kind for each in contradictions(one, two)} == kinds
    assert {each.kind for each in contradictions(two, one)} == kinds
    for each in contradictions(one, two):
        assert first[slice(*each.first)]
        assert second[slice(*each.second)]


def test_with_a_question_what_the_answers_add_is_compared() -> None:
    question, answers = "When was the tower finished, and how tall is it?", ("1889.", "In 1889.", "330 m.")
    # The slow way: one text at a time, 0.7 of the question's vector taken out of each.
    embedder = LetterEmbedder()
    start = embedder.embed([question]).unit[0].astype(np.float64)
    rows = [embedder.embed([f"{question} {answer}"]).unit[0] - 0.7 * start for answer in sorted(answers)]
    least = min(
        float(one @ two) / math.sqrt(float(one @ one) * float(two @ two))
        for one, two in itertools.combinations(rows, 2)
    )
    below = consistency(answers, embedder, question=question, similarity=least - 1e-6)
    above = consistency(answers, embedder, question=question, similarity=least + 1e-6)

    assert below.n_clusters == 1
    assert above.n_clusters == 2
    assert below.question == below.to_dict()["question"] == question
    with pytest.raises(InputError, match=r"^question: must not be blank$"):
        consistency(answers, embedder, question=" ")


def test_names_of_the_question_are_no_answer() -> None:
    question = "Who built the Eiffel Tower?"
    one, two = "The Eiffel Tower is by engineers.", "It is by engineers for Paris."

    assert contradictions(Profile.of(one, facts_of), Profile.of(two, facts_of))
    assert not contradictions(Profile.of(one, facts_of, question), Profile.of(two, facts_of, question))


def test_answers_that_claim_nothing_are_a_cluster_of_their_own() -> None:
    result = compared("", "I don't know.", "I don't know.", TOWER, "   ")

    assert result.clusters == ((0, 1, 2, 4), (3,))
    assert result.refusals == 0
    assert result.agreement == (0.75, 0.75, 0.75, 0.0, 0.75)
    assert result.disagreements == ()


def test_only_answers_that_claim_nothing_give_no_score() -> None:
    result = compared("I don't know.", "", "Sorry, I cannot answer that.")

    assert (result.n_clusters, result.refusals, result.entropy, result.score) == (1, 0, 0.0, None)
    assert [note.code for note in result.notes] == ["few_answers", "no_claim"]


def test_notes_say_how_far_the_result_carries() -> None:
    assert [note.code for note in compared(TOWER, TOWER).notes] == ["few_answers", "identical_answers"]
    assert [note.code for note in compared(TOWER, _SENTENCES[1]).notes] == ["few_answers", "no_majority"]
    assert compared(TOWER, TOWER).notes[0].text == "2 answers give a coarse result; sample 5 or more, 10 are better."
    assert compared(*[TOWER] * 5, TOWER + " ").notes == ()


def test_a_stable_falsehood_gets_the_best_score_and_the_result_says_so() -> None:
    result = compared(*["The Eiffel Tower stands in Lyon."] * 6)

    assert result.score == 0
    assert json.loads(result.to_json())["limitation"] == LIMITATION


def test_json_has_every_figure() -> None:
    values = json.loads(compared(TOWER, TOWER, _SENTENCES[1]).to_json(indent=2))

    assert values["schema"] == "ragcortex.consistency/1"
    assert (values["n_answers"], values["n_clusters"], values["clusters"]) == (3, 2, [[0, 1], [2]])
    # −2/3 log 2/3 − 1/3 log 1/3 = 0.270310 + 0.366204
    assert values["entropy"] == 0.636514
    assert values["score"] == values["normalized_entropy"] == 0.57938  # divided by log 3 = 1.098612
    assert values["agreement"] == [0.5, 0.5, 0.0]
    assert values["disagreements"] == [
        {
            "kind": "quantity",
            "found": {"answer": 2, "start": 20, "end": 30, "text": "324 metres"},
            "majority": {"answer": 0, "start": 20, "end": 30, "text": "330 metres"},
        }
    ]


@pytest.mark.parametrize(
    ("answers", "similarity", "message"),
    [
        ([], 0.6, "answers: must be at least 2 sampled answers to one question, got 0; sample it again"),
        ([TOWER], 0.6, "answers: must be at least 2 sampled answers to one question, got 1; sample it again"),
        (TOWER, 0.6, "answers: must be a sequence of texts, got str"),
        ([TOWER, None], 0.6, "answers[1]: must be a string, got NoneType"),
        ([TOWER, TOWER], 1.5, "similarity: must be a cosine from -1 to 1, got 1.5"),
        ([TOWER, TOWER], True, "similarity: must be a cosine from -1 to 1, got True"),
    ],
)
def test_errors(answers: list[str], similarity: float, message: str) -> None:
    with pytest.raises(InputError) as error:
        consistency(answers, LetterEmbedder(), similarity=similarity)
    assert str(error.value) == message


def result_with(**fields: object) -> Consistency:
    values: dict[str, object] = {
        "answers": ("a", "b"), "clusters": ((0,), (1,)), "refusals": None, "agreement": (0.0, 0.0),
        "disagreements": (), "similarity": 0.7, "embedder": "letters",
    }  # fmt: skip
    return Consistency(**(values | fields))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"clusters": ((0,),)}, "clusters: must hold each index from 0 to 1 once"),
        ({"clusters": ((1,), (0,))}, "clusters: must be in order, the largest first"),
        ({"clusters": ((1, 0),)}, "clusters: must not be empty, and hold their indices in order"),
        ({"agreement": (0.0,)}, "agreement: must have one value an answer (2), got 1"),
        ({"refusals": 2}, "refusals: must be below the number of clusters 2, got 2"),
        ({"limitation": "sure"}, "limitation: must be the statement of what this check is not able to see, unchanged"),
        ({"notes": ("x",)}, "notes[0]: must be Note, got str"),
    ],
)
def test_a_result_checks_itself(fields: dict[str, object], message: str) -> None:
    assert result_with(notes=(Note("a", "b"),)).n_clusters == 2
    with pytest.raises(InputError) as error:
        result_with(**fields)
    assert str(error.value) == message
