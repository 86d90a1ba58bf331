"""The Cypher stores: loading, and the same questions asked of each."""
