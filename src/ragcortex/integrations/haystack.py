"""Haystack: a component behind a generator that judges its replies, and passes, marks, retries or withholds them.

    pipeline.add_component("checker", GroundednessChecker())
    pipeline.connect("retriever.documents", "checker.documents")
    pipeline.connect("generator.replies", "checker.replies")

A pipeline that was saved is loaded with `Pipeline.load(file, allowed_modules=["ragcortex.*"])`: Haystack imports no
component from elsewhere unless it is told to.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from ragcortex.check import named_detector
from ragcortex.detectors.detector import Detector
from ragcortex.detectors.registry import DEFAULT_DETECTOR
from ragcortex.errors import InputError
from ragcortex.example import Example, Reference
from ragcortex.foreign import source_of
from ragcortex.integrations.extras import missing
from ragcortex.integrations.guarding import guard_report, guard_report_async, judged
from ragcortex.integrations.policy import GuardedAnswer, GuardPolicy, Retry
from ragcortex.report import Report

try:
    from haystack import Document, component, default_from_dict, default_to_dict
    from haystack.components.generators.chat.types import ChatGenerator
    from haystack.dataclasses import ChatMessage
except ImportError as error:
    raise missing("haystack-ai", "haystack") from error

Reply = str | ChatMessage


@component
class GroundednessChecker:
    """Judges each reply against the documents.

    Gives the replies as they may be shown, and of each its report, verdict and action (`pass`, `annotate`, `block`).
    `Evidence.reference` in a report is the document's index; `Evidence.source` names its source and page. A reply that
    is a ChatMessage gets `meta["groundedness"]`: verdict, score and action.
    """

    def __init__(
        self,
        detector: str | Detector = DEFAULT_DETECTOR,
        *,
        witness: str | None = None,
        reader: str | None = None,
        device: str | None = None,
        calibration: str | None = None,
        policy: GuardPolicy | Mapping[str, Any] | None = None,
        chat_generator: ChatGenerator | None = None,
    ) -> None:
        """Describe the checker; nothing is loaded before `warm_up`.

        Args:
            detector: a detector's name or folder. A Detector may be given, but a pipeline with it cannot be saved.
            witness, reader, device, calibration: as of `Detector.load`.
            policy: what follows each verdict, or its JSON form; by default `GuardPolicy()`.
            chat_generator: writes a reply anew where the policy says `retry`, from the `messages` of the run, the reply
                and a hint; without it nothing is retried.

        Raises:
            InputError: the policy is not one, or options are given beside a Detector that is loaded already.
        """
        options = {"witness": witness, "reader": reader, "device": device, "calibration": calibration}
        if not isinstance(detector, str):
            given = [name for name, value in options.items() if value is not None]
            if given:
                raise InputError(given[0], "goes with a detector's name, not with one that is loaded already")
        self.detector = detector
        self.options = options
        self.policy = policy if isinstance(policy, GuardPolicy) else GuardPolicy.of(policy or {})
        self.chat_generator = chat_generator
        self._loaded = None if isinstance(detector, str) else detector

    def warm_up(self) -> None:
        """Load the detector, and warm up the generator."""
        self._judge()
        generator: Any = self.chat_generator
        if hasattr(generator, "warm_up"):
            generator.warm_up()

    def to_dict(self) -> dict[str, Any]:
        """Return the component as JSON values.

        Raises:
            InputError: it was given a Detector instead of a detector's name.
        """
        if not isinstance(self.detector, str):
            kind = type(self.detector).__name__
            raise InputError("detector", f"must be a name or a folder for the pipeline to be saved, got a {kind}")
        values = {**self.options, "policy": self.policy.to_dict(), "chat_generator": self.chat_generator}
        return default_to_dict(self, detector=self.detector, **values)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "GroundednessChecker":
        """Return the component that `to_dict` wrote."""
        return default_from_dict(cls, data)

    @component.output_types(
        replies=list[str] | list[ChatMessage], reports=list[Report], verdicts=list[str], actions=list[str]
    )
    def run(
        self,
        documents: list[Document],
        replies: list[str] | list[ChatMessage],
        query: str | None = None,
        messages: list[ChatMessage] | None = None,
    ) -> dict[str, Any]:
        """Judge the replies, together.

        Args:
            documents: what the generator saw, in order; one without text is blank.
            replies: what it wrote.
            query: the question.
            messages: the prompt, for the generator that retries.

        Raises:
            InputError: a reply must be written anew, and there are no messages.
            RagcortexError: as `Detector.check`.
        """
        judge = self._judge()
        guarded = []
        for outcome in judge.check_many(_examples(query, documents, replies)):
            example, report = judged(outcome)
            again = self._again(messages)
            guarded.append(guard_report(judge, example, report, policy=self.policy, regenerate=again))
        return _outputs(replies, guarded)

    @component.output_types(
        replies=list[str] | list[ChatMessage], reports=list[Report], verdicts=list[str], actions=list[str]
    )
    async def run_async(
        self,
        documents: list[Document],
        replies: list[str] | list[ChatMessage],
        query: str | None = None,
        messages: list[ChatMessage] | None = None,
    ) -> dict[str, Any]:
        """Do what `run` does; judging happens in another thread."""
        judge = await asyncio.to_thread(self._judge)
        examples = _examples(query, documents, replies)
        outcomes = await asyncio.to_thread(lambda: list(judge.check_many(examples)))
        guarded = []
        for outcome in outcomes:
            example, report = judged(outcome)
            again = self._again_async(messages)
            guarded.append(await guard_report_async(judge, example, report, policy=self.policy, regenerate=again))
        return _outputs(replies, guarded)

    def _judge(self) -> Detector:
        if self._loaded is None:
            assert isinstance(self.detector, str)
            self._loaded = named_detector(self.detector, **self.options)
        return self._loaded

    def _again(self, messages: Sequence[ChatMessage] | None) -> Callable[[Retry], str] | None:
        generator: Any = self.chat_generator
        return None if generator is None else lambda retry: _first(generator.run(messages=_told(messages, retry)))

    def _again_async(self, messages: Sequence[ChatMessage] | None) -> Callable[[Retry], str | Awaitable[str]] | None:
        generator: Any = self.chat_generator
        if generator is None or not hasattr(generator, "run_async"):
            return self._again(messages)

        async def again(retry: Retry) -> str:
            return _first(await generator.run_async(messages=_told(messages, retry)))

        return again


def _examples(query: str | None, documents: Sequence[Document], replies: Sequence[Reply]) -> list[Example]:
    references = tuple(Reference(one.content or "", one.id, source_of(one.meta)) for one in documents)
    return [Example(query, references, _text(reply)) for reply in replies]


def _text(reply: Reply) -> str:
    return reply if isinstance(reply, str) else "".join(reply.texts)


def _told(messages: Sequence[ChatMessage] | None, retry: Retry) -> list[ChatMessage]:
    if messages is None:
        raise InputError("messages", "must be given where replies are written anew; connect the prompt builder to it")
    return [*messages, ChatMessage.from_assistant(retry.report.answer), ChatMessage.from_user(retry.hint)]


def _first(output: Mapping[str, Any]) -> str:
    return _text(output["replies"][0])


def _outputs(replies: Sequence[Reply], guarded: Sequence[GuardedAnswer]) -> dict[str, Any]:
    return {
        "replies": [_shown(reply, one) for reply, one in zip(replies, guarded, strict=True)],
        "reports": [one.report for one in guarded],
        "verdicts": [one.report.verdict for one in guarded],
        "actions": [one.action for one in guarded],
    }


def _shown(reply: Reply, guarded: GuardedAnswer) -> Reply:
    if isinstance(reply, str):
        return guarded.answer
    found = {"verdict": guarded.report.verdict, "score": guarded.report.score, "action": guarded.action}
    return ChatMessage.from_assistant(
        guarded.answer,
        meta={**reply.meta, "groundedness": found},
        name=reply.name,
        tool_calls=reply.tool_calls or None,
        reasoning=reply.reasoning,
    )
