// What of a graph is drawn: all of a small one; of a large one the first entities, and the rest in groups by type.

export const WHOLE = 30; // up to this many entities nothing is grouped
const FIRST = 14; // entities drawn one by one beside groups
export const REVEAL = 20; // more of a group with every opening

// shown: ids that the reader asked to see. Gives { entities, groups, lines }, each drawable with a `key`.
export function arrange(graph, { grouped, shown = new Set() }) {
  const ranked = [...graph.entities.values()].sort((one, other) => order(one, shown) - order(other, shown) || one.rank - other.rank);
  const whole = !grouped || ranked.length <= WHOLE;
  const limit = whole ? ranked.length : Math.max(FIRST, ranked.filter((each) => order(each, shown) === 0).length);
  const alone = new Set(ranked.slice(0, limit));
  const byType = new Map();
  for (const entity of ranked.slice(limit)) {
    if (!byType.has(entity.type)) byType.set(entity.type, []);
    byType.get(entity.type).push(entity);
  }
  for (const [type, members] of byType) {
    if (members.length > 1) continue;
    alone.add(members[0]);
    byType.delete(type);
  }
  const entities = [...alone].map((entity) => ({ key: entity.id, entity, type: entity.type, label: entity.name, members: [entity] }));
  const groups = [...byType].map(([type, members]) => ({
    key: `group ${type}`, entity: null, type, members, label: `${members.length.toLocaleString("en")} more · ${type}`,
  }));
  const places = new Map();
  for (const each of [...entities, ...groups]) for (const member of each.members) places.set(member.id, each.key);
  return { entities, groups, lines: linesBetween(graph, places) };
}

function order(entity, shown) {
  return entity.role === "named" || shown.has(entity.id) ? 0 : 1;
}

// One line for all triples between two drawn places; triples inside a group are not drawn.
function linesBetween(graph, places) {
  const lines = new Map();
  for (const triple of graph.triples.values()) {
    const [from, to] = [places.get(triple.subject), places.get(triple.object)];
    if (from === to) continue;
    const key = from < to ? `${from}\n${to}` : `${to}\n${from}`;
    if (!lines.has(key)) lines.set(key, { key, from, to, triples: [], both: false });
    const line = lines.get(key);
    line.triples.push(triple);
    if (line.from !== from) line.both = true;
  }
  return [...lines.values()].map((line) => ({ ...line, ...describe(line.triples) }));
}

function describe(triples) {
  const relations = new Set(triples.map((each) => each.relation));
  const origins = new Set(triples.map((each) => each.origin));
  const name = relations.size === 1 ? [...relations][0] : `${relations.size} relations`;
  return {
    label: triples.length === 1 || relations.size > 1 ? name : `${name} × ${triples.length}`,
    origin: origins.size === 1 ? [...origins][0] : "curated",
    negated: triples.every((each) => each.negated),
  };
}
