"""Graphs that benchmarks need, made from public packages or from a seed."""
