"""The referee: verdicts on moves as text and on boards that changed.

What is legal, the generator says; the referee compares and explains.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from crownhead.rules.clauses import Mark, clause_of
from crownhead.rules.diagnosis import Attempt, Finding, diagnose, is_quiet_shape, jumps_own
from crownhead.rules.errors import UnreadableMove
from crownhead.rules.generator import legal_moves, play
from crownhead.rules.geometry import LETTERS
from crownhead.rules.history import legal_moves_in_game
from crownhead.rules.message import Message, Name, message
from crownhead.rules.move import Move
from crownhead.rules.notation import (
    MoveText,
    between,
    example_of,
    format_move,
    format_moves,
    format_squares,
    matches,
    name_of,
    readings_of,
    shortened,
    unplayed_square,
)
from crownhead.rules.position import Position, Side, Square
from crownhead.rules.tables import bit_of, bits, square_of, tables_of
from crownhead.rules.variant import Crowning, Kings, Naming, Removal, Variant, start_position
from crownhead.rules.verdict import Restore, Rule, Verdict
from crownhead.rules.words import OF_A_SIDE, say


class Stage(StrEnum):
    """How far a legal move has come that is not finished on the board."""

    JUMPING = "on its way"
    TO_REMOVE = "at its end, nothing removed yet"
    PARTLY_REMOVED = "at its end, some captured pieces removed and others not"
    TO_CROWN = "made, and the new king not crowned yet"


@dataclass(frozen=True, slots=True)
class HalfDone:
    """A board on which a legal capture is under way, or a legal move waits for its crown.

    Attributes:
        moves: the moves that it may become; several if the board does not tell yet.
        to_remove: the captured pieces that still stand.
        at_destination: whether the piece already stands where all of ``moves`` end.
        message: says so.
        stage: how far it has come.
        mover: where the moving piece stands now.
        is_king: whether that piece is a king by the rules at this moment, whatever it looks like.
        warnings: what was done in a way that the protocol forbids, though the move is legal.
    """

    moves: tuple[Move, ...]
    to_remove: tuple[Square, ...]
    at_destination: bool
    message: Message
    stage: Stage = Stage.JUMPING
    mover: Square | None = None
    is_king: bool = False
    warnings: tuple[Message, ...] = ()

    @property
    def text(self) -> str:
        """What is under way, in English."""
        return say(self.message)


def judge(
    variant: Variant, position: Position, text: str, *, earlier: Sequence[Position] = ()
) -> Verdict:
    """Judge a move given as text, as a referee would say it.

    Args:
        variant: the rules in force.
        position: before the move.
        text: the move.
        earlier: the positions of the game before this one, for the rules that look back.
    """
    legal = _legal(variant, position, earlier)
    try:
        readings = readings_of(variant, text)
    except UnreadableMove:
        return _refused(variant, position, legal, (_not_read(variant, text),))
    fitting = [m for reading in readings for m in matches(variant, position, reading, legal)]
    written = next((r for r in readings if _holds_own(position, r.squares[0])), readings[0])
    if not fitting:
        findings = _too_often(variant, position, written, legal)
        findings = findings or _text_findings(variant, position, written, legal)
        seen = _written(variant, position, written)
        after = _after_text(variant, position, written)
        return _refused(variant, position, legal, findings, seen=seen, after=after)
    results = {play(variant, position, move) for move in fitting}
    if len(results) > 1:
        choices = format_moves(variant, position, fitting)
        seen = format_squares(variant, written.squares, capture=True)
        finding = (Finding(Rule.AMBIGUOUS, "ambiguous", {"choices": choices}),)
        verdict = _refused(variant, position, legal, finding, seen=seen)
        return replace(verdict, expected=choices)
    return _accepted(variant, position, fitting, legal)


def judge_board(
    variant: Variant,
    before: Position,
    seen: Position,
    *,
    crowning_seen: bool = False,
    earlier: Sequence[Position] = (),
) -> Verdict:
    """Judge what one player did from the board before and the board now.

    Args:
        variant: the rules in force.
        before: the position with the player to move; its kings are trusted.
        seen: what stands on the board now; its turn is ignored.
        crowning_seen: whether ``seen`` tells men and kings apart. If not, its kings are
            ignored: every piece keeps its rank, and a man that stopped on the far row counts
            as crowned. If so, a missing or a wrong crown is a fault of its own.
        earlier: the positions of the game before ``before``, for the rules that look back.

    Returns:
        A legal verdict with every route that gives this board; or an illegal one with the
        rule, the squares to put right, and the position if it is let stand. An unchanged
        board is neither: not legal, and no rule broken.
    """
    legal = _legal(variant, before, earlier)
    change = _Change(before, seen)
    fitting = [move for move in legal if _leads_to(move, change)]
    if fitting:
        return _judge_crowns(variant, before, seen, fitting, legal, crowning_seen)
    after = _let_stand(variant, before, seen, change, crowning_seen)
    restore = _restore(before, seen, crowning_seen)
    if change.is_none:
        if crowning_seen and before.kings != seen.kings:
            finding = _crown_finding(variant, before.kings, seen)
            return _refused(variant, before, legal, finding, after=after, restore=restore)
        return Verdict(False, (message("nothing-changed"),), before)
    findings, notation = _board_findings(variant, before, change, legal)
    if change.counts == (1, 1, 0, 0):
        ends = (square_of(change.mine_gone), square_of(change.mine_new))
        findings = _too_often(variant, before, MoveText(ends, None), legal) or findings
    if crowning_seen and legal:
        ranks = _let_stand(variant, before, seen, change, False).kings
        ranks |= _crowned_in_passing(change, legal)
        if ranks != seen.kings & seen.occupied:
            findings = (*findings, *_crown_finding(variant, ranks, seen))
    return _refused(variant, before, legal, findings, seen=notation, after=after, restore=restore)


def in_progress(
    variant: Variant, before: Position, seen: Position, *, crowning_seen: bool = False
) -> HalfDone | None:
    """Recognise a legal move that is not finished, so that nobody is accused too early.

    The piece stands where it lands on its way, or at its end; of the pieces jumped so far
    some or all still stand. None if the board shows no such thing, or if it is what some legal
    move leaves, since that move is then done; but where ``seen`` tells men and kings apart
    (``crowning_seen``), it may wait for its crown. Else ranks are ignored.
    """
    change = _Change(before, seen)
    if change.theirs_new or change.mine_new.bit_count() > 1:
        return None
    legal = legal_moves(variant, before)
    done = [move for move in legal if _leads_to(move, change)]
    if done:
        return _awaiting_crown(variant, before, seen, done) if crowning_seen else None
    found: list[tuple[Move, int]] = []
    standing: set[Square] = set()
    for move in legal:
        stage = _stage(variant, before, move, change)
        if stage is None:
            continue
        found.append((move, stage))
        standing.update(
            square for square in move.captured[:stage] if not change.theirs_gone & bit_of(square)
        )
    if not found:
        return None
    arrived = [(move, stage) for move, stage in found if stage == len(move.captured)]
    likely = arrived or found
    to_remove = tuple(sorted(standing))
    names = tuple(name_of(variant, square) for square in to_remove)
    told = message("to-remove", squares=names) if names else message("capture-under-way")
    stage_now = Stage.JUMPING
    if arrived:
        stage_now = Stage.PARTLY_REMOVED if change.theirs_gone else Stage.TO_REMOVE
    warnings: tuple[Message, ...] = ()
    if not arrived and change.theirs_gone and _removes_together(variant):
        warnings = (message("wrong-order", squares=_names(variant, change.theirs_gone)),)
    return HalfDone(
        tuple(move for move, _ in likely),
        to_remove,
        bool(arrived),
        told,
        stage_now,
        square_of(change.mine_new) if change.mine_new else likely[0][0].origin,
        all(_is_king_after(variant, before, move, stage) for move, stage in likely),
        warnings,
    )


def _awaiting_crown(
    variant: Variant, before: Position, seen: Position, done: Sequence[Move]
) -> HalfDone | None:
    """Find the move that is made but for the crown of its piece."""
    for move in done:
        if move.crowns and play(variant, before, move).kings == seen.kings | bit_of(
            move.destination
        ) != seen.kings:  # fmt: skip
            told = message("to-crown", square=name_of(variant, move.destination))
            return HalfDone((move,), (), True, told, Stage.TO_CROWN, move.destination, is_king=True)
    return None


def _removes_together(variant: Variant) -> bool:
    """Say whether it matters that captured pieces stand until the capture is over.

    Where kings are short a piece standing or gone changes no jump, and no document asks for it.
    """
    return variant.removal is Removal.AFTER and variant.kings is not Kings.SHORT


def _is_king_after(variant: Variant, before: Position, move: Move, jumps: int) -> bool:
    """Say whether the piece counts as a king after so many jumps of a capture."""
    if before.kings & bit_of(move.origin):
        return True
    if jumps == len(move.captured):
        return move.crowns
    far = tables_of(variant).sides[before.turn].crown_row
    touched = any(far & bit_of(square) for square in move.path[1 : jumps + 1])
    return touched and variant.crowning is Crowning.GOES_ON_AS_KING


def _legal(variant: Variant, position: Position, earlier: Sequence[Position]) -> tuple[Move, ...]:
    if not variant.king_moves_limit:
        return legal_moves(variant, position)
    return legal_moves_in_game(variant, (*earlier, position))


def _too_often(
    variant: Variant, position: Position, written: MoveText, legal: Sequence[Move]
) -> tuple[Finding, ...]:
    """Find the move of a king that only the game before it forbids."""
    if not variant.king_moves_limit:
        return ()
    barred = [move for move in legal_moves(variant, position) if move not in legal]
    if not matches(variant, position, written, barred):
        return ()
    square = name_of(variant, written.squares[0])
    names: dict[str, Name] = {"square": square, "limit": variant.king_moves_limit}
    return (Finding(Rule.KING_MOVES_TOO_OFTEN, "king-moves-too-often", names),)


class _Change:
    """What came and went between two boards, for the side to move and for the other."""

    def __init__(self, before: Position, seen: Position) -> None:
        white = before.turn is Side.WHITE
        mine, theirs = (before.white, before.black) if white else (before.black, before.white)
        mine_now, theirs_now = (seen.white, seen.black) if white else (seen.black, seen.white)
        self.mine_gone = mine & ~mine_now
        self.mine_new = mine_now & ~mine
        self.theirs_gone = theirs & ~theirs_now
        self.theirs_new = theirs_now & ~theirs

    @property
    def counts(self) -> tuple[int, int, int, int]:
        """How many: mine gone, mine new, theirs gone, theirs new."""
        return (
            self.mine_gone.bit_count(),
            self.mine_new.bit_count(),
            self.theirs_gone.bit_count(),
            self.theirs_new.bit_count(),
        )

    @property
    def is_none(self) -> bool:
        """Whether the sides stand as before."""
        return not any(self.counts)

    @property
    def everything(self) -> int:
        """Every square that changed."""
        return self.mine_gone | self.mine_new | self.theirs_gone | self.theirs_new


def _stage(variant: Variant, before: Position, move: Move, change: _Change) -> int | None:
    """Return how many jumps of a capture are done on the board, None if it shows none."""
    if not move.is_capture:
        return None
    origin = bit_of(move.origin)
    for stage in range(len(move.captured), 0, -1):
        last = stage == len(move.captured)
        jumped = sum(bit_of(square) for square in move.captured[:stage])
        if change.theirs_gone & ~jumped or (last and change.theirs_gone == jumped):
            continue
        for square in _stops(variant, move, stage):
            stop = bit_of(square)
            if stop == origin:
                if not change.mine_gone and not change.mine_new and change.theirs_gone:
                    return stage
            elif change.mine_gone == origin and change.mine_new == stop:
                return stage
    return None


def _stops(variant: Variant, move: Move, stage: int) -> tuple[Square, ...]:
    """Return the squares on which the piece may stand after so many jumps."""
    landing = move.path[stage]
    if stage == len(move.captured):
        return (landing,)
    # Flying straight on, the piece may pause anywhere before the next piece on its line.
    onward = between(variant, landing, move.captured[stage])
    straight = landing in between(variant, move.captured[stage - 1], move.captured[stage])
    return (landing, *onward) if straight else (landing,)


def _judge_crowns(
    variant: Variant,
    before: Position,
    seen: Position,
    fitting: Sequence[Move],
    legal: Sequence[Move],
    crowning_seen: bool,
) -> Verdict:
    if not crowning_seen:
        return _accepted(variant, before, fitting, legal)
    exact = [move for move in fitting if play(variant, before, move).kings == seen.kings]
    if exact:
        return _accepted(variant, before, exact, legal)
    after = play(variant, before, fitting[0])
    finding = _crown_finding(variant, after.kings, seen)
    notation = format_move(variant, before, fitting[0], among=legal)
    restore = _restore(after, seen, True)
    return Verdict(
        False,
        (message(finding[0].key, **finding[0].names),),
        after,
        finding[0].rule,
        tuple(fitting),
        notation,
        (notation,),
        restore,
        clause_of(variant, finding[0].key, _marks_of_a_crown(variant, before, fitting[0])),
    )


def _crown_finding(variant: Variant, kings: int, seen: Position) -> tuple[Finding, ...]:
    missing = kings & ~seen.kings
    if missing:
        square = square_of(missing & -missing)
        return (Finding(Rule.NOT_CROWNED, "not-crowned", {"square": name_of(variant, square)}),)
    extra = seen.kings & ~kings
    names = {"square": name_of(variant, square_of(extra & -extra))}
    return (Finding(Rule.WRONGLY_CROWNED, "wrongly-crowned", names),)


def _board_findings(
    variant: Variant, before: Position, change: _Change, legal: Sequence[Move]
) -> tuple[tuple[Finding, ...], str | None]:
    """Explain a changed board that no legal move gives; and write the attempt, if it is one."""
    mine_gone, mine_new, theirs_gone, theirs_new = change.counts
    if not legal:
        return (Finding(Rule.GAME_OVER, "game-over"),), None
    if theirs_new == 1 and mine_new == 0 and theirs_gone == 1:
        return _other_moved(variant, before, change)
    if theirs_new == 0 and mine_new == 1 and mine_gone >= 1:
        return _own_moved(variant, before, change, legal)
    if mine_new == 0 and theirs_new == 0:
        found = []
        if mine_gone:
            found.append(_removal("lifted-own", variant, change.mine_gone))
        if theirs_gone:
            found.append(_removal("lifted-in-vain", variant, change.theirs_gone))
        return tuple(found), None
    if mine_new > mine_gone or theirs_new > theirs_gone:
        new = change.mine_new | change.theirs_new
        names = {"squares": _names(variant, new)}
        return (Finding(Rule.NO_SUCH_PIECE, "appeared", names),), None
    names = {"squares": _names(variant, change.everything)}
    return (Finding(Rule.TWO_PIECES_MOVED, "two-pieces-moved", names),), None


def _other_moved(
    variant: Variant, before: Position, change: _Change
) -> tuple[tuple[Finding, ...], str]:
    """A piece of the side that is not to move was moved."""
    swapped = replace(before, turn=before.turn.other)
    ends = (square_of(change.theirs_gone), square_of(change.theirs_new))
    taken = frozenset(square_of(bit) for bit in bits(change.mine_gone))
    fitting = [
        frozenset(move.captured)
        for move in legal_moves(variant, swapped)
        if (move.origin, move.destination) == ends
    ]
    notation = format_squares(variant, ends, capture=bool(taken))
    findings: tuple[Finding, ...] = (Finding(Rule.NOT_YOUR_PIECE, "not-your-piece"),)
    lost = taken
    if fitting:
        findings = (Finding(Rule.NOT_YOUR_TURN, "not-your-turn"),)
        lost = taken - min(fitting, key=lambda captured: len(captured ^ taken))
    if lost:
        findings = (*findings, _removal("lifted-own", variant, sum(bit_of(s) for s in lost)))
    return findings, notation


def _own_moved(
    variant: Variant, before: Position, change: _Change, legal: Sequence[Move]
) -> tuple[tuple[Finding, ...], str]:
    """One own piece moved; others of either side may have left the board."""
    removed = frozenset(square_of(bit) for bit in bits(change.theirs_gone))
    destination = square_of(change.mine_new)
    attempts = [Attempt((square_of(bit), destination), removed) for bit in bits(change.mine_gone)]
    # With several own pieces gone, the one that moved is that whose way makes most sense.
    attempt = min(attempts, key=lambda tried: _oddness(variant, before, change, tried, legal))
    if len(attempts) > 1 and not _is_legal(attempt, legal):
        attempt = next((a for a in attempts if _took_own(variant, before, change, a)), attempt)
    lost = change.mine_gone & ~bit_of(attempt.origin)
    is_legal = _is_legal(attempt, legal)
    jumped = between(variant, attempt.origin, destination)
    own_jumped = frozenset(square for square in jumped if lost & bit_of(square))
    took_own = bool(lost) and not is_legal and _took_own(variant, before, change, attempt)
    if took_own:
        own_jumped = frozenset(square_of(bit) for bit in bits(lost))
    meant = Attempt(attempt.path, removed | own_jumped)
    findings: tuple[Finding, ...]
    if took_own:
        square = {"square": name_of(variant, square_of(lost & -lost))}
        findings = (Finding(Rule.OWN_PIECE_JUMPED, "own-piece-jumped", square),)
    else:
        findings = () if is_legal else diagnose(variant, before, meant, legal)
    if lost and not any(found.rule is Rule.OWN_PIECE_JUMPED for found in findings):
        findings = (_removal("lifted-own", variant, lost), *findings)
    theirs = before.black if before.turn is Side.WHITE else before.white
    over_theirs = any(theirs & bit_of(square) for square in jumped)
    capture = bool(removed or own_jumped) or over_theirs
    return findings, format_squares(variant, attempt.path, capture=capture)


def _is_legal(attempt: Attempt, legal: Sequence[Move]) -> bool:
    return any(
        (move.origin, move.destination) == attempt.path
        and frozenset(move.captured) == attempt.removed
        for move in legal
    )


def _took_own(variant: Variant, before: Position, change: _Change, attempt: Attempt) -> bool:
    """Say whether all that is gone was jumped, own pieces among it."""
    gone = (change.mine_gone | change.theirs_gone) & ~bit_of(attempt.origin)
    return jumps_own(variant, before, attempt, frozenset(square_of(bit) for bit in bits(gone)))


def _oddness(
    variant: Variant,
    before: Position,
    change: _Change,
    attempt: Attempt,
    legal: Sequence[Move],
) -> tuple[bool, bool, bool]:
    way = between(variant, attempt.origin, attempt.destination)
    jumps_lost = len(way) == 1 and bool(change.mine_gone & bit_of(way[0]))
    is_move = any((move.origin, move.destination) == attempt.path for move in legal)
    return (not is_move, not jumps_lost, not is_quiet_shape(variant, before, attempt))


def _text_findings(
    variant: Variant, position: Position, written: MoveText, legal: Sequence[Move]
) -> tuple[Finding, ...]:
    origin = written.squares[0]
    square = {"square": name_of(variant, origin)}
    piece = position.piece_at(origin)
    if not legal:
        return (Finding(Rule.GAME_OVER, "game-over"),)
    if piece is None:
        return (Finding(Rule.NO_SUCH_PIECE, "no-such-piece", square),)
    if piece.side is not position.turn:
        swapped = replace(position, turn=position.turn.other)
        if matches(variant, swapped, written, legal_moves(variant, swapped)):
            return (Finding(Rule.NOT_YOUR_TURN, "not-your-turn"),)
        return (Finding(Rule.NOT_YOUR_PIECE, "not-your-piece"),)
    attempt = Attempt(written.squares, None)
    if written.is_capture and is_quiet_shape(variant, position, attempt):
        marks = (Mark.BY_KING,) if position.kings & bit_of(origin) else ()
        return (Finding(Rule.NO_SUCH_PIECE, "nothing-to-capture", marks=marks),)
    return diagnose(variant, position, attempt, legal)


def _not_read(variant: Variant, text: str) -> Finding:
    """Say why a text is no move: a square that is not played on, or anything else."""
    square = unplayed_square(variant, text)
    if square is not None:
        return Finding(Rule.NOT_DIAGONAL, "unplayed-square", {"square": square})
    first, last = "1", str(variant.squares)
    if variant.naming is Naming.ALGEBRAIC:
        first, last = "a1", f"{LETTERS[variant.size - 1]}{variant.size}"
    example = example_of(variant)
    names: dict[str, Name] = {"seen": shortened(text), "example": example}
    return Finding(Rule.UNREADABLE, "unreadable", {**names, "first": first, "last": last})


def _holds_own(position: Position, square: Square) -> bool:
    piece = position.piece_at(square)
    return piece is not None and piece.side is position.turn


def _written(variant: Variant, position: Position, written: MoveText) -> str:
    capture = bool(written.is_capture)
    if written.is_capture is None:
        attempt = Attempt(written.squares, None)
        capture = not is_quiet_shape(variant, position, attempt)
    return format_squares(variant, written.squares, capture=capture)


def _after_text(variant: Variant, position: Position, written: MoveText) -> Position:
    """Return the position if a refused move is let stand: the piece is put, nothing else."""
    origin, destination = bit_of(written.squares[0]), bit_of(written.squares[-1])
    if not position.occupied & origin or (position.occupied & ~origin) & destination:
        return position
    white, black, kings = position.white, position.black, position.kings
    if white & origin:
        white = white & ~origin | destination
    else:
        black = black & ~origin | destination
    if kings & origin:
        kings = kings & ~origin | destination
    return Position(white, black, kings, position.turn.other)


def _accepted(
    variant: Variant, before: Position, moves: Sequence[Move], legal: Sequence[Move]
) -> Verdict:
    notation = format_move(variant, before, moves[0], among=legal)
    told = message("legal", side=before.turn, seen=notation)
    after = play(variant, before, moves[0])
    return Verdict(True, (told,), after, None, tuple(moves), notation)


def _refused(
    variant: Variant,
    before: Position,
    legal: Sequence[Move],
    findings: Sequence[Finding],
    *,
    seen: str | None = None,
    after: Position | None = None,
    restore: tuple[Restore, ...] = (),
) -> Verdict:
    """Make the verdict of 'illegal' from what was found."""
    expected = format_moves(variant, before, legal, among=legal)
    told = [_told(finding, before, seen) for finding in findings]
    if expected and findings[0].rule is not Rule.AMBIGUOUS:
        told.append(message("play", choices=expected))
    return Verdict(
        False,
        tuple(told),
        before if after is None else after,
        findings[0].rule,
        (),
        seen,
        expected,
        restore,
        clause_of(variant, findings[0].key, _marks(variant, before, findings[0])),
    )


def _marks(variant: Variant, before: Position, finding: Finding) -> tuple[Mark, ...]:
    """Return the circumstances of a fault, those of the position included."""
    marks = finding.marks
    if not (before.white if before.turn is Side.WHITE else before.black):
        marks = (*marks, Mark.NO_PIECES)
    if before == start_position(variant):
        marks = (*marks, Mark.AT_START)
    return marks


def _marks_of_a_crown(variant: Variant, before: Position, move: Move) -> tuple[Mark, ...]:
    """Return whether a man crossed the far row and went on."""
    far = tables_of(variant).sides[before.turn].crown_row
    passed = any(bit_of(square) & far for square in move.landings[:-1])
    return (Mark.PASSED,) if passed and not move.crowns else ()


def _told(finding: Finding, before: Position, seen: str | None) -> Message:
    """Say a finding, of whom and of what, as far as its sentence speaks of them."""
    names: dict[str, Name] = {}
    if finding.key in OF_A_SIDE:
        names["side"] = before.turn
    if seen is not None and "seen" not in finding.names:
        names["seen"] = seen
    return message(finding.key, **names, **finding.names)


def _removal(key: str, variant: Variant, board: int) -> Finding:
    return Finding(Rule.WRONG_REMOVAL, key, {"squares": _names(variant, board)})


def _names(variant: Variant, board: int) -> tuple[str, ...]:
    return tuple(name_of(variant, square_of(bit)) for bit in bits(board))


def _leads_to(move: Move, change: _Change) -> bool:
    """Say whether a legal move makes just this change."""
    origin, destination = bit_of(move.origin), bit_of(move.destination)
    moved = (0, 0) if origin == destination else (origin, destination)
    return (
        (change.mine_gone, change.mine_new) == moved
        and not change.theirs_new
        and change.theirs_gone == sum(bit_of(square) for square in move.captured)
    )


def _let_stand(
    variant: Variant, before: Position, seen: Position, change: _Change, crowning_seen: bool
) -> Position:
    """Return the board as it lies, with ranks kept where they cannot be seen."""
    if crowning_seen:
        kings = seen.kings
    else:
        kings = before.kings & ((before.white & seen.white) | (before.black & seen.black))
        for gone, new in (
            (change.mine_gone, change.mine_new),
            (change.theirs_gone, change.theirs_new),
        ):
            if new.bit_count() == 1 and gone and gone & ~before.kings == 0:
                kings |= new
    # What came to its far row is a king by the rules, however it came and whatever it looks like.
    sides = tables_of(variant).sides
    for side, new in (
        (before.turn, change.mine_new),
        (before.turn.other, change.theirs_new),
    ):
        kings |= new & sides[side].crown_row
    return Position(seen.white, seen.black, kings & seen.occupied, before.turn.other)


def _crowned_in_passing(change: _Change, legal: Sequence[Move]) -> int:
    """Return where a piece stands that every legal move with the same ends crowns."""
    if change.mine_gone.bit_count() != 1 or change.mine_new.bit_count() != 1:
        return 0
    ends = (square_of(change.mine_gone), square_of(change.mine_new))
    crowns = [move.crowns for move in legal if (move.origin, move.destination) == ends]
    return change.mine_new if crowns and all(crowns) else 0


def _restore(wanted: Position, seen: Position, crowning_seen: bool) -> tuple[Restore, ...]:
    """List the squares to put right: first those to clear, then those to fill."""
    changed = (wanted.white ^ seen.white) | (wanted.black ^ seen.black)
    if crowning_seen:
        changed |= wanted.kings ^ seen.kings
    squares = [square_of(bit) for bit in bits(changed)]
    found = [Restore(s, seen.piece_at(s), wanted.piece_at(s)) for s in squares]
    return tuple(sorted(found, key=lambda item: item.wanted is not None))
