"""Candidate ranking (fine-tuning): training examples with the mentions that may be the tail, and [NONE]."""
