"""Commands that read words: questions, Cypher, names in text, and the words of a graph."""
