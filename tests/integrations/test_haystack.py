"""The component in Haystack's own pipelines: a retriever in memory, a prompt builder, and a chat generator."""

import asyncio
import subprocess
import sys
from typing import Any

import pytest
from haystack import Document, Pipeline, component, default_from_dict, default_to_dict
from haystack.components.builders import AnswerBuilder, ChatPromptBuilder
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
from haystack.core.errors import DeserializationError
from haystack.dataclasses import ChatMessage, ToolCall
from haystack.document_stores.in_memory import InMemoryDocumentStore
from made_chain import GROUNDED, INVENTED, PASSAGES, QUESTION, generated, prompt_of

import made_detectors as made
from ragcortex.errors import InputError
from ragcortex.integrations.haystack import GroundednessChecker
from ragcortex.integrations.policy import BLOCKED_TEXT, GuardPolicy
from ragcortex.report import Report

DETECTOR = made.geometric()
WRONG = f"{GROUNDED} {INVENTED}"
TEMPLATE = prompt_of(["SOURCES"], "{{ query }}").replace(
    "- SOURCES", "{% for document in documents %}- {{ document.content }}\n{% endfor %}"
)


@component
class CarelessGenerator:
    """Answers from the sources in its prompt, and adds an invention unless told off."""

    def __init__(self) -> None:
        self.is_warm = False

    def warm_up(self) -> None:
        self.is_warm = True

    def to_dict(self) -> dict[str, Any]:
        return default_to_dict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "CarelessGenerator":
        return default_from_dict(cls, data)

    @component.output_types(replies=list[ChatMessage])
    def run(self, messages: list[ChatMessage]) -> dict[str, Any]:
        prompt = "\n".join(message.text or "" for message in messages)
        return {"replies": [ChatMessage.from_assistant(generated(prompt), meta={"model": "careless"})]}

    @component.output_types(replies=list[ChatMessage])
    async def run_async(self, messages: list[ChatMessage]) -> dict[str, Any]:
        await asyncio.sleep(0)
        return self.run(messages)


def pipeline(checker: GroundednessChecker) -> Pipeline:
    store = InMemoryDocumentStore()
    store.write_documents([Document(content=text, id=f"p{n}", meta=meta) for n, (text, meta) in enumerate(PASSAGES)])
    whole = Pipeline()
    whole.add_component("retriever", InMemoryBM25Retriever(store, top_k=2))
    whole.add_component(
        "prompt", ChatPromptBuilder([ChatMessage.from_user(TEMPLATE)], required_variables=["documents", "query"])
    )
    whole.add_component("generator", CarelessGenerator())
    whole.add_component("checker", checker)
    whole.add_component("answers", AnswerBuilder())
    whole.connect("retriever.documents", "prompt.documents")
    whole.connect("prompt.prompt", "generator.messages")
    whole.connect("prompt.prompt", "checker.messages")
    whole.connect("retriever.documents", "checker.documents")
    whole.connect("generator.replies", "checker.replies")
    whole.connect("checker.replies", "answers.replies")
    whole.connect("retriever.documents", "answers.documents")
    return whole


ASKED = {name: {"query": QUESTION} for name in ("retriever", "prompt", "checker", "answers")}
EVERYTHING = {"checker"}


def asked(checker: GroundednessChecker) -> tuple[Any, Any]:
    output = pipeline(checker).run(ASKED, include_outputs_from=EVERYTHING)
    return output["checker"], output["answers"]["answers"][0]


def test_a_reply_is_judged_and_withheld() -> None:
    checked, answer = asked(GroundednessChecker(DETECTOR))
    assert (checked["verdicts"], checked["actions"], answer.data) == (["hallucinated"], ["block"], BLOCKED_TEXT)
    (report,) = checked["reports"]
    assert isinstance(report, Report)
    assert (report.question, report.answer) == (QUESTION, WRONG)
    assert [span.text for span in report.spans] == [INVENTED[:-1]]
    evidence = report.sentences[0].evidence[0]
    assert (answer.documents[evidence.reference].content, evidence.source) == (GROUNDED, "capes.pdf, page iv")
    assert answer.meta["groundedness"] == {"verdict": "hallucinated", "score": report.score, "action": "block"}
    assert answer.meta["model"] == "careless"


def test_a_reply_is_written_anew_by_a_generator() -> None:
    checked, answer = asked(GroundednessChecker(DETECTOR, chat_generator=CarelessGenerator()))
    assert (checked["verdicts"], checked["actions"], answer.data) == (["grounded"], ["pass"], GROUNDED)

    async def run() -> Any:
        checker = GroundednessChecker(DETECTOR, chat_generator=CarelessGenerator())
        return await pipeline(checker).run_async(ASKED, include_outputs_from=EVERYTHING)

    assert asyncio.run(run())["checker"] == checked


