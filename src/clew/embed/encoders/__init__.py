"""The encoder implementations."""
