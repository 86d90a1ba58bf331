"""A graph of the size of the LogosKG paper's largest, built in bounded memory and walked from disk."""
