"""Questions with their sketches, and the training of the parser that writes them."""
