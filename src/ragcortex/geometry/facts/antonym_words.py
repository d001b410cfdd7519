"""Pairs of opposites by language, hand-written. Data only: `one/other`, an underscore standing for a space."""

from typing import Final


def _pairs(text: str) -> tuple[tuple[str, str], ...]:
    split = (pair.replace("_", " ").split("/") for pair in text.split())
    return tuple((first, second) for first, second in split)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ENGLISH: Final = """
open/closed open/shut opening/closing opened/closed openly/secretly allow/forbid allow/prohibit allow/ban
permit/forbid permit/prohibit permit/ban permitted/banned allowed/refused welcome/forbidden permission/prohibition
increase/decrease increase/reduce increase/decline rise/fall rise/decline rise/drop grow/shrink grow/decline
raise/lower raise/cut gain/lose expand/shrink expand/contract accelerate/slow improve/worsen strengthen/weaken
upward/downward before/after prior/subsequent precede/follow earlier/later early/late first/last former/latter
buy/sell buyer/seller purchase/sell import/export lend/borrow hire/fire employ/dismiss include/exclude
included/excluded including/excluding inclusive/exclusive inside/outside indoors/outdoors indoor/outdoor
internal/external interior/exterior inner/outer within/outside free/paid free_of_charge/paid complimentary/paid
hot/cold warm/cold warm/cool heat/cool wet/dry rainy/sunny north/south east/west northern/southern eastern/western
northeast/southwest northwest/southeast northeast/northwest southeast/southwest northward/southward maximum/minimum
maximal/minimal max/min more/less more/fewer at_least/at_most high/low tall/short long/short large/small big/small
great/small wide/narrow broad/narrow thick/thin heavy/light deep/shallow near/far fast/slow quick/slow quickly/slowly
above/below over/under upper/lower top/bottom win/lose winner/loser victory/defeat won/lost accept/reject
accept/refuse accept/decline approve/reject approve/deny grant/deny confirm/deny admit/deny admit/refuse
agree/disagree support/oppose enable/disable activate/deactivate connect/disconnect switch_on/switch_off
turn_on/turn_off legal/illegal lawful/unlawful possible/impossible valid/invalid valid/expired male/female man/woman
boy/girl father/mother son/daughter brother/sister husband/wife king/queen uncle/aunt left/right start/end
start/finish start/stop begin/end begin/stop beginning/end opening/ending launch/discontinue true/false right/wrong
correct/wrong correct/incorrect good/bad best/worst better/worse positive/negative success/failure succeed/fail
pass/fail safe/dangerous safe/unsafe dangerous/harmless healthy/sick healthy/unhealthy alive/dead born/died life/death
young/old new/old modern/ancient oldest/youngest oldest/newest easy/difficult easy/hard simple/complex
simple/complicated rich/poor expensive/cheap strong/weak full/empty public/private domestic/foreign
domestic/international national/international rural/urban summer/winter spring/autumn morning/evening by_day/by_night
daytime/nighttime during_the_day/at_night sunrise/sunset freshwater/saltwater present/absent presence/absence
arrive/leave arrive/depart arrival/departure enter/exit enter/leave entrance/exit join/leave attack/defend love/hate
friend/enemy ally/enemy remember/forget send/receive push/pull lock/unlock build/demolish create/destroy add/remove
add/subtract plus/minus multiply/divide profit/loss income/expense debit/credit surplus/deficit supply/demand
employer/employee teacher/student parent/child married/single married/unmarried adult/child adult/minor
temporary/permanent permanent/interim mandatory/optional compulsory/voluntary required/optional obligatory/optional
always/never always/rarely often/rarely usually/rarely often/seldom frequently/rarely common/rare common/rarely
usual/rarely frequent/rarely commonly/rarely common/uncommon on_their_own/accompanied on_your_own/accompanied
alone/accompanied unaccompanied/accompanied unsupervised/supervised
many/few majority/minority everyone/nobody everything/nothing everywhere/nowhere available/unavailable
in_stock/out_of_stock in_stock/sold_out available/sold_out online/offline manual/automatic horizontal/vertical
singular/plural active/inactive active/passive active/retired guilty/innocent guilty/not_guilty acquitted/convicted
ascending/descending ascend/descend forward/backward forwards/backwards clockwise/counterclockwise
clockwise/anticlockwise advantage/disadvantage benefit/drawback cause/prevent promote/inhibit encourage/discourage
stimulate/suppress attract/repel acid/base acidic/alkaline solid/liquid refundable/non-refundable taxable/tax-free
cooked/raw vegetarian/carnivorous herbivore/carnivore predator/prey nocturnal/diurnal aquatic/terrestrial mild/severe
benign/malignant acute/chronic natural/artificial natural/synthetic organic/inorganic original/copy genuine/fake
optimistic/pessimistic liberal/conservative democratic/authoritarian civilian/military war/peace smooth/rough
hard/soft bright/dark black/white loud/quiet clean/dirty tight/loose sharp/blunt sweet/bitter sweet/sour
literal/figurative partial/complete partially/fully partly/entirely whole/part broken/intact
"""

