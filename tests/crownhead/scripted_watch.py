"""Runs `watch` with an eye that plays a script; a child process of the tests.

Which plies have been played at a frame follows from the frame alone, as on a real film. So a
run that was killed and started anew must end up with the same record as one that was not.
"""

import random
import sys
from pathlib import Path

from crownhead.errors import CrownheadError, exit_code
from crownhead.events import (
    Event,
    GameStarted,
    IncidentKind,
    IncidentOpened,
    IncidentResolved,
    MovePlayed,
    Resolution,
)
from crownhead.live import Eye
from crownhead.rules.fen import format_fen
from crownhead.rules.generator import legal_moves, play
from crownhead.rules.notation import format_move
from crownhead.rules.variant import start_position, variant_named
from crownhead.session import Session
from crownhead.sources import Frame, SourceInfo
from crownhead.watching import WatchOptions, run_watch
from crownhead.webui.overlay import Overlay

VARIANT = variant_named("international")
FRAMES_A_PLY = 8
INCIDENT_AT_PLY = 6


def script(seed: int = 4) -> list[MovePlayed]:
    """Return the plies of a game of random moves; ply n is on the board from frame 8 n on."""
    rng = random.Random(seed)
    position = start_position(VARIANT)
    plies: list[MovePlayed] = []
    while moves := legal_moves(VARIANT, position):
        move = rng.choice(moves)
        text = format_move(VARIANT, position, move)
        side = str(position.turn)
        position = play(VARIANT, position, move)
        ply = len(plies) + 1
        frame = FRAMES_A_PLY * ply
        fen = format_fen(position, VARIANT)
        captured = tuple(move.captured)
        plies.append(
            MovePlayed(frame, frame / 100, ply, side, text, fen, 1.0, tuple(move.path), captured)
        )
    return plies


class ScriptedEye:
    """Plays the script; between two plies it sees one illegal move come and go."""

    def __init__(self, session: Session | None) -> None:
        self._script = script()
        self._begun = False
        self._is_resumed = session is not None
        self._plies = len(session.plies) if session else 0
        self._incident = session.incident is not None if session else False
        self._incidents = session.incidents if session else 0

    def see(self, frame: Frame) -> tuple[Event, ...]:
        """Say what the script has for this frame."""
        if not self._begun:
            self._begun = True
            fen = format_fen(start_position(VARIANT), VARIANT)
            corners = ((0.0, 0.0), (9.0, 0.0), (9.0, 9.0), (0.0, 9.0))
            began = GameStarted(frame.index, frame.at_s, VARIANT.name, fen, 10, corners, "bottom")
            resumed = GameStarted(
                frame.index, frame.at_s, VARIANT.name, fen, 10, corners, "bottom", resumed=True
            )
            return (resumed if self._is_resumed else began,)
        if self._plies == INCIDENT_AT_PLY:
            return self._incident_at(frame)
        if self._plies < len(self._script) and frame.index >= self._script[self._plies].frame:
            self._plies += 1
            return (self._script[self._plies - 1],)
        return ()

    def _incident_at(self, frame: Frame) -> tuple[Event, ...]:
        into = frame.index - FRAMES_A_PLY * INCIDENT_AT_PLY
        if not self._incidents and into >= 2:
            self._incident, self._incidents = True, 1
            kind = IncidentKind.ILLEGAL_MOVE
            return (
                IncidentOpened(
                    frame.index,
                    frame.at_s,
                    1,
                    kind,
                    "No.",
                    "must-capture",
                    restore=((50, ".", "w"),),
                ),
            )
        if self._incident and into >= 5:
            self._incident = False
            self._plies += 1
            taken_back = IncidentResolved(
                frame.index, frame.at_s, 1, Resolution.TAKEN_BACK, "As it was."
            )
            return (taken_back, self._script[self._plies - 1])
        return ()

    def overlay(self) -> Overlay | None:
        """There is no board."""
        return None

    def finish(self) -> tuple[Event, ...]:
        """Nothing is left to say."""
        return ()


def make_eye(_: SourceInfo, session: Session | None) -> Eye:
    """Make the eye for `run_watch`."""
    return ScriptedEye(session)


def main() -> None:
    """Watch the film given first, recording into the folder given second."""
    film, data, *flags = sys.argv[1:]
    options = WatchOptions(
        film,
        VARIANT.name,
        listen="127.0.0.1:0",
        data=Path(data),
        json=True,
        once="--stay" not in flags,
        fast="--fast" in flags,
    )
    try:
        sys.exit(run_watch(options, make_eye))
    except CrownheadError as error:
        print(f"crownhead: {error}", file=sys.stderr)
        sys.exit(exit_code(error))


if __name__ == "__main__":
    main()
