"""Who acts on whom, read from one sentence; whole sentences of any kind are read without error."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragcortex.geometry.facts.extract import fact_sheet
from ragcortex.geometry.facts.relation_words import SENSES
from ragcortex.geometry.facts.relations import relations_of

READ = [
    ("en", "Corvand was bought by Merriton in 1974.", "acquire", "Merriton", "Corvand"),
    ("en", "Corvand bought, in 1974, nothing.", None, None, None),
    ("en", "It bought Merriton in 1974.", "acquire", "It", "Merriton"),
    ("en", "Corvand closed the year well and bought Merriton.", "acquire", "Corvand", "Merriton"),
    ("en", "Corvand, which bought Merriton in 1974, makes rope.", "acquire", "Corvand", "Merriton"),
    ("en", "Corvand never bought Merriton.", None, None, None),
    ("en", "Corvand was bought in 1974.", None, None, None),
    ("en", "Corvand failed to acquire Merriton.", None, None, None),
    ("en", "The purchase was costly.", None, None, None),
    ("de", "Von Merriton wurde Corvand 1974 übernommen.", "acquire", "Merriton", "Corvand"),
    ("de", "Corvand, das 1974 Merriton übernahm, macht Seile.", "acquire", "Corvand", "Merriton"),
    ("fr", "Corvand a été rachetée en 1974 par l'entreprise Merriton.", "acquire", "entreprise Merriton", "Corvand"),
    ("es", "Corvand fue comprada en 1974 por Merriton.", "acquire", "Merriton", "Corvand"),
    ("zh", "王强被李明接替。", "succeed", "李明", "王强"),
    ("ja", "青葉社は和光社に敗れた。", "beat", "和光社", "青葉社"),
]


@pytest.mark.parametrize(("language", "text", "sense", "agent", "patient"), READ)
def test_agent_and_patient_are_told_apart(language, text, sense, agent, patient):
    found = [(one.sense, text[one.agent.start : one.agent.end], text[one.patient.start : one.patient.end])
             for one in relations_of(fact_sheet(text, language))]  # fmt: skip
    assert found == ([] if sense is None else [(sense, agent, patient)])


def test_a_pronoun_that_opens_a_sentence_has_no_words_of_its_own():
    (one,) = relations_of(fact_sheet("It was bought by Corvand.", "en"))
    assert one.patient.stems == frozenset()
    assert one.agent.stems == {"corvand"}


WORDS = (
    "bought by was Corvand Merriton the of , which than larger and it übernahm wurde von der den als größer hat a été "
    "racheté par que plus compró por la fue 收购 被 比 大 買収し を は に された 1974 ( ) — not 's"
)


@given(
    st.lists(st.sampled_from(WORDS.split()), max_size=12), st.sampled_from(["en", "de", "fr", "es", "zh", "ja", None])
)
@settings(max_examples=150, deadline=None)
def test_every_sentence_is_read_and_participants_lie_within_it(words, language):
    text = " ".join(words)
    for one in relations_of(fact_sheet(text, language)):
        for participant in (one.agent, one.patient):
            assert 0 <= participant.start < participant.end <= len(text)
        assert 0 <= one.verb < len(text)
        assert one.inverted.inverted == one


@pytest.mark.parametrize("language", SENSES)
def test_lines_of_the_table_have_a_sense_and_verbs(language):
    for line in SENSES[language].strip().splitlines():
        sense, colon, verbs = line.partition(": ")
        assert sense.isalpha()
        assert colon
        assert verbs.split()
