"""Words that name nothing by themselves, and the common number words; hand-written, by language. Data only."""

from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ENGLISH: Final = """
a about above after again against all almost already also although always am among an and any anyone anything are
aren't as at be because been before being below between both but by can can't cannot could couldn't did didn't do does
doesn't doing don't down due during each either else etc even ever every everyone everything except few for from
further get gets got had hadn't has hasn't have haven't having he he's hence her here hers herself him himself his how
however i i'm i've i'll i'd if in instead into is isn't it it's its itself just least less let let's like many may
maybe me might mine more most mostly much must my myself neither never no nobody none nor not nothing now of off often
on once one only onto or other others otherwise ought our ours ourselves out over own per perhaps quite rather really
same several shall she she's should shouldn't since so some someone something sometimes soon still such than that
that's the their theirs them themselves then there there's therefore these they they're they've this those though
through throughout thus till to too toward towards under unless until up upon us usually very via was wasn't we we're
we've were weren't what when where whereas whether which while who whom whose why will with within without won't would
wouldn't yes yet you you're you've your yours yourself don doesn isn aren didn ll ve re two three four five six seven
eight nine ten eleven twelve twenty thirty forty fifty sixty hundred thousand million billion
"""
_GERMAN: Final = """
ab aber alle allem allen aller alles als also am an andere anderen auch auf aus außer außerdem bei beide beiden beim
bevor bin bis bist da dabei dadurch dafür dagegen daher damit danach dann daran darauf daraus darf darin darüber darum
das dass davon davor dazu dein deine dem den denen denn der deren des deshalb dessen dich die dies diese diesem diesen
dieser dieses dir doch dort du durch dürfen ein eine einem einen einer eines einige er es etwa etwas euch euer falls
für gegen gibt hab habe haben hat hatte hatten hier hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im immer
in indem ins irgend ist ja je jede jedem jeden jeder jedes jedoch jene kann kein keine keinem keinen keiner können
könnte man manche mehr mein meine mich mir mit muss müssen nach nachdem nein nicht nichts nie niemand noch nun nur ob
oder oft ohne sehr seid sein seine seinem seinen seiner seit selbst sich sie sind so sobald solche soll sollen sollte
sondern sonst sowie sowohl über um und uns unser unsere unter viel viele vom von vor während war waren warum was weder
weil weitere welche welcher wem wen wenn wer werden wessen wie wieder wir wird wo wobei wodurch worden wurde wurden zu
zum zur zwar zwischen eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf zwanzig dreißig hundert tausend
million millionen
"""
_FRENCH: Final = """
a à afin ai ainsi alors après as au aucun aucune aussi autant autre autres aux avant avec avez avons avoir ayant bien
car ce ceci cela celle celles celui cependant ces cet cette ceux chacun chaque chez comme comment dans de depuis des
dès deux devant doit doivent donc dont du elle elles en encore entre es est et étaient était été êtes être eu eux fait
faut furent fut guère hors ici il ils jamais je jusque la là laquelle le lequel les lesquels leur leurs lors lorsque
lui ma mais me même mêmes mes mien moi moins mon ne ni non nos notre nous on ont ou où par parce pas pendant personne
peu peut peuvent plus plusieurs point pour pourquoi puis puisque quand que quel quelle quelles quelques quels qui quoi
rien sa sans sauf se selon sera seront ses seulement si sien soit son sont sous suis sur ta tandis te tes toi ton
toujours tous tout toute toutes très trop tu un une uniquement vers vos votre vous y aujourd aujourd'hui lorsqu jusqu
puisqu qu trois quatre cinq six sept huit neuf dix onze douze vingt trente cent mille million millions
"""
_SPANISH: Final = """
a al algo alguien algún alguna algunas alguno algunos ante antes aquel aquella así aún aunque bajo bien cada casi como
con contra cual cuales cualquier cuando cuanto de debe deben del desde donde dos durante e él el ella ellas ello ellos
en entre era eran es esa esas ese eso esos esta está están estaba estar estas este esto estos estoy fue fueron ha
había haber han hasta hay he la las le les lo los luego más me mediante menos mi mientras mis misma mismo mucho muchos
muy nada nadie ni ningún ninguna ninguno no nos nosotros nuestra nuestro nunca o os otra otras otro otros para pero
poco por porque pues puede pueden que qué quien quienes se sea según ser será serán si sí sido siempre sin sino sobre
solo sólo son su sus suya suyo también tampoco tan tanto te tiene tienen toda todas todavía todo todos tras tu tus
tuya u un una unas uno unos usted ustedes va varios vez vosotros y ya yo tres cuatro cinco seis siete ocho nueve diez
once doce veinte treinta cien mil millón millones
"""
FUNCTION_WORDS: Final[dict[str, frozenset[str]]] = {
    "en": _words(_ENGLISH),
    "de": _words(_GERMAN),
    "fr": _words(_FRENCH),
    "es": _words(_SPANISH),
}

# Characters that part the content words of Chinese.
CHINESE_FUNCTION_CHARACTERS: Final = frozenset(
    "的了是在和与與及或也就而且其之于於为為以被把从從到对對向由将將让讓给給这這那我你您他她它们們吗嗎呢吧啊着著过過都很还還所即若则則"
    "个個不没沒无無未非"
)
# Hiragana pairs that inflect, link or close; any other pair may belong to a word written in kana.
JAPANESE_FUNCTION_PAIRS: Final = _words(
    """
    です ます まし した して てい いる いた いて いま ませ せん ある あり ない なく なる なり なっ なら れば られ れる
    れた れて ため から まで より こと もの ので のに には では とは にも でも とも への での にお おい いて によ よる
    より よっ って った っち たり たち など だけ のみ しか ばか かり くら ぐら ほど この その あの どの これ それ あれ
    どれ ここ そこ あそ どこ さん さま さい くだ ださ だい ただ いた だき だく でき きる きま きな けれ れど だが だか
    しま する すれ せる せて せる させ され さら らに また まだ おり ござ ざい いい いう いえ えば とい とき とし しな
    しく よう うに うな うち うと そう ろう だろ でし しょ ょう たい たく てお てく てき てし ても とな てる はで はな
    はあ はい がで がな がお がき がつ をし をお をご をと ずに ずつ ごと しば わけ はず ぬき れま ちら そち こち あち
    んで んだ んな んの かが かの かも もし もあ もな もで にな にあ にし にご につ つい にて にと とお おす おき くな
    くて くだ ざる べき りま りが りの りで まに まの まは まで ませ らの らは らな らで りに るこ るた ると るの るも
    るよ るま るが たと たが たの たこ たは たも たし いこ いの いは いも いと いで いが いえ のた のは のが のも のよ
    のこ のお のご とが とも もの もと もに さに さが さは さの きは きの きに きた きて きま けて けた ける けま げま
    げる げた めに めの める めた めて めま べま べる べた べて せま せた えま えた える えて みま みた みて むこ り上
    れい れず わず わせ わる わり わら
    """
)
