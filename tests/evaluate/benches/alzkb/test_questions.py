"""AlzKB's questions: read right, resolved by rule, judged against the graph they are asked of, and scored."""

import csv
import gzip
from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks.graphs.hetionet import build_hetionet, check_complete
from hypothesis import given
from hypothesis import strategies as st

from clew.errors import BuildError, InputError
from clew.evaluate.benches.alzkb.names import Alias, Names, shared_aliases
from clew.evaluate.benches.alzkb.questions import AlzkbQuestion, Named, load_alzkb
from clew.evaluate.benches.alzkb.scores import choose_option, score_choice, score_open, score_true_false
from clew.evaluate.benches.alzkb.wording import (
    COMPLETE,
    read_wording,
    split_choice,
    split_joined,
    split_listed,
    strip_mark,
)
from clew.traverse import Engine, open

ADDED = (
    Alias("Compound", "Cysteine", "DrugBank:DB00151", "DrugBank"),  # L-Cysteine in Hetionet
    Alias("Compound", "Atropine", "DrugBank:DB00151", "DrugBank 2015"),  # another entity's name: no synonym
    Alias("Gene", "CCN2", "NCBIGene:1490", "HGNC"),  # CTGF in Hetionet
    Alias("Gene", "HCS24", "NCBIGene:1490", "HGNC alias"),  # not in force
    Alias("Gene", "two-faced", "NCBIGene:1490", "HGNC"),
    Alias("Gene", "two-faced", "NCBIGene:16", "HGNC"),
)


@pytest.fixture(scope="module")
def graph(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Engine:
    return open(build_hetionet(data, tmp_path_factory.mktemp("hetionet") / "hetionet.clew", aliases=ADDED))


@pytest.fixture(scope="module")
def questions(data: Path, graph: Engine) -> list[AlzkbQuestion]:
    return load_alzkb(data, graph)


# the parts of a question --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "stem", "options"),
    [
        ("Which of the following binds to the gene NOS3? 1. A 2. B 3. C", "Which binds to the gene NOS3?", "A|B|C"),
        ("Which of the following binds to the genes A and B ? 1. C 2. D", "Which binds to the genes A and B?", "C|D"),
        (
            "Which of the following binds to the gene X? 1. 6-methyl-5-[3-methyl-1-yl]pyrimidine-2,4-diamine 2. Trout",
            "Which binds to the gene X?",
            "6-methyl-5-[3-methyl-1-yl]pyrimidine-2,4-diamine|Trout",
        ),
        ("Which of the following drugs treats Z? 1. B 12. 2. C", "Which drugs treats Z?", "B 12.|C"),
        ("Which is it? 1. only", "Which is it?", "only"),
    ],
)  # fmt: skip
def test_a_choice_is_split_into_stem_and_options(text: str, stem: str, options: str) -> None:
    assert split_choice(text) == (stem, tuple(options.split("|")))


@pytest.mark.parametrize("text", ["Which of the following binds to the gene NOS3?", "", "1. A 2. B", "Which? A B"])
def test_a_choice_without_options_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="options"):
        split_choice(text)


OPTION = st.text("abcXYZ0123456789-(),' ", min_size=1).map(lambda text: " ".join(text.split())).filter(bool)


@given(st.lists(OPTION, min_size=1, max_size=12))
def test_options_come_back_as_they_were_written(options: list[str]) -> None:
    written = " ".join(f"{number}. {option}" for number, option in enumerate(options, 1))
    assert split_choice(f"Which of the following binds to the gene A? {written}")[1] == tuple(options)


def test_a_statement_loses_its_mark_only() -> None:
    assert strip_mark("True or False Question: A binds to the gene B") == "A binds to the gene B"
    assert strip_mark("A and B are genes which commonly bind to the drug C") == (
        "A and B are genes which commonly bind to the drug C"
    )


