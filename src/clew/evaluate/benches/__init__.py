"""Questions with gold answers, and the graphs they are asked of."""
