// An answer: the sentence, how sure it is, items, evidence graph, triples, query.
import { write } from "../state/address.js";
import { drawing } from "../graph/drawing.js";
import { isType, typeDot } from "../graph/palette.js";
import { h } from "../ui/dom.js";
import { cited } from "../ui/links.js";
import { empty, failed, loading } from "../ui/notice.js";
import { table } from "../ui/table.js";
import { CERTAINTY, ORIGIN, count, number, relationWords, seconds } from "../ui/words.js";
import { contextOf } from "./context.js";
import { cypherEditor } from "./cypher.js";
import { evidenceModel } from "./evidence.js";
import { readings } from "./readings.js";
import { headed } from "./sentences.js";

const LONG = 90; // characters of a headline in smaller letters

// again(change) asks again with another meaning, query or filter.
// `question` is missing where a query was run.
export function showAnswer(answer, { question, meaning = {}, again, steps, signal }) {
  const graphPlace = h("div", { class: "evidence-place" });
  const triplesPlace = h("div");
  const parts = [
    headline(answer, again),
    readings(answer, meaning, again),
    answer.items.length > 1 || answer.items.some((each) => (each.number !== null && isType(each.type)) || each.beside.length) ? items(answer) : null,
    graphPlace,
    triplesPlace,
    answer.query ? cypherEditor(answer.query, (cypher) => again({ cypher }), { opened: Boolean(answer.abstained) }) : null,
    question ? contextOf(answer.graph, question, { signal }) : null,
    steps,
  ];
  fillEvidence(answer, graphPlace, triplesPlace, signal);
  return h("article", { class: "answer" }, parts);
}

function headline(answer, again) {
  const { word, means } = CERTAINTY[answer.certainty] ?? { word: answer.certainty, means: "" };
  const { lead, rest } = headed(answer);
  const values = areValues(answer.items);
  const facts = [
    answer.total > 0 && answer.kind !== "path" && !values ? count(answer.total, "item") : null,
    answer.truncated ? `the first ${number(answer.items.length)} are listed` : null,
    values && !answer.evidence.triples.length ? null : count(answer.evidence.triples.length, "supporting triple") + (answer.evidence.complete ? "" : " (a sample)"),
    answer.evidence.documents.length ? count(answer.evidence.documents.length, "document") : null,
    seconds(answer.usage.understanding + answer.usage.execution + answer.usage.text),
  ].filter(Boolean);
  return h("header", { class: "headline" },
    answer.abstained ? h("p", { class: "kicker" }, "No answer") : null,
    h("h2", { class: lead.length > LONG ? "long" : null }, lead),
    rest ? h("p", { class: "rest" }, rest) : null,
    answer.abstained
      ? h("p", { class: "quiet" }, "Rephrase the question with names of this graph, or try an example below. ", h("a", { href: write("explore", { graph: answer.graph }) }, "Explore"), " shows what the graph holds.")
      : h("p", { class: "facts" }, h("span", { class: `certainty ${answer.certainty}`, title: `${means} (${answer.confidence.toFixed(2)})` }, word), facts.map((each) => h("span", {}, each)),
          answer.evidence.complete ? null : h("button", { type: "button", class: "plain", onclick: () => again({ all: "yes" }) }, "Fetch all evidence")),
    answer.late ? h("p", { class: "warning" }, `${answer.late}.`) : null,
    !answer.abstained && answer.certainty !== "sure" ? h("p", { class: "warning" }, means) : null);
}

// Whether items are values, such as lengths, and no entities of the graph.
function areValues(items) {
  return items.length > 0 && !items.some((each) => isType(each.type));
}

function items(answer) {
  const further = beside(answer.items);
  if (areValues(answer.items)) return table("Values", [{ name: answer.items[0].type, value: (each) => each.number ?? each.name }, ...further], answer.items, { file: "values" });
  const columns = [
    { name: "name", value: (each) => each.name, cell: (each) => entityLink(answer.graph, each) },
    { name: "type", value: (each) => each.type },
    { name: "id", value: (each) => each.id, cell: (each) => cited(each.id) },
  ];
  if (answer.items.some((each) => each.number !== null)) columns.splice(1, 0, { name: "number", value: (each) => each.number, numeric: true });
  columns.splice(columns.length - 2, 0, ...further);
  const note = answer.truncated ? `${number(answer.total)} in all; the first ${number(answer.items.length)} are listed.` : null;
  return table("Items", columns, answer.items, { file: "items", note, first: 5 });
}

// The columns that were asked for beside the items.
function beside(items) {
  const titles = (items.find((each) => each.beside.length)?.beside[0] ?? []).map((each) => each.column);
  return titles.map((name, at) => ({ name, value: (each) => [...new Set(each.beside.map((row) => row[at].name))].join("; ") }));
}

export function entityLink(graph, { id, name, type }) {
  return h("a", { class: "entity", href: write("explore", { graph, entity: id }) }, typeDot(type), name || id);
}

async function fillEvidence(answer, graphPlace, triplesPlace, signal) {
  if (answer.abstained && !answer.named.length) return;
  graphPlace.replaceChildren(loading("Fetching the evidence"));
  try {
    const model = await evidenceModel(answer, { signal });
    if (!model) return graphPlace.replaceChildren(answer.abstained ? "" : empty("No triples support this answer.", "It is about what the graph does not hold."));
    const note = answer.evidence.complete ? null : "a sample of the evidence";
    graphPlace.replaceChildren(h("h3", {}, model.triples.size ? "Evidence" : "Entities of the question"), drawing({ graph: answer.graph, snapshot: answer.snapshot, model, label: answer.question || "Evidence", note }));
    if (model.triples.size) triplesPlace.replaceChildren(triplesTable(answer.graph, [...model.triples.values()]));
  } catch (error) {
    if (error.name === "AbortError") return;
    graphPlace.replaceChildren(failed(error, { again: () => fillEvidence(answer, graphPlace, triplesPlace, signal) }));
  }
}

export function triplesTable(graph, triples, { name = "Triples", file = "triples" } = {}) {
  const documents = (each) => [...new Set((each.assertions ?? []).flatMap((one) => [one.document, ...(one.evidence ?? [])]).filter(Boolean))];
  const sources = (each) => [...new Set((each.assertions ?? []).map((one) => one.source).filter(Boolean))].join(", ");
  const sentence = (each) => (each.assertions ?? []).map((one) => one.qualifiers?.sentence).find(Boolean) ?? null;
  const columns = [
    { name: "subject", value: (each) => each.subject_name, cell: (each) => entityLink(graph, { id: each.subject, name: each.subject_name, type: each.subject_type }) },
    { name: "relation", value: (each) => `${each.negated ? "not " : ""}${each.relation}`, cell: (each) => h("span", { class: "relation" }, `${each.negated ? "not " : ""}${relationWords(each.relation)}`) },
    { name: "object", value: (each) => each.object_name, cell: (each) => entityLink(graph, { id: each.object, name: each.object_name, type: each.object_type }) },
    { name: "origin", value: (each) => ORIGIN[each.origin], cell: (each) => h("span", { class: `origin ${each.origin}` }, ORIGIN[each.origin]) },
  ];
  if (triples.some((each) => each.assertions)) {
    columns.push({ name: "source", value: sources });
    columns.push({ name: "documents", value: (each) => documents(each).join(" "), cell: (each) => h("span", {}, documents(each).slice(0, 4).map((one) => [cited(one), " "]), documents(each).length > 4 ? `+${documents(each).length - 4}` : null) });
  }
  if (triples.some(sentence)) columns.push({ name: "sentence", value: sentence });
  return table(name, columns, triples, { file });
}
