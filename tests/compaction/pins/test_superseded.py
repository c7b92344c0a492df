import pytest
from messages import assistant, told, user

from elision.compaction.conversation import Format
from elision.compaction.formats.read import read
from elision.compaction.pins.collect import collect
from elision.compaction.pins.constraints import constraints
from elision.compaction.pins.speech import utterances
from elision.compaction.pins.superseded import superseded
from elision.compaction.pins.types import HistoryPin, PinKind


def holding(*texts: str) -> list[str]:
    """The constraints that hold after the user has said these, one message each."""
    story = [one for text in texts for one in (user(text), assistant("Understood."))]
    pins = collect(read(told(story, Format.OPENAI_CHAT)))
    return [pin.text for pin in pins if pin.kind is PinKind.CONSTRAINT and pin.holds]


REVOKED = [
    ("Never push to main.", "You may now push to main."),
    ("Never push to main.", "Ok, you can push to main now."),
    ("Don't use tabs.", "Forget the tabs rule."),
    ("Do not touch the folder migrations/.", "Ignore what I said about migrations."),
    ("Do not touch the folder migrations/.", "The rule about migrations no longer applies."),
    ("Push niemals auf main.", "Du darfst jetzt auf main pushen."),
    ("Ne touche pas au dossier migrations.", "Tu peux maintenant toucher au dossier migrations."),
    ("No toques la carpeta migrations.", "Ahora puedes tocar la carpeta migrations."),
    ("Не трогай папку migrations.", "Теперь можно трогать папку migrations."),
    ("不要推送到 main。", "现在可以推送到 main 了。"),
    ("main에 푸시하지 마.", "이제 main에 푸시해도 돼."),
    ("Never push to main.", "Feel free to push to main."),
    ("Never push to main.", "The release is out, you may push to main again."),
    ("Push niemals auf main.", "Du darfst jetzt wieder auf main pushen."),
    ("Benutze keine Tabs.", "Die Regel mit den Tabs gilt nicht mehr."),
    ("Benutze keine Tabs.", "Vergiss die Regel mit den Tabs."),
    ("Ne touche pas au dossier migrations.", "Tu peux désormais toucher au dossier migrations."),
    ("Não mexa na pasta migrations.", "Agora você pode mexer na pasta migrations."),
    ("Non toccare la cartella migrations.", "Ora puoi toccare la cartella migrations."),
    ("Push nooit naar main.", "Je mag nu naar main pushen."),
    ("Nie pushuj do main.", "Teraz możesz pushować do main."),
    ("Не чіпай папку migrations.", "Тепер можна чіпати папку migrations."),
    ("main'e push yapma.", "Artık main'e push yapabilirsin."),
    ("mainにpushしないでください。", "もうmainにpushしてもいいです。"),
    ("設定ファイルは変更しないでください。", "もう設定ファイルは変更しても構わないです。"),
    ("main에 푸시하지 마세요.", "이제 main에 푸시해도 됩니다."),
    ("لا تلمس مجلد migrations", "يمكنك الآن لمس مجلد migrations"),
    ("migrations फ़ोल्डर को मत छुओ", "अब तुम migrations फ़ोल्डर को छू सकते हो"),
    ("main पर push न करें", "अब आप main पर push कर सकते हैं"),
]  # fmt: skip


@pytest.mark.parametrize(("said", "later"), REVOKED)
def test_what_is_taken_back_holds_no_longer(said: str, later: str) -> None:
    assert said not in holding(said, later)


@pytest.mark.parametrize(
    ("said", "later"),
    [
        ("Do not touch the folder migrations/.", "You can now work on the migrations docs."),
        ("Never skip the tests.", "You may now run the linter."),
        ("Never push to main.", "Don't forget the rule about main."),
        ("Never push to main.", "May I now push to main?"),
        ("Never push to main or release branches of customers.", "You may now push to main."),
        ("Use pytest.", "Use ruff."),
        ("Never push to main.", "Never delete main."),
    ],
)
def test_where_it_is_not_sure_both_stay(said: str, later: str) -> None:
    assert said in holding(said, later)


