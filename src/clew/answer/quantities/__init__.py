"""Words of a question that count, compare, set aside or choose among the names it has."""
