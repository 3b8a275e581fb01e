from crownhead.events import GameStarted, IncidentKind, IncidentOpened, MovePlayed, Remarked
from crownhead.frames import Kind, SourceInfo
from crownhead.rules.fen import format_fen, parse_fen
from crownhead.rules.generator import play
from crownhead.rules.notation import parse_move
from crownhead.rules.variant import variant_named
from crownhead.transcript import transcript

INFO = SourceInfo("film.mp4", Kind.FILM, 12.0, 100, 640, 480)


def test_counts_remarks_and_who_did_it_are_in_the_document():
    variant = variant_named("international")
    position = parse_fen("W:WK1,K2:BK50", variant)
    events = [
        GameStarted(
            0, 0.0, variant.name, format_fen(position, variant), 10, ((0.0, 0.0),) * 4, "top"
        )
    ]
    for ply, text in enumerate(("2-8", "50-45", "8-2", "45-50"), 1):
        move = parse_move(variant, position, text)
        side = str(position.turn)
        position = play(variant, position, move)
        fen = format_fen(position, variant)
        events.append(MovePlayed(ply, ply / 12, ply, side, text, fen, 0.99, tuple(move.path)))
    events.append(Remarked(4, 0.4, 4, "A note."))
    events.append(
        IncidentOpened(5, 0.5, 1, IncidentKind.ILLEGAL_MOVE, "No.", "too-far", "1-3", side="white")
    )
    document = transcript(INFO, 6, events)
    counted = {one["text"]: (one["so_far"], one["limit"]) for one in document["counters"]}
    assert set(counted.values()) == {(2, 3), (2, 5), (2, 25)}
    assert any(text.endswith("2 of 25") for text in counted)
    assert document["remarks"] == [{"ply": 4, "text": "A note."}]
    assert document["incidents"][0]["side"] == "white"


def test_without_a_board_there_is_nothing_to_count():
    assert transcript(INFO, 6, [])["counters"] == []
