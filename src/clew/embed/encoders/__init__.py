"""The encoders: each turns texts into vectors in its own way."""
