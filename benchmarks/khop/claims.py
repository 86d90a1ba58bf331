"""What the benchmarks must show, judged on rows: a ratio holds if the lower end of its interval does."""

from collections.abc import Iterable
from typing import Any

from benchmarks.khop.rounds import CLEW, CLEW_NAMES

__all__ = ["batch_claims", "best_peer", "hop_claims"]

Row = dict[str, Any]
HEAVY = {2: 3.0, 3: 2.5, 4: 2.3, 5: 1.9}
FLAT = 1.2
NO_SLOWER = 1.5  # hop 1: Clew's time over the best peer's
HOP_ONE_MS = 0.025
INCIDENCE = {1: 60.0, 2: 40.0, 3: 25.0, 4: 45.0, 5: 90.0}
NAMES = 1.5
FILTERED = 1.5
BATCH = {1: 1.3, 2: 1.5, 3: 2.3, 4: 5.0, 5: 5.0}


def best_peer(rows: Iterable[Row]) -> Row | None:
    """The row of the peer that comes nearest to Clew, or beats it most."""
    peers = [row for row in rows if row["engine"] not in (CLEW, CLEW_NAMES)]
    return min(peers, key=lambda row: row["ratio"], default=None)


def hop_claims(rows: list[Row]) -> list[dict[str, Any]]:
    """Requirements 2 and 3: single hops, plain and filtered."""
    claims = []
    for graph in dict.fromkeys(row["graph"] for row in rows):
        for k in range(1, 6):
            here = [row for row in rows if (row["graph"], row["hop"], row["filter"]) == (graph, k, "none")]
            best = best_peer(here)
            if best is None:
                continue
            needs = 1 / NO_SLOWER if k == 1 else HEAVY[k] if graph == "heavy" else FLAT
            claims.append(_at_least(f"{graph}, hop {k}, against the best peer", needs, best))
            if graph == "heavy":
                claims += _heavy_claims(here, k)
    for row in _filtered_best(rows):
        what = f"{row['graph']}, hop {row['hop']}, {row['filter']}, against the best peer on a pre-filtered copy"
        claims.append(_at_least(what, FILTERED, row))
    return claims


def batch_claims(rows: list[Row]) -> list[dict[str, Any]]:
    """Requirement 4: a batch of 150 queries."""
    claims = []
    for k, needs in BATCH.items():
        best = best_peer(row for row in rows if row["graph"] == "heavy" and row["hop"] == k)
        if best is not None:
            claims.append(_at_least(f"heavy, batch of 150, hop {k}, against the best peer", needs, best))
    return claims


def _heavy_claims(here: list[Row], k: int) -> list[dict[str, Any]]:
    by_name = {row["engine"]: row for row in here}
    claims = []
    if "scipy incidence" in by_name:
        claims.append(_at_least(f"heavy, hop {k}, against scipy incidence", INCIDENCE[k], by_name["scipy incidence"]))
    if k == 1:
        claims.append(_at_most("heavy, hop 1, milliseconds", HOP_ONE_MS, by_name[CLEW]["median_ms"], CLEW))
    if CLEW_NAMES in by_name:
        claims.append(_at_most(f"heavy, hop {k}, names over ids", NAMES, by_name[CLEW_NAMES]["high"], CLEW))
    return claims


def _filtered_best(rows: list[Row]) -> list[Row]:
    groups: dict[tuple[str, int, str], list[Row]] = {}
    for row in rows:
        if row["filter"] != "none":
            groups.setdefault((row["graph"], row["hop"], row["filter"]), []).append(row)
    return [best for group in groups.values() if (best := best_peer(group)) is not None]


def _at_least(claim: str, needs: float, row: Row) -> dict[str, Any]:
    return {
        "claim": claim,
        "at_least": round(needs, 4),
        "measured": row["low"],
        "against": row["engine"],
        "holds": row["low"] >= needs,
    }


def _at_most(claim: str, needs: float, measured: float, against: str) -> dict[str, Any]:
    return {"claim": claim, "at_most": needs, "measured": measured, "against": against, "holds": measured <= needs}
