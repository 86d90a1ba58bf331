"""AdamW over a model's parameters, its learning rate over time, and its state as plain tensors."""

import math

import torch

from clew.extract.model.graphmert import GraphMert

__all__ = ["load_state", "make_optimiser", "rate_at", "save_state", "set_rate"]

BETAS = (0.9, 0.98)  # as RoBERTa
EPSILON = 1e-6


def make_optimiser(
    model: GraphMert, *, weight_decay: float, fused: bool, capturable: bool = False
) -> torch.optim.AdamW:
    """AdamW that shrinks matrices only: not biases, norms or p. A `capturable` one keeps its rate on the device."""
    parameters = list(model.parameters())
    groups = [
        {"params": [parameter for parameter in parameters if parameter.dim() >= 2], "weight_decay": weight_decay},
        {"params": [parameter for parameter in parameters if parameter.dim() < 2], "weight_decay": 0.0},
    ]
    rate = torch.zeros((), device=parameters[0].device) if capturable else 0.0
    return torch.optim.AdamW(groups, lr=rate, betas=BETAS, eps=EPSILON, fused=fused, capturable=capturable)


def set_rate(optimiser: torch.optim.Optimizer, rate: float) -> None:
    """Set the learning rate, in place where it lies on the device."""
    for group in optimiser.param_groups:
        if isinstance(group["lr"], torch.Tensor):
            group["lr"].fill_(rate)
        else:
            group["lr"] = rate


def rate_at(step: int, steps: int, rate: float, last_rate: float, warm_up: int) -> float:
    """The learning rate of a step: up in a line (over a tenth of all steps at most), then down along a cosine."""
    warm_up = max(1, min(warm_up, steps // 10))
    if step < warm_up:
        return rate * (step + 1) / warm_up
    done = (step - warm_up) / max(1, steps - 1 - warm_up)
    return last_rate + (rate - last_rate) * 0.5 * (1 + math.cos(math.pi * min(1.0, done)))


def save_state(optimiser: torch.optim.AdamW) -> dict[str, torch.Tensor]:
    """The optimiser's state, named by the number of its parameter."""
    state = optimiser.state_dict()["state"]
    return {f"{number}.{name}": tensor for number, parts in state.items() for name, tensor in parts.items()}


def load_state(optimiser: torch.optim.AdamW, saved: dict[str, torch.Tensor]) -> None:
    """Put a saved state back."""
    state: dict[int, dict[str, torch.Tensor]] = {}
    for key, tensor in saved.items():
        number, name = key.split(".", 1)
        state.setdefault(int(number), {})[name] = tensor
    optimiser.load_state_dict({"state": state, "param_groups": optimiser.state_dict()["param_groups"]})
