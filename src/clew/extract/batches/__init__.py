"""Training batches: which sequences meet in a batch, what is masked, and batches made ahead by workers."""
