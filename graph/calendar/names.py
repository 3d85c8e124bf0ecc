"""The names of months and weekdays in several languages (pure)."""

from typing import Final

_MONTHS: Final = (
    "january february march april may june july august september october november december",
    "jan feb mar apr may jun jul aug sep oct nov dec",
    "januar februar märz april mai juni juli august september oktober november dezember",
    "jan feb mär apr mai jun jul aug sep okt nov dez",
    "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
)
"""Short names in English and German only: "out" and "set" are months in Portuguese, and words elsewhere."""
_IN_TITLES: Final = 5
"""How many of these are in English, German and Portuguese."""


def _numbered(*lists: str) -> dict[str, int]:
    return {"sept": 9, **{name: number for names in lists for number, name in enumerate(names.split(), start=1)}}


MONTHS: Final = _numbered(*_MONTHS)
MONTHS_IN_TITLES: Final = _numbered(*_MONTHS[:_IN_TITLES])
"""Without other languages: Julio, Mayo and Mars are names, and "Interview Mayo 2024" is no version of another."""

ENGLISH_MONTHS: Final = tuple(_MONTHS[0].split())
DAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
"""In English, the first day of the week first."""
WEEK: Final = len(DAYS)
WEEKDAYS: Final = {
    "monday": 0, "montag": 0, "segunda": 0,
    "tuesday": 1, "dienstag": 1, "terça": 1,
    "wednesday": 2, "mittwoch": 2, "quarta": 2,
    "thursday": 3, "donnerstag": 3, "quinta": 3,
    "friday": 4, "freitag": 4, "sexta": 4,
    "saturday": 5, "samstag": 5, "sonnabend": 5, "sábado": 5,
    "sunday": 6, "sonntag": 6, "domingo": 6,
}  # fmt: skip
"""In English, German and Portuguese, each in the singular; in the plural, all end in s."""
SHOWN_DAYS: Final = {
    "en": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
    "de": ("Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag", "Sonntag"),
    "pt": ("segunda-feira", "terça-feira", "quarta-feira", "quinta-feira", "sexta-feira", "sábado", "domingo"),
}
"""The same as people read them, by the languages that the bot speaks."""
