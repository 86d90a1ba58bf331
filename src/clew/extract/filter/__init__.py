"""From tails to final triples: entity resolution, evidence sentences, filters, KGX."""
