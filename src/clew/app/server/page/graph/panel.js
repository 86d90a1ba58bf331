// Beside the drawing: details of what the reader points at.
import { h, latest } from "../ui/dom.js";
import { cited } from "../ui/links.js";
import { failed, loading } from "../ui/notice.js";
import { count, number, relationWords } from "../ui/words.js";
import { write } from "../state/address.js";
import { typeDot } from "./palette.js";
import { tripleParts, withAssertions } from "./provenance.js";

const MOST_TRIPLES = 8;
const MOST_MEMBERS = 60;
const PAUSE = 90; // milliseconds over a line before its sources are fetched

// actions: expand(entity), openGroup(box), choose(entity id), pinLine(line)
export function makePanel({ graph, snapshot, model, actions }) {
  const element = h("aside", { class: "panel", "aria-live": "polite", "aria-label": "Details" });
  const fetching = latest();
  let timer = 0;

  function intro() {
    return [
      h("p", { class: "quiet" }, "Point at a line for its sources, at an entity for its triples. Click to pin, Esc to release; double-click or Enter expands."),
    ];
  }

  function show(selection) {
    clearTimeout(timer);
    fetching.stop();
    if (!selection) return element.replaceChildren(...intro());
    if (selection.line) return showTriples(selection.line.triples);
    element.replaceChildren(...(selection.box.entity ? entityParts(selection.box.entity) : groupParts(selection.box)));
  }

  function showTriples(triples) {
    const some = triples.slice(0, MOST_TRIPLES);
    const rest = triples.length - some.length;
    const fill = () => element.replaceChildren(...some.map(tripleParts), rest > 0 ? h("p", { class: "quiet" }, `and ${count(rest, "more triple")}`) : "");
    if (some.every((each) => each.assertions)) return fill();
    element.replaceChildren(loading("Fetching sources"));
    timer = setTimeout(async () => {
      try {
        await withAssertions(graph, snapshot, some, { signal: fetching.start() });
        fill();
      } catch (error) {
        if (error.name !== "AbortError") element.replaceChildren(failed(error, { again: () => showTriples(triples) }));
      }
    }, PAUSE);
  }

  function entityParts(entity) {
    const triples = model.triplesOf(entity.id);
    return [
      title(entity.name, entity.type),
      h("p", { class: "quiet" }, entity.type, " · ", cited(entity.id)),
      h("p", { class: "row" },
        entity.expanded ? null : h("button", { type: "button", class: "small", onclick: () => actions.expand(entity) }, "Expand"),
        h("a", { class: "button small", href: write("explore", { graph, entity: entity.id }) }, "Open in Explore")),
      h("h4", {}, `${count(triples.length, "triple")} in this drawing`),
      h("ul", { class: "plain-list" }, triples.slice(0, MOST_MEMBERS).map((each) => {
        const out = each.subject === entity.id;
        return h("li", {}, h("button", { type: "button", class: "link", onclick: () => showTriples([each]) }, `${out ? "→" : "←"} ${relationWords(each.relation)} `, h("b", {}, out ? each.object_name : each.subject_name)));
      })),
    ];
  }

  function groupParts(box) {
    return [
      title(`${number(box.members.length)} more`, box.type),
      h("p", { class: "quiet" }, `${box.type}; grouped so that the drawing stays readable.`),
      h("p", { class: "row" }, h("button", { type: "button", class: "small", onclick: () => actions.openGroup(box) }, box.members.length <= 20 ? "Show all" : "Show 20 of them")),
      h("ul", { class: "plain-list" }, box.members.slice(0, MOST_MEMBERS).map((each) => h("li", {}, h("button", { type: "button", class: "link", onclick: () => actions.choose(each.id) }, each.name)))),
      box.members.length > MOST_MEMBERS ? h("p", { class: "quiet" }, `and ${number(box.members.length - MOST_MEMBERS)} more`) : null,
    ].filter(Boolean);
  }

  show(null);
  return { element, show };
}

function title(name, type) {
  return h("h3", {}, typeDot(type), name);
}
