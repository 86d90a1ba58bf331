"""A question → the plans it may mean, the likeliest first."""
