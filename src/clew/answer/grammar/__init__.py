"""The grammar of a question: dependency trees, their clauses, and the plans that these propose."""
