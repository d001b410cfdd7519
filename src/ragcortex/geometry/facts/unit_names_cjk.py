"""Chinese and Japanese names of units that CLDR lacks, in the form of `unit_names`."""

from typing import Final

_CHINESE: Final = """
kilometre: 公里, 千米
metre: 米, 公尺
decimetre: 分米
centimetre: 厘米, 公分
millimetre: 毫米
micrometre: 微米
nanometre: 纳米
mile: 英里
foot: 英尺
inch: 英寸
nautical_mile: 海里
light_year: 光年
square_kilometre: 平方公里, 平方千米
square_metre: 平方米, 平米, 平方公尺
square_centimetre: 平方厘米
square_millimetre: 平方毫米
hectare: 公顷
acre: 英亩
cubic_metre: 立方米
cubic_centimetre: 立方厘米
litre: 升, 公升
millilitre: 毫升
tonne: 吨, 公吨, 噸
kilogram: 公斤, 千克
gram: 克
milligram: 毫克
jin: 斤, 市斤
percentage_point: 个百分点, 百分点
basis_point: 个基点, 基点
millennium: 千年
century: 个世纪
year: 年, 年间, 岁, 周年, 个年头
quarter: 个季度
month: 个月, 个多月
week: 周, 个星期, 星期, 个礼拜, 礼拜
working_day: 个工作日, 工作日, 个营业日, 营业日
day: 天, 日, 个自然日, 自然日, 日历日
night: 晚, 夜
hour: 小时, 个小时, 个钟头, 钟头, 個小時, 小時
minute: 分钟, 分鐘, 分
second: 秒, 秒钟
kilometre_per_hour: 公里每小时, 千米每小时, 公里/小时, 公里/时, 千米/小时
metre_per_second: 米每秒, 米/秒
kilometre_per_second: 公里每秒, 千米/秒
celsius: 摄氏度
fahrenheit: 华氏度
degree: 度
kilocalorie: 千卡, 大卡
calorie: 卡路里, 卡
kilojoule: 千焦
kilowatt_hour: 千瓦时, 千瓦小时, 度电
watt: 瓦
kilowatt: 千瓦
megawatt: 兆瓦
horsepower: 马力
megahertz: 兆赫
megabyte: 兆字节
gigabyte: 吉字节
megapascal: 兆帕
hectopascal: 百帕
kilopascal: 千帕
decibel: 分贝
volt: 伏, 伏特
megapixel: 兆像素
"""
_JAPANESE: Final = """
kilometre: キロメートル, キロ
metre: メートル
centimetre: センチメートル, センチ
millimetre: ミリメートル, ミリ
foot: フィート
inch: インチ
mile: マイル
nautical_mile: 海里
light_year: 光年
square_kilometre: 平方キロメートル, 平方キロ
square_metre: 平方メートル, 平米
square_millimetre: 平方ミリメートル
cubic_metre: 立方メートル
litre: リットル
millilitre: ミリリットル
tonne: トン
kilogram: キログラム
gram: グラム
percent: パーセント, ㌫
percentage_point: パーセントポイント, ポイント
year: 年間, 年, ヵ年, か年, カ年, 歳, 才, 周年
month: か月, ヶ月, カ月, ヵ月, ケ月, 箇月, か月間, ヶ月間, カ月間, ヵ月間, ケ月間, 箇月間
week: 週間, 週
working_day: 営業日, 営業日間, 稼働日, 労働日
day: 日間, 日
night: 泊, 晩
hour: 時間
minute: 分, 分間
second: 秒, 秒間
kilometre_per_hour: キロメートル毎時, キロ毎時
celsius: 度C
degree: 度
kilocalorie: キロカロリー
calorie: カロリー
kilowatt_hour: キロワット時
kilowatt: キロワット
megawatt: メガワット
gigawatt: ギガワット
metric_horsepower: 馬力
megabyte: メガバイト
gigabyte: ギガバイト
decibel: デシベル
volt: ボルト
"""
CJK_UNIT_NAMES: Final[dict[str, str]] = {"zh": _CHINESE, "ja": _JAPANESE}
