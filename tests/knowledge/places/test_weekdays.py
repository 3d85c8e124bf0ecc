"""On which weekdays a place is open, as people write their hours."""

import pytest

from bot.knowledge.places.weekdays import open_days

WORKING = [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("hours", "days"),
    [
        ("Mon-Fri 7:00-18:00; Sat 9-13", [*WORKING, 5]),
        ("Mo-Fr 08:00-18:00, Sa 09:00-12:00; Su off", [*WORKING, 5]),
        ("Monday to Friday 7am - 6pm", WORKING),
        ("Mon-Fri 9-17, Sat, Sun closed", WORKING),
        ("24/7", [*WORKING, 5, 6]),
        ("daily except Sunday 9-17", [*WORKING, 5]),
        ("closed on Sundays", [*WORKING, 5]),
        ("Montag bis Freitag 8–18 Uhr, Samstag geschlossen", WORKING),
        ("täglich außer montags 9-17", [1, 2, 3, 4, 5, 6]),
        ("Segunda a sexta-feira 9h-18h, sábado 9h-13h", [*WORKING, 5]),
        ("Fri-Mon 10-20", [0, 4, 5, 6]),
        ("Tue, Thu, Sat 10-14", [1, 3, 5]),
        ("Mon 9-12 / Tue 13-15", [0, 1]),
        ("Saturday 9:00-13:00; Sunday closed", [5]),
        ("Every day 9-17, except Sunday", [*WORKING, 5]),
        ("Everyday except Mondays 9-17", [1, 2, 3, 4, 5, 6]),
        ("Every day but Sunday", [*WORKING, 5]),
        ("All week 9-18, closed on Mondays", [1, 2, 3, 4, 5, 6]),
        ("Jeden Tag 9-18 Uhr, montags Ruhetag", [1, 2, 3, 4, 5, 6]),
        ("Todos os dias 9h-18h, exceto domingo", [*WORKING, 5]),
        ("Daily 9-17 (closed Mondays)", [1, 2, 3, 4, 5, 6]),
        ("Every day", [*WORKING, 5, 6]),
        ("24/7 except Sundays", [*WORKING, 5]),
        ("Office Mon-Fri 9-17, hotline 24/7", WORKING),
        ("Open 24 hours", [*WORKING, 5, 6]),
        ("24 h", [*WORKING, 5, 6]),
        ("Open 24 hours, closed on Sundays", [*WORKING, 5]),
        ("Mon-Fri open 24 hours", WORKING),
        ("By appointment, 24 hours notice", None),
        ("M-F 9-5", WORKING),
        ("M–F 9 a.m. – 5 p.m., Sa 10-2", [*WORKING, 5]),
        ("M-Th 9-5, F 9-1", WORKING),
        ("M, W-F 9-5", [0, 2, 3, 4]),
        ("M-S 9-5", None),
        ("M-F 9-5, S 10-2", None),
        ("Mon-Fri 9-17, closed Sat, Sun", WORKING),
        ("Mon-Fri 9-17 Sat closed", WORKING),
        ("Mon-Fri 9-17 closed on public holidays", WORKING),
        ("Closed Sun, Mon; Tue-Sat 9-17", [1, 2, 3, 4, 5]),
        ("Not open on Sunday", [*WORKING, 5]),
        ("Mon-Sat 9-17, Sun not open", [*WORKING, 5]),
        ("Mo-Sa 9-17, sonntags nicht geöffnet", [*WORKING, 5]),
        ("It isn’t open on Sundays", [*WORKING, 5]),
        ("Mon-Fri 9-17, not open before 9", WORKING),
        ("closed Sat, Sun, Mon-Fri 9-17", WORKING),
        ("Mon-Fri 8-18, Wed closed at 12", WORKING),
        ("Mon-Fri 8-18, Wed closed from noon", WORKING),
        ("Mo-Fr 8-18, Mi geschlossen ab 12 Uhr, Sa geschlossen", WORKING),
        ("Mon-Fri 9-18, closed from 12 to 14", WORKING),
        ("Mon-Sat 9-18, closed from Monday to Wednesday", [3, 4, 5]),
        ("9-17", None),
        ("by appointment", None),
        ("so far unknown, do call us", None),
        ("", None),
    ],
)
def test_hours_say_the_days(hours: str, days: list[int] | None) -> None:
    assert days == open_days(hours)
