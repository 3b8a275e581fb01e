"""Train the network that reads squares, and write it as ONNX.

Run it from a checkout, in an environment with torch, onnx, numpy and OpenCV:

    PYTHONPATH=. python benchmarks/train_squares/train.py --real FOLDER --rendered FOLDER... \
        --out vision/squares.onnx --kept-out KEPT.onnx

First a base is trained on rendered and drawn boards alone. From it two networks go on with real
pictures among them: the one to ship with the developing half of the sources, and one with the
other half, which is judged on the developing half and never shipped.
"""

import argparse
import copy
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import numpy as np
import onnx
import torch
from augment import changed
from boards import TruthBoard, load_boards, real_entries, still_entries
from network import SquaresNet, as_onnx
from numpy.random import Generator
from procedural import draw_board
from sources import DEVELOP
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

BOARDS_PER_STEP = 4
ALONE_COUNTS = 0.3
SIDES_COUNT = 0.5
REAL_SHARE = 0.35
DRAWN_SHARE = 0.12
REFILL = 200
"""Steps after which the folders are looked through again."""

Batch = tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """Boards to draw from, and how likely each is drawn; the chances sum to 1."""

    boards: list[TruthBoard]
    chances: np.ndarray


@dataclass(frozen=True, slots=True, eq=False)
class Rendered:
    """Folders of rendered stills; what has been read is kept."""

    folders: tuple[Path, ...]
    kept: dict[Path, TruthBoard] = field(default_factory=dict)

    def boards(self) -> list[list[TruthBoard]]:
        """Return the boards of each folder that are there by now."""
        for folder in self.folders:
            there = [e for e in still_entries(folder) if folder / e.file not in self.kept]
            self.kept.update((folder / b.name, b) for b in load_boards(folder, there))
        return [[b for p, b in self.kept.items() if p.parent == folder] for folder in self.folders]


def pool(groups: list[tuple[list[TruthBoard], float]]) -> Pool:
    """Join groups of boards, each with its share of the draws."""
    given = [(boards, share) for boards, share in groups if boards]
    chances = np.concatenate([chances_of(boards, share) for boards, share in given])
    return Pool([b for boards, _ in given for b in boards], chances / chances.sum())


def chances_of(boards: list[TruthBoard], share: float) -> np.ndarray:
    """Return chances that sum to ``share``; a source counts by the root of its size."""
    sizes = {s: sum(b.source == s for b in boards) for s in {b.source for b in boards}}
    chances = np.array([sizes[b.source] ** -0.5 for b in boards])
    return chances / chances.sum() * share


def draw_batch(pool: Pool, rng: Generator) -> Batch:
    """Return views, labels, sides and weights of some boards of one size, changed at random."""
    sizes = np.array([b.size for b in pool.boards])
    size = pool.boards[int(rng.choice(len(pool.boards), p=pool.chances))].size
    chances = np.where(sizes == size, pool.chances, 0.0)
    chosen = rng.choice(len(pool.boards), BOARDS_PER_STEP, p=chances / chances.sum())
    examples = [changed(pool.boards[i], rng) for i in chosen]
    views = torch.from_numpy(np.stack([e.view for e in examples]))
    return (
        views.contiguous(memory_format=torch.channels_last),
        torch.from_numpy(np.stack([e.labels for e in examples])),
        torch.from_numpy(np.stack([e.sides for e in examples])),
        torch.from_numpy(np.stack([e.weights for e in examples])),
    )


def loss_of(told: torch.Tensor, batch: Batch) -> torch.Tensor:
    """Return the mean loss of outputs (n, squares, 4); which side is called which is free."""
    _, labels, sides, weights = batch
    each = cross_entropy(
        told[..., :3].flatten(0, 1),
        labels.flatten(),
        ignore_index=-1,
        reduction="none",
        label_smoothing=0.01,
    ).view(labels.shape)
    contents = (each * weights).sum() / weights.sum()
    men = (sides >= 0).float()
    ways = torch.stack(
        [
            (binary_cross_entropy_with_logits(told[..., 3], wanted, reduction="none") * men).sum(1)
            for wanted in (sides.clamp(min=0), 1 - sides.clamp(min=0))
        ]
    )
    return contents + SIDES_COUNT * ways.min(0).values.sum() / men.sum().clamp(min=1)


