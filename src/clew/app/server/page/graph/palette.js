// Colours of types, the same on the whole page: the most frequent types of the graph get the first ones.

// Per type: line in light and dark (4.5:1 against the ground), and tint (text in ink reads on it).
const COLOURS = [
  ["#1d4e89", "#8fb8ee", "#e9f1fa", "#1b2c42"],
  ["#a23b2a", "#f2a493", "#fcefeb", "#43221c"],
  ["#1f6f50", "#7fcaa6", "#e8f5ee", "#17362a"],
  ["#6b3fa0", "#c3a5ec", "#f3edfa", "#322247"],
  ["#8a5a00", "#e5bd6a", "#fcf3e0", "#3d2e10"],
  ["#0f6b7a", "#7cc9d6", "#e5f4f7", "#12343b"],
  ["#9c2f6b", "#eea2cb", "#fbeaf3", "#431c32"],
  ["#4d5a1f", "#bccb83", "#f2f5e3", "#2b3117"],
];
const REST = ["#55606b", "#aeb7c0", "#eff1f3", "#2a3036"];
let order = [];

export function setTypes(counts) {
  order = Object.entries(counts).sort((one, other) => other[1] - one[1] || (one[0] < other[0] ? -1 : 1)).map(([type]) => type);
}

export function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

export function colourOf(type) {
  const at = order.indexOf(type);
  const [line, darkLine, tint, darkTint] = COLOURS[at] ?? REST;
  return isDark() ? { line: darkLine, tint: darkTint } : { line, tint };
}

// What the drawing takes from the style sheet.
export function inks() {
  const style = getComputedStyle(document.documentElement);
  const value = (name) => style.getPropertyValue(`--${name}`).trim();
  return {
    ground: value("surface"), ink: value("ink"), quiet: value("quiet"), line: value("thread"),
    extracted: value("extracted"), negated: value("bad"), accent: value("accent"), found: value("mark"),
  };
}
