"""The graphs that benches are asked of, built from a folder of public data sets."""
