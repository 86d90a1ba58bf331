"""What trained networks make of a question: its sketch, and which parts of a schema its words mean."""
