"""From frames to events: find the board, wait for the start, then track it and step the session."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import cv2
import numpy as np

from crownhead.actions import Action, Asked, Corners
from crownhead.calibration.board import Floats, FoundBoard, corners_px, square_px, turned
from crownhead.calibration.corners import board_from_corners
from crownhead.errors import AnswerIsNo
from crownhead.events import Event, GameStarted, IncidentOpened
from crownhead.evidence import SHOWN, SIGNS, Difference, Exhibit, Still, still_of
from crownhead.rules.fen import format_fen
from crownhead.rules.generator import legal_moves, play
from crownhead.rules.geometry import algebraic_name
from crownhead.rules.position import Position, Side, Square
from crownhead.rules.variant import Corner, Naming, Variant, start_position
from crownhead.rules.verdict import Rule
from crownhead.session import (
    Moment,
    Session,
    SessionParams,
    act,
    believed_codes,
    believed_kings,
    refused,
    sight_message,
    step,
)
from crownhead.sources import Frame
from crownhead.vision.errors import VisionError
from crownhead.vision.finder import Finding, boards_beside, find_board, refined
from crownhead.vision.gate import Gate, GateParams, pass_gate
from crownhead.vision.observation import Observation, Sight
from crownhead.vision.opening import (
    LEAST_SEPARATION,
    Opening,
    layout_of,
    match_opening,
    mirrored_layout,
    white_side_of,
)
from crownhead.vision.sharpen import scaled
from crownhead.vision.tracker import Tracker, TrackParams, at_size, observe, track
from crownhead.vision.view import Image
from crownhead.words import say

CONTENTS = ("empty", "a white piece", "a black piece")


class NoBoard(VisionError):
    """No whole board was seen in any still view."""


class StartNotShown(AnswerIsNo):
    """The first clear view does not show the position to start from."""


class AlikePieces(VisionError):
    """The contents of squares cannot be told apart in this light."""


@dataclass(frozen=True, slots=True)
class EyeParams:
    """How the game is found and followed.

    Attributes:
        search_every_s: a board that was not found is looked for this often.
        restless_s: and so often where the view never comes to rest.
        glance_s: a camera held in the hand never rests; whether it is one is asked so often ...
        glances_s: ... in so many first seconds.
        held_squares: it is if the board moved by so much between two glances.
        wrong_s: a start position that differs in few squares is refused after so long.
        few_wrong: the share of squares up to which a difference is taken for a wrong set-up.
        start_s: the longest wait for the start position once a board is in view.
        track: limits of the tracker.
        session: how long things must lie still.
    """

    search_every_s: float = 0.5
    restless_s: float = 3.0
    glance_s: float = 0.3
    glances_s: float = 3.0
    held_squares: float = 0.05
    wrong_s: float = 1.5
    few_wrong: float = 0.3
    start_s: float = 30.0
    track: TrackParams = field(default_factory=TrackParams)
    session: SessionParams = field(default_factory=SessionParams)


def params_for_stills() -> EyeParams:
    """Return limits for a folder of pictures, each of which is a still that counts by itself."""
    at_once = SessionParams(
        legal_s=0.0,
        back_s=0.0,
        pair_s=0.0,
        illegal_s=0.0,
        # A capture whose pieces still lie there is half done; the next picture tells.
        half_done_s=0.5,
        to_lift_s=0.5,
        beside_s=0.0,
        changed_s=0.0,
        unreadable_s=0.0,
        blocked_s=0.0,
        moved_s=0.0,
        views=1,
    )
    gate = GateParams(look_back_s=0.0, look_back_frames=0, moving_share=2.0)
    return EyeParams(
        search_every_s=0.0,
        wrong_s=0.0,
        track=TrackParams(
            still_s=0.0,
            every_s=0.0,
            views=1,
            adapt_s=-1.0,
            beside_s=-1.0,
            search_every_s=0.0,
            gate=gate,
        ),
        session=at_once,
    )


@dataclass(frozen=True, slots=True, eq=False)
class Overlay:
    """What to draw over the camera picture.

    Attributes:
        corners_px: float64, shape (4, 2), outer corners in pixels, first at White's far left.
        board: the board, for lines between; None while it is searched for.
        text: the state in words.
        sight: what the camera sees, as in `Sight`; `searching` before the board is found.
    """

    corners_px: Floats | None
    board: FoundBoard | None
    text: str
    sight: str


class GameEye:
    """Turns the frames of one game into events. The only state of the shell.

    Args:
        variant: the rules in force.
        start: the position that the first clear view must show; None to read it from there.
        first: who is to move in a position that is read from the picture.
        naming: how squares are written, None for the variant's custom.
        white_side: the edge of the picture nearest to White, if somebody knows better.
        laid_mirrored: play on a board that lies with its other corner at the players' left.
        resumed: the session as it was when an earlier run ended.
        params: limits.
        evidence: keep the views before and after each verdict for `exhibits`.
        board: where the board lies, if a profile says so; else it is looked for.
    """

    def __init__(
        self,
        variant: Variant,
        start: Position | None,
        *,
        first: Side | None = None,
        naming: Naming | None = None,
        white_side: str | None = None,
        laid_mirrored: bool = False,
        resumed: Session | None = None,
        params: EyeParams | None = None,
        evidence: bool = False,
        board: FoundBoard | None = None,
    ) -> None:
        self._given = board
        self._picture: tuple[int, int] | None = None
        self._params = params or EyeParams()
        self._keeps_evidence = evidence
        self._exhibits: list[Exhibit] = []
        self._variant, self._start, self._naming = variant, start, naming
        self._first = first
        self._white_side = white_side
        self._laid_mirrored = laid_mirrored
        self._problems: tuple[str, ...] = ()
        self._unread = ""
        self._boardless: Image | None = None
        self._frames = 0
        self._expect(resumed)

    def _expect(self, resumed: Session | None) -> None:
        """Wait for the start of a game, or for the board of one to go on with."""
        # Until the picture has been read, the variant's own start stands in for it.
        session = resumed or Session(
            self._variant, self._start or start_position(self._variant), self._naming
        )
        self._reads_start = self._start is None and resumed is None
        self.session = replace(session, params=self._params.session, candidate=None)
        self._is_resumed = resumed is not None
        self._tracker: Tracker | None = None
        self._gate = Gate()
        self._searched_at_s = -1e9
        self._opening: Opening | None = None
        self._opening_since_s = 0.0
        self._board_since_s: float | None = None
        self._glanced: FoundBoard | None = None
        self._glanced_at_s = -1e9
        self._sight = "searching"
        self._first_view: tuple[Image, Opening] | None = None
        self._agreed: Still | None = None

    @property
    def board(self) -> FoundBoard | None:
        """The board as it lies now, None before the game has started."""
        return self._tracker.board if self._tracker else None

    @property
    def moves(self) -> int:
        """How many plies stand in the record."""
        return len(self.session.plies)

    @property
    def is_idle(self) -> bool:
        """Whether the last frame brought nothing to weigh: movement, or a view long known."""
        if self._tracker is None:
            return False
        return self._sight == Sight.MOVING or self._tracker.agreed is not None

    def see(self, frame: Frame) -> tuple[Event, ...]:
        """Take the next frame and return the events that it causes.

        Raises:
            StartNotShown: the first clear view differs from the start position.
            AlikePieces: pieces and squares look too much alike to be told apart.
        """
        self._frames += 1
        picture = (frame.image.shape[0], frame.image.shape[1])
        if self._tracker is not None and self._picture not in (None, picture):
            self._tracker = at_size(self._tracker, frame.image)
        self._picture = picture
        if self._tracker is None:
            return self._look_for_start(frame)
        seen = self._observed(self._tracker, frame)
        self._sight = seen.sight.value
        before = self.session
        self.session, events = step(self.session, seen)
        self._keep_evidence(frame, seen, before, events)
        if self._first_view is None:
            return events
        if self.session.plies:
            self._first_view = None
            return events
        return self._with_sides_changed(frame, events) or events

    def _observed(self, tracker: Tracker, frame: Frame) -> Observation:
        """Show a frame to the tracker and keep it as it is then."""
        self._tracker, seen = observe(
            tracker,
            frame.image,
            frame.index,
            frame.at_s,
            believed_codes(self.session),
            believed_kings(self.session),
        )
        return seen

    def act(self, asked: Asked, frame: int, at_s: float) -> tuple[Event, ...]:
        """Do what a player or the referee asks for.

        Args:
            asked: an action, or where the board's corners are.
            frame: the number of the newest frame.
            at_s: its time.

        Raises:
            ActionRefused: it means nothing as the game stands.
            CalibrationError: the corners are none of a board.
        """
        if isinstance(asked, Corners):
            self._point_out(asked)
            return ()
        if self._tracker is None:
            raise refused("refused-not-begun")
        self.session, events = act(self.session, asked, Moment(frame, at_s))
        if asked is Action.NEW_GAME:
            self._expect(None)
        return events

    def _point_out(self, corners: Corners) -> None:
        """Take a person's word for where the board lies; the game must not have begun."""
        if self._tracker is not None:
            raise refused("refused-followed")
        if self._picture is None:
            raise refused("refused-no-picture")
        height, width = self._picture
        points = np.array(corners.points) * (width / corners.width, height / corners.height)
        self._given = board_from_corners(points, self._variant.size, width, height)
        self._searched_at_s = -1e9

    def exhibits(self) -> tuple[Exhibit, ...]:
        """Return the evidence for what was told since the last call."""
        taken, self._exhibits = tuple(self._exhibits), []
        return taken

    def _keep_evidence(
        self, frame: Frame, seen: Observation, before: Session, events: tuple[Event, ...]
    ) -> None:
        """Keep the newest view that agreed with the record, and pair it with one that did not."""
        board = self.board
        if not self._keeps_evidence or seen.evidence is None or board is None:
            return
        shown = [event for event in events if isinstance(event, SHOWN)]
        was, now = believed_codes(before), believed_codes(self.session)
        if shown:
            after = still_of(frame.index, frame.at_s, frame.image, board)
            weights = seen.evidence.log_likelihood
            differences = tuple(
                Difference(
                    int(n) + 1,
                    SIGNS[was[n]],
                    SIGNS[now[n]],
                    float(weights[n, now[n]] - weights[n, was[n]]),
                )
                for n in np.flatnonzero(was != now)
            )
            self._exhibits += [Exhibit(event, self._agreed, after, differences) for event in shown]
            self._agreed = after
        elif np.array_equal(seen.evidence.codes, now):
            self._agreed = still_of(frame.index, frame.at_s, frame.image, board)

    def finish(self) -> None:
        """Say that no frame will come.

        Raises:
            NoBoard: no board was found in any frame.
            StartNotShown: a board was found, but never in the start position.
        """
        if self._tracker is not None:
            return
        if self._is_resumed and self._opening is None:
            # Too few frames were left to find the board again; what was recorded still stands.
            return
        if self._opening is not None:
            raise StartNotShown(self._start_text(self._opening))
        if self._unread:
            raise StartNotShown(self._unread)
        raise NoBoard(self._no_board_text())

    def overlay(self) -> Overlay:
        """Return what to draw over the newest frame."""
        board = self.board
        ring = corners_px(board) if board else None
        return Overlay(ring, board, STATES[self._sight], self._sight)

    def _look_for_start(self, frame: Frame) -> tuple[Event, ...]:
        track = self._params.track
        self._gate = pass_gate(self._gate, _whole_grey(frame.image), frame.at_s, track.gate)
        since = self._gate.still_since_s
        is_due = frame.at_s - self._searched_at_s >= self._params.search_every_s - 1e-6
        is_still = since is not None and frame.at_s - since >= track.still_s - 1e-6
        # Where something always moves, a try now and then is better than none.
        is_overdue = frame.at_s - max(self._searched_at_s, 0.0) >= self._params.restless_s
        is_glance = not (is_still and is_due) and not is_overdue
        if is_glance:
            return self._glance(frame)
        self._searched_at_s = frame.at_s
        finding = self._board_in(frame.image)
        if finding.board is None:
            self._problems = finding.problems
            self._boardless = frame.image
            return ()
        if self._board_since_s is None:
            self._board_since_s = frame.at_s
        if self._reads_start:
            position = self._position_seen(frame.image, finding.board)
            if position is None:
                if frame.at_s - self._board_since_s > self._params.start_s:
                    raise StartNotShown(self._unread)
                return ()
            self.session = replace(self.session, start=position)
        opening = self._best_opening(frame.image, finding.board)
        if opening.fits and min(opening.look.separation) < POOR_SEPARATION:
            opening = self._beside(frame.image, opening) or opening
        if not opening.fits:
            other = self._weigh_wrong(frame.image, opening, frame.at_s)
            if other is None:
                return ()
            opening = other
        if min(opening.look.separation) < LEAST_SEPARATION:
            raise AlikePieces(_alike_text(opening))
        return self._begin(frame, opening)

    def _glance(self, frame: Frame) -> tuple[Event, ...]:
        """Begin under a camera that is held in the hand, as soon as it is known to be.

        Elsewhere movement is a hand over the board, and rest is waited for.
        """
        params = self._params
        is_early = frame.at_s <= params.glances_s and self._given is None
        if not is_early or frame.at_s - self._glanced_at_s < params.glance_s - 1e-6:
            return ()
        self._glanced_at_s = frame.at_s
        before, now = self._glanced, find_board(frame.image, size=self._variant.size).board
        self._glanced = now
        if before is None or now is None:
            return ()
        far = np.hypot(*(corners_px(now) - corners_px(before)).T) / square_px(now)
        if not params.held_squares <= float(far.min()) <= 1.0:
            return ()
        was = self.session
        if self._reads_start:
            position = self._position_seen(frame.image, now)
            if position is None:
                return ()
            self.session = replace(self.session, start=position)
        opening = self._best_opening(frame.image, now)
        if opening.fits and min(opening.look.separation) >= LEAST_SEPARATION:
            return self._begin(frame, opening)
        self.session = was
        return ()

    def _board_in(self, image: Image) -> Finding:
        """Find the board, or fit the one that somebody pointed out."""
        if self._given is None:
            return find_board(image, size=self._variant.size)
        height, width = image.shape[:2]
        return Finding(refined(image, scaled(self._given, width, height)), ())

    def _with_sides_changed(
        self, frame: Frame, events: tuple[Event, ...]
    ) -> tuple[Event, ...] | None:
        """Let the other side be White if only so the first move is by the side that begins.

        Asked only where lightness left it doubtful which side is White's.
        """
        session = self.session
        incident = session.incident
        accused = [e for e in events if isinstance(e, IncidentOpened) and e.rule in OUT_OF_TURN]
        if not accused or incident is None or self._first_view is None:
            return None
        around = _seen_from_the_other_side(incident.seen, session.variant)
        moves = legal_moves(session.variant, session.start)
        after = [play(session.variant, session.start, move) for move in moves]
        if not any((p.white, p.black) == (around.white, around.black) for p in after):
            return None
        image, opening = self._first_view
        opposite = turned(opening.board, 2)
        other = match_opening(
            image,
            opposite,
            session.variant,
            session.start,
            px=self._params.track.view_px,
            white_side=white_side_of(opposite),
            laid_mirrored=self._laid_mirrored,
        )
        if not other.fits:
            return None
        # The accusation was never told, so its number is free again; all else was, or is now.
        self.session = replace(session, incident=None, incidents=incident.number - 1)
        others = tuple(event for event in events if event not in accused)
        self._first_view = None
        note = (
            f"The first move tells whose the sides are: White is taken to sit at the "
            f"{other.white_side} of the picture (--white-side says otherwise)."
        )
        started = replace(self._started(frame, other, note), resumed=True)
        # A still counts by itself: the move must be read from this one.
        seen = self._observed(self._tracker_for(other), frame)
        self.session, more = step(self.session, seen)
        return (*others, started, *more)

    def _best_opening(self, image: Image, board: FoundBoard) -> Opening:
        """Match the position expected; after a break, also one that a ply has changed since."""
        variant = self.session.variant
        best: Opening | None = None
        for position in self._expected():
            opening = match_opening(
                image,
                board,
                variant,
                position,
                px=self._params.track.view_px,
                white_side=self._white_side,
                laid_mirrored=self._laid_mirrored,
            )
            if best is None or len(opening.wrong) < len(best.wrong):
                best = opening
            if opening.fits:
                break
        assert best is not None
        return best

    def _position_seen(self, image: Image, board: FoundBoard) -> Position | None:
        """Read the position from the picture, None if it lacks a side or an empty square."""
        # Only this way of starting needs the network.
        from crownhead.vision.orientation import (
            best_orientation,
            best_turn,
            turned_rows,
            white_lead,
        )
        from crownhead.vision.still import read_still

        variant = self.session.variant
        reading = read_still(image, board)
        self._unread = "the pieces of both sides cannot be seen; give the position with --start-fen"
        is_mirrored = best_orientation(reading.rows, reading.parity).mirrored
        is_usual = is_mirrored == (self._laid_mirrored is not (variant.dark_corner is Corner.RIGHT))
        allowed = [
            turn
            for turn in range(4)
            if self._white_side in (None, white_side_of(turned(board, turn)))
        ]
        layout = layout_of(variant)
        layout = mirrored_layout(layout) if self._laid_mirrored else layout
        men_parity = int(layout.rows[0] + layout.columns[0]) % 2
        turn = best_turn(reading.rows, reading.parity, men_parity, allowed)
        if turn is None or (self._white_side is None and not is_usual):
            self._unread = UNMIRRORED_TEXT if self._laid_mirrored else MIRRORED_TEXT
            return None
        rows = turned_rows(reading.rows, turn)
        signs = [rows[r][c] for r, c in zip(layout.rows, layout.columns, strict=True)]
        white, black, kings = (
            sum(1 << n for n, sign in enumerate(signs) if sign in kinds)
            for kinds in ("wW", "bB", "WB")
        )
        if self._white_side is not None and white_lead(rows) < 0:
            # Whoever sits at White's side has White, be the pieces the darker ones.
            white, black = black, white
        position = Position(white, black, kings, self._first or variant.first)
        is_full = position.occupied.bit_count() >= variant.squares
        return None if is_full or not position.white or not position.black else position

    def _expected(self) -> Iterator[Position]:
        session = self.session
        yield session.on_board
        if not self._is_resumed:
            return
        if session.incident is not None:
            yield session.position
        for move in legal_moves(session.variant, session.position):
            yield play(session.variant, session.position, move)

    def _weigh_wrong(self, image: Image, opening: Opening, at_s: float) -> Opening | None:
        """Refuse a start that stays wrong; a few squares soon, a board in disorder late.

        Returns:
            The start as it is if the board was found a row beside its place, else None.

        Raises:
            StartNotShown: the start has been wrong for too long.
        """
        same = self._opening is not None and self._opening.wrong == opening.wrong
        if not same:
            self._opening_since_s = at_s
        self._opening = opening
        assert self._board_since_s is not None
        few = len(opening.wrong) <= self._params.few_wrong * len(opening.codes)
        settled = at_s - self._opening_since_s >= self._params.wrong_s
        is_late = at_s - self._board_since_s > self._params.start_s
        other = self._beside(image, opening) if is_late or (settled and few) else None
        if other is not None:
            return other
        if settled and self._is_laid_mirrored(image, opening):
            raise StartNotShown(MIRRORED_TEXT)
        if (few and settled and opening.wrong) or is_late:
            raise StartNotShown(self._start_text(opening))
        return None

    def _beside(self, image: Image, opening: Opening) -> Opening | None:
        """Match the start with a board that lies a row or a column beside the one found.

        A border with a pattern, or men that hide the last row of crossings, can lead the finder
        astray; the pieces tell. None if no other place shows the start, and shows it better.
        """
        if self._given is not None:
            return None
        # Men that can hardly be seen may seem to stand well a row beside their place.
        least = max(MUCH_BETTER * min(opening.look.separation), POOR_SEPARATION)
        others = [self._best_opening(image, board) for board in boards_beside(image, opening.board)]
        better = [one for one in others if one.fits and min(one.look.separation) > least]
        return max(better, key=lambda one: min(one.look.separation), default=None)

    def _is_laid_mirrored(self, image: Image, opening: Opening) -> bool:
        """Say whether the start would be right on a board laid with its other corner."""
        if self._laid_mirrored or self._reads_start:
            return False
        other = match_opening(
            image,
            opening.board,
            self.session.variant,
            self.session.on_board,
            px=self._params.track.view_px,
            laid_mirrored=True,
        )
        return other.fits

    def _begin(self, frame: Frame, opening: Opening) -> tuple[Event, ...]:
        self._tracker = self._tracker_for(opening)
        self._sight = Sight.CLEAR.value
        note = "The board lies mirrored, and so does its numbering. " if opening.mirrored else ""
        gaps = [f"{gap:.1f}" for gap in opening.look.separation]
        note += (
            f"Separation: empty from White's men {gaps[0]}, empty from Black's {gaps[1]}, White's "
            f"from Black's {gaps[2]} (at least {LEAST_SEPARATION:.0f}). "
        )
        if opening.symmetric:
            note += (
                f"White, the lighter side, is taken to sit at the {opening.white_side} of the "
                "picture (--white-side says otherwise)."
            )
        if opening.doubtful_sides and not self._is_resumed:
            self._first_view = (frame.image, opening)
        return (self._started(frame, opening, note.strip()),)

    def _tracker_for(self, opening: Opening) -> Tracker:
        return track(
            opening.view,
            opening.board,
            opening.layout,
            opening.look,
            opening.codes,
            self._params.track,
        )

    def _started(self, frame: Frame, opening: Opening, note: str) -> GameStarted:
        variant = self.session.variant
        return GameStarted(
            frame.index,
            frame.at_s,
            variant=variant.name,
            fen=format_fen(self.session.start, variant),
            size=variant.size,
            corners=tuple(
                (round(float(x), 2), round(float(y), 2)) for x, y in corners_px(opening.board)
            ),
            white_side=opening.white_side,
            resumed=self._is_resumed,
            note=note,
        )

    def _start_text(self, opening: Opening) -> str:
        if not opening.wrong:
            return MIRRORED_TEXT
        variant = self.session.variant
        named = [
            f"{_square_name(variant, square, self.session.naming)} shows {CONTENTS[seen]} "
            f"where {CONTENTS[wanted]} belongs"
            for square, seen, wanted in opening.wrong[:6]
        ]
        more = len(opening.wrong) - len(named)
        rest = f", and {more} more squares differ" if more > 0 else ""
        if self._is_resumed:
            wanted, cure = "the position in which the game was left", "or begin another with --new"
        else:
            wanted, cure = "the start position", "or give the position with --start-fen"
        return (
            f"the first clear view does not show {wanted}: {'; '.join(named)}{rest}. "
            f"Set the pieces up, {cure}"
        )

    def _no_board_text(self) -> str:
        if self._frames == 0:
            return "the source gave no frame"
        reasons = {
            "partly-out-of-view": "part of the board is out of the picture",
            "too-dark": "the picture is too dark",
            "blurred": "the picture is blurred",
        }
        why = next((reasons[p] for p in self._problems if p in reasons), "")
        because = f" ({why})" if why else ""
        size = self.session.variant.size
        other = find_board(self._boardless).board if self._boardless is not None else None
        if other is not None and other.size != size:
            return (
                f"the board in the picture is {other.size}x{other.size}, but "
                f"{self.session.variant.name} is played on {size}x{size}; choose another --variant"
            )
        return (
            f"no {size}x{size} board was found in {self._frames} frames{because}; aim the camera "
            "so that the whole board is in the picture, in even light"
        )


