import json
import subprocess
import sys

import pytest

from crownhead.cli import run
from crownhead.rules.variant import VARIANTS


def answers(capsys, *arguments, code=0):
    assert run([*arguments]) == code
    out = capsys.readouterr().out
    return [json.loads(line) for line in out.splitlines()]


def answer(capsys, *arguments, code=0):
    (found,) = answers(capsys, *arguments, code=code)
    return found


def test_variants_are_listed_with_their_parameters(capsys):
    found = answer(capsys, "variants", "--json")["variants"]
    assert [variant["name"] for variant in found] == list(VARIANTS)
    by_name = {variant["name"]: variant for variant in found}
    assert by_name["italian"]["man_takes_king"] is False
    assert by_name["take-back"]["protocol"]["name"] == "take-back"
    assert (by_name["frisian"]["king_moves_limit"], by_name["hk100"]["draws"]) == (3, [])
    assert run(["variants"]) == 0
    text = capsys.readouterr().out
    assert text.count("at most 3 quiet moves in a row") == 1
    assert text.count("moves with two kings against one king") == 1
    assert all(f"{name}: " in text for name in VARIANTS)


def test_legal_moves_of_the_start(capsys):
    found = answer(capsys, "legal", "international", "--json")
    assert found == {
        "variant": "international",
        "fen": "W:W31-50:B1-20",
        "turn": "white",
        "moves": [
            "31-26", "31-27", "32-27", "32-28", "33-28", "33-29", "34-29", "34-30", "35-30",
        ],
    }  # fmt: skip
    assert run(["legal", "international"]) == 0
    assert capsys.readouterr().out.split() == found["moves"]


@pytest.mark.parametrize(("notation", "move"), [("numeric", "22x15"), ("algebraic", "c3:e5")])
def test_the_notation_may_be_chosen(capsys, notation, move):
    found = answer(
        capsys, "legal", "russian", "--fen", "W:W22:B18", "--notation", notation, "--json"
    )
    assert found["moves"] == [move]


def test_many_positions_are_answered_in_their_order(capsys, tmp_path):
    fens = tmp_path / "fens.txt"
    fens.write_text("W:W22,25:B17\nrubbish\n\nB:W21-32:B1-12\n")
    first, second, third = answers(
        capsys, "legal", "english", "--fens", str(fens), "--json", code=2
    )
    assert first["moves"] == ["22x13"]
    assert "rubbish" in second["problem"]
    assert third["turn"] == "black"


def test_perft_counts(capsys):
    found = answer(capsys, "perft", "english", "4", "--json")
    assert (found["nodes"], found["depth"]) == (1469, 4)
    assert found["seconds"] >= 0
    divided = answer(capsys, "perft", "english", "4", "--divide", "--json")
    assert sum(divided["divide"].values()) == divided["nodes"] == 1469
    assert len(divided["divide"]) == 7


def test_perft_counts_routes_on_demand(capsys):
    fen = "B:W6,9,10,11,20,21,22,23,30,K31,33,37,41,42,43,44,46:BK17,K24"
    assert answer(capsys, "perft", "international", "1", "--fen", fen, "--json")["nodes"] == 14
    found = answer(capsys, "perft", "international", "1", "--fen", fen, "--routes", "--json")
    assert found["nodes"] == 178


def test_judge_says_no_with_the_rule(capsys):
    found = answer(capsys, "judge", "take-back", "--fen", "W:W22,25:B17", "25-21", "--json", code=1)
    assert (found["legal"], found["rule"]) == (False, "must-capture")
    assert found["expected"] == ["22x13"]
    assert "25-21" in found["text"]
    assert found["fen_after"] is None


def test_judge_says_yes_with_the_position_after(capsys):
    found = answer(capsys, "judge", "take-back", "--fen", "W:W22,25:B17", "22x13", "--json")
    assert (found["legal"], found["rule"], found["expected"]) == (True, None, [])
    assert found["fen_after"] == "B:W13,25:B"


def test_many_cases_are_judged_in_their_order(capsys, tmp_path):
    cases = tmp_path / "cases.jsonl"
    cases.write_text(
        '{"fen": "W:W22,25:B17", "move": "25-21"}\n'
        "no json\n"
        '{"fen": "W:W22,25:B17"}\n'
        '{"fen": "x", "move": "25-21"}\n'
        '{"move": "11-15"}\n'
    )
    found = answers(capsys, "judge", "english", "--cases", str(cases), "--json", code=2)
    assert [item["legal"] for item in found] == [False, None, None, None, True]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "White can capture and must; c3-b4 captures nothing. Legal: c3:g7."),
        ("fi", "Valkoinen voi lyödä ja sen on pakko lyödä; siirto c3-b4 ei lyö mitään."),
        ("zh-Hant", "白方有子可吃，必須吃子；c3-b4沒有吃子。合法走法：c3:g7。"),
    ],
)
def test_a_verdict_is_said_in_the_language_asked_for(capsys, language, text):
    fen = "W:Wc3:Bd4,f6"
    assert run(["judge", "russian", "--fen", fen, "c3-b4", "--lang", language, "--json"]) == 1
    answer = json.loads(capsys.readouterr().out)
    assert answer["text"].startswith(text)
    assert answer["rule"] == "must-capture"


