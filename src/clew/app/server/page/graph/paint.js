// Draws a scene on a canvas: names in boxes, or dots with the names that have room.
import { colourOf } from "./palette.js";
import { HEIGHT, pointAt } from "./scene.js";

const FAMILY = '"Inter", system-ui, sans-serif';
const BATCH = 48; // lines in one path: software rendering is fastest with paths that are neither single nor huge
const LABELS = 36; // names beside dots, at most
const LABELLED_LINES = 24; // up to this many lines relations are named
const MANY = 600; // lines; from there on they are drawn faintly

export function paint(context, scene, camera, inks) {
  context.setTransform(camera.k, 0, 0, camera.k, camera.x, camera.y);
  paintLines(context, scene.lines, camera, inks, { dots: scene.dots });
  if (scene.dots) return paintDots(context, scene.boxes, camera, inks);
  for (const box of scene.boxes) paintBox(context, box, inks);
  if (scene.lines.length <= LABELLED_LINES) paintLabels(context, scene.lines, scene.boxes, inks);
}

// The boxes and lines that the reader points at, over a veil that dims the rest.
export function paintChosen(context, scene, camera, inks, { boxes, lines, found }, size) {
  context.setTransform(1, 0, 0, 1, 0, 0);
  if (boxes.size || lines.length) {
    context.globalAlpha = 0.72;
    context.fillStyle = inks.ground;
    context.fillRect(0, 0, size.width, size.height);
    context.globalAlpha = 1;
  }
  context.setTransform(camera.k, 0, 0, camera.k, camera.x, camera.y);
  paintLines(context, lines, camera, inks, { dots: scene.dots, strong: true });
  if (!scene.dots) paintLabels(context, lines, scene.boxes, inks);
  else if (lines.length <= LABELLED_LINES) paintLabels(context, lines, [], inks, 1 / camera.k);
  for (const box of found) paintRing(context, box, scene.dots, camera, inks.found);
  if (scene.dots) {
    paintDots(context, [...boxes], camera, inks, { all: boxes.size <= 40 });
  } else for (const box of boxes) paintBox(context, box, inks);
  const [chosen] = boxes;
  if (chosen) paintRing(context, chosen, scene.dots, camera, inks.accent);
}

function paintLines(context, lines, camera, inks, { dots, strong = false }) {
  const thin = dots ? 1 / camera.k : 1.3;
  context.globalAlpha = lines.length > MANY ? 0.45 : 1;
  for (const [style, dashes] of [["curated", []], ["other", [9, 3]], ["extracted", [6, 4]], ["negated", [2, 3]]]) {
    const some = lines.filter((each) => styleOf(each) === style);
    context.strokeStyle = context.fillStyle = strong && style !== "negated" && style !== "extracted" ? inks.ink : { extracted: inks.extracted, negated: inks.negated }[style] ?? inks.line;
    context.lineWidth = strong ? thin * 1.5 : thin;
    context.setLineDash(dashes.map((each) => (dots ? each / camera.k : each)));
    for (let start = 0; start < some.length; start += BATCH) {
      context.beginPath();
      for (const { curve } of some.slice(start, start + BATCH)) {
        context.moveTo(curve[0], curve[1]);
        if (dots) context.lineTo(curve[6], curve[7]);
        else context.bezierCurveTo(...curve.slice(2));
      }
      context.stroke();
    }
    context.setLineDash([]);
    if (!dots) for (const line of some) paintArrows(context, line);
    else if (strong && lines.length < 200) for (const line of some) paintDotArrow(context, line, camera);
  }
  context.globalAlpha = 1;
}

function styleOf(line) {
  return line.negated ? "negated" : line.origin;
}

function paintArrows(context, { curve, from, to, both }) {
  const apart = Math.abs(from.x - to.x) > (from.width + to.width) / 2;
  const sign = !apart ? -1 : from.x < to.x ? 1 : -1;
  arrow(context, curve[6], curve[7], sign, 0);
  if (both) arrow(context, curve[0], curve[1], apart ? -sign : -1, 0);
}

function paintDotArrow(context, { from, to }, camera) {
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  const [dx, dy] = [(to.x - from.x) / length, (to.y - from.y) / length];
  arrow(context, to.x - dx * to.radius, to.y - dy * to.radius, dx, dy, 1 / camera.k);
}

function arrow(context, x, y, dx, dy, scale = 1) {
  const [long, half] = [7 * scale, 3.6 * scale];
  context.beginPath();
  context.moveTo(x, y);
  context.lineTo(x - dx * long - dy * half, y - dy * long + dx * half);
  context.lineTo(x - dx * long + dy * half, y - dy * long - dx * half);
  context.fill();
}

