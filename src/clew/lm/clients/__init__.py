"""The clients: ways to reach a language model. They are loaded by name through `clew.lm.CLIENTS`."""
