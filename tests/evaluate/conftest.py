"""Makes the `benchmarks` package of the repository importable: its recipes build the graphs of some benches."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
