"""Entry point of the command line: `crownhead` and `python -m crownhead`."""

import io
import os
import sys

from crownhead.cli import run


def main() -> None:
    """Run the command line and leave with its exit code."""
    # Our matrices are small: more threads for them only get in each other's way.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Names of files may hold bytes that are no text, and terminals may not know every sign; both
    # are then spelled out, in the way that JSON reads, too.
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    code = run(sys.argv[1:])
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        # What a reader that went away has left over is not to fail once more at the very end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)


if __name__ == "__main__":
    main()
