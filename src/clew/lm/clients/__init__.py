"""The clients of language models, loaded by name through `clew.lm.CLIENTS`."""
