"""The whole model: shapes, what reaches what, and that it learns."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch.nn import functional

from clew.extract.batches.batch import Batch, collate
from clew.extract.batches.masking import NOTHING, draw_leaves
from clew.extract.chains.graphs import MASK, SLOTS, Chains
from clew.extract.model.config import SIZES, Config, Gelu, make_config, paper_config
from clew.extract.model.distances import decay, distances, make_places
from clew.extract.model.graphmert import GraphMert, count_parameters
from random_chains import make_chains

CONFIG = make_config("tiny", vocabulary=60, relations=3)
CPU = torch.device("cpu")


def batch_of(chains: Chains, config: Config, sequences: np.ndarray | None = None) -> Batch:
    chosen = np.arange(len(chains)) if sequences is None else sequences
    return Batch.unpack(collate(chains, chosen, config, seed=0, epoch=0), CPU)


def make_model(config: Config) -> GraphMert:
    torch.manual_seed(0)
    return GraphMert(config).eval()


def test_shapes() -> None:
    chains = make_chains(4, seed=1)
    model, batch = make_model(CONFIG), batch_of(chains, CONFIG)
    assert model.encode(batch).shape == (len(batch.tokens), 64)
    found = model.log_probabilities(batch, batch.root_index)
    assert found.shape == (len(batch.root_index), 60)
    assert torch.allclose(found.exp().sum(-1), torch.ones(len(found)), atol=1e-5)
    assert model(batch).shape == (3,)


@pytest.mark.parametrize(("size", "millions"), [("tiny", 0.02), ("small", 25), ("paper", 60)])
def test_sizes(size: str, millions: float) -> None:
    config = make_config(size, vocabulary=60 if size == "tiny" else 30_522, relations=1 if size == "tiny" else 28)
    with torch.device("meta"):
        model = GraphMert(config)
    assert count_parameters(model) == pytest.approx(1e6 * millions, rel=5 if size == "tiny" else 0.1)
    layer = 4 * config.width**2 + 2 * config.width * config.inner
    assert count_parameters(model, embeddings=False) == pytest.approx(
        config.layers * layer, rel=0.02 if size != "tiny" else 0.1
    )
    assert set(SIZES) == {"tiny", "small", "paper"}


@pytest.mark.parametrize("pre_norm", [True, False])
def test_packed_is_each_sequence_alone(pre_norm: bool) -> None:
    config = replace(CONFIG, pre_norm=pre_norm)
    chains = make_chains(6, seed=2)
    model = make_model(config)
    batch = batch_of(chains, config)
    together = model.encode(batch)
    for sequence in range(6):
        alone = model.encode(batch_of(chains, config, np.array([sequence])))
        begin, end = batch.offsets[sequence], batch.offsets[sequence + 1]
        assert torch.allclose(together[begin:end], alone, atol=1e-5)


@pytest.mark.parametrize(("biases", "gelu"), [(True, "erf"), (False, "tanh")])
def test_the_encoder_is_its_layers_written_out(biases: bool, gelu: Gelu) -> None:
    config = replace(CONFIG, biases=biases, gelu=gelu)
    model, batch = make_model(config), batch_of(make_chains(1, seed=2), config)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.1 * torch.randn_like(parameter))  # norms and biases are not where they began
    x = model.embedding(batch, None)
    places = make_places(batch.position, batch.slot)
    fade = decay(distances(places), model.p, config.decay_base)
    size = config.head_width
    for layer in model.encoder.layers:
        mixed = []
        for head in layer.qkv(layer.attention_norm(x)).view(len(x), 3, config.heads, size).unbind(2):
            query, key, value = head.unbind(1)
            mixed.append((torch.softmax(query @ key.T / size**0.5, -1) * fade) @ value)
        x = x + layer.mix(torch.cat(mixed, -1))
        inner = layer.widen(layer.inner_norm(x))
        x = x + layer.narrow(functional.gelu(inner, approximate="tanh" if gelu == "tanh" else "none"))
    norm = model.encoder.norm
    expected = functional.layer_norm(x, (config.width,), norm.weight, norm.bias)
    assert torch.allclose(model.encode(batch), expected, atol=1e-4)
    assert any(name.endswith("bias") for name, _ in model.encoder.named_parameters()) == biases


def test_a_masked_leafs_own_tokens_never_reach_its_prediction() -> None:
    config = replace(CONFIG, leaf_share=0.5, prefix=0.0)
    chains = make_chains(24, seed=3, leaves=1)
    leaves = draw_leaves(chains, np.arange(24), config, seed=0, epoch=0)
    masked = (leaves.targets != NOTHING).any(axis=1)
    assert masked.any()
    assert not masked.all()
    rows = np.flatnonzero(np.isin(chains.leaf_sequence, leaves.sequence[masked]))
    tail, length = chains.tail.copy(), chains.tail_length.copy()
    random = np.random.default_rng(0)
    length[rows] = 1 + length[rows] % SLOTS  # another length,
    fresh = random.integers(7, 60, (len(rows), SLOTS))  # and other tokens
    tail[rows] = np.where(np.arange(SLOTS) < length[rows, None], fresh, 0)
    other = replace(chains, tail=tail, tail_length=length)

    model = make_model(config)
    encodings = []
    for each in (chains, other):
        batch = batch_of(each, config)
        slots = torch.nonzero((batch.tokens == MASK) & (batch.slot > 0)).flatten()
        encodings.append(model.log_probabilities(batch, slots))
    assert torch.equal(*encodings)
    assert len(encodings[0]) == SLOTS * int(masked.sum())


def test_visible_leaves_roots_relation_and_head_do_reach_it() -> None:
    config = replace(CONFIG, leaf_share=1.0, prefix=0.0, root_share=0.0)
    chains = make_chains(1, seed=3, leaves=1)
    chains = replace(
        chains,
        leaf_sequence=np.array([0]),
        leaf_root=np.array([5]),
        head_first=np.array([5]),
        head_last=np.array([7]),
        leaf_relation=np.array([0]),
        tail=np.array([[9, 0, 0, 0, 0, 0, 0]]),
        tail_length=np.array([1]),
    )
    model = make_model(config)

    def predict(each: Chains) -> torch.Tensor:
        batch = batch_of(each, config)
        return model.log_probabilities(batch, batch.leaf_index)

    before = predict(chains)
    roots = chains.roots.copy()
    roots[100] = 7 + (roots[100] - 6) % 50
    assert not torch.equal(before, predict(replace(chains, roots=roots)))
    assert not torch.equal(before, predict(replace(chains, leaf_relation=np.array([1]))))
    assert not torch.equal(before, predict(replace(chains, head_last=np.array([8]))))
    blind = make_model(replace(config, hgat=False))
    batch = batch_of(chains, config)
    moved = batch_of(replace(chains, leaf_relation=np.array([1])), config)
    same = [blind.log_probabilities(each, each.leaf_index) for each in (batch, moved)]
    assert torch.equal(*same)  # without H-GAT the relation is not seen


def test_positions_tell_slots_apart_and_the_papers_setting_does_not() -> None:
    chains = make_chains(5, seed=3, leaves=2)
    for config, apart in ((CONFIG, True), (paper_config(vocabulary=60, relations=3, size="tiny"), False)):
        config = replace(config, leaf_share=1.0, prefix=0.0)
        model, batch = make_model(config), batch_of(chains, config)
        slots = torch.nonzero(batch.slot > 0).flatten()[:SLOTS]
        found = model.log_probabilities(batch, slots)
        assert (not torch.allclose(found[0], found[1], atol=1e-5)) == apart


def test_every_parameter_learns() -> None:
    config = replace(CONFIG, leaf_share=0.5)
    model = make_model(config).train()
    model(batch_of(make_chains(8, seed=2), config)).sum().backward()
    still = [name for name, p in model.named_parameters() if p.grad is None or not p.grad.abs().sum() > 0]
    assert not still


def test_one_batch_is_learnt_by_heart() -> None:
    config = replace(CONFIG, leaf_share=1.0, prefix=0.0, dropout=0.0, activation_dropout=0.0, relation_dropout=0.0)
    chains = make_chains(8, seed=5, leaves=4, longest=24)
    model, batch = make_model(config).train(), batch_of(chains, config)
    assert len(batch.leaf_target) > 50
    optimiser = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for _ in range(150):
        losses = model(batch)
        (losses[2] / len(batch.leaf_target)).backward()
        optimiser.step()
        optimiser.zero_grad()
    found = model.eval().log_probabilities(batch, batch.leaf_index).argmax(-1)
    assert (found == batch.leaf_target).float().mean() > 0.99
