"""Token sequences: the tokenizer, packing, and the texts behind them."""
