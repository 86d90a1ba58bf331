"""The one JSON of Clew: what `--json` prints and a server sends. Keys are documented in docs/cli.md and stay."""

from clew.app.records.answers import answer_record, answers_record, error_record
from clew.app.records.contexts import context_record
from clew.app.records.diagnoses import diagnoses_record
from clew.app.records.extraction import run_record, text_record
from clew.app.records.graphs import (
    damage_record,
    export_record,
    found_record,
    graph_record,
    index_record,
)
from clew.app.records.histories import difference_record, history_record, removal_record, update_record
from clew.app.records.links import links_record, mentions_record
from clew.app.records.models import models_record
from clew.app.records.neighbourhoods import entity_record, neighbourhood_record, triples_record
from clew.app.records.statements import assertion_record, entity_records, triple_record
from clew.app.records.stores import loaded_record, rows_record, schema_record
from clew.app.records.tour import demo_record
from clew.app.records.walks import count_types, hop_record, paths_record
from clew.app.records.words import codebook_rows, words_record

__all__ = [
    "answer_record",
    "answers_record",
    "assertion_record",
    "codebook_rows",
    "context_record",
    "count_types",
    "damage_record",
    "demo_record",
    "diagnoses_record",
    "difference_record",
    "entity_record",
    "entity_records",
    "error_record",
    "export_record",
    "found_record",
    "graph_record",
    "history_record",
    "hop_record",
    "index_record",
    "links_record",
    "loaded_record",
    "mentions_record",
    "models_record",
    "neighbourhood_record",
    "paths_record",
    "removal_record",
    "rows_record",
    "run_record",
    "schema_record",
    "text_record",
    "triple_record",
    "triples_record",
    "update_record",
    "words_record",
]