def test_joined_names_may_hold_the_word_that_joins() -> None:
    known = {"Sleep and Wake", "Aphasia", "Sleep"}.__contains__
    assert split_joined("Sleep and Wake and Aphasia", 2, known) == ("Sleep and Wake", "Aphasia")
    assert split_joined("Sleep and Wake", 1, known) == ("Sleep and Wake",)
    assert split_joined("Sleep and Odd", 2, known) == ("Sleep", "Odd")
    assert split_joined("Odd", 2, known) == ("Odd",)


def test_listed_names_may_hold_commas() -> None:
    known = {"Aphasia, Wernicke", "Ataxia", "Palsy, Bulbar, Progressive"}.__contains__
    listed = "Ataxia, Aphasia, Wernicke, Odd, Palsy, Bulbar, Progressive, Ataxia"
    assert split_listed(listed, known) == ("Ataxia", "Aphasia, Wernicke", "Odd", "Palsy, Bulbar, Progressive")
    assert split_listed("", known) == ()


@pytest.mark.parametrize(
    ("text", "kinds", "negated", "named"),
    [
        ("List the drugs which commonly bind to the genes BTK and CYP1B1", "CbG", False, "BTK and CYP1B1"),
        ("Which is not a gene which binds to both the drugs A and B?", "CbG", True, "A and B"),
        ("Which classes does not include the drug A?", "PCiC", True, "A"),
        ("Which genes is not commonly associated with the diseases A and B?", "DaG", True, "A and B"),
        ("Which is associated with the disease A?", "DrD", False, "A"),
        ("Which is associated with the gene A?", "DaG", False, "A"),
        ("List the diseases which can be commonly treated by the drugs A and B", "CtD CpD", False, "A and B"),
        ("Which is not a site of localization of both A and B?", "DlA", True, "A and B"),
        ("List the genes in the pathway DNA binds to the gene", "GpPW", False, "DNA binds to the gene"),
        ("Which of the following can be affected by the drug A?", "", False, "A"),
    ],
)
def test_the_wording_of_a_question_tells_its_relation(text: str, kinds: str, negated: bool, named: str) -> None:
    reading = read_wording(text, stated=False)
    assert reading is not None
    assert (reading.wording.kinds, reading.negated, reading.named) == (tuple(kinds.split()), negated, named)
    assert reading.subjects is None


@pytest.mark.parametrize(
    ("text", "subjects", "kinds", "negated", "named"),
    [
        ("Odd Alzheimer's disease does not present the symptom A", "Odd Alzheimer's disease", "DpS", True, "A"),
        ("A and B are not drugs which commonly bind to the gene C", "A and B", "CbG", True, "C"),
        ("Virus not otherwise named binds to the gene C", "Virus not otherwise named", "CbG", False, "C"),
        ("Alzheimer's Disease is not be treated by the drug A", "Alzheimer's Disease", "CtD CpD", True, "A"),
        ("A is a gene associated with the disease B", "A", "DaG", False, "B"),
        ("A is associated with the disease B", "A", "DrD", False, "B"),
        ("A and B are common symptoms of C", "A and B", "DpS", False, "C"),
        ("A treats Alzheimer Disease, Early Onset", "A", "CtD CpD", False, "Alzheimer Disease, Early Onset"),
    ],
)  # fmt: skip
def test_the_wording_of_a_statement_tells_its_relation(
    text: str, subjects: str, kinds: str, negated: bool, named: str
) -> None:
    reading = read_wording(text, stated=True)
    assert reading is not None
    assert (reading.subjects, reading.wording.kinds) == (subjects, tuple(kinds.split()))
    assert (reading.negated, reading.named) == (negated, named)


def test_words_that_fit_no_wording_are_not_read() -> None:
    assert read_wording("What is the gene symbol of gene fukutin?", stated=False) is None
    assert read_wording("Iron is a metal", stated=True) is None


# names --------------------------------------------------------------------------------------------------------------


