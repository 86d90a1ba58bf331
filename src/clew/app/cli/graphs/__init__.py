"""Commands that make, show, check and convert graphs."""
