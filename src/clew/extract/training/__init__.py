"""Pre-training: steps, optimiser, throughput, and the training stages of a run."""
