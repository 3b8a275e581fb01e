"""What stands on a board in one picture, without any history.

The network judges the squares and compares those of one kind; the rules of the game help it. Men
stand on one kind of square only, so the kind is taken whose counterpart is surely empty. What
counts as a man is decided for the whole board, in the widest gap between its squares: dark men on
dark squares score low, but the empty squares there score lower still. Then each square's colours
are compared with those of the others, so that a strong grain does not pass for a man. Whose a man
is follows from the colours of all men on the board, split in two, and from what the network makes
of the two sides.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crownhead.calibration.board import FoundBoard, to_image
from crownhead.vision.doubt import Reasons, confidences
from crownhead.vision.likeness import heard, ring_colours
from crownhead.vision.men_colours import split_colours
from crownhead.vision.squares_net import (
    EMPTY,
    KING,
    MAN,
    Floats32,
    cut_view,
    judge_board,
)
from crownhead.vision.view import Image

Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class StillParams:
    """Settings of the reading, tuned on the developing half of the pictures.

    Attributes:
        clip: log-odds beyond plus or minus this count as this.
        line: log-odds at which the line between empty and occupied lies best.
        pull: how much of a gap's width a line gives up for each unit away from ``line``.
        lowest: the line is never below these log-odds.
        highest: nor above these, unless that makes too many men.
        heed: log-odds that the likeness to other squares of the board is worth at most.
        king: log-odds from which a man is called a king.
        unlike: what counts, beside a man's log-odds of a king, how far they lie above those of
            the board's plainest men.
        unsure: confidence below which the reading is called unsure.
        dark: brightness (0 to 255) that the brightest parts of a board must reach.
    """

    clip: float = 8.0
    line: float = -0.5
    pull: float = 0.2
    lowest: float = -4.0
    highest: float = 1.0
    heed: float = 8.0
    king: float = 2.3
    unlike: float = 0.5
    unsure: float = 0.9
    dark: float = 30.0


@dataclass(frozen=True, slots=True, eq=False)
class StillReading:
    """What one picture shows.

    Attributes:
        rows: signs ``. w b W B ?``, the first row along the edge from the first corner to the
            second; ``w`` is the lighter side, ``?`` is a square outside the picture.
        probabilities: float32, shape (size, size, 3): empty, lighter man, darker man.
        parity: men stand on the squares with ``(row + column) % 2 == parity``.
        sure: float64, shape (size, size): for each square the probability that its content and
            side are right; on the kind of squares that bears no men the probability that it is that
            kind, 0 outside the picture.
        confidence: 0 to 1, the share of the playing squares expected to be right.
        problems: `unsure`, `too-dark`, `colours-alike`, `partly-out-of-view`; none is fatal.
    """

    rows: tuple[str, ...]
    probabilities: Floats32
    parity: int
    sure: NDArray[np.float64]
    confidence: float
    problems: tuple[str, ...]


def read_still(
    frame: Image, board: FoundBoard, *, params: StillParams | None = None
) -> StillReading:
    """Read what stands on each square of a board in one picture.

    Args:
        frame: uint8 BGR, shape (height, width, 3).
        board: the board in this frame.
        params: settings, the tuned ones by default.

    Returns:
        The reading; kings are given only where the picture makes them sure.
    """
    params = params or StillParams()
    size = board.size
    view = cut_view(frame, board)
    told = judge_board(frame, board)
    logits = told.contents.astype(np.float64)
    odds = occupied_odds(logits).reshape(size, size).clip(-params.clip, params.clip)
    parity = choose_parity(odds, view)
    playing = playing_squares(size, parity)
    visible = _visible(frame, board)
    line = choose_line(odds[playing & visible], size, params)
    judged = np.where(playing, odds - line, -params.clip)
    asked = playing & visible
    judged[asked], agreement = heard(judged[asked], ring_colours(view, size)[asked], params.heed)
    occupied = asked & (judged > 0)
    colours = split_colours(view, occupied, parity, told.sides.reshape(size, size))
    chance = 1 / (1 + np.exp(-judged)) * playing
    probabilities = np.stack(
        [1 - chance, chance * colours.lighter, chance * (1 - colours.lighter)], axis=-1
    ).astype(np.float32)
    lighter = colours.lighter > 0.5
    king = king_odds((logits[:, KING] - logits[:, MAN]).reshape(size, size), occupied, params)
    rows = _signs(occupied, lighter, king > params.king, visible)
    known = Reasons(
        odds[asked] - line,
        odds[asked],
        judged[asked],
        agreement,
        colours.lighter[asked],
        colours,
        float(view.max(axis=2).mean()),
        size,
        told.sides.reshape(size, size)[asked].astype(np.float64),
    )
    sure = np.where(visible, parity_chance(odds), 0.0)
    sure[asked] *= confidences(known)
    confidence = float(sure[asked].mean()) if asked.any() else 0.0
    problems = []
    if confidence < params.unsure:
        problems.append("unsure")
    if float(np.percentile(view.max(axis=2), 98)) < params.dark:
        problems.append("too-dark")
    if not colours.are_apart:
        problems.append("colours-alike")
    if not visible.all():
        problems.append("partly-out-of-view")
    return StillReading(rows, probabilities, parity, sure, round(confidence, 4), tuple(problems))


def occupied_odds(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the log-odds of a man or king against an empty square, shape (n,)."""
    return np.logaddexp(logits[:, MAN], logits[:, KING]) - logits[:, EMPTY]


