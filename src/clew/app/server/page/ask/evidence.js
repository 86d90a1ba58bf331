// The evidence of an answer as a graph: entities of the question first, then the items in order with their supports.
import { get, graphPath, post } from "../server/api.js";
import { DrawnGraph } from "../graph/model.js";

const MOST = 4000; // triples of one request

export async function evidenceModel(answer, { signal } = {}) {
  const cited = answer.evidence.triples;
  if (!cited.length) return answer.named.length ? alone(answer, signal) : null;
  const numbers = cited.slice(0, MOST).map((each) => each.triple);
  const { triples } = await post(graphPath(answer.graph, "/triples"), { snapshot: answer.snapshot, numbers }, { signal });
  const byNumber = new Map(triples.map((each) => [each.triple, each]));
  const model = new DrawnGraph();
  let rank = 0;
  const items = new Map(answer.items.map((each, at) => [each.id, at]));
  const supports = [...answer.evidence.supports].sort((one, other) => (items.get(one.item) ?? 1e9) - (items.get(other.item) ?? 1e9));
  for (const support of supports) {
    for (const number of support.triples) {
      const triple = byNumber.get(number);
      if (triple) model.addTriple(triple, { rank: rank++ });
    }
  }
  for (const triple of triples) model.addTriple(triple, { rank: rank++ });
  for (const id of answer.named) if (model.entities.has(id)) Object.assign(model.entities.get(id), { role: "named", rank: -1 });
  if (answer.kind === "path") for (const id of answer.named.slice(1)) if (model.entities.has(id)) model.entities.get(id).last = true;
  for (const id of items.keys()) if (model.entities.has(id)) model.entities.get(id).role ??= "item";
  return model;
}

// Without evidence there are still the entities of the question, to be expanded.
async function alone(answer, signal) {
  const model = new DrawnGraph();
  for (const id of answer.named.slice(0, 8)) {
    model.addEntity(await get(graphPath(answer.graph, "/entity"), { id }, { signal }), { role: "named", rank: -1 });
  }
  return model;
}
