"""A WordPiece vocabulary of a few words and of every letter, for tests."""

import string

from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer

from clew.extract.sequences.vocabulary import Vocabulary

SPECIALS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "[END]", "[NONE]")
WORDS = (
    "fever", "liver", "disease", "fibrosis", "insulin", "resistance", "diabetes", "mellitus", "type", "of", "the",
    "hepat", "##itis", "##ic", "non", "alcohol", "fatty", "il", "aspirin", "pain", "acute", "kidney", "failure",
)  # fmt: skip
LETTERS = string.ascii_lowercase + string.digits
SIGNS = "-/'’.:()[]{},;%"


def make_tokenizer() -> Tokenizer:
    pieces = (*SPECIALS, *WORDS, *LETTERS, *(f"##{letter}" for letter in LETTERS), *SIGNS)
    tokenizer = Tokenizer(WordPiece({piece: number for number, piece in enumerate(pieces)}, unk_token="[UNK]"))
    tokenizer.normalizer = BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = BertPreTokenizer()
    return tokenizer


def make_vocabulary() -> Vocabulary:
    return Vocabulary(make_tokenizer())
