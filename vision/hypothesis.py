"""Which position explains best what the squares look like."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

import numpy as np

from crownhead.vision.observation import BLACK, EMPTY, WHITE, Codes, Evidence, Floats32

Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True, slots=True)
class ExplainParams:
    """How sure an explanation must be.

    All are natural logarithms of ratios of likelihood.

    Attributes:
        most_a_square: no single square counts for more than this.
        unexplained: a square that fits another content so much better is not explained.
        margin: the best explanation must beat any with another result by so much.
        sure_square: in a reading with no rule behind it every changed square must be so sure.
    """

    most_a_square: float = 12.0
    unexplained: float = 3.0
    margin: float = 4.0
    sure_square: float = 3.0


@dataclass(frozen=True, slots=True)
class Explained(Generic[Key]):
    """A hypothesis that the picture bears out.

    ``margin`` is the logarithm of its likelihood against the runner-up's.
    """

    key: Key
    margin: float

    @property
    def confidence(self) -> float:
        """The share that the margin leaves to it, at most 0.999."""
        return float(min(0.999, 1 / (1 + np.exp(-min(self.margin, 30.0)))))


def clipped(evidence: Evidence, params: ExplainParams) -> Floats32:
    """Return log-likelihoods with each square's say limited, float32, shape (squares, 3)."""
    return np.maximum(evidence.log_likelihood, -params.most_a_square)


def unexplained_squares(evidence: Evidence, codes: Codes, params: ExplainParams) -> tuple[int, ...]:
    """Return the squares (by number) that fit another content clearly better than this one."""
    own = evidence.log_likelihood[np.arange(len(codes)), codes]
    return tuple(int(n) + 1 for n in np.flatnonzero(own < -params.unexplained))


def best_explanation(
    evidence: Evidence, hypotheses: Sequence[tuple[Key, Codes]], params: ExplainParams
) -> Explained[Key] | None:
    """Return the hypothesis that explains the squares, None if none does or two do.

    A hypothesis explains the squares if it leaves none of them unexplained and is likelier, by
    a margin, than every hypothesis with other contents. Where several have the same contents
    the first of them is returned.

    Args:
        evidence: of one still view.
        hypotheses: each a key and the contents it predicts, int8, shape (squares,).
        params: limits.
    """
    weights = clipped(evidence, params)
    index = np.arange(len(weights))
    scored = [(float(weights[index, codes].sum()), k) for k, (_, codes) in enumerate(hypotheses)]
    if not scored:
        return None
    top, at = max(scored, key=lambda item: (item[0], -item[1]))
    key, codes = hypotheses[at]
    if unexplained_squares(evidence, codes, params):
        return None
    rivals = [s for s, k in scored if not np.array_equal(hypotheses[k][1], codes)]
    margin = top - max(rivals, default=top - params.most_a_square)
    return Explained(key, margin) if margin >= params.margin else None


def alike_explanations(
    evidence: Evidence, hypotheses: Sequence[tuple[Key, Codes]], params: ExplainParams
) -> tuple[Key, ...]:
    """Return all hypotheses that explain the squares about as well as the best does.

    Args:
        evidence: of one still view.
        hypotheses: each a key and the contents it predicts, int8, shape (squares,).
        params: limits.
    """
    weights = clipped(evidence, params)
    index = np.arange(len(weights))
    scored = [(float(weights[index, codes].sum()), key, codes) for key, codes in hypotheses]
    top = max((score for score, _, _ in scored), default=0.0)
    return tuple(
        key
        for score, key, codes in scored
        if score > top - params.margin and not unexplained_squares(evidence, codes, params)
    )


def without_colours(evidence: Evidence, squares: Iterable[int], params: ExplainParams) -> Evidence:
    """Let squares say only whether something stands there, not of which side it is.

    A crown or a piece turned over may have any colour, even that of the square; whose it is the
    game must tell.

    Args:
        evidence: of one still view.
        squares: numbers of squares, on which kings may just have come to stand.
        params: limits.
    """
    weights, unknown = evidence.log_likelihood, evidence.unknown
    rows = [s - 1 for s in squares]
    told = [n for n in rows if unknown[n] or weights[n, EMPTY] <= -params.unexplained]
    if not told:
        return evidence
    weights = weights.copy()
    weights[told, WHITE] = 0.0
    weights[told, BLACK] = 0.0
    weights[told, EMPTY] = np.minimum(weights[told, EMPTY], -params.most_a_square)
    return replace(evidence, log_likelihood=weights)


def sure_reading(evidence: Evidence, believed: Codes, params: ExplainParams) -> Codes | None:
    """Return what the squares hold if no rule is held against it, None if any is doubtful.

    A square whose contents changed must be sure and must look like something that was learned;
    one that stayed the same only needs not to be taken for something else.
    """
    codes = evidence.codes
    is_doubtful = evidence.runner_up > -params.sure_square
    changed = (codes != believed) & (is_doubtful | evidence.strange)
    # Something may lie unseen on a square that looks most like an empty one.
    hidden = (codes == EMPTY) & (believed == EMPTY) & evidence.unknown
    if bool((changed | hidden).any()):
        return None
    return codes


__all__ = [
    "BLACK",
    "EMPTY",
    "WHITE",
    "ExplainParams",
    "Explained",
    "alike_explanations",
    "best_explanation",
    "sure_reading",
    "unexplained_squares",
    "without_colours",
]
