"""One step of training: the losses and gradients of some batches, then the optimiser.

On CUDA with batches of one shape the whole step is recorded once and replayed as one graph: launching some thousand
small kernels one by one takes the processor longer than the GPU needs to run them.
"""

from collections.abc import Sequence

import torch
from torch import distributed, nn

from clew.errors import InputError
from clew.extract.batches.batch import Batch, Layout, Packed
from clew.extract.training.optimiser import set_rate

__all__ = ["CapturedStep", "Step"]

WARM_UP = 3  # steps that run as they are before one is recorded: code is compiled in them, and state allocated


class Step:
    """Takes batches, changes the model, gives the sums of losses; never waits for the device."""

    def __init__(
        self,
        model: nn.Module,
        optimiser: torch.optim.Optimizer,
        *,
        leaf_weight: float,
        clip: float,
        bfloat16: bool,
        device: torch.device,
        ranks: int = 1,
    ) -> None:
        self.model, self.optimiser, self.device, self.ranks = model, optimiser, device, ranks
        self.leaf_weight, self.clip, self.bfloat16 = leaf_weight, clip, bfloat16

    def take(self, group: Sequence[Packed], *, seed: int, rate: float) -> torch.Tensor:
        """One step over some batches, with dropout drawn from `seed`; the summed losses of this process: (3,)."""
        torch.manual_seed(seed)
        set_rate(self.optimiser, rate)
        return self.work([Batch.unpack(packed, self.device) for packed in group])

    def work(self, batches: Sequence[Batch]) -> torch.Tensor:
        """What is done on the device, with nothing in it that waits for a result."""
        self.optimiser.zero_grad(set_to_none=True)
        masked = torch.stack([batch.masked for batch in batches]).sum(0).float()  # (2,) roots, leaf slots
        if self.ranks > 1:
            distributed.all_reduce(masked)
        share = 1 / masked.clamp(min=1)
        sums = torch.zeros(3, device=self.device)
        for batch in batches:
            with torch.autocast(self.device.type, torch.bfloat16, enabled=self.bfloat16):
                losses = self.model(batch)
            (losses[:2].sum() * share[0] + self.leaf_weight * losses[2] * share[1]).backward()
            sums += losses.detach()
        if self.ranks > 1:
            self._share_gradients()
        nn.utils.clip_grad_norm_(self.model.parameters(), self.clip)
        self.optimiser.step()
        return sums

    def _share_gradients(self) -> None:
        gradients = [parameter.grad for parameter in self.model.parameters() if parameter.grad is not None]
        flat = torch.cat([gradient.flatten() for gradient in gradients])
        distributed.all_reduce(flat)
        for gradient, part in zip(gradients, flat.split([g.numel() for g in gradients]), strict=True):
            gradient.copy_(part.view_as(gradient))


class CapturedStep(Step):
    """The same as a CUDA graph: batches are copied to where the recorded step reads them."""

    graph: torch.cuda.CUDAGraph | None = None
    taken = 0

    def take(self, group: Sequence[Packed], *, seed: int, rate: float) -> torch.Tensor:
        torch.manual_seed(seed)
        set_rate(self.optimiser, rate)
        if not self.taken:
            self.aside = torch.cuda.Stream(self.device)
            self.layout: Layout = group[0].layout
            self.inputs = [packed.buffer.to(self.device) for packed in group]
        if len(group) != len(self.inputs) or any(packed.layout != self.layout for packed in group):
            raise InputError("a recorded step takes batches of one layout, as many each time")
        for place, packed in zip(self.inputs, group, strict=True):
            place.copy_(packed.buffer, non_blocking=True)
        self.taken += 1
        if self.graph is None and self.taken <= WARM_UP:
            return self._work_aside()
        if self.graph is None:
            self._record()
        assert self.graph is not None
        self.graph.replay()
        return self.sums

    def _batches(self) -> list[Batch]:
        return [Batch.view(place, self.layout) for place in self.inputs]

    def _work_aside(self) -> torch.Tensor:
        """A step on a stream apart, as recording will be; always the same one, since memory is kept by stream."""
        self.aside.wait_stream(torch.cuda.current_stream(self.device))
        with torch.cuda.stream(self.aside):
            sums = self.work(self._batches())
        torch.cuda.current_stream(self.device).wait_stream(self.aside)
        return sums

    def _record(self) -> None:
        self.optimiser.zero_grad(set_to_none=True)
        torch.cuda.synchronize(self.device)
        self.graph = torch.cuda.CUDAGraph()
        # Only this thread's calls are watched while recording: the loader's thread goes on pinning memory meanwhile.
        with torch.cuda.graph(self.graph, capture_error_mode="thread_local"):
            self.sums = self.work(self._batches())
