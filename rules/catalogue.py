"""Languages, and the catalogues that say in each what the program says in English.

Catalogues are compiled by gettext's own tools and read with the standard library; one is opened
when something is first said in its language. A text is found by its key and its English words, so
an entry whose English has changed since is never used.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from gettext import GNUTranslations
from pathlib import Path

from crownhead.rules.errors import MissingCatalogue, UnknownLanguage


class Language(StrEnum):
    """A language that everything is said in, by its tag."""

    ENGLISH = "en"
    VIETNAMESE = "vi"
    FINNISH = "fi"
    GREEK = "el"
    CHINESE = "zh-Hant"

    @property
    def folder(self) -> str:
        """The name of the folder that holds its catalogues."""
        return self.value.replace("-", "_")

    @property
    def own_name(self) -> str:
        """What its speakers call it."""
        return _OWN_NAMES[self]

    @property
    def gap(self) -> str:
        """What stands between two sentences."""
        return "" if self is Language.CHINESE else " "


_OWN_NAMES = {
    Language.ENGLISH: "English",
    Language.VIETNAMESE: "Tiếng Việt",
    Language.FINNISH: "Suomi",
    Language.GREEK: "Ελληνικά",
    Language.CHINESE: "繁體中文",
}


def language_named(tag: str) -> Language:
    """Return the language of a tag, whatever the case of its letters.

    Raises:
        UnknownLanguage: nothing is said in that language.
    """
    for language in Language:
        if tag.lower().replace("_", "-") == language.value.lower():
            return language
    raise UnknownLanguage(
        f"there are no texts in {tag[:20]!r}; the languages are {', '.join(Language)}"
    )


@dataclass(frozen=True, slots=True)
class Plural:
    """A text whose form depends on how many there are of what fills the gap ``by``.

    English has the two forms given; other languages have their own number of them.
    """

    by: str
    one: str
    other: str


Text = str | Plural
"""A text in English, with names in braces."""


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The texts of one layer in every language.

    Attributes:
        folder: holds ``<language>/LC_MESSAGES/<domain>.mo``.
        domain: the name of the files.
    """

    folder: Path
    domain: str

    def find(
        self, key: str, english: Text, language: Language, names: Mapping[str, object] | None = None
    ) -> str:
        """Return a text in a language; its names are not filled in.

        Args:
            key: tells texts apart that are the same in English.
            english: the text, which is also what is returned where there is no other.
            language: to say it in.
            names: what will fill it; a number counts for itself, a tuple for its length.

        Raises:
            MissingCatalogue: the file of the language cannot be read.
        """
        if isinstance(english, str):
            if language is Language.ENGLISH:
                return english
            return _opened(self, language).pgettext(key, english)
        number = _number((names or {})[english.by])
        if language is Language.ENGLISH:
            return english.one if number == 1 else english.other
        return _opened(self, language).npgettext(key, english.one, english.other, number)


@cache
def _opened(catalogue: Catalogue, language: Language) -> GNUTranslations:
    path = catalogue.folder / language.folder / "LC_MESSAGES" / f"{catalogue.domain}.mo"
    try:
        with path.open("rb") as file:
            return GNUTranslations(file)
    except (OSError, ValueError) as error:
        raise MissingCatalogue(
            f"the texts in {language} cannot be read from {path}; install the program again"
        ) from error


def _number(value: object) -> int:
    return len(value) if isinstance(value, tuple) else int(str(value))


RULES = Catalogue(Path(__file__).with_name("locale"), "rules")
"""What the rules say."""
