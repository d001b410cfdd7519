"""Function words that bound who and whom, by language, hand-written. Data only."""

from dataclasses import dataclass
from functools import cached_property
from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Compare by themselves, as «larger» does.
COMPARATIVES: Final = _words("mayor menor mejor peor maggiore minore migliore peggiore maior melhor pior")


@dataclass(frozen=True)
class GrammarWords:
    """The function words of a language by what they do around a verb.

    Attributes:
        agent: what the one who acts stands behind in a passive («by»).
        within: prepositions that go on within a noun phrase («of»).
        direct: prepositions that a second participant may stand behind right after the verb (Spanish «a»).
        prepositions: all others; they end a noun phrase.
        determiners: they begin one.
        skipped: auxiliaries and adverbs between a participant and the verb.
        copulas: of the skipped, those that a comparison stands behind.
        negations, relatives, conjunctions, pronouns: as they say; conjunctions with subordinators.
        than: what the second one of a comparison stands behind.
        more, less: words that compare what follows them.
    """

    agent: frozenset[str]
    within: frozenset[str]
    direct: frozenset[str]
    prepositions: frozenset[str]
    determiners: frozenset[str]
    skipped: frozenset[str]
    copulas: frozenset[str]
    negations: frozenset[str]
    relatives: frozenset[str]
    conjunctions: frozenset[str]
    pronouns: frozenset[str]
    than: frozenset[str]
    more: frozenset[str]
    less: frozenset[str]

    @property
    def compares_by_ending(self) -> bool:
        """Whether words compare by their ending («larger than», «größer als»)."""
        return not self.than.isdisjoint(("than", "als"))

    @cached_property
    def bounds(self) -> frozenset[str]:
        """What ends a noun phrase on either side."""
        return self.relatives | self.conjunctions | self.pronouns | self.copulas | self.negations

    @cached_property
    def leading(self) -> frozenset[str]:
        """What may stand between a verb and its object."""
        return self.direct | self.skipped | self.determiners

    @cached_property
    def empty(self) -> frozenset[str]:
        """All words that name nothing."""
        within = self.within | self.direct | self.agent | self.prepositions
        return within | self.determiners | self.skipped | self.bounds | self.than | self.more | self.less


def _grammar(**sets: str) -> GrammarWords:
    return GrammarWords(**{name: _words(text) for name, text in sets.items()})


