"""The fixed sentences that people read, in the language of the question (pure)."""

from datetime import date
from typing import Final

from graph.passages import Topics
from graph.text.phrases import Unclear
from graph.turn import Unit


def spoken(sentence: str, language: str, **values: str) -> str:
    """Return a fixed sentence with its values, translated if there is a translation."""
    said = TRANSLATIONS.get(sentence, {}).get(language, sentence)
    return said.format(**values) if values else said


def doing(title: str, language: str) -> str:
    """Say after the bot's name what it does: "is reading 6 passages"."""
    return spoken(DOING, language, step=title[:1].lower() + title[1:])


def small_talk(topics: Topics, language: str) -> str:
    """Say what the bot does."""
    return spoken("I answer questions from the team's documents, with sources.", language) + covering(topics, language)


def out_of_scope(topics: Topics, language: str) -> str:
    """Say that a question is out of scope."""
    outside = "That is outside what I can look up: I only answer from the team's documents."
    return spoken(outside, language) + covering(topics, language)


def nearest_found(quoted: str, *, may_answer: bool, has_reviewer: bool, language: str) -> str:
    """Say that the bot is not sure or found nothing, quote the nearest sentences, and say who may know."""
    said = f"{spoken(NOT_SURE if may_answer else NOTHING_FOUND, language)} {spoken(NEAREST, language)}"
    # The nearest sentences may be far off, and a quotation must not look like an answer.
    end = f"{spoken(PERHAPS_NOT_THERE, language)} " if may_answer else ""
    return f"{said}\n\n{quoted}\n\n{end}{_who_may_know(has_reviewer=has_reviewer, language=language)}"


def nothing_found(*, nearest: bool, has_reviewer: bool = False, language: str = "en") -> str:
    """Say that no document answers the question, and who may know. Offer a colleague only if review is on."""
    found = [spoken(sentence, language) for sentence in (NOTHING_FOUND, *([NEAREST_BELOW] if nearest else []))]
    return " ".join([*found, _who_may_know(has_reviewer=has_reviewer, language=language)])


def flagged(title: str, reason: str, on: date, language: str = "en") -> str:
    """Say since when a document is doubted, and why."""
    return spoken(FLAGGED.get(reason, FLAGGED["wrong"]), language, title=title, day=day_in(on, language))


def says_now(title: str, dated: str, language: str) -> str:
    """Introduce what a document says that is newer than a verified answer."""
    return spoken("Newer than this answer ({named}):", language, named=f"{title}, {dated}" if dated else title)


def day_in(day: date, language: str = "en") -> str:
    """Return a day as people write it in a language."""
    return f"{day.day} {day:%B} {day.year}" if language == "en" else day.isoformat()


def covering(topics: Topics, language: str) -> str:
    """Say what the documents cover, and how much is not named; empty if there are none."""
    if not topics.names:
        return ""
    said = ", ".join(topics.names)
    if topics.more == 1:
        said = spoken("{named}, and one more", language, named=said)
    elif topics.more:
        said = spoken("{named}, and {more} more", language, named=said, more=str(topics.more))
    return f" {spoken('They cover {topics}.', language, topics=said)}"


def _who_may_know(*, has_reviewer: bool, language: str) -> str:
    said = "“Ask a human” brings it to a colleague." if has_reviewer else "A colleague may know more."
    return spoken(said, language)


