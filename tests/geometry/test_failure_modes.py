"""Each way in which geometric checks are known to fail, and what keeps this one from it."""

import subprocess
import sys
from pathlib import Path

import pytest

from made_embedder import WordEmbedder
from ragcortex.errors import InputError
from ragcortex.example import Reference
from ragcortex.geometry.chunk_diagnostics import coarseness
from ragcortex.geometry.chunking import Chunking
from ragcortex.geometry.corpus import Corpus
from ragcortex.geometry.witness import WitnessOptions, examine

TOPICS = (
    "The lighthouse at Cape Arden was built in 1874 by Mary Holt.",
    "The mill at Port Lyle grinds wheat and barley every Friday morning.",
    "The bakery opens at six and sells rye bread to sailors.",
    "Night trains to Lund leave from platform four at ten o'clock.",
)
EMBEDDER = WordEmbedder()


def corpus_of(texts: tuple[str, ...], chunking: Chunking | None = None, merge_above: float = 0.9) -> Corpus:
    return Corpus.in_memory(tuple(map(Reference, texts)), EMBEDDER, chunking, merge_above=merge_above)


def test_chunks_that_are_too_coarse_are_told_by_the_diagnostic_and_lower_every_similarity() -> None:
    # Every chapter speaks of everything, so that coarse chunks all lie at one place.
    chapters = tuple(
        f"Chapter {number}. " + " ".join(TOPICS[number % 4 :] + TOPICS[: number % 4]) for number in range(8)
    )
    coarse = corpus_of(chapters, Chunking(max_chars=2000), merge_above=1.0)
    fine = corpus_of(chapters, Chunking(max_chars=80, min_chars=0, overlap=0))
    assert coarseness(coarse.matrix).too_coarse
    assert not coarseness(fine.matrix).too_coarse
    near, far = (examine(TOPICS[0], corpus).claims[0].similarity for corpus in (fine, coarse))
    assert near is not None
    assert far is not None
    assert far.max_similarity < near.max_similarity - 0.2


def test_a_support_threshold_that_is_too_strict_calls_a_paraphrase_unsupported() -> None:
    paraphrase = "Mary Holt built the lighthouse at Cape Arden in 1874."
    usual, strict = (
        examine(paraphrase, corpus_of(TOPICS), options=options)
        for options in (WitnessOptions(), WitnessOptions(support_threshold=0.98))
    )
    assert (usual.support_rate, usual.low_evidence) == (1, False)
    assert (strict.support_rate, strict.low_evidence) == (0, True)


@pytest.mark.parametrize("top_k", range(5))
def test_too_few_chunks_to_see_a_stitched_answer_are_refused(top_k: int) -> None:
    with pytest.raises(InputError, match=rf"^top_k: must be a whole number from 5 on, got {top_k}$"):
        WitnessOptions(top_k=top_k)


def test_a_flat_profile_over_several_documents_shows_in_the_spread() -> None:
    own, stitched = (
        examine(answer, corpus_of(TOPICS)).claims[0].similarity
        for answer in (TOPICS[0], "Mary Holt grinds barley and sells rye bread on platform four.")
    )
    assert own is not None
    assert stitched is not None
    assert stitched.spread < own.spread / 3


def test_duplicates_leave_the_density_as_it_is() -> None:
    once, often = (examine(TOPICS[0], corpus_of(texts)).claims[0].similarity for texts in (TOPICS, TOPICS * 10))
    assert once is not None
    assert once == often
    assert once.density == 1


def test_a_fact_changed_in_a_paraphrase_keeps_the_vector_near_and_is_a_finding() -> None:
    right, wrong = (
        examine(f"The lighthouse at Cape Arden was built in {year} by Mary Holt.", corpus_of(TOPICS)).claims[0]
        for year in (1874, 1902)
    )
    assert right.similarity is not None
    assert wrong.similarity is not None
    assert wrong.similarity.max_similarity > 0.8
    assert right.findings == ()
    (finding,) = wrong.findings
    assert (finding.reason, finding.relation, finding.text) == ("date", "contradicted", "1902")


def test_a_statement_over_more_chunks_than_are_asked_is_compared_with_all_of_them() -> None:
    """A list as long as its source: the ten nearest chunks hold but a part of its figures."""
    rows = ", ".join(f"shelf {number} holds {number * 7 + 1} books of collector {number + 300}" for number in range(60))
    text = f"In the library of Port Lyle {rows}."
    corpus = corpus_of((text,))
    assert corpus.n_chunks > 10
    (claim,) = examine(text, corpus).claims
    assert claim.findings == ()
    assert claim.coverage_anywhere == 1


WARM = """
import sys
sys.path.insert(0, sys.argv[1])
from made_embedder import WordEmbedder
from made_geometry import made_model
from ragcortex.detectors.geometric import GeometricDetector
from ragcortex.geometry.model import GeometryModel
from pathlib import Path
detector = GeometricDetector(GeometryModel.load(Path(sys.argv[2])), WordEmbedder())
detector.warm_up()
before = set(sys.modules)
detector.check("When?", ["It was built in 1874 by Mary Holt."], "Mary Holt built it in 1902, for $5.").to_json()
print(sorted(set(sys.modules) - before))
"""


def test_after_warming_up_the_first_check_loads_nothing_more(tmp_path: Path) -> None:
    from made_geometry import made_model

    made_model().save(tmp_path)
    tests = str(Path(__file__).parents[1])
    run = subprocess.run([sys.executable, "-c", WARM, tests, str(tmp_path)], capture_output=True, check=True, text=True)
    assert run.stdout.strip() in ("[]", "['ragcortex.rendering', 'ragcortex.rendering.json']")
