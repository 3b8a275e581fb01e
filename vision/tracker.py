"""Keeping hold of a board that was found: from each frame to an observation.

One function, `observe`, reads top to bottom: cut the board out, ask the gate whether the view is
still, check that the board is where it was, make light comparable with the moment of learning,
look for anything that covers the board, weigh what stands on each square.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from crownhead.calibration.board import FoundBoard, apart_squares, turned
from crownhead.vision.finder import boards_beside, refine_board, relocate_board
from crownhead.vision.gate import Gate, GateParams, light_factor, looks_alike, pass_gate
from crownhead.vision.observation import (
    DOUBTFUL,
    Codes,
    Evidence,
    Floats32,
    Observation,
    Sight,
)
from crownhead.vision.set_look import (
    CELLS,
    SHIFTS,
    SetLook,
    learn_look,
    shifted_features,
    square_features,
    weigh,
    with_king,
)
from crownhead.vision.sharpen import scaled
from crownhead.vision.view import NO_MAP, Image, view_map

Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class TrackParams:
    """Limits of the tracker.

    Attributes:
        view_px: edge of a square in the board view, in pixels.
        still_s: the view must be still for so long before it is read.
        every_s: a still view is read again after so long.
        agreed_every_s: a view that has not changed since it agreed with the record is read again
            after so long.
        views: so many still views are averaged.
        shift_squares: a displacement below this is left alone.
        changed_grey: a square with no piece on it looks changed beyond so many grey levels
            (root mean square after light is made equal) ...
        changed_noise: ... and beyond so many times what was usual for it.
        blocked_squares: so many changed squares that no piece explains mean a covered view.
        beside_squares: so many changed squares, all at the border, may be half hidden by captured
            pieces laid beside the board ...
        beside_s: ... if nothing has moved for so long.
        alike: light that changes in patches leaves the edges of the board and the pieces where they
            were; a square is bare of hands if its edges are as like the old ones as this ...
        intruding: ... and no part of it has more that is new than this share of its usual edges.
        odd_squares: nor do so many playing squares that look like nothing learned ...
        very_strange: ... by this factor.
        most_changes: no ply changes more playing squares than this.
        lost_share: if more than this share of the quiet squares has changed, the board moved.
        search_every_s: a lost board is looked for this often.
        learn_rate: how fast the reference follows slow changes of light.
        adapt_s: light that has changed in patches is taken as it is after so long, if every piece
            still stands where it stood.
        steady_every_s: while the view moves, so often is it asked whether the board does ...
        steady_s: ... and after a yes each view is fitted by itself for so long.
        swung_every_s: a board that such a camera lost is looked for this often, ...
        lost_s: ... and said to be lost after so long.
        slack_px: edges of views that are fitted so may lie off by so many pixels of a small view.
        told_every_s: that the board was found elsewhere is told so often at most.
        other_light: the look is learned anew in light that has changed by this factor.
        same_light: a view that agreed with the record is old news as long as its light is the
            same but for this factor.
        learn_king_s: the look of a king is learned from a view that has been still for so long.
        gate: limits of the stillness gate.
    """

    view_px: int = 24
    still_s: float = 0.08
    every_s: float = 0.08
    agreed_every_s: float = 1.0
    views: int = 3
    shift_squares: float = 0.05
    changed_grey: float = 9.0
    changed_noise: float = 4.0
    blocked_squares: int = 1
    beside_squares: int = 2
    beside_s: float = 1.0
    alike: float = 0.95
    intruding: float = 0.3
    odd_squares: int = 2
    very_strange: float = 1.3
    most_changes: int = 14
    lost_share: float = 0.4
    search_every_s: float = 1.0
    learn_rate: float = 0.2
    adapt_s: float = 1.5
    steady_every_s: float = 0.1
    steady_s: float = 2.0
    swung_every_s: float = 0.4
    lost_s: float = 0.5
    slack_px: float = 0.4
    told_every_s: float = 60.0
    other_light: float = 1.1
    same_light: float = 1.04
    learn_king_s: float = 0.3
    gate: GateParams = field(default_factory=GateParams)


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """Where the playing squares lie: rows and columns, intp, shape (squares,); size of board."""

    size: int
    rows: NDArray[np.intp]
    columns: NDArray[np.intp]

    @property
    def playing(self) -> Bools:
        """Bool, shape (size, size): True where pieces may stand."""
        mask = np.zeros((self.size, self.size), bool)
        mask[self.rows, self.columns] = True
        return mask


@dataclass(frozen=True, slots=True, eq=False)
class Reference:
    """How the board looked when it was last read without doubt.

    Attributes:
        view: uint8 BGR board view.
        cells: float32, shape (size, size, CELLS, CELLS, 3), every square in the light of then.
        codes: int8, shape (squares,), what stood on the playing squares.
        usual: float32, shape (size, size), the usual difference of each square from itself.
        poor: bool, shape (squares,), those of which the game, not the picture, told the content.
    """

    view: Image
    cells: Floats32
    codes: Codes
    usual: Floats32
    poor: Bools


@dataclass(frozen=True, slots=True, eq=False)
class Tracker:
    """All that is carried from frame to frame.

    ``learned`` are the cells of the view that the look was learned from, its light made even.
    ``unsteady_until_s`` is when a camera that was seen to move is taken for steady again, and
    ``is_news`` says that it has moved since that was last told; since ``lost_since_s`` it is not
    known where the board lies. ``kings``, int8, shape (squares,), are the codes of the kings that
    the session believes in, 0 elsewhere.
    """

    board: FoundBoard
    layout: Layout
    look: SetLook
    learned: Floats32
    reference: Reference
    grid: tuple[NDArray[np.int16], NDArray[np.uint16]]
    params: TrackParams
    gate: Gate = field(default_factory=Gate)
    views: tuple[Image, ...] = ()
    agreed: Floats32 | None = None
    sight: Sight = Sight.CLEAR
    read_at_s: float = -1e9
    searched_at_s: float = -1e9
    asked_at_s: float = -1e9
    unsteady_until_s: float = -1e9
    lost_since_s: float | None = None
    told_at_s: float = -1e9
    is_news: bool = False
    kings: Codes | None = None


def track(
    view: Image, board: FoundBoard, layout: Layout, look: SetLook, codes: Codes, params: TrackParams
) -> Tracker:
    """Begin to track a board from the view that its look was learned from.

    Args:
        view: uint8 BGR board view of the learning frame, half a square of margin.
        board: turned so that its first corner is White's far left.
        layout: its playing squares.
        look: what was learned from `view`.
        codes: int8, shape (squares,), what stands on the playing squares.
        params: limits.
    """
    cells = board_cells(view, board.size)
    learned = board_cells(flattened(view, layout, params.view_px), board.size)
    usual = np.full((board.size, board.size), 1.5, np.float32)
    reference = Reference(view, cells, codes, usual, np.zeros(len(codes), bool))
    return Tracker(
        board, layout, look, learned, reference, fixed_grid(board, params.view_px), params
    )


def fixed_grid(board: FoundBoard, px: int) -> tuple[NDArray[np.int16], NDArray[np.uint16]]:
    """Return the fixed-point form of a view map with half a square of margin."""
    whole, part = cv2.convertMaps(view_map(board, px=px, margin=0.5), NO_MAP, cv2.CV_16SC2)
    return np.asarray(whole, np.int16), np.asarray(part, np.uint16)


def cut_view(frame: Image, grid: tuple[NDArray[np.int16], NDArray[np.uint16]]) -> Image:
    """Cut the board out of a frame, uint8 BGR, half a square of margin."""
    return np.asarray(cv2.remap(frame, grid[0], grid[1], cv2.INTER_LINEAR), np.uint8)


def at_size(tracker: Tracker, image: Image) -> Tracker:
    """Go on with pictures of another size, as after a camera or a stream was set anew.

    The board is looked for; where it is not found it is taken to lie where it lay. Either way
    the views to come must agree with the ones before, as after any other move of the board.
    """
    height, width = image.shape[:2]
    board = scaled(tracker.board, width, height)
    board = relocate_board(image, board) or board
    grid = fixed_grid(board, tracker.params.view_px)
    return replace(
        tracker, board=board, grid=grid, gate=Gate(noise=tracker.gate.noise), views=(), agreed=None
    )


def observe(
    tracker: Tracker,
    image: Image,
    frame: int,
    at_s: float,
    believed: Codes,
    kings: Codes | None = None,
) -> tuple[Tracker, Observation]:
    """Look at the next frame.

    Args:
        tracker: the state after the frame before.
        image: uint8 BGR frame of the size that the board was found in.
        frame: its 0-based number.
        at_s: its time in seconds.
        believed: int8, shape (squares,), what stands on the board as far as the session knows.
        kings: the same of the kings alone, 0 elsewhere; None if they look like men.

    Returns:
        The new state, and the observation.
    """
    params = tracker.params
    tracker = replace(tracker, kings=kings)
    view = cut_view(image, tracker.grid)
    tracker, view = _steadied(tracker, image, view, at_s)
    small = small_grey(view, tracker.board.size)
    slack_px = params.slack_px if at_s < tracker.unsteady_until_s else 0.0
    gate = pass_gate(tracker.gate, small, at_s, params.gate, slack_px=slack_px)
    views = (*tracker.views, view)[-params.views :]
    if gate.still_since_s is None:
        tracker = replace(
            tracker, gate=gate, views=views, agreed=None, sight=Sight.CLEAR, read_at_s=-1e9
        )
        lost_s = 0.0 if tracker.lost_since_s is None else at_s - tracker.lost_since_s
        sight = Sight.MOVED if lost_s > params.lost_s else Sight.MOVING
        return replace(tracker, sight=sight), Observation(frame, at_s, sight)
    still_s = at_s - gate.still_since_s
    # Once at rest, the views in which rest was not yet known count too.
    tracker = replace(tracker, gate=gate, views=views if still_s > 0 else (view,))
    is_old_news = (
        tracker.agreed is not None
        and looks_alike(small, tracker.agreed, gate.noise, params.gate)
        and light_factor(small, tracker.agreed) <= params.same_light
    )
    every_s = params.agreed_every_s if is_old_news else params.every_s
    if still_s < params.still_s or at_s - tracker.read_at_s < every_s - 1e-6:
        return tracker, Observation(frame, at_s, tracker.sight, still_s=still_s)
    tracker = replace(tracker, read_at_s=at_s)
    tracker, seen = _read(tracker, image, frame, at_s, still_s, believed)
    is_told = tracker.is_news and seen.sight is Sight.CLEAR
    is_told &= at_s - tracker.told_at_s >= params.told_every_s
    if is_told:
        tracker = replace(tracker, is_news=False, told_at_s=at_s)
    return replace(tracker, sight=seen.sight), replace(seen, realigned=seen.realigned or is_told)


def _read(
    tracker: Tracker, image: Image, frame: int, at_s: float, still_s: float, believed: Codes
) -> tuple[Tracker, Observation]:
    """Read a still view: register it, then weigh the squares."""
    before = tracker.board
    tracker, realigned = _registered(tracker, image)
    # A fit that is only a little better is taken without a word.
    realigned &= apart_squares(before, tracker.board) >= tracker.params.shift_squares
    reading = _weigh_view(tracker)
    params = tracker.params
    is_lost = reading.share_disturbed > params.lost_share
    if is_lost or reading.changed > params.most_changes:
        found = None
        if at_s - tracker.searched_at_s >= params.search_every_s and still_s > 0.5:
            tracker = replace(tracker, searched_at_s=at_s)
            found = _found_again(tracker, image)
        if found is not None:
            tracker, realigned = found, True
            reading = _weigh_view(tracker)
        elif is_lost:
            return tracker, Observation(frame, at_s, Sight.MOVED, still_s=still_s)
    same = np.array_equal(reading.evidence.codes, believed)
    is_new_light = same and not reading.evidence.strange.any() and still_s > tracker.params.adapt_s
    is_beside = reading.beside and still_s > params.beside_s
    # Hands come and go; what bares every other square for so long is a board set up anew.
    is_bare = not reading.disturbed and not reading.is_hand and still_s > params.adapt_s
    if reading.blocked and not is_new_light and not is_beside and not is_bare:
        return tracker, Observation(
            frame, at_s, Sight.BLOCKED, still_s=still_s, realigned=realigned
        )
    if same:
        if not reading.blocked and still_s >= params.learn_king_s:
            tracker = _with_light_learned(_with_kings_learned(tracker, reading), reading)
        tracker = replace(
            tracker,
            reference=_renewed(tracker, reading, believed),
            agreed=small_grey(tracker.views[-1], tracker.board.size),
        )
    else:
        tracker = replace(tracker, agreed=None)
        if not reading.blocked and _is_what_came_of_it(tracker, reading, believed):
            tracker = replace(tracker, reference=_renewed(tracker, reading, believed))
    return tracker, Observation(
        frame,
        at_s,
        Sight.CLEAR,
        reading.evidence,
        still_s=still_s,
        realigned=realigned,
        beside=is_beside,
    )


def _is_what_came_of_it(tracker: Tracker, reading: _Reading, believed: Codes) -> bool:
    """Say whether a view shows what the session has just come to believe, poorly in places.

    From then on such a square is known by looking as it looked when the move was believed.
    """
    evidence = reading.evidence
    wrong = np.flatnonzero(evidence.codes != believed)
    is_new = tracker.reference.codes[wrong] != believed[wrong]
    is_weak = evidence.log_likelihood[wrong, believed[wrong]] > -DOUBTFUL
    return bool((is_new & is_weak & ~evidence.strange[wrong]).all())


def _as_they_looked(reference: Reference, log_likelihood: Floats32, is_steady: Bools) -> Floats32:
    """Let poor squares that look just as they did hold what they held.

    Args:
        reference: how the board looked.
        log_likelihood: float32, shape (squares, 3).
        is_steady: bool, shape (squares,), which look the same.
    """
    codes = reference.codes
    own = log_likelihood[np.arange(len(codes)), codes]
    rows = np.flatnonzero(reference.poor & is_steady & (own > -DOUBTFUL))
    log_likelihood = log_likelihood.copy()
    log_likelihood[rows] = np.minimum(log_likelihood[rows], -DOUBTFUL)
    log_likelihood[rows, codes[rows]] = 0.0
    return log_likelihood


@dataclass(frozen=True, slots=True, eq=False)
class _Reading:
    """A still view made comparable and weighed."""

    view: Image
    cells: Floats32
    brought: Floats32
    difference: Floats32
    evidence: Evidence
    disturbed: int
    changed: int
    is_hand: bool
    share_disturbed: float
    blocked: bool
    beside: bool
    even: Image
    unknown_kings: Bools


def _weigh_view(tracker: Tracker) -> _Reading:
    params, layout, reference = tracker.params, tracker.layout, tracker.reference
    size = tracker.board.size
    mean = _mean(tracker.views)
    cells = board_cells(mean, size)
    gains = light_gains(cells, reference.cells)
    brought = reference.cells * gains[:, :, None, None, :]
    difference = square_difference(cells, brought)
    limit = np.maximum(params.changed_grey, params.changed_noise * reference.usual)
    # Squares that never bear a piece tell how the light has changed since the look was learned.
    lit = ~layout.playing & (difference <= limit)
    even = even_light(mean, local_gains(cells, tracker.learned, lit), params.view_px)
    features = square_features(even, params.view_px)
    log_likelihood, strangeness = weigh(
        tracker.look, features[layout.rows, layout.columns].astype(np.float32)
    )
    strange = np.asarray(strangeness > 1, np.bool_)
    log_likelihood, strange, unknown_kings = _as_remembered(tracker.kings, log_likelihood, strange)
    is_steady = (difference <= STEADY * limit)[layout.rows, layout.columns]
    log_likelihood = _as_they_looked(reference, log_likelihood, is_steady)
    is_altered = (difference > limit)[layout.rows, layout.columns]
    evidence = Evidence(log_likelihood, strange, is_altered)
    touched = np.zeros((size, size), bool)
    new = evidence.codes != reference.codes
    # Squares left in glare look strange too, but not as strange as under a hand.
    odd = strange & (strangeness > params.very_strange)
    odd &= (difference > 2 * limit)[layout.rows, layout.columns]
    bare = square_difference(cells, tracker.learned) <= limit
    # What lay on a square so long that it was taken for light may go again at any time.
    seen = (difference <= limit) | bare
    if odd.any() or bool((~seen & ~layout.playing).any()):
        kept = same_edges(mean, reference.view, params)
        seen |= kept
        odd &= ~kept[layout.rows, layout.columns]
    # One new thing of unknown looks may be a king; more of them are a hand, and excuse nothing.
    is_hand = int(odd.sum()) >= params.odd_squares
    piece = new & ~odd if is_hand else new
    touched[layout.rows[piece], layout.columns[piece]] = True
    # The top of a piece hides part of the next square, so a piece come or gone changes that too.
    quiet = ~layout.playing & ~_spread(touched)
    disturbed = quiet & ~seen
    if 0 < disturbed.sum() <= MOST_HIDDEN and not is_hand:
        disturbed &= ~_spread(_shifted(layout, reference.codes, evidence))
    count = int(disturbed.sum())
    share = count / max(int(quiet.sum()), 1)
    too_much = is_hand or int(new.sum()) > params.most_changes
    blocked = too_much or count >= params.blocked_squares
    at_border = int(disturbed[1:-1, 1:-1].sum()) == 0
    beside = blocked and not too_much and at_border and count <= params.beside_squares
    return _Reading(
        mean,
        cells,
        brought,
        difference,
        evidence,
        disturbed=count,
        changed=int(new.sum()),
        is_hand=is_hand,
        share_disturbed=share,
        blocked=blocked,
        beside=beside,
        even=even,
        unknown_kings=unknown_kings,
    )


STEADY = 0.5
"""The share of the difference that makes a square changed up to which it is just the same."""


def _shifted(layout: Layout, codes: Codes, evidence: Evidence) -> Bools:
    """Return where a piece was shifted within its square, if that is one or two.

    Its top hides other parts of the squares around it than before.

    Returns:
        bool, shape (size, size).
    """
    assert evidence.altered is not None
    same = (evidence.codes == codes) & (codes != 0) & (evidence.runner_up <= -LEAST_SURE)
    shifted = np.flatnonzero(same & evidence.altered)
    where = np.zeros((layout.size, layout.size), bool)
    if len(shifted) <= MOST_SHIFTED:
        where[layout.rows[shifted], layout.columns[shifted]] = True
    return where


MOST_HIDDEN = 2
"""A shifted piece hides so many squares in part; a hand reaches over more."""

MOST_SHIFTED = 2
"""More pieces than this are not shifted within their squares at once; a hand lies there."""


def _as_remembered(
    kings: Codes | None, log_likelihood: Floats32, strange: Bools
) -> tuple[Floats32, Bools, Bools]:
    """Take a thing of unknown looks for the king that the game has put there.

    A crown, a star or a piece turned over may have any colour, even that of the square, and no
    single move puts a piece of the other side in a king's place. That something stands there the
    picture must tell.

    Returns:
        The log-likelihoods, which squares are strange, and which have kings of unknown looks.
    """
    if kings is None:
        return log_likelihood, strange, np.zeros_like(strange)
    there = strange | (log_likelihood[:, 0] <= -LEAST_THERE)
    unknown = (kings > 0) & there & (strange | (log_likelihood.argmax(axis=1) != kings))
    rows = np.flatnonzero(unknown)
    log_likelihood = log_likelihood.copy()
    log_likelihood[rows] = np.float32(-2.0)
    log_likelihood[rows, 0] = np.float32(-LEAST_THERE)
    log_likelihood[rows, kings[rows]] = 0.0
    return log_likelihood, strange & ~unknown, np.asarray(unknown, np.bool_)


def _with_kings_learned(tracker: Tracker, reading: _Reading) -> Tracker:
    """Learn the look of kings that were known only from the game."""
    if tracker.kings is None:
        return tracker
    look, layout = tracker.look, tracker.layout
    samples: Floats32 | None = None
    for n in np.flatnonzero(reading.unknown_kings):
        code = int(tracker.kings[n])
        known = 0 if look.king_codes is None else int((look.king_codes == code).sum())
        if known >= MOST_KINGS * len(SHIFTS) ** 2:
            continue
        if samples is None:
            samples = shifted_features(reading.even, tracker.params.view_px)
        look = with_king(look, samples[:, layout.rows[n], layout.columns[n]], code)
    return replace(tracker, look=look)


def _with_light_learned(tracker: Tracker, reading: _Reading) -> Tracker:
    """Learn the look anew in light much weaker or stronger than that which it was learned in.

    Only from a view that agrees with the record in every square; what is known of kings is
    learned again from the views that follow.
    """
    layout, params = tracker.layout, tracker.params
    ratio = _log_ratio(reading.cells, tracker.learned)[~layout.playing]
    if abs(float(np.median(ratio))) < np.log(params.other_light):
        return tracker
    codes = reading.evidence.codes
    kings = np.zeros_like(codes) if tracker.kings is None else tracker.kings
    is_man = kings == 0
    is_sure = (
        bool((reading.evidence.runner_up[is_man] <= -LEAST_SURE).all())
        and not reading.evidence.strange.any()
    )
    if not is_sure or min(int((codes[is_man] == k).sum()) for k in range(3)) < LEAST_TO_LEARN:
        return tracker
    even = flattened(reading.view, layout, params.view_px)
    samples = shifted_features(even, params.view_px)[:, layout.rows, layout.columns]
    look = learn_look(samples[:, is_man], codes[is_man])
    if min(look.separation) < min(tracker.look.separation) * LEAST_SEPARATION_KEPT:
        return tracker
    return replace(tracker, look=look, learned=board_cells(even, tracker.board.size))


LEAST_SURE = 1.0
"""By so much, a natural logarithm, each square must be likelier what it is taken for."""

LEAST_TO_LEARN = 4
"""So many squares of each content, kings apart, are enough to learn the look anew."""

LEAST_SEPARATION_KEPT = 0.5
"""A look that tells the contents apart so much worse than before is not taken."""

LEAST_THERE = 3.0
"""A square is taken for occupied if empty is less likely by so much, a natural logarithm."""

MOST_KINGS = 3
"""So many kings of a side tell what its kings look like."""


def _renewed(tracker: Tracker, reading: _Reading, believed: Codes) -> Reference:
    """Let the reference follow a view that was read without doubt."""
    old, layout = tracker.reference, tracker.layout
    rate = np.full((tracker.board.size,) * 2, tracker.params.learn_rate, np.float32)
    new = old.codes != believed
    touched = np.zeros_like(rate, bool)
    touched[layout.rows[new], layout.columns[new]] = True
    rate[_spread(touched)] = 1.0
    if reading.blocked:
        rate[:] = 1.0
    blend = rate[..., None, None, None]
    cells = ((1 - blend) * reading.brought + blend * reading.cells).astype(np.float32)
    settled = np.where(rate == 1.0, old.usual, reading.difference)
    usual = (0.9 * old.usual + 0.1 * np.maximum(settled, 1.0)).astype(np.float32)
    poor = (old.poor & ~new) | (reading.evidence.codes != believed)
    return Reference(reading.view, cells, believed, usual, poor)


def _registered(tracker: Tracker, image: Image) -> tuple[Tracker, bool]:
    """Follow a board or a camera that was nudged; True if the board lies elsewhere now."""
    shift, sure = view_shift(tracker.views[-1], tracker.reference.view, tracker.params.view_px)
    if not sure or np.hypot(*shift) < tracker.params.shift_squares:
        return tracker, False
    board = refine_board(image, tracker.board, search_squares=min(0.45, 0.1 + np.hypot(*shift)))
    return _accepted(tracker, image, board)


def _steadied(tracker: Tracker, image: Image, view: Image, at_s: float) -> tuple[Tracker, Image]:
    """Follow a camera that is held in the hand, view by view.

    Asked only while the view moves; where a hand moves above a board at rest, nothing changes.
    """
    params = tracker.params
    is_unsteady = at_s < tracker.unsteady_until_s
    is_due = at_s - tracker.asked_at_s >= params.steady_every_s - 1e-6
    if not is_unsteady and (tracker.gate.still_since_s is not None or not is_due):
        return tracker, view
    tracker = replace(tracker, asked_at_s=at_s)
    shift, sure = view_shift(view, tracker.reference.view, params.view_px)
    far = float(np.hypot(*shift))
    if not is_unsteady and (not sure or far < params.shift_squares):
        return tracker, view
    size = tracker.board.size
    search = min(0.45, 0.1 + far) if sure else 0.2
    board = refine_board(image, tracker.board, search_squares=search)
    misfit = _misfit(tracker, view, size)
    if board is not None:
        grid = fixed_grid(board, params.view_px)
        fitted = cut_view(image, grid)
        better = _misfit(tracker, fitted, size)
        if better < misfit:
            is_far = apart_squares(tracker.board, board) >= params.shift_squares
            tracker = replace(tracker, board=board, grid=grid, is_news=tracker.is_news or is_far)
            view, misfit = fitted, better
    if misfit <= params.changed_grey:
        until = at_s + params.steady_s if far >= params.shift_squares else tracker.unsteady_until_s
        return replace(tracker, unsteady_until_s=until, lost_since_s=None), view
    if not is_unsteady:
        return tracker, view
    # The thread is lost: the camera swung too fast. Until it is found again nothing is steady.
    lost_since_s = at_s if tracker.lost_since_s is None else tracker.lost_since_s
    tracker = replace(
        tracker, lost_since_s=lost_since_s, unsteady_until_s=at_s + params.steady_s, is_news=True
    )
    if at_s - tracker.searched_at_s < params.swung_every_s:
        return tracker, view
    found = _found_again(replace(tracker, searched_at_s=at_s, views=(view,)), image)
    if found is None:
        return replace(tracker, searched_at_s=at_s), view
    return replace(found, lost_since_s=None), found.views[-1]


def _found_again(tracker: Tracker, image: Image) -> Tracker | None:
    """Look for a board that lies elsewhere; its position must tell which way it is turned."""
    board = relocate_board(image, tracker.board)
    if board is None:
        return None
    found = _turned_as_known(tracker, image, (board,))
    if found is None:
        found = _turned_as_known(tracker, image, boards_beside(image, board))
    return found


def _turned_as_known(
    tracker: Tracker, image: Image, boards: tuple[FoundBoard, ...]
) -> Tracker | None:
    """Take the board, and its turn, that shows the position known; None if none or two do."""
    px, size = tracker.params.view_px, tracker.board.size
    worst = max(tracker.params.changed_grey, 2 * float(np.median(tracker.reference.usual)))
    wrong, ways = [], []
    for way in (turned(board, turn) for board in boards for turn in range(4)):
        grid = fixed_grid(way, px)
        view = cut_view(image, grid)
        # The gate starts anew: its small views show the board through the old map.
        gate = replace(tracker.gate, recent=())
        there = replace(tracker, board=way, grid=grid, views=(view,), gate=gate)
        codes = _weigh_view(there).evidence.codes
        fits = _misfit(there, view, size) <= worst
        wrong.append(int((codes != tracker.reference.codes).sum()) if fits else len(codes))
        ways.append(there)
    best = int(np.argmin(wrong))
    others = min(w for k, w in enumerate(wrong) if k != best)
    is_proven = wrong[best] <= MOST_CHANGED and others >= wrong[best] + LEAST_BETTER
    return ways[best] if is_proven else None


MOST_CHANGED = 4
"""A board found elsewhere shows the position known but for so many squares: a capture, at most."""

LEAST_BETTER = 2
"""And turned any other way it differs in so many squares more."""


def _accepted(tracker: Tracker, image: Image, board: FoundBoard | None) -> tuple[Tracker, bool]:
    """Take a board found anew only if the view through it fits the reference better."""
    if board is None:
        return tracker, False
    px, size = tracker.params.view_px, tracker.board.size
    grid = fixed_grid(board, px)
    view = cut_view(image, grid)
    now, then = (_misfit(tracker, v, size) for v in (view, tracker.views[-1]))
    if now >= then:
        return tracker, False
    # The gate starts anew: its small views show the board through the old map.
    gate = replace(tracker.gate, recent=())
    return replace(tracker, board=board, grid=grid, views=(view,), gate=gate), True


def _misfit(tracker: Tracker, view: Image, size: int) -> float:
    """Return how badly a view fits the reference: the median difference over quiet squares."""
    cells = board_cells(view, size)
    difference = square_difference(cells, tracker.reference.cells)
    return float(np.median(difference[~tracker.layout.playing]))


def view_shift(view: Image, reference: Image, px: int) -> tuple[tuple[float, float], bool]:
    """Measure by how far a board view is displaced, in squares, and whether that is sure.

    Phase correlation (C. D. Kuglin and D. C. Hines, 'The phase correlation image alignment
    method', 1975) of edge pictures: edges of the board outnumber those of the pieces that moved.
    """
    pictures = [
        cv2.Laplacian(
            cv2.GaussianBlur(cv2.cvtColor(v, cv2.COLOR_BGR2GRAY), (0, 0), 1.0), cv2.CV_32F
        )
        for v in (reference, view)
    ]
    window = cv2.createHanningWindow(pictures[0].shape[::-1], cv2.CV_32F)
    (x, y), response = cv2.phaseCorrelate(pictures[0], pictures[1], window)
    return (x / px, y / px), response > 0.1


def same_edges(view: Image, reference: Image, params: TrackParams) -> Bools:
    """Say which squares show the edges that they had, whatever the light does.

    Light, shadow and glare change how strong edges are, and add smooth ones of their own; a hand
    hides those that were there and brings others. Compared is the gradient in and around each
    square, after its own change of strength is taken out. Where the camera is burnt out nothing
    can be said; a square that has few pixels beside such is vouched for only if all agree.

    Args:
        view: uint8 BGR board view, half a square of margin.
        reference: the same, at an earlier time.
        params: limits.

    Returns:
        bool, shape (size, size).
    """
    burnt = np.maximum(view, reference).max(axis=2) >= BURNT
    told = cv2.dilate(burnt.astype(np.uint8), np.ones((5, 5), np.uint8)) == 0
    now, then = (_gradient(v) for v in (view, reference))
    everywhere = _same_gradient(now, then, np.ones_like(told), params)
    # Either proves it: edges that show even through the glare, or those beside it.
    return everywhere | _same_gradient(now, then, told, params) if burnt.any() else everywhere


def _same_gradient(now: Floats32, then: Floats32, told: Bools, params: TrackParams) -> Bools:
    """Compare gradients, shape (h, w, 2), in the pixels ``told``; bool, shape (size, size)."""
    px = params.view_px
    wide = px * 5 // 4
    whole = _around(then, then, wide)
    now, then = now * told[..., None], then * told[..., None]
    both, old, new = _around(now, then, wide), _around(then, then, wide), _around(now, now, wide)
    likeness = both / np.sqrt(old * new + 1.0)
    strange = np.asarray(now - (both / (old + 1.0))[..., None] * then, np.float32)
    rest = _around(strange, strange, px // 3) / (new + 1.0)
    size = told.shape[0] // px - 1
    middles = slice(px, px + size * px, px)
    inner = rest[px // 2 : px // 2 + size * px, px // 2 : px // 2 + size * px]
    most = inner.reshape(size, px, size, px).max(axis=(1, 3))
    is_told = (old >= LEAST_TOLD * whole)[middles, middles]
    is_alike = (likeness >= params.alike)[middles, middles]
    return np.asarray(is_told & is_alike & (most <= params.intruding), np.bool_)


def _around(one: Floats32, other: Floats32, edge: int) -> Floats32:
    """Average the product of two fields of vectors over a box at each pixel."""
    product = (one * other).sum(axis=2)
    return np.asarray(
        cv2.boxFilter(product, -1, (edge, edge), borderType=cv2.BORDER_REPLICATE), np.float32
    )


LEAST_TOLD = 0.25
"""The share of a square's edges that must not be burnt out."""


def _gradient(view: Image) -> Floats32:
    """Return the gradient of a view's lightness, float32, shape (h, w, 2)."""
    grey = cv2.cvtColor(view, cv2.COLOR_BGR2GRAY).astype(np.float32)
    smooth = cv2.GaussianBlur(grey, (0, 0), 1.0)
    axes = [cv2.Sobel(smooth, cv2.CV_32F, *axis) for axis in ((1, 0), (0, 1))]
    return np.asarray(np.dstack(axes), np.float32)


def small_grey(view: Image, size: int) -> Floats32:
    """Shrink a board view to `CELLS` pixels a square, float32 grey."""
    grey = cv2.cvtColor(view, cv2.COLOR_BGR2GRAY)
    edge = (size + 1) * CELLS
    return np.asarray(cv2.resize(grey, (edge, edge), interpolation=cv2.INTER_AREA), np.float32)


def _mean(views: tuple[Image, ...]) -> Image:
    if len(views) == 1:
        return views[0]
    return np.asarray(np.stack(views).mean(axis=0, dtype=np.float32).round(), np.uint8)


def board_cells(view: Image, size: int) -> Floats32:
    """Average a board view, half a square of margin, over cells.

    Returns:
        float32, shape (size, size, CELLS, CELLS, 3).
    """
    edge = (size + 1) * CELLS
    small = cv2.resize(view.astype(np.float32), (edge, edge), interpolation=cv2.INTER_AREA)
    half = CELLS // 2
    field_ = small[half : half + size * CELLS, half : half + size * CELLS]
    return np.ascontiguousarray(
        field_.reshape(size, CELLS, size, CELLS, 3).transpose(0, 2, 1, 3, 4), np.float32
    )


BURNT = 250.0
"""From this value on the camera cannot tell light from more light."""

LIGHT = 150.0
"""A cell this light may be burnt out by a lamp."""

LEAST_LIT = 12
"""A plane through fewer squares than this would follow chance."""


def light_gains(cells: Floats32, reference: Floats32, use: Bools | None = None) -> Floats32:
    """Fit how much lighter each square is than in the reference, smoothly over the board.

    A plane in the logarithm, for each colour channel by itself, fitted by least absolute
    differences (iteratively reweighted), so that squares whose contents changed do not count.

    Args:
        cells: float32, shape (size, size, CELLS, CELLS, 3), now.
        reference: the same, then.
        use: bool, shape (size, size), squares to be looked at; all if not given.

    Returns:
        float32, shape (size, size, 3), factors.
    """
    size = cells.shape[0]
    ratio = _log_ratio(cells, reference).reshape(-1, 3)
    axis = np.linspace(-1, 1, size)
    x, y = np.meshgrid(axis, axis)
    basis = np.column_stack([np.ones(size * size), x.ravel(), y.ravel()])
    few = use is None or use.sum() < LEAST_LIT
    used = np.ones(size * size) if few or use is None else use.ravel() * 1.0
    fitted = np.repeat(np.median(ratio[used > 0], axis=0)[None], size * size, axis=0)
    for _ in range(4):
        weight = used[:, None] / np.maximum(np.abs(ratio - fitted), 0.02)
        for channel in range(3):
            weighted = basis * weight[:, channel : channel + 1]
            normal = weighted.T @ basis + 1e-6 * np.eye(3)
            factors = np.linalg.solve(normal, weighted.T @ ratio[:, channel])
            fitted[:, channel] = basis @ factors
    return np.asarray(np.exp(np.clip(fitted, -1.5, 1.5)).reshape(size, size, 3), np.float32)


def _log_ratio(cells: Floats32, reference: Floats32) -> Floats32:
    """Return the logarithm of each square's change of light, float32, shape (size, size, 3)."""
    now, then = (np.maximum(np.median(c, axis=(2, 3)), 2.0) for c in (cells, reference))
    return np.asarray(np.log(now / then), np.float32)


def flattened(view: Image, layout: Layout, px: int) -> Image:
    """Even out light that differs over the board, judged by the squares that bear no piece.

    Args:
        view: uint8 BGR board view, half a square of margin.
        layout: its playing squares.
        px: edge of a square in the view.

    Returns:
        uint8 BGR, the same view as if all of it lay in the light of its middle.
    """
    cells = board_cells(view, layout.size)
    quiet = ~layout.playing
    middle = np.median(cells[quiet], axis=(0, 1, 2))
    flat = np.broadcast_to(middle, cells.shape).astype(np.float32)
    return even_light(view, local_gains(cells, flat, quiet), px)


def local_gains(cells: Floats32, learned: Floats32, lit: Bools) -> Floats32:
    """Return how much lighter each square is than when it was learned, from squares nearby.

    Args:
        cells: float32, shape (size, size, CELLS, CELLS, 3), now.
        learned: the same when the look was learned.
        lit: bool, shape (size, size): squares whose contents are the same as then.

    Returns:
        float32, shape (size, size, 3), factors; where no square nearby can tell, those of the
        plane through all that can.
    """
    plane = light_gains(cells, learned, lit)
    ratio = _log_ratio(cells, learned)
    # Beyond a factor of two from the plane it is no light but a thing.
    told = np.where(lit[..., None], np.clip(ratio - np.log(plane), -0.7, 0.7), 0.0)
    weight = cv2.blur(lit.astype(np.float32), (3, 3), borderType=cv2.BORDER_CONSTANT)
    total = cv2.blur(told.astype(np.float32), (3, 3), borderType=cv2.BORDER_CONSTANT)
    near = np.where(weight[..., None] > 0, total / np.maximum(weight, 1e-6)[..., None], 0.0)
    return np.asarray(plane * np.exp(near), np.float32)


def even_light(view: Image, gains: Floats32, px: int) -> Image:
    """Divide a board view by gains given for each square, uint8 BGR."""
    size = gains.shape[0]
    edge = size * px
    smooth = cv2.resize(gains, (edge, edge), interpolation=cv2.INTER_LINEAR)
    half = px // 2
    smooth = cv2.copyMakeBorder(smooth, half, half, half, half, cv2.BORDER_REPLICATE)
    return np.clip(view / smooth, 0, 255).astype(np.uint8)


def square_difference(cells: Floats32, reference: Floats32) -> Floats32:
    """Return how much each square differs from its reference, in grey levels.

    Root mean square over cells and channels, after the square's own change of light is taken
    out: a factor between six tenths and five thirds that may grow evenly across the square, so
    that the soft edge of a shadow changes no square.

    Returns:
        float32, shape (size, size).
    """
    size = cells.shape[0]
    axis = np.linspace(-1, 1, CELLS, dtype=np.float32)
    x, y = np.meshgrid(axis, axis)
    slopes = np.stack([np.ones_like(x), x, y])
    then = reference.reshape(-1, 1, CELLS, CELLS, 3) * slopes[None, :, :, :, None]
    then = then.reshape(size * size, 3, -1)
    now = cells.reshape(size * size, -1)
    normal = np.einsum("nic,njc->nij", then, then)
    # A little pull towards a factor without slope keeps dark squares, which say little, steady.
    normal += np.diag(np.array([1.0, 400.0, 400.0], np.float32)) * CELLS
    right = np.einsum("nic,nc->ni", then, now)
    factors = np.linalg.solve(normal, right[..., None])[..., 0]
    factors[:, 0] = np.clip(factors[:, 0], 0.6, 1.67)
    factors[:, 1:] = np.clip(factors[:, 1:], -0.35, 0.35)
    wanted = np.einsum("ni,nic->nc", factors, then)
    rest = now - wanted
    # Where the camera can show no more light, a cell says only that it is light.
    rest[(now >= BURNT) & (wanted >= BURNT)] = 0
    rest[(now >= BURNT) & (wanted >= LIGHT)] *= 0.25
    return np.asarray(np.sqrt((rest**2).mean(axis=1)).reshape(size, size), np.float32)


def _spread(mask: Bools) -> Bools:
    """Add to each marked square its neighbours on all sides."""
    return np.asarray(cv2.dilate(mask.astype(np.uint8), np.ones((3, 3), np.uint8)) > 0)
