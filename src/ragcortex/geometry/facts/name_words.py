"""Words that decide what is a proper name: titles, connectors, openers, common capitalised words, first names."""

from functools import cache
from typing import Final

from ragcortex.geometry.facts.calendar_words import month_numbers, weekday_numbers, word_set
from ragcortex.geometry.facts.fact import Language

# Before a person's name and no part of it; folded, without dot.
TITLES: Final[frozenset[str]] = word_set(
    """
    mr mrs ms miss mx dr prof professor sir lady lord dame sen rep gov gen col capt lt sgt rev fr st. president
    chancellor minister king queen prince princess pope saint emperor herr herrn frau fraulein prasident prasidentin
    kanzler kanzlerin bundeskanzler bundeskanzlerin konig konigin kaiser kaiserin papst professorin architekt
    architektin ingenieur doktor m mme mlle monsieur madame mademoiselle maitre docteur professeur roi reine
    empereur pape sr sra srta don dona senor senora senorita profesor profesora doctor doctora presidente presidenta
    rey reina papa
    """
)
# Lower-case words inside a name, and those that may follow one of them there («of the», «de la», «von der»).
CONNECTORS: Final[frozenset[str]] = word_set("of de du del des d' van von di da dos bin al zu vom zum am sur")
SECOND_CONNECTORS: Final[frozenset[str]] = word_set("the la las los le les l' der den el")
# Abbreviations whose dot ends no sentence.
ABBREVIATIONS: Final = word_set(
    """
    st mt ft no vs inc ltd co corp jr sr dr mr mrs ms prof gen sen rep gov hr nr bzw
    """
)
_ENGLISH_OPENERS: Final = word_set(
    """
    a an the this that these those it its it's i you he she we they my your his her our their there here what which
    who whom whose when where why how if unless until while although though because since as after before once
    whenever wherever whether and or but nor so yet for in on at by with from to of off over under above below into
    onto about around between among through throughout during within without against toward towards across along
    behind beyond near upon per via despite except like unlike according based due instead rather not no none
    nothing nobody never always often usually sometimes rarely only just also even still already again further
    furthermore moreover however therefore thus hence otherwise meanwhile finally first firstly second secondly
    third thirdly last lastly next then now today tomorrow yesterday currently recently previously originally
    initially generally typically normally overall additionally similarly likewise consequently nevertheless
    nonetheless yes ok please thanks thank sorry hello hi dear all any both each either every everyone everybody
    everything few many more most much neither other others another same several some someone something such two
    three four five six seven eight nine ten one hundred thousand million is are was were be been being am do does
    did done has have had having can could may might must shall should will would let let's make note see use get go
    come take give find keep check contact call visit click select open close read write add remove set turn try ask
    say tell known given using unable located founded built made born designed standing unlike together apart almost
    nearly roughly approximately at people customers users visitors employees members students children women men
    orders returns items products services support delivery shipping payment payments refunds refund warranty repair
    repairs service product order price prices cost costs time times year years month months week weeks day days
    hour hours minutes questions answer answers information details example examples summary conclusion introduction
    overview background section chapter figure table step part page appendix article note tip warning important key
    main new old good best high low long short large small big great early late free full total average
    """
)
_GERMAN_OPENERS: Final = word_set(
    """
    der die das den dem des ein eine einer eines einem einen dieser diese dieses diesem diesen jener jene jenes
    jeder jede jedes alle alles viele einige mehrere manche keine kein er sie es wir ihr ich du man mein dein sein
    unser euer ihre ihren ihrem ihrer ihres ihnen seine seinen seiner und oder aber denn sondern wenn weil dass ob
    obwohl wahrend bevor nachdem als wie wo wann warum was wer wen wem welche welcher welches im in am an auf aus
    bei mit nach von vom zu zum zur uber unter vor hinter neben zwischen durch fur gegen ohne um seit bis ab ist
    sind war waren wird werden wurde wurden hat haben hatte hatten kann konnen muss mussen soll sollen darf durfen
    nicht nur auch noch schon sehr hier dort da dann heute morgen gestern jetzt immer nie oft meist daher deshalb
    trotzdem jedoch allerdings zudem ausserdem bitte ja nein etwa rund laut dabei dazu damit so somit insgesamt
    """
)
_FRENCH_OPENERS: Final = word_set(
    """
    le la les un une des du de ce cet cette ces mon ma mes ton ta tes son sa ses notre nos votre vos leur leurs il
    elle on nous vous ils elles je tu se qui que quoi dont ou quand comment pourquoi si et mais donc car ni or
    lorsque puisque parce comme apres avant pendant depuis dans sur sous avec sans pour par chez entre vers contre
    en au aux est sont etait etaient a ont avait sera seront peut peuvent doit doivent ne pas plus moins tres aussi
    encore toujours jamais souvent ici la-bas alors ainsi cependant toutefois enfin ensuite puis d'abord selon
    malgre tout tous toute toutes chaque plusieurs quelques certains certaines aucun aucune oui non merci bonjour
    l'un
    """
)
_SPANISH_OPENERS: Final = word_set(
    """
    el los las lo un una unos unas este esta estos estas ese esa esos esas aquel aquella mi tu su sus nuestro
    nuestra el ella ellos ellas yo nosotros usted ustedes que quien cual cuando donde como porque por si y o pero
    sino ni aunque mientras despues antes desde hasta durante con sin para en del al sobre entre hacia segun contra
    es son era eran fue fueron ha han habia sera seran puede pueden debe deben no mas menos muy tambien todavia
    siempre nunca aqui alli entonces asi ademas embargo finalmente luego primero todo todos toda todas cada varios
    varias algunos algunas ningun ninguna hay se le les gracias hola
    """
)
# Words that begin sentences or are written with a capital without being names, folded.
OPENERS: Final[frozenset[str]] = _ENGLISH_OPENERS | _GERMAN_OPENERS | _FRENCH_OPENERS | _SPANISH_OPENERS
# Written with a capital in the middle of a sentence, and yet no name to compare; folded.
COMMON_CAPITALS: Final[frozenset[str]] = word_set(
    """
    internet web celsius fahrenheit kelvin option e-mail email wifi god earth sun moon bible mr mrs section chapter
    figure fig table step article appendix page part volume vol no nr id am pm bc ad bce ce ok tv pc pdf faq url usd
    eur gbp jpy chf cny northern southern eastern western north south east west northwest northeast southwest
    southeast nord sud ost west norte sur este oeste est ouest note tip warning example sie ihr ihre ihren ihrem
    ihrer ihnen i o
    """
)
UNITS: Final = word_set(
    """
    KB MB GB TB PB Hz kHz MHz GHz W kW MW GW kWh MWh GWh V kV A mA mAh Ah L mL dB Mbps Gbps Mbit Gbit K C F N J kJ
    Pa hPa MPa CM MM KM KG ML KWH LED rpm °C °F pH Mio Mrd Mill Bio Tsd Std Min Sek Stk h
    """
)
FIRST_NAMES: Final[frozenset[str]] = word_set(
    """
    adam albert alessandro alexander alfred alice amelia andrea andreas andrew angela anna anne anthony antoine
    antonio arthur barbara ben benjamin bernard bill bob boris camille carl carlos carmen caroline catherine charles
    charlotte chris christian christina christine claire clara claude claudia cristina daniel david diana diego
    donald dorothy edward elena elisabeth elizabeth ella ellen elon emil emily emma emmanuel eric erik ernst eva
    felix fernando francis francois frank franz frederic friedrich gabriel gabriele george georg gerhard giovanni
    giuseppe grace guillaume gustav gustave hans harry heinrich helen helene helmut henri henry hermann hugo ian
    ines isaac isabel isabelle jack jacques james jan jane janet javier jean jeff jeffrey jennifer jessica joe
    joachim joan johann johannes john jonathan jorge jose josef joseph juan jules julia julie jurgen karen karl
    katharina katherine kevin klaus kurt larry laura leo leon leonardo leonhard lisa louis louise lucas lucia ludwig
    luis luke manuel marc marco margaret maria marie mario mark marta martha martin mary matthew max maximilian
    mercedes michael michel michelle miguel mike nancy napoleon nelson nicolas nicole nikola nina olaf oliver olivia
    oscar otto pablo patricia patrick paul paula pedro peter philip philippe pierre rachel rafael ralph raymond
    rebecca rene richard robert roberta roger roland ronald rosa rudolf ruth samuel sandra sara sarah sebastian
    sigmund simon sofia sophie stefan stephan stephen steve steven susan susanne sylvia teresa theodor theresa
    thomas tim tom ursula victor victoria vincent virginia walter werner wilhelm william winston wolfgang yves
    """
)


@cache
def calendar_words(language: Language) -> frozenset[str]:
    """Return the months and weekdays of the language as written with a capital, which are no names."""
    numbers = month_numbers(language) | weekday_numbers(language)
    return frozenset(word for word in numbers if len(word) > 2 or language != "de")
