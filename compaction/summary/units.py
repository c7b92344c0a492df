"""Units that stand behind a number, and what they make of it.

A row is a kind of measure, a factor to the smallest unit of that kind, and spellings as patterns. What cannot
be turned into another is a kind of its own: a month is no number of days. A spelling in several rows may
mean any of them. All languages are read together.
"""

from functools import lru_cache

import regex

SPACE = " \t\u00a0\u202f\u2009"
CURRENCY = "$€£¥₹₽₩₺₫"
# Scripts written without spaces, and Hangul, whose particles cling to names, end a name and a unit.
UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Khmer}\p{Lao}\p{Myanmar}"
_SYMBOLS = r"""
    time 1 ns
    time 1000 µs μs us
    time 1000000 ms мс
    time 1000000000 s sec secs сек
    time 60000000000 m min mins мин
    time 3600000000000 h hr hrs ч
    time 86400000000000 d
    time 604800000000000 w
    year 1 y yr
    bytes 1 B b
    scale 1000000000 B
    length 1 µm
    length 1000 mm
    length 10000 cm
    length 1000000 m
    scale 1000000 m
    length 1000000000 km
    weight 1 mg
    weight 1000 g
    weight 1000000 kg
    rate 1 Hz
    rate 1000 kHz
    rate 1000000 MHz
    rate 1000000000 GHz
    power 1 W
    power 1000 kW
    power 1000000 MW
    power 1000000000 GW
    screen 1 px
    print 1 pt pp
    em 1 em
    rem 1 rem
    frames 1 fps
    turns 1 rpm
    tokens 1 tok
    lines 1 loc LOC
    times 1 x X
    % 1 % ％
    ‰ 1 ‰
    celsius 1 °C C
    fahrenheit 1 °F F
    $ 1 \$
    € 1 €
    £ 1 £
    ¥ 1 ¥
    ₹ 1 ₹
    ₽ 1 ₽
    ₩ 1 ₩
    ₺ 1 ₺
    ₫ 1 ₫
"""
_WORDS = r"""
    time 1 nanoseconds? nanosekunden?
    time 1000 microseconds? mikrosekunden?
    time 1000000 milliseconds? msecs? millisekunden? millisecondes? milisegundos? millisecond[oi] milissegundos? миллисекунд\w*
    time 1000000000 seconds? sekunden? secondes? segundos? second[oi] секунд\w* saniye giây
    time 60000000000 minutes? minuten minutos? minut[oi] минут\w* dakika phút
    time 3600000000000 hours? stunden? heures? horas? or[ae] час\w{0,3} saat giờ
    time 86400000000000 days? tage?n? jours? d[ií]as? giorn[oi] день дня дней gün ngày
    time 604800000000000 weeks? wochen? semaines? semanas? settiman[ae] недел\w*
    month 1 months? monate?n? mois mes(?:es)? mês mes[ei] месяц\w*
    year 1 years? jahre?n? ans années? años? anos? ann[oi] год\w{0,2} лет yıl năm
    bytes 1 bytes? octets? байт\w*
    bytes 1000 kilobytes? kilobits? килобайт\w*
    bytes 1000000 megabytes? megabits? мегабайт\w*
    bytes 1000000000 gigabytes? gigabits? гигабайт\w*
    bytes 1000000000000 terabytes? terabits? терабайт\w*
    times 1 times fold mal fois veces vezes volte раз\w?
    % 1 percent pct prozent porcent pourcents? процент\w*
    celsius 1 celsius
    fahrenheit 1 fahrenheit
    $ 1 usd dollars? dólares доллар\w*
    € 1 eur euros? евро
    £ 1 gbp pounds?
    ¥ 1 jpy cny yen yuan
    ₹ 1 inr rupees?
    ₽ 1 rub рубл\w*
    scale 1000 thousands? tausend mille mil тыс тысяч\w? nghìn हज़ार
    scale 100000 lakhs? लाख
    scale 1000000 mn million(?:s|en)? mill[oó]n(?:es)? milh(?:ão|ões) milion[ei] млн миллион\w* triệu
    scale 10000000 crores? करोड़
    scale 1000000000 bn billions? milliarden? milliards? miliard[oi] млрд миллиард\w*
    scale 1000000000000 trillions? billions? billionen
"""
# Written without a space behind them.
_CLINGING = """
    time 1000000 毫秒 ミリ秒 밀리초
    time 1000000000 秒 초
    time 60000000000 分钟 分鐘 分 분
    time 3600000000000 小时 小時 時間 시간
    time 86400000000000 天 日 일
    time 604800000000000 周 週間 주
    year 1 年 년
    % 1 퍼센트
    bytes 1 字节 バイト 바이트
    times 1 倍 배
    $ 1 美元 ドル 달러
    ¥ 1 円 元
    scale 1000 千 천
    scale 10000 万 萬 만
    scale 100000000 亿 億 억
"""
_SCALE = "scale"
_EITHER = ("m", "B")  # five minutes or millions, bytes or billions
_PREFIX = regex.compile(r"([kKMGTP])(i?)([bB]?)(?:it)?(?:/s|ps)?")
_POWERS = {"k": 1, "K": 1, "M": 2, "G": 3, "T": 4, "P": 5}

Meaning = tuple[str, int]


def _rows(table: str) -> list[tuple[str, int, str]]:
    cells = (line.split() for line in table.splitlines() if line.strip())
    return [(kind, int(factor), "|".join(spellings)) for kind, factor, *spellings in cells]


def _any(*tables: str) -> str:
    return "|".join(spellings for table in tables for _, _, spellings in _rows(table))


_ROWS = [
    *((kind, factor, regex.compile(one)) for kind, factor, one in _rows(_SYMBOLS + _CLINGING)),
    *((kind, factor, regex.compile(one, regex.IGNORECASE)) for kind, factor, one in _rows(_WORDS)),
]
_END = rf"(?![^\P{{L}}{UNSPACED}]|[\p{{N}}\p{{M}}])"
# Right behind a number; with a space, where a letter alone is no scale; with a hyphen.
HYPHENED_UNIT = rf"(?:{_any(_SYMBOLS)}|(?i:{_any(_WORDS)})|[kKMGTP]i?[bB](?:it)?(?:/s|ps)?|[KMGTP]i){_END}"
SPACED_UNIT = rf"(?:{HYPHENED_UNIT}|{_any(_CLINGING)})"
UNIT = rf"(?:[kKMGTP](?:/s|ps)?{_END}|{SPACED_UNIT})"


@lru_cache(maxsize=1024)
def meanings(unit: str) -> tuple[Meaning, ...]:
    """The kinds of measure that a unit may be, each with its factor; the kind of a scale is empty."""
    found = [("" if kind == _SCALE else kind, factor) for kind, factor, one in _ROWS if one.fullmatch(unit)]
    prefix = _PREFIX.fullmatch(unit)
    if prefix:
        power = _POWERS[prefix[1]]
        found += [("bytes", 1024**power)] if prefix[2] else [("bytes", 1000**power), ("bytes", 1024**power)]
        found += [("", 1000**power)] * (not prefix[2] and not prefix[3])
    return tuple(found)


def is_scale(unit: str) -> bool:
    """Whether a unit is a multiple of a number rather than a measure: ``k``, ``million``."""
    return unit not in _EITHER and any(not kind for kind, _ in meanings(unit))
