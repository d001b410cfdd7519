"""Proper names of Chinese and Japanese text, which marks none: known places, transliterations, Latin words, endings."""

from collections.abc import Iterator
from functools import cache
from typing import Final

import regex

from ragcortex.geometry.facts.fact import Fact, Language, Name
from ragcortex.geometry.facts.name_places import cjk_places, name_words
from ragcortex.geometry.facts.name_tokens import is_acronym
from ragcortex.geometry.facts.name_words import COMMON_CAPITALS, UNITS

# Characters that Chinese writes foreign names with; they bound a name around a middle dot.
_SOUNDS: Final = (
    "阿埃艾爱安奥巴白贝本比彼宾波博伯勃布蔡查达戴黛丹当道德登迪蒂丁东杜多恩尔法凡菲费芬丰弗福夫盖冈高戈格古瓜哈海汉豪赫黑亨洪华怀惠霍基吉加贾简"
    "杰金卡凯坎康考柯科可克肯库夸拉莱兰朗劳勒雷李里丽利莉琳林刘龙隆娄卢鲁路露伦罗洛玛马麦曼梅门蒙米密明莫姆穆纳娜奈南内尼妮宁纽努诺欧帕潘庞培佩彭皮"
    "平珀普奇齐乔切琼丘让热仁日荣茹萨塞赛桑瑟森沙莎山绍舍申圣施史斯丝苏索塔泰坦汤唐特腾提图托陀瓦万旺威韦维魏温翁沃乌武西希锡夏香肖谢辛休许雪逊雅亚"
    "扬耶叶伊因英尤于约扎泽詹珍芝朱兹佐冯弥尔辛巴儿黎丽婷妲姬娅琪薇茜茨芙莲莱葛翠"
)
# Of these, the ones that are hardly ever words of their own next to a name.
_SOUNDS_BEFORE: Final = "阿埃奥巴布克卡拉洛莫尼诺帕萨塞斯塔特维"
_SOUNDS_AFTER: Final = "奥尔斯特亚娜娅莎德拉诺托维茨巴格洛莫卡基埃蒂丁弗"
_DOTTED_CHINESE: Final = regex.compile(rf"[{_SOUNDS}]{{1,7}}(?:[·・•‧][{_SOUNDS}]{{1,7}})+")
_KATAKANA: Final = regex.compile(r"[\p{Katakana}ー]+(?:[・＝=][\p{Katakana}ー]+)*")
# What follows a katakana word that is a name: a person's ending, a firm, a place.
_AFTER_KATAKANA: Final = regex.compile(
    r"さん|氏|様|博士|教授|大統領|首相|選手|監督|社(?=[^員会長内外交\p{Katakana}]|$)|株式会社|大学|市(?![場民販])|州|県|島|川|山脈|駅|城|寺|塔|語|人(?![気員])"
    r"|国際空港|空港|半島|海峡|諸島|共和国|王国|合衆国"
)
_LATIN: Final = regex.compile(
    r"\p{Latin}[\p{Latin}\p{M}\p{N}]*(?:[ \-'’&.][\p{Latin}\p{N}][\p{Latin}\p{M}\p{N}]*)*"
    r"(?: \d{1,4}(?![\d.,年月日%％]))?"
)
_SUFFIX_JAPANESE: Final = regex.compile(
    r"(?<![\p{Han}])(?P<name>[\p{Han}]{2,6}(?:市|県|都|府|区|町|村|駅|大学|高校|図書館|美術館|博物館|空港|株式会社|銀行|神社|病院|寺))"
    r"(?![\p{Han}])|(?P<name>株式会社[\p{Katakana}ー\p{Han}]{2,10}|[\p{Katakana}ー\p{Han}]{2,10}株式会社)"
)
_NO_NAME_SIGN: Final = (
    "的在于於从從到由是和与與及跟往被对對给把将将为為了着过有各这那本该该全我你他她它其某每"
    "一两三四五六七八九十几多个個座家所间中大新老小此去来后前"
)
_SUFFIX_CHINESE: Final = regex.compile(
    rf"(?:(?<![\p{{Han}}])|(?<=[在于於从從到由是和与與及往被对對给为為]))(?P<name>[\p{{Han}}--[{_NO_NAME_SIGN}]]{{2,6}}?"
    r"(?:市(?![场場民值长])|省(?!略|钱|去)|县|自治区|大学(?!生|教)|学院|图书馆|圖書館|博物馆|美术馆|有限公司|股份公司|集团|银行|医院|机场|大桥))",
    flags=regex.V1,
)
_GENERIC: Final = regex.compile(
    r"(?:城市|超市|股市|楼市|都市|夜市|门市|上市|節省|节省|公立|国立|私立|市立|県立|有限|股份|分|子|母|总|科技|商业|中央|地方|人民|公共|综合|都道府県|市区町村|当該|同|本|各|全|自|出版)+"
    r"(?:市|省|县|大学|学院|图书馆|圖書館|博物馆|美术馆|公司|集团|银行|医院|机场|図書館|病院|銀行|都|府|県|区|町|村|高校|空港)?"
)