POOR_SEPARATION = 10.0
"""A start that sets contents apart no better than this may be seen better elsewhere ..."""

MUCH_BETTER = 1.5
"""... by this factor at least."""


STATES: dict[str, str] = {
    "searching": "Looking for the board in its start position.",
    **{sight.value: say(sight_message(sight)) for sight in Sight},
}
"""What the eye is at, in words."""


MIRRORED_TEXT = (
    "the board lies with a light corner at the players' left, so that every square is mirrored; "
    "turn it by a quarter and set it up anew, or play on as it lies with --laid mirrored"
)


UNMIRRORED_TEXT = "the board does not lie mirrored as --laid says; leave that option out"


def _square_name(variant: Variant, square: int, naming: Naming | None) -> str:
    if (naming or variant.naming) is Naming.ALGEBRAIC:
        return f"square {algebraic_name(variant, Square(square))}"
    return f"square {square}"


OUT_OF_TURN = frozenset({Rule.NOT_YOUR_TURN.value, Rule.NOT_YOUR_PIECE.value})
"""What a first move by the side that does not begin is called."""


def _seen_from_the_other_side(position: Position, variant: Variant) -> Position:
    """Return the position with the sides changed, as it looks from Black's chair."""
    last = variant.squares - 1

    def around(board: int) -> int:
        return sum(1 << (last - n) for n in range(variant.squares) if board >> n & 1)

    return Position(
        around(position.black), around(position.white), around(position.kings), position.turn
    )


def _alike_text(opening: Opening) -> str:
    pairs = ("empty squares and White's pieces", "empty squares and Black's pieces")
    names = (*pairs, "the two sides' pieces")
    gaps = opening.look.separation
    worst = int(np.argmin(gaps))
    return (
        f"{names[worst]} look too much alike (separation {gaps[worst]:.1f}, at least "
        f"{LEAST_SEPARATION:.0f} is needed): more light from the side, a nearer camera or pieces "
        "of another colour will help"
    )


def _whole_grey(image: Image) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    """Shrink a whole frame to a small grey picture for the gate."""
    small = cv2.resize(image, (96, 72), interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY), np.float32)
