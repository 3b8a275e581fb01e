import pytest

from crownhead.errors import CrownheadError
from crownhead.rules.catalogue import Language
from crownhead.rules.message import message
from crownhead.rules.position import Side
from crownhead.session import refused
from crownhead.watching import error_text
from crownhead.words import say, tell, word


def test_the_application_says_what_the_rules_say() -> None:
    told = (message("agreed"), message("settled-accepted"))
    assert tell(told) == ("The players agree on a draw. It was let stand, and the game went on.")
    assert tell(told, Language.CHINESE) == "雙方同意和棋。照算，棋局繼續。"


def test_a_sentence_about_a_side_is_inflected() -> None:
    turns = [say(message("to-move", side=side), Language.FINNISH) for side in Side]
    assert turns == ["Valkoisen vuoro", "Mustan vuoro"]
    assert say(message("to-move", side=Side.BLACK), Language.GREEK) == "Σειρά του Μαύρου"


def test_a_refusal_is_explained_in_the_language_of_who_asked() -> None:
    no = refused("refused-always-taken-back", variant="leaflet")
    assert str(no) == "in leaflet an illegal move is always taken back"
    assert error_text(no, Language.ENGLISH) == str(no)
    assert error_text(no, Language.FINNISH) == (
        "säännöissä leaflet laiton siirto otetaan aina takaisin"
    )


def test_another_error_keeps_its_own_words() -> None:
    assert error_text(CrownheadError("no room"), Language.GREEK) == "no room"


@pytest.mark.parametrize("language", Language)
def test_a_key_that_is_not_known_is_an_error(language: Language) -> None:
    with pytest.raises(KeyError):
        word("no-such-key", language)
