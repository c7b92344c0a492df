"""The words whose loss turns a sentence round or weakens an order, language by language.

Data only. Short words that mean something common in another language are left out when
another word of the same sentence carries the negation anyway (Italian "mai" beside "non").
"""

ENGLISH = frozenset(
    """not cannot never no none nothing nobody nowhere neither nor without except excepting
    unless only solely must should shall ought avoid forbid forbids forbidden prohibit prohibits
    prohibited disallow disallowed required requires mandatory hardly barely scarcely rarely seldom
    lack lacks lacking unable impossible dont doesnt didnt isnt arent wasnt werent wont cant couldnt
    shouldnt wouldnt mustnt hasnt havent hadnt ain't mustn needn excluding refuse refuses refused
    until instead""".split()
)
ENGLISH_PHRASES = (
    r"at\s(?:least|most)",
    r"(?:may|might|can|could|will|would|do|does|did|need)\s(?:\w+\s)?not",
    r"(?:more|less|fewer|rather|other)\sthan",
    r"up\sto",
    r"fail(?:s|ed|ing)?\sto",
    r"no\s(?:one|longer|more)",
    r"has\sto|have\sto|had\sto|needs?\sto",
)
GERMAN = frozenset(
    """nicht nichts nie niemals niemand niemanden niemandem nirgends nirgendwo kein keine keinen keinem
    keiner keines keinerlei ohne außer ausser nur muss muß müssen musst müsst musste mussten darf dürfen
    dürfte durfte soll sollen sollte sollten weder kaum verboten erforderlich mindestens höchstens
    ausgenommen sondern nein ausschließlich""".split()
)
SPANISH = frozenset(
    """no nunca jamás nada nadie ningún ninguno ninguna ninguno ni sin salvo excepto tampoco solo sólo
    solamente únicamente debe deben debería deberían prohibido prohibida apenas excluido""".split()
)
ROMANIAN = frozenset(
    """nu nimic nimeni niciodată nici niciun nicio niciuna niciunul fără decât doar numai trebuie
    trebuia interzis interzisă exceptând nicăieri""".split()
)
TURKISH = frozenset(
    """değil değildir değildi değiller yok yoktur yoktu hiç hiçbir hiçbiri asla olmadan olmaksızın olmayan
    hayır sadece yalnızca yalnız hariç dışında zorunda zorunlu gerekir gerekmektedir mecbur yasak şart
    ne-ne kimse""".split()
)
VIETNAMESE = frozenset(
    """không chẳng chưa đừng chớ phải chỉ trừ cấm nên chả chẳng đâu duy""".split()
)
FRENCH = frozenset(
    """ne pas jamais rien aucun aucune sans sauf ni personne seulement uniquement doit doivent devrait
    interdit interdite non guère sinon hormis""".split()
)
ITALIAN = frozenset(
    """non senza nessuno nessuna nessun niente nulla né neanche nemmeno neppure tranne eccetto solo soltanto
    solamente deve devono vietato""".split()
)
PORTUGUESE = frozenset(
    """não nunca jamais nada ninguém nenhum nenhuma nem sem exceto salvo apenas somente só deve devem
    proibido proibida""".split()
)
GREEK = frozenset(
    """δεν δε μη μην όχι ποτέ κανείς κανένας κανέναν καμία καμιά κανένα τίποτα τίποτε ούτε χωρίς δίχως
    εκτός μόνο μόνον μονάχα πρέπει οφείλει οφείλουν απαγορεύεται απαγορεύονται μήτε ουδέποτε ουδείς
    ουδέν πουθενά παρά άνευ""".split()
)
RUSSIAN = frozenset(
    """не нет ни никогда никто никого никому никем ничто ничего ничему никак никакой никакая никакие никаких
    нигде никуда нельзя без кроме только лишь должен должна должно должны обязан обязана обязаны надо нужно
    необходимо запрещено запрещён запрещена запрещены запрещается невозможно едва вместо ничуть
    отсутствует исключительно""".split()
)
ARABIC = frozenset(
    """لا لم لن ليس ليست ليسوا لست ما غير بدون دون إلا الا سوى فقط يجب لابد ممنوع عدم كلا أبدا أبدًا
    لاتزال يحظر باستثناء عدا لما ينبغي مجرد""".split()
)
HINDI = frozenset(
    """नहीं नही न मत ना बिना सिवाय केवल सिर्फ मात्र चाहिए अवश्य ज़रूरी जरूरी अनिवार्य छोड़कर अलावा बगैर
    निषिद्ध वर्जित कभी""".split()
)

SPACED = {
    "en": ENGLISH,
    "de": GERMAN,
    "es": SPANISH,
    "ro": ROMANIAN,
    "tr": TURKISH,
    "vi": VIETNAMESE,
    "fr": FRENCH,
    "it": ITALIAN,
    "pt": PORTUGUESE,
    "el": GREEK,
    "ru": RUSSIAN,
    "ar": ARABIC,
    "hi": HINDI,
}

# Verb endings that carry a negation or "must"; read only where Turkish letters show.
TURKISH_ENDINGS = (
    r"\p{L}{2,}(?:m[ae]z(?:l[ae]r|d[ıi])?|m[ae]d[ıi](?:m|n|k|l[ae]r)?|m[ıiuü]yor\p{L}*|m[ae]y[ae]n\p{L}*"
    r"|m[ae]d[ae]n|m[ae]m[ıi]ş\p{L}*|m[ae]m[ae]kt\p{L}*|m[ae]l[ıi](?:d[ıi]r|y[ıi]z|s[ıi]n)?"
    r"|m[ae]y[ae]c[ae][kğ]\p{L}*|m[ae]m[ae]l[ıi]\p{L}*|s[ıi]z)"
)

# Scripts without spaces: read inside words, longest first.
CHINESE = (
    r"必须|必須|必要|务必|不必|除非|除了|除外|禁止|应该|應該|应当|應當|不得|不能|不是|没有|沒有|仅仅|只有|只能|至少|至多|最多|从未|從未"
    r"|不|(?<![沉淹埋吞覆])[没沒]|[無无勿毋莫否仅僅须須]|未(?![来來])|非(?![洲常])"
    r"|(?<![特分区區類类级級個个性识識辨差告])[别別](?![的人墅名])|(?<![一二两三四五六七八九十几这那每各0-9])只"
)
JAPANESE = (
    r"なければ|ならない|なかった|なかっ|ません|ない|なく(?=[、てな])|せずに?|られず|ずに|だけ|のみ|しか(?!し)|べき"
    r"|必ず|禁止|以外"
)
KOREAN_STEMS = r"않|없|못|아니|금지|반드시|제외|말아|마세요|마십시오|(?<!\p{L})안(?!\p{L})|(?<!\p{L})만(?!\p{L})|해야|뿐"
THAI = (
    r"ไม่ได้|ไม่มี|ไม่ใช่|ไม่|มิได้|มิใช่|มิอาจ|ไร้|ปราศจาก|อย่า(?!ง)|ห้าม|ต้อง|ควร|เท่านั้น|เพียง|ยกเว้น|นอกจาก|เว้นแต่|เว้น"
)
