"""Quantifiers, comparisons and superlatives, asked in words, against plain sets over random graphs."""

from collections import Counter
from collections.abc import Iterator
from random import Random

import pyarrow as pa
import pytest

import clew
from clew.answer import Answer, Asker, Resources
from clew.evaluate.evidence import check_evidence

GENES = ("Adamase", "Bravin", "Corvase", "Deltin")
DISEASES = ("Alphoma", "Betosis", "Gammitis", "Deltopathy", "Epsilia", "Zetemia")
SIGNS = ("Chillism", "Drowsing", "Fevering", "Itchiness", "Limping", "Shivering", "Tingling")


class World:
    """Which genes cause which diseases, and which signs those show, as sets; and the same graph to ask."""

    def __init__(self, seed: int, asker: Asker, causes: set[tuple[str, str]], shows: set[tuple[str, str]]) -> None:
        self.seed, self.asker, self.causes, self.shows = seed, asker, causes, shows

    def __repr__(self) -> str:
        return f"world {self.seed}"

    def signs(self, disease: str) -> set[str]:
        return {sign for each, sign in self.shows if each == disease}

    def diseases(self, gene: str) -> set[str]:
        return {disease for each, disease in self.causes if each == gene}

    def ask(self, question: str) -> Answer:
        answer = self.asker.ask(question)
        assert list(check_evidence(answer, self.asker.resources.engine)) == []
        return answer

    def names(self, question: str) -> set[str]:
        return {item.name for item in self.ask(question).items}


@pytest.fixture(scope="module", params=(1, 2, 3))
def world(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    random = Random(request.param)
    causes = {(gene, disease) for gene in GENES for disease in DISEASES if random.random() < 0.4}
    causes |= {(GENES[0], DISEASES[0]), (GENES[0], DISEASES[1])}
    shows = {(disease, sign) for disease in DISEASES for sign in SIGNS if random.random() < 0.5}
    shows |= {(disease, SIGNS[0]) for disease in DISEASES} | {(DISEASES[-1], sign) for sign in SIGNS}
    rows = [(*pair, "Gene", "Disease", "causes") for pair in sorted(causes)]
    rows += [(*pair, "Disease", "Phenotype", "has_phenotype") for pair in sorted(shows)]
    subject, object_, subject_type, object_type, relation = zip(*rows, strict=True)
    table = pa.table(
        {
            "subject": [f"{kind}:{name}" for kind, name in zip(subject_type, subject, strict=True)],
            "object": [f"{kind}:{name}" for kind, name in zip(object_type, object_, strict=True)],
            "subject_name": subject, "object_name": object_, "subject_type": subject_type, "object_type": object_type,
            "relation": relation,
        }
    )  # fmt: skip
    path = tmp_path_factory.mktemp("world") / "world.clew"
    clew.build(table, out=path)
    asker = Asker(Resources(clew.open(path), encoder=None))
    yield World(request.param, asker, causes, shows)
    asker.close()


def test_how_many_of_several_names(world: World) -> None:
    three = DISEASES[:3]
    often = Counter(sign for disease in three for sign in world.signs(disease))
    named = "Alphoma, Betosis and Gammitis"
    assert world.names(f"Which symptoms are shared by at least two of {named}?") == {
        s for s, n in often.items() if n >= 2
    }
    assert world.names(f"Which symptoms are seen in exactly one of {named}?") == {s for s, n in often.items() if n == 1}
    assert world.names(f"Which symptoms are shared by all of {named}?") == {s for s, n in often.items() if n == 3}
    assert world.names("Which symptoms are seen in any of Alphoma, Betosis or Gammitis?") == set(often)
    two = world.signs("Alphoma") ^ world.signs("Betosis")
    assert world.names("Which symptoms are seen in Alphoma or Betosis but not both?") == two
    assert world.names("Which symptoms of Alphoma and Betosis are not shared?") == two


def test_none_and_neither(world: World) -> None:
    without = {d for d in DISEASES if not world.signs(d) & {"Drowsing", "Fevering"}}
    assert world.names("Which diseases show chillism and none of drowsing and fevering?") == without
    assert world.names("Which diseases show neither drowsing nor fevering but chillism?") == without
    said = world.ask("Which diseases show neither drowsing nor fevering but chillism?").text
    assert "with Chillism but without Drowsing or Fevering" in said


def test_only(world: World) -> None:
    alone = {d for d in DISEASES if {g for g, disease in world.causes if disease == d} == {"Adamase"}}
    for question in ("Which diseases are caused only by Adamase?", "Which diseases are caused by Adamase alone?"):
        assert world.names(question) == alone


def test_every(world: World) -> None:
    for gene in GENES:
        diseases = world.diseases(gene)
        if diseases:
            common = set.intersection(*(world.signs(disease) for disease in diseases))
            assert world.names(f"Which symptoms are seen in every disease caused by {gene}?") == common
            assert world.names(f"Which symptoms occur in all diseases caused by {gene}?") == common


def test_no_entity_of_a_type(world: World) -> None:
    linked = {g for g, d in world.causes if "Drowsing" in world.signs(d)}
    assert world.names("Which genes cause no disease with drowsing?") == {g for g, _ in world.causes} - linked
    answer = world.ask("Which genes cause no disease with drowsing?")
    assert not answer.items or "not known to cause diseases with Drowsing" in answer.text


def test_which_of_two_has_more(world: World) -> None:
    one, other = (len(world.signs(disease)) for disease in ("Alphoma", "Betosis"))
    for question in (
        "Which disease has more symptoms, Alphoma or Betosis?",
        "Alphoma or Betosis, which has more symptoms?",
        "Which of Alphoma and Betosis has the most symptoms?",
    ):
        answer = world.ask(question)
        assert [item.number for item in answer.items] == [max(one, other)] * (1 + (one == other)), answer.text
        assert ("They are tied." in answer.text) == (one == other)


def test_whether_one_has_more_than_another(world: World) -> None:
    for one, other in (DISEASES[:2], DISEASES[2:4], DISEASES[4:6]):
        first, second = len(world.signs(one)), len(world.signs(other))
        assert world.ask(f"Does {one} have more symptoms than {other}?").value == (first > second)
        assert world.ask(f"Does {one} have fewer symptoms than {other}?").value == (first < second)


def test_one_where_one_is_asked_for_or_all_that_are_tied(world: World) -> None:
    counts = Counter(disease for disease, _ in world.shows)
    most = max(counts.values())
    for question in ("Which disease has the most symptoms?", "the disease with the largest number of symptoms"):
        answer = world.ask(question)
        assert {item.number for item in answer.items} == {most}
        assert {item.name for item in answer.items} == {name for name, number in counts.items() if number == most}
        assert ("They are tied." in answer.text) == (len(answer.items) > 1)
