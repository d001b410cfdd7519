"""How much of the machine's rate of matrix products reading many answers reaches, and what the rest of the time is."""

import statistics
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, Final

import torch
from torch.profiler import ProfilerActivity, profile
from torch.utils.flop_counter import FlopCounterMode, sdpa_flop_count

_ATTENTION: Final = "aten::_scaled_dot_product_flash_attention_for_cpu"
KINDS: Final = {"aten::mm": "matrix products", "aten::addmm": "matrix products", _ATTENTION: "attention"}
REST: Final = "all else (norms, gates, rotations, copies)"


def product_rate(dtype: str) -> float:
    """Return the floating-point operations a second of a product of the shape of the embedded reader's largest."""
    left, right = (torch.randn(*shape).to(getattr(torch, dtype)) for shape in ((4096, 576), (576, 1536)))
    seconds = []
    with torch.inference_mode():
        for _ in range(60):
            started = time.perf_counter()
            left @ right
            seconds.append(time.perf_counter() - started)
    return 2 * 4096 * 576 * 1536 / statistics.median(seconds)


def operations(run: Callable[[], object]) -> int:
    """Return the floating-point operations of a run's matrix products, those of attention among them."""
    attention = {torch.ops.aten._scaled_dot_product_flash_attention_for_cpu: _attention_operations}
    with FlopCounterMode(display=False, custom_mapping=attention) as counter:
        run()
    return counter.get_total_flops()


def time_by_kind(run: Callable[[], object]) -> dict[str, float]:
    """Return the share of a run's time, on the processor, that each kind of operation takes."""
    with profile(activities=[ProfilerActivity.CPU]) as profiled:
        run()
    microseconds = Counter[str]()
    for event in profiled.key_averages():
        microseconds[KINDS.get(event.key, REST)] += event.self_cpu_time_total
    total = sum(microseconds.values())
    return {kind: spent / total for kind, spent in microseconds.most_common()}


def _attention_operations(
    query: Sequence[int], key: Sequence[int], value: Sequence[int], *others: Any, **_: Any
) -> int:  # the counter hands over shapes; the fifth argument says whether what comes later is left out
    is_causal = len(others) > 1 and others[1] is True
    return sdpa_flop_count(query, key, value) // (2 if is_causal else 1)
