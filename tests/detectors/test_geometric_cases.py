"""The shipped geometric detector with the embedded encoder, on the kinds of answers that broke other detectors."""

from functools import cache

import pytest

from made_geometry import encoder
from ragcortex.detectors.geometric import GeometricDetector
from ragcortex.example import Example
from ragcortex.report import Report

pytestmark = pytest.mark.weights

HOURS = "The Selby museum is open from Tuesday to Sunday, 9:30 to 17:00. It is closed on public holidays."
PRICES = "A ticket for the Selby museum costs $12.50 for adults and $7 for students. Children under 6 enter free."
HISTORY = "The Selby museum was founded on March 31st, 1889 by the painter Clara Voss. It holds 5.9 million stamps."
# What a statement's drift may be when nine unrelated passages are added. More passages can only make words less novel,
# and those are unrelated; what is left is what single common words of theirs do to pairs of words.
DRIFT = 0.1
UNRELATED = (
    "Rye bread is baked on Fridays in a wood-fired oven that stands behind the shop.",
    "The Orme glacier has lost a third of its length, and its meltwater feeds two lakes.",
    "To change the printer's cartridge, open the upper lid and wait until the carriage stops.",
    "Night trains to Lund have sleeping cars; bicycles must be booked a day ahead.",
    "Adults take one tablet twice a day with water, but never with grapefruit juice.",
    "The municipal council voted to repave the market square with granite slabs.",
    "Bees find their way back to the hive by the position of the sun.",
    "A sonata usually has three or four movements, the first of which is fast.",
    "The tenant pays the deposit before the keys are handed over.",
)


@cache
def detector() -> GeometricDetector:
    return GeometricDetector.load(embedder=encoder())


def check(answer: str, *references: str, question: str | None = None) -> Report:
    return detector().check(question, references or (HOURS, PRICES, HISTORY), answer)


def touched(report: Report, wanted: str) -> bool:
    start = report.answer.index(wanted)
    return any(span.start < start + len(wanted) and start < span.end for span in report.spans)


# L1: evidence repeated, or moved from the first to the last of 50 passages.
@pytest.mark.parametrize(
    "answer",
    [
        "The Selby museum was founded in 1889 by the painter Clara Voss.",
        "The Selby museum was founded in 1898 by the painter Clara Voss.",
        "The Selby museum was founded by a rich brewer who loved horses and hunting.",
    ],
)
def test_evidence_repeated_or_moved_changes_neither_verdict_nor_scores(answer: str) -> None:
    filler = [f"{text} ({number})" for number in range(6) for text in UNRELATED][:49]
    first = check(answer, HISTORY, *filler)
    for other in (
        check(answer, *filler, HISTORY),
        check(answer, *[HISTORY] * 5, *filler),
        check(answer, *filler, *[HISTORY] * 9),
    ):
        assert other.verdict == first.verdict
        assert other.score == pytest.approx(first.score, abs=1e-4)
        assert [(s.text, s.reasons) for s in other.spans] == [(s.text, s.reasons) for s in first.spans]
        assert other.signals == pytest.approx(first.signals, abs=1e-4)


# L2: evidence in exactly one of n passages; nine unrelated passages added.
@pytest.mark.parametrize(
    "answer",
    [
        "The Selby museum was founded in 1889 by the painter Clara Voss.",
        "It is closed on public holidays.",
        "Adults pay $12.50 for a ticket, students $7.",
    ],
)
def test_unrelated_passages_leave_grounded_what_is_grounded(answer: str) -> None:
    alone, among = check(answer), check(answer, HOURS, *UNRELATED[:5], PRICES, *UNRELATED[5:], HISTORY)
    assert alone.verdict == among.verdict == "grounded"
    assert alone.score is not None
    assert among.score == pytest.approx(alone.score, abs=DRIFT)


