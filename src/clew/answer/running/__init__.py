"""A plan → rows from a store, with the triples behind them."""
