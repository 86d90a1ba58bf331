"""From texts to stated facts in one step: names of the seed are found, a statement model judges every pair of them."""
