"""LlamaIndex: an evaluator that judges responses, and a node post-processor that readies nodes for it.

    evaluator = GroundednessEvaluator()
    engine = index.as_query_engine(node_postprocessors=[ConsistencyPostprocessor()])
    result = evaluator.evaluate_response(question, engine.query(question))
    print(result.passing, result.score, result.feedback)

The evaluator goes wherever LlamaIndex takes one: `BatchEvalRunner` for many questions, `RetryQueryEngine` for an engine
that tries again, with the feedback, when a response does not pass.
"""

import asyncio
from collections.abc import Sequence
from typing import Any, Final

from ragcortex.check import detector_or_default
from ragcortex.checks import check_known
from ragcortex.detectors.detector import Detector
from ragcortex.errors import InputError
from ragcortex.example import Example, Reference
from ragcortex.foreign import source_of
from ragcortex.geometry.embedders.embedder import Embedder
from ragcortex.geometry.embedders.load import load_embedder
from ragcortex.integrations import wording
from ragcortex.integrations.extras import missing
from ragcortex.integrations.passages import PassageConflict, overlap_of
from ragcortex.report import VERDICTS, Report

try:
    from llama_index.core.base.response.schema import RESPONSE_TYPE, AsyncStreamingResponse
    from llama_index.core.bridge.pydantic import ConfigDict, Field
    from llama_index.core.evaluation import BaseEvaluator, EvaluationResult
    from llama_index.core.postprocessor.types import BaseNodePostprocessor
    from llama_index.core.prompts.mixin import PromptDictType
    from llama_index.core.schema import MetadataMode, NodeWithScore, QueryBundle
except ImportError as error:
    raise missing("llama-index-core", "llamaindex") from error

CONFLICTS: Final = "ragcortex_conflicts"
"""The key of a node's metadata under which the post-processor writes what it contradicts."""


