"""Illegal boards made on purpose: 10,000 positions, each legal move spoilt in every way we know.

How a board was spoilt tells which rule it breaks. A board that some legal move gives too, or that
another single fault explains as well, proves nothing and is left out; a test counts those.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given

from crownhead.rules.errors import UnreadableMove
from crownhead.rules.generator import distinct_moves, play
from crownhead.rules.geometry import all_squares, place_of
from crownhead.rules.notation import format_squares, matches, readings_of
from crownhead.rules.position import Position, Side
from crownhead.rules.referee import judge, judge_board
from crownhead.rules.variant import VARIANTS, Removal, start_position
from crownhead.rules.verdict import Rule
from tests.rules.plain_model import Case, TooRich, crown_rows, lines_of
from tests.rules.strategies import cases

POSITIONS = 10_000
SEED = 20_261_201
EACH = 1
"""So many spoilt boards of a kind are judged for one position, drawn from all there are."""

RULES_OF = {
    "lifted-in-vain": Rule.WRONG_REMOVAL,
    "lifted-own": Rule.WRONG_REMOVAL,
    "not-lifted": Rule.WRONG_REMOVAL,
    "appeared": Rule.NO_SUCH_PIECE,
    "nothing-to-capture": Rule.NO_SUCH_PIECE,
    "must-capture-other": Rule.MUST_CAPTURE_MOST,
    "wrong-direction-capture": Rule.WRONG_DIRECTION,
    "too-far-man": Rule.TOO_FAR,
    "too-far-king": Rule.TOO_FAR,
    "too-far-jump": Rule.TOO_FAR,
    "occupied-taken": Rule.OCCUPIED,
    "not-a-king": Rule.NOT_CROWNED,
}
"""The rule of each sentence that is not called as its rule is."""

ALWAYS = frozenset(Rule) - {
    Rule.KING_MOVES_TOO_OFTEN,  # needs the game so far
    Rule.AMBIGUOUS,  # no fault
}


WAYS = {Rule.WRONG_DIRECTION, Rule.TOO_FAR, Rule.NOT_DIAGONAL, Rule.NOT_STRAIGHT}
"""The rules that a way breaks on which nothing is jumped."""


@dataclass
class Tally:
    """What was judged, by rule, and what was left out, by rule."""

    judged: Counter = field(default_factory=Counter)
    left_out: Counter = field(default_factory=Counter)
    double: Counter = field(default_factory=Counter)
    too_rich: int = 0


def rules_named(verdict):
    keys = {told.key for told in verdict.messages} - {"play"}
    return {RULES_OF.get(key) or Rule(key) for key in keys}


class Spoiler:
    """Spoils one position in every way and has the referee judge what comes of it."""

    def __init__(self, variant, position, rng, tally):
        self.case = Case(variant, position)
        self.variant, self.position = variant, position
        self.rng, self.tally = rng, tally

    def some(self, items, number=EACH):
        items = list(items)
        return self.rng.sample(items, number) if len(items) > number else items

    # What the referee must say.

    def expect(self, rules, movers=(), arrived=(), removed=(), added=(), *, kings=None, sole=True):
        """Judge a board that breaks these rules; leave out what something else explains too."""
        case = self.case
        movers, arrived = frozenset(movers), frozenset(arrived)
        removed, added = frozenset(removed), frozenset(added)
        key = "+".join(sorted(rules)) if len(rules) > 1 else next(iter(rules))
        seen = case.board(movers, arrived, removed, added, kings=kings)
        ranked = kings is not None
        if seen.white & seen.black or movers & arrived:
            return  # a piece left standing where another stopped: no board shows that
        if (seen.white, seen.black) in case.boards and not ranked:
            self.tally.left_out[key] += 1
            return
        if sole and not self._is_sole(set(rules), movers, arrived, removed):
            self.tally.left_out[key] += 1
            return
        verdict = judge_board(self.variant, self.position, seen, crowning_seen=ranked)
        self.check(key, set(rules), verdict, seen)
        self.check_restore(verdict, seen, ranked)

    def _is_sole(self, rules, movers, arrived, removed):
        single = self.case.single_faults(movers, arrived, removed)
        if len(rules) == 1:
            return single == rules
        if single:
            return False
        # Two faults: one piece lifted or left too many, and another fault; is it the only such?
        for square in self.case.enemy:
            other = self.case.single_faults(movers, arrived, removed ^ {square})
            if other and not (other <= rules and other - {Rule.WRONG_REMOVAL}):
                return False
        return True

    def check(self, key, rules, verdict, seen):
        named = rules_named(verdict)
        if verdict.legal or verdict.rule not in rules or not rules <= named:
            pytest.fail(f"{key}: {self.variant.name} {self.position} {seen} {verdict.text}")
        self.check_after(verdict, seen)
        if len(rules) > 1:
            self.tally.double[key] += 1
        for rule in rules:
            self.tally.judged[rule] += 1

    def check_after(self, verdict, seen):
        after = verdict.after
        assert not after.white & after.black
        assert not after.kings & ~after.occupied
        assert after.occupied >> self.variant.squares == 0
        if isinstance(seen, Position):
            assert (after.white, after.black) == (seen.white, seen.black)
            assert after.turn is self.position.turn.other
            for side, board in ((Side.WHITE, after.white), (Side.BLACK, after.black)):
                row = sum(1 << (s - 1) for s in crown_rows(self.variant)[side])
                old = self.position.white if side is Side.WHITE else self.position.black
                # A man that was already standing there is not the referee's doing.
                assert not board & row & ~after.kings & ~old

    def check_restore(self, verdict, seen, ranked):
        wanted = self.position
        if verdict.moves:  # only a crown is wrong: the move itself stands
            wanted = verdict.after
        white, black, kings = seen.white, seen.black, seen.kings
        squares = [item.square for item in verdict.restore]
        assert len(set(squares)) == len(squares)
        filling = [item.wanted is not None for item in verdict.restore]
        assert filling == sorted(filling)
        for item in verdict.restore:
            bit = 1 << (item.square - 1)
            assert seen.piece_at(item.square) is item.seen
            assert wanted.piece_at(item.square) is item.wanted
            assert item.seen is not item.wanted
            white, black, kings = white & ~bit, black & ~bit, kings & ~bit
            if item.wanted is not None:
                white |= bit if item.wanted.side is Side.WHITE else 0
                black |= bit if item.wanted.side is Side.BLACK else 0
                kings |= bit if item.wanted.is_king else 0
        assert (white, black) == (wanted.white, wanted.black)
        assert not ranked or kings == wanted.kings

    def expect_text(self, rule, text):
        verdict = judge(self.variant, self.position, text)
        self.check(rule, {rule}, verdict, text)

    def write(self, *squares, capture=False):
        return format_squares(self.variant, squares, capture=capture)

    # The ways to spoil.

    def spoil(self):
        case = self.case
        if not case.legal:
            self.game_over()
            return
        try:
            for origin in case.own:
                case.chains(origin)
            case.loose()
        except TooRich:
            self.tally.too_rich += 1
            return
        self.quiet_beside_captures()
        self.poor_captures()
        self.loose_captures()
        self.astray()
        self.turns()
        self.nowhere()
        for move in case.legal:
            self.removals(move)
            if move.crowns:
                self.crowns(move)
        for move in self.some(case.legal, 2):
            self.crowded(move)
            self.crowns(move)
        self.twice()
        self.texts()
        self.pairs()

    def game_over(self):
        case = self.case
        for origin in self.some(case.enemy, 2):
            for target in self.some(case.free, 2):
                self.expect({Rule.GAME_OVER}, removed={origin}, added={target}, sole=False)
        for origin in self.some(case.own):
            for target in self.some(case.free):
                self.expect({Rule.GAME_OVER}, {origin}, {target}, sole=False)
        squares = self.some(all_squares(self.variant), 2)
        if squares:
            self.expect_text(Rule.GAME_OVER, self.write(*squares))

    def quiet_beside_captures(self):
        case = self.case
        if not case.captures:
            return
        ways = [(origin, stop) for origin in case.own for stop in case.steps(origin)]
        for origin, stop in self.some(ways):
            self.expect({Rule.MUST_CAPTURE}, {origin}, {stop})
            for lost in self.some(case.enemy, 1):
                both = {Rule.MUST_CAPTURE, Rule.WRONG_REMOVAL}
                self.expect(both, {origin}, {stop}, {lost})

    def poor_captures(self):
        for rule in (Rule.MUST_FINISH_CAPTURE, Rule.MUST_CAPTURE_MOST):
            found = [
                chain
                for origin in self.case.own
                for chain in self.case.chains(origin)
                if chain.stop != chain.origin
                and (origin, chain.stop, frozenset(chain.captured)) not in self.case.results
                and self.case.too_poor(chain) == {rule}
            ]
            for chain in self.some(found, 2):
                self.expect({rule}, {chain.origin}, {chain.stop}, chain.captured)

    def loose_captures(self):
        by_rule = {}
        for key, rules in self.case.loose().items():
            if key is not None and len(rules) == 1 and key[0] != key[1]:
                by_rule.setdefault(next(iter(rules)), []).append(key)
        for rule, keys in by_rule.items():
            number = 2 if rule in (Rule.OWN_PIECE_JUMPED, Rule.WRONG_DIRECTION) else 8
            for origin, stop, captured in self.some(keys, number):
                own = {square for square in captured if square in self.case.own}
                self.expect({rule}, {origin, *own}, {stop}, captured - own)

    def astray(self):
        """A piece goes where such a piece never goes."""
        case = self.case
        ways = {}
        for origin in self.some(case.own, 2):
            for stop in case.free:
                if stop in case.steps(origin):
                    continue
                rules = case.impossible(origin, stop)
                if len(rules) == 1:
                    ways.setdefault(next(iter(rules)), []).append((origin, stop))
        for rule, found in ways.items():
            if rule not in WAYS:
                continue
            for origin, stop in self.some(found):
                self.expect({rule}, {origin}, {stop})
                if case.loose_ends(origin, stop):
                    continue  # what is gone may be part of what was jumped so
                for lost in self.some(case.enemy, 1):
                    self.expect({rule, Rule.WRONG_REMOVAL}, {origin}, {stop}, {lost})

    def turns(self):
        waiting = replace(self.position, turn=self.position.turn.other)
        theirs = distinct_moves(self.variant, waiting)
        results = {(m.origin, m.destination) for m in theirs}
        for move in self.some(m for m in theirs if m.origin != m.destination):
            self.expect(
                {Rule.NOT_YOUR_TURN},
                move.captured,
                (),
                {move.origin},
                {move.destination},
                sole=False,
            )
        for origin in self.some(self.case.enemy):
            for target in self.some(self.case.free, 1):
                if (origin, target) not in results:
                    self.expect({Rule.NOT_YOUR_PIECE}, removed={origin}, added={target}, sole=False)

    def nowhere(self):
        case = self.case
        for square in self.some(case.free):
            self.expect({Rule.NO_SUCH_PIECE}, arrived={square}, sole=False)
            self.expect({Rule.NO_SUCH_PIECE}, added={square}, sole=False)
        for square in self.some(case.enemy):
            self.expect({Rule.WRONG_REMOVAL}, removed={square}, sole=False)
        for square in self.some(case.own):
            self.expect({Rule.WRONG_REMOVAL}, {square}, sole=False)

    def removals(self, move):
        case = self.case
        if move.origin == move.destination:
            return
        captured = frozenset(move.captured)
        ends = ({move.origin}, {move.destination})
        others = [s for s in case.enemy if s not in captured]
        own = [s for s in case.own if s not in (move.origin, move.destination)]
        # One piece lifted too many, of the one side or of the other.
        if others and self.rng.random() < 0.5:
            removed = captured | {self.rng.choice(others)}
            self.expect({Rule.WRONG_REMOVAL}, *ends, removed)
        elif own:
            self.expect(
                {Rule.WRONG_REMOVAL}, {move.origin, self.rng.choice(own)}, ends[1], captured
            )
        for square in self.some(captured, 1):
            self.expect({Rule.WRONG_REMOVAL}, *ends, captured - {square})
        if len(captured) > 1:
            self.expect({Rule.WRONG_REMOVAL}, *ends)

    def crowns(self, move):
        position = self.position
        if move.origin == move.destination:
            return
        after = play(self.variant, position, move)
        change = ({move.origin}, {move.destination}, move.captured)
        stop = 1 << (move.destination - 1)
        if not after.kings & stop:
            self.expect({Rule.WRONGLY_CROWNED}, *change, kings=after.kings | stop, sole=False)
        elif not position.kings & 1 << (move.origin - 1):
            self.expect({Rule.NOT_CROWNED}, *change, kings=after.kings & ~stop, sole=False)
            left = [s for s in self.case.enemy if s not in move.captured]
            for square in self.some(left, 1):
                captured = {*move.captured, square}
                if self._is_sole({Rule.WRONG_REMOVAL}, {move.origin}, {move.destination},
                                 frozenset(captured)):  # fmt: skip
                    self.expect(
                        {Rule.NOT_CROWNED, Rule.WRONG_REMOVAL},
                        {move.origin},
                        {move.destination},
                        captured,
                        kings=after.kings & ~stop & ~(1 << (square - 1)),
                        sole=False,
                    )

    def crowded(self, move):
        """A piece set down where another stands: an enemy is knocked off, as in chess."""
        for square in self.some(self.case.enemy, 1):
            self.expect({Rule.OCCUPIED}, {move.origin}, {square}, {square})
        own = [s for s in self.case.own if s != move.origin]
        for square in self.some(own, 1):
            self.expect_text(Rule.OCCUPIED, self.write(move.origin, square))

    def twice(self):
        """Two legal moves at once, or a legal move and a piece from nowhere."""
        case = self.case
        quiet = [move for move in case.legal if not move.captured]
        if len(quiet) > 1:
            one, two = self.rng.sample(quiet, 2)
            ends = {one.origin, two.origin}, {one.destination, two.destination}
            if len(ends[0] | ends[1]) == 4:
                self.expect({Rule.TWO_PIECES_MOVED}, *ends, sole=False)
        for move in self.some(case.legal, 1):
            if move.origin == move.destination:
                continue
            far = [s for s in case.free if s != move.destination]
            for square in self.some(far, 1):
                self.expect(
                    {Rule.NO_SUCH_PIECE},
                    {move.origin},
                    {move.destination, square},
                    move.captured,
                    sole=False,
                )

    def texts(self):
        case, variant = self.case, self.variant
        for square in self.some(case.free, 1):
            for target in self.some(case.free, 1):
                if square != target:
                    self.expect_text(Rule.NO_SUCH_PIECE, self.write(square, target))
        move = self.rng.choice(case.legal)
        good = self.write(move.origin, move.destination)
        number = f"{variant.squares + 1 + self.rng.randrange(40)}"
        for text in self.some((f"{move.origin}-{number}", f"z{good}", "-", f"{good}-", "", "0-0")):
            if not _is_readable(variant, text):
                self.expect_text(Rule.UNREADABLE, text)
        if variant.removal is Removal.DURING:
            return
        jumps = [
            chain
            for origin, is_king in case.own.items()
            if is_king or variant.men_capture_back
            for chain in case.chains(origin)
            if len(chain.captured) == 1 and (is_king or chain.stop not in case.crown_row)
        ]
        for chain in self.some(jumps):
            text = self.write(chain.origin, chain.stop, chain.origin, capture=True)
            (reading,) = readings_of(variant, text)
            if not matches(variant, self.position, reading, case.legal):
                self.expect_text(Rule.JUMPED_TWICE, text)

    def pairs(self):
        """Two things wrong at once that are not of one piece's way."""
        case = self.case
        for move in self.some(case.legal, 1):
            captured = frozenset(move.captured)
            others = [s for s in case.enemy if s not in captured]
            if captured and others and move.origin != move.destination:
                removed = captured - {self.rng.choice(sorted(captured))} | {self.rng.choice(others)}
                if self._is_sole({Rule.WRONG_REMOVAL, "two"}, {move.origin}, {move.destination},
                                 removed):  # fmt: skip
                    self.expect(
                        {Rule.WRONG_REMOVAL},
                        {move.origin},
                        {move.destination},
                        removed,
                        sole=False,
                    )
        waiting = replace(self.position, turn=self.position.turn.other)
        theirs = [m for m in distinct_moves(self.variant, waiting) if not m.captured]
        for move in self.some(theirs, 1):
            for square in self.some(case.own, 1):
                self.expect(
                    {Rule.NOT_YOUR_TURN, Rule.WRONG_REMOVAL},
                    {square},
                    (),
                    {move.origin},
                    {move.destination},
                    sole=False,
                )


