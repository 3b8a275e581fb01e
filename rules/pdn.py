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
from dataclasses import dataclass, replace
from io import TextIOBase, TextIOWrapper
from pathlib import Path
from shutil import copyfileobj
from tempfile import SpooledTemporaryFile
from typing import BinaryIO, NamedTuple, TextIO, cast

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
    | (?P<move>{_SQUARE}(?:\s*[-–x×х:]\s*{_SQUARE})+(?:\s*<[^>\n]{{0,200}}>)?
        |(?:[a-l]\d{{1,2}}){{2,}}|\d{{3,4}}(?!\d))
    | (?P<bare>\d{{1,2}}(?!\d))
    | (?P<star>\*)
    | (?P<comment>\{{)
    | (?P<variation>\()
    | (?P<stray>[)}}.,;])
    """,
    re.VERBOSE | re.MULTILINE | re.IGNORECASE | re.ASCII,
)

_BETWEEN_GAMES = re.compile(rf"(?<!\S)(?:\*|{_RESULT})\s*?(?:\n|\s(?=\s*0*1\s*\.))")

CHUNK = 1 << 16
"""Files are read in pieces of so many bytes or characters, a line in several if it is longer."""

MOST_IN_MEMORY = 1 << 22
"""What comes through a pipe is kept on the disk from so many bytes on."""

LONG_BLOCK, LONGEST_BLOCK = 1 << 18, 1 << 20
"""Games without tags are read together up to so many characters: at each multiple of the first they
are parted where a game ends. A game that reaches the second is cut there."""

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
    did before the end. ``notes`` are what was read with patience: tags that do not close, and what
    stands behind the last move and is neither move nor comment (people write there what happened).
    ``moves_unread`` counts what looks like a move behind the problem.
    """

    number: int
    line: int
    tags: tuple[tuple[str, str], ...] = ()
    items: tuple[PdnMove | PdnSetup, ...] = ()
    comment: str = ""
    result: str = "*"
    black_begins: bool = False
    problem: PdnProblem | None = None
    notes: tuple[PdnProblem, ...] = ()
    moves_unread: int = 0

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
                stream = _spooled(pipe)
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


def _spooled(pipe: BinaryIO) -> BinaryIO:
    copy = SpooledTemporaryFile(MOST_IN_MEMORY)  # noqa: SIM115 (who reads it closes it)
    copyfileobj(pipe, copy)
    copy.seek(0)
    return cast(BinaryIO, copy)


def read_games(text: str | Iterable[str]) -> Iterator[PdnGame]:
    """Read games one by one, from a whole text, from a stream, or from lines as they come.

    Of a stream no more than a game is held, however long its lines. A game that has no end for very
    long (`LONGEST_BLOCK`) is cut there and says so; reading goes on at the next tag.
    """
    number = 0
    for block in _blocks(_pieces(text)):
        for game in _Reader(block).games():
            number += 1
            yield replace(game, number=number)


def _pieces(text: str | Iterable[str]) -> Iterator[str]:
    """Yield whole lines, each with its end, or pieces of long ones."""
    if isinstance(text, TextIOBase):
        while piece := text.readline(CHUNK):
            yield piece
    elif isinstance(text, str):
        # `splitlines` would also split at form feeds and the like, and then count lines as no
        # editor does.
        for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
            yield f"{line}\n"
    else:
        for line in text:
            yield line if line.endswith("\n") else f"{line}\n"


class _Block(NamedTuple):
    """Text that is read together, and where it begins; lines and columns count from 1."""

    text: str
    line: int
    column: int
    is_cut: bool = False


def _blocks(pieces: Iterable[str]) -> Iterator[_Block]:
    """Part a text before the first tag of each game, or where a game ends if it grows long."""
    held: list[str] = []
    begins = here = (1, 1)
    names, has_body, blank, size, limit = set[str](), False, False, 0, LONG_BLOCK
    is_skipping = False
    for piece in pieces:
        is_line_start = here[1] == 1
        tag = _TAG_START.match(piece) if is_line_start else None
        if tag:
            name = tag.group(1).lower()
            if is_skipping or has_body or name in names or (blank and names and name == "event"):
                if held:
                    yield _Block("".join(held), *begins)
                held, begins, size, limit = [], here, 0, LONG_BLOCK
                names, is_skipping = set(), False
            names.add(name)
            has_body = bool(piece[_tags_end(piece) :].strip())
            blank = False
        elif not piece.strip():
            blank = True
        elif not is_line_start or not piece.startswith("%"):
            has_body = True
        here = (here[0] + 1, 1) if piece.endswith("\n") else (here[0], here[1] + len(piece))
        if is_skipping:
            continue
        held.append(piece)
        size += len(piece)
        if size < limit:
            continue
        text = "".join(held)
        ends = [found.end() for found in _BETWEEN_GAMES.finditer(text)]
        if ends:
            yield _Block(text[: ends[-1]], *begins)
            begins, text = _moved(begins, text, ends[-1]), text[ends[-1] :]
            names, has_body = set(), bool(text.strip())
        elif size >= LONGEST_BLOCK:
            yield _Block(text, *begins, is_cut=True)
            text, is_skipping = "", True
        held, size = [text] if text else [], len(text)
        limit = size + LONG_BLOCK
    if held:
        yield _Block("".join(held), *begins)


