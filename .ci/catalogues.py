"""Bring the catalogues of texts up to what the program says, and compile them.

Run it after a text was added or changed (``make words``): new texts come in without a translation,
changed ones lose theirs, unused ones go. The tests complain until every text is translated.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from crownhead import words as app_words
from crownhead.rules import titles
from crownhead.rules import words as rules_words
from crownhead.rules.catalogue import Catalogue, Language, Plural, Text
from crownhead.webui import words as page_words

HEADER = "# {language}: what {domain} says. Terms are explained in docs/glossary.\n"


def texts_of_rules() -> dict[str, Text]:
    """Return every text of the rules by its key."""
    terms = {
        rules_words.term_key(value): value.value for kind in rules_words.TERMS for value in kind
    }
    return {**rules_words.TEXTS, **terms, **titles.ABOUT, **titles.TITLES}


def all_texts() -> Iterator[tuple[Catalogue, Mapping[str, Text]]]:
    """Yield every catalogue with the texts that belong in it."""
    yield rules_words.RULES, texts_of_rules()
    yield app_words.APP, app_words.TEXTS
    yield page_words.PAGE, page_words.TEXTS


def path_of(catalogue: Catalogue, language: Language) -> Path:
    """Return the file that translators edit."""
    return catalogue.folder / language.folder / "LC_MESSAGES" / f"{catalogue.domain}.po"


class PlainCatalog(Catalog):
    """A catalogue whose header says nothing of dates and people: git knows them."""

    @property
    def mime_headers(self) -> list[tuple[str, str]]:
        """The header's lines."""
        return [
            ("Language", str(self.locale_identifier)),
            ("MIME-Version", "1.0"),
            ("Content-Type", "text/plain; charset=utf-8"),
            ("Content-Transfer-Encoding", "8bit"),
            ("Plural-Forms", self.plural_forms),
        ]


def read(path: Path, language: Language) -> Catalog:
    """Return what a file says; nothing if it is not there."""
    if not path.exists():
        return Catalog(locale=language.folder)
    with path.open("rb") as file:
        return read_po(file, locale=language.folder)


def updated(
    old: Catalog, texts: Mapping[str, Text], language: Language, domain: str
) -> PlainCatalog:
    """Return a catalogue of exactly these texts, with the translations that still fit."""
    new = PlainCatalog(
        locale=language.folder, header_comment=HEADER.format(language=language, domain=domain)
    )
    for key, text in texts.items():
        ids = (text.one, text.other) if isinstance(text, Plural) else text
        message = new.add(ids, context=key)
        known = old.get(ids, context=key)
        if known is not None and known.id == message.id:
            message.string = known.string
    return new


def po_text(catalog: Catalog) -> bytes:
    """Return a catalogue as the text of its file."""
    file = io.BytesIO()
    write_po(file, catalog, width=100, no_location=True)
    return file.getvalue()


def mo_data(catalog: Catalog) -> bytes:
    """Return a catalogue compiled."""
    file = io.BytesIO()
    write_mo(file, catalog)
    return file.getvalue()


def main() -> None:
    """Write every catalogue anew."""
    for catalogue, texts in all_texts():
        for language in Language:
            if language is Language.ENGLISH:
                continue
            path = path_of(catalogue, language)
            catalog = updated(read(path, language), texts, language, catalogue.domain)
            missing = sum(not all(_forms(message.string)) for message in catalog if message.id)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(po_text(catalog))
            path.with_suffix(".mo").write_bytes(mo_data(catalog))
            print(f"{path}: {len(texts)} texts, {missing} to be translated")


def _forms(string: object) -> tuple[str, ...]:
    return tuple(string) if isinstance(string, tuple | list) else (str(string),)


if __name__ == "__main__":
    main()
