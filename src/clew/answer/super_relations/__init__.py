"""Search over groups of relations (super-relations): grouping, absence, the search, its scorers, and ToG beside it."""
