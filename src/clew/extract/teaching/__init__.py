"""Teaching a pre-trained model to weigh given tails: which mention of the text is asked for, or that none is."""
