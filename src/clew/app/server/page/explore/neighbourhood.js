// The entities around one: how many hops, which direction and relation, how many at most.
import { get, graphPath } from "../server/api.js";
import { drawing } from "../graph/drawing.js";
import { DrawnGraph } from "../graph/model.js";
import { triplesTable } from "../ask/answer.js";
import { h } from "../ui/dom.js";
import { empty } from "../ui/notice.js";
import { number } from "../ui/words.js";

export const LIMITS = [50, 200, 500, 2000];

export async function neighbourhood(graph, entity, { hops = 1, direction = "both", relation, layer, limit = 200 }, { signal } = {}) {
  const near = await get(graphPath(graph, "/neighbourhood"), { id: entity.id, k: hops, direction, relation, layer, limit, triples: 2 * limit }, { signal });
  const model = new DrawnGraph();
  const seeds = new Set(near.seeds.map((each) => each.id));
  near.entities.forEach((each, at) => model.addEntity(each, { role: seeds.has(each.id) ? "named" : null, rank: seeds.has(each.id) ? -1 : at }));
  for (const each of near.triples) model.addTriple(each);
  byConnections(model);
  if (model.entities.size < 2) return [empty(`${entity.name} has no neighbours here.`, "Choose both directions, another relation or more hops.")];
  const note = near.truncated ? `of ${number(near.count)} entities within ${hops === 1 ? "1 hop" : `${hops} hops`}` : null;
  return [
    drawing({ graph, snapshot: near.snapshot, model, label: `Neighbourhood of ${entity.name}`, sided: true, note, file: "neighbourhood" }),
    triplesTable(graph, [...model.triples.values()], { file: "neighbourhood" }),
  ];
}

// Nearest first as the server lists them; the more triples the earlier.
function byConnections(model) {
  for (const entity of model.entities.values()) {
    if (entity.role !== "named") entity.rank -= 1000 * (model.neighbours.get(entity.id).size - 1);
  }
  for (const entity of model.entities.values()) if (entity.role === "named") entity.rank = -Infinity;
}

export function controls(values, change) {
  const pick = (label, name, choices) => h("label", {}, label, " ", h("select", { "aria-label": label, onchange: (event) => change({ [name]: event.currentTarget.value }) },
    choices.map(([value, words]) => h("option", { value, selected: String(values[name] ?? choices[0][0]) === String(value) }, words))));
  return h("div", { class: "options" },
    pick("Hops", "hops", [["", "1"], ["2", "2"], ["3", "3"]]),
    pick("Direction", "direction", [["", "both"], ["out", "outgoing"], ["in", "incoming"]]),
    pick("Statements", "layer", [["", "all"], ["curated", "curated only"], ["no-extracted", "none extracted"]]),
    pick("At most", "limit", [["", "200"], ...LIMITS.filter((each) => each !== 200).map((each) => [String(each), number(each)])]));
}