def test_the_first_source_that_knows_a_name_decides() -> None:
    names = Names(
        [
            Alias("Gene", "AAA", "NCBIGene:1", "Hetionet"),
            Alias("Gene", "aaa", "NCBIGene:2", "HGNC"),
            Alias("Gene", "BBB", "NCBIGene:3", "HGNC alias"),
            Alias("Gene", "CCC", "NCBIGene:4", "HGNC"),
            Alias("Gene", "CCC", "NCBIGene:5", "HGNC"),
            Alias("Gene", "CCC", "NCBIGene:4", "Hetionet"),
        ]
    )
    assert names.resolve("Aaa", "Gene") == "NCBIGene:2"
    assert names.resolve("BBB", "Gene") == "NCBIGene:3"
    assert names.resolve("CCC", "Gene") is None  # two ids by one source
    assert names.resolve("AAA", "Compound") is None


def test_the_data_folder_resolves_names_of_alzkb(data: Path) -> None:
    names = Names(shared_aliases(data))
    assert names.resolve("Carbamoylcholine", "Compound") == "DrugBank:DB00411"  # Carbachol in Hetionet
    assert names.resolve("AARS1", "Gene") == "NCBIGene:16"  # AARS in Hetionet
    assert names.resolve("Alzheimer's Disease", "Disease") == "DOID:10652"
    assert names.resolve("Alzheimer Disease, Late Onset", "Disease") is None
    with pytest.raises(InputError, match="missing"):
        shared_aliases(data / "alzkb_questions")


# the graph ----------------------------------------------------------------------------------------------------------


def test_the_graph_is_complete_where_it_says_so(graph: Engine, data: Path) -> None:
    check_complete(graph, data)
    held = {each.name: each.triples for each in graph.schema.relations}
    assert (held["binds"], held["associates"], held["treats"], held["palliates"]) == (11571, 12623, 755, 390)
    assert graph.counts["entities"] == 47031
    assert {each.name for each in graph.schema.relations if each.symmetric} == {"covaries", "interacts", "resembles"}


@pytest.mark.parametrize("kind", sorted(COMPLETE))
def test_a_missing_triple_of_a_complete_kind_is_noticed(graph: Engine, data: Path, tmp_path: Path, kind: str) -> None:
    lines = (data / "hetionet" / "metaedges.tsv").read_text("utf-8").splitlines()
    changed = []
    for line in lines:
        cells = line.split("\t")
        changed.append("\t".join([*cells[:2], str(int(cells[2]) + 1), *cells[3:]]) if cells[1] == kind else line)
    (tmp_path / "hetionet").mkdir()
    (tmp_path / "hetionet" / "metaedges.tsv").write_text("\n".join(changed))
    with pytest.raises(BuildError, match=kind):
        check_complete(graph, tmp_path)


def test_current_aliases_of_one_entity_are_synonyms(graph: Engine) -> None:
    def exactly(name: str) -> list[tuple[str, str]]:
        return [(each.id, each.how) for each in graph.find(name) if each.score == 1]

    assert exactly("Cysteine") == [("DrugBank:DB00151", "synonym")]
    assert exactly("CCN2") == [("NCBIGene:1490", "synonym")]
    assert exactly("Atropine") == [("DrugBank:DB00572", "name")]
    assert exactly("HCS24") == []
    assert exactly("two-faced") == []


# the questions ------------------------------------------------------------------------------------------------------


def test_every_question_is_read(questions: list[AlzkbQuestion]) -> None:
    assert Counter((each.form, each.hops) for each in questions) == {
        ("open", 0): 10, ("open", 1): 243, ("open", 2): 216,
        ("choice", 0): 20, ("choice", 1): 260, ("choice", 2): 196,
        ("true_false", 0): 21, ("true_false", 1): 276, ("true_false", 2): 283,
    }  # fmt: skip
    assert len({each.id for each in questions}) == len(questions)
    assert [each.text for each in questions if each.hops and each.pattern is None] == []
    assert all(len(each.options) == 5 for each in questions if each.form == "choice")
    assert not any(each.question.startswith(("True or False", "Which of the following")) for each in questions)