def _is_readable(variant, text):
    try:
        return bool(readings_of(variant, text))
    except UnreadableMove:
        return False


def played(variant, rng, most=160):
    """Positions of one random game, its last one included; some games go on without men."""
    position = start_position(variant)
    found = [position]
    for _ in range(most):
        moves = distinct_moves(variant, position)
        if not moves:
            break
        position = play(variant, position, rng.choice(moves))
        found.append(position)
    return found


def scattered(variant, rng):
    """Pieces anywhere, kings among them; no man on the row where it would be a king."""
    chosen = rng.sample(all_squares(variant), rng.randint(2, 14))
    share = rng.choice((0.1, 0.3, 0.6))
    turn = rng.choice((Side.WHITE, Side.BLACK))
    pieces = {
        square: (rng.choice((Side.WHITE, Side.BLACK)), rng.random() < share) for square in chosen
    }
    return _position(variant, pieces, turn)


def baited(variant, rng):
    """A few pieces, and one before which enemies stand to be jumped, by the rules or against them.

    Often a man two rows from being crowned, so that the jumps go on from the far row; or an
    enemy on the other side too, so that a king would turn right round.
    """
    lines = lines_of(variant)
    turn = rng.choice((Side.WHITE, Side.BLACK))
    ahead = -1 if turn is Side.WHITE else 1
    far = 0 if turn is Side.WHITE else variant.size - 1
    squares = all_squares(variant)
    pieces = {
        square: (rng.choice((Side.WHITE, Side.BLACK)), rng.random() < 0.2)
        for square in rng.sample(squares, rng.randint(0, 6))
    }
    to_crown = variant.about_turns and rng.random() < 0.5
    if to_crown:
        squares = [s for s in squares if abs(place_of(variant, s)[0] - far) == 2]
    origin = at = rng.choice(squares)
    is_king = not to_crown and rng.random() < (0.4 if variant.about_turns else 0.9)
    for number in range(rng.randint(1, 3)):
        ways = [(step, line) for step, _, line in lines[at] if len(line) > 1 and origin != line[0]]
        if to_crown and number == 0:
            ways = [(step, line) for step, line in ways if step[0] * ahead > 0]
        if not ways:
            break
        step, line = rng.choice(ways)
        pieces[line[0]] = (turn.other, rng.random() < (0.4 if variant.man_takes_king else 0.9))
        pieces.pop(line[1], None)
        if number == 0 and is_king and rng.random() < 0.7:
            back = next(b for s, _, b in lines[at] if s == (-step[0], -step[1]))
            if len(back) > 1:
                pieces[back[0]] = (turn.other, False)
                pieces.pop(back[1], None)
        at = line[1]
    pieces[origin] = (turn, is_king)
    return _position(variant, pieces, turn)


