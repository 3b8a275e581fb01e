"""How long the game waits for lights whose board does not read; prints one line.

Run: .venv/bin/python benchmarks/hardware/stuck_port.py
"""

import os
import pty
import statistics
import time
from contextlib import closing

from crownhead.hardware.lights import open_lights
from crownhead.hardware.plan import LightPlan, Meaning

CALLS = 1000


def main() -> None:
    """Show a thousand plans on a port that nobody reads, and say how long each call took."""
    _, slave = pty.openpty()
    took_ms = []
    with closing(open_lights(os.ttyname(slave), 10)) as lights:
        for n in range(CALLS):
            plan = LightPlan((((n // 10 % 10, n % 10), Meaning.ILLEGAL),))
            begin = time.perf_counter()
            lights.show(plan)
            took_ms.append(1000 * (time.perf_counter() - begin))
            time.sleep(0.005)
        print(
            f"{CALLS} calls of show: median {statistics.median(took_ms):.3f} ms, "
            f"longest {max(took_ms):.1f} ms; the port in the end: {lights.state.value}"
        )


if __name__ == "__main__":
    main()