class GroundednessResult(EvaluationResult):
    """An `EvaluationResult` that has the whole Report: tokens, spans, evidence."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    report: Report | None = Field(default=None, exclude=True, description="The judgement with its spans and evidence")


class GroundednessEvaluator(BaseEvaluator):
    """Judges whether a response says what its contexts support.

    A result has `score` 1 − the answer's hallucination score, higher is better as LlamaIndex has it; `passing` by the
    verdict; `feedback` that names each unsupported span and what the contexts say instead; and `report`. What cannot
    be judged (no context, say) is an invalid result with its reason and no score. A blank response never passes.
    """

    def __init__(
        self,
        detector: Detector | None = None,
        *,
        passing_verdicts: Sequence[str] = ("grounded", "no_claim"),
        with_metadata: bool = False,
    ) -> None:
        """Describe the evaluator; nothing is loaded yet.

        Args:
            detector: who judges; by default the default detector, loaded with the first response.
            passing_verdicts: the verdicts that pass; `review` may be added.
            with_metadata: of a Response, judge against what the language model saw of each node: its text and those
                metadata that are not excluded for it. By default against the text alone.

        Raises:
            InputError: a verdict is not known.
        """
        for verdict in passing_verdicts:
            check_known("passing_verdicts", verdict, VERDICTS)
        self._detector = detector
        self._passing = tuple(passing_verdicts)
        self._mode = MetadataMode.LLM if with_metadata else MetadataMode.NONE

    def evaluate(
        self,
        query: str | None = None,
        response: str | None = None,
        contexts: Sequence[str] | None = None,
        **kwargs: Any,
    ) -> GroundednessResult:
        """Return the judgement on a response; see the class.

        Raises:
            InputError: response or contexts are missing.
            RagcortexError: as `Detector.check`.
        """
        del kwargs  # of other evaluators
        if response is None or contexts is None:
            raise InputError("response" if response is None else "contexts", "must be given, got None")
        return self._evaluated(Example.of(query, contexts, response))

    async def aevaluate(
        self,
        query: str | None = None,
        response: str | None = None,
        contexts: Sequence[str] | None = None,
        **kwargs: Any,
    ) -> GroundednessResult:
        """Return what `evaluate` does; judging happens in another thread."""
        return await asyncio.to_thread(self.evaluate, query, response, contexts, **kwargs)

    def evaluate_response(
        self, query: str | None = None, response: RESPONSE_TYPE | None = None, **kwargs: Any
    ) -> GroundednessResult:
        """Return the judgement on what a query engine gave; evidence names each node's source and page.

        Raises:
            InputError: the response is missing, or streams asynchronously.
            RagcortexError: as `Detector.check`.
        """
        del kwargs
        if isinstance(response, AsyncStreamingResponse):
            raise InputError("response", "streams asynchronously; use aevaluate_response")
        return self._evaluated(self._example(query, response))

    async def aevaluate_response(
        self, query: str | None = None, response: RESPONSE_TYPE | None = None, **kwargs: Any
    ) -> GroundednessResult:
        """Return what `evaluate_response` does; judging happens in another thread."""
        del kwargs
        if isinstance(response, AsyncStreamingResponse):
            response = await response.get_response()
        return await asyncio.to_thread(lambda: self._evaluated(self._example(query, response)))

    def _example(self, query: str | None, response: RESPONSE_TYPE | None) -> Example:
        if response is None:
            raise InputError("response", "must be given, got None")
        whole: Any = response.get_response() if hasattr(response, "get_response") else response
        references = tuple(reference_of(node, self._mode) for node in whole.source_nodes)
        return Example(query, references, whole.response or "")

    def _evaluated(self, example: Example) -> GroundednessResult:
        report = detector_or_default(self._detector).check_example(example)
        unjudged = report.verdict == "not_verifiable"
        return GroundednessResult(
            query=example.question,
            contexts=[reference.text for reference in example.references],
            response=example.answer,
            passing=report.verdict in self._passing and bool(example.answer.strip()),
            score=None if report.score is None else 1.0 - report.score,
            feedback=wording.feedback(report),
            invalid_result=unjudged,
            invalid_reason=wording.feedback(report) if unjudged else None,
            report=report,
        )

    def _get_prompts(self) -> PromptDictType:
        return {}

    def _update_prompts(self, prompts_dict: PromptDictType) -> None:
        """Take no prompts: nothing here is prompted."""


class ConsistencyPostprocessor(BaseNodePostprocessor):
    """Drops retrieved nodes that only repeat better ones, and flags nodes that contradict each other.

    A check is only as good as its references: what several nodes repeat looks better supported than it is, and where
    nodes contradict each other an answer is right by one and wrong by another. Nodes are compared as the geometric
    witness compares references: stretch by stretch, by their vectors and then by their numbers, dates and negations. A
    node goes only if every stretch of it stands, with the same facts, in nodes before it.

    A node in conflict gets `metadata["ragcortex_conflicts"]`: a list of `{"node_id", "text", "other_text"}`. It is a
    copy: the index's own nodes stay as they are. The language model sees the flag only with `tell_llm`.
    """

    embedder: Any = Field(default=None, exclude=True, description="The embedding model; by default the embedded one")
    merge_above: float = Field(default=0.9, ge=0, le=1, description="The cosine above which a stretch is a repetition")
    conflict_above: float = Field(default=0.8, ge=0, le=1, description="That above which other facts are a conflict")
    drop_repeated: bool = Field(default=True, description="Whether nodes that only repeat others are dropped")
    tell_llm: bool = Field(default=False, description="Whether the language model sees which nodes are in conflict")

    @classmethod
    def class_name(cls) -> str:
        """Return the name under which LlamaIndex stores it."""
        return "RagcortexConsistencyPostprocessor"

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        del query_bundle  # what nodes say of each other does not depend on the question
        if len(nodes) < 2:
            return nodes
        references = [reference_of(node, MetadataMode.NONE) for node in nodes]
        thresholds = {"merge_above": self.merge_above, "conflict_above": self.conflict_above}
        overlap = overlap_of(references, self._loaded(), **thresholds)
        dropped = set(overlap.repeated) if self.drop_repeated else set()
        conflicts = [one for one in overlap.conflicts if not dropped & {one.first, one.second}]
        kept = [(number, node) for number, node in enumerate(nodes) if number not in dropped]
        return [self._flagged(number, node, nodes, conflicts) for number, node in kept]

    def _loaded(self) -> Embedder:
        if self.embedder is None or isinstance(self.embedder, str):
            self.embedder = load_embedder(self.embedder)
        embedder: Embedder = self.embedder
        return embedder

    def _flagged(
        self, number: int, node: NodeWithScore, nodes: Sequence[NodeWithScore], conflicts: Sequence[PassageConflict]
    ) -> NodeWithScore:
        both_ways = [(one.first, one.second, one.first_text, one.second_text) for one in conflicts]
        both_ways += [(one.second, one.first, one.second_text, one.first_text) for one in conflicts]
        found = [
            {"node_id": nodes[other].node_id, "text": text, "other_text": other_text}
            for own, other, text, other_text in both_ways
            if own == number
        ]
        if not found:
            return node
        hidden = [*node.node.excluded_embed_metadata_keys, CONFLICTS]
        unseen = [*node.node.excluded_llm_metadata_keys, *([] if self.tell_llm else [CONFLICTS])]
        changes = {
            "metadata": {**node.node.metadata, CONFLICTS: found},
            "excluded_embed_metadata_keys": hidden,
            "excluded_llm_metadata_keys": unseen,
        }
        return NodeWithScore(node=node.node.model_copy(update=changes), score=node.score)


def reference_of(node: NodeWithScore, mode: MetadataMode = MetadataMode.NONE) -> Reference:
    """Return a node as a reference with its id, source and page; with its metadata in the text if `mode` says so."""
    return Reference(node.node.get_content(metadata_mode=mode), node.node_id, source_of(node.metadata))
