"""Packed answers against one sequence an answer, on every architecture, values and gradients; and what is refused."""

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from architectures import CONFIGS, SLIDING_WINDOW, VOCABULARY, model_of
from ragcortex.errors import ModelError, ReadingError
from ragcortex.example import Example, Reference
from ragcortex.readers._hf import decoder
from ragcortex.readers.attention import register
from ragcortex.readers.packing import Pack, check_packable, pack_states
from ragcortex.readers.prefix_groups import AnswerPart, PrefixGroup, prefix_groups
from ragcortex.readers.reader import Reader, ReaderOptions


def _ids(seed: int, n: int) -> tuple[int, ...]:
    return tuple(np.random.default_rng(seed).integers(3, VOCABULARY, n).tolist())


PACK = Pack(_ids(0, 14), (_ids(1, 9), _ids(2, 1), _ids(3, 21), _ids(1, 9)))
assert len(PACK.prefix) > SLIDING_WINDOW
assert max(map(len, PACK.answers)) > 2 * SLIDING_WINDOW


@pytest.fixture(scope="module", params=sorted(CONFIGS))
def stack(request: pytest.FixtureRequest) -> Any:
    return decoder(model_of(str(request.param), register()))


def _alone(stack: Any, pack: Pack) -> list[torch.Tensor]:
    """Read each answer in a sequence of its own, by transformers' own masks, knowing nothing of packs."""
    states = []
    for answer in pack.answers:
        whole = stack(input_ids=torch.tensor([[*pack.prefix, *answer]]), use_cache=False).last_hidden_state[0]
        states.append(whole[len(pack.prefix) :])
    return states


def test_packed_states_are_those_of_one_sequence_an_answer(stack: Any) -> None:
    check_packable(stack)
    with torch.inference_mode():
        packed, alone = pack_states(stack, PACK), _alone(stack, PACK)
    assert [len(states) for states in packed] == [9, 1, 21, 9]
    for got, expected in zip(packed, alone, strict=True):
        scale = float(expected.abs().max())
        np.testing.assert_allclose(got / scale, expected / scale, atol=1e-5, rtol=0)
    torch.testing.assert_close(packed[0], packed[3], atol=1e-4, rtol=1e-4)  # the same answer twice


def test_packed_gradients_are_those_of_separate_sequences(stack: Any) -> None:
    targets = [torch.randn(states.shape, generator=torch.Generator().manual_seed(5)) for states in _alone(stack, PACK)]

    def gradients(states: list[torch.Tensor]) -> dict[str, torch.Tensor]:
        stack.zero_grad()
        sum((one * target).sum() for one, target in zip(states, targets, strict=True)).backward()
        return {name: weight.grad.clone() for name, weight in stack.named_parameters()}

    packed, alone = gradients(pack_states(stack, PACK)), gradients(_alone(stack, PACK))
    for name, expected in alone.items():
        scale = float(expected.abs().max())
        assert scale > 0, name
        np.testing.assert_allclose(packed[name] / scale, expected / scale, atol=1e-4, rtol=0, err_msg=name)


def test_an_answer_is_not_changed_by_its_neighbours_or_by_what_follows(stack: Any) -> None:
    changed = Pack(PACK.prefix, (PACK.answers[0], _ids(8, 30), (*PACK.answers[2][:11], *_ids(9, 4)), _ids(7, 2)))
    with torch.inference_mode():
        before, after = pack_states(stack, PACK), pack_states(stack, changed)
    torch.testing.assert_close(after[0], before[0], atol=1e-4, rtol=1e-4)
    torch.testing.assert_close(after[2][:11], before[2][:11], atol=1e-4, rtol=1e-4)
    assert not torch.allclose(after[2][11], before[2][11], atol=1e-2)


def test_single_answer_needs_no_mask(stack: Any) -> None:
    pack = Pack(PACK.prefix, PACK.answers[2:3])
    with torch.inference_mode():
        torch.testing.assert_close(pack_states(stack, pack)[0], _alone(stack, pack)[0], atol=1e-4, rtol=1e-4)


