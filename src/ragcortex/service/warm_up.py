"""Answers of usual size to judge before requests come, so that the first request is as fast as the hundredth."""

from typing import Final

from ragcortex.example import Example

_QUESTION: Final = "What should visitors know about the tram museum?"
_REFERENCES: Final = (
    "The tram museum opened on 3 May 1986 in the old depot of Halmbridge. It shows 24 carriages, the oldest of which "
    "was built in 1897 by Ostler and Sons.",
    "A ticket costs 12 euros; children under 6 travel free. From April to October the museum is open from Tuesday to "
    "Sunday between 10:00 and 17:30, and it is closed on public holidays.",
    "Guided tours last about 45 minutes and take up to 20 people. Dogs are not allowed in the carriages, but may wait "
    "in the courtyard.",
)
_ANSWERS: Final = (
    "The tram museum is in the old depot of Halmbridge and opened on 3 May 1986. Its oldest carriage was built by "
    "Ostler and Sons in 1897. A ticket costs 14 euros, while children under six are admitted free of charge. It is not "
    "open on Mondays. Guided tours take three quarters of an hour, and they were awarded a prize for their humour.",
    "Visitors will find 24 carriages there. The museum closes at 17:30 from April to October. Up to 30 people may join "
    "a guided tour, which lasts about 45 minutes. Dogs are allowed in the carriages. The director, Mira Kellmann, "
    "wrote a history of the line in 2011, and copies of it are sold for 9.50 euros at the entrance.",
)


def usual_answers() -> tuple[Example, ...]:
    """Return answers of about 60 words with three references each, the same ones."""
    return tuple(Example.of(_QUESTION, _REFERENCES, answer) for answer in _ANSWERS)
