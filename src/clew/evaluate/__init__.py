"""Evaluation against gold: measures, statistics, benchmarks, runner and reports."""
