// The evidence graph with its tools: search, grouping, fit, legend, details, download.
import { ServerError, get, graphPath, open } from "../server/api.js";
import { h, icon, latest } from "../ui/dom.js";
import { save } from "../ui/download.js";
import { failed, loading } from "../ui/notice.js";
import { count, number } from "../ui/words.js";
import { REVEAL, WHOLE, arrange } from "./grouping.js";
import { typeDot } from "./palette.js";
import { makePanel } from "./panel.js";
import { makeScene } from "./scene.js";
import { GraphView } from "./view.js";

const NEIGHBOURS = 60; // entities that one expansion brings
const FIRST_NEIGHBOURS = 8; // of them, drawn at once; the rest in groups
const NARROW = 560; // pixels
const MOST_DRAWN_TRIPLES = 300; // in the downloaded drawing

// model: a DrawnGraph. Gives a <section>; `sided` puts incoming triples left of the first entity, outgoing ones right.
export function drawing({ graph, snapshot, model, label, sided = false, note = null, file = "evidence" }) {
  const state = { grouped: true, shown: new Set() };
  const layout = latest();
  const status = h("p", { class: "quiet status", role: "status" });
  const legend = h("ul", { class: "legend", "aria-label": "Legend" });
  const panel = makePanel({ graph, snapshot, model, actions: { expand, openGroup, choose } });
  const view = new GraphView({ label, onShow: panel.show, onOpen: (box) => (box.entity ? expand(box.entity) : openGroup(box)) });
  const search = h("input", { type: "search", placeholder: "Find in the graph", "aria-label": "Find in the graph", oninput: find });
  const group = h("button", { type: "button", class: "plain", "aria-pressed": "true", onclick: toggleGroups });
  const section = h(
    "section", { class: "evidence", "aria-label": label },
    h("header", { class: "tools" }, search, h("span", { class: "grow" }), group,
      tool("minus", "Zoom out", () => view.zoom(0.8)), tool("plus", "Zoom in", () => view.zoom(1.25)), tool("fit", "Fit to screen", () => view.fit()),
      h("button", { type: "button", class: "plain", onclick: () => download("svg") }, "SVG"),
      h("button", { type: "button", class: "plain", onclick: () => download("html") }, "HTML")),
    legend,
    h("div", { class: "stage" }, view.element, panel.element),
    status,
  );
  section.view = view; // for tests

  async function redraw({ fit = true } = {}) {
    const arranged = arrange(model, state);
    group.hidden = model.entities.size <= WHOLE;
    group.textContent = state.grouped ? `Show all ${number(model.entities.size)}` : "Group";
    group.setAttribute("aria-pressed", String(state.grouped));
    fillLegend();
    const begun = performance.now();
    if (arranged.entities.length > 200) say(`Arranging ${number(arranged.entities.length)} entities`);
    try {
      const scene = await makeScene(arranged, { sided, narrow: section.clientWidth < NARROW, signal: layout.start() });
      view.show(scene, { fit });
      section.dataset.layout = String(Math.round(performance.now() - begun)); // milliseconds
      section.dataset.drawn = String(scene.boxes.length);
      say([count(model.entities.size, "entity", "entities"), ", ", count(model.triples.size, "triple"), note ? ` · ${note}` : ""].join(""));
    } catch (error) {
      if (error.name !== "AbortError") status.replaceChildren(failed(error, { again: () => redraw() }));
    }
  }

  function say(text) {
    status.textContent = text;
  }

  async function expand(entity) {
    say(`Fetching the neighbours of ${entity.name}`);
    try {
      const near = await get(graphPath(graph, "/neighbourhood"), { id: entity.id, k: 1, limit: NEIGHBOURS, triples: 4 * NEIGHBOURS });
      if (near.snapshot !== snapshot) throw new ServerError({ kind: "SnapshotReplaced", message: "The graph has a new snapshot. Ask again to see it." });
      const own = near.triples.filter((each) => each.subject === entity.id || each.object === entity.id);
      const others = own.map((each) => (each.subject === entity.id ? each.object : each.subject)).filter((id) => !model.entities.has(id));
      for (const each of own) model.addTriple(each, { rank: 1e6 + model.entities.size });
      model.entities.get(entity.id).expanded = true;
      state.shown.add(entity.id);
      for (const id of others.slice(0, FIRST_NEIGHBOURS)) state.shown.add(id);
      await redraw();
      const all = near.count - 1;
      say(others.length ? `${count(others.length, "more entity", "more entities")} around ${entity.name}${near.truncated ? ` of ${number(all)} neighbours; Explore shows the rest` : ""}` : `${entity.name} has no further neighbours.`);
    } catch (error) {
      status.replaceChildren(failed(error, { again: () => expand(entity) }));
    }
  }

  function openGroup(box) {
    for (const each of box.members.slice(0, REVEAL)) state.shown.add(each.id);
    redraw();
  }

  async function choose(id) {
    state.shown.add(id);
    await redraw({ fit: true });
    const box = view.scene.boxes.find((each) => each.key === id);
    if (box) view.pin({ box });
  }

  async function find() {
    const wanted = search.value.trim().toLowerCase();
    if (!wanted) {
      view.find("");
      return say("");
    }
    const hidden = [...model.entities.values()].filter((each) => each.name.toLowerCase().includes(wanted) && !view.scene.boxes.some((box) => box.key === each.id));
    if (hidden.length && wanted.length > 2) {
      for (const each of hidden.slice(0, 10)) state.shown.add(each.id);
      await redraw();
    }
    const total = view.find(wanted);
    say(total ? count(total, "match", "matches") : `Nothing in this drawing is called “${search.value.trim()}”.`);
  }

  function toggleGroups() {
    state.grouped = !state.grouped;
    redraw();
  }

  function fillLegend() {
    const types = model.typeCounts().map(([type, total]) => {
      return h("li", {}, typeDot(type), type, " ", h("span", { class: "count" }, number(total)));
    });
    const triples = [...model.triples.values()];
    const kinds = [["curated", "curated"], ["extracted", "extracted from text"], ["other", "other"]].filter(([origin]) => triples.some((each) => each.origin === origin && !each.negated));
    const lines = kinds.map(([origin, words]) => h("li", {}, h("i", { class: `stroke ${origin}` }), words));
    if (triples.some((each) => each.negated)) lines.push(h("li", {}, h("i", { class: "stroke negated" }), "negated"));
    legend.replaceChildren(...types, ...lines);
  }

  async function download(format) {
    say("Drawing");
    const triples = [...model.triples.keys()].slice(0, MOST_DRAWN_TRIPLES);
    const named = [...model.entities.values()].filter((each) => each.role === "named").map((each) => each.id);
    const items = [...model.entities.values()].filter((each) => each.role === "item").map((each) => each.id);
    try {
      const response = await open(graphPath(graph, "/drawing"), { snapshot, triples, starts: named.slice(0, 100), ends: items.slice(0, 100), title: label, format }, { accept: "*/*" });
      save(`${file}.${format}`, response.headers.get("Content-Type"), await response.text());
      say(triples.length < model.triples.size ? `The file holds the first ${number(triples.length)} triples.` : "");
    } catch (error) {
      status.replaceChildren(failed(error));
    }
  }

  addEventListener("clew-theme", fillLegend);
  status.replaceChildren(loading("Arranging"));
  setTimeout(redraw); // when it stands on the page and has a width
  return section;
}

function tool(name, label, run) {
  return h("button", { type: "button", class: "plain square", "aria-label": label, title: label, onclick: run }, icon(name));
}
