class Stemmer:
    def stemWord(self, word: str) -> str: ...  # noqa: N802 - The library names it.

def stemmer(lang: str) -> Stemmer: ...
