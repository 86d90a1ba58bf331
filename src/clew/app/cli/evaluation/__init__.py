"""`clew eval`: one module a command."""
