"""Patterns of units that hold a space: what is one fact although it looks like several words.

Every pattern is tried only where a word begins, and is bounded or possessive, so reading a
line stays linear.
"""

MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?"
    r"|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\.?"
)
WEEKDAY = r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6},?"
TIME = r"\d{1,2}:\d\d(?::\d\d(?:[.,]\d{1,9})?)?"
ZONE = r"(?:Z|UTC|GMT|[ECMP][SD]T|CES?T|BST|IST|JST|[+-]\d\d:?\d\d)"
CLOCK = rf"{TIME}(?:\s?[AaPp]\.?[Mm]\b\.?)?(?:\s?{ZONE}(?!\w))?"
_QUOTE = r"[(\[\"'“‘*<]{0,3}+"
DATES = (
    rf"{_QUOTE}(?:{WEEKDAY}\s)?{MONTH}\s{{1,2}}\d{{1,2}}(?!\d)(?:st|nd|rd|th)?(?:,?\s\d{{4}}(?!\d))?(?:,?\s{CLOCK})?",
    rf"{_QUOTE}(?:{WEEKDAY}\s)?\d{{1,2}}(?:st|nd|rd|th)?[\s]{MONTH}(?:,?\s\d{{4}}(?!\d))?(?:,?\s{CLOCK})?",
    rf"{_QUOTE}\d{{4}}[-/.]\d{{1,2}}[-/.]\d{{1,2}}[,]?\s{CLOCK}",
    rf"{_QUOTE}\d{{1,2}}[-/.]\d{{1,2}}[-/.]\d{{2,4}}[,]?\s{CLOCK}",
    rf"{_QUOTE}{CLOCK}",
    rf"{_QUOTE}{MONTH}\s\d{{4}}(?!\d)",
    rf"{_QUOTE}\d{{4}}\s?年\s?\d{{1,2}}\s?月(?:\s?\d{{1,2}}\s?[日号號])?",
)

