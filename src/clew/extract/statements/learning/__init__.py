"""Training of statement models: masked words, gold, self-training; needs torch."""
