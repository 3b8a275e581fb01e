"""PDN files: read whatever is met in them, write PDN 3.0.

The reader takes one game after another. A game that cannot be read to its end keeps what
could be read and says where it stopped; the next game is found again at the next tag or at
the next end of a game.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import BinaryIO, TextIO

from crownhead.rules.errors import UnreadableGame

_TAG_START = re.compile(r'\s*\[\s*([A-Za-z]\w*)\s+"')
_TAG = re.compile(r'\s*\[\s*([A-Za-z]\w*)\s+"((?:[^"\\\n]|\\.)*)"\s*\]')
# Quotes that nobody escaped: the value ends at the last quote of the line.
_LOOSE_TAG = re.compile(r'\s*\[\s*([A-Za-z]\w*)\s+"([^\n]*)"[^\S\n]*\]?[^\S\n]*(?=\n|\Z)')
_SQUARE = r"(?:[a-lасев]\s?\d{1,2}|\d{1,2})(?!\d)"
_RESULT = r"1/2-1/2|½-½|\d+\.\d+-\d+\.\d+|[012]\s?-\s?0|0\s?-\s?[12]|1\s?-\s?1"
_TOKEN = re.compile(
    rf"""
      (?P<space>\s+)
    | (?P<line>^%[^\n]*)
    | (?P<strength>\([!?]+\)|[!?]+)
    | (?P<glyph>\$\d+)
    | (?P<setup>/\s*FEN\s*"(?P<fen>[^"]*)"\s*/)
    | (?P<result>(?:{_RESULT})(?![\w/-]))
    | (?P<number>\d+\s*\.+|\.\.+)
    | (?P<unknown>-\s*-)
    | (?P<move>{_SQUARE}(?:\s*[-–x×х:]\s*{_SQUARE})+(?:\s*<[^>\n]*>)?
        |(?:[a-l]\d{{1,2}}){{2,}}|\d{{3,4}}(?!\d))
    | (?P<bare>\d{{1,2}}(?!\d))
    | (?P<star>\*)
    | (?P<comment>\{{)
    | (?P<variation>\()
    | (?P<stray>[)}}.,;])
    """,
    re.VERBOSE | re.MULTILINE | re.IGNORECASE | re.ASCII,
)

_GAME_END = re.compile(rf"(?:^|\s)(?:\*|{_RESULT})\s*$")

CHUNK = 1 << 20
"""Files are looked through in pieces of so many bytes."""

LONG_BLOCK, LONGEST_BLOCK = 1 << 20, 16 << 20
"""Games without tags are read together up to so many characters: beyond the first they are parted
at the next end of a game, at the second wherever that is."""

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_LONGEST_MARK = max(len(mark) for mark, _ in _MARKS)
_HIGH = re.compile(rb"[\x80-\xff]+")
_WESTERN = bytes(set(range(256)) - {0x81, 0x8D, 0x8F, 0x90, 0x9D})

_BLANK = re.compile(r"\s*")
_WORD = re.compile(r"\s+|\S+")
_FIRST_NUMBER = re.compile(r"0*1\s*\.")
_VARIATION_SIGN = re.compile(r"\([!?]+\)|[(){]")
_BEFORE_TAGS = re.compile(r"(?:\s+|^%[^\n]*)+", re.MULTILINE)

_ALIASES = {
    "Bianco": "White",
    "Nero": "Black",
    "Risultato": "Result",
    "P1": "White",
    "P2": "Black",
    "Setup": "SetUp",
}
"""Foreign names of tags, and the standard's."""


@dataclass(frozen=True, slots=True)
class PdnMove:
    """A move as it stands in a file, with its glyphs and the comments after it."""

    text: str
    line: int
    column: int
    glyphs: tuple[str, ...] = ()
    comments: tuple[str, ...] = ()

    @property
    def is_unknown(self) -> bool:
        """Whether the file says that the move is not known."""
        return set(self.text) <= {"-", " "}


@dataclass(frozen=True, slots=True)
class PdnSetup:
    """A set-up command in the moves: the position is this from here on."""

    fen: str
    line: int
    column: int
    comments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PdnProblem:
    """What could not be read, and where; lines and columns count from 1."""

    line: int
    column: int
    text: str


