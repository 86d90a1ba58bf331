"""A question → the lines of a graph that concern it: linked entities, their neighbourhood, ranked, within a budget."""
