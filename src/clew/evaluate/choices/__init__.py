"""Multiple-choice questions made from any graph, and how strategies and baselines answer them."""
