"""Who does what to whom, and what is more than what: told the other way round, and in other words the same."""

import pytest
from comparing import found, is_binding

EXCHANGED = [
    (
        "en",
        "In May 2021 Tarn Foundries bought the lens maker Ostley Optics for 36 million dollars.",
        "In May 2021 Ostley Optics bought Tarn Foundries for 36 million dollars.",
    ),
    (
        "en",
        "In May 2021 Tarn Foundries bought the lens maker Ostley Optics.",
        "Tarn Foundries was acquired by Ostley Optics in May 2021.",
    ),
    ("en", "Tarn Foundries, a firm from Holby, took over its rival Ostley.", "Ostley took over Tarn Foundries."),
    ("en", "Ostley Optics was sold to Tarn by the Mead group.", "Tarn sold Ostley Optics to the Mead group."),
    ("en", "Brightwell, which Corran Foods acquired in 2015, makes jam.", "Brightwell acquired Corran Foods in 2015."),
    ("en", "Tarn was founded in 1990. In 2010 it was bought by Ostley.", "Tarn bought Ostley in 2010."),
    ("en", "Olaf Brandt was succeeded by Mara Quist.", "Olaf Brandt succeeded Mara Quist."),
    ("en", "Leo Winter studied under Amara Boyle in Graz.", "Leo Winter was the teacher of Amara Boyle."),
    ("en", "Rosa Lind won the final against Petra Holm.", "Petra Holm beat Rosa Lind in the final."),
    ("en", "The union sued the city council over pay.", "The city council sued the union over pay."),
    ("en", "The red kite is larger than the buzzard.", "The red kite is smaller than the buzzard."),
    (
        "en",
        "The north lake has more visitors than the south lake.",
        "The south lake has more visitors than the north lake.",
    ),
    ("en", "Model B uses less power than model A.", "Model A uses less power than model B."),
    ("en", "Ridge Hall is 20 metres taller than the Corn Exchange.", "The Corn Exchange is taller than Ridge Hall."),
    ("de", "Im Mai 2021 übernahm die Tarn AG den Hersteller Ostley.", "Im Mai 2021 übernahm Ostley die Tarn AG."),
    ("de", "Den Hersteller Ostley kaufte die Firma Tarn.", "Der Hersteller Ostley kaufte die Firma Tarn."),
    ("de", "Ostley wurde 2019 von der Tarn AG übernommen.", "Ostley hat die Tarn AG übernommen."),
    (
        "de",
        "Nachdem die Brauerei Ostberg 2019 von der Familie Lindner gekauft worden war, stieg der Absatz.",
        "Die Brauerei Ostberg kaufte 2019 die Familie Lindner.",
    ),
    ("de", "Der alte Damm ist höher als der neue Deich.", "Der neue Deich ist höher als der alte Damm."),
    (
        "fr",
        "En 2021, la coopérative Valbois a racheté la fromagerie Tessard, fondée en 1954.",
        "En 2021, la fromagerie Tessard a racheté la coopérative Valbois.",
    ),
    ("fr", "Jeanne Oudot a succédé à Paul Bertin.", "Paul Bertin a succédé à Jeanne Oudot."),
    ("fr", "La tour nord est plus haute que la tour sud.", "La tour sud est plus haute que la tour nord."),
    ("es", "El grupo Brisa compró en 2018 la bodega Tamar.", "La bodega Tamar compró el grupo Brisa."),
    ("es", "La empresa Brisa adquirió la fábrica Tamar.", "La empresa Brisa fue adquirida por la fábrica Tamar."),
    ("es", "Rosa Lindo derrotó a Petra Olmo.", "Petra Olmo derrotó a Rosa Lindo."),
    ("es", "La torre norte es más alta que la torre sur.", "La torre sur es más alta que la torre norte."),
    ("it", "La Tarno ha acquistato la Ostelli nel 2019.", "La Tarno è stata acquistata dalla Ostelli nel 2019."),
    ("it", "Il lago nord è più profondo del lago sud.", "Il lago sud è più profondo del lago nord."),
    ("pt", "O lago norte é maior do que o lago sul.", "O lago sul é maior do que o lago norte."),
    ("zh", "2020年3月，和丰食品收购了豆制品企业青岭公司，金额为4亿元。", "2020年3月，青岭公司收购了和丰食品。"),
    ("zh", "华林集团于2019年被东岳公司收购。", "华林集团于2019年收购了东岳公司。"),
    ("zh", "红队以2比1战胜蓝队，夺得冠军。", "蓝队以2比1战胜红队。"),
    ("zh", "新桥比旧桥长200米。", "旧桥比新桥长。"),
    ("ja", "2020年3月、和光食品は豆製品会社の青葉社を買収した。", "2020年3月、青葉社は和光食品を買収した。"),
    ("ja", "和光食品は青葉社を買収した。", "和光食品は青葉社に買収された。"),
    ("ja", "田中さんは佐藤さんにピアノを教えた。", "佐藤さんは田中さんにピアノを教えた。"),
    ("ja", "北湖は南湖より深い。", "南湖は北湖より深い。"),
]
SAME = [
    ("en", "Tarn bought the lens maker Ostley Optics in 2021.", "Ostley Optics, bought by Tarn in 2021, makes lenses."),
    ("en", "Tarn bought the lens maker Ostley Optics in 2021.", "Tarn's purchase of Ostley Optics took place in 2021."),
    ("en", "Tarn sold Ostley to Mead.", "Mead bought Ostley from Tarn."),
    ("en", "Colne lost to Ashby.", "Ashby beat Colne."),
    ("en", "Ashby beat Colne in May. Colne beat Ashby in the second match in June.", "Colne beat Ashby in June."),
    ("en", "Colne did not beat Ashby.", "Ashby did not beat Colne."),
    ("en", "The kite is larger than the buzzard.", "The buzzard is smaller than the kite."),
    ("en", "The population of Merrow is larger than that of Orland.", "Orland is larger than Merrow."),
    ("en", "Mead acquired a stake in Tarn. Tarn acquired a stake in Mead.", "Tarn acquired a stake in Mead."),
    ("en", "Ida Mol taught Jan Feld.", "Jan Feld was a pupil of Ida Mol."),
    ("en", "The mayor of Holby praised the mayor of Merrow.", "The mayor of Holby praised the mayor of Merrow."),
    (
        "de",
        "2019 übernahm die Tarn AG den Hersteller Ostley.",
        "Der Hersteller Ostley wurde von der Tarn AG übernommen.",
    ),
    ("de", "2019 übernahm die Tarn AG den Hersteller Ostley.", "Die Übernahme von Ostley durch die Tarn AG war 2019."),
    ("de", "Den Hersteller Ostley kaufte die Firma Tarn.", "Die Firma Tarn kaufte den Hersteller Ostley."),
    ("de", "Der SV Ostberg verlor gegen Kelmstadt.", "Kelmstadt gewann gegen den SV Ostberg."),
    ("de", "Der Milan ist größer als der Bussard.", "Der Bussard ist kleiner als der Milan."),
    ("fr", "La coopérative Valbois a racheté Tessard.", "Tessard a été rachetée par la coopérative Valbois."),
    ("fr", "Le groupe Brix a vendu Ostley à Tarn.", "Tarn a acheté Ostley à Brix."),
    ("es", "La empresa Brisa compró la fábrica Tamar.", "La fábrica Tamar fue comprada por la empresa Brisa."),
    ("es", "Petra Olmo perdió ante Rosa Lindo.", "Rosa Lindo derrotó a Petra Olmo."),
    ("zh", "和丰食品收购了青岭公司。", "青岭公司被和丰食品收购。"),
    ("zh", "新桥比旧桥长。", "旧桥比新桥短。"),
    ("ja", "和光食品は青葉社を買収した。", "青葉社は和光食品に買収された。"),
    ("ja", "新橋は旧橋より長い。", "旧橋は新橋より短い。"),
]


