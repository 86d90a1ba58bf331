"""How right extraction is: BC5CDR and planted facts against gold, judged triples, and the baselines beside them."""
