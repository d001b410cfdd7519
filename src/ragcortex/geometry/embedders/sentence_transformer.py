"""Embedding models in sentence-transformers' format, run on token ids so that nothing is cut and little is padded."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ragcortex.align import token_ranges
from ragcortex.errors import InputError, ModelError, RagcortexError, ReadingError
from ragcortex.geometry.embedders.embedder import EmbedderIdentity, Embeddings
from ragcortex.geometry.embedders.forward import Matrix, Row, batch_tokens, padded, plan
from ragcortex.geometry.embedders.location import EmbedderLocation, locate, module_folders
from ragcortex.geometry.embedders.packed_bert import PackedBert
from ragcortex.geometry.embedders.pieces import check_texts, cut, normalised, pooled

_FEW_TEXTS: Final = 16
_WARM_UP: Final = ("Warm.", "A second sentence, which is longer than the first one.", "word " * 300)


@dataclass(frozen=True, slots=True)
class _Loaded:
    """A model's parts.

    Attributes:
        modules: run in order on token ids; a final normalisation is left out, so that the lengths are known.
        tokenizer: of the `tokenizers` library, neither cutting nor padding.
        prompt: put before every text, as the model's configuration asks; mostly empty.
        n_head, n_tail: special tokens before and after the text's own.
        pad_id: fills the rows.
        max_tokens: the longest row.
        width: length of a vector.
        truncation: the length that the configuration cuts vectors to, None if it does not.
    """

    modules: tuple[Any, ...]
    tokenizer: Any
    prompt: str
    n_head: int
    n_tail: int
    pad_id: int
    max_tokens: int
    width: int
    truncation: int | None


class SentenceTransformerEmbedder:
    """Embeds with a sentence-transformers model in float32.

    A text's vector does not depend on the other texts of the call, nor on their order: unit vectors agree within 1e-6
    per component on the CPU (1e-5 on other devices), whichever rows share a pass. A text beyond the model's limit is
    cut into pieces (see `pieces.cut`) whose unnormalised vectors are averaged, weighted by their tokens.
    """

    def __init__(self, location: EmbedderLocation, *, device: str | None = None, dimension: int | None = None) -> None:
        """Load the model at a location; `load` does this by name.

        Args:
            location: the model's folder.
            device: `cpu`, `cuda`, `cuda:N` or `mps`; by default what readers use.
            dimension: keep this many leading components (for Matryoshka models); all by default.

        Raises:
            ModelError: the files cannot be loaded, or hold no text embedding model that is understood here.
            InputError: the dimension is larger than the model's, or the device is unknown.
        """
        from ragcortex.readers.models import choose_device

        self.device = choose_device(device)
        self._model = _load(location, self.device)
        self._packed = PackedBert.of(self._model.modules, self.device)
        width = self._model.width
        if dimension is None:
            dimension = self._model.truncation or width
        if isinstance(dimension, bool) or not isinstance(dimension, int) or not 1 <= dimension <= width:
            raise InputError("dimension", f"must be a whole number from 1 to the model's {width}, got {dimension!r}")
        self._identity = EmbedderIdentity(
            location.id, location.revision, location.fingerprint, dimension, self._model.max_tokens
        )

    @classmethod
    def load(
        cls, source: str, *, device: str | None = None, dimension: int | None = None
    ) -> "SentenceTransformerEmbedder":
        """Return the model named by `source`: `embedded`, a folder, or a hub id that is on this machine.

        Raises:
            ModelMissingError: it is not here; the message says how to fetch it. Nothing is downloaded.
            ModelError, InputError: as the constructor.
        """
        return cls(locate(source), device=device, dimension=dimension)

    @property
    def identity(self) -> EmbedderIdentity:
        """Who makes the vectors."""
        return self._identity

    def embed(self, texts: Sequence[str]) -> Embeddings:
        """Return one vector a text, in order; see `Embedder.embed`.

        Raises:
            InputError: a text is blank.
            ReadingError: a vector is not finite, or the tokenizer makes nothing of a text.
        """
        check_texts(texts)
        dimension = self._identity.dimension
        if not texts:
            return Embeddings(np.zeros((0, dimension), dtype=np.float32), np.zeros(0, dtype=np.float32))
        rows: list[Row] = []
        owners: list[int] = []
        sizes: list[int] = []
        encodings = self._encodings([self._model.prompt + text for text in texts])
        for index, (text, encoding) in enumerate(zip(texts, encodings, strict=True)):
            for row, size in self._rows(text, encoding):
                rows.append(row)
                owners.append(index)
                sizes.append(size)
        vectors = pooled(self._vectors(rows), owners, sizes, len(texts))
        return normalised(np.ascontiguousarray(vectors[:, :dimension]))

    def warm_up(self) -> None:
        """Embed a few texts, so that the first real call is as fast as the later ones."""
        self.embed(_WARM_UP)
        self.embed(_WARM_UP[:2])

    def _encodings(self, texts: Sequence[str]) -> Sequence[Any]:
        """Return the texts' tokens; for a few texts waking the tokenizer's threads takes longer than their work."""
        tokenizer = self._model.tokenizer
        if len(texts) <= _FEW_TEXTS:
            return [tokenizer.encode(text) for text in texts]
        found: list[Any] = tokenizer.encode_batch(texts)
        return found

    def _rows(self, text: str, encoding: Any) -> list[tuple[Row, int]]:
        """Return the rows of one text, each with how many of the text's own tokens it holds."""
        model = self._model
        ids = encoding.ids
        if not ids:
            raise ReadingError(f"the tokenizer made no token from a text of {len(text)} characters")
        if len(ids) <= model.max_tokens:
            return [(ids, len(ids))]
        own = slice(model.n_head, len(ids) - model.n_tail)
        offsets, body = encoding.offsets[own], ids[own]
        start = len(model.prompt)
        n_prompt = sum(end <= start for _, end in offsets) if start else 0
        head, tail = ids[: model.n_head + n_prompt], ids[len(ids) - model.n_tail :]
        ranges = token_ranges(text, [(max(0, low - start), high - start) for low, high in offsets[n_prompt:]])
        body = body[n_prompt:]
        room = model.max_tokens - len(head) - len(tail)
        return [([*head, *body[low:high], *tail], high - low) for low, high in cut(text, ranges, None, room)]

    def _vectors(self, rows: Sequence[Row]) -> Matrix:
        """Return the unnormalised vectors of rows of token ids, in order."""
        if self._packed is not None:
            return self._packed(rows)
        model = self._model
        lengths = [len(row) for row in rows]
        vectors = np.empty((len(rows), model.width), dtype=np.float32)
        for batch in plan(lengths, batch_tokens(self.device), self.device):
            vectors[batch] = padded(model.modules, [rows[index] for index in batch], model.pad_id, self.device)
        return vectors


