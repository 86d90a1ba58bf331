"""Triton kernels of the model. Import its modules where triton may be loaded."""