NOTHING_TO_READ = "I have no documents that you may read. An administrator can add some with `askback ingest`."
NOTHING_FOUND = "I found nothing in the documents that answers this."
NOT_SURE = "I am not sure."
NEAREST = "These come nearest:"
NEAREST_BELOW = "The nearest documents are below."
PERHAPS_NOT_THERE = "If none of this answers your question, the documents probably do not."
UNANSWERED = "I found no sure answer to “{question}”. Ask it alone to see what comes nearest."
UNREAD = "I have not read {names}."
ASSUMED = "I assumed you mean {label}."
AS_LAST_TIME = "Assumed {label}, as last time."
AS_OWN: Final[dict[Unit, str]] = {
    "office": "Assumed {label}, your office.",
    "team": "Assumed {label}, your team.",
    "department": "Assumed {label}, your department.",
}
TAKEN_FOR_A_WISH = "I took “{phrase}” for a wish, not for a part of the question."
NOT_CONFIRMED = "A colleague looked at my answer and did not confirm it: {reason}"
VERIFIED_BY = "Verified by @{name}, {day}."
CHANGED_SINCE = "“{title}” has changed since."
GONE_SINCE = "“{title}” is no longer among the documents."
WAS_VALID = "“{title}” was valid until {day}; no newer one was found."
IS_IT_THE_SAME = "Somebody has answered this for {kept}: “{question}” Is it the same for {asked}?"
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
YOU_ASKED = "You asked: “{question}”"
THE_ANSWER_WAS = "The answer was:"
THE_SOURCE_WAS, THE_SOURCES_WERE = "The source was {titles}.", "The sources were: {titles}."
IF_IT_IS_WRONG = "If it is wrong, press “Bad answer” below it and say why. If I misread you, ask it in other words."
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
STAYS_OPEN: Final[dict[Unclear, str]] = {
    "no_such_option": "There are only {count} options above. Type one's number or name, or your own words.",
    "rejects_all": "Then please say in your own words what you mean, or “never mind”.",
    "asks_what": (
        "The documents answer this differently for each option above. Type one's number or name, or “just answer”."
    ),
    "agrees": "Which one? Type its number or name, or “just answer”.",
    "only_clicks": ONLY_CLICKS,
}
"""Why a question back stays open, and how to answer it."""

STEPS: Final = {
    "search": "Searching the documents",
    "understand": "Understanding the question",
    "retrieve": "Searching again for what was meant",
    "look_up_place": "Looking up places",
    "widen": "Searching with the question before",
    "search_web": "Searching the web",
    "write": "Writing the answer",
    "improve": "Looking for what is missing",
    "compare": "Comparing with a second draft",
}
"""What a person sees of a step while it goes on, by the node's name."""
READING_ONE, READING_SOME = "Reading a passage", "Reading {count} passages"
FOUND_ONE, FOUND_SOME = "Found 1 source", "Found {count} sources"
RECKONING_DATES, SEARCHING_MESSAGES = "Reckoning dates", "Searching messages"
CALCULATING, USING = "Calculating {sum}", "Using {tool}"
THINKING, DOING = "is thinking", "is {step}"
"""What Slack shows after the bot's name: before the first step, and during a step."""

