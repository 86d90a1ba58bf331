// States without an answer: loading, empty, failed. Each says what to do next.
import { h } from "./dom.js";

// Read aloud by screen readers; nothing moves and no focus changes.
export function announce(text) {
  document.getElementById("said").textContent = text;
}

export function loading(text) {
  return h("p", { class: "notice loading", role: "status" }, h("span", { class: "spinner", "aria-hidden": "true" }), text);
}

export function empty(title, ...what) {
  return h("div", { class: "notice empty" }, h("p", { class: "strong" }, title), ...what.map((each) => h("p", {}, each)));
}

// `again` repeats what failed; `choose(name)` takes one of the close names.
export function failed(error, { again, choose } = {}) {
  const close = choose && error.close?.length
    ? h("p", {}, "Close names: ", error.close.map((each) => [h("button", { class: "chip", type: "button", onclick: () => choose(each) }, each), " "]))
    : null;
  const wait = error.retryAfter ? h("p", { class: "quiet" }, `Free again in about ${error.retryAfter} s.`) : null;
  const button = again ? h("p", {}, h("button", { type: "button", onclick: again }, "Try again")) : null;
  return h("div", { class: "notice failed", role: "alert" }, h("p", { class: "strong" }, TITLES[error.kind] ?? "That did not work"), h("p", {}, sentence(error.message)), close, wait, button);
}

const TITLES = {
  CutOff: "Connection lost",
  Offline: "No connection to the server",
  SnapshotReplaced: "The graph was updated meanwhile",
  Timeout: "The time limit was reached",
  UnknownName: "Unknown name",
};

function sentence(text) {
  const whole = text.slice(0, 1).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(whole) ? whole : `${whole}.`;
}
