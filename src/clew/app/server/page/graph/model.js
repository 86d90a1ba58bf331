// The entities and triples of one drawing; more can be added when an entity is expanded.

export class DrawnGraph {
  constructor() {
    this.entities = new Map(); // id -> { id, name, type, role, rank, expanded }
    this.triples = new Map(); // number -> a triple as the server lists it, with assertions or without
    this.neighbours = new Map(); // id -> Map of neighbour id -> [triple numbers]
  }

  // role: "named" (of the question), "item" (of the answer) or null; a lower rank is drawn first; `last`: the end of paths.
  addEntity({ id, name, type }, { role = null, rank = Infinity } = {}) {
    const known = this.entities.get(id);
    if (known) {
      known.role ??= role;
      known.rank = Math.min(known.rank, rank);
      if (type) known.type = type;
      return known;
    }
    const entity = { id, name, type, role, rank, expanded: false, last: false };
    this.entities.set(id, entity);
    this.neighbours.set(id, new Map());
    return entity;
  }

  addTriple(triple, { rank = Infinity } = {}) {
    this.addEntity({ id: triple.subject, name: triple.subject_name, type: triple.subject_type }, { rank });
    this.addEntity({ id: triple.object, name: triple.object_name, type: triple.object_type }, { rank });
    if (this.triples.has(triple.triple)) return;
    this.triples.set(triple.triple, triple);
    this.#join(triple.subject, triple.object, triple.triple);
    if (triple.subject !== triple.object) this.#join(triple.object, triple.subject, triple.triple);
  }

  triplesOf(id) {
    return [...new Set([...this.neighbours.get(id).values()].flat())].map((each) => this.triples.get(each));
  }

  typeCounts() {
    const counts = new Map();
    for (const { type } of this.entities.values()) counts.set(type, (counts.get(type) ?? 0) + 1);
    return [...counts].sort((one, other) => other[1] - one[1]);
  }

  #join(from, to, number) {
    const joined = this.neighbours.get(from);
    if (joined.has(to)) joined.get(to).push(number);
    else joined.set(to, [number]);
  }
}