@dataclass(frozen=True, slots=True)
class PdnGame:
    """One game of a file.

    ``items`` are its moves and set-up commands in order, without variations. ``result`` is
    that at the end of the moves, else the Result tag's, else ``*``. ``black_begins`` says that
    the first move number leaves White's move out. ``problem`` is where reading stopped, if it
    did before the end.
    """

    number: int
    line: int
    tags: tuple[tuple[str, str], ...] = ()
    items: tuple[PdnMove | PdnSetup, ...] = ()
    comment: str = ""
    result: str = "*"
    black_begins: bool = False
    problem: PdnProblem | None = None

    def tag(self, name: str) -> str | None:
        """Return a tag's value by its standard name; foreign names are known. None if absent."""
        for its_name, value in self.tags:
            if name.lower() in (its_name.lower(), _ALIASES.get(its_name, its_name).lower()):
                return value
        return None

    @property
    def moves(self) -> tuple[PdnMove, ...]:
        """The moves alone."""
        return tuple(item for item in self.items if isinstance(item, PdnMove))


def decode_pdn(data: bytes) -> str:
    """Decode a whole file, in the encoding that `encoding_of` finds."""
    return data.decode(encoding_of([data]), "replace")


def encoding_of(chunks: Iterable[bytes]) -> str:
    """Return the encoding of a file: UTF-8 or UTF-16 by their marks, UTF-8, Windows-1251 or -1252.

    Cyrillic words are runs of high bytes, Western letters with accents stand alone among ASCII
    letters; that decides between the last two. Five bytes mean nothing in Windows-1252; a file that
    has one of them is Latin-1.

    Args:
        chunks: the file in pieces of any size, in order; none is kept.
    """
    utf8: codecs.IncrementalDecoder | None = codecs.getincrementaldecoder("utf-8")()
    runs = _Runs()
    is_western = True
    begin = b""
    for chunk in chunks:
        if len(begin) < _LONGEST_MARK:
            begin += chunk[:_LONGEST_MARK]
            for mark, encoding in _MARKS:
                if begin.startswith(mark):
                    return encoding
        if utf8 is not None:
            try:
                utf8.decode(chunk)
            except UnicodeDecodeError:
                utf8 = None
        is_western = is_western and not chunk.translate(None, _WESTERN)
        runs.add(chunk)
    if utf8 is not None:
        with suppress(UnicodeDecodeError):
            utf8.decode(b"", final=True)
            return "utf-8"
    runs.close()
    if runs.in_words > runs.single:
        return "cp1251"
    return "cp1252" if is_western else "latin-1"


class _Runs:
    """Counts high bytes that stand alone, and those in runs, over the pieces of a file."""

    def __init__(self) -> None:
        self.single = self.in_words = 0
        self._run = 0

    def add(self, chunk: bytes) -> None:
        """Take the next piece; a run may go on from one to the next."""
        for found in _HIGH.finditer(chunk):
            if found.start() > 0:
                self.close()
            self._run += found.end() - found.start()
        if chunk and chunk[-1] < 0x80:
            self.close()

    def close(self) -> None:
        """End the run that may go on."""
        if self._run == 1:
            self.single += 1
        else:
            self.in_words += self._run
        self._run = 0


def open_pdn(path: Path) -> TextIO:
    """Open a file for `read_games`, in its own encoding; it is read twice and never held whole.

    Raises:
        OSError: it cannot be read.
        UnreadableGame: it is not a text.
    """
    stream: BinaryIO = path.open("rb")
    try:
        if not stream.seekable():
            # A pipe can be read but once.
            with stream as pipe:
                stream = BytesIO(pipe.read())
        is_text = True

        def chunks() -> Iterator[bytes]:
            nonlocal is_text
            while chunk := stream.read(CHUNK):
                is_text &= b"\0" not in chunk
                yield chunk

        encoding = encoding_of(chunks())
        if not is_text and encoding != "utf-16":
            raise UnreadableGame(f"{path} is not a text, so it holds no PDN")
        stream.seek(0)
        return TextIOWrapper(stream, encoding=encoding, errors="replace")
    except BaseException:
        stream.close()
        raise


def read_games(text: str | Iterable[str]) -> Iterator[PdnGame]:
    """Read games one by one, from a whole text or from its lines as they come.

    Of lines that come one by one no more than a game is held. Where no tag and no end of a game
    comes for very long (`LONGEST_BLOCK`), the text is cut there.
    """
    lines = _lines(text) if isinstance(text, str) else text
    number = 0
    for first_line, block in _blocks(lines):
        for game in _Reader(block, first_line).games():
            number += 1
            yield PdnGame(
                number,
                game.line,
                game.tags,
                game.items,
                game.comment,
                game.result,
                game.black_begins,
                game.problem,
            )


