"""Text embeddings and nearest-neighbour search.

>>> from clew.embed import open_encoder
>>> open_encoder("word2vec")
Traceback (most recent call last):
...
clew.errors.UnknownName: no encoder is called 'word2vec': known: minilm, sentence-transformers, openai
"""

from clew.embed.build import build_index
from clew.embed.cached import CachedEncoder
from clew.embed.encoder import Encoder
from clew.embed.index import Nearest, VectorIndex
from clew.embed.opening import ENCODERS, open_encoder

__all__ = ["ENCODERS", "CachedEncoder", "Encoder", "Nearest", "VectorIndex", "build_index", "open_encoder"]