def test_variants_are_described_in_greek(capsys):
    assert run(["variants", "--lang", "el"]) == 0
    said = capsys.readouterr().out
    assert "international: Διεθνής ντάμα (FMJD)\n    10x10, 4 σειρές πιονιών" in said


PDN = """[Event "good"]
[GameType "21"]
1. 11-15 23-18 2. 8-11 1/2-1/2

[Event "bad"]
[GameType "21"]
1. 11-15 22-18 2. 8-11 *
"""


def test_check_answers_a_game_a_line(capsys, tmp_path):
    path = tmp_path / "games.pdn"
    path.write_text(PDN)
    good, bad = answers(capsys, "check", str(path), "--json", code=1)
    assert good["legal"]
    assert good["problem"] is None
    assert (good["game"], good["variant"], good["plies"]) == (1, "english", 3)
    assert good["result"] == "1/2-1/2"
    assert good["final_fen"] == "W:W18,21,22,24-32:B1-7,9-12,15"
    assert (bad["problem"]["ply"], bad["problem"]["rule"]) == (3, "must-capture")
    assert bad["problem"]["move"] == "8-11"
    assert run(["check", str(path)]) == 1
    assert "1 of 2 games are legal" in capsys.readouterr().out


def test_check_follows_the_variant_given(capsys, tmp_path):
    path = tmp_path / "games.pdn"
    path.write_text("1. 32-28 19-23 *\n")
    assert answer(capsys, "check", str(path), "--json")["variant"] == "international"
    found = answer(capsys, "check", str(path), "--variant", "russian", "--json", code=1)
    assert (found["problem"]["ply"], found["problem"]["rule"]) == (1, "occupied")


def test_a_file_without_games_is_bad_input(capsys, tmp_path):
    path = tmp_path / "empty.pdn"
    path.write_text("\n")
    assert run(["check", str(path)]) == 2
    assert "empty.pdn" in capsys.readouterr().err


