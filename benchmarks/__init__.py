"""The benchmarks that `clew bench` runs: outside the package, equality first, then ratios side by side in one run.

khop, batch and cost are the runs; graphs makes the data, peers are the other libraries, statistics the figures.
"""
