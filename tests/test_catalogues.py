"""Everything is said in every language, with the plurals that it has."""

import ast
import importlib.util
import re
import string
import subprocess
import sys
from pathlib import Path

import pytest
from babel.messages.mofile import read_mo
from babel.messages.plurals import get_plural
from babel.messages.pofile import read_po

from crownhead import words as app_words
from crownhead.rules import titles
from crownhead.rules import words as rules_words
from crownhead.rules.catalogue import Language, Plural, language_named
from crownhead.rules.ending import Count, End, Outcome
from crownhead.rules.errors import MissingCatalogue, UnknownLanguage
from crownhead.rules.message import Message, message
from crownhead.rules.position import Side
from crownhead.rules.variant import VARIANTS, DrawKind, DrawRule, Priority
from crownhead.rules.verdict import Rule

ROOT = Path(__file__).parents[1]

_spec = importlib.util.spec_from_file_location("catalogues", ROOT / ".ci" / "catalogues.py")
catalogues = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(catalogues)

OTHERS = [language for language in Language if language is not Language.ENGLISH]
CASES = [
    pytest.param(catalogue, texts, language, id=f"{catalogue.domain}-{language}")
    for catalogue, texts in catalogues.all_texts()
    for language in OTHERS
]

AS_IN_ENGLISH = {
    "list.comma": "a comma is a comma, but not in Chinese",
    "about.comma": "so is a semicolon, but not in Greek and Chinese",
    "about.draw": "a number, a sign and a name",
    "title-of-move": "two names with a colon",
    "settled": "two names with a comma",
    "camera": "the Vietnamese word",
}
"""Keys of texts that may be the same in another language, and why."""

ENGLISH_WORDS = set(
    re.findall(
        r"\w+",
        "the is are was were and or not of a an piece pieces man men king kings move moves capture"
        " captured square board white black turn drawn legal illegal jumps side with from on to",
    )
)
"""Words that stand in no sentence of another language."""

SAMPLES = {
    "seen": "32-28",
    "move": "32-28",
    "square": "c3",
    "choices": ("32-28", "31-27", "33-29"),
    "example": "32-28",
    "first": "1",
    "last": "50",
    "priority": Priority.MOST_THEN_KINGS,
}


def forms(string) -> tuple[str, ...]:
    return tuple(string) if isinstance(string, tuple | list) else (string,)


