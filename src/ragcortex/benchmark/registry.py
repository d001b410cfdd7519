"""The methods of the benchmark by name; each is imported when it is made."""

import importlib
import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from ragcortex.checks import nearest_hint
from ragcortex.errors import InputError

if TYPE_CHECKING:  # it brings torch, which a list of names does not need
    from ragcortex.benchmark.method import BenchmarkMethod


@dataclass(frozen=True, slots=True)
class Entry:
    """Where a method is.

    Attributes:
        summary: one line for people.
        module: under `ragcortex.benchmark.methods`.
        factory: the class, or a function of `options`, in it.
        fixed: options that this name stands for.
    """

    summary: str
    module: str
    factory: str
    fixed: Mapping[str, Any]


def _entry(summary: str, place: str, **fixed: Any) -> Entry:
    """Return the entry of `module:factory`."""
    module, factory = place.split(":")
    return Entry(summary, module, factory, fixed)


METHODS: Final[dict[str, Entry]] = {
    "nll": _entry("−log p of each token", "probes:nll"),
    "entropy": _entry("entropy of the reader's distribution at each token", "probes:entropy"),
    "reference-gain": _entry(
        "how much less likely the references make a token", "probes:recipe_method", name="reference-gain"
    ),
    "attention-alignment": _entry("attention off the references", "probes:recipe_method", name="attention-alignment"),
    "scalars": _entry("likelihoods, entropies and attention in one network", "probes:recipe_method", name="scalars"),
    "linear-probe": _entry("logistic regression on one hidden state", "probes:recipe_method", name="linear-probe"),
    "saplma": _entry("a network on one hidden state of each token", "probes:recipe_method", name="saplma"),
    "saplma-original": _entry("a network on the hidden state of the last token", "probes:LastTokenProbe"),
    "llm-check-hidden": _entry("singular values of the answer's hidden states", "llm_check:LLMCheckHidden"),
    "llm-check-attention": _entry("attention of tokens to themselves", "llm_check:LLMCheckAttention"),
    "llm-check-logit": _entry("entropy of the most likely tokens, or perplexity", "llm_check:LLMCheckLogit"),
    "icr-probe": _entry("how attention and the update of the residual stream disagree, layer by layer", "icr:ICRProbe"),
    "lookback-lens": _entry("share of each head's attention that goes back to the references", "lookback:LookbackLens"),
    "redeep": _entry("external context and parametric knowledge, heads and layers selected", "redeep:ReDeEP"),
    "lumina": _entry("true against random documents, and progress through the layers", "lumina:LUMINA"),
    "raglens": _entry("sparse-autoencoder features and an additive model", "raglens:RaglensMethod"),
    "self-consistency": _entry("disagreement with sampled answers", "self_consistency:SelfConsistency"),
    "prompted-verification": _entry(
        "a model is asked whether each sentence is supported", "prompted:PromptedVerification"
    ),
    "token-classifier": _entry(
        "the reader fine-tuned on token labels, LettuceDetect's recipe", "token_classifier:TokenClassifierMethod"
    ),
    "cortex": _entry("four heads on the comparison of both passes", "probes:recipe_method", name="cortex"),
    "cortex-states": _entry(
        "heads on the states of two layers alone, two of them recurrent", "probes:recipe_method", name="cortex-states"
    ),
    "cortex-ensemble": _entry(
        "heads at two layers and recurrent networks", "probes:recipe_method", name="cortex-ensemble"
    ),
    "cortex-tuned": _entry("the paper's method at the best layer", "probes:recipe_method", name="cortex-tuned"),
    "cortex-paper": _entry("the paper's method as published: final layer", "probes:recipe_method", name="cortex-paper"),
    "cortex-window": _entry(
        "the second description: logistic regression, window maximum", "probes:recipe_method", name="cortex-window"
    ),
    "comparison": _entry("one head with any choice changed, for ablations", "ablations:comparison"),
    "geometry": _entry("the geometric witness as it ships", "geometric:GeometricMethod"),
    "fusion": _entry("both witnesses, fitted on the training answers", "fusion:FusionMethod"),
    "shipped": _entry("a detector that ships, as it is: options.detector", "shipped:ShippedMethod"),
    "scores": _entry("another tool's scores from a file: options.file", "external:ExternalMethod"),
}


def make_method(name: str, options: Mapping[str, Any]) -> "BenchmarkMethod":
    """Return the method of that name with these options.

    Raises:
        InputError: there is no such method or option, or an option's value is refused.
    """
    entry = METHODS.get(name)
    if entry is None:
        raise InputError("methods.name", f"{name!r} is not a method; {nearest_hint(name, list(METHODS))}")
    factory = getattr(importlib.import_module(f"ragcortex.benchmark.methods.{entry.module}"), entry.factory)
    known = [option for option in inspect.signature(factory).parameters if option not in entry.fixed]
    for option in options:
        if option not in known:
            hint = nearest_hint(option, known) if known else "it takes none"
            raise InputError("methods.options", f"of {name!r} have no {option!r}; {hint}")
    try:
        method: BenchmarkMethod = factory(**{**entry.fixed, **options})
    except TypeError as error:
        raise InputError("methods.options", f"of {name!r} do not fit: {error}") from error
    return method