GRAMMARS: Final[dict[str, GrammarWords]] = {
    "en": _grammar(
        agent="by",
        within="of",
        direct="",
        prepositions="""in on at for with from to since after before during through via against into over under about
            between among within until till as without following despite per than like near across around behind""",
        determiners="""a an the this that these those its his her their our my your each every some any no another
            both all""",
        skipped="""also later then soon just finally eventually recently first only now once again still even has have
            had will would shall can could may might must should did does do is are was were been being be not twice
            thus first up out much far slightly""",
        copulas="is are was were be been has have had being",
        negations="not never neither nor without didn't wasn't hasn't isn't doesn't weren't couldn't wouldn't cannot "
        "failed refused",
        relatives="which who that whom whose where",
        conjunctions="and or but while whereas because although though if when that so whether",
        pronouns="it he she they him them itself himself herself themselves we i you us",
        than="than",
        more="more",
        less="less fewer",
    ),
    "de": _grammar(
        agent="von vom durch",
        within="",
        direct="",
        prepositions="""in im ins an am auf aus bei beim für mit nach seit zu zum zur vor während über unter um ohne
            gegen zwischen bis wegen trotz pro laut von vom durch als""",
        determiners="""der die das den dem des ein eine einen einem einer eines dieser diese dieses diesen ihr ihre
            ihren ihrem sein seine seinen seinem""",
        skipped="""auch später dann bald schließlich kürzlich zuerst nur jetzt wieder noch sogar hat haben hatte hatten
            ist sind war waren wird werden wurde wurden worden sei hatte bereits damals erst endlich daraufhin
            deutlich viel etwas""",
        copulas="ist sind war waren wird wurde hat haben hatte hatten wurden werden worden",
        negations="nicht nie niemals kein keine keinen keinem keiner weder ohne",
        relatives="der die das den dem welche welcher welches welchen dessen deren",
        conjunctions="und oder aber während weil obwohl dass nachdem als wenn ob bevor da indem sondern",
        pronouns="er sie es ihn ihm ihnen sich wir ich man",
        than="als",
        more="mehr",
        less="weniger",
    ),
    "fr": _grammar(
        agent="par",
        within="de du des d' d’",
        direct="à au aux",
        prepositions="""en dans sur pour avec depuis après avant pendant contre entre sans sous vers chez dès selon lors
            devant face à au aux malgré jusqu' moyennant par comme""",
        determiners="le la les l' l’ un une ce cette ces son sa ses leur leurs",
        skipped="""aussi ensuite puis bientôt enfin récemment alors déjà a ont avait avaient est sont était étaient été
            sera fut furent être avoir s' s’ se finalement encore bien nettement""",
        copulas="est sont était étaient fut furent a ont avait avaient sera",
        negations="ne n' n’ pas jamais aucun aucune ni sans",
        relatives="qui que qu' qu’ dont laquelle lequel où",
        conjunctions="et ou mais tandis parce car si quand lorsque bien alors puis",
        pronouns="il elle ils elles lui leur on nous je",
        than="que qu' qu’",
        more="plus davantage meilleur meilleure",
        less="moins",
    ),
    "es": _grammar(
        agent="por",
        within="de del",
        direct="a al",
        prepositions="""en para con desde tras antes durante contra entre sin bajo hacia según hasta ante sobre frente
            mediante a al por como después""",
        determiners="el la los las lo un una unos unas este esta ese esa su sus",
        skipped="""también luego después entonces ya finalmente recientemente ha han había habían es son fue fueron era
            eran sido será ser haber se más tarde mucho algo""",
        copulas="es son fue fueron era eran está están ha han tiene tienen",
        negations="no nunca jamás ni ningún ninguna tampoco sin",
        relatives="que quien quienes cual cuyo cuya",
        conjunctions="y e o u pero mientras porque aunque si cuando",
        pronouns="él ella ellos ellas lo la le les nos yo",
        than="que",
        more="más",
        less="menos",
    ),
    "it": _grammar(
        agent="da dal dalla dall' dall’ dai dalle dagli",
        within="di del della dei delle degli dell' dell’ dello d' d’",
        direct="a al alla ai alle agli all' all’",
        prepositions="""in nel nella nei nelle nell' nell’ su sul sulla per con tra fra dopo prima durante contro senza
            sotto verso secondo""",
        determiners="il lo la i gli le l' l’ un uno una un' un’ questo questa suo sua suoi sue",
        skipped="""anche poi infine recentemente già ha hanno aveva avevano è sono era erano stato stata stati state fu
            furono sarà si molto""",
        copulas="è sono era erano fu furono ha hanno aveva",
        negations="non mai né senza nessuno nessuna",
        relatives="che cui quale",
        conjunctions="e ed o ma mentre perché se quando",
        pronouns="lui lei loro esso essa noi io",
        than="di del della dei delle degli dell' dell’ dello che",
        more="più",
        less="meno",
    ),
    "pt": _grammar(
        agent="por pelo pela pelos pelas",
        within="de do da dos das",
        direct="a ao à aos às",
        prepositions="""em no na nos nas para com desde após antes durante contra entre sem sob sobre segundo até
            perante frente""",
        determiners="o a os as um uma este esta esse essa seu sua seus suas",
        skipped="""também depois então já finalmente recentemente tem têm tinha havia é são era eram foi foram sido será
            se muito""",
        copulas="é são era eram foi foram está tem têm",
        negations="não nunca jamais nem nenhum nenhuma sem",
        relatives="que quem qual cujo cuja",
        conjunctions="e ou mas enquanto porque embora se quando",
        pronouns="ele ela eles elas lhe nós eu",
        than="que",
        more="mais",
        less="menos",
    ),
}
