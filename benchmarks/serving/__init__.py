"""How many requests a server answers, beside a constant handler and a plain peer."""
