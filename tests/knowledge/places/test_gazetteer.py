"""Cities and postcodes are found without a network, as people write them."""

import pytest

from bot.knowledge.places.gazetteer import gazetteer


@pytest.mark.parametrize(
    ("said", "first"),
    [
        ("Austin", "Austin, Texas"),
        ("austin tx", "Austin, Texas"),
        ("Austin, Minnesota", "Austin, Minnesota"),
        ("Austin (Austin, Minnesota)", "Austin, Minnesota"),
        ("San Marcos, Texas, USA", "San Marcos, Texas"),
        ("78701", "78701 Austin, Texas"),
        ("78701-1234", "78701 Austin, Texas"),
        ("München", "Munich, Germany"),
        ("munchen", "Munich, Germany"),
        ("Berlin, Deutschland", "Berlin, Germany"),
        ("Frankfurt", "Frankfurt am Main, Germany"),
        ("NYC", "New York City, New York"),
        ("sao paulo", "São Paulo, Brazil"),
        ("Lockhart, TX", "Lockhart, Texas"),
    ],
)
def test_a_city_or_postcode_is_found(said: str, first: str) -> None:
    assert first == gazetteer().find(said)[0].label


@pytest.mark.parametrize("said", ["99999", "Atlantisville", "Austin, Germany", "home", "me", "", ",", "the office"])
def test_what_is_no_city_is_not_found(said: str) -> None:
    assert [] == gazetteer().find(said)


def test_several_cities_of_one_name_come_largest_first_and_have_labels_of_their_own() -> None:
    found = gazetteer().find("Austin")

    assert ["Austin, Texas", "Austin, Minnesota"] == [one.label for one in found][:2]
    assert len(found) == len({one.label for one in found})
