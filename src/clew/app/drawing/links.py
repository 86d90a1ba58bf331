"""Web addresses of ids and citations; unknown ones are shown without a link."""

from urllib.parse import quote, urlsplit

__all__ = ["link"]

PAGES = {
    "PMID": "https://pubmed.ncbi.nlm.nih.gov/{}/",
    "PMC": "https://pmc.ncbi.nlm.nih.gov/articles/PMC{}/",
    "DOI": "https://doi.org/{}",
    "HP": "https://hpo.jax.org/browse/term/HP:{}",
    "OMIM": "https://omim.org/entry/{}",
    "ORPHA": "https://www.orpha.net/en/disease/detail/{}",
    "NCBIGene": "https://www.ncbi.nlm.nih.gov/gene/{}",
}


def link(text: str) -> str | None:
    """The address of an id or citation; only http and https are allowed.

    >>> link("PMID:1301946")
    'https://pubmed.ncbi.nlm.nih.gov/1301946/'
    """
    prefix, colon, local = text.partition(":")
    if colon and local and prefix in PAGES:
        return PAGES[prefix].format(quote(local.strip(), safe="/.-_"))
    if prefix in ("http", "https") and local.startswith("//") and not any(c.isspace() for c in text):
        try:
            return text if urlsplit(text).netloc else None
        except ValueError:
            return None
    return None
