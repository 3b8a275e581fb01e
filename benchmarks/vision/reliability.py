"""Draw how often moves were right that were given one confidence.

    python -m benchmarks.vision.reliability GAMES.json [GAMES.json ...] --out PLOT.svg

GAMES.json are what `benchmarks/vision/games.py --json` writes. Bars are 95 % intervals
(E. B. Wilson, 'Probable inference, the law of succession, and statistical inference', 1927).
"""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path

from benchmarks.vision.games import reliability

EDGE, MARGIN = 360, 56
LEAST = 0.8
STYLE = (
    "text{font:12px sans-serif;fill:#222}line,path{stroke:#888;fill:none}"
    ".bar{stroke:#1565c0;stroke-width:2}circle{fill:#1565c0}rect{fill:#fff}"
    "@media(prefers-color-scheme:dark){text{fill:#ddd}rect{fill:#161616}"
    ".bar{stroke:#64b5f6}circle{fill:#64b5f6}}"
)


def wilson(right: float, count: int) -> tuple[float, float]:
    """Return the 95 % interval of a share seen ``count`` times."""
    z = 1.96
    middle = right + z * z / (2 * count)
    half = z * math.sqrt(right * (1 - right) / count + z * z / (4 * count * count))
    whole = 1 + z * z / count
    return (middle - half) / whole, (middle + half) / whole


def plot(rows: list[tuple[float, float, int]]) -> str:
    """Return an SVG of (confidence, share right, how many)."""

    def x(value: float) -> float:
        return MARGIN + (max(value, LEAST) - LEAST) / (1 - LEAST) * EDGE

    def y(value: float) -> float:
        return MARGIN / 2 + EDGE - (max(value, LEAST) - LEAST) / (1 - LEAST) * EDGE

    size = EDGE + 2 * MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size} {size}" '
        f'width="{size}" height="{size}" role="img" '
        'aria-label="Share of moves that were right, by the confidence given">',
        f"<style>{STYLE}</style>",
        f'<rect width="{size}" height="{size}"/>',
        f'<path d="M{x(LEAST)} {y(LEAST)}L{x(1)} {y(1)}" stroke-dasharray="4 4"/>',
        f'<path d="M{x(LEAST)} {y(1)}V{y(LEAST)}H{x(1)}"/>',
    ]
    for step in range(5):
        value = LEAST + step * (1 - LEAST) / 4
        parts.append(
            f'<text x="{x(value)}" y="{y(LEAST) + 18}" text-anchor="middle">{value:.2f}</text>'
            f'<text x="{MARGIN - 6}" y="{y(value) + 4}" text-anchor="end">{value:.2f}</text>'
        )
    for value, right, count in rows:
        low, high = wilson(right, count)
        beside = 10 if value < 0.97 else -10
        anchor = "start" if value < 0.97 else "end"
        parts.append(
            f'<line class="bar" x1="{x(value)}" x2="{x(value)}" y1="{y(low)}" y2="{y(high)}"/>'
            f'<circle cx="{x(value)}" cy="{y(right)}" r="4"/>'
            f'<text x="{x(value) + beside}" y="{y(right) + 22}" text-anchor="{anchor}">'
            f"{right:.4f} of {count}</text>"
        )
    middle = MARGIN + EDGE / 2
    parts.append(
        f'<text x="{middle}" y="{size - 32}" text-anchor="middle">confidence given</text>'
        f'<text transform="translate(14 {MARGIN / 2 + EDGE / 2}) rotate(-90)" '
        'text-anchor="middle">share right</text></svg>'
    )
    return "\n".join(parts) + "\n"


def main() -> None:
    """Write the plot."""
    parser = argparse.ArgumentParser(description="Draw the reliability of confidences.")
    parser.add_argument("games", type=Path, nargs="+")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    scores = [clip for path in options.games for clip in json.loads(path.read_text())["clips"]]
    options.out.write_text(plot(reliability(scores)), encoding="utf-8")


if __name__ == "__main__":
    main()
