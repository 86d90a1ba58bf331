"""What a model wrote nearly rightly, read as it is meant: statements and plans, each repair an idea of its own."""