def test_refused_layers_ropes_and_unequal_readings(monkeypatch: pytest.MonkeyPatch) -> None:
    llama, qwen = (decoder(model_of(name, register())) for name in ("llama", "qwen2"))
    monkeypatch.setattr(qwen.config, "layer_types", ["linear_attention", "full_attention"] * 2)
    with pytest.raises(ModelError) as error:
        check_packable(qwen)
    assert str(error.value) == (
        "Qwen2Model (qwen2) has layers of the kind linear_attention, so it cannot be packed; "
        "read one answer a sequence (pack=False)"
    )
    monkeypatch.setattr(llama.config, "rope_parameters", {"rope_type": "longrope"})
    with pytest.raises(ModelError) as error:
        check_packable(llama)
    assert str(error.value) == (
        "LlamaModel (llama) has rotary embeddings of the kind longrope, which depend on the longest sequence, "
        "so it cannot be packed; read one answer a sequence (pack=False)"
    )
    monkeypatch.undo()
    read = llama.forward

    def without_positions(position_ids: torch.Tensor | None = None, **inputs: Any) -> Any:
        return read(**inputs)

    monkeypatch.setattr(llama, "forward", without_positions)
    with pytest.raises(ModelError) as error:
        check_packable(llama)
    assert str(error.value) == (
        "LlamaModel (llama) reads packed answers differently from single ones; read one answer a sequence (pack=False)"
    )

    def no_mask_at_all(input_ids: torch.Tensor, use_cache: bool, position_ids: torch.Tensor | None = None) -> Any:
        return read(input_ids=input_ids, position_ids=position_ids, use_cache=use_cache)

    monkeypatch.setattr(llama, "forward", no_mask_at_all)
    with pytest.raises(ModelError, match=r"^LlamaModel \(llama\) cannot be packed: .*attention_mask.*\(pack=False\)$"):
        check_packable(llama)


@pytest.mark.parametrize(("prefix", "answers"), [((), ((1,),)), ((1,), ()), ((1,), ((2,), ()))])
def test_empty_packs_are_refused(prefix: tuple[int, ...], answers: tuple[tuple[int, ...], ...]) -> None:
    with pytest.raises(ReadingError) as error:
        Pack(prefix, answers)
    assert str(error.value) == "a pack needs a prefix and at least one answer, each of at least one token"


@pytest.fixture(scope="module")
def reader(tiny_reader_folder: Any) -> Reader:
    return Reader.load(str(tiny_reader_folder))


def _example(source: str, answer: str) -> Example:
    return Example(f"What is {source}?", (Reference(f"The {source} was built in 1874."),), answer)


@settings(deadline=None, max_examples=25)
@given(
    st.lists(st.tuples(st.sampled_from("ABC"), st.integers(1, 30)), min_size=1, max_size=8),
    st.integers(1, 400),
)
def test_every_token_is_decided_once_and_groups_share_prefixes(
    reader: Reader, answers: list[tuple[str, int]], max_tokens: int
) -> None:
    examples = [_example(source, " ".join(["stone"] * n)) for source, n in answers]
    groups = prefix_groups(reader, examples, max_tokens)
    decided = Counter(
        (part.owner, token) for group in groups for part in group.parts for token in range(part.keep, part.stop)
    )
    assert decided == Counter(
        (owner, token) for owner, one in enumerate(examples) for token in range(len(reader.tokenize(one.answer)))
    )
    for group in groups:
        assert all(len(pack) <= max_tokens for pack in group.packs()) or len(group.parts) == 1
        assert len({answers[part.owner][0] for part in group.parts}) == 1
        for part in group.parts:
            assert part.ids == reader.tokenize(examples[part.owner].answer).ids[part.start : part.stop]
    assert [group for one in groups for group in one.singles()] == [
        PrefixGroup(one.prefixes, (part,)) for one in groups for part in one.parts
    ]


def test_long_references_and_answers_are_read_in_windows_and_pieces(tiny_reader_folder: Any) -> None:
    reader = Reader.load(str(tiny_reader_folder), options=ReaderOptions(window=256))
    long = Example("Where?", (Reference("The lighthouse stands above the sea. " * 40),), "It is by the sea. " * 30)
    (group, *rest) = prefix_groups(reader, [long], 1 << 20)
    assert not rest
    assert len(group.prefixes) > 1
    assert len(group.parts) > 1
    assert [part.keep for part in group.parts[1:]] == [part.stop for part in group.parts[:-1]]
    assert group.n_decided == len(reader.tokenize(long.answer))
    assert all(len(pack.prefix) + len(answer) <= 256 for pack in group.packs() for answer in pack.answers)


def test_a_piece_decides_some_of_its_own_tokens() -> None:
    part = AnswerPart(0, (1, 2, 3), 4, 5)
    assert part.stop == 7
    with pytest.raises(ReadingError) as error:
        replace(part, keep=7)
    assert str(error.value) == "a piece of tokens 4..7 cannot decide from 7 on"
