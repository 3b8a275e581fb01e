"""Legal moves of every variant, from one set of parameters and a table of its board.

Captures are searched depth first. A captured piece stays where it is until the capture ends
and blocks a second jump over it, unless the variant removes pieces during the capture. Where a
flying king may stop on several squares behind a piece, it must stop where it can go on, if
there is such a square. Going straight on over free squares is one route, written with the
square right behind the captured piece; every other difference of squares makes a route of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from crownhead.rules.move import Move
from crownhead.rules.position import Position, Side, Square
from crownhead.rules.tables import PAD, SideTables, Tables, bit_of, bits, square_of, tables_of
from crownhead.rules.variant import Crowning, Kings, Priority, Removal, Variant


class _Route(NamedTuple):
    """A complete capture on bitboards: ``path`` with the origin, ``over`` in order."""

    path: tuple[int, ...]
    over: tuple[int, ...]
    taken: int
    crowns: bool

    @property
    def result(self) -> tuple[int, int, int, bool]:
        return (self.path[0], self.path[-1], self.taken, self.crowns)


def legal_moves(variant: Variant, position: Position) -> tuple[Move, ...]:
    """Return every legal move with every route of every capture; empty if the game is over."""
    tables = tables_of(variant)
    side, own, enemy = _sides(tables, position)
    routes = _captures(variant, tables, side, own, enemy, position.kings)
    if routes:
        return tuple(_move_of(route) for route in routes)
    return tuple(_quiet_moves(variant, tables, side, own, enemy, position.kings))


def distinct_moves(variant: Variant, position: Position) -> tuple[Move, ...]:
    """Return the legal moves, one route of each: that with the lowest squares.

    Routes with the same origin, destination, captured pieces and resulting piece are one move.
    """
    tables = tables_of(variant)
    side, own, enemy = _sides(tables, position)
    routes = _captures(variant, tables, side, own, enemy, position.kings)
    if routes:
        first: dict[tuple[int, int, int, bool], _Route] = {}
        for route in routes:
            known = first.setdefault(route.result, route)
            if route.path < known.path:
                first[route.result] = route
        return tuple(_move_of(route) for route in first.values())
    return tuple(_quiet_moves(variant, tables, side, own, enemy, position.kings))


def play(variant: Variant, position: Position, move: Move) -> Position:
    """Return the position after a legal move, the turn passed on."""
    origin, destination = bit_of(move.origin), bit_of(move.destination)
    taken = 0
    for square in move.captured:
        taken |= bit_of(square)
    return _after(position, origin, destination, taken, move.crowns)


def jump_chains(variant: Variant, position: Position, origin: Square) -> tuple[Move, ...]:
    """Return all that one piece can jump, unfinished chains and poorer captures included.

    These are the captures that somebody may try; most are not legal. Empty if no piece of
    the side to move stands on the square.
    """
    tables = tables_of(variant)
    side, own, enemy = _sides(tables, position)
    bit = bit_of(origin)
    if not own & bit:
        return ()
    prey = enemy if variant.man_takes_king else enemy & ~position.kings
    hunt = _Hunt(variant, tables, side.crown_row, own | enemy, enemy, prey, side.hops, True)
    hunt.start(bit, bool(position.kings & bit))
    return tuple(_move_of(route) for route in hunt.routes)


def is_over(variant: Variant, position: Position) -> bool:
    """Say whether the side to move has no legal move, and so has lost."""
    tables = tables_of(variant)
    side, own, enemy = _sides(tables, position)
    return not _count_quiet(variant, tables, side, own, enemy, position.kings) and not _captures(
        variant, tables, side, own, enemy, position.kings
    )


def perft(variant: Variant, position: Position, depth: int, *, by_route: bool = False) -> int:
    """Count the lines of play of a length; no draw rules apply.

    Args:
        variant: the rules in force.
        position: where to begin.
        depth: plies.
        by_route: whether every route of a capture counts, or each distinct move once.
    """
    if depth == 0:
        return 1
    tables = tables_of(variant)
    side, own, enemy = _sides(tables, position)
    other = tables.sides[position.turn.other]
    return _Perft(variant, tables, by_route).count(side, other, own, enemy, position.kings, depth)


class _Perft:
    """The recursion of `perft` on bare bitboards, without a position or a move for each line."""

    __slots__ = ("by_route", "tables", "variant")

    def __init__(self, variant: Variant, tables: Tables, by_route: bool) -> None:
        self.variant = variant
        self.tables = tables
        self.by_route = by_route

    def count(
        self, side: SideTables, other: SideTables, own: int, enemy: int, kings: int, depth: int
    ) -> int:
        """Count the lines of a side to move; ``depth`` is at least 1."""
        variant, tables = self.variant, self.tables
        routes = _captures(variant, tables, side, own, enemy, kings)
        if not routes:
            if depth == 1:
                return _count_quiet(variant, tables, side, own, enemy, kings)
            return self._quiet(side, other, own, enemy, kings, depth)
        results = [route.result for route in routes]
        if not self.by_route:
            results = list(set(results))
        if depth == 1:
            return len(results)
        total = 0
        for origin, destination, taken, crowns in results:
            after = kings & ~taken
            if after & origin:
                after = after ^ origin | destination
            elif crowns:
                after |= destination
            mine = own ^ origin | destination
            total += self.count(other, side, enemy & ~taken, mine, after, depth - 1)
        return total

    def _quiet(
        self, side: SideTables, other: SideTables, own: int, enemy: int, kings: int, depth: int
    ) -> int:
        variant, tables = self.variant, self.tables
        free = tables.full & ~(own | enemy)
        raised = free << PAD
        men = own & ~kings
        crown_row = side.crown_row
        count = self.count
        total = 0
        for step in side.steps:
            shift = step.shift
            movers = men & step.mask & (raised >> shift)
            while movers:
                bit = movers & -movers
                movers ^= bit
                target = bit << shift >> PAD
                after = kings | target if target & crown_row else kings
                total += count(other, side, enemy, own ^ bit | target, after, depth - 1)
        for bit in bits(own & kings):
            for target in bits(_reach(variant, tables, bit, free)):
                flip = bit | target
                total += count(other, side, enemy, own ^ flip, kings ^ flip, depth - 1)
        return total


def _sides(tables: Tables, position: Position) -> tuple[SideTables, int, int]:
    """Return the tables, the pieces and the enemy's pieces of the side to move."""
    if position.turn is Side.WHITE:
        return tables.sides[Side.WHITE], position.white, position.black
    return tables.sides[Side.BLACK], position.black, position.white