# L5: a sentence beyond the embedder's 256 word pieces.
def test_a_sentence_longer_than_the_encoder_reads_at_once_is_read_to_its_end() -> None:
    rooms = ", ".join(f"room {number} shows stamps of the {number}th collector" for number in range(1, 60))
    reference = f"In the Selby museum {rooms}, and the last room belongs to Clara Voss."
    right = f"In the Selby museum {rooms}, and the last room belongs to Clara Voss."
    wrong = f"In the Selby museum {rooms}, and the last room belongs to a brewer from Portugal who sold racing horses."
    assert len(right) > 4 * 256
    grounded, invented = check(right, reference), check(wrong, reference)
    assert grounded.verdict == "grounded"
    assert touched(invented, "Portugal")
    assert invented.signals["max_similarity"] < grounded.signals["max_similarity"]


# F1: other ways to write the same fact.
@pytest.mark.parametrize(
    ("reference", "answer"),
    [
        (HISTORY, "The Selby museum holds 5,900,000 stamps."),
        (HISTORY, "The Selby museum was founded on 31/03/1889."),
        (HISTORY, "The museum was founded on 31 March 1889 by Clara Voss, a painter."),
        (PRICES, "A ticket costs 12.50 dollars for adults and seven dollars for students."),
        (
            "The dam cost $1,200.00 and fills 85 % of the valley.",
            "The dam cost $1200 and fills 85 percent of the valley.",
        ),
        ("Das Museum besitzt 5,9 Mio. Briefmarken.", "Das Museum besitzt 5.900.000 Briefmarken."),
        ("Le musée possède 5,9 millions de timbres.", "Le musée possède 5 900 000 timbres."),
        ("El museo posee 5,9 millones de sellos.", "El museo posee 5.900.000 sellos."),
        ("博物馆收藏了590万枚邮票。", "博物馆收藏了5900000枚邮票。"),
        ("博物館は590万枚の切手を所蔵している。", "博物館は5,900,000枚の切手を所蔵している。"),
    ],
)
def test_the_same_fact_in_other_words_is_no_finding(reference: str, answer: str) -> None:
    report = check(answer, reference, *UNRELATED[:2])
    assert report.spans == ()
    assert report.verdict in ("grounded", "not_verifiable")


# F2: a changed fact in a paraphrase that keeps its vector.
@pytest.mark.parametrize(
    ("reference", "answer", "wanted", "reasons"),
    [
        (HISTORY, "The Selby museum holds 9.5 million stamps.", "9.5", {"number"}),
        (HISTORY, "The Selby museum was founded in 1898 by the painter Clara Voss.", "1898", {"date"}),
        (PRICES, "A ticket for the Selby museum costs €12.50 for adults.", "€12.50", {"unit", "number"}),
        (HOURS, "The Selby museum is open from Tuesday to Sunday, 9:30 to 19:00.", "19:00", {"date", "number"}),
        (HOURS, "The Selby museum is not open from Tuesday to Sunday.", "not", {"negation"}),
        ("The pass is 900 m high.", "The pass is 900 km high.", "km", {"unit"}),
        ("Der Turm wurde 1889 in Selby gebaut.", "Der Turm wurde 1898 in Selby gebaut.", "1898", {"date"}),
        ("Le billet coûte 12 euros.", "Le billet coûte 21 euros.", "21", {"number"}),
        (
            "El museo abre a las 9:30 todos los días.",
            "El museo abre a las 10:30 todos los días.",
            "10:30",
            {"date", "number"},
        ),
        ("塔高300米，建于1889年。", "塔高300米，建于1898年。", "1898", {"date"}),
        ("塔は1889年に建てられた。", "塔は1898年に建てられた。", "1898", {"date"}),
    ],
)
def test_a_changed_fact_is_flagged_at_its_words(reference: str, answer: str, wanted: str, reasons: set[str]) -> None:
    report = check(answer, reference, *UNRELATED[:2])
    assert touched(report, wanted)
    assert report.verdict == "hallucinated"
    assert reasons & {reason for span in report.spans for reason in span.reasons}
    assert any(one.reference == 0 for span in report.spans for one in span.evidence)
    assert any(sentence.state == "contradicted" for sentence in report.sentences)


def test_the_paraphrase_with_the_changed_fact_keeps_its_vector() -> None:
    right, wrong = (
        check(f"The Selby museum was founded in {year} by the painter Clara Voss.") for year in (1889, 1898)
    )
    assert wrong.signals["max_similarity"] == pytest.approx(right.signals["max_similarity"], abs=0.08)
    assert (right.verdict, wrong.verdict) == ("grounded", "hallucinated")


