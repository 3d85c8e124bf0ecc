"""The fixed sentences that people read, in the language of the question (pure)."""

from datetime import date
from typing import assert_never

from graph.text.phrases import Unclear


def spoken(sentence: str, language: str, **values: str) -> str:
    """Return a fixed sentence with its values, translated if there is a translation."""
    said = BY_LANGUAGE.get(language, {}).get(sentence, sentence)
    return said.format(**values) if values else said


def small_talk(topics: list[str], language: str = "en") -> str:
    """Say what the bot does."""
    does = spoken("I answer questions from the team's documents, with sources.", language)
    return f"{does}{covering(topics, language)}"


def out_of_scope(topics: list[str], language: str = "en") -> str:
    """Say that a question is out of scope."""
    outside = "That is outside what I can look up: I only answer from the team's documents."
    return f"{spoken(outside, language)}{covering(topics, language)}"


def nearest_found(quoted: str, *, may_answer: bool, has_reviewer: bool = False, language: str = "en") -> str:
    """Say that the bot is not sure or found nothing, quote the nearest sentences, and say who may know."""
    begin = "I am not sure." if may_answer else "I found nothing in the documents that answers this."
    said = f"{spoken(begin, language)} {spoken('These come nearest:', language)}"
    # The nearest sentences may be far off, and a quotation must not look like an answer.
    end = (
        f"{spoken('If none of this answers your question, the documents probably do not.', language)} "
        if may_answer
        else ""
    )
    return f"{said}\n\n{quoted}\n\n{end}{_who_may_know(has_reviewer=has_reviewer, language=language)}"


def nothing_found(*, nearest: bool, has_reviewer: bool = False, language: str = "en") -> str:
    """Say that no document answers the question, and who may know. Offer a colleague only if review is on."""
    said = [
        "I found nothing in the documents that answers this.",
        "The nearest documents are below." if nearest else "",
    ]
    found = [spoken(sentence, language) for sentence in said if sentence]
    return " ".join([*found, _who_may_know(has_reviewer=has_reviewer, language=language)])


def verified_by(name: str, on: date, language: str = "en") -> str:
    """Say who verified an answer and when."""
    return spoken("Verified by @{name}, {day}.", language, name=name.removeprefix("@"), day=day_in(on, language))


def flagged(title: str, reason: str, on: date, language: str = "en") -> str:
    """Say since when a document is doubted, and why."""
    return spoken(FLAGGED.get(reason, FLAGGED["wrong"]), language, title=title, day=day_in(on, language))


def changed_since(title: str, language: str = "en") -> str:
    """Say that a document has changed since an answer was verified."""
    return spoken("“{title}” has changed since.", language, title=title)


def gone_since(title: str, language: str = "en") -> str:
    """Say that a document is gone since an answer was verified."""
    return spoken("“{title}” is no longer among the documents.", language, title=title)


def was_valid(title: str, until: date, language: str = "en") -> str:
    """Say that the time of a document is over, and that no newer one was found."""
    said = "“{title}” was valid until {day}; no newer one was found."
    return spoken(said, language, title=title, day=day_in(until, language))


def is_it_the_same(question: str, kept: str, asked: str, language: str = "en") -> str:
    """Ask whether a verified answer to a question about one thing also holds for another."""
    said = "Somebody has answered this for {kept}: “{question}” Is it the same for {asked}?"
    return spoken(said, language, kept=kept, question=question, asked=asked)


def says_now(title: str, dated: str, language: str = "en") -> str:
    """Introduce what a document says that is newer than a verified answer."""
    named = f"{title}, {dated}" if dated else title
    return spoken("Newer than this answer ({named}):", language, named=named)


def nothing_to_read(language: str = "en") -> str:
    """Say that there are no documents that the person may read, and how to add some."""
    return spoken(
        "I have no documents that you may read. An administrator can add some with `askback ingest`.", language
    )


def day_in(day: date, language: str = "en") -> str:
    """Return a day as people write it in a language."""
    return f"{day.day} {day:%B} {day.year}" if language == "en" else day.isoformat()


def _who_may_know(*, has_reviewer: bool, language: str) -> str:
    said = "“Ask a human” brings it to a colleague." if has_reviewer else "A colleague may know more."
    return spoken(said, language)


def assumed(label: str, language: str = "en") -> str:
    """Say which reading was assumed."""
    return spoken("I assumed you mean {label}.", language, label=label)