def _lines(text: str) -> list[str]:
    # `splitlines` would also split at form feeds and the like, and then count lines as no
    # editor does.
    return [f"{line}\n" for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n")]


def _blocks(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Split lines before the first tag of each game; yield (number of first line, text)."""
    block: list[str] = []
    start, names, has_body, blank, size = 1, set[str](), False, False, 0
    for number, line in enumerate(lines, 1):
        tag = _TAG_START.match(line)
        if tag:
            name = tag.group(1).lower()
            begins = has_body or name in names or (blank and names and name == "event")
            if begins:
                yield start, "".join(block)
                block, start, names, has_body, size = [], number, set(), False, 0
            names.add(name)
            has_body = bool(line[_tags_end(line) :].strip())
            blank = False
        elif not line.strip():
            blank = True
        elif not line.startswith("%"):
            has_body = True
        block.append(line if line.endswith("\n") else f"{line.rstrip()}\n")
        size += len(line)
        if size > LONGEST_BLOCK or (size > LONG_BLOCK and _GAME_END.search(line)):
            yield start, "".join(block)
            block, start, names, has_body, size = [], number + 1, set(), False, 0
    if block:
        yield start, "".join(block)


def _tags_end(line: str) -> int:
    """Return where the tags at the beginning of a line end."""
    end = 0
    while found := _TAG.match(line, end) or _LOOSE_TAG.match(line, end):
        end = found.end()
    return end


class _Reader:
    """Parses one block: tags, then the moves of one game or of several."""

    def __init__(self, text: str, first_line: int) -> None:
        self.text = text
        self.first_line = first_line
        self.at = 0
        self._counted, self._counted_line, self._counted_start = 0, first_line, 0
        self._clear()

    def games(self) -> Iterator[PdnGame]:
        """Yield every game of the block."""
        self._read_tags()
        while self.at < len(self.text):
            game = self._step()
            if game is not None:
                yield game
        game = self._finish()
        if game is not None:
            yield game

    def _clear(self) -> None:
        self.tags: list[tuple[str, str]] = []
        self.items: list[PdnMove | PdnSetup] = []
        self.comment = ""
        self.black_begins = False
        self.problem: PdnProblem | None = None
        self.doubt: PdnProblem | None = None
        self.line = self._place()[0]

    def _place(self) -> tuple[int, int]:
        """Return the line and column of the reading position; it only ever moves forward."""
        count = self.text.count("\n", self._counted, self.at)
        if count:
            self._counted_start = self.text.rfind("\n", self._counted, self.at) + 1
        self._counted_line += count
        self._counted = self.at
        return self._counted_line, self.at - self._counted_start + 1

    def _read_tags(self) -> None:
        started = False
        while skipped := _BEFORE_TAGS.match(self.text, self.at):
            if not _TAG_START.match(self.text, skipped.end()):
                break
            self.at = skipped.end()
        while found := _TAG.match(self.text, self.at) or _LOOSE_TAG.match(self.text, self.at):
            if not started:
                self.at = found.start(1)
                self.line = self._place()[0]
                started = True
            value = re.sub(r'\\(["\\])', r"\1", found.group(2))
            self.tags.append((found.group(1), value))
            self.at = found.end()

    def _step(self) -> PdnGame | None:
        """Read one token; return the game if it ends one."""
        found = _TOKEN.match(self.text, self.at)
        if found is None:
            self._unreadable()
            return None
        kind = found.lastgroup if found.lastgroup != "fen" else "setup"
        token = found.group()
        line, column = self._place()
        glued = self.at > 0 and not self.text[self.at - 1].isspace()
        if not self.tags and not self.items and kind not in ("space", "line", "stray"):
            self.line = min(self.line, line) if self.comment else line
        self.at = found.end()
        match kind:
            case "comment":
                self._add_comment(self._comment_text())
            case "variation":
                self._skip_variation()
            case "strength" | "glyph":
                self._add_glyph(token)
            case "number":
                dots = token.count(".") > 1 or token.startswith("..")
                self.black_begins |= dots and not self.items
            case "setup":
                self._add(PdnSetup(found.group("fen"), line, column))
            case "move" | "unknown":
                self._add(PdnMove(" ".join(token.split()), line, column))
            case "result":
                return self._end_with("".join(token.split()))
            case "star":
                return self._star(glued)
        return None

    def _end_with(self, result: str) -> PdnGame | None:
        """End the game, unless moves go on that are not the first of another game."""
        following = _TOKEN.match(self.text, self._next_word())
        first = _FIRST_NUMBER.match(following.group()) if following else None
        kind = following.lastgroup if following else None
        if self.items and kind in ("move", "number", "unknown") and first is None:
            self.at = self._next_word()
            line, column = self._place()
            text = f"moves stand after the result {result}"
            self.problem = self.problem or PdnProblem(line, column, text)
            return None
        return self._finish(result)

    def _next_word(self) -> int:
        """Return where the next thing that is not blank begins."""
        blank = _BLANK.match(self.text, self.at)
        assert blank is not None
        return blank.end()

    def _star(self, glued: bool) -> PdnGame | None:
        """A star ends the game, or marks the move that it is glued to as forced."""
        following = self._next_word()
        is_last = following == len(self.text) or _FIRST_NUMBER.match(self.text, following)
        if glued and self.items and not is_last:
            self._add_glyph("*")
            return None
        return self._finish("*")

    def _unreadable(self) -> None:
        """Note what cannot be read and go on at the end of the game."""
        line, column = self._place()
        word = _WORD.match(self.text, self.at)
        assert word is not None
        self.at = word.end()
        bad = word.group().strip()
        if bad and self.doubt is None:
            shown = bad if len(bad) <= 40 else f"{bad[:37]}..."
            self.doubt = PdnProblem(line, column, f"cannot read {shown!r}")

    def _comment_text(self) -> str:
        """Return the comment that begins here and go behind it.

        The standard has no nested comments, files have: where another brace closes before
        the next one opens, the inner pair belonged to the comment.
        """
        start = self.at
        end = self._find("}", start)
        depth = self.text.count("{", start, end)
        while depth and end < len(self.text):
            after, opens = self._find("}", end + 1), self._find("{", end + 1)
            if after == len(self.text) or opens < after:
                break
            end, depth = after, depth - 1
        self.at = min(end + 1, len(self.text))
        return " ".join(self.text[start:end].split())

    def _find(self, sign: str, start: int) -> int:
        found = self.text.find(sign, start)
        return len(self.text) if found < 0 else found

    def _skip_variation(self) -> None:
        depth = 1
        for found in _VARIATION_SIGN.finditer(self.text, self.at):
            if found.start() < self.at:
                continue
            sign = found.group()
            if sign == "{":
                self.at = found.end()
                self._comment_text()
            elif sign in "()":
                depth += 1 if sign == "(" else -1
                self.at = found.end()
                if not depth:
                    return
        line, column = self._place()
        self.problem = self.problem or PdnProblem(line, column, "a variation is not closed")
        self.at = len(self.text)

    def _add(self, item: PdnMove | PdnSetup) -> None:
        # After something unreadable the moves no longer follow from one another. At the end
        # of a game it may stand: people write there what happened.
        self.problem = self.problem or self.doubt
        if self.problem is None:
            self.items.append(item)

    def _add_glyph(self, glyph: str) -> None:
        if self.items and isinstance(last := self.items[-1], PdnMove):
            self.items[-1] = PdnMove(
                last.text, last.line, last.column, (*last.glyphs, glyph), last.comments
            )

    def _add_comment(self, comment: str) -> None:
        if not self.items:
            self.comment = f"{self.comment} {comment}".strip()
            return
        last = self.items[-1]
        comments = (*last.comments, comment)
        if isinstance(last, PdnMove):
            self.items[-1] = PdnMove(last.text, last.line, last.column, last.glyphs, comments)
        else:
            self.items[-1] = PdnSetup(last.fen, last.line, last.column, comments)

    def _finish(self, result: str | None = None) -> PdnGame | None:
        """Return the game read so far, None if there is nothing of it."""
        if not self.items and self.problem is None:
            self.problem = self.doubt
        game = PdnGame(
            0,
            self.line,
            tuple(self.tags),
            tuple(self.items),
            self.comment,
            result or "*",
            self.black_begins,
            self.problem,
        )
        is_empty = not self.tags and not self.items and self.problem is None
        self._clear()
        if is_empty:
            return None
        return _with_result(game)


def _with_result(game: PdnGame) -> PdnGame:
    """Settle the result: at the end of the moves, or the tag's; scores like 4-6 included."""
    tag = (game.tag("Result") or "").strip()
    items, result = game.items, game.result
    if items and result == "*" and isinstance(last := items[-1], PdnMove):
        is_score = re.fullmatch(r"\d+-\d+", last.text) is not None
        if is_score and last.text == "".join(tag.split()):
            items, result = items[:-1], last.text
    if result == "*" and tag:
        result = tag
    return PdnGame(
        game.number,
        game.line,
        game.tags,
        items,
        game.comment,
        result,
        game.black_begins,
        game.problem,
    )
