"""How much of Cypher that people write becomes a plan, and that each of these plans survives being written."""

import gzip
import json
from collections import Counter
from pathlib import Path

from clew.answer.plans.canonical import same
from clew.answer.plans.cypher.read import read_plan
from clew.answer.plans.cypher.write import write_statement
from clew.errors import QueryError
from clew.store.cypher import parse, write


def test_most_real_queries_are_plans(data: Path) -> None:
    """More than 92 % of a fourth of 7,548 queries written for Neo4j, and all of them come back as they were."""
    with gzip.open(data / "text2cypher" / "pairs.jsonl.gz", "rt") as lines:
        texts = [json.loads(line)["cypher"] for line in list(lines)[::4]]
    plans, reasons = [], Counter[str]()
    for text in texts:
        try:
            plans.append(read_plan(parse(text)))
        except QueryError as reason:
            reasons[str(reason)[:40]] += 1
    assert len(plans) / len(texts) > 0.92, reasons.most_common(10)
    for plan in plans[::5]:
        assert same(read_plan(parse(write(write_statement(plan)))), plan)