def as_last_time(label: str, language: str = "en") -> str:
    """Say which reading was assumed because the asker chose it last time."""
    return spoken("Assumed {label}, as last time.", language, label=label)


def as_own(label: str, unit: str, language: str = "en") -> str:
    """Say which reading was assumed because it is the asker's own office, team or department."""
    return spoken(f"Assumed {{label}}, your {unit}.", language, label=label)


def unread(names: list[str], language: str = "en") -> str:
    """Say which attachments were not read."""
    return spoken("I could not read {names}.", language, names=", ".join(names))


def taken_for_a_wish(phrase: str, language: str = "en") -> str:
    """Say which words of a question chose the preset and were not searched for."""
    return spoken("I took “{phrase}” for a wish, not for a part of the question.", language, phrase=phrase)


def unanswered(question: str, language: str = "en") -> str:
    """Say which of several questions the answer leaves open."""
    sentence = "I found no sure answer to “{question}”. Ask it alone to see what comes nearest."
    return spoken(sentence, language, question=question)


def not_confirmed(reason: str, language: str = "en") -> str:
    """Say that a reviewer rejected the answer, and why."""
    sentence = "A colleague looked at my answer and did not confirm it: {reason}"
    return spoken(sentence, language, reason=reason)


def unclear(why: Unclear, *, options: int, language: str = "en") -> str:
    """Say why the question back stays open, and how to answer it."""
    match why:
        case "no_such_option":
            sentence = "There are only {count} options above. Type one's number or name, or your own words."
        case "rejects_all":
            sentence = "Then please say in your own words what you mean, or “never mind”."
        case "asks_what":
            sentence = (
                "The documents answer this differently for each option above."
                " Type one's number or name, or “just answer”."
            )
        case "agrees":
            sentence = "Which one? Type its number or name, or “just answer”."
        case "only_clicks":
            sentence = ONLY_CLICKS
        case _:
            assert_never(why)
    return spoken(sentence, language, count=str(options))


def covering(topics: list[str], language: str = "en") -> str:
    """Say what the documents cover; empty if there are none."""
    return f" {spoken('They cover {topics}.', language, topics=', '.join(topics))}" if topics else ""


FLAGGED = {
    "outdated": "“{title}” was reported on {day}: it may be out of date.",
    "wrong": "“{title}” was reported on {day}: it may be wrong.",
    "contradicted": "Since {day}, another document says otherwise than “{title}”.",
}
CONSULTED = "A colleague was asked to look at this."
UNREVIEWED = "No colleague could look at this in time."
OUTDATED = "The documents that it rests on have changed since. Please ask again."
CUT_SHORT = "There was no room for all of the answer; its end is missing."
LEFT_OUT = "I left out what the documents do not support."
UNPROVED = "What I had written did not hold against the documents, so this quotes them."
FROM_WEB = "No document answers this, so this is from the web. Nobody of the team has checked it."
BY_WORDS = "Only words were compared this time: the search for meaning is not working. Other words may find more."
UNSEARCHED = "The documents could not be searched this time, so this is without them."
CAVEAT = "I am not sure that the documents support all of this; please check the sources."
IN_ITS_THREAD = "Your own words count in its thread, above."
WHICH_DOCUMENT = "I found no sure answer. Which of these is it about?"
MEANS_NOTHING = "What do you mean by “{word}”? Nothing was said here yet that it could stand for."
GOES_ON_WITH_NOTHING = "What would you like to know about “{words}”? Nothing was asked here yet."
IN_SHORT = "In short: {said}"
REFERS_TO_NOTHING = "I do not know what “{words}” refers to. Please ask in a few words."
UNCLEAR = "What is unclear? Say it in a few words, and I look again."
HERE = "I am here. Ask me any time."
EFFORTS = {
    "quick": "A quick answer: one search, fewer checks.",
    "thorough": "A thorough answer: more searches and checks.",
}
GIVEN_UP = "All right. Ask me any time."
TAKEN_ABOVE = "I took this as the answer to your open question above, and go on there."