def _load(location: EmbedderLocation, device: str) -> _Loaded:
    import torch

    from ragcortex.readers._hf import one_line, quiet

    try:
        with quiet():
            from sentence_transformers import SentenceTransformer

            whole = SentenceTransformer(
                str(location.folder),
                device=device,
                local_files_only=True,
                model_kwargs={"use_safetensors": True, "dtype": torch.float32},
            ).eval()
            _check_trained(location, whole[0])
            return _parts(location, whole)
    except RagcortexError:
        raise
    except Exception as error:  # damaged files end in safetensors', tokenizers' and Python's own kinds of error
        raise ModelError(f"embedder {location.id!r} cannot be loaded: {one_line(error)}") from error


def _parts(location: EmbedderLocation, whole: Any) -> _Loaded:
    """Return the parts of a loaded model.

    Raises:
        ModelError: it is not a transformer with a fast tokenizer and pooling, or its limit leaves no room for text.
    """
    from sentence_transformers.base.modules import Normalize, Transformer
    from tokenizers import Tokenizer

    modules = list(whole)
    while modules and isinstance(modules[-1], Normalize):
        modules.pop()
    backend = getattr(whole.tokenizer, "backend_tokenizer", None)
    if not isinstance(modules[0], Transformer) or backend is None:
        raise ModelError(f"embedder {location.id!r} is no transformer with a fast tokenizer, which alone is read here")
    if any(not getattr(module, "include_prompt", True) for module in modules):
        raise ModelError(f"embedder {location.id!r} leaves its prompt out of the pooling, which is not done here")
    tokenizer = Tokenizer.from_str(backend.to_str())
    tokenizer.no_truncation()
    tokenizer.no_padding()
    n_special = tokenizer.num_special_tokens_to_add(False)
    mask = tokenizer.encode("a").special_tokens_mask
    n_head = next((place for place, special in enumerate(mask) if not special), n_special)
    prompt = whole.prompts.get(whole.default_prompt_name or "") or ""
    max_tokens = _limit(whole, modules[0].model)
    least = n_special + (len(tokenizer.encode(prompt, add_special_tokens=False).ids) if prompt else 0) + 1
    if max_tokens < least:
        raise ModelError(f"embedder {location.id!r} reads {max_tokens} tokens at most, which leaves no room for text")
    return _Loaded(
        modules=tuple(modules),
        tokenizer=tokenizer,
        prompt=prompt,
        n_head=n_head,
        n_tail=n_special - n_head,
        pad_id=int(whole.tokenizer.pad_token_id or 0),
        max_tokens=max_tokens,
        width=int(padded(modules, [tokenizer.encode(prompt + "a").ids], 0, str(whole.device)).shape[1]),
        truncation=whole.truncate_dim,
    )


def _limit(whole: Any, model: Any) -> int:
    """Return the longest row: what the model was saved to read, within the positions it has."""
    limits = [int(whole.max_seq_length)] if whole.max_seq_length else []
    positions = getattr(model.config.get_text_config(), "max_position_embeddings", None)
    if positions:
        # RoBERTa and its kin count positions from the padding id on.
        table = next((module for name, module in model.named_modules() if name.endswith("position_embeddings")), None)
        padding = getattr(table, "padding_idx", None)
        limits.append(int(positions) - (0 if padding is None else int(padding) + 1))
    if not limits:
        raise ModelError(f"{type(model).__name__} does not say how many tokens it reads")
    return min(limits)


def _check_trained(location: EmbedderLocation, transformer: Any) -> None:
    """Refuse a model whose files lack weights, which transformers would fill at random.

    Raises:
        ModelError: naming one of them.
    """
    model = transformer.model
    _, loading = type(model).from_pretrained(
        module_folders(location.folder)[0], local_files_only=True, device_map="meta", output_loading_info=True
    )
    untrained = {*loading["missing_keys"], *(key for key, *_ in loading["mismatched_keys"])}
    if transformer.module_output_name == "token_embeddings":  # BERT's own pooler is not used then
        untrained = {key for key in untrained if not key.startswith("pooler.")}
    if untrained:
        raise ModelError(
            f"embedder {location.id!r} has no usable weights for {len(untrained)} parameters, {min(untrained)} among "
            "them; its files are incomplete"
        )
