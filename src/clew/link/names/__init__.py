"""The name index: ids, names and synonyms as sorted arrays, strings, trigrams and a trie of words."""
