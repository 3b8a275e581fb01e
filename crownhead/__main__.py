"""Entry point of the command line: `crownhead` and `python -m crownhead`."""

import os
import sys

from crownhead.cli import run


def main() -> None:
    """Run the command line and leave with its exit code."""
    # Our matrices are small: more threads for them only get in each other's way.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
