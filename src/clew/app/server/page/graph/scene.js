// A scene: the boxes and lines that are drawn, with places. Up to MOST_READ boxes in columns with names, more as dots.
import { force } from "./force.js";
import { layers } from "./layers.js";

export const MOST_READ = 64;
export const HEIGHT = 28;
const LONGEST = { wide: 216, narrow: 150 };
const FONT = '500 13px "Inter", system-ui, sans-serif';
const measure = document.createElement("canvas").getContext("2d");

// arranged: what `arrange` gives. Promise of { boxes, lines, dots, bounds }.
export async function makeScene(arranged, { sided = false, narrow = false, signal } = {}) {
  const longest = LONGEST[narrow ? "narrow" : "wide"];
  const boxes = [...arranged.entities, ...arranged.groups].map((each) => ({ ...each, ...fitted(each.label, longest), first: each.entity?.role === "named" && !each.entity.last, last: each.entity?.last }));
  const dots = boxes.length > MOST_READ;
  const places = dots ? await byForce(boxes, arranged.lines, signal) : layers(boxes, arranged.lines, { sided, narrow });
  const byKey = new Map();
  for (const box of boxes) {
    Object.assign(box, places.get(box.key), { degree: 0 });
    byKey.set(box.key, box);
  }
  const lines = arranged.lines.map((each) => ({ ...each, from: byKey.get(each.from), to: byKey.get(each.to) }));
  for (const { from, to } of lines) {
    from.degree += 1;
    to.degree += 1;
  }
  if (dots) for (const box of boxes) box.radius = Math.min(13, 3.5 + Math.sqrt(box.degree)) + (box.entity ? 0 : 4);
  for (const line of lines) line.curve = dots ? straight(line) : curved(line);
  return { boxes, lines, dots, bounds: boundsOf(boxes, dots) };
}

async function byForce(boxes, lines, signal) {
  const at = new Map(boxes.map((each, number) => [each.key, number]));
  const flat = await force(boxes.length, lines.map(({ from, to }) => [at.get(from), at.get(to)]), { signal });
  return new Map(boxes.map((each, number) => [each.key, { x: flat[2 * number], y: flat[2 * number + 1] }]));
}

function fitted(label, longest) {
  measure.font = FONT;
  let text = label;
  while (measure.measureText(text).width > longest) text = `${text.slice(0, text.endsWith("…") ? -3 : -2)}…`;
  return { text, width: Math.ceil(measure.measureText(text).width) + 24 };
}

function straight({ from, to }) {
  return [from.x, from.y, from.x, from.y, to.x, to.y, to.x, to.y];
}

// A Bézier curve that leaves and enters boxes at their sides: [x0, y0, control, control, x1, y1].
function curved({ from, to }) {
  const apart = Math.abs(from.x - to.x) > (from.width + to.width) / 2;
  if (!apart) {
    const side = Math.max(from.x + from.width / 2, to.x + to.width / 2);
    const bend = side + 26 + Math.abs(from.y - to.y) * 0.12;
    return [from.x + from.width / 2, from.y, bend, from.y, bend, to.y, to.x + to.width / 2, to.y];
  }
  const sign = from.x < to.x ? 1 : -1;
  const [x0, x1] = [from.x + (sign * from.width) / 2, to.x - (sign * to.width) / 2];
  const middle = (x0 + x1) / 2;
  return [x0, from.y, middle, from.y, middle, to.y, x1, to.y];
}

export function pointAt(curve, t) {
  const u = 1 - t;
  const [a, b, c, d] = [u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t];
  return {
    x: a * curve[0] + b * curve[2] + c * curve[4] + d * curve[6],
    y: a * curve[1] + b * curve[3] + c * curve[5] + d * curve[7],
  };
}

function boundsOf(boxes, dots) {
  if (!boxes.length) return { left: 0, top: 0, right: 1, bottom: 1 };
  const half = (each) => (dots ? [each.radius, each.radius] : [each.width / 2, HEIGHT / 2]);
  const extreme = (pick, value) => boxes.reduce((found, each) => pick(found, value(each)), value(boxes[0]));
  return {
    left: extreme(Math.min, (each) => each.x - half(each)[0]),
    right: extreme(Math.max, (each) => each.x + half(each)[0]),
    top: extreme(Math.min, (each) => each.y - half(each)[1]),
    bottom: extreme(Math.max, (each) => each.y + half(each)[1]),
  };
}
