"""A small invented world: sources with a passage, a question and a grounded answer in other words."""

import pytest

from ragcortex.example import Example, Reference

_TOWNS = (
    ("Velmora", "Ostrin", "Tarrow", 1274, "12,400", 310, "Mirel Castle", "leather"),
    ("Brackwell", "Sundale", "Ibber", 1391, "8,150", 95, "Thorn Abbey", "wool"),
    ("Caldona", "Merrow", "Lunt", 1502, "21,700", 640, "Pell Tower", "glass"),
    ("Dunmarsh", "Westhall", "Quill", 1188, "5,900", 12, "Crane Hall", "salt"),
    ("Eskerby", "Norland", "Vash", 1630, "33,250", 205, "Old Mint", "paper"),
    ("Farrowgate", "Kestria", "Dovel", 1745, "17,080", 480, "Green Theatre", "clocks"),
)
_BIRDS = (
    ("marsh plover", "Larin", "reed beds", 24, 140, "three", "April", "beetles"),
    ("stone thrush", "Odell", "mountain slopes", 21, 95, "five", "May", "snails"),
    ("ash warbler", "Petrine", "old orchards", 12, 11, "six", "June", "aphids"),
    ("copper heron", "Salvo", "river mouths", 88, 1350, "four", "March", "eels"),
    ("dusk swift", "Tamber", "sea cliffs", 17, 42, "two", "July", "midges"),
    ("pale bunting", "Wexley", "dry grassland", 15, 27, "four", "August", "seeds"),
)
_ENGINES = (
    ("Harlow pump", "Edith Harlow", 1843, 35, "Pemberton", "coal mines", "12", "brass"),
    ("Norrin press", "Jakob Norrin", 1871, 18, "Lindau", "print shops", "40", "steel"),
    ("Ostby lamp", "Karen Ostby", 1902, 4, "Drammen", "lighthouses", "25", "nickel"),
    ("Pruitt loom", "Samuel Pruitt", 1811, 90, "Stockbridge", "cotton mills", "8", "oak"),
    ("Quast engine", "Helmut Quast", 1896, 260, "Kassel", "river boats", "15", "iron"),
    ("Rivera drill", "Lucia Rivera", 1928, 55, "Oviedo", "stone quarries", "20", "tungsten"),
)


# Question, passage and answer; {0}, {1} … are the fields above.
_TOWN = (
    "Where is {0} and what is it known for?",
    "{0} is a market town in the region of {1}. It lies on the banks of the {2}, about {5} metres above the "
    "sea. The town was founded in {3} by monks who drained the valley. In 2019, the municipality had {4} "
    "inhabitants. The best known building is {6}, which was restored by the county after a long fire. For "
    "centuries the merchants of {0} traded mostly in {7}. A weekly market is still held on the square every "
    "Thursday. The local railway station was closed when the line was moved to the north.",
    "{0} is located in {1}, on the {2} river, at a height of {5} metres. It was founded by monks in {3} and "
    "had {4} inhabitants in 2019. Its most famous building is {6}. The merchants dealt in {7}.",
)
_BIRD = (
    "How does the {0} live?",
    "The {0} is a bird that was first described by {1} in a travel report. It breeds mainly in {2} and is "
    "rarely seen in towns. Adults reach a length of {3} cm and a weight of about {4} grams. The female lays "
    "{5} eggs, usually in {6}. Both parents feed the chicks with {7}. Young birds can fly after three weeks, "
    "unless the spring is very cold. The population has increased since hunting was banned.",
    "The {0} lives in {2} and was first described by {1}. Adults are {3} cm long and weigh around {4} grams. "
    "The female lays {5} eggs in {6}, and the chicks are fed with {7} by both parents.",
)
_ENGINE = (
    "Who invented the {0}?",
    "The {0} is a machine that {1} invented in {2}. The first model was built in {4} and delivered {3} "
    "horsepower. It was used in {5} because it needed little care. The frame was made of {7}, and a crew of "
    "{6} people was needed to move it. {1} sold the patent to a company from London. More than 2,300 machines "
    "were made before the factory was closed. Only two of them are shown in museums today.",
    "The {0} was invented by {1} in {2} for work in {5}. The first one was made in {4}, with a power of {3} "
    "horsepower and a frame of {7}. A company from London bought the patent.",
)


@pytest.fixture(scope="session")
def world() -> list[Example]:
    """Return 18 grounded examples of 18 sources, and for each a second one whose answer is not judged."""
    kinds = ((_TOWN, _TOWNS), (_BIRD, _BIRDS), (_ENGINE, _ENGINES))
    made = [[part.format(*fields) for part in parts] for parts, rows in kinds for fields in rows]
    examples = []
    for index, (question, passage, answer) in enumerate(made):
        references = (Reference(passage),)
        examples.append(Example(question, references, answer, f"a{index}", (), 0, f"source {index}", "hand", "qa"))
        examples.append(Example(question, references, "See above.", f"b{index}", None, None, f"source {index}"))
    return examples
