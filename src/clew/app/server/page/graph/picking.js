// What lies at a point of the scene, and which box is next in a direction.
import { HEIGHT, pointAt } from "./scene.js";

const NEAR = 7; // pixels from a line
const STEPS = 14;

export function boxAt(scene, point, camera) {
  const slack = scene.dots ? 5 / camera.k : 2;
  const hit = scene.dots
    ? (each) => Math.hypot(each.x - point.x, each.y - point.y) <= each.radius + slack
    : (each) => Math.abs(each.x - point.x) <= each.width / 2 + slack && Math.abs(each.y - point.y) <= HEIGHT / 2 + slack;
  return scene.boxes.findLast(hit) ?? null;
}

export function lineAt(scene, point, camera) {
  const reach = NEAR / camera.k;
  let [nearest, least] = [null, reach];
  for (const line of scene.lines) {
    const distance = scene.dots ? toSegment(line.curve, point) : toCurve(line.curve, point, reach);
    if (distance < least) [nearest, least] = [line, distance];
  }
  return nearest;
}

function toSegment([x0, y0, , , , , x1, y1], { x, y }) {
  const [dx, dy] = [x1 - x0, y1 - y0];
  const t = Math.min(1, Math.max(0, ((x - x0) * dx + (y - y0) * dy) / (dx * dx + dy * dy || 1)));
  return Math.hypot(x0 + t * dx - x, y0 + t * dy - y);
}

function toCurve(curve, point, reach) {
  const xs = [curve[0], curve[2], curve[4], curve[6]];
  const ys = [curve[1], curve[3], curve[5], curve[7]];
  if (point.x < Math.min(...xs) - reach || point.x > Math.max(...xs) + reach) return Infinity;
  if (point.y < Math.min(...ys) - reach || point.y > Math.max(...ys) + reach) return Infinity;
  let least = Infinity;
  let before = pointAt(curve, 0);
  for (let step = 1; step <= STEPS; step++) {
    const next = pointAt(curve, step / STEPS);
    least = Math.min(least, toSegment([before.x, before.y, 0, 0, 0, 0, next.x, next.y], point));
    before = next;
  }
  return least;
}

// The nearest box in the direction of an arrow key.
export function boxTowards(scene, from, [dx, dy]) {
  if (!from) return scene.boxes.find((each) => each.first) ?? scene.boxes[0] ?? null;
  let [best, least] = [null, Infinity];
  for (const box of scene.boxes) {
    const [x, y] = [box.x - from.x, box.y - from.y];
    const along = x * dx + y * dy;
    const across = Math.abs(x * dy) + Math.abs(y * dx);
    if (along <= 1 || (scene.dots && across > along * 2)) continue;
    const cost = along + 2.2 * across;
    if (cost < least) [best, least] = [box, cost];
  }
  return best;
}
