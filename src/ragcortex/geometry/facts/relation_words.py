"""Words for who does what to whom, hand-written, by language. Data only.

A line is `sense: verb verb …`. `verb+word` wants the word right behind the verb («take over»); `verb>word` takes the
second participant behind that preposition («lose to»); `-verb` exchanges the two («sell to» beside «buy from»).
Italian and Portuguese verbs are beginnings of words, the others any form of the word.
"""

from typing import Final

_ENGLISH: Final = """
acquire: buy acquire purchase take+over acquisition>of takeover>of purchase>of
deal: buy>from acquire>from purchase>from -sell>to
beat: beat defeat overcome vanquish win>against win>over won>against won>over victory>over victory>against
beat: triumph>over -lose>to -lose>against
succeed: succeed replace supersede take+over>from successor>of successor>to -precede -predecessor>of
follow: follow
found: founded establish
invent: invent
discover: discover
teach: teach instruct tutor mentor train coach teacher>of tutor>of mentor>of -study>under -learn>from -student>of
teach: -pupil>of
sue: sue
accuse: accuse
invade: invade occupy conquer
attack: attack bomb
kill: kill murder assassinate
hire: hire employ recruit
appoint: appoint nominate
dismiss: dismiss fire
own: own owner>of -belong>to
support: support endorse back
criticise: criticise criticize condemn
praise: praise
inspire: inspire influence
supply: supply>to deliver>to -receive>from
fund: fund finance sponsor
rescue: rescue save
arrest: arrest
overtake: overtake surpass outnumber outperform exceed
help: help assist
adopt: adopt
pay: pay>to
lend: lend>to -borrow>from
give: give>to donate>to hand>to
owe: owe>to
parent: father>of mother>of parent>of -son>of -daughter>of -child>of
advise: advise adviser>to advisor>to
cause: cause trigger
contain: contain comprise
eat: eat hunt prey>on
orbit: orbit
absorb: absorb
host: host
visit: visit
flow: flow>into
interview: interview
introduce: introduce>to
paint: paint
direct: direct
design: design
"""
_GERMAN: Final = """
acquire: übernehmen kaufen erwerben aufkaufen übernahme>von kauf>von erwerb>von
deal: kaufen>von erwerben>von -verkaufen>an -veräußern>an
beat: besiegen schlagen bezwingen gewinnen>gegen gewann>gegen sieg>gegen sieg>über siegen>gegen -verlieren>gegen
beat: -verlor>gegen -unterliegen -niederlage>gegen
succeed: ablösen ersetzen beerben nachfolger>von -vorgänger>von
follow: folgen
found: gründen
invent: erfinden
discover: entdecken
teach: unterrichten lehren trainieren ausbilden lehrer>von lehrerin>von -schüler>von -schülerin>von
sue: verklagen
accuse: beschuldigen
invade: erobern besetzen
attack: angreifen
kill: töten ermorden
hire: anstellen einstellen
dismiss: entlassen
own: besitzen -gehören
support: unterstützen
criticise: kritisieren
praise: loben
inspire: inspirieren beeinflussen
supply: liefern>an
fund: finanzieren fördern
rescue: retten
arrest: verhaften festnehmen
overtake: überholen übertreffen
help: helfen
adopt: adoptieren
lend: verleihen>an -leihen>von
parent: vater>von mutter>von -sohn>von -tochter>von
advise: beraten
cause: verursachen auslösen
contain: enthalten
eat: fressen jagen
orbit: umkreisen
visit: besuchen
"""
_FRENCH: Final = """
acquire: racheter acheter acquérir acquis acquiert reprendre rachat>de acquisition>de reprise>de
deal: racheter>à acheter>à -vendre>à -céder>à
beat: battre vaincre vainqueur>de dominer remporter>contre gagner>contre victoire>contre victoire>sur -perdre>contre
beat: -perdre>face -incliner>contre -incliner>devant -incliner>face -défaite>contre -défaite>face
succeed: succéder remplacer successeur>de -précéder -prédécesseur>de
follow: suivre
found: fonder
invent: inventer
discover: découvrir
teach: enseigner former entraîner professeur>de -élève>de
sue: poursuivre assigner
accuse: accuser
invade: envahir conquérir occuper
attack: attaquer
kill: tuer assassiner
hire: embaucher engager recruter employer
appoint: nommer
dismiss: licencier
own: posséder détenir -appartenir
support: soutenir
criticise: critiquer
inspire: inspirer influencer
fund: financer
rescue: sauver
overtake: dépasser surpasser
adopt: adopter
parent: père>de mère>de -fils>de -fille>de
advise: conseiller
cause: causer provoquer entraîner
contain: contenir
eat: manger chasser
absorb: absorber
visit: visiter
"""
_SPANISH: Final = """
acquire: comprar adquirir absorber compra>de adquisición>de
deal: comprar>a adquirir>de -vender>a
beat: vencer derrotar ganar>a ganar>contra victoria>sobre victoria>ante victoria>contra -perder>ante -perder>contra
beat: -perder>frente -derrota>ante
succeed: suceder sustituir reemplazar sucesor>de sucesora>de -preceder -antecesor>de -predecesor>de
follow: seguir
found: fundar
invent: inventar
discover: descubrir
teach: enseñar entrenar instruir maestro>de maestra>de profesor>de profesora>de -alumno>de -alumna>de -discípulo>de
sue: demandar
accuse: acusar
invade: invadir conquistar ocupar
attack: atacar
kill: matar asesinar
hire: contratar emplear
appoint: nombrar
dismiss: despedir
own: poseer -pertenecer
support: apoyar respaldar
criticise: criticar
inspire: inspirar influir
fund: financiar
rescue: rescatar salvar
overtake: superar adelantar
adopt: adoptar
parent: padre>de madre>de -hijo>de -hija>de
advise: asesorar
cause: causar provocar
contain: contener
eat: comer cazar
visit: visitar
"""
_ITALIAN: Final = """
acquire: acquis acquist compra compro comprò rilev
beat: batt sconfi sconfigg vinse>contro vinto>contro
succeed: succed sostitu rimpiazz
found: fondò fondat
teach: insegn allen
own: posse possied -appart
support: sosten sostien
inspire: ispir
overtake: supera superò
contain: contien
"""
_PORTUGUESE: Final = """
acquire: comprou comprad compra adquir
beat: derrot venceu vencid bateu
succeed: sucede substitu
found: fundou fundad
teach: ensin trein
own: possu -pertenc
support: apoi
inspire: inspir
overtake: supero ultrapass
contain: contém contem
"""
# Chinese and Japanese: sense, active verbs, verbs of the reverse.
_CHINESE: Final = """
acquire: 收购 收購 并购 併購 买下 購入 购得
beat: 击败 擊敗 战胜 戰勝 打败 打敗 -不敌 -不敵 -输给 -輸給 -负于
succeed: 接替 取代 接任 继承 繼承
found: 创立 創立 创办 創辦 创建 成立了
teach: 教导 教導 培训 指导 執教 执教
sue: 起诉 起訴 控告
invade: 入侵 占领 征服
attack: 攻击 袭击
kill: 杀死 谋杀 刺杀
hire: 聘请 雇用 雇佣 聘用
own: 拥有 -隶属于 -属于
support: 支持 资助
criticise: 批评
inspire: 启发 影响了
overtake: 超过 超越
adopt: 收养
dismiss: 解雇
cause: 导致 引发
eat: 捕食
orbit: 环绕
"""
_JAPANESE: Final = """
acquire: 買収 取得 購入
beat: 破っ 破り 倒し 下し 撃破 -敗れ -負け 勝っ 勝ち 勝利
succeed: 引き継 継い 後任
found: 設立 創業 創設 創立
teach: 指導 教え
sue: 提訴 訴え
invade: 侵攻 占領 征服
attack: 攻撃
kill: 殺害 暗殺
hire: 雇用 採用
own: 所有 保有
support: 支援 支持
criticise: 批判
overtake: 追い越 上回っ 上回り 追い抜
adopt: 養子に
eat: 捕食
orbit: 周回
"""
SENSES: Final[dict[str, str]] = {
    "en": _ENGLISH, "de": _GERMAN, "fr": _FRENCH, "es": _SPANISH, "it": _ITALIAN, "pt": _PORTUGUESE,
    "zh": _CHINESE, "ja": _JAPANESE,
}  # fmt: skip
