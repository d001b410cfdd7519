"""Dates and times of a claim against those of the references: both sides of each kind, in several languages."""

import pytest
from comparing import found, is_binding, touched

WRONG = [
    ("en", "The mill was built in 1875.", "The mill was built in 1857.", "1857", ""),
    ("en", "Quill was released on 9 May 2021.", "Quill was released on 9 May 2012.", "2012", ""),
    ("de", "Das Werk wurde 1953 gegründet.", "Das Werk wurde 1935 gegründet.", "1935", ""),
    ("fr", "L'usine a été fondée en 1953.", "L'usine a été fondée en 1935.", "1935", ""),
    ("es", "La fábrica se fundó en 1953.", "La fábrica se fundó en 1935.", "1935", ""),
    ("zh", "工厂建于1986年。", "工厂建于1968年。", "1968", ""),
    ("ja", "工場は1986年に開業しました。", "工場は1968年に開業しました。", "1968", ""),
    ("ja", "営業時間は午前10時から午後9時までです。", "営業時間は午前10時から午後7時までです。", "7時", ""),
    ("en", "The hall is open from 7:30 to 21:00.", "The hall closes at 20:00.", "20:00", ""),
    ("de", "Das Bad ist von 7:30 bis 21:00 Uhr offen.", "Das Bad schließt um 20 Uhr.", "20 Uhr", ""),
    (
        "en",
        "Corvand was founded in 1928 by two sisters.",
        "Corvand was founded in 1982 by two sisters.",
        "1982",
        "Was Corvand founded in 1982?",
    ),
    (
        "en",
        "The dam was opened in 1980.",
        "Since it opened in 1890, the dam has made power.",
        "1890",
        "Since the dam opened in 1890, what has it made?",
    ),
    (
        "en",
        "The pool is open from Tuesday to Sunday. On Mondays the pool is closed.",
        "Wednesday.",
        "Wednesday",
        "On which day is the pool closed?",
    ),
]
RIGHT = [
    ("en", "The mill opened on 31 March 1889.", "The mill opened on March 31st, 1889.", ""),
    ("en", "The mill opened on 31 March 1889.", "The mill opened in 1889.", ""),
    ("en", "Quill was released on 9 May 2021.", "Quill was released on 2021-05-09.", ""),
    ("de", "Die Saison dauert vom 7. Dezember bis zum 6. April.", "Die Saison dauert vom 7.12. bis zum 6.4.", ""),
    ("de", "Die Saison dauert vom 7. Dezember bis zum 6. April.", "Die Saison beginnt am 7. Dezember.", ""),
    ("es", "No hay visitas de noviembre a enero.", "En diciembre no hay visitas.", ""),
    ("en", "Leonard Oyen (March 26, 1931 – February 27, 2015) was an actor.", "March 26, 1931", "When was he born?"),
    ("en", "He ruled from 1345 to 1377.", "1345 to 1377", "When did he rule?"),
    ("en", "The train leaves at 8:42. The journey takes 1 hour 35 minutes.", "The 8:42 train arrives at 10:17.", ""),
    (
        "en",
        "He took his degree in 1880. The following year he became a professor.",
        "He became a professor in 1881.",
        "",
    ),
    ("en", "The lease begins in 2024 and runs for two years.", "The lease ends in 2026.", ""),
    ("zh", "花园每天7:30开门，18:00关门。", "花园上午七点半开门，下午六点关门。", ""),
    ("ja", "営業時間は午前10時から午後9時までです。", "営業時間は10:00から21:00までです。", ""),
    ("en", "The hall is open from 7:30 to 21:00.", "At noon you can swim in the hall.", ""),
    ("en", "The shop is open from Monday to Friday.", "The shop is open on Wednesday.", ""),
    (
        "en",
        "The dam is 96 m high.",
        "The references do not say whether it opened in 1890.",
        "Did the dam open in 1890?",
    ),
    (
        "en",
        "The pool is open from Tuesday to Sunday. On Mondays the pool is closed.",
        "Monday.",
        "On which day is the pool closed?",
    ),
]


@pytest.mark.parametrize(("language", "reference", "answer", "wanted", "question"), WRONG)
def test_a_wrong_date_is_found_at_its_place(language, reference, answer, wanted, question):
    assert touched(language, reference, answer, wanted, question=question, reasons={"date"}), found(
        language, reference, answer, question
    )


@pytest.mark.parametrize(("language", "reference", "answer", "question"), RIGHT)
def test_a_date_that_is_stated_or_follows_is_no_finding(language, reference, answer, question):
    assert not [one for one in found(language, reference, answer, question) if is_binding(one)]


def test_a_question_by_way_of_something_else_is_not_answered_by_the_first_date_that_comes():
    husband = "Rob Mallo (born December 25, 1975), known by the nickname Long Rob, married Ann Bly."
    question = "When was the wife of the man known by the nickname Long Rob born?"
    assert not found("en", [husband, "Ann Bly was born on August 11, 1978."], "August 11, 1978", question)


def test_only_the_year_is_marked_where_only_the_year_differs():
    (finding,) = found("en", "It opened on 31 March 1889.", "It opened on 31 March 1898.")
    assert (finding.text, finding.relation, finding.evidence.text) == ("1898", "contradicted", "31 March 1889")


def test_a_weekday_does_not_contradict_a_year():
    (finding,) = found("en", "The fair took place in 1990.", "The fair took place on a Friday.")
    assert finding.relation == "absent"