def king_odds(
    odds: NDArray[np.float64], occupied: Bools, params: StillParams
) -> NDArray[np.float64]:
    """Return log-odds of kings that heed how the other men of the board look.

    The same relief makes all men of one set look a little like kings, or none; a true king stands
    out from the plainest quarter of the men.

    Args:
        odds: the network's log-odds of a king against a man, shape (size, size).
        occupied: where pieces stand, bool, of the same shape.
        params: settings.
    """
    if not occupied.any():
        return odds
    plain = float(np.quantile(odds[occupied], 0.25))
    return np.asarray(odds + params.unlike * (odds - plain))


def playing_squares(size: int, parity: int) -> Bools:
    """Return the squares on which men stand, bool, shape (size, size)."""
    rows, columns = np.indices((size, size))
    return np.asarray((rows + columns) % 2 == parity)


def choose_parity(odds: NDArray[np.float64], view: Image) -> int:
    """Return the kind of square on which men stand: the other kind must be empty.

    Args:
        odds: log-odds of a man, shape (size, size).
        view: the board view of `cut_view`, whose darker squares decide on an empty board.
    """
    size = len(odds)
    emptiness = -np.logaddexp(0.0, odds)  # log of the probability that the square is empty
    cost = [float(emptiness[~playing_squares(size, p)].sum()) for p in (0, 1)]
    if abs(cost[0] - cost[1]) > 1.0:
        return int(cost[1] > cost[0])
    rim = (view.shape[0] - size * (view.shape[0] // size)) // 2
    field = view[rim : view.shape[0] - rim, rim : view.shape[0] - rim].mean(axis=2)
    px = len(field) // size
    means = field[: size * px, : size * px].reshape(size, px, size, px).mean(axis=(1, 3))
    return int(means[playing_squares(size, 1)].mean() < means[playing_squares(size, 0)].mean())


def parity_chance(odds: NDArray[np.float64]) -> float:
    """Return the probability that men stand on the kind of squares that seems to bear them.

    Men that lean over the next squares make the other kind seem occupied, but seldom as much.
    On rendered boards kept out of the training the kind was wrong once, at a third of such a sum.

    Args:
        odds: log-odds of a man, shape (size, size).
    """
    occupied = np.logaddexp(0.0, odds)
    seen = sorted(float(occupied[playing_squares(len(odds), p)].sum()) for p in (0, 1))
    if seen[1] < 1.0:  # an empty board reads the same either way
        return 1.0
    clear = 1 - seen[0] / seen[1]
    return min(max((clear - 0.5) / 0.3, 0.5), 1.0)


def choose_line(odds: NDArray[np.float64], size: int, params: StillParams) -> float:
    """Return the log-odds from which a playing square counts as occupied.

    The line lies in the middle of the widest gap between the squares' log-odds, where a gap
    far from the usual place must be wider. There can be no more men than both sides start
    with.
    """
    most = size * (size // 2 - 1)
    ordered = np.sort(odds)
    edges = np.concatenate([[-params.clip - 2], ordered, [params.clip + 2]])
    best, best_score = params.line, -np.inf
    for highest in (params.highest, params.clip):
        for k in range(len(edges) - 1):
            if len(ordered) - k > most:
                continue
            low, high = max(edges[k], params.lowest), min(edges[k + 1], highest)
            if high <= low:
                continue
            # The best place for the line inside a gap: near the usual one, but not at the rim.
            width = high - low
            middle = (low + high) / 2
            score = width - params.pull * abs(middle - params.line)
            if score > best_score:
                best, best_score = middle, score
        if best_score > -np.inf:
            break
    if (odds > best).sum() > most:  # every gap was outside the range: keep the likeliest men
        best = float((ordered[-most - 1] + ordered[-most]) / 2)
    return float(best)


def _visible(frame: Image, board: FoundBoard) -> Bools:
    size = board.size
    rows, columns = np.indices((size, size)) + 0.5
    x, y = to_image(board, np.column_stack([columns.ravel(), rows.ravel()])).T
    height, width = frame.shape[:2]
    inside = (x >= 0) & (y >= 0) & (x <= width - 1) & (y <= height - 1)
    return np.asarray(inside.reshape(size, size))


def _signs(occupied: Bools, lighter: Bools, king: Bools, visible: Bools) -> tuple[str, ...]:
    signs = np.where(lighter, np.where(king, "W", "w"), np.where(king, "B", "b"))
    signs = np.where(occupied, signs, ".")
    signs = np.where(visible, signs, "?")
    return tuple("".join(row) for row in signs.tolist())
