"""Tables in text, mails and the other markup languages become blocks like those of Markdown."""

import json

import pytest

from bot.errors import KnowledgeError
from bot.knowledge.blocks import Block
from tests.knowledge.readers import making
from tests.knowledge.readers.conftest import Read

RST = """.. comment

Door codes
==========

:Date: 2025-03-12

Ask the :ref:`desk <desk>` first. See |x|.

.. note:: The code changes each month.

.. versionadded:: 2.1
   Now with badges.

Codes
-----

=======  =====
Door     Code
=======  =====
Cellar   A17
Roof     B20
=======  =====

.. code-block:: sh

   open --door cellar

1. First.
2. Second.

   - Nested.

.. include:: /etc/passwd
.. raw:: html

   <b>raw</b>

.. unknowndirective:: arg

   Lost text?

A footnote [1]_.

.. [1] The note below.
"""
ADOC = """= Door codes
Ada Lovelace <ada@lumenpine.example>
v1.2, 2025-03-12
:desk: the front desk
:revdate: 2025-03-12

Ask {desk} first, see https://intra.example/doors[the page] and <<codes,Codes>>.

// a comment
[NOTE]
====
The code changes each month.
====

== Codes

.All doors
[cols="1,1",options="header"]
|===
|Door |Code

|Cellar
|A17

|Roof |B20
|===

* First
** Nested
* Second

. One
. Two

----
open --door cellar
== no heading
----

____
Quoted words.
____
include::/etc/passwd[]
"""
CODES = Block(text="| Door | Code |\n| --- | --- |\n| Cellar | A17 |\n| Roof | B20 |", whole=True)
CODE = Block(text="```\nopen --door cellar\n```", whole=True)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("days.csv", 'Büro;Tage\nPorto;25\n"Ham;burg";30\n'.encode("cp1252")),
        ("days.csv", "\ufeffBüro,Tage\r\nPorto,25\r\nHam;burg,30\r\n".encode("utf-16-le")),
        ("days.tsv", "Büro\tTage\nPorto\t25\nHam;burg\t30\n".encode()),
    ],
    ids=["western", "wide", "tabs"],
)
async def test_a_table_in_text_is_a_table_whatever_divides_it_and_however_it_is_encoded(
    read: Read, name: str, content: bytes
) -> None:
    document = await read(name, content)

    table = "| Büro | Tage |\n| --- | --- |\n| Porto | 25 |\n| Ham;burg | 30 |"
    assert ("Days", (Block(text=table, whole=True),)) == (document.title, document.blocks)


async def test_a_mail_says_who_wrote_when_and_quotes_what_it_forwards(read: Read) -> None:
    document = await read("move.eml", making.mail("Grüße! We meet at nine, it costs 5 €.\n\nBring it.\n\n-- \nAda"))

    assert ("Moving day", "2025-03-12") == (document.title, document.dated)
    assert document.blocks == (
        Block(
            text="From: Ada <ada@lumenpine.example>\nTo: all@lumenpine.example\n"
            "Date: Wed, 12 Mar 2025 10:00:00 +0100\nSubject: Re: Moving day"
        ),
        Block(text="Grüße! We meet at nine, it costs 5 €."),
        Block(text="Bring it."),
        Block(text="> From: it@evil.example\n> Subject: Renew"),
        Block(text="> Renew your password."),
    )
    assert ("What is attached was not read: plan.pdf.",) == document.notices


async def test_what_is_no_mail_says_so(read: Read) -> None:
    with pytest.raises(KnowledgeError, match="no mail"):
        await read("a.eml", b"Only a text.")


async def test_restructuredtext_keeps_its_text_under_marks_that_nobody_knows_and_reads_no_other_file(
    read: Read,
) -> None:
    document = await read("doors.rst", RST.encode())

    assert ("Door codes", "2025-03-12") == (document.title, document.dated)
    assert document.blocks == (
        Block(text="| Date: | 2025-03-12 |\n| --- | --- |", whole=True),
        Block(text="Ask the desk first. See |x|."),
        Block(text="Note"),
        Block(text="The code changes each month."),
        Block(text="2.1 Now with badges."),
        Block(text="Codes", level=2),
        CODES,
        CODE,
        Block(text="1. First.\n2. Second.\n   - Nested."),
        Block(text="arg"),
        Block(text="Lost text?"),
        Block(text="A footnote [1]."),
        Block(text="| [1] | The note below. |\n| --- | --- |", whole=True),
    )
    assert ("What it includes from other files was not read (2).",) == document.notices


async def test_asciidoc_keeps_headings_lists_tables_code_and_quotations(read: Read) -> None:
    document = await read("doors.adoc", ADOC.encode())

    assert ("Door codes", "2025-03-12") == (document.title, document.dated)
    assert document.blocks == (
        Block(text="Ada Lovelace <ada@lumenpine.example>\nv1.2, 2025-03-12"),
        Block(text="Ask the front desk first, see [the page](https://intra.example/doors) and Codes."),
        Block(text="NOTE:"),
        Block(text="The code changes each month."),
        Block(text="Codes", level=2),
        Block(text="All doors"),
        CODES,
        Block(text="- First\n  - Nested\n- Second"),
        Block(text="- One\n- Two"),
        Block(text="```\nopen --door cellar\n== no heading\n```", whole=True),
        Block(text="> Quoted words."),
    )
    assert ("What it includes from other files was not read (1).",) == document.notices


async def test_json_becomes_headings_lists_and_tables(read: Read) -> None:
    offices = [{"city": "Porto", "days": 25}, {"city": "Hamburg", "days": 30, "open": True}]
    value = {
        "title": "Offices",
        "updated": "2025-03-12",
        "offices": offices,
        "rules": {"door": "closed", "at": [9, 17]},
    }

    document = await read("offices.json", json.dumps(value).encode())

    assert ("Offices", "2025-03-12") == (document.title, document.dated)
    assert document.blocks == (
        Block(text="- title: Offices\n- updated: 2025-03-12"),
        Block(text="offices", level=2),
        Block(
            text="| city | days | open |\n| --- | --- | --- |\n| Porto | 25 |  |\n| Hamburg | 30 | yes |", whole=True
        ),
        Block(text="rules", level=2),
        Block(text="- door: closed\n- at: 9, 17"),
    )


async def test_json_in_lines_is_read_and_what_is_none_is_refused(read: Read) -> None:
    document = await read("a.jsonl", b'{"a": 1, "b": 2}\n{"a": 3, "b": 4}\n')

    assert ["| a | b |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |"] == [block.text for block in document.blocks]
    with pytest.raises(KnowledgeError, match="not valid JSON"):
        await read("a.json", b'{"a": ')
    with pytest.raises(KnowledgeError, match="nested too deeply"):
        await read("a.json", b"[" * 100_000)


async def test_restructuredtext_keeps_what_stands_beside_its_text(read: Read) -> None:
    text = b"Ovens\n=====\n\nThey are hot.\n\n.. sidebar:: Doors\n\n   Mind the door.\n\n.. footer:: Made with ovens."

    written = " ".join(block.text for block in (await read("ovens.rst", text)).blocks)

    assert "Mind the door." in written
    assert "Made with ovens." in written
