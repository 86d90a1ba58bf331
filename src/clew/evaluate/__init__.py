"""Answers held against gold: measures, statistics, benches and reports."""
