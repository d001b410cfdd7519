"""Made-up labelled answers: several to each source, some with a hallucinated sentence, for tests of the benchmark."""

from ragcortex.example import Example, Span

PLACES = ("Arden", "Borin", "Celm", "Dorra", "Elb", "Farn", "Gost", "Hulm", "Ister", "Jorn", "Kelp", "Lorn")


def labelled_sources(n_sources: int = 10, per_source: int = 3) -> tuple[Example, ...]:
    """Return answers to questions about lighthouses; the last of every source ends with an invented sentence."""
    found = []
    for number in range(n_sources):
        place = PLACES[number % len(PLACES)]
        year, height = 1850 + 7 * number, 20 + 3 * number
        references = [f"The lighthouse at {place} was built in {year}.", f"It is {height} metres high and white."]
        for turn in range(per_source):
            answer = f"The lighthouse at {place} was built in {year}. It is {height} metres high."
            spans: tuple[Span, ...] = ()
            if turn == per_source - 1:
                invented = f" It burnt down in {1900 + number} and was never rebuilt by the village."
                spans = (Span(len(answer) + 1, len(answer) + len(invented), "Evident Baseless Info"),)
                answer += invented
            found.append(
                Example(
                    **{"question": f"How old is the lighthouse at {place}?", "answer": answer, "spans": spans},
                    references=Example.of(None, references, "x").references,
                    id=f"{number}-{turn}",
                    group=f"source-{number}",
                    generator=("one", "two", "three")[turn % 3],
                    task="QA",
                )
            )
    return tuple(found)
