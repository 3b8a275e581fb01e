"""Growing a lattice of crossings from small seeds, without knowing the board's size."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crownhead.vision.crossings import Crossings
from crownhead.vision.fit import fit_homography, project
from crownhead.vision.view import Floats

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class LatticeParams:
    """Limits of linking and growing.

    Attributes:
        neighbours: nearest crossings looked at for links.
        ray_rad: largest angle between an edge and the way to the neighbour.
        edge_rad: largest angle between an edge and the one it should continue.
        reach: largest distance of a crossing from its predicted place, in squares.
        seeds: most seeds grown.
        least: fewest crossings of a lattice.
        widest: a lattice that spans more crossings than this both ways is no board.
    """

    neighbours: int = 40
    ray_rad: float = np.radians(12)
    edge_rad: float = np.radians(20)
    reach: float = 0.2
    seeds: int = 6
    least: int = 9
    widest: int = 14


@dataclass(frozen=True, slots=True, eq=False)
class Lattice:
    """Crossings with their integer places on a board plane.

    Attributes:
        places: int64, shape (n, 2), (u, v) counted from an arbitrary crossing.
        points_px: float64, shape (n, 2).
        light: True if the square between the +u and +v axes of place (0, 0) is the light one.
    """

    places: Ints
    points_px: Floats
    light: bool

    def __len__(self) -> int:
        return len(self.places)


_HALF = 16
"""Lattices reach so many crossings to every side of their seed."""


def grow_lattices(crossings: Crossings, params: LatticeParams | None = None) -> Iterator[Lattice]:
    """Yield lattices, those with the best connected seeds first.

    A crossing that got into one lattice is no seed for another.
    """
    params = params or LatticeParams()
    if len(crossings) < params.least:
        return
    used = np.zeros(len(crossings), bool)
    tried = 0
    for seed in _seeds(_links(crossings, params)):
        if tried == params.seeds:
            return
        if used[seed].any():
            continue
        tried += 1
        lattice, members = _grow(crossings, seed, params)
        used[seed] = True
        used[members] = True
        span = np.ptp(lattice.places, axis=0) if len(lattice) else np.zeros(2)
        # Wider than the largest board both ways: a table cloth, tiles or the like.
        if len(lattice) >= params.least and span.min() <= params.widest:
            yield lattice


def _wrap(angle: Floats, period: float) -> Floats:
    """Bring angles into half a period to either side of zero."""
    return np.asarray((angle + period / 2) % period - period / 2, np.float64)


def _links(crossings: Crossings, params: LatticeParams) -> tuple[Ints, Ints]:
    """Neighbours along the four rays, and the ray by which each continues; -1 for none.

    Rays 0 to 3 go round by growing angle: first edge, second edge and their opposites. On a
    chequered board the colours swap from crossing to crossing, so a first edge always goes
    on as a second edge.
    """
    points, edges = crossings.points_px, crossings.edges
    n = len(points)
    count = min(params.neighbours, n - 1)
    distance = ((points[:, None] - points[None]) ** 2).sum(axis=2)
    np.fill_diagonal(distance, np.inf)
    near = np.argpartition(distance, count - 1, axis=1)[:, :count]
    near_distance = np.take_along_axis(distance, near, axis=1)
    way = points[near] - points[:, None]
    angle = np.arctan2(way[..., 1], way[..., 0])
    link = np.full((n, 4), -1, np.int64)
    onward = np.full((n, 4), -1, np.int64)
    for ray in range(4):
        kind = ray % 2
        theta = edges[:, kind] + (np.pi if ray > 1 else 0.0)
        other = edges[near, 1 - kind]
        fits = (np.abs(_wrap(angle - theta[:, None], 2 * np.pi)) < params.ray_rad) & (
            np.abs(_wrap(other - angle, np.pi)) < params.edge_rad
        )
        cost = np.where(fits, near_distance, np.inf)
        best = cost.argmin(axis=1)
        has = np.isfinite(cost[np.arange(n), best])
        target = near[np.arange(n), best]
        ahead = np.abs(_wrap(edges[target, 1 - kind] - angle[np.arange(n), best], 2 * np.pi))
        link[has, ray] = target[has]
        onward[has, ray] = np.where(ahead < np.pi / 2, 1 - kind, 3 - kind)[has]
    return link, onward


def _seeds(links: tuple[Ints, Ints]) -> list[Ints]:
    """Quadruples of crossings whose links close, the best connected first, going round."""
    link, onward = links
    n = len(link)
    start = np.repeat(np.arange(n), 4)
    ray = np.tile(np.arange(4), n)
    chain = [start]
    at, good = start, np.ones(len(start), bool)
    for _ in range(4):
        following = link[at, ray]
        good &= following >= 0
        ray = np.where(good, (onward[at, ray] + 1) % 4, 0)
        at = np.where(good, following, 0)
        chain.append(at)
    good &= chain[4] == start
    quads = np.column_stack(chain[:4])[good]
    quads = quads[quads[:, 0] == quads.min(axis=1)]
    if not len(quads):
        return []
    quads = quads[[len(set(q)) == 4 for q in quads.tolist()]]
    membership = np.bincount(quads.ravel(), minlength=n)
    order = np.argsort(-membership[quads].sum(axis=1), kind="stable")
    return list(quads[order])


def _grow(crossings: Crossings, seed: Ints, params: LatticeParams) -> tuple[Lattice, Ints]:
    points, edges = crossings.points_px, crossings.edges
    side = 2 * _HALF + 1
    cell = np.full((side, side), -1, np.int64)  # indexed [v, u]
    for (u, v), index in zip(((0, 0), (1, 0), (1, 1), (0, 1)), seed, strict=True):
        cell[_HALF + v, _HALF + u] = index
    # Which of the first crossing's two edges runs along u decides every other crossing.
    way = points[seed[1]] - points[seed[0]]
    along = np.arctan2(way[1], way[0])
    turn = np.abs(_wrap(edges[seed[0]] - along, np.pi))
    swap = int(turn[1] < turn[0])
    step = 1
    while step <= 2:
        taken = cell >= 0
        if taken.sum() > 400:
            break
        places = np.argwhere(taken)[:, ::-1] - _HALF
        held = points[cell[taken]]
        model = fit_homography(places.astype(np.float64), held)
        wanted = np.argwhere(_around(taken, step))[:, ::-1] - _HALF
        found = _match(crossings, cell, places, held, model, wanted, swap, params)
        if not len(found):
            step += 1
            continue
        step = 1
        for u, v, index in found:
            cell[v + _HALF, u + _HALF] = index
    _drop_strays(cell, points)
    taken = cell >= 0
    places = np.argwhere(taken)[:, ::-1] - _HALF
    members = cell[taken]
    return Lattice(places, points[members], swap == 0), members


def _around(taken: Flags, step: int) -> Flags:
    """Free cells next to taken ones, or two away."""
    grown = taken.copy()
    for _ in range(step):
        wider = grown.copy()
        wider[1:] |= grown[:-1]
        wider[:-1] |= grown[1:]
        wider[:, 1:] |= grown[:, :-1]
        wider[:, :-1] |= grown[:, 1:]
        grown = wider
    return grown & ~taken


def _match(
    crossings: Crossings,
    cell: Ints,
    places: Ints,
    held: Floats,
    model: Floats,
    wanted: Ints,
    swap: int,
    params: LatticeParams,
) -> list[tuple[int, int, int]]:
    """Crossings for the wanted places, as (u, v, index)."""
    points, edges = crossings.points_px, crossings.edges
    free = np.ones(len(points), bool)
    free[cell[cell >= 0]] = False
    candidates = np.nonzero(free)[0]
    if not len(candidates) or not len(wanted):
        return []
    exact = wanted.astype(np.float64)
    predicted = project(model, exact)
    half_u, half_v = np.array([0.5, 0.0]), np.array([0.0, 0.5])
    along_u = project(model, exact + half_u) - project(model, exact - half_u)
    along_v = project(model, exact + half_v) - project(model, exact - half_v)
    # Lens bend and creases show as residuals that neighbours share.
    residual = held - project(model, places.astype(np.float64))
    gap = ((wanted[:, None] - places[None]) ** 2).sum(axis=2)
    weight = np.exp(-gap / 4.0)
    predicted = predicted + weight @ residual / np.maximum(weight.sum(axis=1, keepdims=True), 1e-9)
    predicted = np.where(np.isfinite(predicted), predicted, -1e6)
    away_x = points[candidates, 0][None] - predicted[:, :1]
    away_y = points[candidates, 1][None] - predicted[:, 1:]
    best = (away_x * away_x + away_y * away_y).argmin(axis=1)
    each = np.arange(len(wanted))
    x, y = away_x[each, best], away_y[each, best]
    # Distance in squares, whatever the foreshortening.
    det = along_u[:, 0] * along_v[:, 1] - along_u[:, 1] * along_v[:, 0]
    det = np.where(np.abs(det) < 1.0, np.nan, det)
    away = np.hypot(
        (x * along_v[:, 1] - y * along_v[:, 0]) / det,
        (y * along_u[:, 0] - x * along_u[:, 1]) / det,
    )
    even = (wanted.sum(axis=1) + swap) % 2 == 0
    first, second = edges[candidates[best]].T
    edge_u, edge_v = np.where(even, first, second), np.where(even, second, first)
    angle_u = np.arctan2(along_u[:, 1], along_u[:, 0])
    angle_v = np.arctan2(along_v[:, 1], along_v[:, 0])
    fits = (
        (away < params.reach)
        & (np.abs(_wrap(edge_u - angle_u, np.pi)) < params.edge_rad)
        & (np.abs(_wrap(edge_v - angle_v, np.pi)) < params.edge_rad)
    )
    value = np.where(fits, away, np.inf)
    result: list[tuple[int, int, int]] = []
    given: set[int] = set()
    for k in np.argsort(value, kind="stable"):
        if not np.isfinite(value[k]):
            break
        index = int(candidates[best[k]])
        if index not in given:
            given.add(index)
            result.append((int(wanted[k, 0]), int(wanted[k, 1]), index))
    return result


def _drop_strays(cell: Ints, points: Floats) -> None:
    """Free the cells whose crossing disagrees with the straight line through its neighbours."""
    taken = cell >= 0
    where = np.zeros((*cell.shape, 2))
    where[taken] = points[cell[taken]]
    error = np.full(cell.shape, np.inf)
    for axis in (0, 1):
        before, behind = np.roll(where, 1, axis), np.roll(where, -1, axis)
        both = np.roll(taken, 1, axis) & np.roll(taken, -1, axis) & taken
        span = np.maximum(np.hypot(*np.moveaxis(behind - before, 2, 0)) / 2, 1e-9)
        off = np.hypot(*np.moveaxis((before + behind) / 2 - where, 2, 0)) / span
        error = np.where(both, np.minimum(error, off), error)
    cell[taken & np.isfinite(error) & (error > 0.3)] = -1
