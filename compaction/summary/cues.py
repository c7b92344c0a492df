"""Words that tell what a sentence is: a decision, a failure, a result, an intention, a demand.

Word lists of all languages are applied together. A word ending in ``-`` stands for all that begin with it.
What is written without spaces, or with particles grown on, is looked for anywhere.
"""

import regex

_DECIDED = (
    """decid- decision chose chosen choose choosing opted settled|on went|with go|with going|with agreed reject- ruled|out
    discard- not|an|option
    entschied- entscheid- beschlossen gewählt wählen statt stattdessen verworfen abgelehnt
    décid- chois- plutôt au|lieu rejet- écart- retenu decidi- decisi- eleg- elij- optamos en|lugar en|vez descart- rechaz-
    escolh- em|vez rejeit- deciso scelt- scegli- invece scart- rifiut- besloten gekozen kiezen in|plaats|van afgewezen
    zdecyd- wybra- zamiast odrzuc- реши- выбра- вместо отказа- отверг- выріш- виріш- обра- замість відхил-
    karar seçti- yerine reddet- vazgeç- quyết|định chọn thay|vì""",
    "决定 決定 选择 選擇 改用 而不是 放弃 放棄 否决 采用 採用 決め 選択 代わり 却下 결정 선택 대신 기각 채택 قرر اختر اختار بدلا رفض निर्णय चुना बजाय अस्वीकार",
)
_FAILED = (
    """fail- error- crash- broke broken tried bug didn't|work doesn't|work did|not|work does|not|work no|luck revert- wrong
    fehlgeschlagen fehler funktioniert|nicht versucht échou- erreur- ne|marche|pas essayé falló fallo- fallid- no|funcion-
    intenté intentó intentamos intentado tentei tentou tentamos falh- erro não|funcion- fallit- errore non|funziona provato mislukt fout werkt|niet geprobeerd
    błąd błęd- nie|działa niepowod- próbow- ошибк- не|работа- не|удал- пробова- упал- помилк- не|працю- не|вдал-
    hata başarısız çalışm- denedi- lỗi thất|bại""",
    "失败 失敗 错误 錯誤 报错 不起作用 尝试 無法 无法 エラー 動かな 試し 실패 오류 에러 시도 فشل خطأ لا يعمل विफल त्रुटि काम नहीं",
)
_DONE = (
    """done fixed added implemented created updated removed renamed finished completed works passes passed merged committed
    deployed installed changed erledigt behoben hinzugefügt implementiert erstellt fertig aktualisiert entfernt
    corrigé- ajout- terminé- créé- corregi- añadi- agregad- agregué terminad- cread- creé hecho listo
    corrigid- adicion- conclu- criad- criei feito pronto corrett- aggiunt- completat- creat- fatto
    opgelost toegevoegd klaar gemaakt afgerond naprawi- doda- gotowe zakończ- utworz-
    исправ- добав- готов- созда- сдела- заверш- виправ- дода- зробл- створ- tamam- düzelt- ekle- oluştur- bitti
    xong hoàn|thành đã|sửa đã|thêm""",
    "完成 修复 修復 已经 已將 添加 创建 通过 完了 修正し 追加し 作成し 済み 완료 수정 추가 생성했 تم اكتمل أضفت पूरा ठीक जोड़ा बनाया",
)
_NEXT = (
    """next todo to-do remaining still|need still|needs still|have still|to|do now|i now|we i'll i|will let's let|me plan|to
    going|to follow-up pending then|i as|a|next als|nächstes nächste- noch|offen muss|noch werde ensuite prochain- reste|à je|vais
    siguiente próxim- falta voy|a luego vou prossim- resta manca volgende daarna ik|ga nog|te
    następn- pozosta- teraz zostało следующ- дальше далее осталось теперь наступн- далі залиш- тепер
    sonraki sıradaki şimdi kaldı yapacağım tiếp|theo còn|lại bây|giờ""",
    "接下来 接下來 下一步 待办 還需要 还需要 然后 次に 次は 残り これから 予定 다음 남은 이제 예정 التالي بعد ذلك سأ يتبقى अगला आगे बाकी अब मैं",
)
# What `negation_words` does not list: a demand can be put without "not" and "must".
_DEMANDED = (
    """always make|sure ensure be|sure keep prefer stick|to immer stelle|sicher achte|darauf toujours veille- assure-
    siempre asegúrate asegura sempre certifique- assicurati altijd zorg zawsze upewnij всегда убедись обязательно завжди
    her|zaman mutlaka luôn""",
    "总是 必须 必須 务必 請務必 确保 一定要 必ず 常に してください 항상 반드시 دائما تأكد يجب हमेशा ज़रूर सुनिश्चित",
)


def _pattern(spaced: str, anywhere: str) -> "regex.Pattern[str]":
    words = [r"\s++".join(map(_word, phrase.split("|"))) for phrase in spaced.split()]
    bordered = rf"(?<![\p{{L}}\p{{M}}\p{{N}}_])(?:{'|'.join(words)})(?![\p{{L}}\p{{M}}\p{{N}}_])"
    return regex.compile(rf"{bordered}|{'|'.join(map(regex.escape, anywhere.split()))}", regex.IGNORECASE)


def _word(word: str) -> str:
    stem = regex.escape(word.removesuffix("-")).replace("'", "['’]")
    return stem + r"[\p{L}\p{M}]*+" * word.endswith("-")


# One thing before another tells a choice only where somebody makes it; else it tells how something is.
PREFERRED = regex.compile(
    r"""\b(?:we|i|let['’]?s|us|use|using|switch\w*|chang\w+|replac\w+|mov(?:ed?|ing)|keep|kept|take|took|pick\w*|now)\b
    .{0,200}\b(?:instead\sof|rather\sthan|prefer\w*)\b | \b(?:i|we)\s(?:\w+\s)?prefer\b""",
    regex.VERBOSE | regex.IGNORECASE,
)
DECIDED, FAILED, DONE, NEXT, DEMANDED = (
    _pattern(*words) for words in (_DECIDED, _FAILED, _DONE, _NEXT, _DEMANDED)
)
QUESTION = regex.compile(r"[?？؟][\"'”’»）)\]*_`]*+$")
