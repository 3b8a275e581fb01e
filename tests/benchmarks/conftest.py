import sys
from pathlib import Path

# The scripts under benchmarks/ are not installed; they are imported from the checkout.
ROOT = str(Path(__file__).resolve().parents[2])
if ROOT not in sys.path:
    sys.path.append(ROOT)