def _moved(place: tuple[int, int], text: str, by: int) -> tuple[int, int]:
    """Return the line and column so many characters further on."""
    lines = text.count("\n", 0, by)
    if not lines:
        return place[0], place[1] + by
    return place[0] + lines, by - text.rfind("\n", 0, by)


def _tags_end(line: str) -> int:
    """Return where the tags at the beginning of a line end."""
    end = 0
    while found := _TAG.match(line, end) or _LOOSE_TAG.match(line, end):
        end = found.end()
    return end


_TOO_LONG = (
    f"the game has no end for more than {LONGEST_BLOCK:,} characters; what follows is left out "
    "up to the next tag"
)


class _Reader:
    """Parses one block: tags, then the moves of one game or of several."""

    def __init__(self, block: _Block) -> None:
        self.text = block.text
        self.is_cut = block.is_cut
        self.at = 0
        self._counted, self._counted_line = 0, block.line
        self._counted_start = 1 - block.column
        self._clear()

    def games(self) -> Iterator[PdnGame]:
        """Yield every game of the block."""
        self._read_tags()
        while self.at < len(self.text):
            game = self._step()
            if game is not None:
                yield game
        if self.is_cut:
            self._note(_TOO_LONG)
        game = self._finish()
        if game is not None:
            yield game

    def _clear(self) -> None:
        self.tags: list[tuple[str, str]] = []
        self.items: list[PdnMove | PdnSetup] = []
        # Of the last item; before the first, the game's own comments.
        self.glyphs: list[str] = []
        self.comments: list[str] = []
        self.comment = ""
        self.black_begins = False
        self.problem: PdnProblem | None = None
        self.doubt: PdnProblem | None = None
        self.notes: list[PdnProblem] = []
        self.moves_unread = 0
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
            self.at = found.start(1)
            if not found.group().rstrip().endswith("]"):
                self.notes.append(PdnProblem(*self._place(), f"tag {found.group(1)} is not closed"))
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
            self.line = min(self.line, line) if self.comments else line
        self.at = found.end()
        match kind:
            case "comment":
                self.comments.append(self._comment_text())
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
            self._note(f"moves stand after the result {result}")
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
        opens = self._find("{", end)
        while depth and end < len(self.text):
            after = self._find("}", end + 1)
            if after == len(self.text) or opens < after:
                break
            end, depth = after, depth - 1
        if end == len(self.text):
            self.at = start - 1
            self._note("a comment is not closed")
        self.at = min(end + 1, len(self.text))
        return " ".join(self.text[start:end].split())

    def _note(self, text: str) -> None:
        """Note a problem at the reading position, unless there was one before."""
        if self.problem is None:
            self.problem = PdnProblem(*self._place(), text)

    def _find(self, sign: str, start: int) -> int:
        found = self.text.find(sign, start)
        return len(self.text) if found < 0 else found

    def _skip_variation(self) -> None:
        depth = 1
        opened = self._place()
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
        self.problem = self.problem or PdnProblem(*opened, "a variation is not closed")
        self.at = len(self.text)

    def _add(self, item: PdnMove | PdnSetup) -> None:
        # After something unreadable the moves no longer follow from one another. At the end
        # of a game it may stand: people write there what happened.
        self.problem = self.problem or self.doubt
        if self.problem is None:
            self._close_item()
            self.items.append(item)
        else:
            self.moves_unread += 1

    def _close_item(self) -> None:
        """Give the last item what stands behind it."""
        if not self.items:
            self.comment = " ".join(filter(None, self.comments))
        elif self.glyphs or self.comments:
            last = replace(self.items[-1], comments=tuple(self.comments))
            if isinstance(last, PdnMove):
                last = replace(last, glyphs=tuple(self.glyphs))
            self.items[-1] = last
        self.glyphs, self.comments = [], []

    def _add_glyph(self, glyph: str) -> None:
        if self.items:
            self.glyphs.append(glyph)

    def _finish(self, result: str | None = None) -> PdnGame | None:
        """Return the game read so far, None if there is nothing of it."""
        if not self.items and self.problem is None:
            self.problem = self.doubt
        elif self.doubt is not None and self.problem is None:
            self.notes.append(replace(self.doubt, text=f"{self.doubt.text}; it is left out"))
        self._close_item()
        game = PdnGame(
            0,
            self.line,
            tuple(self.tags),
            tuple(self.items),
            self.comment,
            result or "*",
            self.black_begins,
            self.problem,
            tuple(self.notes),
            self.moves_unread,
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
    return replace(game, items=items, result=result)
