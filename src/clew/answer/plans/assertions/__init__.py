"""Conditions on the assertions behind a plan: their sources, days, shares and other qualifiers."""
