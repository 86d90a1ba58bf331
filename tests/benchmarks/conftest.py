"""Makes the `benchmarks` package of the repository importable."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
