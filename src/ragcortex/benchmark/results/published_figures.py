"""Published figures, as typed constants: what the paper and others report, and of what.

Source: "CORTEX: Token-Level Hallucination Detection in RAG via Comparative Internal Representations" (Furumai, Haruta,
Matsumoto, Kamisaka; arXiv 2606.31033v1), its tables of token-level and answer-level results, its ablation and its table
of smoothing; further points as each constant says.
"""

from dataclasses import dataclass
from typing import Final, Literal

from ragcortex.benchmark.results.figure import Smoothing

PAPER: Final = "arXiv 2606.31033v1"
READERS: Final = ("meta-llama/Llama-3.1-8B-Instruct", "Qwen/Qwen3-8B", "mistralai/Mistral-7B-Instruct-v0.2")
READER_SIZES: Final = {READERS[0]: "8B", READERS[1]: "8B", READERS[2]: "7B"}


@dataclass(frozen=True, slots=True)
class PublishedData:
    """A data set as the paper used it.

    Attributes:
        name: of the data set.
        task: the part used; None for all of it.
        n_training: training answers.
        n_validation: validation answers.
        n_test: test answers.
    """

    name: str
    task: str | None
    n_training: int
    n_validation: int
    n_test: int

    @property
    def full_name(self) -> str:
        """The data set with its task."""
        return self.name if self.task is None else f"{self.name} {self.task}"


RAGTRUTH: Final = PublishedData("RAGTruth", "QA", 4530, 504, 900)
HALLURAG: Final = PublishedData("HalluRAG", None, 1662, 185, 396)
DATA_SETS: Final = (RAGTRUTH, HALLURAG)


@dataclass(frozen=True, slots=True)
class PublishedMethod:
    """A row of the paper's tables.

    Attributes:
        title: as the paper names it.
        ours: names of the benchmark's methods that it is to be compared with; one that ends in a hyphen stands for all
            that begin so.
        smoothing: whether its token scores are smoothed.
        token: average precision and AUROC of tokens by data set, a pair a reader in the order of READERS.
        answer: the same of answers.
    """

    title: str
    ours: tuple[str, ...]
    smoothing: Smoothing
    token: dict[str, tuple[tuple[float, float], ...]]
    answer: dict[str, tuple[tuple[float, float], ...]]


METHODS: Final = (
    PublishedMethod(
        "NLL", ("nll",), "raw",
        {"RAGTruth": ((.0476, .4676), (.0495, .4686), (.0479, .4666)),
         "HalluRAG": ((.2648, .4952), (.2658, .4934), (.2685, .4945))},
        {"RAGTruth": ((.1994, .5621), (.2019, .5227), (.2313, .6088)),
         "HalluRAG": ((.2055, .4827), (.3184, .5806), (.2969, .5600))},
    ),
    PublishedMethod(
        "LLM-Check", ("llm-check", "llm-check-"), "raw",
        {"RAGTruth": ((.0769, .6079), (.0951, .6480), (.0743, .6189)),
         "HalluRAG": ((.2994, .5411), (.2874, .5342), (.2944, .5467))},
        {"RAGTruth": ((.3375, .7100), (.3330, .7198), (.3240, .7170)),
         "HalluRAG": ((.3052, .5711), (.3956, .6638), (.4059, .6481))},
    ),
    PublishedMethod(
        "ICR Probe", ("icr", "icr-"), "raw",
        {"RAGTruth": ((.2665, .5380), (.2464, .5067), (.2621, .5311)),
         "HalluRAG": ((.3292, .5285), (.3131, .5106), (.3197, .5143))},
        {"RAGTruth": ((.1286, .3459), (.2301, .6162), (.1831, .5182)),
         "HalluRAG": ((.4077, .6640), (.3286, .6031), (.2157, .4310))},
    ),
    PublishedMethod(
        "SAPLMA", ("saplma",), "raw",
        {"RAGTruth": ((.3894, .8879), (.4182, .8820), (.4027, .8822)),
         "HalluRAG": ((.6875, .8024), (.6584, .8129), (.6193, .7578))},
        {"RAGTruth": ((.6708, .8863), (.5901, .8600), (.4897, .8077)),
         "HalluRAG": ((.7922, .8482), (.7867, .8695), (.7529, .8628))},
    ),
    PublishedMethod(
        "RAGLens", ("raglens",), "raw",
        {"RAGTruth": ((.4271, .8953), (.4575, .9075), (.4244, .8884)),
         "HalluRAG": ((.5725, .7425), (.6380, .7639), (.5596, .7393))},
        {"RAGTruth": ((.7329, .9011), (.6679, .8812), (.6781, .8819)),
         "HalluRAG": ((.7994, .8905), (.7669, .8380), (.8006, .8835))},
    ),
    PublishedMethod(
        "CORTEX", ("cortex-paper", "cortex-tuned"), "smoothed",
        {"RAGTruth": ((.5686, .9275), (.5940, .9372), (.5473, .9244)),
         "HalluRAG": ((.7690, .8360), (.7495, .8426), (.7308, .8233))},
        {"RAGTruth": ((.6893, .8957), (.7596, .9077), (.6787, .8907)),
         "HalluRAG": ((.7795, .8481), (.7907, .8627), (.8010, .8718))},
    ),
)  # fmt: skip
CORTEX_NOTE: Final = (
    "The paper's CORTEX row is that of p_stay .995, although its text says .993; p_stay may have been picked on test "
    "answers. Here it is picked on validation answers only."
)


@dataclass(frozen=True, slots=True)
class PublishedAblation:
    """A step of the paper's ablation: RAGTruth QA read by Qwen3-8B.

    Attributes:
        title: what is used.
        token: average precision and AUROC of tokens.
        answer: the same of answers.
    """

    title: str
    token: tuple[float, float]
    answer: tuple[float, float]


ABLATION: Final = (
    PublishedAblation("Δh", (0.4732, 0.9074), (0.6040, 0.8853)),
    PublishedAblation("Δh, c", (0.5335, 0.9156), (0.6910, 0.9011)),
    PublishedAblation("Δh, c, smoothing", (0.5940, 0.9372), (0.7596, 0.9077)),
)

# Token average precision, RAGTruth QA read by Qwen3-8B: raw, and smoothed with p_stay .993 as everyone's scores were.
SMOOTHED_FOR_ALL: Final = {"SAPLMA": (0.4182, 0.5078), "RAGLens": (0.4575, 0.5068), "CORTEX": (0.5335, 0.5937)}


@dataclass(frozen=True, slots=True)
class OtherPoint:
    """A figure that others published on RAGTruth.

    Attributes:
        title: the system.
        metric: `span` is F1 by overlap of characters, `example` is F1 of answers.
        qa: on the QA task.
        overall: on all three tasks.
    """

    title: str
    metric: Literal["span", "example"]
    qa: float
    overall: float


OTHER_POINTS: Final = (
    OtherPoint("fine-tuned Llama-2-13B", "span", 0.582, 0.527),
    OtherPoint("LettuceDetect-base", "span", 0.6150, 0.5544),
    OtherPoint("LettuceDetect-large", "span", 0.6441, 0.5893),
    OtherPoint("fine-tuned Llama-2-13B", "example", 0.682, 0.787),
    OtherPoint("LettuceDetect-large", "example", 0.7018, 0.7922),
    OtherPoint("RAG-HAT", "example", 0.748, 0.839),
    OtherPoint("Luna", "example", 0.513, 0.654),
)
