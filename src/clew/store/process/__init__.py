"""Child processes that run the embedded store's queries, so that the memory limit holds for any query."""