MAY_I = "May I use “{tool}”? It changes something."
ONLY_CLICKS = "Only a click on the buttons above counts. If something is wrong, press “Do not” and ask again."
CALL_OUTCOMES = {
    "done": "“{tool}” was called once, as you approved.",
    "refused": "“{tool}” refused the call, or could not be reached.",
    "unknown": "I called “{tool}”, but do not know what came of it. Please look there; I do not call it again.",
    "withdrawn": "The approval does not hold any more, so I did not call “{tool}”.",
    "denied": "You did not approve it, so I did not call “{tool}”.",
    "expired": "Nobody approved it in time, so I did not call “{tool}”.",
}

GERMAN = {
    "May I use “{tool}”? It changes something.": "Darf ich „{tool}“ benutzen? Das ändert etwas.",
    "Only a click on the buttons above counts. If something is wrong, press “Do not” and ask again.": (
        "Es zählt nur ein Klick auf die Knöpfe oben. Wenn etwas nicht stimmt, klick „Do not“ und frag noch einmal."
    ),
    "“{tool}” was called once, as you approved.": "„{tool}“ wurde einmal aufgerufen, wie du es erlaubt hast.",
    "“{tool}” refused the call, or could not be reached.": (
        "„{tool}“ hat den Aufruf abgelehnt oder war nicht zu erreichen."
    ),
    "I called “{tool}”, but do not know what came of it. Please look there; I do not call it again.": (
        "Ich habe „{tool}“ aufgerufen, weiß aber nicht, was daraus wurde."
        " Bitte sieh dort nach; ich rufe es nicht noch einmal auf."
    ),
    "The approval does not hold any more, so I did not call “{tool}”.": (
        "Die Erlaubnis gilt nicht mehr, deshalb habe ich „{tool}“ nicht aufgerufen."
    ),
    "You did not approve it, so I did not call “{tool}”.": (
        "Du hast es nicht erlaubt, deshalb habe ich „{tool}“ nicht aufgerufen."
    ),
    "Nobody approved it in time, so I did not call “{tool}”.": (
        "Niemand hat es rechtzeitig erlaubt, deshalb habe ich „{tool}“ nicht aufgerufen."
    ),
    "I answer questions from the team's documents, with sources.": (
        "Ich beantworte Fragen aus den Dokumenten des Teams, mit Quellen."
    ),
    "I answer questions from the team's documents, with sources, and ask back when one is unclear.": (
        "Ich beantworte Fragen aus den Dokumenten des Teams, mit Quellen, und frage nach, wenn etwas unklar ist."
    ),
    "They cover {topics}.": "Sie handeln von: {topics}.",
    "That is outside what I can look up: I only answer from the team's documents.": (
        "Das kann ich nicht nachsehen: Ich antworte nur aus den Dokumenten des Teams."
    ),
    "I found nothing in the documents that answers this.": (
        "Ich habe in den Dokumenten nichts gefunden, was das beantwortet."
    ),
    "I am not sure.": "Ich bin nicht sicher.",
    "These come nearest:": "Das kommt dem am nächsten:",
    "If none of this answers your question, the documents probably do not.": (
        "Wenn nichts davon die Frage beantwortet, steht die Antwort wohl nicht in den Dokumenten."
    ),
    "The nearest documents are below.": "Die nächstliegenden Dokumente stehen unten.",
    "“Ask a human” brings it to a colleague.": "„Ask a human“ legt es jemandem aus dem Team vor.",
    "A colleague may know more.": "Vielleicht weiß jemand aus dem Team mehr.",
    "I assumed you mean {label}.": "Ich nehme an, du meinst {label}.",
    "Assumed {label}, as last time.": "Angenommen: {label}, wie beim letzten Mal.",
    "Assumed {label}, your office.": "Angenommen: {label}, dein Büro.",
    "Assumed {label}, your team.": "Angenommen: {label}, dein Team.",
    "Assumed {label}, your department.": "Angenommen: {label}, deine Abteilung.",
    "I could not read {names}.": "Ich konnte {names} nicht lesen.",
    "A colleague looked at my answer and did not confirm it: {reason}": (
        "Jemand aus dem Team hat meine Antwort geprüft und nicht bestätigt: {reason}"
    ),
    "A quick answer: one search, fewer checks.": "Eine schnelle Antwort: einmal gesucht, weniger geprüft.",
    "A thorough answer: more searches and checks.": "Eine gründliche Antwort: mehr gesucht und geprüft.",
    "I found no sure answer to “{question}”. Ask it alone to see what comes nearest.": (
        "Auf „{question}“ habe ich keine sichere Antwort gefunden. Frag das allein, dann zeige ich, was dem am nächsten"
        " kommt."
    ),
    "I took “{phrase}” for a wish, not for a part of the question.": (
        "„{phrase}“ habe ich als Wunsch gelesen, nicht als Teil der Frage."
    ),
    "A colleague was asked to look at this.": "Jemand aus dem Team wurde gebeten, das zu prüfen.",
    "No colleague could look at this in time.": "Niemand aus dem Team konnte das rechtzeitig prüfen.",
    "I am not sure that the documents support all of this; please check the sources.": (
        "Ich bin nicht sicher, ob die Dokumente das alles stützen; bitte prüfe die Quellen."
    ),
    "No document answers this, so this is from the web. Nobody of the team has checked it.": (
        "Kein Dokument beantwortet das, darum stammt dies aus dem Web. Niemand aus dem Team hat es geprüft."
    ),
    "Only words were compared this time: the search for meaning is not working. Other words may find more.": (
        "Diesmal wurden nur Wörter verglichen: die Suche nach Bedeutung geht nicht. Andere Wörter finden eher mehr."
    ),
    "The documents could not be searched this time, so this is without them.": (
        "Die Dokumente ließen sich diesmal nicht durchsuchen, deshalb ist dies ohne sie."
    ),
    "I left out what the documents do not support.": "Was die Dokumente nicht belegen, habe ich weggelassen.",
    "There was no room for all of the answer; its end is missing.": (
        "Für die ganze Antwort war kein Platz; ihr Ende fehlt."
    ),
    "What I had written did not hold against the documents, so this quotes them.": (
        "Was ich geschrieben hatte, hielt den Dokumenten nicht stand, deshalb zitiert dies sie."
    ),
    "These are the documents' own sentences.": "Das sind die Sätze der Dokumente selbst.",
    "The language model could not be reached, so this answer quotes the documents.": (
        "Das Sprachmodell war nicht zu erreichen, deshalb zitiert diese Antwort die Dokumente."
    ),
    "Do you mean {options}?": "Meinst du {options}?",
    "Which one do you mean?": "Was davon meinst du?",
    "Which “{name}” do you mean?": "Welches „{name}“ meinst du?",
    "Near which city or postcode? For example: “{kinds} near Berlin”.": (
        "In der Nähe welcher Stadt oder Postleitzahl? Zum Beispiel: „{kinds} in der Nähe von Berlin“."
    ),
    "{kinds} near {where}": "{kinds} in der Nähe von {where}",
    "open on {day}": "geöffnet am {day}",
    "about {distance}": "etwa {distance}",
    "Map": "Karte",
    "No {kinds} within {km} km of {where} is in the directory. The nearest:": (
        "Im Umkreis von {km} km um {where} steht nichts von der Art „{kinds}“ im Verzeichnis. Am nächsten liegt:"
    ),
    "No {kinds} near {where} is listed as {wish}. These are near:": (
        "Von keinem Eintrag der Art „{kinds}“ nahe {where} sagt das Verzeichnis: {wish}. In der Nähe liegen:"
    ),
    "I found no sure answer. Which of these is it about?": (
        "Ich habe keine sichere Antwort gefunden. Um welches davon geht es?"
    ),
    "{listed} or {last}": "{listed} oder {last}",
    "What does “{title}” say about “{heading}”?": "Was sagt „{title}“ über „{heading}“?",
    "The owner of “{title}” is {owner}": "Für „{title}“ ist {owner} verantwortlich",
    "“{title}” is dated {dated}": "„{title}“ ist vom {dated}",
    "older than {days} days": "älter als {days} Tage",
    "read by OCR": "durch Texterkennung gelesen",
    "“{title}” was reported on {day}: it may be out of date.": (
        "„{title}“ wurde am {day} gemeldet und ist vielleicht veraltet."
    ),
    "“{title}” was reported on {day}: it may be wrong.": (
        "„{title}“ wurde am {day} gemeldet und ist vielleicht falsch."
    ),
    "Since {day}, another document says otherwise than “{title}”.": (
        "Seit {day} sagt ein anderes Dokument etwas anderes als „{title}“."
    ),
    "There are only {count} options above. Type one's number or name, or your own words.": (
        "Oben stehen nur {count} Möglichkeiten. Schreib die Nummer oder den Namen von einer, oder eigene Worte."
    ),
    "Then please say in your own words what you mean, or “never mind”.": (
        "Dann schreib bitte in eigenen Worten, was du meinst, oder „vergiss es“."
    ),
    "The documents answer this differently for each option above. Type one's number or name, or “just answer”.": (
        "Die Dokumente antworten darauf für jede der Möglichkeiten oben anders."
        " Schreib die Nummer oder den Namen von einer, oder „egal“."
    ),
    "Which one? Type its number or name, or “just answer”.": (
        "Welche davon? Schreib die Nummer oder den Namen, oder „egal“."
    ),
    "I took this as the answer to your open question above, and go on there.": (
        "Ich habe das als Antwort auf deine offene Frage oben verstanden und mache dort weiter."
    ),
    "What do you mean by “{word}”? Nothing was said here yet that it could stand for.": (
        "Was meinst du mit „{word}“? Hier wurde noch nichts gesagt, wofür es stehen könnte."
    ),
    GOES_ON_WITH_NOTHING: "Was möchtest du zu „{words}“ wissen? Hier wurde noch nichts gefragt.",
    IN_SHORT: "Kurz: {said}",
    REFERS_TO_NOTHING: "Ich weiß nicht, worauf sich „{words}“ bezieht. Bitte frag in ein paar Worten.",
    UNCLEAR: "Was ist unklar? Sag es in ein paar Worten, dann sehe ich noch einmal nach.",
    HERE: "Ich bin da. Frag jederzeit.",
    "Your own words count in its thread, above.": "Eigene Worte zählen in ihrem Thread oben.",
    "Hello!": "Hallo!",
    "You're welcome. Ask me any time.": "Gern geschehen. Frag jederzeit.",
    "All right. Ask me any time.": "In Ordnung. Frag jederzeit.",
    "I have no documents that you may read. An administrator can add some with `askback ingest`.": (
        "Ich habe keine Dokumente, die du lesen darfst. Wer mich verwaltet, kann sie mit `askback ingest` hinzufügen."
    ),
    "Somebody has answered this for {kept}: “{question}” Is it the same for {asked}?": (
        "Für {kept} hat das jemand beantwortet: „{question}“ Gilt das auch für {asked}?"
    ),
    "Yes": "Ja",
    "No": "Nein",
    "Verified by @{name}, {day}.": "Bestätigt von @{name}, {day}.",
    "“{title}” has changed since.": "„{title}“ wurde seitdem geändert.",
    "“{title}” is no longer among the documents.": "„{title}“ ist nicht mehr unter den Dokumenten.",
    "“{title}” was valid until {day}; no newer one was found.": (
        "„{title}“ galt bis {day}; etwas Neueres wurde nicht gefunden."
    ),
    "Newer than this answer ({named}):": "Neuer als diese Antwort ({named}):",
    "A newer version ({named}) says:": "Eine neuere Fassung ({named}) sagt:",
    "Reckoned from {day}: {end}": "Gerechnet ab {day}: {end}",
}
PORTUGUESE = {
    "May I use “{tool}”? It changes something.": "Posso usar “{tool}”? Isso altera alguma coisa.",
    "Only a click on the buttons above counts. If something is wrong, press “Do not” and ask again.": (
        "Só conta um clique nos botões acima. Se algo não estiver certo, clica em “Do not” e pergunta de novo."
    ),
    "“{tool}” was called once, as you approved.": "“{tool}” foi chamado uma vez, como aprovaste.",
    "“{tool}” refused the call, or could not be reached.": "“{tool}” recusou a chamada ou não respondeu.",
    "I called “{tool}”, but do not know what came of it. Please look there; I do not call it again.": (
        "Chamei “{tool}”, mas não sei o que resultou. Vê lá, por favor; não volto a chamar."
    ),
    "The approval does not hold any more, so I did not call “{tool}”.": (
        "A aprovação já não é válida, por isso não chamei “{tool}”."
    ),
    "You did not approve it, so I did not call “{tool}”.": "Não aprovaste, por isso não chamei “{tool}”.",
    "Nobody approved it in time, so I did not call “{tool}”.": (
        "Ninguém aprovou a tempo, por isso não chamei “{tool}”."
    ),
    "I answer questions from the team's documents, with sources.": (
        "Respondo a perguntas a partir dos documentos da equipa, com fontes."
    ),
    "I answer questions from the team's documents, with sources, and ask back when one is unclear.": (
        "Respondo a perguntas a partir dos documentos da equipa, com fontes, e pergunto quando algo não está claro."
    ),
    "They cover {topics}.": "Tratam de: {topics}.",
    "That is outside what I can look up: I only answer from the team's documents.": (
        "Isso não posso consultar: só respondo a partir dos documentos da equipa."
    ),
    "I found nothing in the documents that answers this.": "Não encontrei nada nos documentos que responda a isto.",
    "I am not sure.": "Não tenho a certeza.",
    "These come nearest:": "Isto é o mais próximo:",
    "If none of this answers your question, the documents probably do not.": (
        "Se nada disto responder à pergunta, a resposta provavelmente não está nos documentos."
    ),
    "The nearest documents are below.": "Os documentos mais próximos estão abaixo.",
    "“Ask a human” brings it to a colleague.": "“Ask a human” leva a pergunta a um colega.",
    "A colleague may know more.": "Um colega talvez saiba mais.",
    "I assumed you mean {label}.": "Presumi que queres dizer {label}.",
    "Assumed {label}, as last time.": "Presumi {label}, como da última vez.",
    "Assumed {label}, your office.": "Presumi {label}, o teu escritório.",
    "Assumed {label}, your team.": "Presumi {label}, a tua equipa.",
    "Assumed {label}, your department.": "Presumi {label}, o teu departamento.",
    "I could not read {names}.": "Não consegui ler {names}.",
    "A colleague looked at my answer and did not confirm it: {reason}": (
        "Um colega viu a minha resposta e não a confirmou: {reason}"
    ),
    "A quick answer: one search, fewer checks.": "Uma resposta rápida: uma só pesquisa, menos verificações.",
    "A thorough answer: more searches and checks.": "Uma resposta minuciosa: mais pesquisas e verificações.",
    "I found no sure answer to “{question}”. Ask it alone to see what comes nearest.": (
        "Não encontrei uma resposta segura para “{question}”. Pergunta só isso para veres o que está mais perto."
    ),
    "I took “{phrase}” for a wish, not for a part of the question.": (
        "Li “{phrase}” como um pedido, não como parte da pergunta."
    ),
    "A colleague was asked to look at this.": "Foi pedido a um colega que veja isto.",
    "No colleague could look at this in time.": "Nenhum colega pôde ver isto a tempo.",
    "I am not sure that the documents support all of this; please check the sources.": (
        "Não tenho a certeza de que os documentos sustentem tudo isto; verifica as fontes, por favor."
    ),
    "No document answers this, so this is from the web. Nobody of the team has checked it.": (
        "Nenhum documento responde a isto, por isso isto vem da Web. Ninguém da equipa o verificou."
    ),
    "Only words were compared this time: the search for meaning is not working. Other words may find more.": (
        "Desta vez só comparei palavras: a busca por significado não funciona. Outras palavras podem achar mais."
    ),
    "The documents could not be searched this time, so this is without them.": (
        "Desta vez não foi possível pesquisar os documentos, por isso isto é sem eles."
    ),
    "I left out what the documents do not support.": "Deixei de fora o que os documentos não sustentam.",
    "There was no room for all of the answer; its end is missing.": (
        "Não houve espaço para toda a resposta; falta o fim."
    ),
    "What I had written did not hold against the documents, so this quotes them.": (
        "O que eu tinha escrito não batia certo com os documentos, por isso isto cita-os."
    ),
    "These are the documents' own sentences.": "Estas são as próprias frases dos documentos.",
    "The language model could not be reached, so this answer quotes the documents.": (
        "O modelo de linguagem não respondeu, por isso esta resposta cita os documentos."
    ),
    "Do you mean {options}?": "Queres dizer {options}?",
    "Which one do you mean?": "A qual te referes?",
    "Which “{name}” do you mean?": "A que “{name}” te referes?",
    "Near which city or postcode? For example: “{kinds} near Berlin”.": (
        "Perto de que cidade ou código postal? Por exemplo: “{kinds} perto de Berlim”."
    ),
    "{kinds} near {where}": "{kinds} perto de {where}",
    "open on {day}": "aberto: {day}",
    "about {distance}": "cerca de {distance}",
    "Map": "Mapa",
    "No {kinds} within {km} km of {where} is in the directory. The nearest:": (
        "A lista não tem {kinds} a menos de {km} km de {where}. O mais próximo:"
    ),
    "No {kinds} near {where} is listed as {wish}. These are near:": (
        "Segundo a lista, perto de {where} não há {kinds} que cumpra: {wish}. Ficam perto:"
    ),
    "I found no sure answer. Which of these is it about?": (
        "Não encontrei uma resposta segura. De qual destes se trata?"
    ),
    "{listed} or {last}": "{listed} ou {last}",
    "What does “{title}” say about “{heading}”?": "O que diz “{title}” sobre “{heading}”?",
    "The owner of “{title}” is {owner}": "Quem responde por “{title}” é {owner}",
    "“{title}” is dated {dated}": "“{title}” tem a data de {dated}",
    "older than {days} days": "há mais de {days} dias",
    "read by OCR": "lido por reconhecimento de texto",
    "“{title}” was reported on {day}: it may be out of date.": (
        "“{title}” foi assinalado em {day}: pode estar desatualizado."
    ),
    "“{title}” was reported on {day}: it may be wrong.": ("“{title}” foi assinalado em {day}: pode estar errado."),
    "Since {day}, another document says otherwise than “{title}”.": (
        "Desde {day}, outro documento diz outra coisa do que “{title}”."
    ),
    "There are only {count} options above. Type one's number or name, or your own words.": (
        "Acima há só {count} opções. Escreve o número ou o nome de uma, ou as tuas próprias palavras."
    ),
    "Then please say in your own words what you mean, or “never mind”.": (
        "Então diz, por favor, por palavras tuas o que queres dizer, ou “esquece”."
    ),
    "The documents answer this differently for each option above. Type one's number or name, or “just answer”.": (
        "Os documentos respondem a isto de forma diferente para cada opção acima."
        " Escreve o número ou o nome de uma, ou “tanto faz”."
    ),
    "Which one? Type its number or name, or “just answer”.": "Qual delas? Escreve o número ou o nome, ou “tanto faz”.",
    "I took this as the answer to your open question above, and go on there.": (
        "Entendi isto como a resposta à tua pergunta em aberto acima, e continuo lá."
    ),
    "What do you mean by “{word}”? Nothing was said here yet that it could stand for.": (
        "O que queres dizer com “{word}”? Aqui ainda não se falou de nada a que isso se pudesse referir."
    ),
    GOES_ON_WITH_NOTHING: "O que queres saber sobre “{words}”? Aqui ainda não se perguntou nada.",
    IN_SHORT: "Em resumo: {said}",
    REFERS_TO_NOTHING: "Não sei a que se refere “{words}”. Pergunta em poucas palavras, por favor.",
    UNCLEAR: "O que não está claro? Diz em poucas palavras e volto a procurar.",
    HERE: "Estou aqui. Pergunta quando quiseres.",
    "Your own words count in its thread, above.": "As tuas próprias palavras contam na conversa dela, acima.",
    "Hello!": "Olá!",
    "You're welcome. Ask me any time.": "De nada. Pergunta quando quiseres.",
    "All right. Ask me any time.": "Está bem. Pergunta quando quiseres.",
    "I have no documents that you may read. An administrator can add some with `askback ingest`.": (
        "Não tenho documentos que possas ler. Quem gere o Askback pode acrescentá-los com `askback ingest`."
    ),
    "Somebody has answered this for {kept}: “{question}” Is it the same for {asked}?": (
        "Para {kept}, alguém já respondeu a isto: “{question}” É igual para {asked}?"
    ),
    "Yes": "Sim",
    "No": "Não",
    "Verified by @{name}, {day}.": "Confirmado por @{name}, {day}.",
    "“{title}” has changed since.": "“{title}” mudou entretanto.",
    "“{title}” is no longer among the documents.": "“{title}” já não está entre os documentos.",
    "“{title}” was valid until {day}; no newer one was found.": (
        "“{title}” era válido até {day}; não encontrei nada mais recente."
    ),
    "Newer than this answer ({named}):": "Mais recente do que esta resposta ({named}):",
    "A newer version ({named}) says:": "Uma versão mais recente ({named}) diz:",
    "Reckoned from {day}: {end}": "A contar de {day}: {end}",
}
BY_LANGUAGE = {"de": GERMAN, "pt": PORTUGUESE}
