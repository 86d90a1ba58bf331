"""Plans and answers in plain English."""
