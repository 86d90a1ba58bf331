"""How sure an answer is, from evidence for and against the way its question was read."""