_GERMAN: Final = """
allein/begleitet allein/in_begleitung unbegleitet/begleitet häufig/selten
offen/geschlossen geöffnet/geschlossen öffnen/schließen öffnung/schließung aufmachen/zumachen erlaubt/verboten
gestattet/verboten zulässig/unzulässig erlauben/verbieten gestatten/untersagen erlaubt/untersagt erlaubnis/verbot
zunehmen/abnehmen zunahme/abnahme steigen/fallen steigen/sinken anstieg/rückgang erhöhen/senken erhöhen/verringern
vergrößern/verkleinern wachsen/schrumpfen gewinnen/verlieren gewinner/verlierer sieg/niederlage gewinn/verlust
vor/nach vorher/nachher früher/später früh/spät erste/letzte zuerst/zuletzt kaufen/verkaufen käufer/verkäufer
ankauf/verkauf einfuhr/ausfuhr importieren/exportieren inklusive/exklusive inbegriffen/ausgeschlossen
einschließlich/ausschließlich enthalten/ausgenommen innen/außen drinnen/draußen innerhalb/außerhalb intern/extern
kostenlos/kostenpflichtig gratis/kostenpflichtig kostenfrei/kostenpflichtig heiß/kalt warm/kalt trocken/nass nord/süd
norden/süden ost/west osten/westen nördlich/südlich östlich/westlich nordosten/südwesten nordwesten/südosten
maximal/minimal maximum/minimum höchstens/mindestens mehr/weniger meiste/wenigste hoch/niedrig groß/klein lang/kurz
breit/schmal dick/dünn schwer/leicht tief/flach nah/fern schnell/langsam oberhalb/unterhalb oben/unten obere/untere
annehmen/ablehnen akzeptieren/ablehnen genehmigen/ablehnen zustimmen/ablehnen aktivieren/deaktivieren
einschalten/ausschalten anmelden/abmelden legal/illegal möglich/unmöglich gültig/ungültig gültig/abgelaufen
männlich/weiblich mann/frau vater/mutter sohn/tochter bruder/schwester links/rechts linke/rechte anfang/ende
beginn/ende beginnen/enden starten/stoppen wahr/falsch richtig/falsch gut/schlecht besser/schlechter
beste/schlechteste positiv/negativ erfolg/misserfolg sicher/gefährlich gesund/krank lebendig/tot geboren/gestorben
jung/alt neu/alt neu/gebraucht modern/antik einfach/schwierig reich/arm teuer/billig teuer/günstig stark/schwach
voll/leer öffentlich/privat inländisch/ausländisch inland/ausland städtisch/ländlich sommer/winter morgens/abends
tagsüber/nachts ankunft/abfahrt ankommen/abfahren eingang/ausgang betreten/verlassen freund/feind senden/empfangen
hinzufügen/entfernen vorteil/nachteil immer/nie oft/selten viele/wenige verfügbar/ausverkauft vorrätig/ausverkauft
lieferbar/vergriffen pflicht/freiwillig verpflichtend/freiwillig obligatorisch/optional vorübergehend/dauerhaft
werktags/feiertags arbeitgeber/arbeitnehmer plus/minus krieg/frieden hell/dunkel verheiratet/ledig
volljährig/minderjährig erwachsene/kinder
"""

