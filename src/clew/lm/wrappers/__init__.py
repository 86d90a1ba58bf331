"""Wrappers around any client: accounting, budgets, replay, retries, time limits."""
