// Paths between two entities: ranked, as lines of names and as a drawing.
import { graphPath, post } from "../server/api.js";
import { drawing } from "../graph/drawing.js";
import { DrawnGraph } from "../graph/model.js";
import { entityLink, triplesTable } from "../ask/answer.js";
import { h } from "../ui/dom.js";
import { empty } from "../ui/notice.js";
import { count, number, relationWords } from "../ui/words.js";

const MOST = 25;

export async function paths(graph, { from, to, hops = "3", direction = "both" }, { signal } = {}) {
  const found = await post(graphPath(graph, "/paths"), { source: from, target: to, k: Number(hops), direction, limit: MOST }, { signal });
  const { source, target } = found;
  if (!found.paths.length) {
    return { found, parts: [empty(`No path of up to ${count(Number(hops), "hop")} connects ${source.name} and ${target.name}.`, direction === "both" ? "Allow more hops." : "Allow more hops, or both directions.")] };
  }
  const numbers = [...new Set(found.paths.flatMap((path) => path.triples.map((each) => each.triple)))];
  const { triples } = await post(graphPath(graph, "/triples"), { snapshot: found.snapshot, numbers }, { signal });
  const model = new DrawnGraph();
  triples.forEach((each, at) => model.addTriple(each, { rank: at }));
  Object.assign(model.entities.get(source.id), { role: "named", rank: -1 });
  Object.assign(model.entities.get(target.id), { role: "named", rank: -1, last: true });
  const types = new Map([...model.entities.values()].map((each) => [each.id, each.type]));
  const total = found.truncated ? `${number(found.paths.length)} best paths of ${found.count_kind === "exact" ? "" : "up to "}${number(found.count)}` : count(found.paths.length, "path");
  return { found, parts: [
    h("h2", {}, `${total} from ${source.name} to ${target.name}`),
    h("ol", { class: "paths" }, found.paths.map((path) => h("li", {}, pathLine(graph, source, path, types)))),
    drawing({ graph, snapshot: found.snapshot, model, label: `Paths from ${source.name} to ${target.name}`, file: "paths" }),
    triplesTable(graph, triples, { file: "paths" }),
  ] };
}

function pathLine(graph, source, path, types) {
  const link = (id, name) => entityLink(graph, { id, name, type: types.get(id) });
  return [
    link(source.id, source.name),
    path.triples.map((each) => [
      h("span", { class: "relation" }, each.forward ? ` ${relationWords(each.relation)} → ` : ` ← ${relationWords(each.relation)} `),
      each.forward ? link(each.object, each.object_name) : link(each.subject, each.subject_name),
    ]),
  ];
}