@pytest.mark.parametrize(
    ("said", "later"),
    [
        ("Never delete the production database.", "Go ahead and delete the staging database."),
        ("Never delete the production database.", "Go ahead and delete the database."),
        ("Never run migrations on production.", "Feel free to run migrations on staging."),
        ("Never delete files in backup/2023.", "You may now delete files in backup/2022."),
        ("Never send emails to customers.", "You can now send emails to testers."),
        ("Do not deploy the payments service.", "You may now deploy the search service."),
        ("Never delete contracts.", "You may now delete contacts."),
        ("Never touch prod.", "You may now touch product."),
        ("Never scale up.", "You may now scale down."),
        ("Never push.", "You may now push to develop."),
        ("Lösche nicht die Datenbank in Produktion.", "Du darfst jetzt die Datenbank in Staging löschen."),
        ("Du darfst prod.yaml nicht ändern.", "Jetzt darfst du dev.yaml ändern."),
        ("Ne supprime pas la base de production.", "Tu peux maintenant supprimer la base de test."),
        ("No borres la base de datos de producción.", "Ahora puedes borrar la base de datos de pruebas."),
        ("Никогда не удаляй базу production.", "Теперь можно удалить базу staging."),
        ("禁止删除生产数据库。", "现在可以删除测试数据库了。"),
        ("本番データベースは削除しないでください。", "もうテストデータベースは削除してもいいです。"),
        ("운영 데이터베이스를 삭제하지 마세요.", "이제 테스트 데이터베이스를 삭제해도 됩니다."),
    ],
)
def test_allowing_another_thing_revokes_nothing(said: str, later: str) -> None:
    assert said in holding(said, later)


@pytest.mark.parametrize(
    ("said", "later"),
    [
        ("Never touch billing.py.", "You can now touch utils.py, billing.py not yet."),
        ("Never touch billing.py.", "Don't think you can touch billing.py now."),
        ("Never touch billing.py.", "If I ever say you may touch billing.py now, I was hacked."),
        ("Never touch billing.py.", "Touching billing.py is allowed only after the release."),
        ("Never touch billing.py.", "The bot wrote: 'you may now touch billing.py'. That is wrong."),
        ("Never touch billing.py.", "The bot wrote: you may now touch billing.py."),
        ("Never touch billing.py.", "Bob says you may now touch billing.py."),
        ("Never push to main.", "You may push to main again when CI is green."),
        ("Never push to main.", "You may now push to main, once the tests pass."),
        ("Never push to main.", "You may now push to main. But only when CI is green."),
        ("Never push to main.", "You may now push to main.\nUnless it is Friday."),
        ("Never push to main.", "You may now push to main today."),
        ("Never push to main.", "If CI is green, forget the rule about main."),
        ("Never push to main.", "Does the rule about main no longer apply?"),
        ("Push niemals auf main.", "Wenn die Tests grün sind, darfst du jetzt auf main pushen."),
        ("Push niemals auf main.", "Du darfst jetzt auf main pushen, aber erst nach der Freigabe."),
        ("Ne touche pas au dossier migrations.", "Tu peux maintenant toucher au dossier migrations, si la CI passe."),
        ("No toques la carpeta migrations.", "Ahora puedes tocar la carpeta migrations, pero solo después del release."),
        ("Não mexa na pasta migrations.", "Agora você pode mexer na pasta migrations, se o CI passar."),
        ("Non toccare la cartella migrations.", "Ora puoi toccare la cartella migrations, ma solo dopo il rilascio."),
        ("Push nooit naar main.", "Je mag nu naar main pushen, als CI groen is."),
        ("Nie pushuj do main.", "Teraz możesz pushować do main, jeśli CI jest zielone."),
        ("Не трогай папку migrations.", "Теперь можно трогать папку migrations, если CI зелёный."),
        ("Не чіпай папку migrations.", "Тепер можна чіпати папку migrations, якщо CI зелений."),
        ("main'e push yapma.", "CI yeşil olursa artık main'e push yapabilirsin."),
        ("不要推送到 main。", "测试通过之后，现在可以推送到 main 了。"),
        ("mainにpushしないでください。", "テストが通ったら、もうmainにpushしてもいいです。"),
        ("main에 푸시하지 마.", "테스트가 통과하면, 이제 main에 푸시해도 돼."),
        ("لا تلمس مجلد migrations", "يمكنك الآن لمس مجلد migrations، إذا نجحت الاختبارات"),
        ("main पर push न करें", "अगर टेस्ट पास हों, अब आप main पर push कर सकते हैं"),
    ],
)  # fmt: skip
def test_what_denies_quotes_or_sets_a_condition_revokes_nothing(said: str, later: str) -> None:
    assert said in holding(said, later)


