"""The sketch of a question: what it says of which things, in its own words, before any schema is known."""
