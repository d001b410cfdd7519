"""`ragcortex consistency`: how far several sampled answers to one question agree."""

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ragcortex.cli.console import complain, plural, write_data, write_text
from ragcortex.cli.inputs import Inputs
from ragcortex.cli.options import embedder_option
from ragcortex.errors import EXIT_NOTHING_TO_CHECK, EXIT_OK, InputError
from ragcortex.rendering.inert import inert_line

if TYPE_CHECKING:
    from ragcortex.geometry.consistency import Consistency
    from ragcortex.geometry.consistency_parts import Place


EmbedderOption = Annotated[str | None, embedder_option("RAGCORTEX_EMBEDDER, else `embedded`")]
EmbedderModelOption = Annotated[
    str | None, typer.Option("--embedder-model", metavar="NAME", help="The embedding model's name at an endpoint.")
]


def consistency(
    *,
    input: Annotated[
        str | None,
        typer.Argument(
            metavar="[ANSWERS.jsonl|-]",
            help='One answer a line, a JSON string or {"answer": …}; - is standard input.',
        ),
    ] = None,
    answer: Annotated[
        list[str] | None,
        typer.Option("--answer", metavar="FILE|TEXT", help="One answer; give it once for each, instead of a file."),
    ] = None,
    question: Annotated[
        str | None, typer.Option("--question", metavar="TEXT", help="What they answer; makes the comparison better.")
    ] = None,
    embedder: EmbedderOption = None,
    embedder_model: EmbedderModelOption = None,
    similarity: Annotated[
        float | None,
        typer.Option("--similarity", metavar="COSINE", help="From which cosine on answers may mean the same."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
) -> int:
    """Compare sampled answers to one question.

    It needs no references and shows how sure the generator is. Answers that agree can still all be wrong.
    """
    answers = _answers(input, answer or [])
    if len(answers) < 2:  # before a model is loaded for nothing
        raise InputError(
            "answers", f"must be at least 2 sampled answers to one question, got {len(answers)}; sample it again"
        )

    from ragcortex.geometry.consistency import DEFAULT_SIMILARITY
    from ragcortex.geometry.consistency import consistency as compare
    from ragcortex.geometry.embedders.load import load_embedder

    threshold = DEFAULT_SIMILARITY if similarity is None else similarity
    result = compare(answers, load_embedder(embedder, model=embedder_model), question=question, similarity=threshold)
    if as_json:
        write_data(result.to_json(indent=2) + "\n")
    else:
        write_text(_shown(result))
    if result.score is None:
        complain("no answer claims anything, so there is nothing to compare")
        return EXIT_NOTHING_TO_CHECK
    return EXIT_OK


def _answers(source: str | None, texts: list[str]) -> list[str]:
    """Return the answers of the lines or of the options.

    Raises:
        InputError: both or neither are given, or a line holds something else.
    """
    inputs = Inputs()
    if texts:
        if source is not None:
            raise InputError("answer", "give either a file of answers or --answer, not both")
        return [inputs.text("answer", text) for text in texts]
    if source is None:
        raise InputError("answers", "are missing; give a file with one JSON string a line, or --answer for each")
    lines = inputs.text("answers", source).split("\n")
    return [_answer(line, number) for number, line in enumerate(lines, start=1) if line.strip()]


def _answer(line: str, number: int) -> str:
    try:
        value: Any = json.loads(line)
    except (ValueError, RecursionError) as error:
        reason = f"{error.msg} at character {error.pos + 1}" if isinstance(error, json.JSONDecodeError) else error
        raise InputError(
            "answers", f'line {number} must be a JSON string or an object with "answer": {reason}'
        ) from None
    if isinstance(value, dict):
        value = value.get("answer")
    if not isinstance(value, str):
        raise InputError(
            "answers", f'line {number} must be a JSON string or an object with the string "answer", got {line[:60]!r}'
        )
    return value


def _shown(result: "Consistency") -> str:
    """Return the result as text for people."""
    score = "none" if result.score is None else f"{result.score:.2f}"
    lines = [
        f"{plural(result.n_answers, 'answer')}, {plural(result.n_clusters, 'meaning')}; score {score} "
        f"(entropy {result.entropy:.2f} nats, largest share {result.largest_share:.0%})"
    ]
    for number, cluster in enumerate(result.clusters):
        numbers = ", ".join(str(index + 1) for index in cluster)
        claims = "  claims nothing:" if number == result.refusals else " "
        lines.append(f"{len(cluster):>3}×{claims} {inert_line(result.answers[cluster[0]])}  [{numbers}]")
    for each in result.disagreements:
        lines.append(f"{each.kind}: {_quoted(each.found)} but {_quoted(each.majority)}, as the majority says")
    lines += [f"note: {note.text}" for note in result.notes]
    lines.append(result.limitation)
    return "\n".join(lines) + "\n"


def _quoted(place: "Place") -> str:
    return f"answer {place.answer + 1} says «{inert_line(place.text)}» (characters {place.start} to {place.end})"
