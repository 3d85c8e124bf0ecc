"""The words of greetings, thanks and questions about the bot itself, in English, German and a little of others."""

GREETINGS = frozenset(
    """
        hi hello hey heya hiya yo howdy greetings morning afternoon evening hallo moin servus tag morgen abend tach
        doing going sup meet ya doin heyo wassup hanging goodnight
        """.split()
)
THANKS = frozenset(
    """
        thanks thank thx ty cheers great perfect awesome nice cool super prima danke dank goodbye bye haha hahaha
        lol obrigado obrigada gracias merci hilft tschüss tschüß ciao farewell appreciate appreciated helpful
        helped helps later thankful gratitude goodnight grateful
        """.split()
)
POLITE = frozenset(
    """
        good day night there everyone team bot askback buddy pal friend man guys oh ah ok okay well much lot many
        very help helping talking chatting talk chat see speak speaking soon how's what's it's things today really
        kind lovely fine got so again one everything schönen guten vielen sehr zusammen geht geht's dir hilfe been
        fun enjoyed special i'm you've how've around owe next sincere big way always whats hows pleasure glad happy
        welcome answering fast quick
        """.split()
)
PRAISED = frozenset("assistance assisting info information conversation life job work time reply answer".split())
"""What thanks are said for; without thanks a question may be about it."""
OF_ITSELF = frozenset(
    """
        know answer cover assist tell made make built created programmed designed designer manufactured company
        organization name named call called age old older living born birthday come came country place city robot
        human person computer ai artificial intelligence machine real live alive hobbies hobby hobbys free
        activities enjoy like pet pets animal animals dog dogs cat cats boss manager superior maker creator
        employer employed questions question topics subjects subject areas ask capable use sort sorts type types
        kind kinds speaking speak actual actually current year years secretly existence individual another
        different alles tun machen bescheid weißt kannst bist heißt topic anything something originally going go
        may makes responsible design creating brought conversation names by find say able
        """.split()
)
