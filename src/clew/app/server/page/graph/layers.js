// Places in columns, for graphs that are read: column = hops from the first entities, rows ordered to cross little.

const ROW = 40;
const GAP = { wide: 124, narrow: 44 }; // between columns, for lines and their labels
const ROWS = { wide: 15, narrow: 40 }; // longer columns are split
const SWEEPS = 6;

// boxes: [{ key, width, first, last }]; lines: [{ from, to }]. sided: incoming lines of the first go left, others right.
export function layers(boxes, lines, { sided = false, narrow = false } = {}) {
  const room = narrow ? "narrow" : "wide";
  const near = new Map(boxes.map((each) => [each.key, new Set()]));
  for (const { from, to } of lines) {
    near.get(from).add(to);
    near.get(to).add(from);
  }
  const columns = split(inColumns(boxes, near, firsts(boxes, lines), sided ? sides(boxes, lines) : null), ROWS[room]);
  order(columns, near);
  const places = new Map();
  let x = 0;
  for (const column of columns) {
    const width = Math.max(...column.map((each) => each.width));
    column.forEach((each, row) => places.set(each.key, { x: x + width / 2, y: (row - (column.length - 1) / 2) * ROW }));
    x += width + GAP[room];
  }
  return places;
}

// Where columns begin; of two first entities that a triple connects, its subject.
function firsts(boxes, lines) {
  const keys = new Set(boxes.filter((each) => each.first).map((each) => each.key));
  for (const { from, to } of lines) if (keys.has(from) && keys.has(to)) keys.delete(to);
  return keys.size ? [...keys] : boxes.slice(0, 1).map((each) => each.key);
}

function inColumns(boxes, near, first, side) {
  const distance = new Map();
  let frontier = first;
  for (const key of frontier) distance.set(key, 0);
  while (frontier.length) {
    const next = [];
    for (const key of frontier) {
      for (const other of near.get(key)) {
        if (distance.has(other)) continue;
        const sign = distance.get(key) ? Math.sign(distance.get(key)) : side?.get(other) ?? 1;
        distance.set(other, distance.get(key) + sign);
        next.push(other);
      }
    }
    frontier = next;
  }
  const last = Math.max(0, ...boxes.filter((each) => !each.last).map((each) => distance.get(each.key) ?? 0)) + 1;
  const columns = new Map();
  for (const each of boxes) {
    const at = each.last ? last : distance.get(each.key) ?? last; // the end of paths, or not connected with the first
    if (!columns.has(at)) columns.set(at, []);
    columns.get(at).push(each);
  }
  return [...columns].sort((one, other) => one[0] - other[0]).map(([, column]) => column);
}

function sides(boxes, lines) {
  const first = new Set(boxes.filter((each) => each.first).map((each) => each.key));
  const side = new Map();
  for (const { from, to } of lines) {
    if (first.has(to) && !first.has(from)) side.set(from, -1);
    if (first.has(from) && !first.has(to)) side.set(to, 1);
  }
  return side;
}

function split(columns, rows) {
  return columns.flatMap((column) => {
    const parts = Math.ceil(column.length / rows);
    const size = Math.ceil(column.length / parts);
    return Array.from({ length: parts }, (_, at) => column.slice(at * size, (at + 1) * size));
  });
}

// Barycentres, to and fro: each entity moves towards the middle of its neighbours in the other columns.
function order(columns, near) {
  const row = new Map();
  const number = () => columns.forEach((column) => column.forEach((each, at) => row.set(each.key, at - (column.length - 1) / 2)));
  number();
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    for (const column of sweep % 2 ? [...columns].reverse() : columns) {
      const own = new Set(column.map((each) => each.key));
      const middle = new Map(column.map((each) => {
        const others = [...near.get(each.key)].filter((key) => !own.has(key)).map((key) => row.get(key));
        return [each.key, others.length ? others.reduce((sum, value) => sum + value, 0) / others.length : row.get(each.key)];
      }));
      column.sort((one, other) => middle.get(one.key) - middle.get(other.key));
      column.forEach((each, at) => row.set(each.key, at - (column.length - 1) / 2));
    }
  }
}
