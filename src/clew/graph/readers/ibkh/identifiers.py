"""Identifiers as iBKH writes them to CURIEs: DrugBank:DB00843, MeSH:D000544, a bare C0002395, several in one field."""

import re

__all__ = ["cross_references", "entity_curie", "separate"]

PREFIXES = {  # by small letters; any other prefix stays as it is
    "doid": "DOID",
    "drugbank": "DrugBank",
    "go": "GO",
    "idisk": "iDISK",
    "kegg": "KEGG",
    "mesh": "MESH",
    "omim": "OMIM",
    "path": "KEGG",  # path:hsa04210, as KEGG itself names a pathway
    "pharmgkb": "PharmGKB",
    "reactome": "Reactome",
    "umls": "UMLS",
}
FORMS = tuple(  # of identifiers that come without a prefix; one digit more or less tells UMLS from MeSH
    (re.compile(form), prefix)
    for form, prefix in (
        (r"DB\d{5}", "DrugBank"),
        (r"C\d{7}", "UMLS"),
        (r"D\d{6}|D\d{9}|C\d{6}|C\d{9}", "MESH"),
        (r"R-[A-Z]{3}-\d+", "Reactome"),
        (r"PA\d+", "PharmGKB"),
        (r"[DH]\d{5}|[a-z]{3}\d{5}", "KEGG"),
    )
)
NUMBERS = ("OMIM", "PUBCHEM.COMPOUND")  # pandas writes a column of numbers with gaps as 5311.0
STITCH = re.compile(r"CID[01ms]\d{8}", re.IGNORECASE)  # how SIDER names a compound
SEPARATORS = re.compile(r"[;|]")


def separate(text: str) -> list[str]:
    """The distinct items of a field that holds several, in order.

    >>> separate("Hetionet; CTD|CTD;")
    ['Hetionet', 'CTD']
    """
    return list(dict.fromkeys(item for part in SEPARATORS.split(text) if (item := part.strip())))


def entity_curie(identifier: str, type: str) -> str | None:
    """The CURIE of a primary identifier; None if there is nothing before or behind its colon.

    >>> entity_curie("MeSH:D000544", "Disease"), entity_curie("DB00843", "Drug"), entity_curie("x1", "Drug")
    ('MESH:D000544', 'DrugBank:DB00843', 'Drug:x1')
    """
    identifier = identifier.strip()
    if ":" in identifier:
        return _with_known_prefix(identifier)
    found = next((prefix for form, prefix in FORMS if form.fullmatch(identifier)), type)
    return f"{found}:{identifier}" if identifier else None


def cross_references(text: str, prefix: str) -> list[str]:
    """The CURIEs of a field of other identifiers.

    >>> cross_references("DOID:10652|0014667", "DOID")
    ['DOID:10652', 'DOID:0014667']
    """
    found = (_cross_reference(item, prefix) for item in separate(text))
    return [curie for curie in found if curie is not None]


def _cross_reference(identifier: str, prefix: str) -> str | None:
    if ":" in identifier:
        return _with_known_prefix(identifier)
    if prefix == "PUBCHEM.COMPOUND" and STITCH.fullmatch(identifier):
        return f"STITCH:{identifier}"
    return f"{prefix}:{identifier.removesuffix('.0') if prefix in NUMBERS else identifier}"


def _with_known_prefix(identifier: str) -> str | None:
    prefix, _, local = (part.strip() for part in identifier.partition(":"))
    return f"{PREFIXES.get(prefix.lower(), prefix)}:{local}" if prefix and local else None