LANGUAGES: Final = ("en", "de", "pt")
"""Those in which the bot speaks."""
TRANSLATIONS: Final[dict[str, dict[str, str]]] = {
    MAY_I: {
        "de": "Darf ich „{tool}“ benutzen? Das ändert etwas.",
        "pt": "Posso usar “{tool}”? Isso altera alguma coisa.",
    },
    ONLY_CLICKS: {
        "de": (
            "Es zählt nur ein Klick auf die Knöpfe oben. Wenn etwas nicht stimmt, klick „Do not“ und frag noch einmal."
        ),
        "pt": "Só conta um clique nos botões acima. Se algo não estiver certo, clica em “Do not” e pergunta de novo.",
    },
    CALL_OUTCOMES["done"]: {
        "de": "„{tool}“ wurde einmal aufgerufen, wie du es erlaubt hast.",
        "pt": "“{tool}” foi chamado uma vez, como aprovaste.",
    },
    CALL_OUTCOMES["refused"]: {
        "de": "„{tool}“ hat den Aufruf abgelehnt oder war nicht zu erreichen.",
        "pt": "“{tool}” recusou a chamada ou não respondeu.",
    },
    CALL_OUTCOMES["unknown"]: {
        "de": (
            "Ich habe „{tool}“ aufgerufen, weiß aber nicht, was daraus wurde. Bitte sieh dort nach; ich rufe es"
            " nicht noch einmal auf."
        ),
        "pt": "Chamei “{tool}”, mas não sei o que resultou. Vê lá, por favor; não volto a chamar.",
    },
    CALL_OUTCOMES["withdrawn"]: {
        "de": "Die Erlaubnis gilt nicht mehr, deshalb habe ich „{tool}“ nicht aufgerufen.",
        "pt": "A aprovação já não é válida, por isso não chamei “{tool}”.",
    },
    CALL_OUTCOMES["denied"]: {
        "de": "Du hast es nicht erlaubt, deshalb habe ich „{tool}“ nicht aufgerufen.",
        "pt": "Não aprovaste, por isso não chamei “{tool}”.",
    },
    CALL_OUTCOMES["expired"]: {
        "de": "Niemand hat es rechtzeitig erlaubt, deshalb habe ich „{tool}“ nicht aufgerufen.",
        "pt": "Ninguém aprovou a tempo, por isso não chamei “{tool}”.",
    },
    STEPS["search"]: {"de": "Durchsucht die Dokumente", "pt": "A pesquisar os documentos"},
    STEPS["understand"]: {"de": "Liest die Frage", "pt": "A interpretar a pergunta"},
    STEPS["retrieve"]: {"de": "Sucht noch einmal, was gemeint war", "pt": "A pesquisar o que se quis dizer"},
    STEPS["look_up_place"]: {"de": "Schlägt Orte nach", "pt": "A consultar a lista de locais"},
    STEPS["widen"]: {"de": "Sucht mit der Frage davor", "pt": "A pesquisar com a pergunta anterior"},
    STEPS["search_web"]: {"de": "Durchsucht das Web", "pt": "A pesquisar na Web"},
    STEPS["write"]: {"de": "Schreibt die Antwort", "pt": "A escrever a resposta"},
    STEPS["improve"]: {"de": "Sucht, was noch fehlt", "pt": "A procurar o que falta"},
    STEPS["compare"]: {
        "de": "Vergleicht mit einem zweiten Entwurf",
        "pt": "A comparar com um segundo rascunho",
    },
    READING_ONE: {"de": "Liest einen Abschnitt", "pt": "A ler uma passagem"},
    READING_SOME: {"de": "Liest {count} Abschnitte", "pt": "A ler {count} passagens"},
    FOUND_ONE: {"de": "1 Quelle gefunden", "pt": "1 fonte encontrada"},
    FOUND_SOME: {"de": "{count} Quellen gefunden", "pt": "{count} fontes encontradas"},
    RECKONING_DATES: {"de": "Berechnet Datumsangaben", "pt": "A calcular datas"},
    SEARCHING_MESSAGES: {"de": "Durchsucht Nachrichten", "pt": "A pesquisar mensagens"},
    CALCULATING: {"de": "Berechnet {sum}", "pt": "A calcular {sum}"},
    USING: {"de": "Benutzt {tool}", "pt": "A usar {tool}"},
    THINKING: {"de": "denkt nach", "pt": "está a pensar"},
    DOING: {"de": "{step}", "pt": "está {step}"},
    "I answer questions from the team's documents, with sources.": {
        "de": "Ich beantworte Fragen aus den Dokumenten des Teams, mit Quellen.",
        "pt": "Respondo a perguntas a partir dos documentos da equipa, com fontes.",
    },
    "I answer questions from the team's documents, with sources, and ask back when one is unclear.": {
        "de": (
            "Ich beantworte Fragen aus den Dokumenten des Teams, mit Quellen, und frage nach, wenn etwas unklar ist."
        ),
        "pt": (
            "Respondo a perguntas a partir dos documentos da equipa, com fontes, e pergunto quando algo não está claro."
        ),
    },
    "They cover {topics}.": {"de": "Sie handeln von: {topics}.", "pt": "Tratam de: {topics}."},
    "{named}, and one more": {"de": "{named} und einem weiteren Thema", "pt": "{named} e mais um"},
    "{named}, and {more} more": {"de": "{named} und {more} weiteren Themen", "pt": "{named} e mais {more}"},
    "That is outside what I can look up: I only answer from the team's documents.": {
        "de": "Das kann ich nicht nachsehen: Ich antworte nur aus den Dokumenten des Teams.",
        "pt": "Isso não posso consultar: só respondo a partir dos documentos da equipa.",
    },
    NOTHING_FOUND: {
        "de": "Ich habe in den Dokumenten nichts gefunden, was das beantwortet.",
        "pt": "Não encontrei nada nos documentos que responda a isto.",
    },
    NOT_SURE: {"de": "Ich bin nicht sicher.", "pt": "Não tenho a certeza."},
    NEAREST: {"de": "Das kommt dem am nächsten:", "pt": "Isto é o mais próximo:"},
    PERHAPS_NOT_THERE: {
        "de": "Wenn nichts davon die Frage beantwortet, steht die Antwort wohl nicht in den Dokumenten.",
        "pt": "Se nada disto responder à pergunta, a resposta provavelmente não está nos documentos.",
    },
    NEAREST_BELOW: {
        "de": "Die nächstliegenden Dokumente stehen unten.",
        "pt": "Os documentos mais próximos estão abaixo.",
    },
    "“Ask a human” brings it to a colleague.": {
        "de": "„Ask a human“ legt es jemandem aus dem Team vor.",
        "pt": "“Ask a human” leva a pergunta a um colega.",
    },
    "A colleague may know more.": {
        "de": "Vielleicht weiß jemand aus dem Team mehr.",
        "pt": "Um colega talvez saiba mais.",
    },
    ASSUMED: {"de": "Ich nehme an, du meinst {label}.", "pt": "Presumi que queres dizer {label}."},
    AS_LAST_TIME: {"de": "Angenommen: {label}, wie beim letzten Mal.", "pt": "Presumi {label}, como da última vez."},
    AS_OWN["office"]: {"de": "Angenommen: {label}, dein Büro.", "pt": "Presumi {label}, o teu escritório."},
    AS_OWN["team"]: {"de": "Angenommen: {label}, dein Team.", "pt": "Presumi {label}, a tua equipa."},
    AS_OWN["department"]: {"de": "Angenommen: {label}, deine Abteilung.", "pt": "Presumi {label}, o teu departamento."},
    UNREAD: {"de": "{names} habe ich nicht gelesen.", "pt": "Não li {names}."},
    NOT_CONFIRMED: {
        "de": "Jemand aus dem Team hat meine Antwort geprüft und nicht bestätigt: {reason}",
        "pt": "Um colega viu a minha resposta e não a confirmou: {reason}",
    },
    EFFORTS["quick"]: {
        "de": "Eine schnelle Antwort: einmal gesucht, weniger geprüft.",
        "pt": "Uma resposta rápida: uma só pesquisa, menos verificações.",
    },
    EFFORTS["thorough"]: {
        "de": "Eine gründliche Antwort: mehr gesucht und geprüft.",
        "pt": "Uma resposta minuciosa: mais pesquisas e verificações.",
    },
    UNANSWERED: {
        "de": (
            "Auf „{question}“ habe ich keine sichere Antwort gefunden. Frag das allein, dann zeige ich, was dem am"
            " nächsten kommt."
        ),
        "pt": (
            "Não encontrei uma resposta segura para “{question}”. Pergunta só isso para veres o que está mais perto."
        ),
    },
    TAKEN_FOR_A_WISH: {
        "de": "„{phrase}“ habe ich als Wunsch gelesen, nicht als Teil der Frage.",
        "pt": "Li “{phrase}” como um pedido, não como parte da pergunta.",
    },
    CONSULTED: {
        "de": "Jemand aus dem Team wurde gebeten, das zu prüfen.",
        "pt": "Foi pedido a um colega que veja isto.",
    },
    UNREVIEWED: {
        "de": "Niemand aus dem Team konnte das rechtzeitig prüfen.",
        "pt": "Nenhum colega pôde ver isto a tempo.",
    },
    CAVEAT: {
        "de": "Ich bin nicht sicher, ob die Dokumente das alles stützen; bitte prüfe die Quellen.",
        "pt": "Não tenho a certeza de que os documentos sustentem tudo isto; verifica as fontes, por favor.",
    },
    FROM_WEB: {
        "de": "Kein Dokument beantwortet das, darum stammt dies aus dem Web. Niemand aus dem Team hat es geprüft.",
        "pt": "Nenhum documento responde a isto, por isso isto vem da Web. Ninguém da equipa o verificou.",
    },
    BY_WORDS: {
        "de": (
            "Diesmal wurden nur Wörter verglichen: die Suche nach Bedeutung geht nicht. Andere Wörter finden eher mehr."
        ),
        "pt": (
            "Desta vez só comparei palavras: a busca por significado não funciona. Outras palavras podem achar mais."
        ),
    },
    UNSEARCHED: {
        "de": "Die Dokumente ließen sich diesmal nicht durchsuchen, deshalb ist dies ohne sie.",
        "pt": "Desta vez não foi possível pesquisar os documentos, por isso isto é sem eles.",
    },
    LEFT_OUT: {
        "de": "Was die Dokumente nicht belegen, habe ich weggelassen.",
        "pt": "Deixei de fora o que os documentos não sustentam.",
    },
    CUT_SHORT: {
        "de": "Für die ganze Antwort war kein Platz; ihr Ende fehlt.",
        "pt": "Não houve espaço para toda a resposta; falta o fim.",
    },
    UNPROVED: {
        "de": "Was ich geschrieben hatte, hielt den Dokumenten nicht stand, deshalb zitiert dies sie.",
        "pt": "O que eu tinha escrito não batia certo com os documentos, por isso isto cita-os.",
    },
    "These are the documents' own sentences.": {
        "de": "Das sind die Sätze der Dokumente selbst.",
        "pt": "Estas são as próprias frases dos documentos.",
    },
    "The language model could not be reached, so this answer quotes the documents.": {
        "de": "Das Sprachmodell war nicht zu erreichen, deshalb zitiert diese Antwort die Dokumente.",
        "pt": "O modelo de linguagem não respondeu, por isso esta resposta cita os documentos.",
    },
    "Do you mean {options}?": {"de": "Meinst du {options}?", "pt": "Queres dizer {options}?"},
    "Which one do you mean?": {"de": "Was davon meinst du?", "pt": "A qual te referes?"},
    "Which “{name}” do you mean?": {"de": "Welches „{name}“ meinst du?", "pt": "A que “{name}” te referes?"},
    "Near which city or postcode? For example: “{kinds} near Berlin”.": {
        "de": "In der Nähe welcher Stadt oder Postleitzahl? Zum Beispiel: „{kinds} in der Nähe von Berlin“.",
        "pt": "Perto de que cidade ou código postal? Por exemplo: “{kinds} perto de Berlim”.",
    },
    "{kinds} near {where}": {"de": "{kinds} in der Nähe von {where}", "pt": "{kinds} perto de {where}"},
    "open on {day}": {"de": "geöffnet am {day}", "pt": "aberto: {day}"},
    "about {distance}": {"de": "etwa {distance}", "pt": "cerca de {distance}"},
    "Map": {"de": "Karte", "pt": "Mapa"},
    "No {kinds} within {km} km of {where} is in the directory. The nearest:": {
        "de": (
            "Im Umkreis von {km} km um {where} steht nichts von der Art „{kinds}“ im Verzeichnis. Am nächsten liegt:"
        ),
        "pt": "A lista não tem {kinds} a menos de {km} km de {where}. O mais próximo:",
    },
    "No {kinds} near {where} is listed as {wish}. These are near:": {
        "de": "Von keinem Eintrag der Art „{kinds}“ nahe {where} sagt das Verzeichnis: {wish}. In der Nähe liegen:",
        "pt": "Segundo a lista, perto de {where} não há {kinds} que cumpra: {wish}. Ficam perto:",
    },
    WHICH_DOCUMENT: {
        "de": "Ich habe keine sichere Antwort gefunden. Um welches davon geht es?",
        "pt": "Não encontrei uma resposta segura. De qual destes se trata?",
    },
    "{listed} or {last}": {"de": "{listed} oder {last}", "pt": "{listed} ou {last}"},
    "What does “{title}” say about “{heading}”?": {
        "de": "Was sagt „{title}“ über „{heading}“?",
        "pt": "O que diz “{title}” sobre “{heading}”?",
    },
    "The owner of “{title}” is {owner}": {
        "de": "Für „{title}“ ist {owner} verantwortlich",
        "pt": "Quem responde por “{title}” é {owner}",
    },
    "“{title}” is dated {dated}": {"de": "„{title}“ ist vom {dated}", "pt": "“{title}” tem a data de {dated}"},
    "older than {days} days": {"de": "älter als {days} Tage", "pt": "há mais de {days} dias"},
    "read by OCR": {"de": "durch Texterkennung gelesen", "pt": "lido por reconhecimento de texto"},
    FLAGGED["outdated"]: {
        "de": "„{title}“ wurde am {day} gemeldet und ist vielleicht veraltet.",
        "pt": "“{title}” foi assinalado em {day}: pode estar desatualizado.",
    },
    FLAGGED["wrong"]: {
        "de": "„{title}“ wurde am {day} gemeldet und ist vielleicht falsch.",
        "pt": "“{title}” foi assinalado em {day}: pode estar errado.",
    },
    FLAGGED["contradicted"]: {
        "de": "Seit {day} sagt ein anderes Dokument etwas anderes als „{title}“.",
        "pt": "Desde {day}, outro documento diz outra coisa do que “{title}”.",
    },
    STAYS_OPEN["no_such_option"]: {
        "de": "Oben stehen nur {count} Möglichkeiten. Schreib die Nummer oder den Namen von einer, oder eigene Worte.",
        "pt": "Acima há só {count} opções. Escreve o número ou o nome de uma, ou as tuas próprias palavras.",
    },
    STAYS_OPEN["rejects_all"]: {
        "de": "Dann schreib bitte in eigenen Worten, was du meinst, oder „vergiss es“.",
        "pt": "Então diz, por favor, por palavras tuas o que queres dizer, ou “esquece”.",
    },
    STAYS_OPEN["asks_what"]: {
        "de": (
            "Die Dokumente antworten darauf für jede der Möglichkeiten oben anders. Schreib die Nummer oder den"
            " Namen von einer, oder „egal“."
        ),
        "pt": (
            "Os documentos respondem a isto de forma diferente para cada opção acima. Escreve o número ou o nome"
            " de uma, ou “tanto faz”."
        ),
    },
    STAYS_OPEN["agrees"]: {
        "de": "Welche davon? Schreib die Nummer oder den Namen, oder „egal“.",
        "pt": "Qual delas? Escreve o número ou o nome, ou “tanto faz”.",
    },
    TAKEN_ABOVE: {
        "de": "Ich habe das als Antwort auf deine offene Frage oben verstanden und mache dort weiter.",
        "pt": "Entendi isto como a resposta à tua pergunta em aberto acima, e continuo lá.",
    },
    MEANS_NOTHING: {
        "de": "Was meinst du mit „{word}“? Hier wurde noch nichts gesagt, wofür es stehen könnte.",
        "pt": "O que queres dizer com “{word}”? Aqui ainda não se falou de nada a que isso se pudesse referir.",
    },
    GOES_ON_WITH_NOTHING: {
        "de": "Was möchtest du zu „{words}“ wissen? Hier wurde noch nichts gefragt.",
        "pt": "O que queres saber sobre “{words}”? Aqui ainda não se perguntou nada.",
    },
    IN_SHORT: {"de": "Kurz: {said}", "pt": "Em resumo: {said}"},
    YOU_ASKED: {"de": "Die Frage war: „{question}“", "pt": "A pergunta foi: “{question}”"},
    THE_ANSWER_WAS: {"de": "Die Antwort war:", "pt": "A resposta foi:"},
    THE_SOURCE_WAS: {"de": "Die Quelle war {titles}.", "pt": "A fonte foi {titles}."},
    THE_SOURCES_WERE: {"de": "Die Quellen waren: {titles}.", "pt": "As fontes foram: {titles}."},
    IF_IT_IS_WRONG: {
        "de": (
            "Wenn sie falsch ist, klick darunter auf „Bad answer“ und sag, warum. Wenn ich dich falsch verstanden"
            " habe, frag es mit anderen Worten."
        ),
        "pt": (
            "Se estiver errada, clica em “Bad answer” por baixo dela e diz porquê. Se te entendi mal, pergunta por"
            " outras palavras."
        ),
    },
    REFERS_TO_NOTHING: {
        "de": "Ich weiß nicht, worauf sich „{words}“ bezieht. Bitte frag in ein paar Worten.",
        "pt": "Não sei a que se refere “{words}”. Pergunta em poucas palavras, por favor.",
    },
    UNCLEAR: {
        "de": "Was ist unklar? Sag es in ein paar Worten, dann sehe ich noch einmal nach.",
        "pt": "O que não está claro? Diz em poucas palavras e volto a procurar.",
    },
    HERE: {"de": "Ich bin da. Frag jederzeit.", "pt": "Estou aqui. Pergunta quando quiseres."},
    IN_ITS_THREAD: {
        "de": "Eigene Worte zählen in ihrem Thread oben.",
        "pt": "As tuas próprias palavras contam na conversa dela, acima.",
    },
    "Hello!": {"de": "Hallo!", "pt": "Olá!"},
    "You're welcome. Ask me any time.": {
        "de": "Gern geschehen. Frag jederzeit.",
        "pt": "De nada. Pergunta quando quiseres.",
    },
    GIVEN_UP: {"de": "In Ordnung. Frag jederzeit.", "pt": "Está bem. Pergunta quando quiseres."},
    NOTHING_TO_READ: {
        "de": (
            "Ich habe keine Dokumente, die du lesen darfst. Wer mich verwaltet, kann sie mit `askback ingest`"
            " hinzufügen."
        ),
        "pt": "Não tenho documentos que possas ler. Quem gere o Askback pode acrescentá-los com `askback ingest`.",
    },
    IS_IT_THE_SAME: {
        "de": "Für {kept} hat das jemand beantwortet: „{question}“ Gilt das auch für {asked}?",
        "pt": "Para {kept}, alguém já respondeu a isto: “{question}” É igual para {asked}?",
    },
    "Yes": {"de": "Ja", "pt": "Sim"},
    "No": {"de": "Nein", "pt": "Não"},
    VERIFIED_BY: {"de": "Bestätigt von @{name}, {day}.", "pt": "Confirmado por @{name}, {day}."},
    CHANGED_SINCE: {"de": "„{title}“ wurde seitdem geändert.", "pt": "“{title}” mudou entretanto."},
    GONE_SINCE: {
        "de": "„{title}“ ist nicht mehr unter den Dokumenten.",
        "pt": "“{title}” já não está entre os documentos.",
    },
    WAS_VALID: {
        "de": "„{title}“ galt bis {day}; etwas Neueres wurde nicht gefunden.",
        "pt": "“{title}” era válido até {day}; não encontrei nada mais recente.",
    },
    "Newer than this answer ({named}):": {
        "de": "Neuer als diese Antwort ({named}):",
        "pt": "Mais recente do que esta resposta ({named}):",
    },
    "A newer version ({named}) says:": {
        "de": "Eine neuere Fassung ({named}) sagt:",
        "pt": "Uma versão mais recente ({named}) diz:",
    },
    "Reckoned from {day}: {end}": {"de": "Gerechnet ab {day}: {end}", "pt": "A contar de {day}: {end}"},
}