def _after(position: Position, origin: int, destination: int, taken: int, crowns: bool) -> Position:
    # Where pieces leave at once, a king may stop where it captured one.
    kings = position.kings & ~taken
    if kings & origin:
        kings = (kings ^ origin) | destination
    elif crowns:
        kings |= destination
    if position.turn is Side.WHITE:
        return Position(
            (position.white ^ origin) | destination, position.black & ~taken, kings, Side.BLACK
        )
    return Position(
        position.white & ~taken, (position.black ^ origin) | destination, kings, Side.WHITE
    )


def _move_of(route: _Route) -> Move:
    return Move(
        tuple([square_of(bit) for bit in route.path]),
        tuple([square_of(bit) for bit in route.over]),
        route.crowns,
    )


def _quiet_moves(
    variant: Variant, tables: Tables, side: SideTables, own: int, enemy: int, all_kings: int
) -> list[Move]:
    free = tables.full & ~(own | enemy)
    kings = own & all_kings
    men = own ^ kings
    moves: list[Move] = []
    raised = free << PAD
    for step in side.steps:
        movers = men & step.mask & (raised >> step.shift)
        ready = step.moves
        while movers:
            bit = movers & -movers
            moves.append(ready[bit])
            movers ^= bit
    while kings:
        bit = kings & -kings
        kings ^= bit
        ready = tables.slides[bit]
        moves.extend([ready[target] for target in bits(_reach(variant, tables, bit, free))])
    return moves


