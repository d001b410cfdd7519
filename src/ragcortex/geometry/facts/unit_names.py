"""European names of units that CLDR lacks: inflected and informal forms, compounds, and the words for working days.

CLDR gives one or two forms a unit and language («{0} Meter», «{0} square meters»); a text also has «Metern», «sq ft».
"""

from typing import Final

# canonical name: names, comma-separated. Matched without regard to case; hyphens and no-break spaces count as spaces.
_ENGLISH: Final = """
kilometre: kms, klick, klicks
metre: metres, metre
mile: statute mile, statute miles
inch: inch, inches
foot: feet, foot
nautical_mile: nautical mile, nautical miles
square_kilometre: sq km, sq. km, km sq, square km, square kms
square_metre: sq m, sq. m, sqm, square m
square_mile: sq mi, sq. mi, sq mile, sq miles, sq. miles
square_foot: sq ft, sq. ft, sq. ft., sqft, square ft
square_yard: sq yd, sq. yd
square_inch: sq in, sq. in
square_millimetre: square millimetre, square millimetres, square millimeter, square millimeters
cubic_metre: cu m, cu. m, cbm
cubic_foot: cu ft, cu. ft
cubic_centimetre: cc, ccm
fluid_ounce: fl oz, fl. oz.
tonne: tonne, tonnes, metric ton, metric tons, metric tonne, metric tonnes
ton: ton, tons, short ton, short tons
long_ton: long ton, long tons
stone: stone
kilogram: kilo, kilos, kgs, kilogramme, kilogrammes
gram: gramme, grammes, gms
percent: percent, per cent, pct
percentage_point: percentage point, percentage points, percent points, pp
permille: per mille, per mil
basis_point: basis point, basis points
part_per_million: parts per million
millennium: millennium, millennia
night: night, nights
day: calendar day, calendar days, consecutive days
working_day: working day, working days, business day, business days, workday, workdays, work day, work days
working_day: banking days
kilometre_per_hour: km per hour, kilometres an hour, kilometers an hour, kmph
mile_per_hour: miles an hour, mi per hour
metre_per_second: m per second
kilometre_per_second: kilometres per second, kilometers per second, km per second
celsius: degrees celsius, degree celsius, degrees centigrade, celsius, degrees c, deg c
fahrenheit: degrees fahrenheit, degree fahrenheit, fahrenheit, degrees f, deg f
kelvin: kelvin, kelvins
degree: deg
calorie: cals
kilocalorie: kcals, kilocalorie, kilocalories
megajoule: megajoule, megajoules
watt_hour: watt hour, watt hours
kilowatt_hour: kilowatt hour, kilowatt hours
megawatt_hour: megawatt hour, megawatt hours
gigawatt_hour: gigawatt hour, gigawatt hours
terawatt_hour: terawatt hour, terawatt hours
horsepower: bhp
megabit_per_second: megabits per second
gigabit_per_second: gigabits per second
revolution_per_minute: revolutions per minute, r/min
decibel: decibel, decibels
kilonewton: kilonewton, kilonewtons
kilovolt: kilovolt, kilovolts
milliampere_hour: milliamp hours, milliampere hours
ampere: amp, amps
"""
_GERMAN: Final = """
kilometre: km
foot: Fuß, Fuss
inch: Zoll
square_kilometre: qkm
square_metre: qm, Quadratmeter
square_millimetre: Quadratmillimeter
cubic_metre: Kubikmeter, cbm
cubic_centimetre: Kubikzentimeter, ccm
tonne: Tonne, Tonnen
kilogram: Kilo, Kilos
jin: metrisches Pfund
percent: Prozent, v. H., vom Hundert, Perzent
percentage_point: Prozentpunkt, Prozentpunkte, Prozentpunkten
permille: Promille
basis_point: Basispunkt, Basispunkte, Basispunkten
millennium: Jahrtausend, Jahrtausende, Jahrtausenden
century: Jahrhunderte, Jahrhunderten
year: Jahr, Jahre, Jahren, Jahres, jährig, jährige, jährigen, jähriger, jähriges
month: Monat, Monate, Monaten, Monats, Mon., monatig, monatige, monatigen
week: Woche, Wochen, wöchig, wöchige, wöchigen
day: Tag, Tage, Tagen, Tages, Tg., Kalendertag, Kalendertage, Kalendertagen, tägig, tägige, tägigen, tägiger
night: Nacht, Nächte, Nächten, Übernachtung, Übernachtungen
hour: Stunde, Stunden, Std., Std, stündig, stündige, stündigen
minute: Minute, Minuten, Min., minütig, minütige, minütigen
second: Sekunde, Sekunden, Sek.
working_day: Werktag, Werktage, Werktagen, Werktags, Arbeitstag, Arbeitstage, Arbeitstagen, Arbeitstags
working_day: Geschäftstag, Geschäftstage, Geschäftstagen, Bankarbeitstage, Bankarbeitstagen
kilometre_per_hour: Stundenkilometer, Stundenkilometern, Kilometer pro Stunde, Kilometern pro Stunde
kilometre_per_hour: Kilometer je Stunde, km pro Stunde
metre_per_second: Meter pro Sekunde, Metern pro Sekunde
kilometre_per_second: Kilometer pro Sekunde, Kilometern pro Sekunde
celsius: Grad Celsius, Celsius
fahrenheit: Grad Fahrenheit
degree: Grad
kilocalorie: Kilokalorien, Kilokalorie
megajoule: Megajoule
watt_hour: Wattstunde, Wattstunden
megawatt_hour: Megawattstunde, Megawattstunden
gigawatt_hour: Gigawattstunde, Gigawattstunden
terawatt_hour: Terawattstunde, Terawattstunden
metric_horsepower: Pferdestärken
revolution_per_minute: U/min, Umdrehungen pro Minute
decibel: Dezibel
kilonewton: Kilonewton
kilovolt: Kilovolt
ampere: Ampere
"""
_FRENCH: Final = """
foot: pied, pieds
mile: mile, miles
inch: pouce, pouces
square_metre: m carrés, mètre carré, mètres carrés
square_kilometre: km carrés
square_millimetre: millimètre carré, millimètres carrés
tonne: tonne, tonnes
kilogram: kilo, kilos
percent: pour cent, p. 100, p. cent, pourcent
percentage_point: point de pourcentage, points de pourcentage
permille: pour mille
basis_point: point de base, points de base
millennium: millénaire, millénaires
century: siècle, siècles
decade: décennie, décennies
year: an, ans, année, années
month: mois
week: semaine, semaines
day: jour, jours, journée, journées, jours calendaires, jours calendaires, jours consécutifs
night: nuit, nuits, nuitée, nuitées
hour: heure, heures
minute: minute, minutes, mn
second: seconde, secondes
working_day: jour ouvrable, jours ouvrables, jour ouvré, jours ouvrés, jour de travail, jours de travail
kilometre_per_hour: kilomètres heure, kilomètre heure, kilomètres à l'heure, kilomètres à l’heure, km à l'heure
kilometre_per_hour: km à l’heure
metre_per_second: mètres à la seconde
kilometre_per_second: kilomètres par seconde
celsius: degrés Celsius, degré Celsius, degrés centigrades
fahrenheit: degrés Fahrenheit
degree: degré, degrés
megajoule: mégajoules
watt_hour: watt heure, wattheures, wattheure
kilowatt_hour: kilowattheure, kilowattheures, kilowatts heures
megawatt_hour: mégawattheure, mégawattheures
gigawatt_hour: gigawattheure, gigawattheures
terawatt_hour: térawattheure, térawattheures
metric_horsepower: chevaux
byte: o
kilobyte: ko, Ko
megabyte: Mo
gigabyte: Go
terabyte: To
revolution_per_minute: tr/min, tours par minute
decibel: décibel, décibels
"""
_SPANISH: Final = """
kilometre: kilómetro, kilómetros
metre: metro, metros
foot: pie, pies
inch: pulgada, pulgadas
square_metre: metro cuadrado, metros cuadrados
square_kilometre: kilómetro cuadrado, kilómetros cuadrados
square_millimetre: milímetro cuadrado, milímetros cuadrados
tonne: tonelada, toneladas, toneladas métricas
kilogram: kilo, kilos, kilogramo, kilogramos
percent: por ciento, por cien, por 100
percentage_point: punto porcentual, puntos porcentuales
permille: por mil
basis_point: punto básico, puntos básicos
millennium: milenio, milenios
century: siglo, siglos
decade: década, décadas
year: año, años
month: mes, meses
week: semana, semanas
day: día, días, jornada, jornadas, días naturales, días corridos, días calendario
night: noche, noches
hour: hora, horas
minute: minuto, minutos
second: segundo, segundos
working_day: día hábil, días hábiles, día laborable, días laborables, día laboral, días laborales
kilometre_per_hour: kilómetros por hora, km por hora
metre_per_second: metros por segundo
kilometre_per_second: kilómetros por segundo
celsius: grados Celsius, grado Celsius, grados centígrados, grado centígrado
fahrenheit: grados Fahrenheit
degree: grado, grados
watt_hour: vatios hora, vatio hora
kilowatt_hour: kilovatios hora, kilovatio hora
megawatt_hour: megavatios hora, megavatio hora
gigawatt_hour: gigavatios hora
terawatt_hour: teravatios hora
metric_horsepower: caballos de vapor
revolution_per_minute: revoluciones por minuto
decibel: decibelio, decibelios
"""
UNIT_NAMES: Final[dict[str, str]] = {"en": _ENGLISH, "de": _GERMAN, "fr": _FRENCH, "es": _SPANISH}
# Ordinary words too: not counted by «one», «a» or «un» alone («one foot in the door», «un degré»).
NOT_WITH_ONE: Final = frozenset(
    {"foot", "inch", "degree", "stone", "cup", "bar", "knot", "pound", "pint", "quarter", "ounce", "yard", "kelvin"}
)
