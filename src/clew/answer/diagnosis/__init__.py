"""From findings to diagnoses: profiles of a graph's diagnoses, a ranker without a model, and two rounds with one."""
