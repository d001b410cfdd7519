"""Made-up documents and answers for measuring speed: the same seed gives the same texts, none of them anybody's.

Each document is about one invented town and its firms; every sentence comes from a template with facts drawn anew.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from ragcortex.align import sentences, words


def listed(words: str) -> list[str]:
    """Return the words of a list that is written as text."""
    return words.split()


_HEADS = listed(
    "Bren Cald Dorn Elm Fenn Gar Hald Ister Jor Kell Lorn Mar Nett Oster Pell Quor Rav Sel Tarn Ulm Var Wex"
)
_TAILS = listed("ach bury dale esk ford gate holm ingen lake mere ness ora pool ridge stad thorp vale wick")
_FIRSTS = listed("Ada Bruno Celia Dario Elsa Fabio Greta Hugo Ines Jonas Klara Luca Mira Nils Olga Piet")
_SURNAMES = listed("er mann sson ley")
_FIELDS = listed(
    "ferry tram library museum brewery clinic observatory cannery theatre quarry nursery mill dairy harbour"
)
_GOODS = listed("lamps kettles boots barley timber bicycles clocks paper rope honey cement glass salt pianos")
_MONTHS = listed("January February March April May June July August September October November December")
_DAYS = listed("Monday Tuesday Wednesday Thursday Friday Saturday Sunday")
_COLOURS = listed("red green blue yellow grey white black brown")
_TEMPLATES = (
    "The {field} of {town} was opened on {day} {month} {year} and has been run by {firm} since {later}.",
    "{firm} employs {number} people in {town}, about {share} percent of them on short contracts.",
    "A day ticket for the {field} in {town} costs {money} euros, while children under {small} travel free.",
    "In {year}, {person} moved the workshop from {town} to {other} because the {field} had burned down.",
    "Orders of {goods} above {money} euros are delivered within {small} working days, except on {weekday}.",
    "The {field} of {town} is closed on {weekday} unless a public holiday falls on that day.",
    "{person} became head of {firm} in {later} and doubled the output of {goods} to {number} tonnes a year.",
    "The bridge between {town} and {other} is {number} metres long and carries {thousands} vehicles a day.",
    "Customers of {firm} may return {goods} within {days} days if the {colour} seal has not been broken.",
    "The council of {town} approved {millions} million euros for a new {field}, which must be ready by {later}.",
    "At an altitude of {number} metres, the {field} near {other} is the highest one in the district.",
    "Members of the {field} in {other} pay {money} euros a year and may bring up to {small} guests.",
    "Between {year} and {later}, the number of inhabitants of {town} rose from {thousands} to {more}.",
    "The {colour} line runs every {small} minutes from {hour}:00 to {late}:30 and does not stop at {other}.",
    "{firm} sells {goods} in {small} sizes, the largest of which weighs {number} kilograms.",
    "Damage must be reported to {firm} in writing, at the latest {days} days after delivery.",
    "{person}, who was born in {other} in {year}, painted most of the {colour} tiles of the {field}.",
    "Applications for the {field} are accepted until {day} {month}, but late ones cost {money} euros more.",
    "The {field} in {other} usually receives {thousands} visitors a year, most of them in {month}.",
    "Without a permit, nobody may sell {goods} at the market of {town} before {hour}:00.",
    "The turnover of {firm} fell by {share} percent in {later}, since the price of {goods} had dropped.",
    "{town} lies {number} kilometres north of {other} on the left bank of the river {river}.",
    "A guarantee of {small} years by {firm} covers the {colour} {goods}, though not their batteries.",
    "The oldest part of the {field} dates from {year} and was restored by {person} for {money} thousand euros.",
)
# Put before or behind two sentences of three, so that few sentences are alike.
_BEFORE = (
    "According to the yearbook of {later}, ",
    "As {person} wrote in a letter of {month} {year}, ",
    "In the words of the chronicle, ",
    "Since the reform of {later}, ",
    "On the advice of {person}, ",
    "As in {other}, ",
    "By order of the council, ",
    "For many years now, ",
)
_BEHIND = (
    ", as the {adjective} {goods} show",
    ", which pleased {person}",
    ", although {firm} had warned against it",
    ", as long as the river {river} carries enough water",
    ", mainly because of the {adjective} {field}",
    ", at least according to {person}",
    ", because nobody else deals in {adjective} {goods}",
    ", which only {share} percent of the inhabitants know",
)
# An answer with room for fewer words gets one more sentence.
_LAST_ROOM = 25
_ADJECTIVES = listed(
    "old new small famous northern southern municipal private wooden narrow expensive popular rare modern"
)


@dataclass(frozen=True, slots=True)
class Scene:
    """What the sentences of one document have in common: a town, its neighbour, a firm and a river."""

    town: str
    other: str
    firm: str
    river: str

    @classmethod
    def drawn(cls, draw: random.Random) -> "Scene":
        town, other, firm, river = (draw.choice(_HEADS) + draw.choice(_TAILS) for _ in range(4))
        return cls(town, other, f"{firm} {draw.choice(('Works', 'Brothers', 'Trading', 'Union'))}", river)


def sentence(scene: Scene, draw: random.Random) -> str:
    """Return one sentence about a scene, its facts drawn now."""
    year = draw.randint(1780, 1990)
    thousands = draw.randint(1100, 60000)
    template = draw.choice(_TEMPLATES)
    kind = draw.randrange(3)
    if kind == 1:
        template = draw.choice(_BEFORE) + (template if template.startswith("{") else template[0].lower() + template[1:])
    elif kind == 2:
        template = template.removesuffix(".") + draw.choice(_BEHIND) + "."
    return template.format(
        adjective=draw.choice(_ADJECTIVES),
        town=scene.town, other=scene.other, firm=scene.firm, river=scene.river,
        person=f"{draw.choice(_FIRSTS)} {draw.choice(_HEADS)}{draw.choice(_SURNAMES)}",
        field=f"{draw.choice(_ADJECTIVES)} {draw.choice(_FIELDS)}", goods=draw.choice(_GOODS),
        month=draw.choice(_MONTHS), weekday=draw.choice(_DAYS),
        colour=draw.choice(_COLOURS), day=draw.randint(1, 28), year=year, later=year + draw.randint(3, 30),
        number=draw.randint(3, 990), share=draw.randint(2, 97), money=draw.randint(2, 400), small=draw.randint(2, 12),
        days=draw.randint(10, 90), millions=f"{draw.randint(11, 99) / 10:.1f}", thousands=f"{thousands:,}",
        more=f"{thousands + draw.randint(100, 9000):,}", hour=draw.randint(6, 11), late=draw.randint(17, 23),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class MadeText:
    """A document or passage and the scene that it is about."""

    id: str
    scene: Scene
    text: str


def documents(n_chunks: int, seed: int) -> list[MadeText]:
    """Return documents that give about this many chunks: 25 paragraphs each, of two to five sentences."""
    draw = random.Random(seed)
    made = []
    for number in range(max(1, round(n_chunks / 60))):
        scene = Scene.drawn(draw)
        paragraphs = [" ".join(sentence(scene, draw) for _ in range(draw.randint(2, 5))) for _ in range(25)]
        made.append(MadeText(f"{number:04}-{scene.town}", scene, "\n\n".join(paragraphs)))
    return made


def passages(n_words: int, seed: int, n: int = 3) -> list[MadeText]:
    """Return n passages of about `n_words` words on one scene."""
    draw = random.Random(seed)
    scene = Scene.drawn(draw)
    made = []
    for number in range(n):
        parts: list[str] = []
        while sum(len(words(part)) for part in parts) < n_words - 8:
            parts.append(sentence(scene, draw))
        made.append(MadeText(str(number), scene, " ".join(parts)))
    return made


def answers(made: Sequence[MadeText], n: int, n_words: int, seed: int) -> list[str]:
    """Return n different answers of about `n_words` words, each of sentences of one text.

    Every second sentence is the text's own; the others have the same names but facts that were drawn anew.
    """
    draw = random.Random(seed)
    found: dict[str, None] = {}
    while len(found) < n:
        one = draw.choice(made)
        own = [one.text[start:end] for start, end in sentences(one.text)]
        parts: list[str] = []
        room = n_words
        while room > 0:
            drawn = [draw.choice(own) if len(parts) % 2 else sentence(one.scene, draw) for _ in range(8)]
            # The last sentence is the one that comes nearest to the length.
            last = room < _LAST_ROOM
            parts.append(min(drawn, key=lambda part: abs(room - len(words(part)))) if last else drawn[0])
            room = 0 if last else room - len(words(parts[-1]))
        found[" ".join(parts)] = None
    return list(found)