def cjk_names(text: str, language: Language) -> tuple[Fact, ...]:
    """Return the names of Chinese or Japanese text in order and without overlap, the surest kinds first."""
    taken = bytearray(len(text))
    facts = []
    for start, end in _candidates(text, language):
        words = name_words(text[start:end])
        if not words or any(taken[start:end]):
            continue
        taken[start:end] = b"\x01" * (end - start)
        facts.append(Fact("name", start, end, text[start:end], Name(words)))
    return tuple(sorted(facts, key=lambda fact: fact.start))


def _candidates(text: str, language: Language) -> Iterator[tuple[int, int]]:
    yield from _latin(text)
    if language == "zh":
        yield from (match.span() for match in _DOTTED_CHINESE.finditer(text))
        yield from _with_ending(text, _SUFFIX_CHINESE)
    else:
        yield from _with_ending(text, _SUFFIX_JAPANESE)
        yield from _katakana(text)
    for match in _places_pattern().finditer(text):
        if not _inside_transliteration(text, match, language):
            yield match.span()


def _latin(text: str) -> Iterator[tuple[int, int]]:
    """Latin words with a capital or inner capital that are no unit and no abbreviation of everyday use."""
    for match in _LATIN.finditer(text):
        words = match[0].split()
        if any(word in UNITS or word.casefold() in COMMON_CAPITALS for word in words[:1]):
            continue
        if len(match[0]) < 2 or not (words[0][0].isupper() or is_acronym(words[0])):
            continue
        before = text[max(0, match.start() - 1) : match.start()]
        if not before.isdecimal():
            yield match.span()


def _katakana(text: str) -> Iterator[tuple[int, int]]:
    """Katakana words with a middle dot or before what only follows names; most others are loanwords."""
    for match in _KATAKANA.finditer(text):
        if len(match[0]) < 3:
            continue
        if regex.search(r"[・＝=]", match[0]) and all(len(part) > 1 for part in regex.split(r"[・＝=]", match[0])):
            if match[0].count("・") <= 2:
                yield match.span()
        elif _AFTER_KATAKANA.match(text, match.end()):
            yield match.span()


def _with_ending(text: str, pattern: regex.Pattern[str]) -> Iterator[tuple[int, int]]:
    for match in pattern.finditer(text):
        if not _GENERIC.fullmatch(match["name"]):
            yield match.span("name")


def _inside_transliteration(text: str, match: regex.Match[str], language: Language) -> bool:
    """Whether a short place name is a piece of a longer transliterated word, as 马里 is of 马里奥."""
    before, after = text[max(0, match.start() - 1) : match.start()], text[match.end() : match.end() + 1]
    if language == "ja":
        return regex.fullmatch(r"[\p{Katakana}ー]+", match[0]) is not None and (
            regex.match(r"[\p{Katakana}ー]", before) is not None or regex.match(r"[\p{Katakana}ー]", after) is not None
        )
    if len(match[0]) != 2 or not all(sign in _SOUNDS for sign in match[0]):
        return False
    return (before != "" and before in _SOUNDS_BEFORE) or (after != "" and after in _SOUNDS_AFTER)


@cache
def _places_pattern() -> regex.Pattern[str]:
    """The known places; with the word for people or language after a country."""
    return regex.compile(rf"(?:{'|'.join(regex.escape(name) for name in cjk_places())})")
