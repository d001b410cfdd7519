"""The units: CLDR name, canonical name, dimension, factor to the base unit, and the signs written in every language.

Base units: metre, square and cubic metre, kilogram, second, metre per second, joule, watt, byte, pascal, hertz, degree,
newton, volt, ampere, ohm. A month is a twelfth of a year of 365.25 days. The factors are exact by definition (SI,
international yard and pound, US customary volumes) but for those without end; a test compares each with pint.
Temperatures have a dimension of their own each, since no factor converts them.
"""

from typing import Final

# cldr name | canonical name | dimension | factor | signs
UNIT_ROWS: Final = """
length-kilometer | kilometre | length | 1000 | km KM Km ㎞
length-meter | metre | length | 1 | m mtr
length-decimeter | decimetre | length | 0.1 | dm
length-centimeter | centimetre | length | 0.01 | cm ㎝
length-millimeter | millimetre | length | 0.001 | mm ㎜
length-micrometer | micrometre | length | 0.000001 | µm μm
length-nanometer | nanometre | length | 0.000000001 | nm
length-mile | mile | length | 1609.344 | mi
length-yard | yard | length | 0.9144 | yd
length-foot | foot | length | 0.3048 | ft ft.
length-inch | inch | length | 0.0254 | in.
length-nautical-mile | nautical_mile | length | 1852 | nmi
length-light-year | light_year | length | 9460730472580800 | ly
length-astronomical-unit | astronomical_unit | length | 149597870700 | au AU
length-parsec | parsec | length | 30856775814913672.7891 | pc
area-square-kilometer | square_kilometre | area | 1000000 | km² km2 km^2 ㎢
area-square-meter | square_metre | area | 1 | m² m2 m^2 ㎡
area-square-centimeter | square_centimetre | area | 0.0001 | cm² cm2 cm^2
- | square_millimetre | area | 0.000001 | mm² mm2 mm^2
area-hectare | hectare | area | 10000 | ha
area-acre | acre | area | 4046.8564224 | ac
area-square-mile | square_mile | area | 2589988.110336 | mi² mi2
area-square-yard | square_yard | area | 0.83612736 | yd² yd2
area-square-foot | square_foot | area | 0.09290304 | ft² ft2
area-square-inch | square_inch | area | 0.00064516 | in² in2
volume-cubic-kilometer | cubic_kilometre | volume | 1000000000 | km³ km3 km^3
volume-cubic-meter | cubic_metre | volume | 1 | m³ m3 m^3 ㎥
volume-cubic-centimeter | cubic_centimetre | volume | 0.000001 | cm³ cm3 cm^3 ㏄
volume-cubic-foot | cubic_foot | volume | 0.028316846592 | ft³ ft3
volume-cubic-inch | cubic_inch | volume | 0.000016387064 | in³ in3
volume-hectoliter | hectolitre | volume | 0.1 | hl hL
volume-liter | litre | volume | 0.001 | l L ℓ
volume-deciliter | decilitre | volume | 0.0001 | dl dL
volume-centiliter | centilitre | volume | 0.00001 | cl cL
volume-milliliter | millilitre | volume | 0.000001 | ml mL ㎖
volume-gallon | gallon | volume | 0.003785411784 | gal
volume-quart | quart | volume | 0.000946352946 | qt
volume-pint | pint | volume | 0.000473176473 |
volume-cup | cup | volume | 0.0002365882365 |
volume-fluid-ounce | fluid_ounce | volume | 0.0000295735295625 |
volume-tablespoon | tablespoon | volume | 0.00001478676478125 | tbsp
volume-teaspoon | teaspoon | volume | 0.00000492892159375 | tsp
volume-barrel | barrel | volume | 0.158987294928 | bbl
mass-tonne | tonne | mass | 1000 | t
mass-kilogram | kilogram | mass | 1 | kg KG Kg ㎏
mass-gram | gram | mass | 0.001 | g
mass-milligram | milligram | mass | 0.000001 | mg ㎎
mass-microgram | microgram | mass | 0.000000001 | µg μg mcg
mass-ton | ton | mass | 907.18474 |
- | long_ton | mass | 1016.0469088 |
mass-stone | stone | mass | 6.35029318 |
mass-pound | pound | mass | 0.45359237 | lb lbs lb. lbs.
mass-ounce | ounce | mass | 0.028349523125 | oz oz.
mass-carat | carat | mass | 0.0002 | ct
- | jin | mass | 0.5 |
- | millennium | time | 31557600000 |
duration-century | century | time | 3155760000 |
duration-decade | decade | time | 315576000 |
duration-year | year | time | 31557600 | yr yrs
duration-quarter | quarter | time | 7889400 |
duration-month | month | time | 2629800 |
duration-fortnight | fortnight | time | 1209600 |
duration-week | week | time | 604800 | wk wks
- | working_day | time | 86400 |
duration-night | night | time | 86400 |
duration-day | day | time | 86400 |
duration-hour | hour | time | 3600 | h hr hrs
duration-minute | minute | time | 60 | min min. mins
duration-second | second | time | 1 | s sec secs
duration-millisecond | millisecond | time | 0.001 | ms
duration-microsecond | microsecond | time | 0.000001 | µs μs
duration-nanosecond | nanosecond | time | 0.000000001 | ns
speed-kilometer-per-hour | kilometre_per_hour | speed | 0.277777777777777777777777777778 | km/h kph kmh km/hr km/st
speed-meter-per-second | metre_per_second | speed | 1 | m/s
- | kilometre_per_second | speed | 1000 | km/s
speed-mile-per-hour | mile_per_hour | speed | 0.44704 | mph mi/h
speed-knot | knot | speed | 0.514444444444444444444444444444 | kn kt kts
temperature-celsius | celsius | temperature_celsius | 1 | °C °c ºC ℃ C
temperature-fahrenheit | fahrenheit | temperature_fahrenheit | 1 | °F ºF ℉ F
temperature-kelvin | kelvin | temperature_kelvin | 1 | K
energy-joule | joule | energy | 1 | J
energy-kilojoule | kilojoule | energy | 1000 | kJ
- | megajoule | energy | 1000000 | MJ
energy-calorie | calorie | energy | 4.184 | cal
energy-kilocalorie | kilocalorie | energy | 4184 | kcal
- | watt_hour | energy | 3600 | Wh
energy-kilowatt-hour | kilowatt_hour | energy | 3600000 | kWh KWh kwh
- | megawatt_hour | energy | 3600000000 | MWh
- | gigawatt_hour | energy | 3600000000000 | GWh
- | terawatt_hour | energy | 3600000000000000 | TWh
energy-electronvolt | electronvolt | energy | 0.0000000000000000001602176634 | eV
power-milliwatt | milliwatt | power | 0.001 | mW
power-watt | watt | power | 1 | W
power-kilowatt | kilowatt | power | 1000 | kW KW
power-megawatt | megawatt | power | 1000000 | MW
power-gigawatt | gigawatt | power | 1000000000 | GW
- | metric_horsepower | power | 735.49875 | PS ch CV
power-horsepower | horsepower | power | 745.69987158227022 | hp HP bhp
digital-bit | bit | data | 0.125 |
- | kilobit | data | 125 | kbit Kbit kbps
digital-megabit | megabit | data | 125000 | Mbit Mb
digital-gigabit | gigabit | data | 125000000 | Gbit Gb
digital-byte | byte | data | 1 |
digital-kilobyte | kilobyte | data | 1000 | kB KB kb
digital-megabyte | megabyte | data | 1000000 | MB
digital-gigabyte | gigabyte | data | 1000000000 | GB
digital-terabyte | terabyte | data | 1000000000000 | TB
digital-petabyte | petabyte | data | 1000000000000000 | PB
- | kibibyte | data | 1024 | KiB
- | mebibyte | data | 1048576 | MiB
- | gibibyte | data | 1073741824 | GiB
- | megabit_per_second | data_rate | 125000 | Mbps Mbit/s Mb/s
- | gigabit_per_second | data_rate | 125000000 | Gbps Gbit/s Gb/s
- | megabyte_per_second | data_rate | 1000000 | MB/s
- | gigabyte_per_second | data_rate | 1000000000 | GB/s
pressure-pascal | pascal | pressure | 1 | Pa
pressure-hectopascal | hectopascal | pressure | 100 | hPa
pressure-kilopascal | kilopascal | pressure | 1000 | kPa
pressure-megapascal | megapascal | pressure | 1000000 | MPa
pressure-bar | bar | pressure | 100000 | bar
pressure-millibar | millibar | pressure | 100 | mbar
pressure-atmosphere | atmosphere | pressure | 101325 | atm
pressure-pound-force-per-square-inch | pound_per_square_inch | pressure | 6894.757293168361 | psi
pressure-millimeter-ofhg | millimetre_of_mercury | pressure | 133.322387415 | mmHg
- | kilogram_per_cubic_metre | density | 1 | kg/m³ kg/m3 kg/m^3 g/l g/L
- | gram_per_cubic_centimetre | density | 1000 | g/cm³ g/cm3 g/cm^3 g/ml g/mL kg/l kg/L
- | milligram_per_litre | density | 0.001 | mg/l mg/L
- | milligram_per_millilitre | density | 1 | mg/ml mg/mL
- | microgram_per_cubic_metre | density | 0.000000001 | µg/m³ μg/m³ µg/m3 μg/m3
frequency-hertz | hertz | frequency | 1 | Hz
frequency-kilohertz | kilohertz | frequency | 1000 | kHz
frequency-megahertz | megahertz | frequency | 1000000 | MHz
frequency-gigahertz | gigahertz | frequency | 1000000000 | GHz
- | revolution_per_minute | rotation | 1 | rpm
angle-degree | degree | angle | 1 | ° º
angle-arc-minute | arc_minute | angle | 0.0166666666666666666666666666667 |
angle-arc-second | arc_second | angle | 0.000277777777777777777777777777778 |
angle-radian | radian | angle | 57.2957795130823208767981548141 | rad
force-newton | newton | force | 1 | N
- | kilonewton | force | 1000 | kN
electric-volt | volt | voltage | 1 | V
- | kilovolt | voltage | 1000 | kV
electric-milliampere | milliampere | current | 0.001 | mA
electric-ampere | ampere | current | 1 | A
- | milliampere_hour | charge | 3.6 | mAh
electric-ohm | ohm | resistance | 1 | Ω Ω
light-lumen | lumen | luminous_flux | 1 | lm
light-lux | lux | illuminance | 1 | lx
- | decibel | level | 1 | dB
graphics-megapixel | megapixel | pixels | 1000000 | MP
graphics-pixel | pixel | pixels | 1 | px
concentr-percent | percent | share | 0.01 | %
- | percentage_point | share | 0.01 |
concentr-permille | permille | share | 0.001 | ‰
- | basis_point | share | 0.0001 | bps
concentr-part-per-1e6 | part_per_million | share | 0.000001 | ppm
"""
