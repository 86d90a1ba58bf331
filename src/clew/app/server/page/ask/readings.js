// How a question was understood, and other interpretations as buttons.
import { h } from "../ui/dom.js";

// again({ meaning }) or again({ cypher }) asks with another reading.
export function readings(answer, meaning, again) {
  const parts = [];
  if (answer.interpretation.length) parts.push(h("ul", { class: "interpretation" }, answer.interpretation.map((each) => h("li", {}, sentence(each)))));
  if (answer.unrecognised.length && !answer.abstained) parts.push(h("p", { class: "warning" }, "Ignored (not recognised): ", h("b", {}, answer.unrecognised.join(", "))));
  for (const each of answer.repairs) parts.push(h("p", { class: "quiet" }, sentence(each)));
  for (const { text, chosen, others } of answer.ambiguities) {
    parts.push(h("div", { class: "choice" },
      h("p", {}, chosen ? [`Interpreted “${text}” as `, h("b", {}, chosen.name), ` (${chosen.type}). Other matches:`] : `“${text}” may mean several entities. Choose one:`),
      h("div", { class: "chips" }, others.map((other) => h("button", { type: "button", class: "chip", onclick: () => again({ meaning: { ...meaning, [text]: other.id } }) }, other.name, " ", h("span", { class: "quiet" }, `${other.type} · ${other.id}`))))));
  }
  if (answer.alternatives.length) {
    parts.push(h("div", { class: "choice" },
      h("p", {}, answer.certainty === "sure" ? "Other interpretations:" : "Did you mean:"),
      h("div", { class: "chips" }, answer.alternatives.map((each) => h("button", { type: "button", class: "chip", onclick: () => again({ cypher: each.query }) }, each.interpretation)))));
  }
  return parts.length ? h("section", { class: "readings", "aria-label": "Interpretation" }, parts) : null;
}

function sentence(text) {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
