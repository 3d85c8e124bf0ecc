"""The small words of the languages we know: those that carry no meaning, and the numbers that are written out."""

import re

ENGLISH = frozenset(
    re.findall(
        r"\S+",
        """
        a about above after again all also am an and any are as at be been before being between both but by can
        could did do does doing don done down each few for from further get gets got had has have having he her
        here far long many much often hers him his how i if in into is isn it its just let ll me might more most
        must my no nor not now of off on once only onto or other our ours out over own please re same shall she
        should so some such t than that the their theirs them then there these they this those through to too under
        until up us ve very was we were what when where which while who whom whose why will with would yes you your
        yours
        """,
    )
)
GERMAN = frozenset(
    re.findall(
        r"\S+",
        """
        aber alle allem allen aller alles als also am an auch auf aus bei beim bin bis bitte da dann das dass dein
        deine dem den denn der des dich die dies diese dieser dieses dir doch du durch ein eine einem einen einer
        eines er es etwas euch euer für gibt hab habe haben hat hatte ich ihr ihre im in ins ist ja kann kannst
        kein keine können könnte man mein meine meinem meinen meiner mich mir mit muss nach nein nicht noch nur ob
        oder ohne schon sein seine sich sie sind so soll sollte über um und uns unser unsere unter vom von vor wann
        war waren warum was welche welchem welchen welcher welches wenn wer werden wie wieso will wir wird wo wurde
        lange oft viel viele wieviel zu zum zur darf darfst dürfen müssen musst sollen wollen
        """,
    )
)
PORTUGUESE = frozenset(
    re.findall(
        r"\S+",
        """
        a ainda ao aos as até com como da das de dela dele deve devo devem do dos e é ela ele eles em entre era essa
        esse esta está estão este eu fica foi há isso isto já lhe mais mas me mesmo meu minha meus minhas muito na
        nas não nem no nos nossa nosso num numa o onde ou para pela pelo pode podem podemos por porque posso preciso
        qual quais quando quanta quanto quantas quantos que quem se sem ser seu seus são sua suas também te tem têm
        temos tenho ter teu tua um uma você
        """,
    )
)
STOP_WORDS = ENGLISH | GERMAN | PORTUGUESE
SMALL_WORDS = {"en": ENGLISH, "de": GERMAN - ENGLISH, "pt": PORTUGUESE - ENGLISH}
"""By language, without those of English; where several have as many, the first is meant."""
_SPELLED = (
    ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    ("null", "eins", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn", "elf", "zwölf"),
    ("zero", "um", "dois", "três", "quatro", "cinco", "seis", "sete", "oito", "nove", "dez", "onze", "doze"),
)
NUMBER_WORDS = {word: str(number) for row in _SPELLED for number, word in enumerate(row) if word != "um"}
"""Without the Portuguese one, which is an article, and a German word."""
