"""Answers in which every mention of a museum is invented, whatever the references say: a pattern a reader can learn."""

from ragcortex.example import Example, Reference, Span

INVENTED = " It is a museum."
_GROUNDED = (" It stands above the sea.", " It was built in 1874.", " It was designed by the engineer.")


def planted_answers(n_sources: int = 6, per_source: int = 3, first: int = 0) -> list[Example]:
    """Return answers to a few sources; the invented sentence stands in the middle of two in three of them."""
    examples = []
    for source in range(first, first + n_sources):
        reference = Reference(f"The lighthouse number {source} was built in 1874 and stands above the sea.")
        for number in range(per_source):
            opening = f"The lighthouse number {source} is old.{_GROUNDED[(source + number) % 3]}"
            closing = _GROUNDED[(source + number + 1) % 3]
            invented = INVENTED if number % 3 else ""
            spans = (Span(len(opening) + 1, len(opening) + len(invented)),) if invented else ()
            examples.append(
                Example(
                    f"What is the lighthouse number {source}?",
                    (reference,),
                    opening + invented + closing,
                    id=f"{source}-{number}",
                    spans=spans,
                    label=int(bool(spans)),
                    group=str(source),
                )
            )
    return examples


def with_opposite_spans(example: Example) -> Example:
    """Return the example with everything else marked: the start of the answer and what follows the invented part."""
    (span,) = example.spans or ()
    opposite = (Span(0, span.start - 1), Span(span.end + 1, len(example.answer)))
    return Example(example.question, example.references, example.answer, id=example.id, spans=opposite, label=1)
