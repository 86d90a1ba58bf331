// Colours of types, the same on the whole page: the most frequent types of the graph get the first ones of types.css.
import { h } from "../ui/dom.js";

const COLOURS = 8; // in types.css; all other types share one more
let order = [];
let painted = []; // of each colour { line, tint }, as the style sheet has them now

export function setTypes(counts) {
  order = Object.entries(counts).sort((one, other) => other[1] - one[1] || (one[0] < other[0] ? -1 : 1)).map(([type]) => type);
}

// Whether the graph has entities of a type; yes as long as its types are not known.
export function isType(type) {
  return !order.length || order.includes(type);
}

export function typeClass(type) {
  return `type-${placeOf(type)}`;
}

export function typeDot(type) {
  return h("i", { class: `dot ${typeClass(type)}` });
}

export function isDark() {
  return document.documentElement.dataset.theme === "dark"; // theme.js sets it
}

// What drawings take from the style sheet; `colourOf` gives the colours of types as they were then.
export function inks() {
  const style = getComputedStyle(document.documentElement);
  const value = (name) => style.getPropertyValue(`--${name}`).trim();
  painted = Array.from({ length: COLOURS + 1 }, (_, at) => ({ line: value(`type-${at}-line`), tint: value(`type-${at}-tint`) }));
  return {
    ground: value("surface"), ink: value("ink"), quiet: value("quiet"), line: value("thread"),
    extracted: value("extracted"), negated: value("bad"), accent: value("accent"), found: value("mark"),
  };
}

export function colourOf(type) {
  return painted[placeOf(type)];
}

function placeOf(type) {
  const at = order.indexOf(type);
  return at >= 0 && at < COLOURS ? at : COLOURS;
}
