"""Single hops, batches and the cost of use: Clew and its peers on the same graphs and queries."""
