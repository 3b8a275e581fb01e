"""The course of a clip: a short game with illegal moves, take-backs and accidents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeGuard

import numpy as np
from numpy.typing import NDArray

from benchmarks.render.board import Pose, board_to_world, square_middle
from benchmarks.render.director import Director
from crownhead.rules.generator import jump_chains, legal_moves, play
from crownhead.rules.geometry import algebraic_name, place_of, square_at
from crownhead.rules.move import Move
from crownhead.rules.position import Position, Side, Square
from crownhead.rules.variant import Naming, Variant

Floats = NDArray[np.float64]
ILLEGAL = (
    "wrong_square",
    "backward",
    "missed_capture",
    "wrong_number",
    "opponent_piece",
    "wrong_removal",
)
ACCIDENTS = (
    "hover",
    "nudge",
    "occlusion",
    "knock",
    "board_shift",
    "camera_bump",
    "light",
    "dim",
    "passer",
    "quick_reply",
)
RARE = ("swept", "flicker", "late_removal")
"""Accidents that only long games show, so that short clips stay as their seeds have made them."""

TAKEBACKS = ("proper", "improper", "none")


@dataclass(frozen=True, slots=True)
class Attempt:
    """What somebody does on the board: the squares visited, the men jumped, those lifted."""

    path: tuple[Square, ...]
    captured: tuple[Square, ...] = ()
    removed: tuple[Square, ...] = ()
    crowns: bool = False


def signs_of(position: Position) -> dict[int, str]:
    """Return the pieces of a position by square."""
    found = {}
    for number in range(1, position.occupied.bit_length() + 1):
        piece = position.piece_at(Square(number))
        if piece is not None:
            found[number] = piece.value
    return found


def position_of(signs: dict[int, str], turn: str) -> Position:
    """Return the position of pieces by square with a side to move (`W`, `B`)."""
    white = sum(1 << (n - 1) for n, s in signs.items() if s in "wW")
    black = sum(1 << (n - 1) for n, s in signs.items() if s in "bB")
    kings = sum(1 << (n - 1) for n, s in signs.items() if s in "WB")
    return Position(white, black, kings, Side.WHITE if turn == "W" else Side.BLACK)


def plan_game(
    rng: np.random.Generator, variant: Variant, position: Position, plies: int, tries: int = 60
) -> list[Move]:
    """Return a legal game of so many plies, the one of several with the most to see."""
    best: list[Move] = []
    best_worth = -1.0
    for _ in range(tries):
        now, game = position, []
        for _ in range(plies):
            moves = legal_moves(variant, now)
            if not moves:
                break
            move = moves[int(rng.integers(len(moves)))]
            game.append(move)
            now = play(variant, now, move)
        worth = sum(3.0 * m.crowns + 0.5 * len(m.captured) for m in game)
        worth += 2.0 * sum(len(m.captured) >= 2 for m in game[1:]) + 0.3 * len(game) + rng.random()
        if worth > best_worth:
            best, best_worth = game, worth
    return best


def _step(variant: Variant, square: Square, rows: int, columns: int) -> Square | None:
    row, column = place_of(variant, square)
    return square_at(variant, row + rows, column + columns)


def _ahead(turn: str) -> int:
    return -1 if turn == "W" else 1


def try_illegal(
    rng: np.random.Generator, variant: Variant, signs: dict[int, str], turn: str, sub: str
) -> Attempt | None:
    """Return an illegal move of one kind, or None if the position offers none."""
    position = position_of(signs, turn)
    legal = legal_moves(variant, position)
    if not legal:
        return None
    own = [Square(n) for n, s in signs.items() if s == turn.lower()]
    men = [n for n in own if signs[n] in "wb"]
    enemy = [Square(n) for n, s in signs.items() if s.upper() != turn]
    captures = [m for m in legal if m.is_capture and not m.crowns]
    ahead = _ahead(turn)
    last_row = 0 if turn == "W" else variant.size - 1
    found: list[Attempt] = []

    def is_free(target: Square | None) -> TypeGuard[Square]:
        if target is None or target in signs:
            return False
        return place_of(variant, target)[0] != last_row

    if sub in ("backward", "missed_capture", "opponent_piece"):
        if (sub == "missed_capture") != bool(legal[0].is_capture):
            return None
        movers = men
        rows = ahead
        if sub == "opponent_piece":
            movers = [Square(n) for n, s in signs.items() if s in "wb" and s.upper() != turn]
            rows, last_row = -ahead, variant.size - 1 - last_row
        elif sub == "backward":
            rows = -ahead
        for origin in movers:
            for columns in (-1, 1):
                target = _step(variant, origin, rows, columns)
                if is_free(target):
                    found.append(Attempt((origin, target)))
    elif sub == "wrong_square":
        if legal[0].is_capture:
            return None
        for origin in men:
            for rows, columns in (
                (2, 0),
                (0, 2),
                (2, 2),
                (2, -2),
                (0, -2),
                (3, 1),
                (3, -1),
                (1, 3),
                (1, -3),
            ):
                target = _step(variant, origin, rows * ahead, columns)
                if is_free(target):
                    found.append(Attempt((origin, target)))
    elif sub == "wrong_number" and captures:
        most = max(len(m.captured) for m in captures)
        if most < 2:
            return None
        ends = {(m.path, m.captured) for m in legal}
        for origin in own:
            for chain in jump_chains(variant, position, origin):
                poorer = (chain.path, chain.captured) not in ends and len(chain.captured) < most
                if poorer and place_of(variant, chain.destination)[0] != last_row:
                    found.append(Attempt(chain.path, chain.captured, chain.captured))
        found += [
            Attempt(m.path, m.captured, m.captured[:-1])
            for m in captures
            if len(m.captured) == most
        ]
    elif sub == "wrong_removal" and captures:
        for move in captures:
            others = [n for n in enemy if n not in move.captured]
            if others:
                other = others[int(rng.integers(len(others)))]
                found.append(Attempt(move.path, move.captured, (*move.captured[:-1], other)))
    return found[int(rng.integers(len(found)))] if found else None


class Storyteller:
    """Lets a director act out a game with what is to happen in it."""

    def __init__(self, director: Director, variant: Variant) -> None:
        self.director = director
        self.variant = variant
        self.rng = director.rng
        self.ply = 0
        self.lingers = False

    def tell(self, plies: int, happenings: Sequence[tuple[str, str]]) -> None:
        """Play so many plies with these happenings spread over them.

        Args:
            plies: moves that stand.
            happenings: (kind, "") of an accident, or (sub, takeback) of an illegal move.
        """
        director = self.director
        waiting = []
        for kind, takeback in happenings:
            # Illegal moves come early, for many positions offer none of their kind.
            anywhere = kind in (*ACCIDENTS, *RARE)
            latest = max(plies - 1 if anywhere else plies // 3, 2)
            waiting.append((int(self.rng.integers(1, latest)), kind, takeback))
        waiting.sort()
        game = self._plan(plies)
        director.wait(int(self.rng.integers(20, 34)))
        hasty = False
        while self.ply < plies and game:
            now = [entry for entry in waiting if entry[0] <= self.ply and not hasty]
            hasty = False
            for entry in now:
                _, kind, takeback = entry
                if kind == "late_removal":
                    # Somebody jumps now and lifts the men only after a pause.
                    happened = self.lingers = bool(game and game[0].is_capture)
                elif kind == "quick_reply":
                    hasty = self.ply + 1 < plies and len(game) > 1
                    happened = hasty
                else:
                    happened = self._let_happen(kind, takeback)
                if happened:
                    waiting.remove(entry)
                if happened and takeback == "none":
                    game = self._plan(plies - self.ply)
            if game:
                self._play(game.pop(0), hasty=hasty)
        director.wait(12)
        director.positions[-1]["end"] = director.now - 1

    def _let_happen(self, kind: str, takeback: str) -> bool:
        """Act out an accident or an illegal move; tell whether the position allowed it."""
        director = self.director
        if kind in ACCIDENTS or kind in RARE:
            self._accident(kind)
            director.wait(int(self.rng.integers(14, 26)))
            return True
        attempt = try_illegal(self.rng, self.variant, director.signs, director.turn, kind)
        if attempt is None:
            return False
        self._illegal(attempt, kind, takeback)
        return True

    def _play(self, move: Move, *, hasty: bool) -> None:
        """Play a legal move; a hasty opponent replies before the hand is gone."""
        director = self.director
        side, start = director.turn.lower(), director.now
        self.ply += 1
        attempt = Attempt(move.path, move.captured, move.captured, move.crowns)
        self._perform(attempt, side, ply=self.ply)
        if hasty:
            director.leave_behind(side)
            director.incidents.append(
                {"kind": "quick_reply", "start": start, "end": director.now + 6}
            )
        else:
            director.leave(side)
            director.wait(int(self.rng.integers(22, 42)))

    def _plan(self, plies: int) -> list[Move]:
        position = position_of(self.director.signs, self.director.turn)
        return plan_game(self.rng, self.variant, position, plies)

    # --- moves ----------------------------------------------------------------------------

    def _perform(
        self, attempt: Attempt, side: str, *, ply: int | None, incident: str | None = None
    ) -> None:
        director = self.director
        before, start = director.fen(), director.now
        origin, target = attempt.path[0], attempt.path[-1]
        keys = director.on[origin]
        director.reach(side, director.top_of(keys), 5.5)
        first_touch = director.now - 1
        director.stay(side, 1.5)
        director.touched()
        director.lift(side, keys)
        del director.on[origin]
        sign = director.signs.pop(origin)
        for stop in attempt.path[1:-1]:
            foot = director.foot_on(stop)
            lowest = min(float(offset[2]) for offset in director.held.values())
            director.reach(side, foot - np.array([0.0, 0.0, lowest]), 4, 2.5)
            director.stay(side, 1)
        end = director.carry(side, director.foot_on(target), 4)
        director.on[target], director.signs[target] = keys, sign
        if self.lingers:
            self.lingers, paused = False, director.now
            director.leave(side)
            director.wait(int(self.rng.integers(15, 40)))
            director.incidents.append(
                {"kind": "late_removal", "start": paused, "end": director.now - 1}
            )
        for square in attempt.removed:
            end = director.take_away(side, square)
        if attempt.crowns:
            end = director.crown(side, target)
        legal = incident is None
        stands = ply is not None
        if stands:
            director.turn = "B" if director.turn == "W" else "W"
        entry: dict[str, object] = {
            "ply": ply,
            "color": before[0],
            "pdn": self._name((origin, target), attempt),
            "path": self._name(attempt.path, attempt),
            "captured": list(attempt.captured),
            "removed": list(attempt.removed),
            "promotes": attempt.crowns,
            "legal": legal,
            "start": start,
            "first_touch": first_touch,
            "end": end,
            "fen_before": before,
            "fen_after": director.fen(),
        }
        if self.variant.naming is Naming.ALGEBRAIC:
            sign_between = ":" if attempt.captured else "-"
            names = [algebraic_name(self.variant, square) for square in attempt.path]
            entry["algebraic"] = sign_between.join(names)
        if incident is not None:
            entry["incident"] = incident
        director.moves.append(entry)
        director.settled(end, **({} if legal else {"legal": False}))

    def _name(self, squares: Sequence[Square], attempt: Attempt) -> str:
        return ("x" if attempt.captured else "-").join(str(square) for square in squares)

    def _illegal(self, attempt: Attempt, sub: str, takeback: str) -> None:
        director = self.director
        side, start = director.turn.lower(), director.now
        before = dict(director.signs)
        kept = {square: list(director.on[square]) for square in attempt.removed}
        stands = takeback == "none"
        if stands:
            self.ply += 1
        self._perform(attempt, side, ply=self.ply if stands else None, incident=f"illegal:{sub}")
        after, end = director.fen(), director.now - 1
        director.leave(side)
        seconds = float(self.rng.uniform(1.5, 3.0))
        facts: dict[str, object] = {
            "kind": "illegal",
            "start": start,
            "end": end,
            "sub": sub,
            "takeback": takeback,
            "seconds": round(seconds, 1),
            "move": director.moves[-1]["pdn"],
            "position_after": after,
        }
        director.incidents.append(facts)
        director.wait(round(seconds * 12))
        if stands:
            return
        missing = self._take_back(attempt, before, kept, side, facts, whole=takeback == "proper")
        director.leave(side)
        director.wait(int(self.rng.integers(18, 32)))
        if takeback == "improper":
            self._put_right(attempt, before, kept, side, facts, missing)
            director.leave(side)
            director.wait(int(self.rng.integers(18, 32)))

    def _take_back(
        self,
        attempt: Attempt,
        before: dict[int, str],
        kept: dict[Square, list[int]],
        side: str,
        facts: dict[str, object],
        *,
        whole: bool,
    ) -> list[Square]:
        """Undo an illegal move, wholly or not; return the squares still to be filled."""
        director = self.director
        start = director.now
        origin, target = attempt.path[0], attempt.path[-1]
        missing: list[Square] = []
        back = origin
        if not whole:
            if attempt.removed:
                missing = [attempt.removed[-1]]
            else:
                back = self._beside(origin)
        keys = director.on[target]
        director.reach(side, director.top_of(keys), 5.5)
        director.stay(side, 1.5)
        director.touched()
        director.lift(side, keys)
        del director.on[target], director.signs[target]
        end = director.carry(side, director.foot_on(back), 4)
        director.on[back], director.signs[back] = keys, before[origin]
        for square in attempt.removed:
            if square not in missing:
                end = director.put_back(side, square, before[square], kept[square])
        director.settled(end, legal=whole, note=f"take-back {'proper' if whole else 'improper'}")
        facts |= {
            "end": end,
            "takeback_frames": [start, end],
            "position_after_takeback": director.fen(),
        }
        return missing

    def _put_right(
        self,
        attempt: Attempt,
        before: dict[int, str],
        kept: dict[Square, list[int]],
        side: str,
        facts: dict[str, object],
        missing: list[Square],
    ) -> None:
        director = self.director
        start = director.now
        end = start
        if missing:
            director.touched()
            for square in missing:
                end = director.put_back(side, square, before[square], kept[square])
        else:
            wrong = next(n for n in director.signs if n not in before)
            keys = director.on[wrong]
            director.reach(side, director.top_of(keys), 5.5)
            director.touched()
            director.lift(side, keys)
            del director.on[wrong], director.signs[wrong]
            origin = attempt.path[0]
            end = director.carry(side, director.foot_on(origin), 4)
            director.on[origin], director.signs[origin] = keys, before[origin]
        director.settled(end, note="corrected")
        facts |= {"end": end, "corrected_frames": [start, end]}

    def _beside(self, square: Square) -> Square:
        """Return an empty square near another, as a careless hand finds it."""
        row, column = place_of(self.variant, square)
        near = sorted(
            (abs(r - row) + abs(c - column), n)
            for n in range(1, self.variant.size**2 // 2 + 1)
            if n not in self.director.signs and n != square
            for r, c in [place_of(self.variant, Square(n))]
        )
        return Square(near[0][1])

    # --- accidents ------------------------------------------------------------------------

    def _accident(self, kind: str) -> None:
        director = self.director
        start = director.now
        side = str(self.rng.choice(["w", "b"]))
        details = getattr(self, f"_act_{kind}")(side)
        director.incidents.append(
            {"kind": kind, "start": start, "end": director.now - 1, **details}
        )

    def _over(self, height: float) -> Floats:
        at = self.rng.uniform(-0.6, 0.6, 2) * self.director.style.half
        point = board_to_world(self.director.style, self.director.pose, at)[0]
        return point + np.array([0.0, 0.0, height])

    def _act_hover(self, side: str) -> dict[str, object]:
        director = self.director
        pose = str(self.rng.choice(["pinch", "point", "open"]))
        director.kind = pose
        director.reach(side, self._over(5), 6)
        director.stay(side, float(self.rng.uniform(4, 12)), 0.3)
        director.leave(side)
        return {"pose": pose}

    def _act_occlusion(self, side: str) -> dict[str, object]:
        director = self.director
        director.kind = "rest"
        director.reach(side, self._over(1.5), 6)
        director.stay(side, float(self.rng.uniform(25, 50)), 0.08)
        director.leave(side)
        return {}

    def _act_nudge(self, side: str) -> dict[str, object]:
        director = self.director
        number = int(self.rng.choice(list(director.on)))
        keys = director.on[number]
        director.reach(side, director.top_of(keys), 5.5)
        foot = director.foot_on(number, 0.11)
        director.lift(side, keys)
        director.carry(side, foot, 3, 0.0)
        director.leave(side)
        return {"square": number}

    def _act_knock(self, side: str) -> dict[str, object]:
        director = self.director
        choices = [n for n, keys in director.on.items() if len(keys) == 1]
        number = int(self.rng.choice(choices))
        keys = director.on[number]
        director.reach(side, director.top_of(keys), 5.5)
        director.touched()
        at = np.array(square_middle(director.style, number))
        angle = self.rng.uniform(0, 2 * np.pi)
        at = at + np.array([np.cos(angle), np.sin(angle)]) * 0.5 * director.style.square_cm
        at = at.clip(-director.style.half, director.style.half)
        director.lift(side, keys)
        foot = board_to_world(director.style, director.pose, at)[0]
        end = director.carry(side, foot, 2, 0.3)
        director.settled(end, disturbed=True, note="knocked over")
        director.leave(side)
        director.wait(int(self.rng.integers(15, 35)))
        director.reach(side, director.top_of(keys), 5.5)
        director.stay(side, 1.5)
        director.touched()
        director.lift(side, keys)
        end = director.carry(side, director.foot_on(number), 3)
        director.settled(end, note="set upright")
        director.leave(side)
        return {"square": number}

    def _act_board_shift(self, side: str) -> dict[str, object]:
        director = self.director
        sign = -1.0 if side == "w" else 1.0
        edge = np.array([0.0, sign * director.style.half_outer])
        director.kind = "open"
        director.reach(side, board_to_world(director.style, director.pose, edge)[0], 6)
        old = director.pose
        move = self.rng.normal(0, 0.6, 2) + np.array([0.0, -sign * 0.4])
        turn = float(np.radians(self.rng.uniform(1.0, 4.0) * self.rng.choice([-1, 1])))
        assert director.hand is not None
        grip = director.hand
        for i in range(1, 7):
            share = i / 6
            director.shift_board(
                Pose(
                    old.x + float(move[0]) * share,
                    old.y + float(move[1]) * share,
                    old.angle + turn * share,
                )
            )
            director.hand = grip + np.array([move[0], move[1], 0.0]) * share
            director.tick(side)
        director.leave(side)
        return {"cm": [round(float(v), 2) for v in move], "deg": round(float(np.degrees(turn)), 2)}

    def _act_camera_bump(self, side: str) -> dict[str, object]:
        del side
        director = self.director
        for index in (1, 2, 3, 4, 5):
            director.camera = index
            director.wait(1)
        director.wait(4)
        return {}

    def _act_light(self, side: str) -> dict[str, object]:
        del side
        director = self.director
        key = float(self.rng.choice([0.25, 0.5, 1.8]))
        director.light = (director.light[0] * key, director.light[1])
        director.wait(3)
        return {"key_to": key}

    def _act_dim(self, side: str) -> dict[str, object]:
        del side
        director = self.director
        to, seconds = float(self.rng.uniform(0.25, 0.6)), float(self.rng.uniform(1.5, 4))
        first = director.light
        count = round(seconds * 12)
        for i in range(1, count + 1):
            share = 1 + (to - 1) * i / count
            director.light = (first[0] * share, first[1] * share)
            director.wait(1)
        return {"seconds": round(seconds, 2), "to": round(to, 3)}

    def _act_passer(self, side: str) -> dict[str, object]:
        del side
        director = self.director
        count = int(self.rng.integers(14, 34))
        for i in range(count):
            director.passer = i / (count - 1)
            director.wait(1)
        director.passer = None
        return {}

    def _act_swept(self, side: str) -> dict[str, object]:
        """A sleeve drags pieces off the board; they are set up again."""
        director = self.director
        count = min(int(self.rng.integers(2, 5)), len(director.on) - 1)
        squares = [int(n) for n in self.rng.choice(sorted(director.on), count, replace=False)]
        kept = {n: (director.signs[n], list(director.on[n])) for n in squares}
        director.reach(side, director.top_of(director.on[squares[0]]), 5.5)
        director.touched()
        end = director.now
        for number in squares:
            end = director.take_away(side, number)
        director.settled(end, legal=False, note="swept off")
        director.leave(side)
        director.wait(int(self.rng.integers(20, 45)))
        director.touched()
        for number in squares:
            end = director.put_back(side, number, *kept[number])
        director.settled(end, note="set up again")
        director.leave(side)
        return {"squares": squares}

    def _act_flicker(self, side: str) -> dict[str, object]:
        """A lamp beats against the frame rate for some seconds."""
        del side
        director = self.director
        first, depth = director.light, float(self.rng.uniform(0.02, 0.08))
        beat = float(self.rng.uniform(0.5, 3.0))
        for i in range(int(self.rng.integers(30, 70))):
            share = 1 + depth * float(np.sin(beat * i))
            director.light = (first[0] * share, first[1])
            director.wait(1)
        director.light = first
        return {"depth": round(depth, 3)}