def braces(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


def catalog_of(catalogue, language):
    with catalogues.path_of(catalogue, language).open("rb") as file:
        return read_po(file, locale=language.folder)


@pytest.mark.parametrize(("catalogue", "texts", "language"), CASES)
def test_every_text_is_translated_and_no_other(catalogue, texts, language):
    catalog = catalog_of(catalogue, language)
    found = {message.context: message for message in catalog if message.id}
    assert set(found) == set(texts)
    assert not catalog.obsolete
    for key, text in texts.items():
        one = found[key]
        assert not one.fuzzy, key
        ids = (text.one, text.other) if isinstance(text, Plural) else (text,)
        assert forms(one.id) == ids, f"{key} has changed; run `make words`"
        wanted = get_plural(language.folder).num_plurals
        assert len(forms(one.string)) == (wanted if isinstance(text, Plural) else 1), key
        for form in forms(one.string):
            assert form, f"{key} is not translated"
            assert braces(form) == braces(ids[-1]), key
            assert form not in ids or key in AS_IN_ENGLISH, f"{key} is still English"
            assert form == form.strip() or key in ("list.comma", "about.comma"), key


@pytest.mark.parametrize("key", AS_IN_ENGLISH)
def test_exceptions_are_needed(key):
    same = [
        language
        for catalogue, texts, language in (case.values for case in CASES)
        if key in texts and catalogue.find(key, texts[key], language) == texts[key]
    ]
    assert same


@pytest.mark.parametrize(("catalogue", "texts", "language"), CASES)
def test_compiled_catalogues_are_those_of_the_translators(catalogue, texts, language):
    path = catalogues.path_of(catalogue, language)
    source = catalog_of(catalogue, language)
    with path.with_suffix(".mo").open("rb") as file:
        compiled = read_mo(file)
    said = {(m.context, forms(m.id)): forms(m.string) for m in compiled if m.id}
    assert said == {(m.context, forms(m.id)): forms(m.string) for m in source if m.id}
    # Run again, the tool would leave both as they are.
    again = catalogues.updated(source, texts, language, catalogue.domain)
    assert catalogues.po_text(again) == path.read_bytes()
    assert catalogues.mo_data(again) == path.with_suffix(".mo").read_bytes()


def sample(key: str, names: set[str], squares: int) -> Message:
    """A message of a key with something for each of its names."""
    filled = {}
    for name in names:
        if name == "squares":
            filled[name] = ("22", "23", "24")[:squares]
        elif name in ("limit", "rows", "number", "so_far", "allowed", "size"):
            filled[name] = squares
        else:
            filled[name] = SAMPLES.get(name, "7")
    return message(key, **filled)


SPOKEN = {**rules_words.TEXTS, **app_words.TEXTS}


@pytest.mark.parametrize("squares", [1, 3])
@pytest.mark.parametrize("language", OTHERS)
def test_every_sentence_can_be_said(language, squares):
    for key, text in SPOKEN.items():
        if key.startswith("list."):
            continue
        english = text.other if isinstance(text, Plural) else text
        side = key.rpartition(".")[2]
        told = sample(key, braces(english), squares)
        if side in ("white", "black"):
            told = message(key.rpartition(".")[0], side=Side(side), **dict(told.names))
        said = app_words.say(told, language)
        assert said
        assert not set("{}<>") & set(said), said
        left = ENGLISH_WORDS & set(re.findall(r"[^\W\d_]+", said.lower()))
        # "on" is Finnish for "is".
        assert not left - ({"on"} if language is Language.FINNISH else set()), said


@pytest.mark.parametrize(
    ("language", "one", "three"),
    [
        (
            Language.ENGLISH,
            "The piece on 22 left the board but was not captured.",
            "The pieces on 22, 23 and 24 left the board but were not captured.",
        ),
        (
            Language.VIETNAMESE,
            "Quân ở ô 22 bị nhấc khỏi bàn nhưng không bị ăn.",
            "Quân ở ô 22, 23 và 24 bị nhấc khỏi bàn nhưng không bị ăn.",
        ),
        (
            Language.FINNISH,
            "Ruudussa 22 ollut nappula poistettiin laudalta, vaikka sitä ei lyöty.",
            "Ruuduissa 22, 23 ja 24 olleet nappulat poistettiin laudalta, vaikka niitä ei lyöty.",
        ),
        (
            Language.GREEK,
            "Το πούλι στο 22 βγήκε από το ταμπλό χωρίς να έχει παρθεί.",
            "Τα πούλια στα 22, 23 και 24 βγήκαν από το ταμπλό χωρίς να έχουν παρθεί.",
        ),
        (
            Language.CHINESE,
            "22格的棋子沒有被吃，卻離開了棋盤。",
            "22、23和24格的棋子沒有被吃，卻離開了棋盤。",
        ),
    ],
)
def test_one_piece_and_three_take_their_own_forms(language, one, three):
    assert rules_words.say(message("lifted-in-vain", squares=("22",)), language) == one
    several = message("lifted-in-vain", squares=("22", "23", "24"))
    assert rules_words.say(several, language) == three


def test_a_long_list_is_cut_and_counted_in_the_right_number():
    moves = tuple(f"{n}-{n + 5}" for n in range(10, 19))
    assert rules_words.listed(moves[:7], Language.FINNISH).endswith("15-20 ja 1 muu")
    assert rules_words.listed(moves[:8], Language.FINNISH).endswith("15-20 ja 2 muuta")
    assert rules_words.listed(moves[:2], Language.CHINESE) == "10-15或11-16"


def test_chinese_sentences_stand_without_a_space_and_with_full_width_signs():
    told = (
        message("must-capture", side=Side.WHITE, seen="c3-b4"),
        message("play", choices=("c3:g7",)),
    )
    said = rules_words.tell(told, Language.CHINESE)
    assert said == "白方有子可吃，必須吃子；c3-b4沒有吃子。合法走法：c3:g7。"


@pytest.mark.parametrize("language", Language)
def test_rules_counts_ends_and_variants_have_names(language):
    rule_titles = [titles.rule_title(rule, language) for rule in Rule]
    assert len(set(rule_titles)) == len(Rule)
    for kind in DrawKind:
        draw = DrawRule(kind, 25)
        counted = titles.count_text(Count(draw, 7), language)
        assert "7" in counted
        assert "25" in counted
        assert "25" in titles.outcome_text(Outcome(None, End.DRAW, draw), language)
    for end in (End.NO_PIECES, End.BLOCKED, End.RESIGNED, End.FORFEITED):
        lost = [titles.outcome_text(Outcome(side, end), language) for side in Side]
        assert lost[0] != lost[1]
    assert titles.outcome_text(Outcome(None, End.AGREED), language)
    for variant in VARIANTS.values():
        assert titles.variant_title(variant, language)
        lines = titles.describe(variant, language)
        assert len(lines) == 6
        assert not set("{}") & set("".join(lines))


def keys_in(path: Path) -> set[str]:
    """The keys of messages that a file names, where it calls `message` or `Finding`."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            continue
        place = {
            "message": 0,
            "Message": 0,
            "Finding": 1,
            "_removal": 0,
            "refused": 0,
            "word": 0,
        }.get(node.func.id)
        if place is None or len(node.args) <= place:
            continue
        found |= _texts_in(node.args[place])
    return found


def _texts_in(node: ast.expr) -> set[str]:
    """The texts that an expression may be; of what is put together, none."""
    if isinstance(node, ast.IfExp):
        return _texts_in(node.body) | _texts_in(node.orelse)
    is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return {node.value} if is_text else set()


def test_every_key_in_the_code_has_a_text():
    known = (
        rules_words.KEYS
        | {key.removesuffix(".white").removesuffix(".black") for key in app_words.TEXTS}
        | {key.removesuffix(".white").removesuffix(".black") for key in titles.ABOUT}
    )
    used = set()
    for folder in ("rules", "crownhead", "webui"):
        for path in (ROOT / folder).glob("*.py"):
            used |= keys_in(path)
    assert {"must-capture", "lifted-in-vain", "legal", "refused-over", "looking"} <= used
    assert used - known == set()


def test_nothing_is_opened_to_speak_english():
    code = (
        "import sys; from crownhead.__main__ import main\n"
        "sys.argv[1:] = ['judge', 'international', '32-28']\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print([name for name in sys.modules if name.split('.')[0] in ('babel', 'numpy', 'cv2')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_language_is_found_by_its_tag():
    assert language_named("ZH_hant") is Language.CHINESE
    with pytest.raises(UnknownLanguage, match=r"no texts in 'sv'.*en, vi, fi, el, zh-Hant"):
        language_named("sv")


def test_a_catalogue_that_is_not_there_is_said_to_be_missing(tmp_path):
    lost = type(rules_words.RULES)(tmp_path, "rules")
    with pytest.raises(MissingCatalogue, match="install the program again"):
        lost.find("play", "Legal", Language.FINNISH)
