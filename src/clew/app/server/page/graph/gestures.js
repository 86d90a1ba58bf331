// Pointers on the drawing as gestures: one moves or taps, two pinch (zoom and move at once), the wheel zooms.
const TAP = 4; // pixels that a finger or mouse may move in a tap

// actions: at(place) what is there, panBy(dx, dy), zoom(factor, place), tap(found), point(found), open(found).
export function listenToPointers(element, actions) {
  const down = new Map(); // pointer id → its place on the element
  let moved = 0; // pixels since the first pointer came down
  const place = (event) => {
    const { left, top } = element.getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  };
  const release = (event) => {
    down.delete(event.pointerId);
  };
  element.addEventListener("pointerdown", (event) => {
    if (event.button || down.size === 2) return;
    if (!down.size) moved = 0;
    down.set(event.pointerId, place(event));
    if (down.size === 2) moved = Infinity; // never a tap
    element.setPointerCapture(event.pointerId);
  });
  element.addEventListener("pointermove", (event) => {
    const before = down.get(event.pointerId);
    if (!before) {
      if (!down.size) actions.point(actions.at(place(event)));
      return;
    }
    const now = place(event);
    down.set(event.pointerId, now);
    if (down.size === 2) return pinch(before, now, [...down.entries()].find(([id]) => id !== event.pointerId)[1], actions);
    moved += Math.hypot(now.x - before.x, now.y - before.y);
    if (moved > TAP) actions.panBy(now.x - before.x, now.y - before.y);
  });
  element.addEventListener("pointerup", (event) => {
    if (down.has(event.pointerId) && moved <= TAP) actions.tap(actions.at(place(event)));
    release(event);
  });
  element.addEventListener("pointercancel", release);
  element.addEventListener("pointerleave", () => { if (!down.size) actions.point(null); });
  element.addEventListener("dblclick", (event) => actions.open(actions.at(place(event))));
  element.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey && document.activeElement !== element) return;
    event.preventDefault();
    actions.zoom(Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0016)), place(event));
  }, { passive: false });
  for (const name of ["touchstart", "touchmove"]) { // one finger scrolls the page, two are ours
    element.addEventListener(name, (event) => { if (event.touches.length > 1) event.preventDefault(); }, { passive: false });
  }
}

// One finger of two has moved: what was between them stays between them.
function pinch(before, now, other, { panBy, zoom }) {
  const apart = (one) => Math.max(1, Math.hypot(one.x - other.x, one.y - other.y));
  const middle = { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 };
  panBy((now.x - before.x) / 2, (now.y - before.y) / 2);
  zoom(apart(now) / apart(before), middle);
}
