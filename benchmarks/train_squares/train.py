"""Train the network that reads squares, and write it as ONNX.

Run it from a checkout, in an environment with torch, onnx, numpy and OpenCV:

    PYTHONPATH=. python benchmarks/train_squares/train.py --real FOLDER --stills FOLDER \
        --rendered FOLDER --out vision/squares.onnx

Of the real pictures only the developing half of the sources is used, of the stills the
odd-numbered ones (and only to report on, unless they come with --rendered). With ``--half kept``
it learns from the other half, for a network that is judged on the developing half and never
shipped.
"""

import argparse
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import numpy as np
import onnx
import torch
from augment import changed_crops, plain_crops
from boards import TruthBoard, load_boards, real_entries, still_entries
from network import SquaresNet, as_onnx
from numpy.random import Generator
from procedural import draw_board
from sources import DEVELOP
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

BOARDS_PER_STEP = 8
CROPS_PER_BOARD = 20


def pick_crops(board: TruthBoard, rng: Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return crops and labels of some squares: of those with men first, then of empty ones."""
    crops, labels = changed_crops(board, rng)
    wish = (
        rng.random(len(labels)) + np.where(labels > 0, 0.55, 0.0) - np.where(labels < 0, 9.0, 0.0)
    )
    chosen = np.argsort(-wish)[:CROPS_PER_BOARD]
    chosen = chosen[labels[chosen] >= 0]
    return crops[chosen], labels[chosen]


def weights_of(boards: list[TruthBoard], share: float) -> np.ndarray:
    """Return drawing weights that sum to ``share``; a source counts by the root of its size."""
    sizes = {s: sum(b.source == s for b in boards) for s in {b.source for b in boards}}
    weights = np.array([sizes[b.source] ** -0.5 for b in boards])
    return weights / max(weights.sum(), 1e-9) * share


def draw_batch(
    boards: list[TruthBoard], weights: np.ndarray, rng: Generator
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return crops and labels of some boards, changed at random."""
    chosen = rng.choice(len(boards), BOARDS_PER_STEP, p=weights)
    picked = [pick_crops(boards[i], rng) for i in chosen]
    crops = torch.from_numpy(np.concatenate([crops for crops, _ in picked]))
    labels = torch.from_numpy(np.concatenate([labels for _, labels in picked]))
    return crops.contiguous(memory_format=torch.channels_last), labels


def train(
    groups: list[tuple[list[TruthBoard], float]], steps: int, seed: int, out: Path
) -> SquaresNet:
    """Train on groups of boards, each with its share of the draws.

    The result is the running mean of the weights; it is written to ``out`` now and then.
    """
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    rng = np.random.default_rng(seed)
    network = SquaresNet().to(memory_format=torch.channels_last)  # a third faster here
    smooth = AveragedModel(network, multi_avg_fn=get_ema_multi_avg_fn(0.995), use_buffers=True)
    optimiser = torch.optim.AdamW(network.parameters(), lr=2e-3, weight_decay=1e-2)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, 4e-3, total_steps=steps, pct_start=0.1
    )
    boards = [board for group, _ in groups for board in group]
    weights = np.concatenate([weights_of(group, share) for group, share in groups if group])
    weights /= weights.sum()
    started, running = time.monotonic(), 0.0
    network.train()
    ahead = ThreadPoolExecutor(1)
    coming = ahead.submit(draw_batch, boards, weights, rng)
    for step in range(steps):
        crops, labels = coming.result()
        coming = ahead.submit(draw_batch, boards, weights, rng)
        logits, _ = network(crops)
        loss = torch.nn.functional.cross_entropy(logits, labels, label_smoothing=0.01)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        schedule.step()
        smooth.update_parameters(network)
        running += (loss.item() - running) * (0.02 if step > 50 else 0.2)
        if step % 200 == 0 or step == steps - 1:
            spent = time.monotonic() - started
            print(f"step {step}  loss {running:.4f}  {spent:.0f} s", flush=True)
            onnx.save(as_onnx(smooth.module), out)
    return smooth.module.eval()


def report(network: SquaresNet, boards: list[TruthBoard], title: str) -> None:
    """Print how often the network alone is right, at a line of one half, by source."""
    totals: dict[str, np.ndarray] = {}
    with torch.no_grad():
        for board in boards:
            logits = network(torch.from_numpy(plain_crops(board)))[0].numpy()
            labels = board.labels.ravel()
            known = labels >= 0
            seen = logits.argmax(1)
            occupied = (seen > 0) == (labels > 0)
            figures = [
                (occupied & known).sum(),
                known.sum(),
                (known & (labels == 2) & (seen == 2)).sum(),
                (labels == 2).sum(),
                (known & (labels != 2) & (seen == 2)).sum(),
            ]
            totals[board.source] = totals.get(board.source, np.zeros(5, int)) + np.array(figures)
    for source, figures in [
        *sorted(totals.items()),
        ("all", sum(totals.values(), np.zeros(5, int))),
    ]:
        right, known, kings, all_kings, false_kings = figures
        print(
            f"{title} {source}: occupied or not {right / max(known, 1):.4f} of {known}, "
            f"kings {kings} of {all_kings}, falsely {false_kings}"
        )


def main() -> None:
    """Read the options, train, write the model, report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--real", type=Path, help="folder with labels.json and real pictures")
    parser.add_argument("--stills", type=Path, help="folder of stills with truth, to report on")
    parser.add_argument(
        "--rendered", type=Path, nargs="*", default=[], help="folders of stills to learn from"
    )
    parser.add_argument("--drawn", type=int, default=1500, help="number of flat drawings")
    parser.add_argument(
        "--leave", nargs="*", default=[], help="sources not to learn from, reported apart"
    )
    parser.add_argument("--half", choices=("developing", "kept"), default="developing")
    parser.add_argument("--steps", type=int, default=2400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()

    rng = np.random.default_rng(options.seed)
    developing = options.half == "developing"
    entries = [e for e in real_entries(options.real) if (e.source in DEVELOP) == developing]
    real = load_boards(options.real, entries)
    learned = [b for b in real if b.source not in options.leave]
    left = [b for b in real if b.source in options.leave]
    rendered = [
        b for folder in options.rendered for b in load_boards(folder, still_entries(folder))
    ]
    drawn = [draw_board(rng, k) for k in range(options.drawn)]
    stills = (
        load_boards(options.stills, still_entries(options.stills)[::2]) if options.stills else []
    )
    print(
        f"{len(learned)} real boards, {len(rendered)} rendered, {len(drawn)} drawn, "
        f"{len(left)} left out"
    )
    groups = [(learned, 0.4), (drawn, 0.25), (rendered, 0.35)]
    given = [(group, share) for group, share in groups if group]
    network = train(given, options.steps, options.seed, options.out)
    for boards, title in ((learned, "learned"), (left, "left out"), (stills, "odd stills")):
        if boards:
            report(network, boards, title)


if __name__ == "__main__":
    main()
