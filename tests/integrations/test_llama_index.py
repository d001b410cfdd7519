"""LlamaIndex's own query engines with an index in memory and a language model that reads its prompt."""
# ruff: noqa: ARG002  # LlamaIndex decides what a model's methods are given

import asyncio
import subprocess
import sys
from typing import Any

import pytest
from llama_index.core import Document, PromptTemplate, Settings, VectorStoreIndex
from llama_index.core.base.llms.types import CompletionResponse, CompletionResponseGen, LLMMetadata
from llama_index.core.base.response.schema import Response
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.evaluation import BatchEvalRunner
from llama_index.core.llms import CustomLLM
from llama_index.core.llms.callbacks import llm_completion_callback
from llama_index.core.query_engine import RetryQueryEngine
from llama_index.core.schema import NodeWithScore, TextNode
from made_chain import GROUNDED, INVENTED, PASSAGES, QUESTION, embedded, generated, prompt_of

import made_detectors as made
from made_embedder import WordEmbedder
from ragcortex.errors import InputError
from ragcortex.integrations.llama_index import CONFLICTS, ConsistencyPostprocessor, GroundednessEvaluator

DETECTOR = made.geometric()
WRONG = f"{GROUNDED} {INVENTED}"


class WordCounts(BaseEmbedding):
    def _get_text_embedding(self, text: str) -> list[float]:
        return embedded(text)

    def _get_query_embedding(self, query: str) -> list[float]:
        return embedded(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return embedded(query)


class CarelessModel(CustomLLM):
    """Answers from the sources in its prompt, and adds an invention unless told off."""

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata()

    @llm_completion_callback()
    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        sources, question = prompt.split("Question: ")
        lines = [line for line in sources.splitlines() if line.endswith(".")]
        return CompletionResponse(text=generated(prompt_of(lines, question)))

    @llm_completion_callback()
    def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponseGen:
        text = self.complete(prompt).text
        for end in range(1, len(text) + 1):
            yield CompletionResponse(text=text[:end], delta=text[end - 1])


@pytest.fixture(scope="module")
def index() -> VectorStoreIndex:
    documents = [Document(text=text, metadata=metadata) for text, metadata in PASSAGES]
    return VectorStoreIndex.from_documents(documents, embed_model=WordCounts())


def engine(index: VectorStoreIndex, **options: Any) -> Any:
    template = PromptTemplate("{context_str}\nQuestion: {query_str}")
    return index.as_query_engine(llm=CarelessModel(), text_qa_template=template, similarity_top_k=2, **options)


def test_a_response_is_judged_with_its_spans_and_sources(index: VectorStoreIndex) -> None:
    response = engine(index).query(QUESTION)
    result = GroundednessEvaluator(DETECTOR).evaluate_response(QUESTION, response)
    assert (result.passing, result.invalid_result, result.response) == (False, False, WRONG)
    assert result.report is not None
    assert result.report.score is not None
    assert result.score == 1.0 - result.report.score
    assert result.feedback is not None
    assert f"«{INVENTED[:-1]}»: no reference says this." in result.feedback
    assert [span.text for span in result.report.spans] == [INVENTED[:-1]]
    evidence = result.report.sentences[0].evidence[0]
    assert response.source_nodes[evidence.reference].node.get_content() == evidence.text == GROUNDED
    assert evidence.source == "capes.pdf, page iv"


def test_plain_texts_are_judged_too() -> None:
    evaluator = GroundednessEvaluator(DETECTOR)
    contexts = [text for text, _ in PASSAGES]
    result = evaluator.evaluate(QUESTION, GROUNDED, contexts, sleep_time_in_seconds=0)
    assert (result.passing, result.contexts, result.query) == (True, contexts, QUESTION)
    assert asyncio.run(evaluator.aevaluate(QUESTION, GROUNDED, contexts)) == result


def test_streams_are_read_to_their_end(index: VectorStoreIndex) -> None:
    evaluator = GroundednessEvaluator(DETECTOR)
    assert evaluator.evaluate_response(QUESTION, engine(index, streaming=True).query(QUESTION)).response == WRONG

    async def streamed() -> Any:
        response = await engine(index, streaming=True).aquery(QUESTION)
        with pytest.raises(InputError) as error:
            evaluator.evaluate_response(QUESTION, response)
        assert str(error.value) == "response: streams asynchronously; use aevaluate_response"
        return await evaluator.aevaluate_response(QUESTION, response)

    assert asyncio.run(streamed()).response == WRONG


def test_what_cannot_be_judged_is_an_invalid_result() -> None:
    evaluator = GroundednessEvaluator(DETECTOR)
    result = evaluator.evaluate(QUESTION, GROUNDED, [])
    assert (result.passing, result.score, result.invalid_result) == (False, None, True)
    assert result.invalid_reason is not None
    assert "There are no references" in result.invalid_reason
    result = evaluator.evaluate(QUESTION, "I do not know.", [GROUNDED])
    assert (result.passing, result.score, result.invalid_result) == (True, None, False)
    assert not evaluator.evaluate_response(QUESTION, Response(None)).passing


def test_which_verdicts_pass_can_be_chosen() -> None:
    assert GroundednessEvaluator(DETECTOR, passing_verdicts=["hallucinated"]).evaluate(None, WRONG, [GROUNDED]).passing
    with pytest.raises(InputError) as error:
        GroundednessEvaluator(DETECTOR, passing_verdicts=["good"])
    assert str(error.value).startswith("passing_verdicts: must be one of grounded, review")
    for field, given in (("response", (None, None, [])), ("contexts", (None, "x", None))):
        with pytest.raises(InputError) as error:
            GroundednessEvaluator(DETECTOR).evaluate(*given)
        assert str(error.value) == f"{field}: must be given, got None"
    with pytest.raises(InputError):
        GroundednessEvaluator(DETECTOR).evaluate_response(QUESTION, None)


def test_metadata_count_as_said_where_the_model_saw_them() -> None:
    node = TextNode(
        text=GROUNDED, metadata={"author": "Mary Holt", "shelf": "A7"}, excluded_llm_metadata_keys=["shelf"]
    )
    response = Response("The author is Mary Holt.", [NodeWithScore(node=node)])
    seen = GroundednessEvaluator(DETECTOR, with_metadata=True).evaluate_response(None, response)
    assert seen.contexts == [f"author: Mary Holt\n\n{GROUNDED}"]
    assert GroundednessEvaluator(DETECTOR).evaluate_response(None, response).contexts == [GROUNDED]


@pytest.mark.filterwarnings("ignore:asyncio_module:DeprecationWarning")  # LlamaIndex calls what it has deprecated
def test_many_questions_are_judged_by_the_batch_runner(index: VectorStoreIndex) -> None:
    runner = BatchEvalRunner({"groundedness": GroundednessEvaluator(DETECTOR)}, workers=2)
    questions = [QUESTION, "May books be kept for three weeks?"]
    results = asyncio.run(runner.aevaluate_queries(engine(index), queries=questions))["groundedness"]
    assert [result.passing for result in results] == [False, False]
    assert [result.query for result in results] == questions


def test_an_engine_tries_again_with_the_feedback(index: VectorStoreIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Settings, "_llm", CarelessModel())  # its transformation of the query asks for one
    retrying = RetryQueryEngine(engine(index), GroundednessEvaluator(DETECTOR), max_retries=1)
    assert str(retrying.query(QUESTION)) == GROUNDED


def nodes(*texts: str) -> list[NodeWithScore]:
    found = enumerate(texts)
    return [
        NodeWithScore(node=TextNode(text=text, id_=f"n{number}"), score=1.0 - number / 10) for number, text in found
    ]


def consistent(*texts: str, **options: Any) -> list[NodeWithScore]:
    return ConsistencyPostprocessor(embedder=WordEmbedder(), **options).postprocess_nodes(nodes(*texts))


def test_nodes_that_repeat_better_ones_are_dropped() -> None:
    kept = consistent(GROUNDED, "It stands 41 metres above the sea.", GROUNDED)
    assert [(node.node_id, node.score) for node in kept] == [("n0", 1.0), ("n1", 0.9)]
    assert len(consistent(GROUNDED, GROUNDED, drop_repeated=False)) == 2
    assert [node.node_id for node in consistent(GROUNDED)] == ["n0"]
    assert consistent() == []


def test_nodes_that_contradict_each_other_stay_and_are_flagged() -> None:
    other = GROUNDED.replace("1874", "1901")
    given = nodes(GROUNDED, "Books may be kept for three weeks.", other)
    kept = ConsistencyPostprocessor(embedder=WordEmbedder(), conflict_above=0.7).postprocess_nodes(given)
    assert [node.node_id for node in kept] == ["n0", "n1", "n2"]
    assert kept[0].metadata[CONFLICTS] == [{"node_id": "n2", "text": GROUNDED, "other_text": other}]
    assert kept[2].metadata[CONFLICTS] == [{"node_id": "n0", "text": other, "other_text": GROUNDED}]
    assert CONFLICTS not in kept[1].metadata
    assert all(CONFLICTS not in node.metadata for node in given)  # the index keeps its own
    assert kept[0].get_content("llm") == GROUNDED
    told = ConsistencyPostprocessor(embedder=WordEmbedder(), conflict_above=0.7, tell_llm=True).postprocess_nodes(given)
    assert "1901" in told[0].get_content("llm")
    assert told[0].get_content("embed") == GROUNDED


def test_the_post_processor_works_in_an_engine(index: VectorStoreIndex) -> None:
    documents = [Document(text=GROUNDED, metadata={"source": name}) for name in ("a", "b")]
    twice = VectorStoreIndex.from_documents(documents, embed_model=WordCounts())
    response = engine(twice, node_postprocessors=[ConsistencyPostprocessor(embedder=WordEmbedder())]).query(QUESTION)
    assert len(response.source_nodes) == 1
    assert len(engine(twice).query(QUESTION).source_nodes) == 2
    asked = engine(twice, node_postprocessors=[ConsistencyPostprocessor(embedder=WordEmbedder())]).aquery(QUESTION)

    async def answer() -> Any:
        return await asked

    assert len(asyncio.run(answer()).source_nodes) == 1


def test_the_post_processor_is_stored_without_its_model() -> None:
    stored = ConsistencyPostprocessor(embedder=WordEmbedder(), merge_above=0.8).to_dict()
    assert (stored["merge_above"], stored["class_name"]) == (0.8, "RagcortexConsistencyPostprocessor")
    assert ConsistencyPostprocessor.from_dict(stored).merge_above == 0.8


@pytest.mark.weights
def test_the_embedded_model_is_the_default() -> None:
    kept = ConsistencyPostprocessor().postprocess_nodes(nodes(GROUNDED, GROUNDED, GROUNDED.replace("1874", "1901")))
    assert [node.node_id for node in kept] == ["n0", "n2"]
    assert kept[0].metadata[CONFLICTS][0]["node_id"] == "n2"


def test_without_llama_index_the_module_says_what_to_install() -> None:
    code = "import sys; sys.modules['llama_index'] = None; import ragcortex.integrations.llama_index"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.stderr.splitlines()[-1] == (
        "ImportError: llama-index-core is not installed, and this module needs it; run `pip install "
        "'ragcortex[llamaindex]'`"
    )
