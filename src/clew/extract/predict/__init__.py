"""Prediction: queries for heads, what the model predicts, and tails with their confidence."""