def test_what_is_covered(questions: list[AlzkbQuestion]) -> None:
    assert Counter((each.form, each.hops) for each in questions if each.covered) == {
        ("open", 1): 46, ("open", 2): 36, ("choice", 1): 49, ("choice", 2): 22,
        ("true_false", 1): 35, ("true_false", 2): 34,
    }  # fmt: skip
    assert Counter(each.reason for each in questions if not each.covered) == {
        "relation incomplete": 995, "name not in the graph": 195, "fact about a gene": 51,
        "gold not in the graph": 49, "relation absent": 13,
    }  # fmt: skip
    for each in questions:
        if each.covered:
            assert each.relation
            assert set(each.relation) <= COMPLETE.keys()
            assert all(anchor.id for anchor in each.anchors)
            assert len(each.anchors) == each.hops + (each.form == "true_false")
            assert each.form == "true_false" or each.gold_ids or "not" in str(each.pattern).split()


def test_more_aliases_cover_more(data: Path, graph: Engine, questions: list[AlzkbQuestion]) -> None:
    more = load_alzkb(data, graph, aliases=[*shared_aliases(data), *ADDED])
    gained = {each.id for each in more if each.covered} - {each.id for each in questions if each.covered}
    assert gained  # there is a gene that binds Cysteine among those asked about
    assert all(
        "Cysteine" in (*each.gold, *(option.name for option in each.options)) for each in more if each.id in gained
    )


def _raw_pairs(data: Path) -> dict[str, set[tuple[str, str]]]:
    """The pairs of every kind, from the files themselves."""
    pairs: dict[str, set[tuple[str, str]]] = defaultdict(set)
    prefixes = {"Compound": "DrugBank:", "Gene": "NCBIGene:", "Symptom": "MESH:", "Pharmacologic Class": "NDFRT:"}

    def named(identifier: str) -> str:
        kind, _, local = identifier.partition("::")
        return prefixes.get(kind, "") + local

    folder = data / "hetionet"
    with gzip.open(folder / "hetionet-v1.0-nodes.tsv.gz", "rt") as file:
        entities = {named(row["id"]) for row in csv.DictReader(file, delimiter="\t")}
    with gzip.open(folder / "edges-5k.sif.gz", "rt") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            pairs[row["metaedge"]].add((named(row["source"]), named(row["target"])))
    for kind, name, subject, prefix in (
        ("CbG", "CbG-binding", "drugbank_id", "DrugBank:"),
        ("DaG", "DaG-association", "doid_id", ""),
    ):
        with gzip.open(folder / f"{name}.tsv.gz", "rt") as file:
            for row in csv.DictReader(file, delimiter="\t"):
                pair = prefix + row[subject], "NCBIGene:" + row["entrez_gene_id"]
                if entities.issuperset(pair):
                    pairs[kind].add(pair)
    return pairs


def test_the_gold_of_covered_questions_is_what_hetionet_says(questions: list[AlzkbQuestion], data: Path) -> None:
    """An answerer that reads every question right comes this far: the gold is AlzKB's, the graph Hetionet's."""
    pairs = _raw_pairs(data)
    either: dict[str, set[str]] = defaultdict(set)  # "kind id" → what it is joined to

    for kind in COMPLETE:
        for subject, object_ in pairs[kind]:
            either[f"{kind} {subject}"].add(object_)
            either[f"{kind} {object_}"].add(subject)

    def joined(question: AlzkbQuestion, anchor: Named) -> set[str]:
        return set().union(*(either[f"{kind} {anchor.id}"] for kind in question.relation))

    scores: dict[str, list[float]] = defaultdict(list)
    for each in questions:
        if not each.covered:
            continue
        negated = "not" in str(each.pattern).split()
        if each.form == "true_false":
            *subjects, object_ = each.anchors
            said = all(subject.id in joined(each, object_) for subject in subjects) != negated
            scores[each.form].append(score_true_false(each, said))
            continue
        found = set.intersection(*(joined(each, anchor) for anchor in each.anchors))
        if each.form == "choice":
            scores[each.form].append(score_choice(each, choose_option(each.options, found, negated=negated)))
        else:
            scores[each.form].append(score_open(each, [(id, id) for id in found]).by_id)
    means = {form: sum(values) / len(values) for form, values in scores.items()}
    assert means["choice"] == 1
    assert means["open"] > 0.98
    assert means["true_false"] > 0.98


