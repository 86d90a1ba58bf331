"""`clew extract` and `clew statements`: one module a group of commands."""
