"""The bodies that a client of the soak test sends: made up, named, and the same for the same seed."""

import random
from collections.abc import Sequence
from typing import Any, Final

from made_up_texts import MadeText, answers, passages

Body = dict[str, Any]
SHORT_WORDS: Final = 25
USUAL_WORDS: Final = 100
LONG_WORDS: Final = 400
# A little more than the service takes, by its default.
OVERSIZED: Final = b'{"answer": "' + b"much too long " * 300_000 + b'"}'
_ANSWER_WORDS: Final = 60
_TOO_LONG: Final = "Too long. " * 6_000
_UNICODE: Final = (
    (
        "{place}駅から港までのバスは{a}分ごとに出ます。大人の運賃は{b}円で、子どもは半額です。",
        "{place}の図書館は{c}年に建てられ、蔵書は{a}万冊です。月曜日は休館します。",
        "大人の運賃は{b}円です。図書館は{d}年に建てられました。",
    ),
    (
        "{place}博物馆于{c}年开放，每天接待{a}名游客。门票价格为{b}元，儿童免费。",
        "{place}大桥长{b}米，连接两座城市。它由{a}名工人建成。",
        "门票价格为{b}元。大桥由{d}名工人建成。",
    ),
    (
        "🚲 Rental in {place} costs {a} € a day 🎉, and a helmet ⛑️ is free. Families 👨‍👩‍👧‍👦 pay {b} €.",
        "Opened in {c} 🏛️, the café ☕ has {a} seats. It is closed on Mondays 🚫.",
        "Rental costs {a} € a day 🎉. The café ☕ was opened in {d} 👩🏽‍🍳.",
    ),
)
_PLACES: Final = ("青葉", "白川", "临江", "云山", "Łódka", "Überlingsen", "Ñandú")


class Bodies:
    """Request bodies of one client, drawn from its seed; every check has a name of its own."""

    def __init__(self, seed: int, client: int) -> None:
        self.draw = random.Random(f"{seed}-{client}")
        self._prefix = f"{seed}-{client}"
        self._count = 0
        self._source: Sequence[MadeText] = ()

    def name(self) -> str:
        """Return a name that no other check has."""
        self._count += 1
        return f"{self._prefix}-{self._count}"

    def check(self, witness: str, *, words: int = SHORT_WORDS, again: bool = False) -> Body:
        """Return a check of 60 words against three references of a new source, or of the last one again."""
        if not (again and self._source):
            self._source = passages(words, seed=self.draw.getrandbits(32))
        made = self._source
        (answer,) = answers(made, 1, _ANSWER_WORDS, seed=self.draw.getrandbits(32))
        return self._body(witness, f"What is said of {made[0].scene.town}?", [one.text for one in made], answer)

    def unicode_check(self, witness: str) -> Body:
        """Return a check in Japanese, Chinese, or with emoji of several code points."""
        draw = self.draw
        values = {"place": draw.choice(_PLACES), "a": draw.randint(2, 99), "b": draw.randint(100, 990)}
        values |= {"c": draw.randint(1800, 1990), "d": draw.randint(1991, 2020)}
        *references, answer = (text.format(**values) for text in draw.choice(_UNICODE))
        return self._body(witness, None, references, answer)

    def batch(self, witness: str) -> tuple[list[Body], int]:
        """Return some checks, and which of them is one that cannot be judged."""
        rows = [self.check(witness, again=self.draw.random() < 0.5) for _ in range(self.draw.randint(3, 6))]
        bad = self.draw.randrange(len(rows))
        rows[bad] |= self.draw.choice(({"policy": "lenient"}, {"answer": _TOO_LONG}, {"corpus": "none"}))
        return rows, bad

    def invalid(self) -> Body:
        """Return a check that is refused."""
        body = self.check("geometry", again=True)
        change: Body = self.draw.choice((
            {"answer": None}, {"answer": 7}, {"answer": _TOO_LONG}, {"unknown": 1}, {"witness": "third"},
            {"policy": "lenient"}, {"corpus": "none"}, {"references": None}, {"references": [{"id": "a"}]},
            {"id": "x" * 201},
        ))  # fmt: skip
        return body | change

    def documents(self, n: int) -> list[Body]:
        """Return documents for a corpus."""
        made = passages(USUAL_WORDS, seed=self.draw.getrandbits(32), n=n)
        self._source = made
        return [{"id": f"{self.name()}.txt", "text": one.text} for one in made]

    def corpus_check(self, corpus: str) -> Body:
        """Return a check against a corpus of the documents made last."""
        body = self.check("geometry", again=True)
        del body["references"]
        return body | {"corpus": corpus}

    def _body(self, witness: str, question: str | None, references: list[str], answer: str) -> Body:
        return {
            "id": self.name(),
            "question": question,
            "references": references,
            "answer": answer,
            "witness": witness,
            "generator": self.draw.choice(("model-a", "model-b", "model-c")),
        }
