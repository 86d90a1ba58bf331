"""Questions in English: gold worked out from raw files, aliases, and what a language model adds."""
