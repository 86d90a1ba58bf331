"""The graphs that the questions of benchmarks/questions/unseen are put to, made from public packages and tables."""
