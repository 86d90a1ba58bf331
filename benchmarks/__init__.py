"""The benchmarks of a source checkout, in folders by subject; `clew bench` runs those that it lists.

Equality comes first, then ratios side by side in one run. LOG.md keeps what did not work, results/ the raw figures.
"""