_FRENCH: Final = """
seul/accompagné non_accompagné/accompagné fréquent/rarement fréquent/rare
ouvert/fermé ouvrir/fermer ouverture/fermeture autorisé/interdit permis/interdit autoriser/interdire
permettre/interdire admis/interdit autorisation/interdiction augmenter/diminuer augmenter/réduire
augmentation/diminution hausse/baisse monter/descendre croître/décroître gagner/perdre gagnant/perdant
victoire/défaite profit/perte avant/après antérieur/postérieur tôt/tard premier/dernier acheter/vendre
acheteur/vendeur achat/vente importer/exporter importation/exportation inclus/exclu compris/exclu inclure/exclure
intérieur/extérieur dedans/dehors interne/externe gratuit/payant gratuitement/payant chaud/froid sec/humide nord/sud
septentrional/méridional maximum/minimum maximal/minimal plus/moins davantage/moins haut/bas grand/petit long/court
large/étroit épais/mince lourd/léger profond/superficiel proche/lointain rapide/lent rapidement/lentement
supérieur/inférieur dessus/dessous accepter/refuser accepter/rejeter approuver/rejeter activer/désactiver
allumer/éteindre légal/illégal possible/impossible valable/expiré valide/invalide masculin/féminin homme/femme
père/mère fils/fille frère/sœur mari/épouse gauche/droite début/fin commencer/finir commencer/terminer
démarrer/arrêter vrai/faux correct/incorrect bon/mauvais meilleur/pire mieux/pire positif/négatif succès/échec
réussir/échouer sûr/dangereux sain/malade vivant/mort né/mort naissance/décès jeune/vieux nouveau/ancien neuf/usagé
moderne/ancien facile/difficile simple/complexe riche/pauvre cher/économique fort/faible plein/vide public/privé
national/international rural/urbain en_été/en_hiver matin/soir de_jour/de_nuit l_est/l_ouest arrivée/départ
arriver/partir entrée/sortie entrer/sortir ami/ennemi envoyer/recevoir ajouter/supprimer avantage/inconvénient
toujours/jamais souvent/rarement beaucoup/peu disponible/indisponible disponible/épuisé obligatoire/facultatif
temporaire/permanent temporaire/définitif guerre/paix clair/sombre marié/célibataire majeur/mineur adulte/enfant
employeur/employé
"""

_SPANISH: Final = """
solo/acompañado sin_acompañante/acompañado frecuente/raro frecuente/raramente
abierto/cerrado abrir/cerrar apertura/cierre permitido/prohibido permitir/prohibir autorizado/prohibido
permiso/prohibición aumentar/disminuir aumentar/reducir aumento/disminución subir/bajar crecer/decrecer ganar/perder
ganador/perdedor victoria/derrota ganancia/pérdida antes/después anterior/posterior temprano/tarde primero/último
comprar/vender comprador/vendedor compra/venta importar/exportar importación/exportación incluido/excluido
incluir/excluir incluye/excluye interior/exterior dentro/fuera interno/externo gratis/pago gratuito/pago gratis/pagado
gratuito/pagado caliente/frío cálido/frío seco/húmedo norte/sur oriental/occidental septentrional/meridional
máximo/mínimo más/menos alta/baja grande/pequeño largo/corto ancho/estrecho grueso/delgado pesado/ligero
profundo/superficial cerca/lejos cercano/lejano rápido/lento rápidamente/lentamente superior/inferior encima/debajo
arriba/abajo aceptar/rechazar aprobar/rechazar activar/desactivar encender/apagar legal/ilegal posible/imposible
válido/inválido válido/caducado vigente/caducado masculino/femenino hombre/mujer padre/madre marido/esposa
izquierda/derecha inicio/fin principio/final comenzar/terminar empezar/terminar iniciar/finalizar verdadero/falso
correcto/incorrecto bueno/malo mejor/peor positivo/negativo éxito/fracaso seguro/peligroso sano/enfermo vivo/muerto
nacido/fallecido nacimiento/muerte joven/viejo nuevo/viejo nuevo/usado moderno/antiguo fácil/difícil simple/complejo
rico/pobre caro/barato fuerte/débil lleno/vacío público/privado nacional/internacional nacional/extranjero
rural/urbano verano/invierno mañana/noche de_día/de_noche el_este/el_oeste llegada/salida llegar/salir entrada/salida
entrar/salir amigo/enemigo enviar/recibir añadir/eliminar agregar/quitar ventaja/desventaja siempre/nunca
siempre/jamás mucho/poco disponible/agotado disponible/indisponible obligatorio/opcional obligatorio/voluntario
temporal/permanente guerra/paz claro/oscuro casado/soltero adulto/niño mayor/menor empleador/empleado
"""

