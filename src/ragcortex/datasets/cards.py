"""What is known of each data set: where it is had, its licence, its files and how to tell that they are whole.

Row counts are those of the official files or papers. Checksums are the ids under which git, and with it the hosting
site, lists the files of the named commit (SHA-1 of "blob", the size and the content); where a data set is not
published in a repository, it publishes none. Each loader says where its format is described.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final, Literal

from ragcortex.checks import check_text
from ragcortex.datasets.true_grounding import ENDING
from ragcortex.datasets.uhgeval import FILES as UHGEVAL_FILES
from ragcortex.errors import InputError

Level = Literal["span", "sentence", "answer"]


@dataclass(frozen=True, slots=True)
class ExpectedFile:
    """A file of the official download.

    Attributes:
        pattern: its path there; `*` where the name varies.
        n_rows: how many rows it has, None where that is not published.
        git_blob: the id of its content in git, 40 hexadecimal digits; None where none is published.
        needed: whether the loader cannot do without it.
        in_own_folder: whether only its folder tells it from another file of the same name.
    """

    pattern: str
    n_rows: int | None = None
    git_blob: str | None = None
    needed: bool = False
    in_own_folder: bool = False

    def __post_init__(self) -> None:
        check_text("pattern", self.pattern, filled=True)
        if self.git_blob is not None and not (
            len(self.git_blob) == 40 and set(self.git_blob) <= set("0123456789abcdef")
        ):
            raise InputError("git_blob", f"must be 40 hexadecimal digits, got {self.git_blob!r}")

    @property
    def name(self) -> str:
        """The file's name, without its folders."""
        return PurePosixPath(self.pattern).name


@dataclass(frozen=True, slots=True)
class DatasetCard:
    """A data set as `ragcortex data show` describes it.

    Attributes:
        name: what commands call it.
        title: what people call it.
        task: what its answers are, in a few words.
        levels: what its labels are given to, finest first.
        languages: ISO 639-1 codes.
        licence: that of the data set.
        texts: whose the texts are, and what that means for their use.
        url: where to get it.
        files: its files; at least one must be there, all that are needed, and any others that are to be used.
        version: the commit that the checksums belong to, None where none are published.
        splits: which splits there are and who made them.
        citation: the paper.
    """

    name: str
    title: str
    task: str
    levels: tuple[Level, ...]
    languages: tuple[str, ...]
    licence: str
    texts: str
    url: str
    files: tuple[ExpectedFile, ...]
    version: str | None
    splits: str
    citation: str

    def __post_init__(self) -> None:
        for field in ("name", "title", "task", "licence", "texts", "url", "splits", "citation"):
            check_text(field, getattr(self, field), filled=True)
        if not self.files or not self.levels:
            raise InputError("files", "and levels must not be empty")
        if (self.version is None) != all(file.git_blob is None for file in self.files):
            raise InputError("version", "must be given exactly if a file has a checksum")


_RANDOM_SPLIT = "none official; 80/10/10 by source at random, `seed`"

RAGTRUTH: Final = DatasetCard(
    name="ragtruth",
    title="RAGTruth",
    task="RAG: questions, summaries, data to text",
    levels=("span",),
    languages=("en",),
    licence="MIT",
    texts="MS MARCO (non-commercial), CNN/DailyMail and Yelp, under their own terms",
    url="https://github.com/ParticleMedia/RAGTruth",
    files=(
        ExpectedFile("dataset/response.jsonl", 17_790, "f9ae5913fb9976684f3e13be3cd3465062db54cc", True),
        ExpectedFile("dataset/source_info.jsonl", 2_965, "119277774009f110aa58596b93f9512f62594a89", True),
    ),
    version="c103204b9ce28d6bbad859304bf30de72b8ed8fe",
    splits="official train and test; a tenth of the training sources is held out for validation, `seed`",
    citation="Niu et al., RAGTruth: A Hallucination Corpus for Developing Trustworthy Retrieval-Augmented Language "
    "Models, ACL 2024, arXiv:2401.00396",
)