def _count_quiet(
    variant: Variant, tables: Tables, side: SideTables, own: int, enemy: int, all_kings: int
) -> int:
    free = tables.full & ~(own | enemy)
    kings = own & all_kings
    men = own ^ kings
    raised = free << PAD
    count = 0
    for step in side.steps:
        count += (men & step.mask & (raised >> step.shift)).bit_count()
    for bit in bits(kings):
        count += _reach(variant, tables, bit, free).bit_count()
    return count


def _reach(variant: Variant, tables: Tables, origin: int, free: int) -> int:
    """Return the squares a king can move to without capturing."""
    if variant.kings is Kings.SHORT:
        return tables.neighbours[origin] & free
    reach = 0
    occupied = tables.full & ~free
    for ray in tables.slide_rays[origin]:
        blockers = ray.mask & occupied
        if not blockers:
            reach |= ray.mask
        elif ray.rising:
            reach |= ray.mask & ((blockers & -blockers) - 1)
        else:
            reach |= ray.mask & -(1 << blockers.bit_length())
    return reach


def _captures(
    variant: Variant, tables: Tables, side: SideTables, own: int, enemy: int, all_kings: int
) -> list[_Route]:
    kings = own & all_kings
    men = own ^ kings
    free = tables.full & ~(own | enemy)
    prey = enemy if variant.man_takes_king else enemy & ~all_kings
    raised_prey, raised_free = prey << PAD, free << PAD
    movers = 0
    for jump in side.jumps:
        movers |= men & jump.mask & (raised_prey >> jump.over) & (raised_free >> jump.land)
    if not movers and not kings:
        return []
    hunt = _Hunt(variant, tables, side.crown_row, own | enemy, enemy, prey, side.hops)
    while movers:
        bit = movers & -movers
        movers ^= bit
        hunt.start(bit, False)
    while kings:
        bit = kings & -kings
        kings ^= bit
        hunt.start(bit, True)
    routes = hunt.routes
    if len(routes) > 1 and variant.priority is not Priority.FREE:
        value = _VALUES[variant.priority]
        values = [value(route, all_kings) for route in routes]
        best = max(values)
        routes = [route for route, its in zip(routes, values, strict=True) if its == best]
    return routes


def _by_king(route: _Route, kings: int) -> int:
    return int(bool(route.path[0] & kings))


def _kings_taken(route: _Route, kings: int) -> int:
    return (route.taken & kings).bit_count()


_VALUES: dict[Priority, Callable[[_Route, int], tuple[int, ...]]] = {
    Priority.MOST: lambda route, kings: (len(route.over),),
    Priority.MOST_THEN_KINGS: lambda route, kings: (len(route.over), _kings_taken(route, kings)),
    Priority.KING_FIRST: lambda route, kings: (_by_king(route, kings),),
    Priority.ITALIAN: lambda route, kings: (
        len(route.over),
        _by_king(route, kings),
        _kings_taken(route, kings),
        *(int(bool(bit & kings)) for bit in route.over),
    ),
    # A king counts two men less a trace: of equal sums the one with fewer kings is worth more.
    Priority.VALUE: lambda route, kings: (
        len(route.over) + _kings_taken(route, kings),
        -_kings_taken(route, kings),
        _by_king(route, kings),
    ),
}
"""What makes one capture go before another, as tuples to compare."""