_CHINESE: Final = """
开放/关闭 开放/闭馆 开放/停业 开放/闭园 开馆/闭馆 开门/关门 营业/停业 营业/休业 营业/休息 营业/歇业 打开/关闭
开启/关闭 开始/结束 开始/停止 允许/禁止 准许/禁止 可以/禁止 许可/禁止 可以/不得 可以/不可 允许/不得 可能/不可能
可用/不可用 包括/除外 包含/除外 包括/不包括 包含/不含 增加/减少 增长/下降 上升/下降 提高/降低 上涨/下跌 扩大/缩小
加快/减慢 增强/减弱 之前/之后 以前/以后 事前/事后 购买/出售 买入/卖出 买方/卖方 买家/卖家 进口/出口 免费/收费
免费/付费 无偿/有偿 高于/低于 多于/少于 大于/小于 超过/不足 以上/以下 至少/至多 最多/最少 最大/最小 最高/最低
最长/最短 最早/最晚 最新/最旧 最好/最差 更多/更少 更高/更低 更大/更小 第一/最后 首个/最后 早于/晚于 提前/推迟
提前/延后 上午/下午 白天/夜间 早上/晚上 夏季/冬季 夏天/冬天 北部/南部 东部/西部 北方/南方 东方/西方 北侧/南侧
东侧/西侧 左侧/右侧 左边/右边 内部/外部 室内/室外 国内/国外 境内/境外 胜利/失败 成功/失败 赢得/输掉 接受/拒绝
同意/拒绝 批准/驳回 支持/反对 启用/禁用 启用/停用 合法/非法 合法/违法 有效/无效 有效/失效 有效/过期 有限/无限
必须/无需 必填/选填 必需/可选 强制/自愿 正确/错误 正面/负面 积极/消极 阳性/阴性 安全/危险 健康/生病 出生/去世
出生/逝世 年轻/年老 新品/二手 全新/二手 简单/复杂 容易/困难 富裕/贫穷 昂贵/便宜 强大/弱小 公开/秘密 公立/私立
公有/私有 城市/农村 临时/永久 男性/女性 男子/女子 父亲/母亲 儿子/女儿 丈夫/妻子 成年/未成年 已婚/未婚 有货/缺货
有货/售罄 在线/离线 线上/线下 自动/手动 到达/离开 到达/出发 入口/出口 进入/离开 收到/发出 优点/缺点 优势/劣势
盈利/亏损 收入/支出 利润/亏损 已拆封/未拆封 拆封/未拆封 工作日/节假日 工作日/周末 总是/从不 经常/很少 全部/部分
多数/少数 热水/冷水 高温/低温
"""

_JAPANESE: Final = """
開館/閉館 開館/休館 開店/閉店 開園/閉園 開園/休園 開場/閉場 営業/休業 営業/定休 営業中/準備中 開放/閉鎖 開始/終了
開始/停止 開く/閉まる 開ける/閉める 開い/閉まっ 許可/禁止 可能/禁止 可能/不可 可能/不可能 対象/対象外 適用/適用外
範囲内/範囲外 圏内/圏外 有料/無料 有償/無償 有効/無効 有効/失効 有限/無限 有り/無し あり/なし 含む/除く 含み/除き
含まれ/除か 税込/税抜 税込み/税抜き 税込/税別 返品可/返品不可 利用可/利用不可 持ち込み可/持ち込み不可
ペット可/ペット不可 父親/母親 増加/減少 増え/減り 上昇/下降 上昇/低下 上昇/下落 向上/低下 拡大/縮小 強化/弱化
値上げ/値下げ 以前/以後 以前/以降 前日/翌日 事前/事後 午前/午後 昼間/夜間 購入/販売 購入/売却 買い/売り 輸入/輸出
以上/以下 以上/未満 最大/最小 最高/最低 最多/最少 最長/最短 最新/最古 最初/最後 多い/少ない 高い/低い 高い/安い
大きい/小さい 大きな/小さな 長い/短い 広い/狭い 重い/軽い 深い/浅い 近い/遠い 速い/遅い 早い/遅い 新しい/古い
強い/弱い 熱い/冷たい 暑い/寒い 暖かい/寒い 明るい/暗い 良い/悪い 北部/南部 東部/西部 北側/南側 東側/西側 左側/右側
内側/外側 屋内/屋外 室内/室外 国内/国外 国内/海外 内部/外部 勝利/敗北 成功/失敗 合格/不合格 勝つ/負け 受諾/拒否
承認/却下 承認/拒否 賛成/反対 同意/拒否 合法/違法 正しい/誤り 陽性/陰性 肯定/否定 安全/危険 健康/病気 誕生/死亡
生まれ/死去 新品/中古 簡単/複雑 容易/困難 公立/私立 公開/非公開 都市/農村 一時的/恒久的 男性/女性 男子/女子 息子/娘
成人/未成年 大人/子供 大人/子ども 既婚/未婚 在庫あり/在庫切れ 在庫あり/売り切れ 必須/任意 義務/任意 必要/不要
自動/手動 到着/出発 入口/出口 入場/退場 入会/退会 入学/卒業 送信/受信 長所/短所 利点/欠点 黒字/赤字 収入/支出
利益/損失 開封/未開封 開封済み/未開封 使用済み/未使用 平日/休日 平日/週末 平日/土日 夏季/冬季 会員/非会員 常時/臨時
全部/一部
"""