HALLURAG: Final = DatasetCard(
    name="hallurag",
    title="HalluRAG",
    task="RAG: questions on recent facts",
    levels=("sentence",),
    languages=("en",),
    licence="none stated",
    texts="Wikipedia, CC BY-SA",
    url="https://doi.org/10.17879/84958668505",
    files=tuple(ExpectedFile(f"data/HalluRAG/{split}_*.pickle") for split in ("train", "val", "test")),
    version=None,
    splits="official train, validation and test",
    citation="Ridder and Schilling, The HalluRAG Dataset: Detecting Closed-Domain Hallucinations in RAG Applications "
    "Using an LLM's Internal States, arXiv:2412.17056",
)

HALUEVAL: Final = DatasetCard(
    name="halueval",
    title="HaluEval",
    task="right and made-up answers",
    levels=("answer",),
    languages=("en",),
    licence="MIT",
    texts="HotpotQA, OpenDialKG, CNN/DailyMail and Alpaca, under their own terms",
    url="https://github.com/RUCAIBox/HaluEval",
    files=(
        ExpectedFile("data/qa_data.json", 10_000, "981d8944c2a74937a9556d50dd12ffb493d95c27"),
        ExpectedFile("data/dialogue_data.json", 10_000, "271c2e99c1eee5f87d45cd7470ab8fc7393ea98f"),
        ExpectedFile("data/summarization_data.json", 10_000, "15b0622c60d1991e2742bf1beac50c24f45c2717"),
        ExpectedFile("data/general_data.json", 4_507, "4b395488fcbe333702cf8ab07b5a3cf192fae424"),
    ),
    version="b7253db3cdaa0ab2c382f92b26b390109174f77e",
    splits=_RANDOM_SPLIT,
    citation="Li et al., HaluEval: A Large-Scale Hallucination Evaluation Benchmark for Large Language Models, EMNLP "
    "2023, arXiv:2305.11747",
)

_TRUE_ROWS: Final[Mapping[str, int]] = {
    "frank_valid": 671,
    "summeval": 1_600,
    "mnbm": 2_500,
    "qags_cnndm": 235,
    "qags_xsum": 239,
    "begin_dev": 836,
    "q2": 1_088,
    "dialfact_valid": 8_689,
    "fever_dev": 18_209,
    "vitc_dev": 63_054,
    "paws": 8_000,
}

TRUE: Final = DatasetCard(
    name="true",
    title="TRUE",
    task="texts against what they are about",
    levels=("answer",),
    languages=("en",),
    licence="one for each of its sets",
    texts="of eleven sets, each under its own terms; the script that fetches them is Apache-2.0",
    url="https://github.com/google-research/true",
    files=tuple(ExpectedFile(name + ENDING, n) for name, n in _TRUE_ROWS.items()),
    version=None,
    splits=_RANDOM_SPLIT,
    citation="Honovich et al., TRUE: Re-evaluating Factual Consistency Evaluation, NAACL 2022, arXiv:2204.04991",
)

_SUMMEDITS: Final[Mapping[str, tuple[int, str]]] = {
    "billsum": (853, "0ac14089a6a2ac0e6b3975a1f117faa6fefad79c"),
    "ectsum": (668, "9302079e05a9aa5056ca9ff3b3a5ac1813f37dfc"),
    "news": (819, "044f264661a529ac4c60f48753776d9e71543a4c"),
    "podcast": (500, "fb26e39e63025529144257ad0ab4c52e59113a78"),
    "qmsumm": (431, "7b4771590ab1c92e7d52a468ef034e1e29f31648"),
    "sales_call": (520, "9d496226883465c95a7d6cfeef1b4f4d56e97c9f"),
    "sales_email": (613, "a77938f8b839f42243a8742eceded297fc5d7491"),
    "samsum": (664, "436a45e7885eb361011c1f20f52da81ddd69a224"),
    "scitldr": (466, "498e3240f51772c63e603e4a3250b0d8a2c641e3"),
    "shakespeare": (814, "4f675118f689aa4037ec4c74213e6aa84dc8b8eb"),
}

SUMMEDITS: Final = DatasetCard(
    name="summedits",
    title="SummEdits",
    task="edited summaries",
    levels=("answer",),
    languages=("en",),
    licence="Apache-2.0",
    texts="news, bills, dialogues and others, under their own terms",
    url="https://github.com/salesforce/factualNLG",
    files=tuple(
        ExpectedFile(f"data/summedits/summedits_{domain}.json", n, blob) for domain, (n, blob) in _SUMMEDITS.items()
    ),
    version="0da1dfa62c783218d26208c1796d3a2605bec745",
    splits="official evaluation (validation here) and test",
    citation="Laban et al., SummEdits: Measuring LLM Ability at Factual Reasoning Through The Lens of Summarization, "
    "EMNLP 2023, arXiv:2305.14540",
)