def test_a_generator_that_only_waits_is_asked_in_another_thread() -> None:
    @component
    class Waiting:
        @component.output_types(replies=list[ChatMessage])
        def run(self, messages: list[ChatMessage]) -> dict[str, Any]:
            return {"replies": [ChatMessage.from_assistant(generated("\n".join(one.text or "" for one in messages)))]}

    checker = GroundednessChecker(DETECTOR, chat_generator=Waiting())
    messages = [ChatMessage.from_user(prompt_of([GROUNDED], QUESTION))]
    given = {"query": QUESTION, "documents": [Document(content=GROUNDED)], "replies": [WRONG], "messages": messages}
    assert asyncio.run(checker.run_async(**given))["replies"] == checker.run(**given)["replies"] == [GROUNDED]


def test_several_replies_keep_their_order_and_kind() -> None:
    checker = GroundednessChecker(DETECTOR, policy=GuardPolicy(hallucinated="annotate"))
    documents = [Document(content=None), Document(content=GROUNDED)]
    output = checker.run(documents, [GROUNDED, WRONG, "I do not know."])
    assert output["actions"] == ["pass", "annotate", "pass"]
    assert output["verdicts"] == ["grounded", "hallucinated", "no_claim"]
    assert output["replies"][0] == GROUNDED
    assert "⟦" in output["replies"][1]
    assert output["reports"][0].sentences[0].evidence[0].reference == 1
    assert checker.run(documents, []) == {"replies": [], "reports": [], "verdicts": [], "actions": []}


def test_what_is_no_text_of_a_message_stays() -> None:
    reply = ChatMessage.from_assistant(WRONG, tool_calls=[ToolCall("search", {"q": "x"})], reasoning="Hm.", name="bot")
    (shown,) = GroundednessChecker(DETECTOR).run([Document(content=GROUNDED)], [reply])["replies"]
    assert (shown.text, shown.tool_calls, shown.reasoning, shown.name) == (
        BLOCKED_TEXT, reply.tool_calls, reply.reasoning, "bot"
    )  # fmt: skip
    assert reply.text == WRONG
    assert reply.meta == {}
    only_a_call = ChatMessage.from_assistant(tool_calls=[ToolCall("search", {"q": "x"})])
    assert GroundednessChecker(DETECTOR).run([Document(content=GROUNDED)], [only_a_call])["verdicts"] == ["no_claim"]


def test_to_write_anew_it_needs_the_prompt() -> None:
    checker = GroundednessChecker(DETECTOR, chat_generator=CarelessGenerator())
    with pytest.raises(InputError) as error:
        checker.run([Document(content=GROUNDED)], [WRONG])
    assert str(error.value) == (
        "messages: must be given where replies are written anew; connect the prompt builder to it"
    )


def test_a_component_comes_back_from_its_json_form() -> None:
    checker = GroundednessChecker(
        "fusion-clean", witness="geometry", device="cpu", policy={"review": "block"}, chat_generator=CarelessGenerator()
    )
    stored = checker.to_dict()
    assert stored["init_parameters"]["policy"] == GuardPolicy(review="block").to_dict()
    with pytest.raises(DeserializationError):
        Pipeline.from_dict({"components": {"checker": stored}, "connections": []})
    whole = Pipeline()
    whole.add_component("checker", checker)
    loaded = Pipeline.loads(whole.dumps(), allowed_modules=["ragcortex.*", "test_haystack"]).get_component("checker")
    assert (loaded.detector, loaded.options, loaded.policy) == (checker.detector, checker.options, checker.policy)
    assert isinstance(loaded.chat_generator, CarelessGenerator)
    assert loaded.to_dict() == stored


def test_a_loaded_detector_cannot_be_saved_and_takes_no_options() -> None:
    with pytest.raises(InputError) as error:
        GroundednessChecker(DETECTOR).to_dict()
    assert str(error.value) == (
        "detector: must be a name or a folder for the pipeline to be saved, got a GeometricDetector"
    )
    with pytest.raises(InputError) as error:
        GroundednessChecker(DETECTOR, witness="geometry")
    assert str(error.value) == "witness: goes with a detector's name, not with one that is loaded already"


@pytest.mark.weights
def test_a_detector_is_loaded_by_its_name_when_it_is_warmed_up() -> None:
    generator = CarelessGenerator()
    checker = GroundednessChecker(witness="geometry", chat_generator=generator)
    checker.warm_up()
    assert generator.is_warm
    stored = checker.to_dict()
    stored["init_parameters"]["chat_generator"] = None
    again = GroundednessChecker.from_dict(stored)
    documents, replies = [Document(content=GROUNDED)], [WRONG]
    assert again.run(documents, replies)["reports"][0].detector.witness == "geometry"
    messages = [ChatMessage.from_user(prompt_of([GROUNDED], QUESTION))]
    assert checker.run(documents, replies, messages=messages)["replies"] == [GROUNDED]


def test_without_haystack_the_module_says_what_to_install() -> None:
    code = "import sys; sys.modules['haystack'] = None; import ragcortex.integrations.haystack"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.stderr.splitlines()[-1] == (
        "ImportError: haystack-ai is not installed, and this module needs it; run `pip install 'ragcortex[haystack]'`"
    )
