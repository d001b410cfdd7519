"""Sentences to build answers from: which are usable, how far references cover them, and which are topically near."""

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import regex

from ragcortex.align import sentences, words
from ragcortex.datasets.lexicon import FIRST_PERSON, PRONOUN_STARTS, STOPWORDS
from ragcortex.errors import InputError
from ragcortex.example import Example

_MIN_WORDS, _MAX_WORDS = 6, 42
_PROSE = regex.compile(r"[\p{Lu}\p{N}\"“][^\n]*[\p{L}\p{N}%)\"”’']\.[\"”)]?")
_JUNK = regex.compile(
    r"https?:|www\.|[\\|\u20e3©<>{}\[\]#*_=~•►]|\.\.\.|…|\(meta data\)"
    r"|\b(?:click|subscribe|cookies?|copyright|log in|sign up|newsletter)\b"
    r"|\(\s*\)|``|''|@|\s[,.;]|\bpassage \d|&\w+;|\?",
    flags=regex.IGNORECASE,
)
_FIRST_WORD = regex.compile(r"[^\p{L}\p{N}]*([\p{L}\p{N}]+)")
_RUN_TOGETHER = regex.compile(r"\p{Ll}\.\p{Lu}")
_CLUTTER = regex.compile(
    r"\b(?:e-?mail|enquiry|inbox|read more|follow us|website|webpage|please|paragraph|question|passage|the text|"
    r"context|the document|the article|given information|as an AI|this paper|screenshots?|"
    r"learn more|broken links|captures|internet archive|wikipedia|our company|log ?in)\b"
    r"|^\p{N}+[.)]\s|^[\"“]\s|\s[\"”][.!]?$|(?:^|\s)'\s|\w'(?!(?:ll|re|ve|clock)\b)\p{Ll}{2,}",
    flags=regex.IGNORECASE,
)
_GLUED = regex.compile(r"(?<=[\p{Ll}\p{N})\"”]{2}[.!?])(?=[\p{Lu}\"“])")


@dataclass(frozen=True, slots=True)
class PoolSentence:
    """One usable sentence, where it came from, and whether it was part of an answer rather than of a reference."""

    text: str
    group: str
    from_answer: bool = False


@lru_cache(maxsize=65_536)
def content_words(text: str) -> frozenset[str]:
    """Return the stems of the words that carry content: no stop words, inflections cut off roughly.

    >>> sorted(content_words("The trains were stopped in 1,200 towns"))
    ['1200', 'stopp', 'town', 'train']
    """
    found = (text[start:end].casefold() for start, end in words(text))
    return frozenset(_stem(word) for word in found if word not in STOPWORDS)


def _stem(word: str) -> str:
    word = word.removesuffix("'s").removesuffix("’s")
    if word[:1].isdigit():
        return word.replace(",", "")
    for ending in ("ies", "ing", "ed", "es", "s", "ly", "y", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def coverage(text: str, covering: Set[str]) -> float:
    """Return the share of the text's content words that are among `covering`, in [0, 1]; 1 if it has none."""
    needed = content_words(text)
    return len(needed & covering) / len(needed) if needed else 1.0


@lru_cache(maxsize=65_536)
def is_prose(sentence: str) -> bool:
    """Return whether a sentence of a reference can stand in an answer: complete, impersonal, free of page clutter."""
    count = len(sentence.split())
    if (
        not _MIN_WORDS <= count <= _MAX_WORDS
        or not _PROSE.fullmatch(sentence)
        or _JUNK.search(sentence)
        or _CLUTTER.search(sentence)
    ):
        return False
    if _RUN_TOGETHER.search(sentence):
        return False
    tokens = [sentence[start:end] for start, end in words(sentence)]
    if any(token.casefold() in FIRST_PERSON for token in tokens) or sentence.count('"') % 2:
        return False
    if sentence[0] in '"“' and sentence[-1] in '"”':  # somebody's words, without the somebody
        return False
    lower = sum(token[0].islower() for token in tokens)
    return 2 * lower >= len(tokens) and _balanced(sentence)


def _balanced(sentence: str) -> bool:
    return sentence.count("(") == sentence.count(")") and sentence.count("“") == sentence.count("”")


def starts_with_pronoun(sentence: str) -> bool:
    """Return whether the sentence leans on an earlier one, as "He was born there." does."""
    first = _FIRST_WORD.match(sentence)
    return first is not None and first[1].casefold() in PRONOUN_STARTS


def leans_back(sentence: str) -> bool:
    """Return whether the sentence leans on an earlier one by a pronoun, or perhaps by a noun ("The village has …")."""
    return starts_with_pronoun(sentence) or regex.match(r"The \p{Ll}", sentence) is not None


def split_glued(text: str) -> str:
    """Return the text with a space put where a sentence was glued to the next one ("century.First")."""
    return str(_GLUED.sub(" ", text))


def sentence_texts(text: str) -> list[str]:
    """Return the texts of the sentences, in order."""
    return [text[start:end] for start, end in sentences(text)]


class SentencePool:
    """Sentences of many sources with their TF-IDF vectors.

    Args:
        items: at least one sentence; repeated texts are kept once.

    Raises:
        InputError: there is no sentence.
    """

    def __init__(self, items: Iterable[PoolSentence]) -> None:
        from sklearn.feature_extraction.text import TfidfVectorizer

        self.items: tuple[PoolSentence, ...] = tuple({item.text: item for item in items}.values())
        if not self.items:
            raise InputError("examples", "have no usable sentence to build synthetic answers from")
        self._vectorizer: Any = TfidfVectorizer(stop_words="english", sublinear_tf=True, dtype=np.float32)
        texts = [item.text for item in self.items]
        try:
            self._matrix: Any = self._vectorizer.fit_transform(texts)
        except ValueError as error:  # only stop words
            raise InputError("examples", "have no word of content in any sentence") from error

    @classmethod
    def of(cls, examples: Sequence[Example]) -> "SentencePool":
        """Return the pool of all usable sentences of the examples' references and answers."""
        items: list[PoolSentence] = []
        seen: set[tuple[str, str]] = set()
        for example in examples:
            group = example.group or example.id or ""
            texts = [(reference.text, False) for reference in example.references]
            for text, from_answer in (*texts, (example.answer, True)):
                if (group, text) in seen:
                    continue
                seen.add((group, text))
                found = sentence_texts(text)
                items.extend(PoolSentence(sentence, group, from_answer) for sentence in found if is_prose(sentence))
        return cls(items)

    def near(
        self, query: str, *, excluded_groups: Set[str], limit: int = 40, least: float = 0.06
    ) -> list[PoolSentence]:
        """Return up to `limit` sentences of other groups, nearest first, with a TF-IDF cosine of at least `least`."""
        scores = np.asarray((self._matrix @ self._vectorizer.transform([query]).T).todense()).ravel()
        order = np.argsort(-scores, kind="stable")
        found: list[PoolSentence] = []
        for index in order.tolist():
            if len(found) >= limit or scores[index] < least:
                break
            if self.items[index].group not in excluded_groups:
                found.append(self.items[index])
        return found
