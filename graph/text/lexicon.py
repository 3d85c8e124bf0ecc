"""Stop words, small words and number words of several languages."""

DENYING_CONTRACTIONS = frozenset(
    """
        ain't aren't can't couldn't didn't doesn't don't hadn't hasn't haven't isn't mightn't mustn't needn't shan't
        shouldn't wasn't weren't won't wouldn't
    """.split()
)
CONTRACTIONS = frozenset(
    """
        how'd how'll how're i'd i'll i'm i've it'd it'll she'd she'll that'd that'll there'll there're there've
        they'd they'll they're they've he'd he'll we'd we'll we're we've what'd what'll what're what've when'll when're
        where'd where're who'd who'll who're who've why'd y'all you'd you'll you're you've
    """.split()
)
"""Those in 's are read as possessives."""
ENGLISH = (
    CONTRACTIONS
    | DENYING_CONTRACTIONS
    | frozenset(
        """
        a about above after again all also am an and any are as at be been before being between both but by can
        cannot could did do does doing done down each few for from further get gets got had has have having he her
        here far long many much often hers him his how i if in into is it its just let me might more most
        must my no nor not now of off on once only onto or other our ours out over own please re same shall she
        should so some such than that the their theirs them then there these they this those through to too under
        until up us very was we were what when where which while who whom whose why will with would yes you your
        yours
        """.split()
    )
)
GERMAN = frozenset(
    """
        aber alle allem allen aller alles als also am an auch auf aus bei beim bin bis bitte da dann das dass dein
        deine dem den denn der des dich die dies diese dieser dieses dir doch du durch ein eine einem einen einer
        eines er es etwas euch euer für gibt hab habe haben hat hatte ich ihr ihre im in ins ist ja kann kannst
        kein keine können könnte man mein meine meinem meinen meiner mich mir mit muss nach nein nicht noch nur ob
        oder ohne schon sein seine sich sie sind so soll sollte über um und uns unser unsere unter vom von vor wann
        war waren warum was welche welchem welchen welcher welches wenn wer werden wie wieso will wir wird wo wurde
        lange oft viel viele wieviel zu zum zur darf darfst dürfen müssen musst sollen wollen
        """.split()
)
PORTUGUESE = frozenset(
    """
        a ainda ao aos as até com como da das de dela dele deve devo devem do dos e é ela ele eles em entre era essa
        esse esta está estão este eu fica foi há isso isto já lhe mais mas me mesmo meu minha meus minhas muito na
        nas não nem no nos nossa nosso num numa o onde ou para pela pelo pode podem podemos por porque posso preciso
        qual quais quando quanta quanto quantas quantos que quem se sem ser seu seus são sua suas também te tem têm
        temos tenho ter teu tua um uma você
        """.split()
)
SPANISH = frozenset(
    """
        al algo alguien aquí como con cómo cuál cuáles cuando cuándo cuánta cuántas cuánto cuántos de debo del desde
        dónde donde el ella ellos en eres es esa ese eso está esta están este esto estoy fue gracias ha hace hacer hasta
        hay hola la las le les lo los mi mis muy ni nos nosotros o para pero podemos por porque puede puedes puedo que
        qué quién quiénes se ser si sí sin sobre son su sus también te tengo tenemos tiene tienes tu un una unos y yo
        """.split()
)
FRENCH = frozenset(
    """
        à au aussi aux avec avons bonjour c'est ce cela ces cette chez combien comment d'un d'une dans de depuis des
        du elle elles en es est est-ce et être fait faut il ils j'ai je jusqu'à l'on la le les leur lui ma mais merci
        mes mon ne nos notre nous on ont ou où par pas peut peut-on peux pour pourquoi puis-je qu'est-ce quand que quel
        quelle quelles quels qui quoi sa sans ses si son sont sur ta te tes toi ton tu un une vers vos votre vous
        """.split()
)
ITALIAN = frozenset(
    """
        al alla anche c'è che chi ci come con cosa da dal dei del della delle di dopo dov'è dove e è fino gli ha hai ho
        i il in io la le lo ma mi mio nel nella noi non o per perché più posso può quale quali quando quanta quante
        quanti quanto quello questa questo se si sono su sul tra tu un una
        """.split()
)
DUTCH = frozenset(
    """
        aan als ben bij dan dat de deze die dit dus een en er geen had heb hebben heeft het hij hoe hoeveel ik in is je
        jij kan kun kunnen maar mag met mijn moet naar niet nog of om ook onze op over te tot u uit van veel voor waar
        waarom wanneer wat we wel welke werk wie wij wordt zijn zo
        """.split()
)
STOP_WORDS = ENGLISH | GERMAN | PORTUGUESE
"""Of the languages whose words we compare; those of the others would take words of meaning from these."""
SMALL_WORDS = {
    "en": ENGLISH,
    "de": GERMAN - ENGLISH,
    "pt": PORTUGUESE - ENGLISH,
    "es": SPANISH - ENGLISH,
    "fr": FRENCH - ENGLISH,
    "it": ITALIAN - ENGLISH,
    "nl": DUTCH - ENGLISH,
}
"""By language, without those of English; where several have as many, the first is meant."""
SHARED_WITH_ENGLISH = {"de": GERMAN & ENGLISH, "pt": PORTUGUESE & ENGLISH}
"""Of the languages that we speak: "was" and "no" stand in German and Portuguese questions, too."""
EVERY_SMALL_WORD = frozenset[str]().union(*SMALL_WORDS.values())
_SPELLED = (
    ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    ("null", "eins", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn", "elf", "zwölf"),
    ("zero", "um", "dois", "três", "quatro", "cinco", "seis", "sete", "oito", "nove", "dez", "onze", "doze"),
)
NUMBER_WORDS = {"duas": "2"} | {
    word: str(number) for row in _SPELLED for number, word in enumerate(row) if word != "um"
}
"""Without the Portuguese one, which is an article, and a German word."""
