"""The edge: who gets in, what goes out, what is counted and logged."""
