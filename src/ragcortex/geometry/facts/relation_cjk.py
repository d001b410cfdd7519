"""Who does what to whom in Chinese and Japanese sentences."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Final

import regex

from ragcortex.geometry.facts.extract import FactSheet
from ragcortex.geometry.facts.relation_parts import Phrase, Relation
from ragcortex.geometry.facts.relation_words import SENSES

_FIGURES: Final = frozenset(("number", "quantity", "money", "percentage", "duration", "ordinal", "date", "time"))
_CLAUSE: Final = regex.compile(r"[^，。；：！？,;!?]+")
_NEGATED: Final = regex.compile(r"(?:未能?|没有?|沒有?|不|并非|拒绝|无法|试图|计划|打算)$")
_PASSIVE: Final = regex.compile(r"^(?P<patient>.*?)(?:被|遭到?|由)(?P<agent>.+)$")
_OBJECT_END: Final = regex.compile(r"以|，|用|时|後|后|而|并|、|出任|担任|擔任|成为|成為|当选|當選")
_MANNER: Final = regex.compile(r"(?:以|用|凭).*$")
_CHINESE_MORE: Final = "大 高 长 長 宽 寬 深 重 快 多 早 贵 貴 老 热 熱 强 強 远 遠 晚 厚"
_CHINESE_LESS: Final = "小 低 短 短 窄 窄 浅 轻 慢 少 晚 便宜 便宜 年轻 冷 冷 弱 弱 近 近 早 薄"
_THAN_CHINESE: Final = regex.compile(
    r"(?P<first>[^，。；：]+?)比(?P<second>[^，。；：]+?)(?:还要|更加?|还|略|稍|要)?"
    r"(?P<word>大|高|长|長|宽|寬|深|重|快|多|贵|貴|热|熱|强|強|远|遠|厚|小|低|短|窄|浅|轻|慢|少|便宜|年轻|冷|弱|近|薄|早|晚)"
    r"(?=[\d\s]|得|一|了|很|些|约|将|近|$|[，。；！])"
)
_NOUN: Final = r"[\p{Han}\p{Katakana}ー\p{Latin}\p{N}・々ヶの「」『』&\- ]+(?:さん|さま|くん|ちゃん)?"
_PARTICLE: Final = regex.compile(
    rf"(?P<noun>{_NOUN})(?P<particle>によって|により|よりも|より|には|は|が|を|に|から|と)"
)
_JAPANESE_NEGATED: Final = regex.compile(r"^[^、。]{0,6}(?:ない|なかっ|ませ|ず|たい|たが)")
_JAPANESE_PASSIVE: Final = regex.compile(r"^(?:さ|ら)れ")
# Whom they bear on stands before に, what before を.
_TOWARDS: Final = frozenset(("教え", "勝っ", "勝ち", "勝利", "敗れ", "負け"))
_ADJECTIVES: Final = {
    "大き": "大", "小さ": "-大", "高": "高", "低": "-高", "安": "-値", "長": "長", "短": "-長", "広": "広", "狭": "-広",
    "深": "深", "浅": "-深", "重": "重", "軽": "-重", "速": "速", "遅": "-速", "多": "多", "少な": "-多", "古": "古",
    "新し": "-古", "強": "強", "弱": "-強", "遠": "遠", "近": "-遠", "早": "早", "暑": "暑", "寒": "-暑", "厚": "厚",
}  # fmt: skip
_THAN_JAPANESE: Final = regex.compile(
    rf"(?P<first>{_NOUN})(?:は|が|の方が|のほうが)、?(?P<second>{_NOUN})より(?:も|は)?(?:{_NOUN}が|ずっと|はるかに|さらに|約?[\p{{N}}.]+\p{{L}}+)?"
    rf"(?P<word>{'|'.join(_ADJECTIVES)})(?=い|く|か)"
    rf"|(?P<second>{_NOUN})より(?:も)?、?(?P<first>{_NOUN})の(?:方|ほう)が(?P<word>{'|'.join(_ADJECTIVES)})(?=い|く|か)"
)


def related_east_asian(sheet: FactSheet) -> Iterator[Relation]:
    """Yield the relations and comparisons of a Chinese or Japanese sentence."""
    if sheet.language == "zh":
        yield from _chinese(sheet)
    else:
        yield from _japanese(sheet)


def _chinese(sheet: FactSheet) -> Iterator[Relation]:
    table = _table("zh")
    for clause in _CLAUSE.finditer(sheet.text):
        text, base = clause.group(), clause.start()
        for verb in _verbs("zh").finditer(text):
            before = text[: verb.start()]
            if _NEGATED.search(before):
                continue
            passive = _PASSIVE.match(before)
            end = _OBJECT_END.search(text, verb.end())
            if passive is not None:
                patient = _phrase(sheet, base + passive.start("patient"), base + passive.end("patient"))
                agent = _phrase(sheet, base + passive.start("agent"), base + passive.end("agent"))
            else:
                manner = _MANNER.search(before)
                agent = _phrase(sheet, base, base + (manner.start() if manner else verb.start()))
                patient = _phrase(sheet, base + verb.end(), base + (end.start() if end else len(text)))
            yield from _made(table[verb.group()], agent, patient, base + verb.start())
        than = _THAN_CHINESE.match(text)
        if than is not None and not _NEGATED.search(than["first"]):
            yield from _than(sheet, than, base, _chinese_sense(than["word"]))


def _chinese_sense(word: str) -> str:
    less = dict(zip(_CHINESE_LESS.split(), _CHINESE_MORE.split(), strict=True))
    return "-" + less[word] if word in less and word not in _CHINESE_MORE.split() else word


def _japanese(sheet: FactSheet) -> Iterator[Relation]:
    table = _table("ja")
    for verb in _verbs("ja").finditer(sheet.text):
        behind = sheet.text[verb.end() :]
        if _JAPANESE_NEGATED.match(behind):
            continue
        start = sheet.text.rfind("。", 0, verb.start()) + 1
        nouns: dict[str, regex.Match[str]] = {
            match["particle"]: match for match in _PARTICLE.finditer(sheet.text, start, verb.start())
        }
        subject = max((nouns[one] for one in ("は", "が") if one in nouns), key=lambda one: one.start(), default=None)
        if _JAPANESE_PASSIVE.match(behind):
            agent, patient = _noun(sheet, nouns, "によって", "により", "に", "から"), _phrase_of(sheet, subject)
        else:
            particles = ("に",) if verb.group() in _TOWARDS else ("を", "に")
            agent, patient = _phrase_of(sheet, subject), _noun(sheet, nouns, *particles)
        yield from _made(table[verb.group()], agent, patient, verb.start())
    for than in _THAN_JAPANESE.finditer(sheet.text):
        yield from _than(sheet, than, 0, _ADJECTIVES[than["word"]])


def _made(sense: str, agent: Phrase | None, patient: Phrase | None, verb: int) -> Iterator[Relation]:
    if agent is not None and patient is not None:
        found = Relation(sense.lstrip("-"), agent, patient, verb)
        yield found.inverted if sense.startswith("-") else found


def _than(sheet: FactSheet, match: "regex.Match[str]", base: int, sense: str) -> Iterator[Relation]:
    first = _phrase(sheet, base + match.start("first"), base + match.end("first"))
    second = _phrase(sheet, base + match.start("second"), base + match.end("second"))
    if first is not None and second is not None:
        found = Relation(sense.lstrip("-"), first, second, base + match.start("word"), compares=True)
        yield found.inverted if sense.startswith("-") else found


def _noun(sheet: FactSheet, nouns: Mapping[str, "regex.Match[str]"], *particles: str) -> Phrase | None:
    for particle in particles:
        found = _phrase_of(sheet, nouns.get(particle))
        if found is not None:
            return found
    return None


def _phrase_of(sheet: FactSheet, match: "regex.Match[str] | None") -> Phrase | None:
    return None if match is None else _phrase(sheet, *match.span("noun"))


def _phrase(sheet: FactSheet, start: int, end: int) -> Phrase | None:
    """Return who stands in a stretch: its terms without those of figures and dates."""
    figures = [(fact.start, fact.end) for fact in sheet.facts if fact.kind in _FIGURES]
    terms = [
        term
        for term in sheet.terms
        if start <= term.start
        and term.end <= end
        and not any(low < term.end and term.start < high for low, high in figures)
    ]
    if not terms:
        return None
    return Phrase(terms[0].start, terms[-1].end, frozenset(term.stem for term in terms))


@cache
def _table(language: str) -> Mapping[str, str]:
    found = {}
    for line in SENSES[language].strip().splitlines():
        sense, _, listed = line.partition(": ")
        for verb in listed.split():
            found[verb.removeprefix("-")] = "-" + sense if verb.startswith("-") else sense
    return found


@cache
def _verbs(language: str) -> "regex.Pattern[str]":
    return regex.compile("|".join(sorted(_table(language), key=lambda verb: (-len(verb), verb))))
