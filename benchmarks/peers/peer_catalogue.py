"""The peers: which file speaks to each, what it needs, and in which environment it lives."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

HERE: Final = Path(__file__).parent
Need = Literal["nothing", "encoder", "reader", "checkpoint", "endpoint"]


@dataclass(frozen=True, slots=True)
class Peer:
    """One way to score with one package.

    Attributes:
        name: what it is called on the command line.
        adapter: the script that runs in the peer's environment.
        requirements: its pinned packages, None for a script that is run by a given Python.
        needs: `nothing`; `encoder` or `reader`, a model folder for which the embedded one stands by default;
            `checkpoint`, a model folder that has to be named; `endpoint`, a chat endpoint and the model to ask.
        methods: what one pass over the rows yields, one output file each.
    """

    name: str
    adapter: Path
    requirements: Path | None = None
    needs: Need = "nothing"
    methods: tuple[str, ...] = field(default=("scores",))


def _peer(name: str, adapter: str, environment: str, needs: Need, *methods: str) -> Peer:
    return Peer(
        name, HERE / "adapters" / f"adapt_{adapter}.py", HERE / "requirements" / f"{environment}.txt", needs, methods
    )


# Each is a pair of the package's estimators: for the answer, and for its tokens where there is one.
_ESTIMATORS: Final = (
    *("perplexity", "max-sequence-probability", "token-entropy", "pmi", "conditional-pmi"),
    *("self-certainty", "renyi", "fisher-rao", "rauq"),
)
_ALL: Final = (
    _peer("corroborate", "corroborate", "corroborate", "nothing", "verdict"),
    _peer("hallucination-check", "hallucination_check", "hallucination-check", "nothing", "sentences"),
    _peer("hallucination-check-encoder", "hallucination_check", "hallucination-check-encoder", "encoder", "sentences"),
    _peer("ancora-rag", "ancora", "ancora-rag", "nothing", "sentences"),
    _peer("hallx", "hallx", "hallx", "nothing", "sentences"),
    _peer("hallx-encoder", "hallx", "hallx-encoder", "encoder", "sentences"),
    _peer("hallx-judge", "hallx", "hallx", "endpoint", "sentences"),
    _peer("factlens", "factlens", "factlens", "encoder", "sgi", "dgi"),
    _peer("lm-polygraph", "lm_polygraph", "lm-polygraph", "reader", *_ESTIMATORS),
    _peer("lettucedetect", "lettucedetect", "lettucedetect", "checkpoint", "spans"),
    _peer("lettucedetect-judge", "lettucedetect", "lettucedetect", "endpoint", "spans"),
)
PEERS: Final = {peer.name: peer for peer in _ALL}
