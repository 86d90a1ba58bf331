"""AlzKB's questions over Hetionet: names, wording, gold as ids, coverage and scores."""
