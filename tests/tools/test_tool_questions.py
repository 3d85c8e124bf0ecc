"""Questions that a tool answers alone, and questions that are for documents."""

from dataclasses import replace

import pytest

from bot.tools.toolbox import Toolbox, built_in
from graph.text.tool_questions import calls_in

TODAY = "2026-11-25"
ANSWERED = [
    ("What is 3 x 145?", "= 435"),
    ("what's 12.5 * 8", "12.5 × 8 = 100"),
    ("How much is 1,250 + 330?", "= 1580"),
    ("Calculate (120 + 80) / 4", "= 50"),
    ("What is 15% of 80?", "= 12"),
    ("what is 0.1 + 0.2", "= 0.3"),
    ("What is 144 divided by 12?", "= 12"),
    ("What is 2 ^ 10?", "= 1024"),
    ("Was ist 3 mal 1.250,50?", "= 3751.5"),
    ("Wie viel ist 19 Prozent von 200?", "= 38"),
    ("Quanto é 7 vezes 8?", "= 56"),
    ("What is 10 / 3?", "≈ 3.3333333333"),
    ("How many working days between 3 March and 14 March 2025?", "10 working days"),
    ("How many working days are there between 14 April 2025 and 25 April 2025 in Germany?", "8 working days"),
    ("How many days between 2025-01-01 and 2025-02-01?", "31 days"),
    ("Wie viele Arbeitstage liegen zwischen dem 3. März 2025 und dem 14. März 2025?", "10 working days"),
    ("What day of the week is 14 March 2025?", "Friday"),
    ("What date is 10 working days after 3 March 2025?", "Monday, 17 March 2025"),
    ("Which date is 1 month after 2025-01-31?", "28 February 2025"),
    ("What date is 90 days from today?", "23 February 2027"),
]
WITH_UNITS = [
    ("What is 3 km + 500 m?", "= 3.5 km"),
    ("How much is 2 hours and 45 minutes plus 90 minutes?", "= 4 h 15 min"),
    ("Was sind 2 Stunden und 45 Minuten plus 90 Minuten?", "= 4 h 15 min"),
    ("What is 5 % of 2,400 EUR?", "= 120 EUR"),
    ("What is €145 x 3?", "= 435 EUR"),
    ("Wie viel ist 19 Prozent von 1.200,50 EUR?", "= 228.095 EUR"),
    ("What is 3 km + 2 hours?", "km and h are not alike"),
]
BARE = [
    ("3 × 145 EUR + 19%", "= 517.65 EUR"),
    ("15% of 80", "= 12"),
    ("(3+4)*5 =", "= 35"),
    ("435 EUR / 3", "= 145 EUR"),
    ("1,200 * 3", "= 3600"),
    ("2 hours and 45 minutes plus 90 minutes", "= 4 h 15 min"),
    ("3 mal 4", "= 12"),
]
"""Sums with no question around them."""
CONVERTED = [
    ("5 km in miles", "≈ 3.1068559612 miles"),
    ("What is 5 km in miles?", "5 km in miles: 5 × 1000 ÷ 1609.344 ≈ 3.1068559612 miles"),
    ("How many miles are 5 km?", "≈ 3.1068559612 miles"),
    ("68 °F in °C", "68 °F in °C: (68 − 32) × 5 ÷ 9 = 20 °C"),
    ("What is -40 degrees Celsius in Fahrenheit?", "= -40 °F"),
    ("2.5 h in minutes", "2.5 h in minutes: 2.5 × 3600 ÷ 60 = 150 minutes"),
    ("How many minutes are there in 2.5 hours?", "= 150 minutes"),
    ("Convert 180 lb to kg", "180 lb in kg: 180 × 0.45359237 = 81.6466266 kg"),
    ("Wie viel sind 2,5 Stunden in Minuten?", "= 150 Minuten"),
    ("Rechne 68 Grad Fahrenheit in Celsius um", "= 20 °C"),
    ("Quanto é 1.200 m em km?", "= 1.2 km"),
]
FOR_DOCUMENTS = """
How many vacation days do I have?
How many working days does a contractor work between 3 March and 14 March 2025?
How many days of leave do I get between May and July?
What is 24/7 support?
What is 9/11?
What is the limit?
What is 3 x 145?! And who approves it?
What does 3 nights in Porto cost?
How much is a night in Lisbon?
How much is the allowance for 3 nights?
What is the VPN?
What is 802.11ac?
What is ISO 27001?
What is the 50-30-20 rule?
What is 2.5?
What is 3-4?
What is version 1.8.0?
What are the 3 + 1 benefits?
What is the deadline on 14 March 2025?
What day is the all-hands?
Which date is the release?
What is due 14 March 2025?
What changed between 3 March and 14 March 2025?
How many days off are there between Christmas and New Year?
How many days do I have to file expenses?
How many people work in Berlin?
Calculate my travel allowance.
Compute the bonus for grade 7
Work out what I owe
What date is payday?
What date is 10 days after my probation ends?
Wie viele Urlaubstage habe ich?
Wie viele Tage dauert die Probezeit?
Was ist das Limit für 3 Nächte?
Was ist 24/7?
Berechne meinen Bonus
Quantos dias de férias tenho?
Quanto é o subsídio?
Is 25 the number of vacation days?
Do we get 25 days plus 5?
15% of salary?
3 x 145
Who approves 3 x 145 EUR?
What is the price per seat x 145?
What is Plan B + C?
How much is VAT in Germany?
What is 50% off?
What is room 3 / 145?
When is 14 March 2025 reviewed?
What is the weekday rota?
""".strip().splitlines()


def test_the_questions_are_as_many_as_promised() -> None:
    assert (20, 50) == (len(ANSWERED), len(FOR_DOCUMENTS))


@pytest.mark.parametrize(("question", "said"), [*ANSWERED, *WITH_UNITS, *BARE, *CONVERTED])
async def test_a_tool_answers(question: str, said: str) -> None:
    (call,) = calls_in(question, TODAY)

    # The first call for a country loads its calendar, which takes a busy machine seconds.
    patient = {name: replace(tool, seconds=60.0) for name, tool in built_in().items()}

    assert said in (await Toolbox(patient).use(call))[0]["text"]


@pytest.mark.parametrize("question", FOR_DOCUMENTS)
def test_no_tool_is_called_for_what_documents_say(question: str) -> None:
    assert [] == calls_in(question, TODAY)


@pytest.mark.parametrize(
    "said",
    [
        "10 - 12 EUR",
        "10 - 20%",
        "9/11",
        "100%",
        "2026-11-27",
        "+49 40 123456",
        "1.200 * 3",
        "v1.2 + v1.3",
        "Ben + 1",
        "1.200 m in km",
    ],
)
def test_what_may_be_something_else_than_a_sum_is_not_computed(said: str) -> None:
    assert [] == calls_in(said, TODAY)


@pytest.mark.parametrize(
    "question",
    [
        "What is 100 EUR in USD?",
        "What is 10 GB in the Team plan?",
        "What is 2 m in Porto?",
        "2 days in May",
        "How many days are 3 weeks of leave?",
        "How many working days are 3 weeks?",
        "3 km in h",
        "5 km in km",
    ],
)
def test_what_is_not_between_units_of_one_measure_is_not_converted(question: str) -> None:
    assert [] == calls_in(question, TODAY)


@pytest.mark.parametrize("question", ["What is 3 apples + 4 pears?", "What is 3 x 2 hours and 5 minutes?"])
def test_a_sum_of_other_things_or_one_that_can_be_read_in_two_ways_is_not_computed(question: str) -> None:
    assert [] == calls_in(question, TODAY)