_UNIT_WORDS = r"""
    [munpµμ]?s | secs? | seconds? | mins? | minutes? | h | hrs? | hours? | days? | weeks? | months? | years?
  | milliseconds? | microseconds? | nanoseconds? | yrs? | ago
  | [KMGTPkmgtp]i?[Bb](?:it)?(?:/s|ps)? | [Bb] | bytes? | bits? | [kKMG]?bps | [kMG]?Hz | [km]?W | kWh | mAh | [mk]?V
  | % | ％ | percent | per\scent | pct | pp | points? | ‰
  | [kcmµ]?m | [kcm]?m[²³2]? | km/h | mph | miles? | mi | ft | feet | inch(?:es)? | yards? | acres? | [kcm]?m² | ha
  | k?g | mg | lbs? | pounds? | tons? | tonnes? | oz | litres? | liters? | [ml]?l | kcal | calories
  | °[CF]? | K | degrees? | px | pt | em | rem | dpi | fps | rpm
  | USD | EUR | GBP | JPY | CNY | CHF | INR | RUB | TRY | RON | VND | dollars? | euros? | cents? | yen | € | \$ | £ | ¥ | ₽ | ₹
  | thousand | million | billion | trillion | dozen | hundred | mn | bn | mrd | Mio\.? | Mrd\.?
  | x | times? | rows? | lines? | files? | items? | tokens? | chars? | characters? | words? | pages? | entries
  | errors? | warnings? | failures? | failed | passed | skipped | tests? | people | users? | requests? | retries | attempts?
  | Prozent | Tage?n? | Stunden? | Minuten? | Sekunden? | Jahren? | Jahre | Monate?n? | Wochen? | Uhr | Millionen? | Milliarden?
  | Tausend | años? | días? | horas? | minutos? | segundos? | millones | millón | meses | semanas?
  | ani | zile | ore | minute | secunde | luni | milioane? | miliarde? | mii
  | yıl | gün | saat | dakika | saniye | milyon | milyar | bin | lira | năm | ngày | giờ | phút | giây | triệu | tỷ | nghìn
  | лет | года? | годов | дней | дня | часов | часа? | минуты? | секунды? | млн\.? | млрд\.? | тыс\.? | тысяч[аи]? | миллион\p{L}* | миллиард\p{L}*
  | руб\.? | рублей | км | м | кг | г | процентов | процента? | χρόνια | ημέρες | ώρες | εκατομμύρι[αο] | χιλιάδες | δισεκατομμύρι[αο]
  | ans? | jours? | heures? | anni | giorni | ore | anos | dias
  | साल | वर्ष | दिन | घंटे | मिनट | लाख | करोड़ | प्रतिशत | سنة | سنوات | عام | يوم | أيام | ساعة | ساعات | دقيقة | مليون | مليار | ألف
"""
_NUMBER = r"[+\-−±~≈<>≤≥]?+\d[\d.,'’_]*+(?:[\u00a0\u202f]\d{3}(?!\d))*+(?:,\d++)?(?:[\-–]\d[\d.,]*+(?=\s?\p{L}))?+(?:[eE][+\-]?\d++)?+"
_LEAD = r"[(\[{\"'“‘*<>≤≥~≈+\-−±$€£¥₹]{0,4}+"
_UNIT = rf"(?:{_UNIT_WORDS})(?:(?!\w)|(?=[\p{{Han}}\p{{Hiragana}}\p{{Katakana}}]))"
MEASURE = rf"{_NUMBER}[\s-]?{_UNIT}"  # a number with its unit; verbose, as all of these
NUMBERS = (
    # Thousands set apart by plain spaces are one number only if something says so.
    rf"{_LEAD}\d{{1,3}}(?:[ \u00a0\u202f]\d{{3}}(?!\d)){{1,6}}+(?:[.,]\d++(?!\w)|(?=\s?(?:{_UNIT})))(?:\s?{_UNIT})?+",
    rf"{_LEAD}\d{{1,3}}(?:[\u00a0\u202f]\d{{3}}(?!\d)){{1,6}}+(?:\s?{_UNIT})?+",
    rf"{_LEAD}{MEASURE}(?:\s(?:thousand|million|billion|ago|per\s\w++)\b)?(?:/\w++)?",
    rf"{_LEAD}{_NUMBER}\s[/×x]\s\d[\d.,]*+(?:\s?{_UNIT})?+",
    rf"(?:US|A|C|HK)?[$€£¥₹₽]\s?{_NUMBER}(?:\s?{_UNIT})?+",
    rf"(?:USD|EUR|GBP|JPY|CNY|CHF|INR|RUB|Rs\.?)\s{_NUMBER}(?:\s?{_UNIT})?+",
    r"(?:[Ll]ines?|[Cc]ol(?:umn)?s?|[Pp]ages?|[Pp]orts?|[Vv]ersion|PID|pid|[Cc]odes?|[Ss]tatus|[Ss]tep|[Cc]hapter|[Ss]ection"
    r"|[Ff]igure|[Ff]ig\.|[Tt]able|[Ii]tem|[Rr]ow|[Nn]o\.|[Nn]r\.|№|n°|[Ii]ssue|PR|HTTP|[Ee]rror|[Ee]rrno|[Ss]ignal|[Ii]d|ID"
    r"|[Aa]rticle|Art\.|§+|[Ll]evel|[Pp]hase|[Qq]uestion|[Tt]est|[Tt]ask|[Tt]hread|[Ll]esson)\s[#(:=]?\s?\d[\w.:\-]*+",
)
MARKUP = (
    r"[(\"'“*_]{0,4}+(?<ticks>`{1,3}+)[^`\r\n]{1,200}\g<ticks>",  # `code with spaces`
    r"[(\"'“*_\\]{0,4}+!?\[(?:[^\[\]\r\n]|\[[^\[\]\r\n]{0,100}\]){0,300}+\]\([^()\r\n]{0,800}(?:\([^()\r\n]{0,200}\)[^()\r\n]{0,200}){0,3}+\)",
    r"</?[A-Za-z][^<>\r\n]{0,400}>",
    r"[\w.\-]{1,60}+[=:](?:\"[^\"\r\n]{0,300}\"|'[^'\r\n]{0,300}'(?!\w)|\{[^{}\r\n]{0,300}\})",
    r"\{[\"'](?:[^{}\r\n]++|\{[^{}\r\n]*+\})*+\}",  # a flat JSON object
    r"[(\[]?[\"'](?:[A-Za-z]:[\\/]|\\\\|\.{0,2}/|~/)[^\"'\r\n]{1,300}[\"']",  # a quoted path
    r"[A-Za-z]:\\(?:[\w .()\-]{1,60}\\){1,20}+[\w.()\-]++",  # C:\Program Files\x.exe
)
# What may begin right after an ideograph: ``使用`git log`命令``, ``约12 GB``, ``在2026 年 4 月``.
INLINE = (*MARKUP[:2], DATES[-1], NUMBERS[2])
OPERATORS = frozenset("= == === != !== <> < > <= >= ≤ ≥ ≠ ≈ ~= := -> => → ⇒ <- ← += -=".split())
