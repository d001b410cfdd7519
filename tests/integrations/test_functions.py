"""The decorator on functions of every kind: what comes back, what is asked again, where values are found."""

import asyncio
from collections import namedtuple
from dataclasses import dataclass
from types import SimpleNamespace

import pytest
from made_chain import GROUNDED, INVENTED, PASSAGES, QUESTION, generated, prompt_of
from pydantic import BaseModel

import made_detectors as made
from ragcortex.errors import InputError
from ragcortex.integrations.functions import grounded
from ragcortex.integrations.policy import BLOCKED_TEXT, GuardPolicy

DETECTOR = made.geometric()
WRONG = f"{GROUNDED} {INVENTED}"
TEXTS = [text for text, _ in PASSAGES]
Pair = namedtuple("Pair", "text passages")


@dataclass(frozen=True)
class Answer:
    text: str
    passages: list[str]


class Model(BaseModel):
    text: str
    passages: list[str]


class Prediction:
    """Holds its values as DSPy's predictions do: in a dictionary, changed by `copy`."""

    def __init__(self, **values: object) -> None:
        self._store = values

    def __getattr__(self, name: str) -> object:
        if name not in self.__dict__["_store"]:
            raise AttributeError(name)
        return self.__dict__["_store"][name]

    def copy(self, **changes: object) -> "Prediction":
        return Prediction(**{**self._store, **changes})


def test_an_answer_is_written_anew_with_the_hint():
    seen = []

    @grounded(question="question", references="passages", detector=DETECTOR, on_checked=seen.append)
    def answer(question, passages, *, hint=""):
        """Answer the question."""
        return generated(prompt_of(passages, question, hint))

    assert answer(QUESTION, TEXTS) == GROUNDED
    assert answer(passages=TEXTS, question=QUESTION) == GROUNDED
    assert [[report.answer for report in one.attempts] for one in seen] == [[WRONG, GROUNDED]] * 2
    assert seen[0].report.question == QUESTION
    assert (answer.__name__, answer.__doc__) == ("answer", "Answer the question.")


def test_without_a_parameter_for_the_hint_it_is_called_once():
    calls = []

    @grounded(references="passages", detector=DETECTOR)
    def answer(passages):
        calls.append(passages)
        return WRONG

    assert answer(TEXTS) == BLOCKED_TEXT
    assert len(calls) == 1


def test_a_coroutine_function_stays_one():
    @grounded(question="question", references="passages", detector=DETECTOR)
    async def answer(question, passages, hint=""):
        await asyncio.sleep(0)
        return generated(prompt_of(passages, question, hint))

    async def several():
        return await asyncio.gather(*(answer(QUESTION, TEXTS) for _ in range(3)))

    assert asyncio.run(several()) == [GROUNDED] * 3


def test_a_method_is_guarded_and_its_retry_may_retrieve_anew():
    class Rag:
        @grounded(question="question", references="passages", answer="text", detector=DETECTOR)
        def ask(self, question, told="", hint=""):
            passages = [INVENTED] if hint else TEXTS
            return {"text": INVENTED if hint else WRONG, "passages": passages, "told": told, "asked": question}

    found = Rag().ask(QUESTION, told="x")
    assert found == {"text": INVENTED, "passages": [INVENTED], "told": "x", "asked": QUESTION}


@pytest.mark.parametrize("kind", [Answer, Model, SimpleNamespace, Prediction, dict, Pair])
def test_the_answer_is_replaced_wherever_it_stands(kind):
    made_result = kind(text=WRONG, passages=TEXTS)
    places = {"references": 1, "answer": 0} if kind is Pair else {"references": "passages", "answer": "text"}
    result = grounded(**places, detector=DETECTOR)(lambda: made_result)()
    assert type(result) is kind
    text = result["text"] if kind is dict else result.text
    assert text == BLOCKED_TEXT
    assert (made_result["text"] if kind is dict else made_result.text) == WRONG


def test_a_pair_and_a_list_are_taken_by_position():
    assert grounded(references=1, answer=0, detector=DETECTOR)(lambda: (WRONG, TEXTS))() == (BLOCKED_TEXT, TEXTS)
    assert grounded(references=1, answer=0, detector=DETECTOR)(lambda: [GROUNDED, TEXTS])() == [GROUNDED, TEXTS]


def test_an_answer_that_passes_comes_back_untouched():
    result = Answer(WRONG, TEXTS)
    observe = GuardPolicy.observe()
    assert grounded(references="passages", answer="text", detector=DETECTOR, policy=observe)(lambda: result)() is result


def test_values_can_be_found_by_functions_and_among_further_arguments():
    @grounded(
        question=lambda call: call.arguments["topic"].upper(),
        references=lambda call: [document["text"] for document in call.result["found"]],
        answer="said",
        detector=DETECTOR,
    )
    def answer(**options):
        return {"found": [{"text": GROUNDED}], "said": GROUNDED, **options}

    assert answer(topic="capes")["said"] == GROUNDED

    @grounded(references="passages", detector=DETECTOR)
    def other(**options):
        return WRONG

    assert other(passages=TEXTS) == BLOCKED_TEXT


@pytest.mark.parametrize(
    ("options", "result", "message"),
    [
        ({"references": "found"}, "x", "references: 'found' is neither an argument (q) nor in the result"),
        ({"references": 1, "answer": 0}, ("x",), "references: 1 is neither an argument (q) nor in the result"),
        ({"references": "q"}, 5, "answer: must be text, got int; say with answer= where in the result it is"),
        ({"references": "q", "answer": "text"}, {}, "answer: must be text, but 'text' of the result is NoneType"),
        ({"references": "q", "question": "why"}, "x", "question: 'why' is neither an argument (q) nor in the result"),
        ({"references": lambda _: 5}, "x", "references: must be a list of documents or texts, got int"),
    ],
)
def test_what_is_not_found_is_named(options, result, message):
    with pytest.raises(InputError) as error:
        grounded(detector=DETECTOR, **options)(lambda q=(): result if q == () else q)()
    assert str(error.value) == message


def test_only_functions_that_return_can_be_decorated():
    def pieces():
        yield "x"

    with pytest.raises(InputError) as error:
        grounded(references="passages")(pieces)
    assert str(error.value) == ("function: must return its answer; for one that yields it use ragcortex.stream_guard")
    with pytest.raises(InputError) as error:
        grounded(references="passages")("text")
    assert str(error.value) == "function: must be a function, got str"


def test_what_the_function_raises_is_heard():
    @grounded(references="passages", detector=DETECTOR)
    def answer(passages):
        raise LookupError("no model")

    with pytest.raises(LookupError, match="no model"):
        answer(TEXTS)
    with pytest.raises(TypeError, match="missing a required argument: 'passages'"):
        answer()
