"""How a graph lies on disk: mapped arrays, the manifest with its checksums, and the search for damage."""
