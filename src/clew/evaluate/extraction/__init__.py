"""Evaluation of extraction: BC5CDR, held-out facts, calibrated judges, and baselines beside them."""
