"""A text is read in any usual encoding."""

import pytest

from bot.errors import KnowledgeError
from bot.knowledge.read import parse_document
from bot.knowledge.readers.encoding import decode

TEXTS = {
    "Öffnungszeiten: Montag bis Freitag von 9 bis 17 Uhr. Für größere Gruppen bitte vorher anrufen.": (
        "utf-8",
        "utf-8-sig",
        "cp1252",
        "utf-16",
        "utf-16-le",
        "utf-16-be",
        "utf-32",
    ),
    "Les congés payés sont à demander à l’équipe dès le début de l’année ; coût : 25 €.": ("cp1252",),
    "Férias: cada pessoa tem direito a 25 dias úteis de férias por ano. A inscrição é obrigatória.": (
        "cp1252",
        "mac_roman",
    ),
    "Każdy pracownik ma prawo do dwudziestu sześciu dni urlopu rocznie. Zażółć gęślą jaźń.": ("cp1250", "iso8859_2"),
    "Отпуск составляет двадцать восемь дней в году для каждого сотрудника.": ("cp1251", "koi8_r"),
    "Κάθε εργαζόμενος έχει είκοσι πέντε ημέρες άδεια.": ("cp1253",),
    "従業員は年間二十日の有給休暇を取得できます。申請は一か月前までに行ってください。": ("shift_jis", "euc_jp"),
    "每位员工每年有二十天带薪假期。请提前一个月申请。": ("gb18030",),
    "Größe": ("cp1252",),
}


@pytest.mark.parametrize(("text", "name"), [(text, name) for text, names in TEXTS.items() for name in names])
def test_the_encoding_is_recognised(text: str, name: str) -> None:
    assert text == decode(text.encode(name))


def test_what_a_page_says_of_its_encoding_counts() -> None:
    page = '<meta charset="iso-8859-9"><p>Her çalışanın yılda yirmi gün izni vardır.</p>'

    assert "Her çalışanın yılda" in parse_document("izin.html", page.encode("iso-8859-9")).blocks[0].text


@pytest.mark.parametrize("content", [bytes(range(256)), b"PK\3\4" + bytes(range(128, 256)), b"\xff\xfe\xff"])
def test_what_is_no_text_is_refused(content: bytes) -> None:
    with pytest.raises(KnowledgeError, match="not text"):
        decode(content)
