// The read tab: a text in, the entities that it mentions and the facts that it states out.
import { graphPath, post } from "../server/api.js";
import { entityLink } from "../ask/answer.js";
import { typeDot } from "../graph/palette.js";
import { h, latest } from "../ui/dom.js";
import { cited } from "../ui/links.js";
import { empty, failed, loading } from "../ui/notice.js";
import { table } from "../ui/table.js";
import { count, number, relationWords } from "../ui/words.js";
import { marked, marksOf } from "./marked.js";

const KEPT = "clew.text"; // for this tab of the browser only: a text may be about a patient

export function makeRead(context) {
  const working = latest();
  const field = h("textarea", { rows: "7", placeholder: "Paste an abstract, a note, or any text that names entities of this graph.", "aria-label": "Text" });
  const left = h("span", { class: "quiet" });
  const result = h("div", { class: "result" });
  field.value = sessionStorage.getItem(KEPT) ?? "";
  field.addEventListener("input", counted);
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submit(event);
  });
  const element = h("section", { class: "tab" },
    h("form", { class: "read", onsubmit: submit }, h("h1", {}, "Read a text"), field,
      h("p", { class: "row" }, h("button", { class: "primary" }, "Read"), left)),
    result);

  function counted() {
    const most = context.server().limits.characters;
    const length = Array.from(field.value).length;
    left.textContent = length > most ? `${number(length)} characters: at most ${number(most)} at once. Shorten the text.` : "The text stays on this server and is not kept.";
    left.classList.toggle("warning", length > most);
    return length <= most;
  }

  function submit(event) {
    event.preventDefault();
    if (!field.value.trim()) return field.focus();
    if (counted()) run();
  }

  async function run() {
    const signal = working.start();
    const text = field.value;
    sessionStorage.setItem(KEPT, text);
    const graph = context.graph();
    const mentions = h("div", {}, loading("Finding mentions"));
    const facts = h("div");
    result.replaceChildren(mentions, facts);
    await Promise.all([showMentions(mentions, graph, text, signal), showFacts(facts, graph, text, signal)]);
  }

  async function showMentions(place, graph, text, signal) {
    try {
      const found = await post(graphPath(graph, "/mentions"), { text }, { signal });
      if (!found.mentions.length) return place.replaceChildren(empty("No entity of this graph is mentioned in this text.", "Try another graph, or a text that uses its names."));
      place.replaceChildren(h("h2", {}, count(found.count, "mention")), legend(found.mentions), marked(text, found.mentions, graph), mentionTable(graph, found.mentions));
    } catch (error) {
      if (error.name !== "AbortError") place.replaceChildren(failed(error, { again: run }));
    }
  }

  async function showFacts(place, graph, text, signal) {
    if (!context.server().extraction) return place.replaceChildren(h("p", { class: "quiet" }, "This server has no extraction model: run “clew models get small” there and restart it to extract triples."));
    place.replaceChildren(loading("Extracting triples"));
    try {
      const { total, facts } = await post("/api/extract", { text }, { signal });
      if (!total) return place.replaceChildren(empty("No triple was extracted from this text.", "The model states only what one sentence says of two entities that it knows."));
      place.replaceChildren(factTable(graph, facts));
    } catch (error) {
      if (error.name !== "AbortError") place.replaceChildren(failed(error, { again: run }));
    }
  }

  async function show() {
    counted();
    if (field.value.trim() && !result.children.length) await run();
  }

  return { element, show, focus: () => field.focus(), leave: () => working.stop() };
}

function legend(mentions) {
  const types = new Map();
  for (const { best } of mentions) if (best) types.set(best.type, (types.get(best.type) ?? 0) + 1);
  const entries = [...types].sort((one, other) => other[1] - one[1]).map(([type, total]) => {
    return h("li", {}, typeDot(type), type, " ", h("span", { class: "count" }, number(total)));
  });
  const marks = new Set(mentions.flatMap(marksOf));
  return h("ul", { class: "legend", "aria-label": "Legend" }, entries, [...marks].map((each) => h("li", {}, h("span", { class: `mention ${each}` }, each === "negated" ? h("s", {}, each) : each))));
}

function mentionTable(graph, mentions) {
  return table("Mentions", [
    { name: "text", value: (each) => each.text },
    { name: "entity", value: (each) => each.best?.name, cell: (each) => (each.best ? entityLink(graph, each.best) : "not linked") },
    { name: "type", value: (each) => each.best?.type },
    { name: "id", value: (each) => each.best?.id, cell: (each) => (each.best ? cited(each.best.id) : "") },
    { name: "marks", value: (each) => marksOf(each).join(", ") },
    { name: "matched by", value: (each) => each.best?.reason },
  ], mentions, { file: "mentions" });
}

function factTable(graph, facts) {
  return table("Extracted triples", [
    { name: "subject", value: (each) => each.subject_name, cell: (each) => h("span", { title: each.subject }, each.subject_name) },
    { name: "relation", value: (each) => each.relation, cell: (each) => relationWords(each.relation) },
    { name: "object", value: (each) => each.object_name, cell: (each) => h("span", { title: each.object }, each.object_name) },
    { name: "confidence", value: (each) => Math.round(each.confidence * 100) / 100, numeric: true },
    { name: "known", value: (each) => (each.known ? "known" : "new") },
    { name: "sentence", value: (each) => each.sentence },
  ], facts, { file: "extracted" });
}