def read_as(language):
    """Return the rules to read by; Italian and Portuguese are known by their words alone."""
    return None if language in ("it", "pt") else language


@pytest.mark.parametrize(("language", "reference", "answer"), EXCHANGED)
def test_exchanged_participants_are_a_contradiction_of_roles(language, reference, answer):
    assert "role" in [one.reason for one in found(read_as(language), reference, answer) if is_binding(one)]


@pytest.mark.parametrize(("language", "reference", "answer"), EXCHANGED)
def test_what_the_reference_says_itself_is_no_finding(language, reference, answer):
    assert not [one for text in (reference, answer) for one in found(read_as(language), text, text) if is_binding(one)]


@pytest.mark.parametrize(("language", "reference", "answer"), SAME)
def test_the_same_said_from_the_other_side_is_no_finding(language, reference, answer):
    assert not [one for one in found(read_as(language), reference, answer) if is_binding(one)]


def test_the_evidence_is_what_the_reference_says_of_the_two():
    (one,) = found(
        "en", "In May 2021 Tarn bought its rival Ostley for cash.", "In May 2021 Ostley bought Tarn for cash."
    )
    assert one.text == "Ostley bought Tarn"
    assert one.evidence.text == "Tarn bought its rival Ostley"


def test_a_relation_at_another_time_is_not_exchanged():
    reference = "In 2020 the north lake had more visitors than the south lake."
    answer = "In 2023 the south lake had more visitors than the north lake."
    assert "role" not in [one.reason for one in found("en", reference, answer)]


def test_one_reference_that_says_it_so_is_enough():
    references = ["Tarn bought Ostley.", "Ostley bought Tarn."]
    for answer in references:
        assert not [one for one in found("en", references, answer) if is_binding(one)]
