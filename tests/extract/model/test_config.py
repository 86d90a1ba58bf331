"""Configs: presets, their JSON, and values that make no model."""

import json
from dataclasses import replace

import pytest

from clew.errors import InputError, UnknownName
from clew.extract.model.config import SIZES, make_config, paper_config, read_config


@pytest.mark.parametrize("size", SIZES)
def test_json_and_back(size: str) -> None:
    config = replace(make_config(size, vocabulary=300, relations=4), hgat=False, decay="logits", prefix=0.5)
    assert read_config(config.to_json()) == config


def test_the_papers_setting() -> None:
    config = paper_config(vocabulary=30_522, relations=28)
    assert (config.layers, config.width, config.heads, config.inner) == (12, 512, 8, 2048)
    assert (config.decay, config.decay_base, config.relation_dropout) == ("weights", 0.6, 0.3)
    assert (config.root_share, config.leaf_share, config.span_stop, config.leaf_weight) == (0.15, 0.15, 0.2, 1.0)
    assert (config.dropout, config.activation_dropout, config.attention_dropout) == (0.1, 0.1, 0.1)
    assert not config.positions
    assert not config.prefix
    assert not config.pre_norm
    assert config.biases
    assert config.gelu == "erf"


def test_a_model_from_before_a_switch_is_what_it_was() -> None:
    config = replace(make_config("tiny", vocabulary=300, relations=4), biases=True, gelu="erf")
    stated = json.loads(config.to_json())
    del stated["biases"], stated["gelu"]
    assert read_config(json.dumps(stated)) == config


def test_an_unknown_size_is_named() -> None:
    with pytest.raises(UnknownName, match="'huge': choose one of tiny, small, paper"):
        make_config("huge", vocabulary=300, relations=4)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("layers", 0),
        ("relations", 0),
        ("heads", 3),
        ("decay", "both"),
        ("gelu", "relu"),
        ("decay_base", 1.0),
        ("dropout", 1.0),
        ("relation_dropout", -0.1),
        ("leaf_share", 1.1),
        ("prefix", -1.0),
        ("span_stop", 0.0),
    ],
)
def test_what_makes_no_model_is_refused(name: str, value: object) -> None:
    with pytest.raises(InputError, match="no model can be made"):
        replace(make_config("tiny", vocabulary=300, relations=4), **{name: value})


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"vocabulary": 3, "relations": 1, "colour": "red"}'])
def test_json_that_is_no_config_is_refused(text: str) -> None:
    with pytest.raises(InputError, match=r"config\.json cannot be used"):
        read_config(text)
