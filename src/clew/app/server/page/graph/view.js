// The drawing on the page: pan, zoom, point, pin and walk through it by keyboard. Large scenes move as a bitmap.
import { h } from "../ui/dom.js";
import { listenToPointers } from "./gestures.js";
import { paint, paintChosen } from "./paint.js";
import { inks } from "./palette.js";
import { boxAt, boxTowards, lineAt } from "./picking.js";

const LARGE = 400; // boxes; above, movement shows a bitmap that is drawn again when it rests
const REST = 160; // milliseconds
const MARGIN = 28;
const NEAREST = 1.25;
const [SHORTEST, TALLEST] = [300, 680]; // pixels, for drawings in columns
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export class GraphView {
  #camera = { k: 1, x: 0, y: 0 };
  #scene = { boxes: [], lines: [], dots: false, bounds: { left: 0, top: 0, right: 1, bottom: 1 } };
  #pointed = null; // { box } or { line }
  #pinned = null;
  #found = [];
  #still = null; // { canvas, camera }: the bitmap of a large scene
  #asked = false;
  #stale = true; // whether more than the marks over the drawing has to be painted
  #resting = 0;
  #ratio = 1;

  // onShow({ box } or { line } or null): what the panel describes; onOpen(box): expand it.
  constructor({ label, onShow, onOpen }) {
    this.onShow = onShow;
    this.onOpen = onOpen;
    this.base = h("canvas", { "aria-hidden": "true" });
    this.over = h("canvas", { "aria-hidden": "true" });
    this.element = h("div", { class: "drawing", tabindex: "0", role: "application", "aria-label": `${label}. Arrow keys move between entities, Enter expands, Escape releases, plus and minus zoom, 0 fits.` }, this.base, this.over);
    this.#listen();
    new ResizeObserver(() => this.#resize()).observe(this.element);
    addEventListener("clew-theme", () => this.repaint());
    document.fonts?.ready.then(() => this.repaint());
  }

  show(scene, { fit = true } = {}) {
    const pinnedKey = this.#pinned?.box?.key;
    this.#scene = scene;
    this.#pointed = null;
    this.#found = [];
    const again = scene.boxes.find((each) => each.key === pinnedKey);
    this.#pinned = again ? { box: again } : null;
    this.element.style.height = scene.dots ? "" : `${this.#heightFor(scene.bounds)}px`;
    if (fit) this.fit();
    else this.repaint();
    this.onShow(this.#pinned);
  }

  get scene() {
    return this.#scene;
  }

  fit() {
    const { width, height } = this.#size();
    const { left, top, right, bottom } = this.#scene.bounds;
    const k = Math.min((width - 2 * MARGIN) / (right - left || 1), (height - 2 * MARGIN) / (bottom - top || 1), NEAREST);
    this.#camera = { k: Math.max(k, 0.02), x: width / 2 - (k * (left + right)) / 2, y: height / 2 - (k * (top + bottom)) / 2 };
    this.repaint();
  }

  zoom(factor, at = null) {
    const { width, height } = this.#size();
    const { x, y } = at ?? { x: width / 2, y: height / 2 };
    const k = Math.min(6, Math.max(0.02, this.#camera.k * factor));
    const change = k / this.#camera.k;
    this.#camera = { k, x: x - (x - this.#camera.x) * change, y: y - (y - this.#camera.y) * change };
    this.#moved();
  }

  panBy(dx, dy) {
    this.#camera = { ...this.#camera, x: this.#camera.x + dx, y: this.#camera.y + dy };
    this.#moved();
  }

  pin(selection) {
    this.#pinned = selection;
    this.onShow(selection ?? this.#pointed);
    this.#request();
  }

  // Marks the boxes whose names hold a text and brings the first into view; gives how many there are.
  find(text) {
    const wanted = text.trim().toLowerCase();
    this.#found = wanted ? this.#scene.boxes.filter((each) => each.label.toLowerCase().includes(wanted) || each.key.toLowerCase() === wanted) : [];
    if (this.#found.length) this.reveal(this.#found[0]);
    this.#request();
    return this.#found.length;
  }

  reveal(box) {
    const { width, height } = this.#size();
    const { k, x, y } = this.#camera;
    const [left, top] = [box.x * k + x, box.y * k + y];
    if (left > MARGIN && top > MARGIN && left < width - MARGIN && top < height - MARGIN && k > 0.5) return;
    const near = Math.max(k, 0.8);
    this.#camera = { k: near, x: width / 2 - box.x * near, y: height / 2 - box.y * near };
    this.repaint();
  }

  repaint() {
    this.#still = null;
    this.#stale = true;
    this.#request();
  }

  // Where a box is on the screen, for tests and for the expand button.
  placeOf(key) {
    const box = this.#scene.boxes.find((each) => each.key === key);
    return box ? { x: box.x * this.#camera.k + this.#camera.x, y: box.y * this.#camera.k + this.#camera.y } : null;
  }

  #heightFor({ left, top, right, bottom }) {
    const k = Math.min((this.#size().width - 2 * MARGIN) / (right - left || 1), 1);
    return Math.min(TALLEST, Math.max(SHORTEST, k * (bottom - top) + 3 * MARGIN));
  }

  #size() {
    return { width: this.element.clientWidth || 600, height: this.element.clientHeight || 400 };
  }

  #resize() {
    this.fit();
  }

  #moved() {
    this.#stale = true;
    if (this.#scene.boxes.length <= LARGE) return this.#request();
    clearTimeout(this.#resting);
    this.#resting = setTimeout(() => this.repaint(), REST);
    this.#request();
  }

  #request() {
    if (this.#asked) return;
    this.#asked = true;
    requestAnimationFrame(() => {
      this.#asked = false;
      this.#paint();
    });
  }

  #paint() {
    const { width, height } = this.#size();
    const large = this.#scene.boxes.length > LARGE;
    this.#ratio = large ? 1 : Math.min(2, devicePixelRatio || 1);
    for (const canvas of [this.base, this.over]) {
      if (canvas.width !== Math.round(width * this.#ratio) || canvas.height !== Math.round(height * this.#ratio)) {
        canvas.width = Math.round(width * this.#ratio);
        canvas.height = Math.round(height * this.#ratio);
        this.#stale = true;
      }
    }
    const colours = inks();
    if (this.#stale) this.#paintBase(large, colours);
    const over = this.over.getContext("2d");
    over.setTransform(1, 0, 0, 1, 0, 0);
    over.clearRect(0, 0, this.over.width, this.over.height);
    paintChosen(over, this.#scene, this.#scaled(), colours, this.#chosen(), this.over);
  }

  #paintBase(large, colours) {
    this.#stale = false;
    const context = this.base.getContext("2d");
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, this.base.width, this.base.height);
    if (large) this.#paintStill(context, colours);
    else paint(context, this.#scene, this.#scaled(), colours);
  }

  #scaled() {
    const { k, x, y } = this.#camera;
    return { k: k * this.#ratio, x: x * this.#ratio, y: y * this.#ratio, ratio: this.#ratio };
  }

  // The bitmap reaches half a screen beyond each side, so that most movements stay inside it.
  #paintStill(context, colours) {
    const { width, height } = this.#size();
    if (!this.#still) {
      const canvas = document.createElement("canvas");
      canvas.width = 2 * width;
      canvas.height = 2 * height;
      const camera = { ...this.#camera };
      paint(canvas.getContext("2d"), this.#scene, { ...camera, x: camera.x + width / 2, y: camera.y + height / 2, ratio: 1 }, colours);
      this.#still = { canvas, camera };
    }
    const { canvas, camera } = this.#still;
    const change = this.#camera.k / camera.k;
    context.setTransform(change, 0, 0, change, this.#camera.x - change * (camera.x + width / 2), this.#camera.y - change * (camera.y + height / 2));
    context.drawImage(canvas, 0, 0);
    context.setTransform(1, 0, 0, 1, 0, 0);
  }

  #chosen() {
    const selection = this.#pointed ?? this.#pinned;
    if (!selection) return { boxes: new Set(), lines: [], found: this.#found };
    const lines = selection.line ? [selection.line] : this.#scene.lines.filter(({ from, to }) => from === selection.box || to === selection.box);
    const boxes = new Set(selection.box ? [selection.box] : []);
    for (const { from, to } of lines) boxes.add(from).add(to);
    return { boxes, lines, found: this.#found };
  }

  #listen() {
    listenToPointers(this.element, {
      at: (place) => this.#at(place),
      panBy: (dx, dy) => this.panBy(dx, dy),
      zoom: (factor, place) => this.zoom(factor, place),
      tap: (found) => this.pin(found),
      point: (found) => this.#point(found),
      open: (found) => { if (found?.box) this.onOpen(found.box); },
    });
    this.element.addEventListener("keydown", (event) => this.#key(event));
  }

  #at({ x, y }) {
    const point = { x: (x - this.#camera.x) / this.#camera.k, y: (y - this.#camera.y) / this.#camera.k };
    const box = boxAt(this.#scene, point, this.#camera);
    if (box) return { box };
    const line = lineAt(this.#scene, point, this.#camera);
    return line ? { line } : null;
  }

  #point(selection) {
    if (selection?.box === this.#pointed?.box && selection?.line === this.#pointed?.line) return;
    this.#pointed = selection;
    this.element.classList.toggle("pointing", Boolean(selection));
    this.onShow(selection ?? this.#pinned);
    this.#request();
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const arrow = ARROWS[event.key];
    if (arrow) {
      const next = boxTowards(this.#scene, this.#pinned?.box ?? null, arrow);
      if (next) {
        this.#pointed = null;
        this.pin({ box: next });
        this.reveal(next);
      }
    } else if (event.key === "Enter" && this.#pinned?.box) this.onOpen(this.#pinned.box);
    else if (event.key === "Escape") this.pin(null);
    else if (event.key === "+" || event.key === "=") this.zoom(1.25);
    else if (event.key === "-") this.zoom(0.8);
    else if (event.key === "0") this.fit();
    else return;
    event.preventDefault();
  }
}
