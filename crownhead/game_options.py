"""What a user says of a game to be watched, checked and turned into an eye for it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from crownhead.calibration.board import FoundBoard
from crownhead.calibration.profile import read_profile
from crownhead.errors import CrownheadError
from crownhead.eye import EyeParams, GameEye, params_for_stills
from crownhead.rules.fen import parse_fen
from crownhead.rules.position import Side
from crownhead.rules.variant import Naming, Playing, Variant, start_position, variant_named
from crownhead.session import Session
from crownhead.sources import Kind, SourceInfo


class ConflictingOptions(CrownheadError):
    """Options that contradict each other or the variant."""


@dataclass(frozen=True, slots=True)
class GameOptions:
    """The options that `transcribe` and `watch` share, as text.

    Attributes:
        variant: name of the rules.
        start_fen: the position of the first clear view, `look` to read it from there, None for
            the variant's start.
        white_side: the edge of the picture nearest to White, None to judge by lightness.
        laid_mirrored: the board lies with its other corner at the players' left.
        first: `white` or `black` to override who begins.
        notation: `numeric` or `algebraic`, None for the variant's custom.
        profile: a file that says where the board lies, None to look for it.
    """

    variant: str
    start_fen: str | None = None
    white_side: str | None = None
    laid_mirrored: bool = False
    first: str | None = None
    notation: str | None = None
    profile: str | None = None


def eye_for(
    info: SourceInfo,
    options: GameOptions,
    *,
    resumed: Session | None = None,
    evidence: bool = False,
    board: FoundBoard | None = None,
) -> GameEye:
    """Make the eye for a game.

    Args:
        info: of the open source; a folder's pictures are stills that count one by one.
        options: what the user said.
        resumed: the session as an earlier run left it.
        evidence: let the eye keep the views before and after each verdict.
        board: where it lies, instead of the profile of the options.

    Raises:
        RulesError: no such variant, or a position that cannot be read.
        CalibrationError: the profile cannot be read.
        ConflictingOptions: the variant cannot be watched; or the position has no empty square, or
            lacks one side.
    """
    variant = variant_named(options.variant)
    _check_variant(options.variant, variant)
    naming = Naming(options.notation) if options.notation else None
    params = params_for_stills() if info.kind is Kind.FOLDER else EyeParams()
    first = Side(options.first) if options.first else None
    if options.start_fen == "look":
        start = None
    else:
        start = (
            parse_fen(options.start_fen, variant) if options.start_fen else start_position(variant)
        )
        if first is not None:
            start = replace(start, turn=first)
        _check_start(start.white, start.black, variant)
    return GameEye(
        variant,
        start,
        first=first,
        naming=naming,
        white_side=options.white_side,
        laid_mirrored=options.laid_mirrored,
        resumed=resumed,
        params=params,
        evidence=evidence,
        board=board or board_of(options),
    )


def board_of(options: GameOptions) -> FoundBoard | None:
    """Return the board of the profile that options name, None if they name none.

    Raises:
        CalibrationError: the profile cannot be read.
        ConflictingOptions: it is of a board of another size.
    """
    if options.profile is None:
        return None
    board, variant = read_profile(Path(options.profile)), variant_named(options.variant)
    if board.size != variant.size:
        raise ConflictingOptions(
            f"{options.profile} is of a board of {board.size}x{board.size}, and {variant.name} is "
            f"played on {variant.size}x{variant.size}"
        )
    return board


def _check_variant(name: str, variant: Variant) -> None:
    if variant.playing is not Playing.ALTERNATE:
        raise ConflictingOptions(
            f"{variant.name} is played on all squares, and only games on every other square can be "
            "followed with a camera"
        )
    # A record names its variant, and a file's name would mean nothing where the record is read.
    if name.lower().endswith(".toml"):
        raise ConflictingOptions(
            f"{name} describes a variant of your own, which cannot be followed with a camera yet; "
            "legal, perft, check, judge and suggest take it"
        )


def _check_start(white: int, black: int, variant: Variant) -> None:
    if not white or not black or (white | black).bit_count() >= variant.squares:
        raise ConflictingOptions(
            "the start position must have pieces of both sides and an empty square, since the "
            "look of all three is learned from it"
        )