# F3: what follows from the references.
@pytest.mark.parametrize(
    ("reference", "answer"),
    [
        (
            "Of the three classes, 82 %, 85 % and 89 % passed the test.",
            "In all classes between 80 and 90 % passed the test.",
        ),
        ("The team won 12 games at home and 7 games away.", "The team won 19 games in all."),
    ],
)
def test_a_range_or_total_that_follows_is_no_contradiction(reference: str, answer: str) -> None:
    report = check(answer, reference)
    assert not any(sentence.state == "contradicted" for sentence in report.sentences)


# E2: what claims nothing.
@pytest.mark.parametrize(
    "answer",
    [
        "Hello! How can I help you?",
        "I'm sorry, but the references do not say that.",
        "Could you tell me which ticket you mean?",
        "Guten Tag! Wie kann ich Ihnen helfen?",
        "Les documents ne précisent pas la date.",
        "抱歉，我不知道。",
    ],
)
def test_no_claim_is_no_claim(answer: str) -> None:
    report = check(answer)
    assert (report.verdict, report.score) == ("no_claim", None)


def test_politeness_does_not_dilute_the_rates() -> None:
    plain = check("The Selby museum was founded in 1898 by the painter Clara Voss.")
    polite = check(f"Hello! Thank you for your question. {plain.answer} I hope this helps!")
    assert polite.signals["support_rate"] == plain.signals["support_rate"]
    assert polite.score == pytest.approx(plain.score, abs=1e-4)


# E3: omission.
def test_five_facts_of_ten_are_grounded() -> None:
    assert check("A ticket costs $12.50 for adults. The museum is closed on public holidays.").verdict == "grounded"


# E4: two references disagree.
@pytest.mark.parametrize("year", ["1889", "1891"])
def test_following_either_of_two_references_that_disagree_is_grounded_and_said(year: str) -> None:
    other = HISTORY.replace("1889", "1891")
    report = check(f"The Selby museum was founded in {year} by the painter Clara Voss.", HISTORY, other)
    assert report.verdict == "grounded"
    assert [note.code for note in report.notes] == ["conflicting_references"]


# E5: a language the encoder does not cover.
@pytest.mark.parametrize(
    ("reference", "answer"),
    [
        (
            "Il museo è aperto tutti i giorni tranne il lunedì.",
            "Il direttore suona volentieri il violino per gli ospiti.",
        ),
        (HOURS, "Der Direktor spielt für seine Gäste gern auf der Geige."),
        ("Музей открыт каждый день, кроме понедельника.", "Директор охотно играет гостям на скрипке."),
    ],
)
def test_a_language_that_is_not_covered_is_said(reference: str, answer: str) -> None:
    report = check(answer, reference)
    assert (report.verdict, report.score) == ("not_verifiable", None)
    assert [note.code for note in report.notes] == ["language_not_covered"]


# Plausible inventions near the topic: support shows what distance alone does not.
def test_invented_common_sense_near_the_topic_is_low_evidence() -> None:
    report = check(
        "The Selby museum attracts families with its cosy café. Its staff speak many languages. "
        "Weekend concerts in the garden are popular with visitors."
    )
    assert report.signals["low_evidence"] == 1.0
    assert report.verdict in ("review", "hallucinated")


def test_a_second_detector_gives_the_same_bytes() -> None:
    answers = [
        "The Selby museum was founded in 1889 by Clara Voss. Its garden has a famous café.",
        "Der Direktor spielt gern Geige.",
        "A ticket costs $12.50 for adults; children under 6 enter free.",
    ]
    examples = [Example.of(None, (HOURS, PRICES, HISTORY), answer) for answer in answers]
    once = [detector().check_example(example).to_json() for example in examples]
    other = GeometricDetector.load()
    assert [other.check_example(example).to_json() for example in reversed(examples)] == once[::-1]
    other.warm_up()
    assert [other.check_example(example).to_json() for example in examples] == once