_WICE: Final[Mapping[str, tuple[int, str]]] = {
    "entailment_retrieval/claim/train": (1_260, "d1dba6f6cd6f24ea929f46c7ed1a176c6e0d63c1"),
    "entailment_retrieval/claim/dev": (349, "7a0add2baa9c9b0eadbf4ad8940e2f5676e56166"),
    "entailment_retrieval/claim/test": (358, "f601848e944e55b4c580b381e1d0db5feb52839e"),
    "entailment_retrieval/subclaim/train": (3_470, "375c7638176e6ce872eb1668f5f0951aa3a93c34"),
    "entailment_retrieval/subclaim/dev": (949, "867bc431f7231f409f9599b4ac4d5d50257b8701"),
    "entailment_retrieval/subclaim/test": (958, "a4001371d7a737439797f83fe7a2ac8106db2125"),
    "non_supported_tokens/train": (374, "befc307692d3cd55cae2705e8e65389f9aa2047c"),
    "non_supported_tokens/dev": (124, "31eb6a06a5044625627987b6277161a4f8a6a105"),
    "non_supported_tokens/test": (105, "9d48ac60532e2ea592cb6db026ffad719d779d0b"),
}

WICE: Final = DatasetCard(
    name="wice",
    title="WiCE",
    task="claims and cited articles",
    levels=("span", "answer"),
    languages=("en",),
    licence="ODC-BY 1.0",
    texts="Wikipedia (CC BY-SA) and pages of Common Crawl (its terms of use)",
    url="https://github.com/ryokamoi/wice",
    files=tuple(ExpectedFile(f"data/{path}.jsonl", n, blob, in_own_folder=True) for path, (n, blob) in _WICE.items()),
    version="ddeb6c183665e2a20c5f03c5aa07f03888b9870f",
    splits="official train, validation and test",
    citation="Kamoi et al., WiCE: Real-World Entailment for Claims in Wikipedia, EMNLP 2023, arXiv:2303.01432",
)

MUSHROOM: Final = DatasetCard(
    name="mushroom",
    title="Mu-SHROOM",
    task="open questions",
    levels=("span",),
    languages=("ar", "ca", "cs", "de", "en", "es", "eu", "fa", "fi", "fr", "hi", "it", "sv", "zh"),
    licence="none stated",
    texts="written by models; the pages to check them against are Wikipedia's, CC BY-SA",
    url="https://helsinki-nlp.github.io/shroom/2025",
    files=(ExpectedFile("mushroom.*-val.*.jsonl"), ExpectedFile("mushroom.*-tst.*.jsonl")),
    version=None,
    splits="official validation and test",
    citation="Vázquez et al., SemEval-2025 Task 3: Mu-SHROOM, the Multilingual Shared Task on Hallucinations and "
    "Related Observable Overgeneration Mistakes, arXiv:2504.11975",
)

UHGEVAL: Final = DatasetCard(
    name="uhgeval",
    title="UHGEval",
    task="continued news",
    levels=("span",),
    languages=("zh",),
    licence="Apache-2.0",
    texts="Xinhua News Agency",
    url="https://github.com/IAAR-Shanghai/UHGEval",
    files=(
        ExpectedFile(UHGEVAL_FILES[0], 5_141, "126f4163b8c116052cdd28dac2911a97631f4659"),
        ExpectedFile(UHGEVAL_FILES[1], 1_000, "c8ab6f5cefac7e39637530371ba07b9b139913ba"),
    ),
    version="affd38eacb68a8e23d534cb41d15dabc472f6dd1",
    splits=_RANDOM_SPLIT,
    citation="Liang et al., UHGEval: Benchmarking the Hallucination of Chinese Large Language Models via Unconstrained "
    "Generation, ACL 2024, arXiv:2311.15296",
)

OWN: Final = DatasetCard(
    name="jsonl",
    title="rows of your own",
    task="any",
    levels=("span", "answer"),
    languages=("any",),
    licence="yours",
    texts="yours",
    url="-",
    files=(ExpectedFile("*.jsonl"),),
    version=None,
    splits="those that the rows name",
    citation="none",
)