@pytest.mark.parametrize(("form", "answer"), [("MCQ", "6"), ("MCQ", "A"), ("True_or_False", "yes")])
def test_an_answer_of_another_kind_is_refused(
    data: Path, graph: Engine, tmp_path: Path, form: str, answer: str
) -> None:
    (tmp_path / "alzkb_questions").mkdir()
    for path in (data / "alzkb_questions").iterdir():
        (tmp_path / "alzkb_questions" / path.name).symlink_to(path)
    changed = tmp_path / "alzkb_questions" / f"{form}_1hop.json"
    changed.unlink()
    changed.write_text(
        f'[{{"question": "Which of the following binds to the gene A? 1. B 2. C", "answer": "{answer}"}}]'
    )
    with pytest.raises(InputError, match=answer):
        load_alzkb(tmp_path, graph, aliases=())


# scores -------------------------------------------------------------------------------------------------------------

ASKED = AlzkbQuestion(
    "open-1", "open", 1, "", "", (), ("Iron", "Zinc", "Odd"),
    frozenset({"X:1", "X:2"}), ("Odd",), None, (), (), None, None,
)  # fmt: skip


def test_a_list_is_scored_by_id_and_by_name() -> None:
    score = score_open(ASKED, [("X:1", "iron"), ("X:2", "Zincum"), ("X:9", "Lead")])
    assert score.by_id == pytest.approx(2 * 2 / (3 + 3))  # the name without an id is missed
    assert score.by_name == pytest.approx(2 * 1 / (3 + 3))
    assert score.unlimited == score.by_id


def test_what_the_gold_cannot_know_is_let_pass() -> None:
    limited = replace(ASKED, within=frozenset({"X:1", "X:2", "X:3"}), unresolved=(), gold=("Iron", "Zinc"))
    score = score_open(limited, [("X:1", "Iron"), ("X:3", "Tin"), ("X:9", "Lead")])
    assert score.by_id == pytest.approx(2 * 1 / (2 + 2))
    assert score.by_name == pytest.approx(2 * 1 / (2 + 2))
    assert score.unlimited == pytest.approx(2 * 1 / (3 + 2))


def test_abstaining_scores_nothing_and_an_empty_list_misses_all() -> None:
    for items in (None, []):
        score = score_open(ASKED, items)
        assert (score.by_id, score.by_name, score.unlimited) == (0, 0, 0)
    choice = replace(ASKED, form="choice", gold=("Iron",))
    assert not score_choice(choice, None)
    statement = replace(ASKED, form="true_false", gold=("False",))
    assert not score_true_false(statement, None)
    assert score_true_false(statement, False)
    assert not score_true_false(statement, True)


def test_the_one_option_that_fits_is_chosen() -> None:
    iron, zinc, odd = Named("Iron", "X:1"), Named("Zinc", "X:2"), Named("Odd", None)
    assert choose_option((iron, zinc, odd), {"X:2", "X:7"}) == zinc
    assert choose_option((iron, zinc, odd), {"X:1", "X:2"}) is None
    assert choose_option((iron, zinc, odd), set()) is None
    assert choose_option((iron, zinc, odd), {"X:1", "X:2"}, negated=True) == odd
    assert choose_option((iron, zinc, odd), {"X:1"}, negated=True) is None
    assert score_choice(replace(ASKED, form="choice", gold=("Zinc",)), zinc)
    assert not score_choice(replace(ASKED, form="choice", gold=("Zinc",)), iron)
