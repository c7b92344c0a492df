"""No sentence that stays may lose the word that turns it round."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elision.compaction.guard.negations import negation_spans
from elision.compaction.guard.units import unit_spans
from elision.model.types import Span


def negations(text: str) -> list[str]:
    return [span.of(text).strip() for span in negation_spans(text, Span(0, len(text)))]


@pytest.mark.parametrize(
    ("sentence", "carriers"),
    [
        ("Do not delete it.", ["Do not"]),
        ("It doesn't work and won’t.", ["doesn't", "won’t."]),
        ("You must never use this unless asked.", ["must never", "unless"]),
        ("Only admins, except guests, may not enter.", ["Only", "except", "may not"]),
        ("Keep at least two, without force.", ["at least", "without"]),
        ("Access is forbidden; none cannot none", ["forbidden; none cannot none"]),
        ("Das darf nicht ohne Prüfung geschehen.", ["darf nicht ohne"]),
        ("No se debe borrar nunca.", ["No", "debe", "nunca."]),
        ("Nu trebuie șters niciodată.", ["Nu trebuie", "niciodată."]),
        ("Bu doğru değil ve yapılmadı.", ["değil", "yapılmadı."]),
        ("Tôi không muốn và chưa xong.", ["không", "chưa"]),
        ("Δεν πρέπει να το σβήσεις.", ["Δεν πρέπει"]),
        ("Никогда не удаляйте без копии.", ["Никогда не", "без"]),
        ("لا يجب حذف الملف بدون إذن", ["لا يجب", "بدون"]),
        ("यह फ़ाइल कभी नहीं हटानी चाहिए", ["कभी नहीं", "चाहिए"]),
        ("ห้ามลบไฟล์", ["ห้าม"]),
        ("除非允许，不要删除", ["除非", "不"]),
        ("削除してはいけません", ["ません"]),
        ("삭제하지 않습니다", ["않습니다"]),
        ("Il ne faut pas l’effacer.", ["ne", "pas"]),
        ("Non cancellare senza copia.", ["Non", "senza"]),
        ("Não apague sem cópia.", ["Não", "sem"]),
    ],
)
def test_the_word_that_negates_or_demands_is_found(sentence: str, carriers: list[str]) -> None:
    found = negations(sentence)

    assert " ".join(found) == " ".join(carriers)


@pytest.mark.parametrize("sentence", ["The notes are north of town.", "特别大的级别", "Gomez sold the nomad.", "一只猫在非洲", "Knotty nodes"])
def test_words_that_only_look_like_negations_are_not(sentence: str) -> None:
    assert negations(sentence) == []


@given(st.text())
def test_spans_are_whole_units_in_order(text: str) -> None:
    line = text.replace("\r", "").replace("\n", "")
    units = unit_spans(line, Span(0, len(line)))
    found = negation_spans(line, Span(0, len(line)))

    assert {s.start for s in found} <= {u.start for u in units}
    assert {s.stop for s in found} <= {u.stop for u in units}
    assert all(a.stop <= b.start for a, b in zip(found, found[1:], strict=False))