// Lines that fan out from one box and say the same are labelled once, near the middle of the fan, where there is room.
function paintLabels(context, lines, boxes, inks, scale = 1) {
  const fans = new Map();
  for (const line of lines) {
    const busy = line.from.degree >= line.to.degree ? line.from : line.to;
    const key = `${busy.key}\n${line.negated}\n${line.label.replace(/ × .*/, "")}\n${Math.sign(line.from.x - line.to.x)}`;
    fans.set(key, [...(fans.get(key) ?? []), line]);
  }
  const taken = boxes.map(({ x, y, width }) => ({ x, y, width, height: HEIGHT }));
  for (const fan of fans.values()) {
    fan.sort((one, other) => one.from.y + one.to.y - other.from.y - other.to.y);
    paintLabel(context, fan[fan.length >> 1], taken, inks, scale);
  }
}

function paintLabel(context, line, taken, inks, scale) {
  const text = line.negated ? `not ${line.label}` : line.label;
  context.font = `${11 * scale}px ${FAMILY}`;
  const [width, height] = [context.measureText(text).width + 8 * scale, 16 * scale];
  const free = ({ x, y }) => !taken.some((each) => Math.abs(each.x - x) < (each.width + width) / 2 && Math.abs(each.y - y) < (each.height + height) / 2);
  const place = [0.5, 0.4, 0.6, 0.3, 0.7].map((t) => pointAt(line.curve, t)).find(free);
  if (!place) return; // no room: pointing at the line names the relation
  taken.push({ ...place, width, height });
  context.fillStyle = inks.ground;
  context.fillRect(place.x - width / 2, place.y - height / 2, width, height);
  context.fillStyle = line.negated ? inks.negated : inks.quiet;
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.fillText(text, place.x, place.y);
}

function paintBox(context, box, inks) {
  const { line, tint } = colourOf(box.type);
  const [left, top] = [box.x - box.width / 2, box.y - HEIGHT / 2];
  const named = box.entity?.role === "named";
  if (!box.entity) {
    outline(context, left + 4, top + 4, box.width);
    context.fillStyle = tint;
    context.strokeStyle = line;
    context.lineWidth = 1;
    context.fill();
    context.stroke();
  }
  outline(context, left, top, box.width);
  context.fillStyle = named ? line : box.entity && box.entity.role !== "item" ? inks.ground : tint;
  context.strokeStyle = line;
  context.lineWidth = 1.4;
  context.fill();
  context.stroke();
  context.font = `500 13px ${FAMILY}`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.fillStyle = named ? inks.ground : inks.ink;
  context.fillText(box.text, box.x, box.y + 0.5);
}

function outline(context, left, top, width) {
  context.beginPath();
  context.roundRect(left, top, width, HEIGHT, 7);
}

function paintRing(context, box, dots, camera, colour) {
  context.strokeStyle = colour;
  context.lineWidth = dots ? 2.5 / camera.k : 2.5;
  context.beginPath();
  if (dots) context.arc(box.x, box.y, box.radius + 3 / camera.k, 0, 2 * Math.PI);
  else context.roundRect(box.x - box.width / 2 - 3, box.y - HEIGHT / 2 - 3, box.width + 6, HEIGHT + 6, 10);
  context.stroke();
}

function paintDots(context, boxes, camera, inks, { all = false } = {}) {
  const byType = new Map();
  for (const box of boxes) byType.set(box.type, [...(byType.get(box.type) ?? []), box]);
  for (const [type, some] of byType) {
    context.fillStyle = colourOf(type).line;
    for (let start = 0; start < some.length; start += BATCH) {
      context.beginPath();
      for (const { x, y, radius } of some.slice(start, start + BATCH)) {
        context.moveTo(x + radius, y);
        context.arc(x, y, radius, 0, 2 * Math.PI);
      }
      context.fill();
    }
  }
  paintNames(context, boxes, camera, inks, all);
}

// Names of the most connected dots first, where they do not overlap.
function paintNames(context, boxes, camera, inks, all) {
  const ratio = camera.ratio ?? 1;
  const size = 11.5 * ratio;
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.font = `500 ${size}px ${FAMILY}`;
  context.textAlign = "left";
  context.textBaseline = "middle";
  context.lineWidth = 3 * ratio;
  context.strokeStyle = inks.ground;
  context.lineJoin = "round";
  const taken = [];
  const most = all ? boxes.length : LABELS;
  for (const box of [...boxes].sort((one, other) => rank(one) - rank(other) || other.degree - one.degree)) {
    if (taken.length >= most) break;
    const [x, y] = [(box.x + box.radius) * camera.k + camera.x + 4 * ratio, box.y * camera.k + camera.y];
    if (x < -50 || y < 0 || x > context.canvas.width || y > context.canvas.height) continue;
    const right = x + context.measureText(box.text).width;
    if (taken.some((other) => x < other.right && right > other.x && Math.abs(y - other.y) < size * 1.2)) continue;
    taken.push({ x, y, right });
    context.strokeText(box.text, x, y);
    context.fillStyle = inks.ink;
    context.fillText(box.text, x, y);
  }
  context.setTransform(camera.k, 0, 0, camera.k, camera.x, camera.y);
}

function rank(box) {
  return box.first ? 0 : 1;
}
