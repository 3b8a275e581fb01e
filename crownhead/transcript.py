"""The document that `transcribe` prints: a game as plain data, and as text for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from crownhead.events import Event, MovePlayed
from crownhead.presentation import counters
from crownhead.record import Incident, fold
from crownhead.rules.variant import variant_named
from crownhead.sources import SourceInfo


def transcript(info: SourceInfo, frames: int, events: Sequence[Event]) -> dict[str, Any]:
    """Return what a run found, in the shape of the command-line contract.

    Args:
        info: of the source.
        frames: how many frames were read.
        events: all events of the run, in order.
    """
    record = fold(events)
    start = record.start
    return {
        "source": info.name,
        "variant": start.variant if start else None,
        "frames": frames,
        "fps": info.fps,
        "board": {"size": start.size, "corners": [list(c) for c in start.corners]}
        if start
        else None,
        "white_side": start.white_side if start else None,
        "note": start.note if start else "",
        "start_fen": start.fen if start else None,
        "final_fen": record.fen,
        "result": record.result,
        "moves": [move_entry(move) for move in record.moves],
        "incidents": [incident_entry(one) for one in record.incidents],
        "counters": counters(record, variant_named(start.variant)) if start else [],
        "remarks": [{"ply": one.ply, "text": one.text} for one in record.remarks],
    }


def move_entry(move: MovePlayed) -> dict[str, Any]:
    """Return a ply that stands, in the shape of the command-line contract."""
    entry: dict[str, Any] = {
        "ply": move.ply,
        "side": move.side,
        "move": move.move,
        "frame": move.frame,
        "seconds": round(move.at_s, 2),
        "confidence": move.confidence,
        "fen": move.fen,
        "legal": move.legal,
    }
    if move.rule:
        entry["rule"] = move.rule
    if move.inferred:
        entry["order"] = "inferred"
    if move.late:
        entry["settled"] = "late"
    return entry


def incident_entry(one: Incident) -> dict[str, Any]:
    """Return an incident, in the shape of the command-line contract."""
    opened = one.opened
    return {
        "kind": opened.kind.value,
        "frame": opened.frame,
        "seconds": round(opened.at_s, 2),
        "rule": opened.rule,
        "seen": opened.seen,
        "expected": list(opened.expected),
        "text": opened.text,
        "side": opened.side,
        "resolution": one.resolution.value,
        "resolved_frame": one.resolved.frame if one.resolved else None,
    }


def as_text(document: dict[str, Any]) -> str:
    """Write a transcript for people: moves in pairs, then what was irregular."""
    where = document["note"] or f"White sits at the {document['white_side']} of the picture."
    lines = [f"{document['variant']}, {document['frames']} frames", where]
    moves = [move["move"] + ("" if move["legal"] else "?") for move in document["moves"]]
    for number, at in enumerate(range(0, len(moves), 2), 1):
        lines.append(f"{number:3}. " + "  ".join(f"{move:<10}" for move in moves[at : at + 2]))
    if not moves:
        lines.append("No move was seen.")
    for one in document["incidents"]:
        named = " ".join(filter(None, (one["kind"], one["seen"])))
        lines.append(f"{one['seconds']:7.1f} s  {named}: {one['text']} [{one['resolution']}]")
    lines.append(f"Result: {document['result']}")
    return "\n".join(line.rstrip() for line in lines)
