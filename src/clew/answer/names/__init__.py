"""The entities that a question names, and what each name may mean."""
