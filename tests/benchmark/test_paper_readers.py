"""The configurations of the paper's readers, run whole on tiny random weights of the same architecture and depth."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from transformers import LlamaConfig, MistralConfig, Qwen3Config

from labelled_sources import labelled_sources
from ragcortex.benchmark.config_file import read_config
from ragcortex.benchmark.execute import execute
from ragcortex.readers.store import ReadingStore
from tiny_readers import write_tiny_reader

pytestmark = pytest.mark.weights  # geometry and the embedding variant need the embedded encoder

_WIDTH = {"hidden_size": 32, "intermediate_size": 48, "max_position_embeddings": 1024}
ARCHITECTURES = {
    "llama-3.1-8b": lambda common: LlamaConfig(
        **common, **_WIDTH, num_hidden_layers=32,
        rope_parameters={
            "rope_type": "llama3", "rope_theta": 500_000.0, "factor": 8.0, "low_freq_factor": 1.0,
            "high_freq_factor": 4.0, "original_max_position_embeddings": 256,
        },
    ),
    "qwen3-8b": lambda common: Qwen3Config(**common, **_WIDTH, num_hidden_layers=36, head_dim=16),
    "mistral-7b": lambda common: MistralConfig(**common, **_WIDTH, num_hidden_layers=32, sliding_window=None),
}  # fmt: skip
# What makes a run on random weights short; nothing is left out.
_SHORT: dict[str, dict[str, Any]] = {
    "raglens": {"latents_per_dimension": 2, "n_epochs": 1, "n_features": 20, "n_bags": 1},
    "icr-probe": {"n_epochs": 2},
    "self-consistency": {"n_samples": 2, "max_new_tokens": 8},
}


def _official_files(folder: Path) -> Path:
    """Write made-up answers as RAGTruth's official files, a third of the sources in the test part."""
    sources, responses = {}, []
    for example in labelled_sources(15):
        number = int(example.group.removeprefix("source-"))
        passages = "\n\n".join(f"passage {at + 1}:{one.text}" for at, one in enumerate(example.references))
        sources[example.group] = {
            "source_id": example.group, "task_type": "QA", "source": "MARCO", "prompt": "-",
            "source_info": {"question": example.question, "passages": passages},
        }  # fmt: skip
        labels = [
            {"start": span.start, "end": span.end, "text": example.answer[span.start : span.end], "meta": "",
             "label_type": span.type, "implicit_true": False, "due_to_null": False}
            for span in example.spans
        ]  # fmt: skip
        responses.append(
            {"id": example.id, "source_id": example.group, "model": example.generator, "temperature": 0.7,
             "labels": labels, "split": "test" if number >= 10 else "train", "quality": "good",
             "response": example.answer}
        )  # fmt: skip
    (folder / "dataset").mkdir(parents=True)
    for name, rows in (("response", responses), ("source_info", sources.values())):
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (folder / "dataset" / f"{name}.jsonl").write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize("name", sorted(ARCHITECTURES))
def test_every_method_of_a_ready_made_configuration_runs(name: str, tmp_path: Path) -> None:
    write_tiny_reader(tmp_path / "reader", ARCHITECTURES[name])
    config = read_config(f"ragtruth-qa-{name}")
    methods = tuple(replace(one, options={**one.options, **_SHORT.get(one.name, {})}) for one in config.methods)
    config = replace(
        config,
        methods=methods,
        costs=1,
        examples=2,
        reader=replace(config.reader, id=str(tmp_path / "reader"), dtype="float32"),
        protocol=replace(config.protocol, n_resamples=20, validation=0.3),
    )
    data = _official_files(tmp_path / "data")
    document = execute(config, str(data), tmp_path / "out", ReadingStore(tmp_path / "readings"), command="ragcortex")
    assert {one.name: one.failure for one in document.methods if one.failure is not None} == {}
    assert {one.variant: one.failure for one in document.ablations if one.failure is not None} == {}
    assert (document.data.n_answers, sum(document.data.n_training + document.data.n_validation)) == (15, 30)
    assert not [note for note in document.notes if "failed" in note]
    report = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert "reproduc" in report