def test_a_picture_is_not_replayed(capsys, tmp_path):
    path = tmp_path / "game.png"
    path.write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR 1. 32-28 *")
    assert run(["check", str(path)]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err == f"crownhead: {path} is not a text, so it holds no PDN\n"


def test_what_cannot_be_read_breaks_no_rule(capsys, tmp_path):
    path = tmp_path / "notes.pdn"
    path.write_text("# Notes\n1. 11-15 *\n")
    assert run(["check", str(path), "--variant", "english"]) == 1
    told = capsys.readouterr().out
    assert "ply 1 cannot be read; line 1, column 1: cannot read '#'" in told
    assert "breaks" not in told


def test_a_move_that_is_none_is_judged_in_whole_sentences(capsys):
    assert run(["judge", "english", "--fen", "B:B11:W15,32", "hop"]) == 1
    told = capsys.readouterr().out
    assert told == (
        "'hop' cannot be read as a move; moves look like 32-28, 27x18, and the squares are 1 to 32."
        " Legal: 11x18.\n"
    )


def test_suggest_names_moves_with_their_lines(capsys):
    found = answer(capsys, "suggest", "english", "--fen", "W:W25,26:B18", "--depth", "3", "--json")
    best = found["suggestions"][0]
    assert best["line"][0] == best["move"]
    assert best["score"] >= found["suggestions"][-1]["score"]
    assert {s["move"] for s in found["suggestions"]} == {"25-21", "25-22", "26-22", "26-23"}


@pytest.mark.parametrize(
    "arguments",
    [
        ["legal", "enlish"],
        ["legal", "english", "--fen", "W:W99:B1"],
        ["legal", "english", "--fen", "W:W22:B1", "--fens", "-"],
        ["legal", "english", "--fens", "no-such-file"],
        ["perft", "english", "-1"],
        ["perft", "english", "deep"],
        ["judge", "english"],
        ["judge", "english", "11-15", "--cases", "-"],
        ["judge", "english", "--lang", "xx", "11-15"],
        ["check", "no-such-file.pdn"],
        ["check", "--variant", "chess", "no-such-file.pdn"],
        ["suggest", "english", "--depth", "0"],
    ],
)
def test_bad_input_gets_a_sentence_and_code_2(capsys, arguments):
    assert run(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err


def test_the_rules_start_without_numpy_and_opencv():
    code = (
        "import sys; from crownhead.cli import run; run(['legal', 'international']);"
        "sys.exit(any(name in sys.modules for name in ('numpy', 'cv2', 'flask')))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60)
    assert result.returncode == 0


def test_variants_may_be_named(capsys):
    found = answer(capsys, "variants", "thai", "hk100", "--json")["variants"]
    assert [variant["name"] for variant in found] == ["thai", "hk100"]
    assert run(["variants", "englsh"]) == 2
    assert "did you mean 'english'" in capsys.readouterr().err


def judged_board(capsys, fen, seen, *arguments, code=1):
    return answer(capsys, "judge", *arguments, "--fen", fen, "--seen", seen, "--json", code=code)


def test_a_board_is_judged_as_it_stands(capsys):
    found = judged_board(capsys, "B:B11:W15,32", "W:B18:W32", "english", code=0)
    assert (found["legal"], found["seen"], found["restore"]) == (True, "11x18", [])
    assert found["fen_after"] == "W:W32:B18"
    found = judged_board(capsys, "B:B11:W15,32", "W:B16:W15,32", "english")
    assert (found["rule"], found["seen"], found["expected"]) == ("must-capture", "11-16", ["11x18"])
    assert found["restore"] == [["16", "b", "."], ["11", ".", "b"]]
    assert found["text"].endswith("Clear 16. Put a black man on 11.")


def test_a_capture_half_done_accuses_nobody(capsys):
    found = judged_board(capsys, "B:B11:W15,32", "B:B18:W15,32", "english")
    assert (found["legal"], found["rule"]) == (False, None)
    assert found["in_progress"]["to_remove"] == ["15"]
    assert found["expected"] == ["11x18"]


def test_a_missing_crown_is_seen(capsys):
    found = judged_board(capsys, "W:W8:B30", "B:W3:B30", "take-back")
    assert found["in_progress"] == {"stage": "to-crown", "to_remove": []}
    assert found["text"].endswith("waits for its crown.")


def test_a_board_in_another_language(capsys):
    found = judged_board(capsys, "B:B11:W15,32", "W:B16:W15,32", "english", "--lang", "fi")
    assert found["text"].endswith("Tyhjennä ruutu 16. Aseta musta sotilas ruutuun 11.")


def test_a_move_and_a_board_exclude_each_other(capsys):
    assert run(["judge", "english", "11-15", "--seen", "W:W1:B2"]) == 2
    assert run(["judge", "english"]) == 2
    assert "--seen" in capsys.readouterr().err


def test_a_pipe_is_asked_and_played(tmp_path):
    game = "1. 32-28 19-23 2. 28x19 14x23 *"
    done = subprocess.run(
        [sys.executable, "-m", "crownhead", "check", "/dev/stdin", "--json"],
        input=game, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert json.loads(done.stdout)["legal"], done.stderr


def test_a_text_that_is_no_pdn_has_no_games(capsys, tmp_path):
    (tmp_path / "notes.md").write_text("# Notes\n\nhello, this is not a game\n")
    (tmp_path / "game.pdn").write_text("rubbish\n1. 11-15 *\n")
    assert run(["check", str(tmp_path / "notes.md"), str(tmp_path / "game.pdn")]) == 2
    told = capsys.readouterr()
    assert "no game found in" in told.err
    assert "notes.md" in told.err
    assert "0 of 1 games are legal" in told.out


def test_what_was_read_with_patience_is_noted(capsys, tmp_path):
    path = tmp_path / "game.pdn"
    path.write_text('[White "A"\n[GameType "99"]\n1. 32-28 19-23 *\n')
    found = answer(capsys, "check", str(path), "--json")
    assert found["notes"] == ["line 1, column 2: tag White is not closed"]
    assert found["variant_by"].startswith("GameType '99' is not known; inferred")


def test_a_preset_names_its_clause_in_a_file_too(capsys, tmp_path):
    path = tmp_path / "game.pdn"
    path.write_text("1. 32-28 19-23 2. 31-27 *\n")
    found = answer(capsys, "check", str(path), "--variant", "hk100", "--json", code=1)
    by_judge = answer(
        capsys, "judge", "hk100", "--fen", "W:W28,31,33-50:B1-18,20,23", "31-27", "--json", code=1
    )
    assert found["problem"]["clause"] == by_judge["clause"]
    assert found["problem"]["clause"] is not None


@pytest.mark.parametrize("seconds", ["nan", "inf", "0", "-1", "soon"])
def test_only_a_number_of_seconds_is_taken(capsys, seconds):
    assert run(["suggest", "english", "--seconds", seconds]) == 2
    assert "--seconds" in capsys.readouterr().err


def test_a_game_that_is_over_has_no_moves_and_says_so(capsys):
    assert run(["legal", "english", "--fen", "B:W32:B"]) == 0
    told = capsys.readouterr()
    assert (told.out, "game is over" in told.err) == ("", True)
