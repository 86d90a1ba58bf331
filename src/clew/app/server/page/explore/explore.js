// The explore tab: an entity with its neighbourhood, or the paths between two.
import { get, graphPath } from "../server/api.js";
import { go, write } from "../state/address.js";
import { remember } from "../state/history.js";
import { typeClass } from "../graph/palette.js";
import { completeEntity } from "../ui/completion.js";
import { h, icon, latest } from "../ui/dom.js";
import { failed, loading } from "../ui/notice.js";
import { number, relationWords } from "../ui/words.js";
import { card } from "./card.js";
import { controls, neighbourhood } from "./neighbourhood.js";
import { paths } from "./paths.js";

const MOST_RELATIONS = 12;

export function makeExplore(context) {
  const working = latest();
  const entity = h("input", { type: "text", placeholder: "Name or id", "aria-label": "Entity" });
  const from = h("input", { type: "text", placeholder: "From", "aria-label": "From" });
  const to = h("input", { type: "text", placeholder: "To", "aria-label": "To" });
  const hops = h("select", { "aria-label": "Hops" }, ["2", "3", "4", "5"].map((each) => h("option", { value: each, selected: each === "3" }, `up to ${each} hops`)));
  const direction = h("select", { "aria-label": "Direction" }, [["both", "both directions"], ["out", "outgoing only"], ["in", "incoming only"]].map(([value, words]) => h("option", { value }, words)));
  const result = h("div", { class: "result" });
  const openEntity = () => entity.value.trim() && go("explore", { graph: context.graph(), entity: entity.dataset.id ?? entity.value.trim() });
  const element = h("section", { class: "tab" },
    h("div", { class: "finders" },
      h("form", { class: "finder", onsubmit: (event) => { event.preventDefault(); openEntity(); } },
        h("h2", {}, "An entity"), h("div", { class: "row" }, h("div", { class: "complete" }, entity), h("button", { class: "primary", "aria-label": "Show the entity" }, icon("ask")))),
      h("form", { class: "finder", onsubmit: submitPaths },
        h("h2", {}, "Paths between two"), h("div", { class: "row" }, h("div", { class: "complete" }, from), h("div", { class: "complete" }, to), h("button", { class: "primary", "aria-label": "Find paths" }, icon("ask"))),
        h("div", { class: "options" }, hops, direction))),
    result);
  completeEntity(entity, { graph: context.graph, onChoose: openEntity });
  completeEntity(from, { graph: context.graph });
  completeEntity(to, { graph: context.graph });

  function submitPaths(event) {
    event.preventDefault();
    const empty = [from, to].find((each) => !each.value.trim());
    if (empty) return empty.focus();
    const id = (each) => each.dataset.id ?? each.value.trim();
    go("explore", { graph: context.graph(), from: id(from), to: id(to), hops: hops.value, direction: direction.value });
  }

  async function show(values) {
    const signal = working.start();
    try {
      if (values.from && values.to) await showPaths(values, signal);
      else if (values.entity) await showEntity(values, signal);
      else await showContents(signal);
    } catch (error) {
      if (error.name === "AbortError") return;
      const choose = (close) => {
        const id = close.replace(/ \(.*\)$/s, ""); // close names are listed as `id (name)`
        go("explore", { ...values, [values.entity ? "entity" : wrongEnd(error, values)]: id });
      };
      result.replaceChildren(failed(error, { again: () => show(values), choose }));
    }
  }

  async function showEntity(values, signal) {
    result.replaceChildren(loading("Looking it up"));
    const found = await get(graphPath(context.graph(), "/entity"), { id: values.entity }, { signal });
    entity.value = found.name;
    entity.dataset.id = found.id;
    const change = (changed) => go("explore", { ...values, ...changed });
    const place = h("div", { class: "grow" }, loading("Fetching the neighbourhood"));
    const options = { hops: Number(values.hops || 1), direction: values.direction || "both", relation: values.relation, layer: values.layer, limit: Number(values.limit || 200) };
    result.replaceChildren(h("div", { class: "entity-page" },
      card(found, { ...values, onRelation: ({ relation, direction: towards }) => change({ relation, direction: towards }) }),
      h("div", { class: "grow" }, h("h2", {}, "Neighbourhood"), controls(values, change), place)));
    remember({ address: write("explore", values), title: found.name, note: found.type, graph: context.graph() });
    place.replaceChildren(...(await neighbourhood(context.graph(), found, options, { signal })));
  }

  async function showPaths(values, signal) {
    result.replaceChildren(loading("Searching paths"));
    hops.value = values.hops ?? "3";
    direction.value = values.direction ?? "both";
    const { found, parts } = await paths(context.graph(), values, { signal });
    for (const [field, end] of [[from, found.source], [to, found.target]]) {
      field.value = end.name;
      field.dataset.id = end.id;
    }
    result.replaceChildren(...parts);
    remember({ address: write("explore", values), title: `${found.source.name} → ${found.target.name}`, note: String(found.paths.length), graph: context.graph() });
  }

  async function showContents(signal) {
    result.replaceChildren(loading("Reading the graph"));
    const info = await get(graphPath(context.graph()), {}, { signal });
    result.replaceChildren(contents(info));
  }

  return { element, show, focus: () => entity.focus(), leave: () => working.stop() };
}

// The message of an unknown name quotes it: the other end is kept.
function wrongEnd(error, { from }) {
  return error.message.includes(from) ? "from" : "to";
}

function contents(info) {
  const most = Math.max(...Object.values(info.types));
  const types = Object.entries(info.types).sort((one, other) => other[1] - one[1]).map(([type, total]) => {
    const bar = h("i", { class: `bar ${typeClass(type)}` });
    bar.style.width = `${Math.max(1, (100 * total) / most)}%`;
    return h("li", {}, h("span", {}, type), h("span", { class: "bar-place" }, bar), h("span", { class: "numeric" }, number(total)));
  });
  const relations = info.relations.flatMap(({ name, signatures }) => signatures.map((each) => ({ name, ...each }))).sort((one, other) => other.triples - one.triples)
    .map(({ name, subject, object, triples }) => h("li", {}, h("span", {}, subject, " ", h("span", { class: "relation" }, relationWords(name)), " ", object), h("span", { class: "numeric" }, number(triples))));
  const sources = info.sources.map((each) => h("li", {}, h("b", {}, [each.name, each.version].filter(Boolean).join(" ")), " ", h("span", { class: "quiet" }, each.license ?? "")));
  return h("div", { class: "contents" },
    h("section", {}, h("h2", {}, "Types"), h("ul", { class: "bars" }, types)),
    h("section", {}, h("h2", {}, "Relations"), h("ul", { class: "pairs" }, relations.slice(0, MOST_RELATIONS)), relations.length > MOST_RELATIONS ? h("details", {}, h("summary", {}, `${number(relations.length - MOST_RELATIONS)} more`), h("ul", { class: "pairs" }, relations.slice(MOST_RELATIONS))) : null),
    sources.length ? h("section", {}, h("h2", {}, "Sources"), h("ul", { class: "plain-list" }, sources)) : null);
}