def train(
    network: SquaresNet,
    pool_now: Callable[[], Pool],
    *,
    steps: int,
    rate: float,
    seed: int,
    out: Path,
) -> SquaresNet:
    """Train a network further.

    The result is the running mean of the weights; it is written to ``out`` now and then, and
    ``pool_now`` asked again, so that more boards may be rendered beside the training.
    """
    pool = pool_now()
    rng = np.random.default_rng(seed)
    torch.manual_seed(seed)
    network = copy.deepcopy(network).to(memory_format=torch.channels_last)
    smooth = AveragedModel(network, multi_avg_fn=get_ema_multi_avg_fn(0.99), use_buffers=True)
    optimiser = torch.optim.AdamW(network.parameters(), lr=rate, weight_decay=2e-2)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, rate, total_steps=steps, pct_start=0.1
    )
    started, running = time.monotonic(), 0.0
    network.train()
    ahead = ThreadPoolExecutor(1)
    coming = ahead.submit(draw_batch, pool, rng)
    for step in range(steps):
        batch = coming.result()
        if step % REFILL == REFILL - 1:
            pool = pool_now()
        coming = ahead.submit(draw_batch, pool, rng)
        judged, alone = network(batch[0])
        loss = loss_of(judged, batch) + ALONE_COUNTS * loss_of(alone, batch)
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 2.0)
        optimiser.step()
        schedule.step()
        smooth.update_parameters(network)
        running += (loss.item() - running) * (0.02 if step > 50 else 0.2)
        if step % 100 == 0 or step == steps - 1:
            spent = time.monotonic() - started
            print(f"step {step}  loss {running:.4f}  {spent:.0f} s", flush=True)
            torch.save(smooth.module.state_dict(), out.with_suffix(".pt"))
            onnx.save(as_onnx(smooth.module), out)
    return smooth.module.eval()


def main() -> None:
    """Read the options, train, write the models."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--real", type=Path, help="folder with labels.json and real pictures")
    parser.add_argument("--rendered", type=Path, nargs="+", help="folders of rendered stills")
    parser.add_argument("--drawn", type=int, default=400, help="number of flat drawings")
    parser.add_argument("--base", type=Path, help="weights (.pt) to start from, in place of a base")
    parser.add_argument("--start", type=Path, help="weights (.pt) of a base that was broken off")
    parser.add_argument("--steps", type=int, default=2600, help="of the base")
    parser.add_argument("--rate", type=float, default=2e-3, help="highest, of the base")
    parser.add_argument("--real-steps", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--kept-out", type=Path, help="of the network that is never shipped")
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(options.seed)

    rng = np.random.default_rng(options.seed)
    drawn = [draw_board(rng, k) for k in range(options.drawn)]
    folders = Rendered(tuple(options.rendered))

    def mixed(real: list[TruthBoard]) -> Pool:
        share = REAL_SHARE if real else 0.0
        kinds = folders.boards()
        roots = [len(boards) ** 0.5 for boards in kinds]
        print(f"{len(real)} real, {sum(map(len, kinds))} rendered, {len(drawn)} drawn", flush=True)
        own = (1 - share) * (1 - DRAWN_SHARE)
        parts = [own * root / max(sum(roots), 1) for root in roots]
        drawn_share = (1 - share) * DRAWN_SHARE
        return pool([(real, share), (drawn, drawn_share), *zip(kinds, parts, strict=True)])

    network = SquaresNet()
    if options.base:
        network.load_state_dict(torch.load(options.base))
    else:
        if options.start:
            network.load_state_dict(torch.load(options.start))
        base = options.out.with_name(options.out.stem + "_base.onnx")
        network = train(
            network,
            lambda: mixed([]),
            steps=options.steps,
            rate=options.rate,
            seed=options.seed,
            out=base,
        )
    for out, developing in ((options.out, True), (options.kept_out, False)):
        if options.real is None or out is None:
            continue
        entries = [e for e in real_entries(options.real) if (e.source in DEVELOP) == developing]
        real = load_boards(options.real, entries)
        train(
            network,
            partial(mixed, real),
            steps=options.real_steps,
            rate=1e-3,
            seed=options.seed,
            out=out,
        )


if __name__ == "__main__":
    main()
