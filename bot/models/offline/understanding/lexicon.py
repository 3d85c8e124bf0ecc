"""The words that the offline rules go by; those that carry no meaning at all are in `graph.text.lexicon`."""

LINKS = frozenset("of for in at from with on to the a an and by as during und von für im bei mit der die das".split())
"""What joins the words of a topic."""
LIGHT = frozenset(
    """
        much many long often big far late early old new get gets need needs needed know tell mean means work works
        go going take takes come comes say says cost costs happen happens apply applies use find give given ok okay show
        explain want like think way thing things people someone main important good best different types type kinds
        kind viel viele lange oft groß bekomme bekommen brauche brauchen kostet kosten gilt gelten
        """.split()
)
"""Words that do not say what a question is about, though they are no small words of the language."""
NEEDS_AN_OBJECT = frozenset("pay sign apply ask report register approval permission zahlen bezahlen".split())
"""What "do I have to …?" leaves open without the question before it."""