class _Hunt:
    """The depth-first search for the captures of one position; lives inside one call."""

    __slots__ = (
        "crown_row",
        "crowning",
        "enemy",
        "flying",
        "hops",
        "king_hops",
        "near_only",
        "occupied",
        "onward",
        "opposite",
        "partial",
        "prey",
        "rays",
        "removes",
        "routes",
    )

    def __init__(
        self,
        variant: Variant,
        tables: Tables,
        crown_row: int,
        occupied: int,
        enemy: int,
        prey: int,
        hops: dict[int, tuple[tuple[int, int], ...]],
        partial: bool = False,
    ) -> None:
        self.partial = partial
        self.crown_row = crown_row
        self.occupied = occupied
        self.enemy = enemy
        self.prey = prey
        self.hops = hops
        self.king_hops = tables.hops
        self.rays = tables.rays
        self.onward = tables.onward
        self.opposite = (-1,) * len(tables.opposite) if variant.about_turns else tables.opposite
        self.crowning = variant.crowning
        self.flying = variant.kings is not Kings.SHORT
        self.near_only = variant.kings is Kings.FLYING_SHORT_LANDING
        self.removes = variant.removal is Removal.DURING
        self.routes: list[_Route] = []

    def start(self, origin: int, is_king: bool) -> None:
        """Collect the captures of the piece on a square."""
        self.occupied ^= origin
        if not is_king:
            self._man(origin, (origin,), (), 0)
        elif self.flying:
            self._flying(origin, (origin,), (), 0, -1, -1, False)
        else:
            self._short(origin, (origin,), (), 0, False)
        self.occupied ^= origin

    def _man(self, at: int, path: tuple[int, ...], over: tuple[int, ...], taken: int) -> bool:
        went_on = False
        targets = self.prey & ~taken
        blocked = self.occupied & ~taken if self.removes else self.occupied
        for jumped, landing in self.hops[at]:
            if not jumped & targets or landing & blocked:
                continue
            went_on = True
            next_path, next_over, next_taken = (*path, landing), (*over, jumped), taken | jumped
            if landing & self.crown_row and self.crowning is not Crowning.ONLY_IF_IT_STOPS:
                if (
                    self.crowning is Crowning.GOES_ON_AS_KING
                    and (
                        self._flying(landing, next_path, next_over, next_taken, -1, -1, True)
                        if self.flying
                        else self._short(landing, next_path, next_over, next_taken, True)
                    )
                    and not self.partial
                ):
                    continue
                self.routes.append(_Route(next_path, next_over, next_taken, True))
            elif not self._man(landing, next_path, next_over, next_taken) or self.partial:
                crowns = bool(landing & self.crown_row)
                self.routes.append(_Route(next_path, next_over, next_taken, crowns))
        return went_on

    def _short(
        self, at: int, path: tuple[int, ...], over: tuple[int, ...], taken: int, crowned: bool
    ) -> bool:
        went_on = False
        targets = self.enemy & ~taken
        blocked = self.occupied & ~taken if self.removes else self.occupied
        for jumped, landing in self.king_hops[at]:
            if not jumped & targets or landing & blocked:
                continue
            went_on = True
            next_path, next_over, next_taken = (*path, landing), (*over, jumped), taken | jumped
            if not self._short(landing, next_path, next_over, next_taken, crowned) or self.partial:
                self.routes.append(_Route(next_path, next_over, next_taken, crowned))
        return went_on

    def _flying(
        self,
        at: int,
        path: tuple[int, ...],
        over: tuple[int, ...],
        taken: int,
        not_along: int,
        not_back: int,
        crowned: bool,
    ) -> bool:
        """Go on as a flying king, but not along two directions; say whether it could.

        ``not_along`` is the direction just flown when the king stopped farther than right
        behind the piece: going straight on from there is the nearer stop's route. ``not_back``
        is the direction right back, where the variant forbids to turn about.
        """
        went_on = False
        targets = self.enemy & ~taken
        occupied = self.occupied & ~taken if self.removes else self.occupied
        for ray in self.rays[at]:
            hits = ray.mask & occupied
            direction = ray.direction
            if not hits or direction in (not_along, not_back):
                continue
            onward = self.onward[direction]
            jumped = hits & -hits if ray.rising else 1 << (hits.bit_length() - 1)
            if not jumped & targets:
                continue
            landings = onward[jumped]
            hits = landings & occupied
            if hits:
                stop = hits & -hits if ray.rising else 1 << (hits.bit_length() - 1)
                landings &= ~(onward[stop] | stop)
            if not landings:
                continue
            went_on = True
            stops = bits(landings) if ray.rising else bits(landings)[::-1]
            if self.near_only:
                stops = stops[:1]
            next_over, next_taken = (*over, jumped), taken | jumped
            back = self.opposite[direction]
            any_on = False
            for number, stop in enumerate(stops):
                barred = direction if number else -1
                if self._flying(stop, (*path, stop), next_over, next_taken, barred, back, crowned):
                    any_on = True
            if not any_on or self.partial:
                self.routes.extend(
                    _Route((*path, stop), next_over, next_taken, crowned) for stop in stops
                )
        return went_on
