"""Made readings with measures of the pass, in which hallucinated tokens are told in the published direction."""

from dataclasses import replace

import numpy as np
from planted_readings import N_LAYERS, PlantedStore

from ragcortex.align import AnswerTokens
from ragcortex.readers.reading import Floats, Reading, ReadingSpec

N_HEADS = 3
TELLING_LAYER = 2  # the third of four
TELLING_HEAD = 1


class MeasuredStore(PlantedStore):
    """Adds the measures a spec names; hallucinated words are told at one layer and head only."""

    def reading(self, tokens: AnswerTokens, spec: ReadingSpec, number: int) -> Reading:
        whole = super().reading(tokens, replace(spec, measures=()), number)
        blocks = []
        for block in whole.blocks:
            told = np.array([self._told(tokens, t, block.window) for t in range(len(tokens))], dtype=np.float32)
            cut = slice(block.start, block.stop)
            measures = {
                name: self._measure(name, told, np.random.default_rng([number, block.window, 9]))[cut]
                for name in spec.measures
            }
            blocks.append(replace(block, ref=replace(block.ref, measures=measures)))
        return replace(whole, blocks=tuple(blocks))

    def _told(self, tokens: AnswerTokens, place: int, window: int) -> bool:
        start, end = tokens.ranges[place]
        word = tokens.text[start:end].strip()
        return word.startswith("zz") and not (window > 0 and word in self.grounded_later)

    def _measure(self, name: str, told: Floats, rng: np.random.Generator) -> Floats:
        n = len(told)
        noise = rng.random((n, N_LAYERS, N_HEADS))
        at = (slice(None), TELLING_LAYER, TELLING_HEAD)
        if name in ("lookback", "external_context"):  # hallucinated tokens look away from the references
            values = 0.5 + 0.3 * noise
            values[at] -= 0.5 * told
        elif name == "self_attention":  # and attend more to themselves
            values = -4 - noise
            values[:, TELLING_LAYER] += 3 * told[:, None]
        elif name in ("icr", "parametric_knowledge"):
            values = 0.3 * noise[:, :, 0]
            values[:, TELLING_LAYER] += 0.35 * told
        elif name == "top_tokens":  # drawn alike with other documents where hallucinated
            ids = np.where((told[:, None] == 0) & self.swapped, [[3.0, 4.0]], [[1.0, 2.0]])
            values = np.stack([ids, np.broadcast_to([0.6, 0.3], (n, 2))], axis=1)
        else:
            assert name in ("lens_progress", "top_entropy")
            values = 0.2 * noise[:, 0, 0] + 0.5 * told
        return values.astype(np.float32)

    swapped = False

    def read(self, reader, examples, spec):  # type: ignore[no-untyped-def]
        for example, reading in zip(examples, super().read(reader, examples, spec), strict=True):
            if example.label is not None:
                yield reading
                continue
            self.swapped = True  # an answer stripped of its labels is one with other documents
            yield self.reading(reader.tokenize(example.answer), spec, int(example.id or 0))
            self.swapped = False