def _position(variant, pieces, turn):
    rows = crown_rows(variant)
    boards = {Side.WHITE: 0, Side.BLACK: 0}
    kings = 0
    for square, (side, is_king) in pieces.items():
        bit = 1 << (square - 1)
        boards[side] |= bit
        if is_king or square in rows[side]:
            kings |= bit
    return Position(boards[Side.WHITE], boards[Side.BLACK], kings, turn)


def positions_of(variant, rng, number):
    """So many positions: half from games, half thrown together or baited, each different."""
    found = {}
    while len(found) < number // 2:
        game = played(variant, rng)
        for position in [game[-1], *rng.sample(game, min(8, len(game)))]:
            found.setdefault(position)
    found = dict.fromkeys(list(found)[: number // 2])
    while len(found) < number:
        make = scattered if rng.random() < 0.4 else baited
        found.setdefault(make(variant, rng))
    return list(found)


def spoil_many(number, seed=SEED, names=None):
    tally = Tally()
    rng = random.Random(seed)
    chosen = [VARIANTS[name] for name in names] if names else list(VARIANTS.values())
    # The one variant that has a rule alone must show it often enough.
    chosen += [v for v in chosen if not v.man_takes_king or not v.about_turns] * 2
    share, rest = divmod(number, len(chosen))
    for index, variant in enumerate(chosen):
        for position in positions_of(variant, rng, share + (index < rest)):
            Spoiler(variant, position, rng, tally).spoil()
    return tally


@pytest.mark.slow
def test_every_spoilt_board_of_ten_thousand_positions_is_named_and_restored():
    tally = spoil_many(POSITIONS)
    few = {rule: tally.judged[rule] for rule in ALWAYS if tally.judged[rule] < 200}
    assert not few
    # Most boards are of one explanation only; else the test would prove little.
    for rule, number in tally.left_out.items():
        assert number < 2 * max(tally.judged[rule], tally.double[rule]), rule
    assert sum(tally.left_out.values()) < sum(tally.judged.values()) / 10
    assert tally.too_rich < POSITIONS / 50
    assert min(tally.double.values()) >= 200


@given(cases())
def test_every_spoilt_board_of_any_position_is_named_and_restored(case):
    Spoiler(*case, random.Random(0), Tally()).spoil()
