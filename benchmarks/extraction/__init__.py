"""The extraction model: fused kernels checked, and training speed beside a naive version."""
