"""Words that make a statement an order or a rule, or a claim of what a person wants. Data only.

Words that deny as often as they forbid (``nicht``, ``not``) do not make a rule. They show that a person
forbade something, where a summary says so in stronger words. Words that limit (``only``, ``without``) do so
as well, but turn no demand round.
"""

import regex

_DEMANDS = r"""
    must | shall | always | mandatory | (?:hard\s)?constraint | ignore | disregard | override | make\ssure | ensure
  | you\s(?:should|need|have|are\sto) | instructions? | muss | müssen | musst | immer | ignorier\w* | sollst | zwingend
  | doit | doivent | devez | dois | toujours | ignorez | obligatoire | deben? | debes | siempre | ignora\w* | obligatorio
  | deve | devi | devono | devem | sempre | obrigatório | должен | должн\w* | всегда | обязательно | игнорир\w* | обязан\w*
  | her\szaman | zorunda\w* | zorunlu | yoksay\w* | phải | luôn | bỏ\squa | πρέπει | πάντα | αγνόησ\w* | trebuie | întotdeauna
  | يجب | دائما | دائمًا | تجاهل | हमेशा | अनिवार्य | चाहिए | अनदेखा
"""
_FORBIDS = r"""
    never | must\snot | shall\snot | mustn['’]?t | forbidden | forbids? | prohibited | disallowed | not\sallowed
  | (?<=(?:^|[:;,.!(\-—"]\s?|\b(?:please|and|or|you|but|to)\s))(?:do\snot|don['’]?t)
  | no\scircumstances | niemals | verboten | jamais | interdite?s? | nunca | jamás | prohibid[oa]s? | vietat[oa] | proibid[oa]s?
  | никогда | нельзя | запрещ\w* | asla | yasak\w* | không\sđược | cấm | đừng | ποτέ | απαγορεύ\w* | niciodată | interzis\w*
  | ممنوع | أبدا | أبدًا | मत
"""
_DENIES = r"""
    not | no | \w{2,8}n['’]t | cannot | nobody | nicht | kein\w* | nie | pas | ne
  | non | mai | não | не | değil | yok | không | δεν | μην | nu | لا | لن | नहीं | कभी
"""
_LIMITS = r"""
    without | only | ohne | nur | darf | dürfen | sans | sin | senza | sem | без | только | χωρίς | fără | بدون | बिना
"""
# A demand with one of these may come of a prohibition: "always avoid", "you must ask first".
_SPARES = r"""
    avoid\w* | refrain | ask | vermeide\w* | fragen? | nachfragen | [eé]vite[rz]? | evitar | evita | demande[rz] | pregunta | preguntar
  | chiedi | chiedere | pergunte | perguntar | избега\w* | спроси\w* | спрашива\w* | kaçın\w* | tránh | hỏi
"""
_FORGETS = r"""
    forget\w* | fail | hesitate | vergess\w* | vergiss | oubli\w* | olvid\w* | dimentic\w* | esque[cç]\w* | забы\w* | забуд\w* | unut\w* | quên
"""
# Whoever the agent works for, as a summary calls them.
_PERSONS = r"""
    users? | humans? | operators? | customers? | benutzer\w* | nutzer\w* | anwender\w* | utilisat\w+ | usuari[oa]s? | usuári[oa]s? | utente | utenti
  | gebruikers? | użytkowni\w* | пользовател\w* | kullanıcı\w* | người\sdùng | χρήστη\w* | utilizator\w* | المستخدم | उपयोगकर्ता
  | (?<=^\W*)system(?=\s*:)
"""
_UNSPACED_PERSONS = "用户|用戶|使用者|ユーザー?|사용자|ผู้ใช้"
_UNSPACED_DEMANDS = (
    "必须|必須|务必|總是|总是|永远|一定要|忽略|無視|必ず|常に|べき|반드시|항상|무시|해야|ต้อง|เสมอ"
)
_UNSPACED_FORBIDS = r"不得|禁止|绝不|絕不|不要|切勿|请勿|严禁|不准|決して|してはならない|してはいけない|しないで|금지|절대|지\s?마|지\s?말|안\s?된다|ห้าม|อย่า"
_UNSPACED_SPARES = "避免|避け|询问|詢問|피하|물어|หลีกเลี่ยง|ถาม"
_UNSPACED_FORGETS = "忘|잊|ลืม"
_UNSPACED_DENIES = r"不|没|別|别|勿|ない|せず|않|안\s|못|ไม่"


def _worded(words: str, unspaced: str) -> "regex.Pattern[str]":
    spaced = rf"(?<![\p{{L}}\p{{M}}])(?:{words})(?![\p{{L}}\p{{M}}])"
    return regex.compile(rf"{spaced}|{unspaced}", regex.VERBOSE | regex.IGNORECASE)


PERSONS = _worded(_PERSONS, _UNSPACED_PERSONS)
DEMANDS = _worded(_DEMANDS, _UNSPACED_DEMANDS)
FORBIDS = _worded(_FORBIDS, _UNSPACED_FORBIDS)
NEGATES = _worded(f"{_FORBIDS} | {_DENIES} | {_LIMITS}", f"{_UNSPACED_FORBIDS}|{_UNSPACED_DENIES}")
DENIES = _worded(f"{_FORBIDS} | {_DENIES}", f"{_UNSPACED_FORBIDS}|{_UNSPACED_DENIES}")
LIMITS = _worded(_LIMITS, "(?!)")
SPARES = _worded(_SPARES, _UNSPACED_SPARES)
FORGETS = _worded(_FORGETS, _UNSPACED_FORGETS)
