from pathlib import Path

import pytest

from crownhead.cli import run

SAMPLE = Path(__file__).parents[3] / "crownhead" / "samples" / "russian-take-back.mp4"


@pytest.mark.parametrize("option", ["--pdn", "--events"])
def test_a_place_to_write_is_checked_before_the_work(
    capsys: pytest.CaptureFixture[str], option: str
) -> None:
    code = run(["transcribe", str(SAMPLE), "--variant", "russian", option, "no-such-folder/out"])
    told = capsys.readouterr()
    assert (code, told.out) == (2, "")
    assert told.err == (
        "crownhead: no-such-folder/out cannot be written: there is no folder no-such-folder\n"
    )


def test_another_start_than_the_one_named_is_the_answer_no(
    capsys: pytest.CaptureFixture[str],
) -> None:
    # The film begins with h2 on its square; the position named has it on g3.
    fen = "W:Wa1,c1,e1,g1,b2,d2,f2,g3,a3,c3,e3:Bb8,d8,f8,h8,a7,c7,e7,g7,b6,d6,f6,h6"
    code = run(["transcribe", str(SAMPLE), "--variant", "russian", "--json", "--start-fen", fen])
    told = capsys.readouterr()
    assert (code, told.out) == (1, "")
    assert "square h2 shows a white piece where empty belongs" in told.err
    assert len(told.err.splitlines()) == 1
