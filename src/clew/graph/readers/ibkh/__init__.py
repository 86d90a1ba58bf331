"""iBKH, the integrative Biomedical Knowledge Hub, in the part that the hybrid question answering paper uses.

Five vocabularies (disease, drug, symptom, side effect, pathway) and seven files that link them in wide form: a row per
pair of entities, a 0/1 column per relation, and who says so. See `layout` for the names of files and columns.
"""

from clew.graph.readers.ibkh.files import is_ibkh
from clew.graph.readers.ibkh.release import read

__all__ = ["is_ibkh", "read"]
