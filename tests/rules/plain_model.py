"""A second, plain view of the rules: squares in lists, no bitboards, nothing of the referee's.

It says for a board in how many ways one single fault explains it, so that a test knows what the
referee has to name. Only the legal moves are the generator's; other tests prove those.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache

from crownhead.rules.generator import distinct_moves, legal_moves, play
from crownhead.rules.geometry import all_squares, place_of, square_at
from crownhead.rules.position import Position, Side
from crownhead.rules.variant import Crowning, Kings, Lines, Priority, Removal
from crownhead.rules.verdict import Rule

MOST_CHAINS = 600
"""A position where one piece can jump in more ways than this is too rich to explain plainly."""


class TooRich(Exception):
    """There are more chains of jumps than a test should walk."""


@cache
def lines_of(variant):
    """Of each square, its lines: (rows down a step, whether only captures go along it, squares)."""
    straight = variant.lines is Lines.STRAIGHT
    steps = [(-1, 0), (1, 0), (0, -1), (0, 1)] if straight else [(-1, -1), (-1, 1), (1, -1), (1, 1)]
    both = [(step, False) for step in steps]
    if variant.straight_captures:
        both += [(step, True) for step in ((-2, 0), (2, 0), (0, -2), (0, 2))]
    found = {}
    for square in all_squares(variant):
        row, column = place_of(variant, square)
        lines = []
        for (down, right), captures_only in both:
            line = []
            while (s := square_at(variant, row + down, column + right)) is not None:
                line.append(s)
                row, column = row + down, column + right
            row, column = place_of(variant, square)
            lines.append(((down, right), captures_only, tuple(line)))
        found[square] = tuple(lines)
    return found


@cache
def crown_rows(variant):
    """The squares where a man of each side is crowned."""
    far = {Side.WHITE: 0, Side.BLACK: variant.size - 1}
    return {
        side: frozenset(s for s in all_squares(variant) if place_of(variant, s)[0] == row)
        for side, row in far.items()
    }


@dataclass(frozen=True)
class Chain:
    """Some jumps of one piece, perhaps not all that it could make."""

    origin: int
    stop: int
    captured: tuple[int, ...]
    goes_on: bool


@dataclass
class Case:
    """A position with all that can be said of it beforehand."""

    variant: object
    position: Position
    legal: tuple = ()
    own: dict[int, bool] = field(default_factory=dict)
    enemy: dict[int, bool] = field(default_factory=dict)

    def __post_init__(self):
        position = self.position
        self.legal = distinct_moves(self.variant, position)
        mine, other = (position.white, position.black)
        if position.turn is Side.BLACK:
            mine, other = other, mine
        for square in all_squares(self.variant):
            bit = 1 << (square - 1)
            if mine & bit:
                self.own[square] = bool(position.kings & bit)
            elif other & bit:
                self.enemy[square] = bool(position.kings & bit)
        self.lines = lines_of(self.variant)
        self.ahead = -1 if position.turn is Side.WHITE else 1
        self.crown_row = crown_rows(self.variant)[position.turn]
        self.free = [
            s for s in all_squares(self.variant) if s not in self.own and s not in self.enemy
        ]
        self.captures = any(move.captured for move in self.legal)
        self.results = {
            (move.origin, move.destination, frozenset(move.captured)) for move in self.legal
        }
        self.boards = {
            (after.white, after.black)
            for after in (play(self.variant, position, move) for move in self.legal)
        }
        self._chains = {}
        self._loose = {}
        self._begun = None
        self._ends = None

    def board(self, movers=(), arrived=(), removed=(), added=(), *, kings=None):
        """The position that stands on the board after such a change; men moved keep their rank."""
        mine = {s for s in self.own if s not in movers} | set(arrived)
        other = {s for s in self.enemy if s not in removed} | set(added)
        own, enemy = (sum(1 << (s - 1) for s in group) for group in (mine, other))
        white, black = (own, enemy) if self.position.turn is Side.WHITE else (enemy, own)
        if kings is None:
            kings = self.position.kings & ~sum(1 << (s - 1) for s in (*movers, *removed))
            if len(movers) == 1 and len(arrived) == 1 and self.own[next(iter(movers))]:
                kings |= 1 << (next(iter(arrived)) - 1)
        return Position(white, black, kings & (white | black), self.position.turn)

    # What pieces can do.

    def steps(self, origin) -> Iterator[int]:
        """Where a piece could go without capturing, were no capture compulsory."""
        is_king = self.own[origin]
        for (down, _), captures_only, line in self.lines[origin]:
            if captures_only or (not is_king and down == -self.ahead):
                continue
            for square in line:
                if square in self.own or square in self.enemy:
                    break
                yield square
                if not is_king or self.variant.kings is Kings.SHORT:
                    break

    def chains(self, origin) -> tuple[Chain, ...]:
        """All that a piece can jump by the rules, unfinished chains and poorer ones too."""
        if origin not in self._chains:
            self._chains[origin] = tuple(self._jump(self.variant, origin))
        return self._chains[origin]

    def loose(self) -> dict[tuple, set]:
        """What could be jumped if one rule were lifted, by ends and captured, with that rule."""
        if not self._loose:
            self._loose[None] = set()
            for changed, rule in self._relaxed():
                for origin in self.own:
                    known = {(c.stop, frozenset(c.captured)) for c in self.chains(origin)}
                    for chain in self._jump(changed, origin):
                        if (chain.stop, frozenset(chain.captured)) not in known:
                            key = (origin, chain.stop, frozenset(chain.captured))
                            self._loose.setdefault(key, set()).add(rule)
            for origin in self.own:
                for chain in self._jump(self.variant, origin, over_own=True):
                    if any(square in self.own for square in chain.captured):
                        key = (origin, chain.stop, frozenset(chain.captured))
                        self._loose.setdefault(key, set()).add(Rule.OWN_PIECE_JUMPED)
        return self._loose

    def _relaxed(self):
        variant = self.variant
        if not variant.men_capture_back:
            yield replace(variant, men_capture_back=True), Rule.WRONG_DIRECTION
        if not variant.man_takes_king:
            yield replace(variant, man_takes_king=True), Rule.MAN_TAKES_KING
        if variant.crowning is Crowning.ENDS_THE_TURN:
            changed = replace(variant, crowning=Crowning.GOES_ON_AS_KING)
            yield changed, Rule.CROWNING_ENDS_TURN
        if not variant.about_turns:
            yield replace(variant, about_turns=True), Rule.TURNED_ABOUT

    def begun(self) -> set[tuple]:
        """Legal captures cut short: origin and captured pieces, in order and as a set."""
        if self._begun is None:
            self._begun = set()
            for move in legal_moves(self.variant, self.position):
                for number in range(1, len(move.captured)):
                    self._begun.add((move.origin, move.captured[:number]))
                    self._begun.add((move.origin, frozenset(move.captured[:number])))
        return self._begun

    def _jump(self, variant, origin, *, over_own=False) -> list[Chain]:
        found: list[Chain] = []
        lines = self.lines
        flying = variant.kings is not Kings.SHORT
        near = variant.kings is Kings.FLYING_SHORT_LANDING
        at_once = variant.removal is Removal.DURING
        own, enemy = self.own, self.enemy

        def blocks(square, captured):
            if square == origin or (at_once and square in captured):
                return False
            return square in own or square in enemy

        def go(at, is_king, captured, came):
            any_jump = False
            for (down, right), _, line in lines[at]:
                backward = down * self.ahead < 0
                if not is_king and backward and not variant.men_capture_back:
                    continue
                if is_king and flying and not variant.about_turns and came == (-down, -right):
                    continue
                number = 0
                if is_king and flying:
                    while number < len(line) and not blocks(line[number], captured):
                        number += 1
                if number + 1 >= len(line):
                    continue
                over = line[number]
                if not blocks(over, captured) or over in captured:
                    continue
                if over in own and not over_own:
                    continue
                is_prey_king = enemy.get(over, False)
                if not is_king and is_prey_king and not variant.man_takes_king:
                    continue
                for landing in line[number + 1 :]:
                    if blocks(landing, captured):
                        break
                    any_jump = True
                    arrive(landing, is_king, (*captured, over), (down, right))
                    if not (is_king and flying) or near:
                        break
            return any_jump

        def arrive(landing, is_king, captured, came):
            if len(found) > MOST_CHAINS:
                raise TooRich
            on_row = not is_king and landing in self.crown_row
            if on_row and variant.crowning is Crowning.ENDS_THE_TURN:
                found.append(Chain(origin, landing, captured, False))
                return
            crowned = on_row and variant.crowning is Crowning.GOES_ON_AS_KING
            came = None if crowned else came
            place = len(found)
            found.append(Chain(origin, landing, captured, False))
            if go(landing, is_king or crowned, captured, came):
                found[place] = replace(found[place], goes_on=True)

        go(origin, own[origin], (), None)
        return found

    # What explains a board.

    def single_faults(self, movers, arrived, removed) -> set[Rule]:
        """Every rule whose breach alone explains what one piece did, given what left the board."""
        rules: set[Rule] = set()
        if len(arrived) != 1 or not movers:
            return rules
        (stop,) = arrived
        for origin in movers:
            lost = movers - {origin}
            rules |= self._faults_of(origin, stop, removed, lost)
        return rules

    def _faults_of(self, origin, stop, removed, lost) -> set[Rule]:
        rules: set[Rule] = set()
        exact = (origin, stop, removed)
        if lost:
            rules |= self.loose().get((origin, stop, removed | lost), set())
            if exact in self.results:
                rules.add(Rule.WRONG_REMOVAL)
            return rules
        quiet = not removed and stop in self.steps(origin)
        if quiet:
            rules.add(Rule.MUST_CAPTURE)
        ways = [chain for chain in self.chains(origin) if chain.stop == stop]
        poor = [self.too_poor(way) for way in ways if frozenset(way.captured) == removed]
        # If the piece may be on the way of a legal capture, it has stopped too early.
        stopped = {Rule.MUST_FINISH_CAPTURE}
        rules |= stopped if stopped in poor else set().union(*poor)
        legal = [captured for o, s, captured in self.results if (o, s) == (origin, stop)]
        if any(removed != captured and (removed < captured or removed > captured)
               for captured in legal):  # fmt: skip
            rules.add(Rule.WRONG_REMOVAL)
        rules |= self.loose().get(exact, set())
        if removed == {stop}:
            rules.add(Rule.OCCUPIED)
            if ways:  # where pieces leave at once, the square may be free by then
                rules.add(Rule.WRONG_REMOVAL)
        if not removed and not quiet and not ways:
            rules |= self.impossible(origin, stop)
        if not removed and ways and self._is_step_back(origin, stop):
            rules.add(Rule.WRONG_DIRECTION)
        if not removed and not quiet and ways and not legal:
            # Jumps that are not legal, and not one piece lifted: the board cannot tell which.
            rules |= {Rule.MUST_CAPTURE, Rule.WRONG_REMOVAL}
        return rules

    def _is_step_back(self, origin, stop) -> bool:
        return not self.own[origin] and any(
            not captures_only and down == -self.ahead and line[:1] == (stop,)
            for (down, _), captures_only, line in self.lines[origin]
        )

    def too_poor(self, chain) -> set[Rule]:
        if self.variant.priority is Priority.FREE:
            return {Rule.MUST_FINISH_CAPTURE}
        if (chain.origin, chain.captured) in self.begun():
            return {Rule.MUST_FINISH_CAPTURE}
        # The same pieces may be the beginning of a legal capture in another order.
        if chain.goes_on or (chain.origin, frozenset(chain.captured)) in self.begun():
            return {Rule.MUST_FINISH_CAPTURE, Rule.MUST_CAPTURE_MOST}
        return {Rule.MUST_CAPTURE_MOST}

    def impossible(self, origin, stop) -> set[Rule]:
        """Name why a piece can never go from here to there, lifting nothing."""
        over = self.loose_ends(origin, stop)
        if over:
            return over
        for (down, _), captures_only, line in self.lines[origin]:
            if captures_only or stop not in line:
                continue
            distance = line.index(stop) + 1
            rules = set()
            is_king = self.own[origin]
            if not is_king and down == -self.ahead:
                rules.add(Rule.WRONG_DIRECTION)
            if distance > 1:
                rules.add(Rule.TOO_FAR)
            return rules
        straight = self.variant.lines is Lines.STRAIGHT
        return {Rule.NOT_STRAIGHT if straight else Rule.NOT_DIAGONAL}

    def loose_ends(self, origin, stop) -> set[Rule]:
        """Rules that forbid a jump between two squares, whatever it would capture."""
        if self._ends is None:
            self._ends = {}
            for key, rules in self.loose().items():
                if key is not None:
                    self._ends.setdefault(key[:2], set()).update(rules)
        return self._ends.get((origin, stop), set())