PAIRS: Final[dict[str, tuple[tuple[str, str], ...]]] = {
    "en": _pairs(_ENGLISH),
    "de": _pairs(_GERMAN),
    "fr": _pairs(_FRENCH),
    "es": _pairs(_SPANISH),
    "zh": _pairs(_CHINESE),
    "ja": _pairs(_JAPANESE),
}

# Prefixes that turn a word into its opposite.
PREFIXES: Final[dict[str, tuple[str, ...]]] = {
    "en": ("un", "in", "im", "il", "ir", "non", "dis"),
    "de": ("un", "in", "im", "il", "ir", "nicht"),
    "fr": ("in", "im", "il", "ir", "non", "dés"),
    "es": ("in", "im", "i", "ir", "des"),
}
# Suffixes that name having and lacking.
SUFFIXES: Final[dict[str, tuple[tuple[str, str], ...]]] = {
    "en": (("ful", "less"),),
    "de": (("voll", "los"), ("haltig", "frei"), ("pflichtig", "frei")),
    "fr": (),
    "es": (),
}
# Words that begin like an opposite of the word behind the prefix and are none.
NO_OPPOSITES: Final[dict[str, frozenset[str]]] = {
    "en": _words("""
        imbed imbue impact impart impeach impeachment implant implore import important importer impose impound impress
        impression imprint improve improvise inbound inborn incense incite incline income incoming incorporate
        increase increasing increasingly indeed indent index indifferent indoor induct infamous infant infer inflame
        inflammable inform informal information infuse inhabit inhale inhibit inherit inherent inland inlay inmate
        inner innate input inquest inroad inscribe insect inset inside insight inspire innovation insist install
        installation instance instep instill institute instruct insure insurance intact intake intend intense
        intensive intent intention interest internet interview intone introduce into invaluable invert invent invest
        investment invite involve inward irritate disappoint disaster disband disburse discharge disclose discount
        discourse discover discovery discuss discussion disease disguise dislocate dismay dismiss display disport
        dispose dispatch dispute disregard disrupt distance distant distaste distill distinct distract distress
        district disturb under understand unified uniform union unique unison unit unite unity universal universe
        university unless unravel until untold nonchalant nonetheless nonsense unloose illuminate illustrate
        illustration immediate immigrate immigrant immigration inshore instep
        """),
    "de": _words(
        """
        unter unten unternehmen unterricht union uniform universität unikat uns untertitel unfall inhalt inland innen
        innere insel instanz interesse import imbiss immer index industrie
        """
    ),
    "fr": _words("""
        important importer imposer impôt impression imprimer inclure incliner index indice infini informer informe
        inscrire installer instance instruire intense intention intérêt investir inventer île illustrer irriter
        inspirer incendie indemne infusion
        """),
    "es": _words("""
        importante importar imponer impuesto impulso inclinar incluir indicar informe informar ingreso iniciar
        inspirar instalar intenso intención inversión invertir inventar ilustrar irritar desarrollo desayuno despedir
        desde despacho después destino destacar describir descubrir desempeño ideal igual isla iglesia idea
        """),
}
