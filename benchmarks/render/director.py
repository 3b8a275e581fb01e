"""What happens at the table, frame by frame: hands, men lifted and laid down, accidents."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from benchmarks.render import looks
from benchmarks.render.board import BoardStyle, Pose, board_to_world, square_middle
from benchmarks.render.hand import HandLook, HandPose
from benchmarks.render.looks import PieceSet
from benchmarks.render.pieces import PieceModel, Placed, turned
from benchmarks.render.truth import format_fen

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Moment:
    """One frame before it is photographed.

    Attributes:
        standing: pieces at rest; the same tuple as long as nothing of it changes.
        held: pieces in a hand or on the move.
        hands: hands at the table.
        light: factors of key and sky light.
        passer: where someone's shadow is, 0 to 1 along its way; None without.
        pose: of the board.
        camera: index of the camera's stand.
    """

    standing: tuple[Placed, ...]
    held: tuple[Placed, ...]
    hands: tuple[HandPose, ...]
    light: tuple[float, float]
    passer: float | None
    pose: Pose
    camera: int


@dataclass(slots=True, eq=False)
class Director:
    """Acts out moves and incidents and keeps the frames and the truth about them.

    Built up while a clip is planned: the one mutable thing of this package.
    """

    rng: np.random.Generator
    style: BoardStyle
    pieces: PieceSet
    hands: dict[str, HandLook]
    out_of_sight: float
    pace: float
    signs: dict[int, str]
    turn: str
    moments: list[Moment] = field(default_factory=list)
    positions: list[dict[str, object]] = field(default_factory=list)
    moves: list[dict[str, object]] = field(default_factory=list)
    incidents: list[dict[str, object]] = field(default_factory=list)
    bodies: dict[int, Placed] = field(default_factory=dict)
    owners: dict[int, str] = field(default_factory=dict)
    on: dict[int, list[int]] = field(default_factory=dict)
    beside: dict[str, list[int]] = field(default_factory=lambda: {"w": [], "b": []})
    spare_kings: dict[str, list[int]] = field(default_factory=lambda: {"w": [], "b": []})
    slots: dict[int, int] = field(default_factory=lambda: {1: 0, -1: 0})
    held: dict[int, Floats] = field(default_factory=dict)
    hand: Floats | None = None
    kind: str = "pinch"
    leaving: list[HandPose] = field(default_factory=list)
    light: tuple[float, float] = (1.0, 1.0)
    passer: float | None = None
    pose: Pose = field(default_factory=Pose)
    camera: int = 0
    standing: tuple[Placed, ...] | None = None
    next_id: int = 0

    # --- setting up -----------------------------------------------------------------------

    def set_up(self) -> None:
        """Put the position on the board and spare pieces beside it."""
        for number, sign in self.signs.items():
            side = 0 if sign.lower() == "w" else 1
            model = self.pieces.kings[side] if sign.isupper() else self.pieces.men[side]
            foot = self.foot_on(number)
            mine = [self._add(Placed(model, foot, self._spin()), sign.lower())]
            if sign.isupper() and self.pieces.king == "stack":
                upper = foot + np.array([0.0, 0.0, model.height])
                mine.append(self._add(Placed(model, upper, self._spin()), sign.lower()))
            self.on[number] = mine
        if self.pieces.king != "flip" or self.rng.random() < 0.2:
            for side, sign in enumerate("wb"):
                for _ in range(2):
                    marked = self.pieces.king == "mark"
                    model = self.pieces.kings[side] if marked else self.pieces.men[side]
                    key = self._add(Placed(model, self._slot(sign), self._spin()), sign)
                    (self.spare_kings if marked else self.beside)[sign].append(key)
        self._settle(0)

    def _add(self, placed: Placed, owner: str) -> int:
        key = self.next_id
        self.next_id += 1
        self.bodies[key], self.owners[key] = placed, owner
        self.standing = None
        return key

    def _spin(self) -> Floats:
        return turned(float(self.rng.uniform(0, 2 * np.pi)))

    def foot_on(self, number: int, spread: float | None = None) -> Floats:
        """Return where a piece is put that is meant for a square, a little off its middle."""
        spread = self.pieces.spread if spread is None else spread
        offset = self.rng.normal(0, spread, 2).clip(-0.15, 0.15) * self.style.square_cm
        at = np.array(square_middle(self.style, number)) + offset
        return board_to_world(self.style, self.pose, at)[0]

    def _slot(self, owner: str) -> Floats:
        """Return a free place beside the board; White's captured men lie at Black's right."""
        side = -1 if owner == "w" else 1
        index = self.slots[side]
        self.slots[side] += 1
        return looks.beside(self.rng, self.style, index, side)

    # --- frames ---------------------------------------------------------------------------

    @property
    def now(self) -> int:
        """The number of the next frame."""
        return len(self.moments)

    def tick(self, side: str | None = None) -> None:
        """Take one frame with the hand of a side where it is."""
        if self.standing is None:
            self.standing = tuple(
                p for key, p in sorted(self.bodies.items()) if key not in self.held
            )
        hands = []
        if self.leaving:
            hands.append(self.leaving.pop(0))
        if side is not None and self.hand is not None:
            hands.append(self.hand_pose(side))
        held = tuple(
            replace(self.bodies[key], foot=self.hand + offset)
            for key, offset in self.held.items()
            if self.hand is not None
        )
        self.moments.append(
            Moment(
                self.standing, held, tuple(hands), self.light, self.passer, self.pose, self.camera
            )
        )

    def hand_pose(self, side: str) -> HandPose:
        """Return a side's hand where it is now."""
        assert self.hand is not None
        width = self.pieces.body.radius * 1.05 if self.held else self.pieces.body.radius * 1.3
        return HandPose(
            self.hands[side], self.hand.copy(), self._elbow(side, self.hand), self.kind, width
        )

    def _elbow(self, side: str, hand: Floats) -> Floats:
        sign = -1.0 if side == "w" else 1.0
        thumb = self.hands[side].thumb
        shoulder = np.array([-sign * thumb * 14.0, sign * (self.style.half_outer + 48.0), 14.0])
        flat = shoulder - hand
        away = flat / max(float(np.linalg.norm(flat[:2])), 1e-6)
        return hand + np.array([away[0] * 75.0, away[1] * 75.0, 15.0 + 6.0 * abs(away[2])])

    def wait(self, frames: int) -> None:
        """Let time pass."""
        for _ in range(max(frames, 0)):
            self.tick()

    def off_stage(self, side: str) -> Floats:
        """Return a point from which a side's hand comes, out of the picture."""
        sign = -1.0 if side == "w" else 1.0
        x = -sign * self.hands[side].thumb * 8.0 + self.rng.normal(0, 3)
        return np.array([x, sign * self.out_of_sight, 7.0])

    def steps(self, frames: float) -> int:
        """Return a number of frames at this player's pace."""
        return max(1, round(frames * self.pace * float(self.rng.uniform(0.85, 1.2))))

    def reach(self, side: str, target: Floats, frames: float, arc: float = 2.0) -> None:
        """Move the hand, and what it holds, to a point."""
        count = self.steps(frames)
        start = self.off_stage(side) if self.hand is None else self.hand
        for i in range(1, count + 1):
            u = i / count
            ease = u * u * (3 - 2 * u)
            rise = np.array([0.0, 0.0, arc * np.sin(np.pi * u)])
            self.hand = start + (target - start) * ease + rise
            self.tick(side)

    def stay(self, side: str, frames: float, jitter: float = 0.1) -> None:
        """Hold the hand nearly still."""
        assert self.hand is not None
        middle = self.hand
        for _ in range(self.steps(frames)):
            self.hand = middle + self.rng.normal(0, jitter, 3)
            self.tick(side)
        self.hand = middle

    def leave(self, side: str, frames: float = 4.5) -> None:
        """Draw the hand back out of sight."""
        self.reach(side, self.off_stage(side), frames, 1.0)
        self.hand, self.kind = None, "pinch"

    def leave_behind(self, side: str) -> None:
        """Draw the hand back while the other side already acts."""
        mark = self.now
        self.leave(side, 6)
        self.leaving = [moment.hands[-1] for moment in self.moments[mark:] if moment.hands]
        del self.moments[mark:]

    # --- pieces ---------------------------------------------------------------------------

    def top_of(self, keys: list[int]) -> Floats:
        """Return the point where fingers take some stacked pieces."""
        last = self.bodies[keys[-1]]
        return last.foot + np.array([0.0, 0.0, last.model.height * 0.8])

    def lift(self, side: str, keys: list[int]) -> None:
        """Close the fingers on pieces and raise them a little."""
        assert self.hand is not None
        self.tick(side)
        for key in keys:
            self.held[key] = self.bodies[key].foot - self.hand
        self.standing = None

    def lower(self, side: str, foot: Floats) -> int:
        """Put down what is held, the lowest piece at a foot; return the frame of letting go."""
        assert self.hand is not None
        base = min(float(self.bodies[key].foot[2]) for key in self.held)
        for key in self.held:
            rise = float(self.bodies[key].foot[2]) - base
            self.bodies[key] = replace(self.bodies[key], foot=foot + np.array([0.0, 0.0, rise]))
        self.held = {}
        self.standing = None
        self.tick(side)
        return self.now - 1

    def carry(self, side: str, foot: Floats, frames: float, arc: float = 3.0) -> int:
        """Carry what is held to a place and put it down; return the frame of letting go."""
        lowest = min(float(offset[2]) for offset in self.held.values())
        self.reach(side, foot - np.array([0.0, 0.0, lowest]), frames, arc)
        return self.lower(side, foot)

    def take_away(self, side: str, number: int) -> int:
        """Lift what stands on a square and lay it beside the board."""
        keys = self.on.pop(number)
        owner = self.signs.pop(number).lower()
        self.reach(side, self.top_of(keys), 3.5)
        self.lift(side, keys)
        end = self.carry(side, self._slot(owner), 5, 4.0)
        if len(keys) > 1:  # a stack is laid down as two men
            self.bodies[keys[1]] = replace(self.bodies[keys[1]], foot=self._slot(owner))
            self.standing = None
        self.beside[owner] += keys
        return end

    def put_back(self, side: str, number: int, sign: str, keys: list[int]) -> int:
        """Bring captured pieces back to a square."""
        self.reach(side, self.top_of(keys[:1]), 5)
        end = self.now
        for level, key in enumerate(keys):
            if level:
                self.reach(side, self.top_of([key]), 4)
            self.lift(side, [key])
            foot = self.foot_on(number)
            foot[2] += level * self.bodies[key].model.height
            end = self.carry(side, foot, 5, 4.0)
            self.beside[sign.lower()].remove(key)
        self.on[number], self.signs[number] = keys, sign
        return end

    def crown(self, side: str, number: int) -> int:
        """Make a king of the man on a square, in the way of this set."""
        keys = self.on[number]
        self.signs[number] = side.upper()
        index = 0 if side == "w" else 1
        if self.pieces.king == "flip":
            return self._turn_over(side, keys[0], self.pieces.kings[index])
        if self.pieces.king == "mark":
            man = keys[0]
            foot = self.bodies[man].foot
            self.reach(side, self.top_of(keys), 2)
            self.lift(side, keys)
            self.carry(side, self._slot(side), 5, 4.0)
            self.beside[side].append(man)
            fetched = self._spare(side, self.spare_kings[side], marked=True)
            self.on[number] = [fetched]
        else:
            foot = self.bodies[keys[0]].foot.copy()
            foot[2] += self.bodies[keys[0]].model.height
            foot[:2] += self.rng.normal(0, 0.05, 2) * self.pieces.body.radius
            fetched = self._spare(side, self.beside[side], marked=False)
            self.on[number] = [keys[0], fetched]
        self.reach(side, self.top_of([fetched]), 4.5)
        self.lift(side, [fetched])
        return self.carry(side, foot, 5, 4.0)

    def _spare(self, side: str, pile: list[int], *, marked: bool) -> int:
        if pile:
            return pile.pop()
        index = 0 if side == "w" else 1
        model = self.pieces.kings[index] if marked else self.pieces.men[index]
        return self._add(Placed(model, self._slot(side), self._spin()), side)

    def _turn_over(self, side: str, key: int, other: PieceModel) -> int:
        assert self.hand is not None
        placed = self.bodies[key]
        toward = float(self.rng.uniform(0, 2 * np.pi))
        raised = np.array([0.0, 0.0, placed.model.radius * 1.2])
        self.reach(side, self.top_of([key]), 1.5)
        self.lift(side, [key])
        count = self.steps(5)
        start = self.hand
        for i in range(1, count + 1):
            angle = np.pi * i / count
            if angle > np.pi / 2:
                self.bodies[key] = replace(self.bodies[key], model=other)
                angle -= np.pi
            tilt = turned(0.3, float(angle), toward)
            self.bodies[key] = replace(self.bodies[key], rotation=tilt)
            self.hand = start + raised * np.sin(np.pi * i / count)
            self.tick(side)
        self.bodies[key] = replace(self.bodies[key], rotation=self._spin())
        return self.lower(side, placed.foot)

    # --- truth ----------------------------------------------------------------------------

    def fen(self) -> str:
        """Return what lies on the board."""
        return format_fen(self.signs, self.turn)

    def _settle(self, start: int, **details: object) -> None:
        self.positions.append({"start": start, "fen": self.fen(), "legal": True, **details})

    def touched(self) -> None:
        """Close the settled position: the next frame shows a piece taken."""
        self.positions[-1]["end"] = max(self.now - 1, int(str(self.positions[-1]["start"])))

    def settled(self, last: int, **details: object) -> None:
        """Open a settled position after the frame in which the last piece was let go."""
        self._settle(last + 1, **details)

    def shift_board(self, pose: Pose) -> None:
        """Lay the board elsewhere with all that stands on it."""
        turn = pose.angle - self.pose.angle
        c, s = np.cos(turn), np.sin(turn)
        rotation = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        old, new = np.array([self.pose.x, self.pose.y, 0.0]), np.array([pose.x, pose.y, 0.0])
        for keys in self.on.values():
            for key in keys:
                placed = self.bodies[key]
                foot = rotation @ (placed.foot - old) + new
                self.bodies[key] = replace(placed, foot=foot, rotation=rotation @ placed.rotation)
        self.pose = pose
        self.standing = None