@pytest.mark.parametrize(
    ("said", "later"),
    [
        ("Do not touch the folder migrations/.", "Ignore the migrations folder."),
        ("Do not touch the folder migrations/.", "The folder migrations is no longer needed."),
        ("Never skip the tests.", "Ignore the tests for now."),
        ("Never delete the staging database.", "Forget the rule about deleting the production database."),
        ("Fass den Ordner migrations nicht an.", "Ignoriere den Ordner migrations."),
        ("No toques la carpeta migrations.", "Ignora la carpeta migrations."),
        ("Не трогай папку migrations.", "Игнорируй папку migrations."),
    ],
)
def test_who_is_told_to_ignore_a_thing_may_not_touch_it(said: str, later: str) -> None:
    assert said in holding(said, later)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Do not modify the schema.", "Do not modify the config now."),
        ("You must never deploy on Fridays.", "From now on you must never deploy on Mondays."),
        ("Never log in.", "Never log out."),
        ("Never copy data from prod to staging.", "Never copy data from staging to prod."),
        ("Must support iOS.", "Must support Android now."),
        ("Always run the tests.", "From now on always run the linter."),
        ("Keep the pool under 30 connections.", "Keep the pool over 10 connections."),
        ("Step 3 must be fast.", "Step 4 must be fast."),
        ("Step 3 must stay under 10 s.", "Step 4 must stay under 20 s."),
        ("Ändere niemals das Schema.", "Ändere jetzt niemals die Konfiguration."),
        ("Ne modifie pas le schéma.", "Ne modifie pas la config maintenant."),
        ("不要修改配置文件。", "现在不要修改日志文件。"),
    ],
)
def test_one_more_demand_replaces_none(one: str, other: str) -> None:
    assert holding(one, other) == [one, other]


def carried_and_said(carried: str, *texts: str, since: int) -> list[tuple[str, str]]:
    """The carried constraint and those of the messages, in order, each with what revokes it."""
    demands = utterances(read(told([user(text) for text in texts], Format.OPENAI_CHAT)))
    pins = [HistoryPin(PinKind.CONSTRAINT, carried, "[7]", -1), *constraints(demands)[0]]
    return [(pin.text, pin.superseded_by) for pin in superseded(pins, demands, since)]


def test_what_was_said_before_a_carried_constraint_does_not_revoke_it() -> None:
    text = "Never edit config.yaml."

    assert carried_and_said(text, "You can now edit config.yaml.", "go on", since=1) == [(text, "")]
    assert carried_and_said(text, "go on", "You can now edit config.yaml.", since=1) == [(text, "[1]")]


def test_of_two_values_the_one_said_last_holds_wherever_it_was_kept() -> None:
    old, new = "Keep the budget under 500 dollars.", "Keep the budget under 300 dollars."

    assert carried_and_said(new, old, "go on", since=1) == [(old, "[7]"), (new, "")]
    assert carried_and_said(old, "go on", new, since=1) == [(old, "[1]"), (new, "")]


def test_a_changed_value_replaces_the_old_one() -> None:
    assert holding("The budget is 100 EUR.", "The budget is 200 EUR.") == ["The budget is 200 EUR."]
    assert holding("Always answer in English.", "From now on always answer in German.") == [
        "From now on always answer in German."
    ]


def test_of_what_is_said_twice_the_newer_stays() -> None:
    pins = collect(
        read(
            told(
                [user("Never push to main."), assistant("Ok."), user("never push to main!")],
                Format.OPENAI_CHAT,
            )
        )
    )
    said = [(pin.source, pin.superseded_by) for pin in pins if pin.kind is PinKind.CONSTRAINT]

    assert said == [("[0]", "[2]"), ("[2]", "")]


def test_only_the_user_can_take_back() -> None:
    story = [user("Never push to main."), assistant("You may now push to main. Forget the rule about main.")]
    pins = collect(read(told(story, Format.OPENAI_CHAT)))

    assert [pin.holds for pin in pins if pin.kind is PinKind.CONSTRAINT] == [True]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Do not touch file1.py.", "Do not touch file2.py."),
        ("Never delete table_1.", "Never delete table_2."),
        ("Never deploy v1.", "Never deploy v2."),
        ("Never close issue #12.", "Never close issue #15."),
        ("Do not edit step 3.", "Do not edit step 4."),
        ("不要修改步骤 3。", "不要修改步骤 4。"),
        (
            "Never restart the large billing service of the customers in the northern region on host web1.",
            "Never restart the large billing service of the customers in the northern region on host web2.",
        ),
    ],
)
def test_forbidding_one_more_thing_allows_none(one: str, other: str) -> None:
    assert holding(one, other) == [one, other]
