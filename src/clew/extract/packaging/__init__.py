"""A trained model as a folder with its seed graph: written, found again, and as a wheel."""
